"""The type of each column, proven on every row of the file.

Owns: choosing a spelling for each column of text, and what DuckDB's own types are in PostgreSQL.

A few rows refute most spellings: what one value contradicts, the column is not. What they leave is then
counted over the whole file, so that a single 'n/k' in the last line keeps a column text. At most three scans:
the most likely spelling of every column, the others where that failed, and the units of money.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from askwire.files.formats.relation import Field, Relation, TextContent, literal
from askwire.files.formats.spellings import (
    DATED,
    INTEGER,
    NULL_ALWAYS,
    NULL_AMONG_VALUES,
    SPELLINGS,
    Spelling,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SAMPLE_ROWS: Final = 1_000
MIN_NOTED_SHARE: Final = 0.9
"""From this share of values on, a column that stays text is worth a sentence on what kept it."""
COLUMNS_PER_QUERY: Final = 200
"""DuckDB plans a query in the square of its expressions: 900 columns take 7 s at once, 1.5 s so."""

_TYPES: Final[Mapping[str, str]] = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "UTINYINT"), "smallint"),
    **dict.fromkeys(("INTEGER", "USMALLINT"), "integer"),
    **dict.fromkeys(("BIGINT", "UINTEGER"), "bigint"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"), "numeric"),
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DATE": "date",
    "TIME": "time",
    "TIME_NS": "time",
    "TIME WITH TIME ZONE": "time with time zone",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "INTERVAL": "interval",
    "UUID": "uuid",
    "BLOB": "bytea",
    "JSON": "jsonb",
    "VARCHAR": "text",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column to be made.

    In DuckDB, `value` over the scan gives the value, and `rewritten` makes of that, as `{v}`, what
    PostgreSQL reads as `type`.
    """

    original: str
    type: str
    value: str
    rewritten: str = "{v}"
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A column of text whose spelling is sought."""

    field: Field
    spellings: tuple[Spelling, ...]
    blanks: bool
    nulls: bool

    @property
    def value(self) -> str:
        """The value to be judged, NULL where there is none."""
        return _value(self.field, blanks=self.blanks, nulls=self.nulls)


def infer_columns(connection: DuckDBPyConnection, relation: Relation) -> tuple[Column, ...]:
    """The columns of a relation, in order. Raises duckdb.Error.

    Scans it up to three times, and a wide one twice more for every `COLUMNS_PER_QUERY` columns.
    """
    texts = [
        field
        for field in relation.fields
        if field.type == "VARCHAR" and field.spelled is not TextContent.TEXT
    ]
    chosen: dict[str, Column] = {}
    left = list(_candidates(connection, relation, texts)) if texts else []
    for scan in range(2):
        if not left:
            break
        if scan:  # the first spelling failed: all of them, with every way to write nothing
            left = [_Candidate(one.field, one.spellings, blanks=True, nulls=True) for one in left]
        parts = (left[at : at + COLUMNS_PER_QUERY] for at in range(0, len(left), COLUMNS_PER_QUERY))
        left = [one for part in parts for one in _judge(connection, relation, part, chosen, last=bool(scan))]
    return tuple(chosen.get(field.expression) or _as_told(field) for field in relation.fields)


def _as_told(field: Field) -> Column:
    """A column by DuckDB's own type."""
    type_, expression = field.type, field.expression
    if type_ == "BLOB":
        return Column(field.original, "bytea", expression, "'\\x' || hex({v})")
    if type_.endswith("]") or type_.startswith(("STRUCT", "MAP", "UNION", "VARIANT")):
        return Column(field.original, "jsonb", expression, "CAST(to_json({v}) AS VARCHAR)")
    if type_.startswith("DECIMAL"):
        return Column(field.original, "numeric", expression)
    if type_ == "VARCHAR" and field.spelled is not TextContent.TEXT:
        return Column(field.original, "text", _value(field, blanks=False, nulls=False))
    known = _TYPES.get(type_, "text")
    return Column(field.original, known, expression, "{v}" if type_ in _TYPES else "CAST({v} AS VARCHAR)")


