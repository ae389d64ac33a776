"""The seam every expert fills: a question and a catalog in, ranked candidates out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from askwire.core.protocols import Executor
from askwire.core.settings import Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Question, SessionState
from askwire.sql.catalog import Catalog


@dataclass(frozen=True)
class Planning:
    """Everything an expert may use for one question; `executor` reads as the asker and nothing else."""

    question: Question
    catalog: Catalog
    session: SessionState
    settings: Settings
    executor: Executor
    trace: Trace


class Expert(Protocol):
    """One proposer of SQL."""

    @property
    def name(self) -> str:
        """The name shown to users ('embedded')."""

    async def propose(self, planning: Planning) -> Sequence[Candidate]:
        """Candidates, best first; empty when it has none.

        Raises `core.errors.BeyondEngine` (NL003) or `core.errors.NotInDatabase` (NL002) when it can say
        why there is none.
        """
