"""What a question demands of its SQL: one kind of constraint per file, extraction and check side by side.

Owns: the registry; kinds of one subject share a folder. A kind joins by standing in `CONSTRAINTS`. The
first ten kinds are those of PV-SQL.
"""

from __future__ import annotations

from typing import Final

from askwire.verifier.constraints.aggregates import average, counting, per_group, percentage, summation
from askwire.verifier.constraints.conditions import (
    both,
    comparison,
    negation,
    numbers,
    only,
    quoted,
    threshold,
)
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order import extreme, ordering, ranking, several_rows, temporal, ties, top_k
from askwire.verifier.constraints.output import column_order, columns, distinct, sole_answer

__all__ = ["CONSTRAINTS", "PV_SQL", "Constraint", "ConstraintRule", "Evidence"]

CONSTRAINTS: Final[tuple[ConstraintRule, ...]] = (
    distinct.RULE,
    top_k.RULE,
    ranking.RULE,
    counting.RULE,
    percentage.RULE,
    summation.RULE,
    average.RULE,
    extreme.RULE,
    temporal.RULE,
    comparison.RULE,
    negation.RULE,
    both.RULE,
    per_group.RULE,
    quoted.RULE,
    numbers.RULE,
    ordering.RULE,
    several_rows.RULE,
    ties.RULE,
    columns.RULE,
    column_order.RULE,
    sole_answer.RULE,
    threshold.RULE,
    only.RULE,
)
"""In the order their checks stand in a verdict."""

PV_SQL: Final = (
    "distinct",
    "top_k",
    "ranking",
    "counting",
    "percentage",
    "summation",
    "average",
    "extreme",
    "temporal",
    "comparison",
)
"""The ten kinds of PV-SQL's Table 9."""