def _candidates(
    connection: DuckDBPyConnection, relation: Relation, fields: Sequence[Field]
) -> Iterator[_Candidate]:
    listed = ", ".join(f"CAST({field.expression} AS VARCHAR)" for field in fields)
    rows = connection.execute(f"SELECT {listed} FROM {relation.scan} LIMIT {SAMPLE_ROWS}").fetchall()
    columns: list[set[str]] = [set() for _ in fields]
    for row in rows:
        for values, value in zip(columns, row, strict=True):
            if value is not None and len(values) < 100:
                values.add(value)
    empty = [number for number, values in enumerate(columns) if not values - {"", *NULL_ALWAYS}]
    if empty and len(rows) == SAMPLE_ROWS:  # else there is nothing more to see
        listed = ", ".join(
            f"{each}({_value(fields[n], blanks=False, nulls=False)})"
            for n in empty
            for each in ("min", "max")
        )
        found = connection.execute(f"SELECT {listed} FROM {relation.scan}").fetchone() or ()
        for position, number in enumerate(empty):
            columns[number] |= {
                value for value in found[2 * position : 2 * position + 2] if value is not None
            }
    for field, values in zip(fields, columns, strict=True):
        bare = {value.strip() for value in values} - {*NULL_ALWAYS}
        bare = {value for value in bare if value.lower() not in NULL_AMONG_VALUES}
        spellings = tuple(
            one
            for one in (SPELLINGS if field.spelled is TextContent.ANYTHING else DATED)
            if all(one.looks.match(value) for value in bare)
        )
        if bare and spellings:
            ordered = _ordered(spellings, by_comma=relation.by_comma)
            blanks = any(value != value.strip() for value in values)
            nulls = any(value.strip().lower() in NULL_AMONG_VALUES for value in values)
            yield _Candidate(field, ordered, blanks, nulls)


def _ordered(spellings: tuple[Spelling, ...], *, by_comma: bool) -> tuple[Spelling, ...]:
    """The most likely first: in files with semicolons, decimal commas and days before months.

    Elsewhere a date that can be both is one of the United States.
    """

    def rank(one: Spelling) -> int:
        if one.day_first is not None:
            return int(one.day_first is not by_comma)
        if one.name in ("1,234.5", "percent", "money"):
            return int(by_comma)
        return int(not by_comma) if "comma" in one.name or one.name == "1.234,5" else 0

    return tuple(sorted(spellings, key=lambda one: (_family(one), rank(one))))


def _family(one: Spelling) -> int:
    """Spellings that can be mistaken for each other are of one family; families keep their order."""
    first = next(n for n, other in enumerate(SPELLINGS) if other is one)
    if one.day_first is not None:
        swapped = one.name.replace("%d", "%-").replace("%m", "%d").replace("%-", "%m")
        return min(first, *(n for n, other in enumerate(SPELLINGS) if other.name == swapped))
    kinds = {"1.234,5": "1,234.5", "percent with a comma": "percent", "money with a comma": "money"}
    leader = kinds.get(one.name)
    return first if leader is None else next(n for n, other in enumerate(SPELLINGS) if other.name == leader)


def _value(field: Field, *, blanks: bool, nulls: bool) -> str:
    if field.nulls_read and not blanks and not nulls:
        return field.expression
    value = f"trim({field.expression}, ' \t\xa0')" if blanks else field.expression
    nothing = f"{value} IN ({', '.join(map(literal, NULL_ALWAYS))})"
    if nulls:
        nothing += f" OR lower({value}) IN ({', '.join(map(literal, NULL_AMONG_VALUES))})"
    return f"CASE WHEN {nothing} THEN NULL ELSE {value} END"


