"""What a question demands of its SQL: one kind of constraint per file, extraction and check side by side.

Owns: the registry. A kind joins by standing in `CONSTRAINTS`. The first ten kinds are those of PV-SQL.
"""

from __future__ import annotations

from typing import Final

from askwire.verifier.constraints import (
    average,
    both,
    column_order,
    columns,
    comparison,
    counting,
    distinct,
    extreme,
    negation,
    numbers,
    only,
    ordering,
    per_group,
    percentage,
    quoted,
    ranking,
    several_rows,
    sole_answer,
    summation,
    temporal,
    threshold,
    ties,
    top_k,
)
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence

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
