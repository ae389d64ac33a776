"""An expert that is a language model: the stages of one ASK.

The linked part of the catalog is shown; the model looks into the data where it may be told what is there
(PV-SQL), writes, and with more effort, or in the style `ssev`, writes once more over the relations of its
first drafts (SSEV: PreSQL, linked schema, PostSQL). Owns: the order of the stages, and what repair needs
later. Must not know: how a stage works.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from pglast import ast, parse_sql
from pglast.parser import ParseError
from pglast.visitors import Visitor

from askwire.core.egress import Disclosure, Level, strictest
from askwire.core.errors import BudgetSpent, ModelFailed
from askwire.core.protocols import Clock
from askwire.core.settings import EFFORT, EGRESS
from askwire.core.types import Candidate
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.prompts import PromptFile
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import Planning
from askwire.planner.models.asking import Asking, load, question_parts, size_of
from askwire.planner.models.efforts import EFFORTS, Effort
from askwire.planner.models.probing import Grounding, probe
from askwire.planner.models.ranking import Links, Ranker
from askwire.planner.models.schema_text import Shown, only, show
from askwire.planner.models.writing import Draft, normal_form, write
from askwire.sql.catalog import Catalog, Relation

_REST: Final = 1500
"""Tokens of a prompt beside the catalog: instructions, question, findings."""
_LEAST: Final = 500


@dataclass(frozen=True)
class Workings:
    """What a model knew when it wrote: repair tells it again. `wrote` are the texts that came of it."""

    asking: Asking
    schema: tuple[Disclosure, ...]
    findings: tuple[Disclosure, ...]
    wrote: frozenset[str]


class ModelExpert:
    """`planner.expert.Expert` over one configured source; one for the process."""

    def __init__(
        self,
        source: ExpertSource,
        clock: Clock,
        *,
        ranker: Ranker | None = None,
        prompts: Mapping[str, PromptFile] | None = None,
    ) -> None:
        self._source = source
        self._clock = clock
        self._ranker = ranker or Ranker()
        self._prompts = prompts or load()

    @property
    def name(self) -> str:
        """The name it was configured under."""
        return self._source.name

    async def prepare(self) -> None:
        """Do what the first call would have to wait for."""
        await self._source.model.prepare()

    async def close(self) -> None:
        """Let go of the model's connections."""
        await self._source.model.close()

    async def propose(self, planning: Planning) -> Sequence[Candidate]:
        """The model's queries, those most samples agree on first, the last round's before the first's.

        Raises NoExpert (NL004) where the model cannot be asked or writes no query, BudgetSpent (NL005) where
        budget or time are spent before there is one.
        """
        asking = self._asking(planning, planning.propose_by)
        links = await self._ranker.links(planning, values=asking.shares_rows)
        room, catalog = self._room(asking.effort), planning.catalog
        # a large schema takes a tenth of a second to choose from
        shown = await asyncio.to_thread(show, catalog, links, room, values=asking.shares_rows)
        planning.trace.record(
            "planner",
            "shown",
            expert=self.name,
            relations=[r.name for r in shown.relations],
            of=len(catalog.relations),
            tokens=shown.tokens,
        )
        grounding = Grounding.of(asking, links) if asking.shares_rows else Grounding()
        if asking.shares_rows and self._source.config.style == "pv-sql":
            await probe(asking, shown.parts, grounding, self._size(asking, shown, grounding))
        findings = grounding.parts
        drafts = await write(asking, shown.parts, findings, self._samples)
        if self._writes_again(asking.effort):
            drafts, shown = await self._again(asking, links, shown, findings, drafts)
        wrote = frozenset(draft.sql for draft in drafts)
        planning.memo[self.name] = Workings(asking, shown.parts, findings, wrote)
        planning.trace.record(
            "planner", "wrote", expert=self.name, drafts=[{"sql": d.sql, "votes": d.votes} for d in drafts]
        )
        return [
            Candidate(draft.sql, self.name, score=float(draft.votes), reading=draft.reading)
            for draft in drafts
        ]

    def _asking(self, planning: Planning, deadline: float | None) -> Asking:
        settings = planning.settings
        allowed = strictest(settings[EGRESS], self._source.config.egress)
        own = settings.for_session({EGRESS.name: allowed})
        egress = Egress(own, planning.trace, expert=self.name, endpoint=self._source.model.endpoint)
        if egress.level is Level.NONE:
            egress.prompt(())  # says why, before anything is read for it
        line = Line(self._source, planning.purse, planning.trace, self._clock, deadline)
        effort = EFFORTS[settings[EFFORT]]
        return Asking(planning, line, egress, self._prompts, effort, self._source.config.temperature)

    def for_repair(self, planning: Planning) -> Workings | None:
        """What it knew when it proposed, until the ASK's own end; None where it proposed nothing."""
        workings = planning.memo.get(self.name)
        if not isinstance(workings, Workings):
            return None
        return replace(workings, asking=self._asking(planning, planning.end))

    def _room(self, effort: Effort) -> int:
        """Tokens for the catalog: what the effort grants, as far as the model's context holds it."""
        config, profile = self._source.config, self._source.profile
        return max(
            _LEAST, min(effort.schema_tokens, config.context - config.max_tokens - profile.headroom - _REST)
        )

    def _size(self, asking: Asking, shown: Shown, grounding: Grounding) -> int:
        """Tokens of the prompt that will ask for the query."""
        question = question_parts(asking.planning.question)
        parts = self._prompts["generate"].fill(
            schema=shown.parts, question=question, findings=grounding.parts
        )
        return size_of(parts)

    @property
    def _samples(self) -> int:
        """Samples that can differ: at temperature 0 they do not."""
        config = self._source.config
        return config.samples if config.temperature > 0 or not self._source.profile.temperature else 1

    def _writes_again(self, effort: Effort) -> bool:
        return effort.second or (self._source.config.style == "ssev" and effort.probes > 0)

    async def _again(
        self,
        asking: Asking,
        links: Links,
        shown: Shown,
        findings: Sequence[Disclosure],
        drafts: list[Draft],
    ) -> tuple[list[Draft], Shown]:
        """The drafts of a second round over the relations of the first, before those of the first.

        Without a second round where it would see the same, or where it fails: the first drafts stand.
        """
        catalog = asking.planning.catalog
        used = used_relations((draft.sql for draft in drafts), catalog)
        if not used or ({r.oid for r in used} >= {r.oid for r in shown.relations} and not asking.temperature):
            return drafts, shown
        linked = only(catalog, links, used, self._room(asking.effort), values=asking.shares_rows)
        try:
            later = await write(asking, linked.parts, findings, self._samples, step="generate again")
        except (ModelFailed, BudgetSpent) as error:
            asking.planning.trace.record("planner", "no second round", expert=self.name, reason=error.message)
            return drafts, shown
        votes = {normal_form(draft.sql): draft for draft in later}
        for draft in drafts:
            form = normal_form(draft.sql)
            known = votes.get(form, replace(draft, votes=0))
            votes[form] = replace(known, votes=known.votes + draft.votes)
        return list(votes.values()), linked


def used_relations(statements: Iterable[str], catalog: Catalog) -> tuple[Relation, ...]:
    """The relations that statements read, in the catalog's order; what does not parse reads none."""
    names = _Names()
    for sql in statements:
        with suppress(ParseError, RecursionError):
            names(parse_sql(sql))
    found = {r.oid for schema, name in names.found if (r := catalog.find(name, schema))}
    return tuple(r for r in catalog if r.oid in found)


class _Names(Visitor):
    """Names in FROM; those of WITH queries are among them and found in no catalog, or shadow what is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()

    def visit_RangeVar(self, _ancestors: object, node: ast.RangeVar) -> None:  # noqa: N802 - pglast's
        self.found.add((node.schemaname or "", node.relname or ""))