def _judge(
    connection: DuckDBPyConnection,
    relation: Relation,
    columns: Sequence[_Candidate],
    chosen: dict[str, Column],
    *,
    last: bool,
) -> list[_Candidate]:
    """Count what fits; enters the columns that are decided, and returns those that are not."""
    inner, outer = [], []
    for number, one in enumerate(columns):
        value = f"v{number}"
        inner.append(f"{one.value} AS {value}")
        outer.append(f"count({value})")
        tried = _tried(one, last=last)
        for spelling in tried:
            fits = spelling.condition(value)
            unfit = f"FILTER (WHERE NOT coalesce({fits}, false) AND {value} IS NOT NULL)"
            units = f"(WHERE {spelling.unit.replace('{v}', value)} IS NOT NULL)" if spelling.unit else ""
            unit = spelling.unit.replace("{v}", value)
            outer += [
                f"count(*) {unfit}",
                f"any_value({value}) {unfit}" if last else "NULL",
                f"min({unit}) FILTER {units}" if unit else "NULL",
                f"max({unit}) FILTER {units}" if unit else "NULL",
                *_extremes(spelling, value),
                _differing(tried[0], spelling, value),
            ]
    query = f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {relation.scan})"
    counts = iter(connection.execute(query).fetchone() or ())
    left = []
    for one in columns:
        present = next(counts)
        fitting: list[Column] = []
        nearest: tuple[int, str] = (present, "")
        for spelling in _tried(one, last=last):
            unfit, example, least, most, low, high, differing = (next(counts) for _ in range(7))
            both = spelling.both is None or (low, high) == tuple(sorted(spelling.both))
            if present and not unfit and least == most and both:
                column = _column(one, spelling, unit=least or "", low=low, high=high)
                if not fitting:
                    fitting.append(column)
                elif differing and spelling.reading and not fitting[0].note:
                    note = f"{differing:,} of {present:,} values could also be read with {spelling.reading}"
                    fitting[0] = replace(fitting[0], note=note)
            elif unfit and unfit < nearest[0]:
                nearest = (unfit, example)
        if fitting:
            chosen[one.field.expression] = fitting[0]
        elif not last:
            left.append(one)
        elif nearest[1] and nearest[0] <= present * (1 - MIN_NOTED_SHARE):
            other = f"{nearest[0]:,} of {present:,} values are written otherwise"
            note = f"stays text: {other}, as {nearest[1][:40]!r}"
            chosen[one.field.expression] = replace(_as_told(one.field), note=note)
    return left


def _tried(one: _Candidate, *, last: bool) -> tuple[Spelling, ...]:
    """At first the most likely spelling and those it can be mistaken for, at last all."""
    if last:
        return one.spellings
    first = _family(one.spellings[0])
    return tuple(other for other in one.spellings if _family(other) == first)


def _differing(first: Spelling, other: Spelling, value: str) -> str:
    """How many values another spelling reads otherwise than the first one tried does."""
    if other is first or not other.reading:
        return "NULL"
    # What does not fit may not be a number at all, so both are compared as the text they give.
    return f"count(*) FILTER (WHERE {first.rewritten(value)} <> {other.rewritten(value)})"


def _extremes(spelling: Spelling, value: str) -> tuple[str, str]:
    """The least and the greatest value: of integers for their width, of pairs to see both."""
    if spelling is INTEGER:
        return f"min(try_cast({value} AS BIGINT))", f"max(try_cast({value} AS BIGINT))"
    if spelling.both is not None:
        return f"min(lower({value}))", f"max(lower({value}))"
    return "NULL", "NULL"


def _column(one: _Candidate, spelling: Spelling, *, unit: str, low: object, high: object) -> Column:
    type_ = spelling.type
    if (
        spelling is INTEGER
        and isinstance(low, int)
        and isinstance(high, int)
        and -(2**31) <= low <= high < 2**31
    ):
        type_ = "integer"
    return Column(one.field.original, type_, one.value, spelling.value, unit=unit)
