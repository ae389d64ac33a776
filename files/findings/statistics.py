"""Reading a schema: its tables, their columns with PostgreSQL's statistics, exact counts, bounded statements.

Owns: what is sent to PostgreSQL to look, and for how long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from psycopg.rows import tuple_row

from askwire.files.findings.names import Name
from askwire.sql.literals import quote_identifier

Connection = psycopg.Connection[Any]
Row = tuple[Any, ...]

_NUMBERS: Final = frozenset({"int2", "int4", "int8", "numeric"})
_FAMILIES: Final = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(("text", "varchar", "bpchar"), "text"),
    "uuid": "uuid",
    "float4": "float",
    "float8": "float",
}
"""Types whose values may be keys, by what they are compared with."""
_MAX_KEY_BYTES: Final = 120
"""Bytes of an average value that is too long for a key."""

_TABLES: Final = """
SELECT c.oid, c.relname, pg_catalog.obj_description(c.oid, 'pg_class')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname
"""
_COLUMNS: Final = """
SELECT a.attrelid, a.attname, t.typname, t.typcategory::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
       pg_catalog.col_description(a.attrelid, a.attnum), s.n_distinct, s.avg_width, s.null_frac,
       s.most_common_vals::text::text[], (s.histogram_bounds::text::text[])[1],
       (s.histogram_bounds::text::text[])[pg_catalog.array_upper(s.histogram_bounds::text::text[], 1)]
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_type d ON d.oid = a.atttypid
JOIN pg_catalog.pg_type t ON t.oid = CASE WHEN d.typtype = 'd' THEN d.typbasetype ELSE d.oid END
LEFT JOIN pg_catalog.pg_stats s
  ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
  AND s.inherited = (c.relkind = 'p')
WHERE a.attrelid = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""
_CONSTRAINTS: Final = """
SELECT k.conrelid, k.contype::text, f.relname,
       ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY u (n, at)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.at),
       ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY u (n, at)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.at)
FROM pg_catalog.pg_constraint k LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
WHERE k.conrelid = ANY (%s) AND k.contype IN ('p', 'u', 'f')
ORDER BY k.oid
"""


@dataclass(frozen=True)
class Column:
    """A column and its statistics.

    `family` is what its values are compared with, '' for types that are no keys. `filled` counts the rows
    that have a value. `distinct` is PostgreSQL's estimate of different values, 0 where there is none; `least`
    and `most` are bounds of numbers among the values that the statistics hold.
    """

    name: str
    type_name: str
    category: str
    full_type: str
    comment: str
    position: int
    filled: int
    distinct: float
    wide: bool
    common: tuple[str, ...]
    least: float | None
    most: float | None
    spoken: Name

    @property
    def family(self) -> str:
        """What values are compared with: 'number', 'text', 'uuid', 'float'; '' for other types."""
        return "" if self.wide else _FAMILIES.get(self.type_name, "")

    @property
    def quoted(self) -> str:
        """The name as SQL."""
        return quote_identifier(self.name)


@dataclass(frozen=True)
class Reference:
    """A foreign key that the catalog holds."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with its columns, its exact number of rows and the constraints it has.

    `sampled` when its statistics come from a part of its rows; `counted` is false where counting took too
    long and `rows` is an estimate.
    """

    schema: str
    name: str
    comment: str
    rows: int
    counted: bool
    columns: tuple[Column, ...]
    spoken: Name
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[Reference, ...] = ()

    @property
    def quoted(self) -> str:
        """The name with its schema, as SQL."""
        return f"{quote_identifier(self.schema)}.{quote_identifier(self.name)}"

    @property
    def sampled(self) -> bool:
        """Whether ANALYZE saw a part of the rows only."""
        return self.rows > ANALYZE_SAMPLE_ROWS

    def column(self, name: str) -> Column:
        """The column of a name that is there."""
        return next(c for c in self.columns if c.name == name)


