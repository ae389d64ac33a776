"""Results in a normal form, so that two answers can be compared: equal forms mean the same answer.

Owns: which differences between two results are no difference (a number's type and digits, row order, and by
option duplicates, NULL rows, column order). Cells are read by their type OID from PostgreSQL's text format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations, product
from math import factorial, isnan, prod
from typing import Final, TypeAlias

from askwire.core.types import Cell, ResultSet

Value: TypeAlias = int | float | str | None
"""A normalised cell; booleans are 0 and 1, so that `true` and `1` agree as they do in the benchmarks."""
Values: TypeAlias = tuple[Value, ...]

_BOOL: Final = 16
_NUMBERS: Final = frozenset({20, 21, 23, 26, 700, 701, 1700})
_MAX_DIGITS: Final = 4000
"""int() reads no more (sys.set_int_max_str_digits); numeric holds 131,072."""
_PADDED: Final = 1042
_TIMES: Final = frozenset({1114, 1184})
_INTEGRAL: Final = re.compile(r"[+-]?\d+(\.0*)?\Z")
_MIDNIGHT: Final = re.compile(r"[ T]00:00:00(\.0+)?( ?[+-][\d:]+| [A-Z]+)?\Z")
_TIME_OF_DAY: Final = re.compile(r"[ T]\d\d:\d\d:\d\d\S*( [A-Z]+)?\Z")
_NULL_WORDS: Final = frozenset({"", "null", "none", "nan"})
MAX_COLUMN_ORDERS: Final = 720
"""Column orders tried to find the canonical one; only columns that hold equal values need trying."""


@dataclass(frozen=True, slots=True)
class Normalization:
    """What counts as a difference.

    `decimals` rounds numbers, unless `significant` digits do, wherever the point stands. `ordered`: row order
    counts; `column_order`: column order counts (else the columns of one result may be a permutation of the
    other's). `drop_null_rows` and `drop_duplicates` take
    rows away before comparing. `dates_only` cuts the time of day, `null_words` reads texts like 'null' as
    NULL, `strip_text` cuts white space around texts. Without `row_order` the order of rows counts nowhere,
    also not where two queries both say ORDER BY. `empty_alike`: results without rows are the same, however
    many columns they have.
    """

    decimals: int = 4
    significant: int = 0
    ordered: bool = False
    column_order: bool = True
    drop_null_rows: bool = False
    drop_duplicates: bool = False
    dates_only: bool = False
    null_words: bool = False
    strip_text: bool = False
    row_order: bool = True
    empty_alike: bool = False


STRICT: Final = Normalization()
"""Multisets of rows, columns in order."""
CLOSE: Final = Normalization(significant=12)
"""As STRICT, with small numbers told apart: what two formulas make of the same numbers agrees to that."""
SEPARATING: Final = Normalization(column_order=False, drop_null_rows=True, drop_duplicates=True)
"""As answers on separating instances are compared: a question seldom says DISTINCT, NOT NULL or a column
order."""
JUDGED: Final = replace(SEPARATING, row_order=False, empty_alike=True)
"""As a judge compares its own answer on a few rows with theirs: what is the same here is a draw."""
DPC_VALUES: Final = Normalization(dates_only=True, null_words=True, strip_text=True)
"""Atomic values as in DPC, Table 1."""


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A result reduced to what counts; equal and hashable by value."""

    columns: int
    rows: tuple[Values, ...]
    truncated: bool = False


def normalize(result: ResultSet, options: Normalization = STRICT) -> NormalForm:
    """The normal form of a result.

    A truncated result never equals a whole one: what is equal as far as both were read may differ beyond.
    With more than `MAX_COLUMN_ORDERS` ways to order columns of equal content, their given order counts.
    """
    oids = [c.type_oid for c in result.columns]
    rows: Iterable[Values] = [
        tuple(normal_value(cell, oid, options) for cell, oid in zip(row, oids, strict=True))
        for row in result.rows
    ]
    if options.drop_null_rows:
        rows = (row for row in rows if any(v is not None for v in row))
    if options.drop_duplicates:
        rows = dict.fromkeys(rows)
    kept = list(rows)
    if not options.column_order:
        kept = _in_canonical_column_order(kept, options)
    elif not options.ordered:
        kept = _sorted(kept)
    width = 0 if options.empty_alike and not kept else len(oids)
    return NormalForm(width, tuple(kept), result.truncated)


def same(a: ResultSet, b: ResultSet, options: Normalization = STRICT) -> bool:
    """Whether two results are the same answer."""
    return normalize(a, options) == normalize(b, options)


def normal_value(cell: Cell, type_oid: int, options: Normalization = STRICT) -> Value:
    """One cell, read by its type.

    Whole numbers are exact whatever their type and size, others are rounded; a timestamp at midnight is a
    date (`date_trunc` and a cast give the same day); what else there is stays PostgreSQL's text.
    """
    if cell is None:
        return None
    if type_oid == _BOOL:
        return int(cell in {"t", "true"})
    if type_oid in _NUMBERS:
        return _number(cell, options)
    if type_oid in _TIMES:
        return (_TIME_OF_DAY if options.dates_only else _MIDNIGHT).sub("", cell)
    if type_oid == _PADDED:
        cell = cell.rstrip(" ")
    if options.null_words and cell.strip().lower() in _NULL_WORDS:
        return None
    return cell.strip() if options.strip_text else cell


def _number(cell: str, options: Normalization) -> Value:
    if len(cell) <= _MAX_DIGITS and _INTEGRAL.match(cell):
        return int(cell.partition(".")[0])
    number = float(cell)
    if isnan(number):  # a NaN equals nothing, itself included
        return None if options.null_words else "NaN"
    if options.significant:
        number = float(f"{number:.{options.significant}g}")
    else:
        number = round(number, options.decimals)
    rounded = number + 0.0  # -0.0 is 0
    return int(rounded) if rounded.is_integer() else rounded


def _rank(value: Value) -> tuple[int, float | str]:
    """An order over values of any type; PostgreSQL's own is not needed, only a fixed one."""
    match value:
        case None:
            return 2, 0
        case str():
            return 1, value
        case _:
            return 0, value


def _row_rank(row: Values) -> tuple[tuple[int, float | str], ...]:
    return tuple(map(_rank, row))


def _sorted(rows: list[Values]) -> list[Values]:
    return sorted(rows, key=_row_rank)


def _in_canonical_column_order(rows: list[Values], options: Normalization) -> list[Values]:
    """The rows with columns ordered by what they hold; the same for every permutation of the columns.

    Columns whose values differ as multisets (as sequences, when row order counts) are ordered by them;
    among columns that are equal so, the order that gives the smallest table is taken.
    """
    if not rows:
        return rows
    held = [[_rank(v) for v in column] for column in zip(*rows, strict=True)]
    if not options.ordered:
        held = [sorted(column) for column in held]
    order = sorted(range(len(held)), key=held.__getitem__)
    groups: list[list[int]] = []
    for column in order:
        if groups and held[groups[-1][0]] == held[column]:
            groups[-1].append(column)
        else:
            groups.append([column])

    def table(columns: Sequence[int]) -> list[Values]:
        picked = [tuple(row[c] for c in columns) for row in rows]
        return picked if options.ordered else _sorted(picked)

    if options.ordered or prod(factorial(len(g)) for g in groups) > MAX_COLUMN_ORDERS:
        return table(order)
    return min(map(table, _orders(groups)), key=lambda made: [_row_rank(row) for row in made])


def _orders(groups: list[list[int]]) -> Iterator[list[int]]:
    for choice in islice(product(*(permutations(g) for g in groups)), MAX_COLUMN_ORDERS):
        yield [column for group in choice for column in group]
