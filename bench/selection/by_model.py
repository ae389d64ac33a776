"""A model as judge or chooser of a run: one of the experts that the environment configures, by its name.

Owns: the line to it (ASKWIRE_EXPERT_<NAME>_…, as for `serve`), with `egress = rows` and no limit but the
expert's own, and what it is shown about each database.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from askwire.bench.connection import DirectExecutor
from askwire.bench.failure import BenchFailure
from askwire.core.clock import MonotonicClock
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.expert_table import read_experts
from askwire.llm.sources import ExpertSource, open_sources
from askwire.planner.models.first_drafts import used_relations
from askwire.selector.duels.answering import Runs
from askwire.selector.duels.chooser import ModelChooser
from askwire.selector.duels.judges import DualParadigmJudge, Parts, RowsJudge
from askwire.selector.duels.pair import Pair
from askwire.selector.duels.writer import ModelWriter, Writer
from askwire.selector.sandbox.running import Sandbox
from askwire.sql.catalog import Catalog


@dataclass(frozen=True)
class Duels:
    """What judges of one database are made of."""

    writer: Writer
    sandbox: Runs
    catalog: Catalog
    executor: DirectExecutor

    async def pair(self, first: str, second: str) -> Pair | None:
        """Two statements, for making databases."""
        return await Pair.opened(first, second, self.catalog, self.executor)

    def on_rows(self) -> RowsJudge:
        """The judge on separating instances."""
        return RowsJudge(self.writer, self.pair)

    def by_code(self, parts: Parts) -> DualParadigmJudge:
        """The judge of dual-paradigm consistency, or what is left of it."""
        return DualParadigmJudge(self.writer, self.pair, self.sandbox, parts)

    def chooser(self) -> ModelChooser:
        """Who reads all statements at once."""
        return ModelChooser(self.writer, self._schema)

    def _schema(self, statements: Sequence[str]) -> list[Disclosure]:
        described = (
            f"{r.name}({', '.join(f'{c.name} {c.type_name}' for c in r.columns)})"
            for r in used_relations(statements, self.catalog)
        )
        return [Disclosure(Kind.NAME, text, required=True) for text in described]


@dataclass(frozen=True)
class ByModel:
    """One configured expert, for a whole run."""

    source: ExpertSource
    sandbox: Sandbox

    def duels(self, catalog: Catalog, executor: DirectExecutor) -> Duels:
        """What its judges of one database are made of."""
        clock = MonotonicClock()
        trace = Trace(clock)
        purse = TokenBudget(Limits(), Limits(), ModelUsage())
        egress = Egress(
            load({"egress": "rows"}), trace, expert=self.source.name, endpoint=self.source.model.endpoint
        )
        writer = ModelWriter(self.source.name, Line(self.source, purse, trace, clock), egress, trace)
        return Duels(writer, self.sandbox, catalog, executor)


@asynccontextmanager
async def configured(name: str) -> AsyncIterator[ByModel]:
    """The expert of this name in the environment; raises BenchFailure when there is none."""
    try:
        sources = open_sources(read_experts({}, os.environ), os.environ, MonotonicClock())
    except ConfigurationError as error:
        raise BenchFailure(error.message) from None
    source = next((one for one in sources if one.name == name), None)
    if source is None:
        raise BenchFailure(f"no expert {name!r} is configured (ASKWIRE_EXPERT_{name.upper()}_URL, …_MODEL)")
    sandbox = Sandbox()
    try:
        yield ByModel(source, sandbox)
    finally:
        await sandbox.close()
        for one in sources:
            await one.model.close()