ROWS_PER_ALLOWANCE: Final = 2_000_000
"""Rows for which a table is given its seconds once more."""
ANALYZE_SAMPLE_ROWS: Final = 30_000
"""Rows that ANALYZE reads at PostgreSQL's default statistics target."""
COLUMNS_PER_STATEMENT: Final = 400
"""Columns whose values are counted in one statement."""


@dataclass
class Budget:
    """Seconds that may be spent on each table, and column pairs that may be compared.

    `limits` collects one sentence on each that was reached.
    """

    seconds: float
    pairs: int
    limits: list[str] = field(default_factory=list)
    _allowed: dict[str, float] = field(default_factory=dict)
    _spent: dict[str, float] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def left(self, table: str) -> float:
        """Seconds that are left for a table."""
        return self.allowed(table) - self._spent.get(table, 0.0)

    def allowed(self, table: str) -> float:
        """Seconds that a table may take in all."""
        return self._allowed.get(table, self.seconds)

    def enlarge(self, table: str, rows: float) -> None:
        """Allow a large table more: as much again for each `ROWS_PER_ALLOWANCE` rows."""
        self._allowed[table] = self.seconds * (1 + max(0.0, rows) / ROWS_PER_ALLOWANCE)

    @contextmanager
    def spending(self, table: str) -> Iterator[None]:
        """Time in the block counts for the table."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._spent[table] = self._spent.get(table, 0.0) + time.monotonic() - began

    def say(self, sentence: str) -> None:
        """Tell of a limit, once."""
        if sentence not in self._said:
            self._said.add(sentence)
            self.limits.append(sentence)


class Reader:
    """Statements on a connection, each in a (sub)transaction of its own and within its table's budget.

    The connection may be in autocommit mode or in a transaction of the caller's: an error costs the statement
    only, and `statement_timeout` and `work_mem` are as before.
    """

    def __init__(self, connection: Connection, budget: Budget) -> None:
        self._connection = connection
        self._budget = budget

    @property
    def budget(self) -> Budget:
        """What may be spent."""
        return self._budget

    def rows(self, table: str, sql: str, parameters: Sequence[object] | None = None) -> list[Row] | None:
        """The rows of one statement; None when it failed, or when nothing is left of the table's time."""
        left = self._budget.left(table)
        if left <= 0:
            self._late(table)
            return None
        try:
            with self._budget.spending(table), self._connection.transaction():
                with self._connection.cursor(row_factory=tuple_row) as cursor:
                    cursor.execute(_SETTINGS)
                    before = cursor.fetchone()
                    cursor.execute(_SET_SETTINGS, (f"{int(left * 1000) + 1}ms", _WORK_MEM))
                    cursor.execute(sql.encode(), parameters)
                    found = cursor.fetchall() if cursor.description else []
                    cursor.execute(_SET_SETTINGS, before)
                return found
        except psycopg.errors.QueryCanceled:
            self._late(table)
        except psycopg.OperationalError:
            if self._connection.closed:
                raise
        except psycopg.Error as error:
            message = error.diag.message_primary or "a statement failed"
            self._budget.say(f"Table {table}: could not be read in full: {message}.")
        return None

    def _late(self, table: str) -> None:
        self._budget.say(
            f"Table {table}: the limit of {self._budget.allowed(table):.3g} s was reached; "
            "what was not examined by then is not reported."
        )


_SETTINGS: Final = (
    "SELECT pg_catalog.current_setting('statement_timeout'), pg_catalog.current_setting('work_mem')"
)
_SET_SETTINGS: Final = (
    "SELECT pg_catalog.set_config('statement_timeout', %s, true), pg_catalog.set_config('work_mem', %s, true)"
)
_WORK_MEM: Final = "128MB"
"""Working memory of a statement: keys of a few million rows are told apart without a file."""


