"""The intermediate form: a query without FROM.

Owns: the values that grammar builds and joins and rendering read. Columns are numbers of the schema index;
which tables are read, and how they join, follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

EXISTS: Final = "exists"
"""What a query is asked over for yes or no."""


@dataclass(frozen=True, slots=True)
class Term:
    """A column, an aggregate of one, or count(*) (`aggregate` 'count', no column).

    `factor` is a second column that the first is combined with by `operator` ('*', '-', '/': of sums where
    `aggregate` is 'sum'); `unit` truncates
    a time ('month', 'year', …), makes an age of it, or names the unit of a span of time. `of` is the
    table that count(*) counts, for joins and for the reading only; a count is divided by the number of all
    rows of table `rows_of`; with no aggregate that number alone. A sum is divided by the number of different
    values of `per`. Aggregate 'share' is the part of all rows that satisfies `part`, or of what the column
    comes to, in percent when `percent`;
    'ratio' how many satisfy `part` for each that satisfies `against`, or what the column comes to in both,
    or, where `distinct`, how many values the column has for each of `factor`; 'difference' what
    `each` aggregate comes to of `part` less what it comes to of `against`, in percent of the latter when
    `percent`, or of the former when `falling` as well. `window` sets an aggregate
    beside those of other groups (`expressions.windowed`), in the order of the group `along`, among groups
    that share `beside`. Any other aggregate with a `part` is of the rows that satisfy it.
    """

    column: int | None = None
    aggregate: str = ""
    distinct: bool = False
    factor: int | None = None
    unit: str = ""
    of: int | None = None
    per: int | None = None
    operator: str = "*"
    part: tuple[Condition, ...] = ()
    percent: bool = False
    falling: bool = False
    against: tuple[Condition, ...] = ()
    each: str = ""
    rows_of: int | None = None
    window: str = ""
    along: Term | None = None
    beside: tuple[Term, ...] = ()

    def columns(self) -> Iterator[int]:
        """The columns it reads."""
        if self.column is not None:
            yield self.column
        if self.factor is not None:
            yield self.factor
        if self.per is not None:
            yield self.per
        for condition in (*self.part, *self.against):
            yield from condition_columns(condition)


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `kind` is 'text', 'number' or 'time'; 'ago': so long before today ('30 day').

    'reckoned' is a number that SQL works out, as it stands there.
    """

    value: str
    kind: str


@dataclass(frozen=True, slots=True)
class Compare:
    """`term operator right`; right is a constant, another term, or a query with one value."""

    term: Term
    operator: str
    right: Literal | Term | Query


@dataclass(frozen=True, slots=True)
class Member:
    """`column [NOT] IN (query)`."""

    column: int
    query: Query
    negated: bool


@dataclass(frozen=True, slots=True)
class NullTest:
    """`column IS [NOT] NULL`."""

    column: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions joined by OR; each part is a conjunction."""

    parts: tuple[tuple[Condition, ...], ...]


@dataclass(frozen=True, slots=True)
class StatedCondition:
    """A condition as people write it in their own queries: text, and the columns (by number) between."""

    parts: tuple[str | int, ...]

    def columns(self) -> Iterator[int]:
        """The columns it reads."""
        return (part for part in self.parts if isinstance(part, int))


Condition = Compare | Member | NullTest | AnyOf | StatedCondition


@dataclass(frozen=True, slots=True)
class Query:
    """One SELECT. `tables` are read even when none of their columns is; `star` selects all of a table.

    With `partition` the order and the limit hold within each of its groups. `over` is an
    aggregate of all its groups: the average, the median, the greatest or the least of the query's one
    aggregate ('avg', 'median', 'max', 'min'), or their number ('count'); 'exists' is whether the query has a
    row. With terms `each` of its groups it is of those that share them, a row for each. A query with one
    value reads, for each row outside, the rows that hold the same in the columns `alike`. Numbers with a
    fraction that it shows are rounded to `places` digits behind the point; None leaves them as they are. All
    rows of table `outer` are read, also those that nothing else belongs to. Codes that it shows are `spelled`
    out: shown by what they mean.

    `order` holds (term, descending). `combine` is ('INTERSECT' | 'EXCEPT' | 'UNION', query).
    """

    select: tuple[Term, ...]
    distinct: bool = False
    star: int | None = None
    where: tuple[Condition, ...] = ()
    group: tuple[Term, ...] = ()
    having: tuple[Condition, ...] = ()
    order: tuple[tuple[Term, bool], ...] = ()
    limit: int | None = None
    offset: int = 0
    tables: frozenset[int] = frozenset()
    combine: tuple[str, Query] | None = None
    partition: tuple[Term, ...] = ()
    over: str = ""
    each: tuple[Term, ...] = ()
    alike: tuple[int, ...] = ()
    places: int | None = None
    outer: int | None = None
    spelled: bool = False

    def with_(self, **changes: object) -> Query:
        """A copy with fields replaced."""
        if not changes.keys() <= _NAMES:
            raise TypeError(f"a query has no {', '.join(changes.keys() - _NAMES)}")
        new = object.__new__(Query)  # as dataclasses.replace, in a third of its time
        for name in _FIELDS:
            _set(new, name, changes[name] if name in changes else getattr(self, name))
        return new


@dataclass(frozen=True)
class Clauses:
    """WHERE, HAVING, a set operation, further tables to read, and the flags of the choices made."""

    where: list[Condition]
    having: list[Condition]
    combine: tuple[str, Query] | None
    tables: set[int]
    flags: frozenset[str]


_FIELDS: Final = tuple(field.name for field in fields(Query))
_NAMES: Final = frozenset(_FIELDS)
_set: Final = object.__setattr__


def is_of_keys(term: Term) -> bool:
    """Whether a term sets the rows of two tables against each other, by the values of their keys."""
    return term.aggregate == "ratio" and term.distinct


def condition_columns(condition: Condition) -> Iterator[int]:
    """Columns that a condition reads in its own query (not in its subqueries)."""
    if isinstance(condition, Compare):
        yield from condition.term.columns()
        if isinstance(condition.right, Term):
            yield from condition.right.columns()
    elif isinstance(condition, (Member, NullTest)):
        yield condition.column
    elif isinstance(condition, StatedCondition):
        yield from condition.columns()
    else:
        for part in condition.parts:
            for inner in part:
                yield from condition_columns(inner)


def columns_of(query: Query) -> Iterator[int]:
    """Every column a query reads in its own FROM, in the order SELECT, WHERE, GROUP, HAVING, ORDER."""
    for term in query.select:
        yield from term.columns()
    for condition in query.where:
        yield from condition_columns(condition)
    for term in query.group:
        yield from term.columns()
    for condition in query.having:
        yield from condition_columns(condition)
    for term, _ in query.order:
        yield from term.columns()


def sortable(query: Query) -> bool:
    """Whether PostgreSQL can sort the query: after DISTINCT or a set operation only by what is shown."""
    return not (query.distinct or query.combine) or all(t in query.select for t, _ in query.order)
