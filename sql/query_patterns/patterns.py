"""What queries that people write do with a schema again and again: joins, filters, measures, outputs.

Owns: the values these are, and adding them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

MAX_QUERY_CHARACTERS: Final = 20_000
"""Characters; a longer query says more of a program than of a habit."""
MAX_COUNT_PER_QUERY: Final = 4
"""How often one query counts at most among those that read a relation: one that a program repeats all day is
no more a habit of people than four that they wrote."""


class ColumnName(NamedTuple):
    """A column by the names that people know it by."""

    schema: str
    relation: str
    column: str


Expression: TypeAlias = tuple[str | ColumnName, ...]
"""SQL in pieces: text, and the columns that stand between."""


class Join(NamedTuple):
    """Two columns that were held equal, the smaller name first."""

    left: ColumnName
    right: ColumnName


class Filter(NamedTuple):
    """A condition on one relation: `deleted_at IS NULL`."""

    schema: str
    relation: str
    condition: Expression


class NamedMeasure(NamedTuple):
    """A measure under the name that people gave it: `revenue`, `sum(quantity * unit_price)`.

    `view` is the view that has it as a column, '' for a query's own.
    """

    name: str
    expression: Expression
    view: str = ""


class Sight(NamedTuple):
    """How one query read one relation: alone or `joined` with others, filtered by what, to measure what.

    `held` are the columns that its conditions are about, whichever they were.
    """

    schema: str
    relation: str
    joined: bool
    filters: frozenset[Expression]
    measures: frozenset[Expression]
    held: frozenset[str] = frozenset()


@dataclass(frozen=True)
class QueryPatterns:
    """How often each was seen.

    `beside` are the columns that stand beside a measure: it was grouped by them, or they were held against
    a constant. `sights` are how queries read each relation, one query at most `MAX_COUNT_PER_QUERY` times.
    `measures` are what was aggregated, under whatever name, `named` the measures with names. `outputs` are
    columns that the outermost query returned as they are, `groups` those it was grouped by, `compared`
    those that were held against a constant, whichever it was. `relations` counts the queries that read a
    relation.
    """

    joins: Counter[Join] = field(default_factory=Counter)
    sights: Counter[Sight] = field(default_factory=Counter)
    measures: Counter[Expression] = field(default_factory=Counter)
    named: Counter[NamedMeasure] = field(default_factory=Counter)
    beside: Counter[tuple[Expression, ColumnName]] = field(default_factory=Counter)
    outputs: Counter[ColumnName] = field(default_factory=Counter)
    groups: Counter[ColumnName] = field(default_factory=Counter)
    compared: Counter[ColumnName] = field(default_factory=Counter)
    relations: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.relations)

    def add(self, other: QueryPatterns, times: int = 1) -> None:
        """Count another's as well, so many times."""
        for mine, its in zip(self._counters, other._counters, strict=True):
            for key, number in its.items():
                mine[key] += number * times
        for sight, number in other.sights.items():
            self.sights[sight] += min(number * times, MAX_COUNT_PER_QUERY)

    @property
    def _counters(self) -> tuple[Counter[Any], ...]:
        return (
            *(self.joins, self.measures, self.named, self.beside, self.outputs, self.groups),
            *(self.compared, self.relations),
        )

    @property
    def filters(self) -> Counter[Filter]:
        """In how many of the queries that count each filter stood."""
        found: Counter[Filter] = Counter()
        for sight, times in self.sights.items():
            for condition in sight.filters:
                found[Filter(sight.schema, sight.relation, condition)] += times
        return found


def columns_in(expression: Expression) -> Iterator[ColumnName]:
    """The columns of an expression, in its order."""
    return (part for part in expression if isinstance(part, ColumnName))


def told(expression: Expression) -> str:
    """An expression as people would say it, its columns without their relations."""
    return "".join(part.column if isinstance(part, ColumnName) else part for part in expression)
