"""The seam every expert fills: a question and a catalog in, ranked candidates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from askwire.core.protocols import Executor
from askwire.core.settings.table import Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question, SessionState
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.sql.catalog import Catalog
from askwire.sql.query_patterns.patterns import QueryPatterns


def _unlimited() -> TokenBudget:
    return TokenBudget(Limits(), Limits(), ModelUsage())


@dataclass(frozen=True)
class ExpertContext:
    """Everything an expert may use for one question; `executor` reads as the asker and nothing else.

    Models are paid from `purse`, which all experts share. `propose_by` is when candidates must be there, and
    `end` when the ASK ends, both as `core.protocols.Clock` tells time; None: no such moment.
    `demands` is what the question's words ask of SQL, a line each. `query_patterns` is what people's own
    queries say of the schema, where that is known.
    `memo` is where an expert keeps, under its name, what it needs for repairing what it proposed.
    """

    question: Question
    catalog: Catalog
    session: SessionState
    settings: Settings
    executor: Executor
    trace: Trace
    purse: TokenBudget = field(default_factory=_unlimited)
    propose_by: float | None = None
    end: float | None = None
    query_patterns: QueryPatterns | None = None
    demands: tuple[str, ...] = ()
    memo: dict[str, object] = field(default_factory=dict, compare=False)


class Expert(Protocol):
    """One proposer of SQL."""

    @property
    def name(self) -> str:
        """The name shown to users ('embedded')."""

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        """Candidates, best first; empty when it has none.

        Raises `core.errors.BeyondEngine` (NL003) or `core.errors.NotInDatabase` (NL002) when it can say
        why there is none.
        """
