"""What the grammar shows of its work, for a trace of a question.

Owns: the `Watch` seam, and what one rule changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What one rule changed: the line before and after, and the clauses that it added or replaced."""

    rule: str
    before: str
    after: str
    clauses: tuple[str, ...]


class Watch(Protocol):
    """Sees each reading of a question as the grammar works on it."""

    def encoded(self, encoded: EncodedQuestion) -> None:
        """A line of symbols, before any rule."""

    def fired(self, fired: RuleChange) -> None:
        """A rule changed the line or took a clause."""

    def framed(self, frames: Sequence[Frame]) -> None:
        """The frames of that line, the grammar's own first."""
