"""A candidate before it is shown.

Owns: the value that ranking, confidence and coverage read.
"""

from __future__ import annotations

from dataclasses import dataclass

from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.logical_form.ir import Query


@dataclass(frozen=True)
class Proposal:
    """A candidate before it is shown: its SQL, its features and what it rests on."""

    sql: str
    query: Query
    features: dict[str, float]
    score: float
    encoded: EncodedQuestion
    assignment: Assignment
    uncovered: tuple[str, ...]
    path: tuple[str, ...]
