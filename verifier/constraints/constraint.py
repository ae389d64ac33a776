"""What a constraint is, and what a rule that finds and checks one is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from askwire.core.types import ResultSet, Span
from askwire.sql.catalog import Column, Relation
from askwire.verifier.effects import Effects
from askwire.verifier.wording import Wording

_CENTS: Final = re.compile(r"(?:\A|_)(?:cents?|ct|minor)(?:_|\Z)|Cents?(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One thing the question demands of the SQL.

    `spans` are the words that say so. Of the parameters those are set that the kind has: `k` rows, the
    `direction` of an order ('asc', 'desc'), an `operator` ('>', 'between', …), `values` it compares with or
    that must appear, `others` that may stand for the first of them in another unit, `days` of which two dates
    may lie apart in its place, `words` that name what is meant. `message` says what the SQL has to do, for a
    reader who knows the question and sees SQL that does not do it.
    """

    kind: str
    spans: tuple[Span, ...]
    message: str
    k: int | None = None
    direction: str = ""
    operator: str = ""
    values: tuple[float | str, ...] = ()
    words: tuple[str, ...] = ()
    others: tuple[float, ...] = ()
    days: tuple[int, int] | None = None


def other_units(constraint: Constraint, effects: Effects) -> tuple[float, ...]:
    """What may stand for a constraint's first number: its unit is said, or a column's name says cents."""
    if any(_CENTS.search(name) for name in effects.names):
        return (*constraint.others, float(constraint.values[0]) * 100)
    return constraint.others


def is_key(source: tuple[Relation, Column] | None) -> bool:
    """Whether a column only names a row: it is the primary key, or part of a foreign key."""
    if source is None:
        return False
    relation, column = source
    return (column.name,) == relation.primary_key or any(
        column.name in k.columns for k in relation.foreign_keys
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a constraint is held against: what reaches the answer, and the answer where there is one."""

    effects: Effects
    result: ResultSet | None = None


@dataclass(frozen=True, slots=True)
class ConstraintRule:
    """One kind of constraint: where a question has it, and whether a statement satisfies it.

    `extract` sees the question and its hint, nothing else; `holds` sees no question. Both are precise before
    they are complete: a doubtful phrase is no constraint, and a doubtful statement satisfies it.
    """

    kind: str
    extract: Callable[[Wording], Iterable[Constraint]]
    holds: Callable[[Constraint, Evidence], bool]