def read_tables(
    connection: Connection, schema: str, reader: Reader, *, fresh: bool = True
) -> tuple[Table, ...]:
    """The tables of a schema: ANALYZE runs on each, and rows and values are counted.

    Without `fresh`, statistics are taken as they are and rows are estimated by them.

    Time is linear in tables × columns; a table whose counting takes longer than its budget is estimated.
    """
    with connection.cursor(row_factory=tuple_row) as cursor:
        named = cursor.execute(_TABLES, (schema,)).fetchall()
    for _, name, _ in named if fresh else ():
        reader.rows(name, f"ANALYZE {quote_identifier(schema)}.{quote_identifier(name)}")
    oids = [oid for oid, _, _ in named]
    with connection.cursor(row_factory=tuple_row) as cursor:
        columns = cursor.execute(_COLUMNS, (oids,)).fetchall()
        constraints = cursor.execute(_CONSTRAINTS, (oids,)).fetchall()
        estimates: dict[int, float] = dict(
            cursor.execute(
                "SELECT oid, reltuples FROM pg_catalog.pg_class WHERE oid = ANY (%s)", (oids,)
            ).fetchall()
        )
    for oid, name, _ in named:
        reader.budget.enlarge(name, estimates.get(oid, 0.0))
    return tuple(
        _table(
            schema,
            (name, comment or ""),
            [c for c in columns if c[0] == oid],
            [k for k in constraints if k[0] == oid],
            max(0, int(estimates.get(oid, 0))),
            reader if fresh else None,
        )
        for oid, name, comment in named
    )


def _table(
    schema: str,
    named: tuple[str, str],
    columns: Sequence[Row],
    constraints: Sequence[Row],
    estimate: int,
    reader: Reader | None,
) -> Table:
    name, comment = named
    quoted = f"{quote_identifier(schema)}.{quote_identifier(name)}"
    counts = _counts(quoted, name, [c[1] for c in columns], reader) if reader else []
    rows = counts[0] if counts else estimate
    filled = counts[1:] if counts else [int(rows * (1 - (c[8] or 0.0))) for c in columns]
    return Table(
        schema,
        name,
        comment,
        rows,
        bool(counts),
        tuple(_column(c, at, n, rows) for at, (c, n) in enumerate(zip(columns, filled, strict=True))),
        Name.of_table(name),
        next((tuple(k[3]) for k in constraints if k[1] == "p"), ()),
        tuple(tuple(k[3]) for k in constraints if k[1] == "u"),
        tuple(Reference(tuple(k[3]), k[2], tuple(k[4])) for k in constraints if k[1] == "f"),
    )


def _counts(quoted: str, name: str, columns: Sequence[str], reader: Reader) -> list[int]:
    """The number of rows, then of values in each column; [] when that was not possible."""
    found: list[int] = []
    for at in range(0, max(1, len(columns)), COLUMNS_PER_STATEMENT):
        counted = [
            "count(*)",
            *(f"count({quote_identifier(c)})" for c in columns[at : at + COLUMNS_PER_STATEMENT]),
        ]
        rows = reader.rows(name, f"SELECT {', '.join(counted)} FROM {quoted}")
        if rows is None:
            return []
        found += rows[0] if at == 0 else rows[0][1:]
    return found


def _column(row: Row, position: int, filled: int, rows: int) -> Column:
    _, name, type_name, category, full_type, comment, distinct, width, _, common, first, last = row
    common = tuple(v for v in common or () if v is not None)
    different = float(distinct or 0.0)
    bounds = [*common, *(v for v in (first, last) if v is not None)] if type_name in _NUMBERS else []
    numbers = [float(v) for v in bounds]
    return Column(
        name,
        type_name,
        category,
        full_type,
        comment or "",
        position,
        filled,
        -different * rows if different < 0 else different,
        (width or 0) > _MAX_KEY_BYTES,
        common,
        min(numbers, default=None),
        max(numbers, default=None),
        Name.of(name),
    )
