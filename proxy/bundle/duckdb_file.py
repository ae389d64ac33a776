"""A bundle as a DuckDB database: tables, the queries as views, and what DuckDB makes of them.

Owns: PostgreSQL's types and texts in DuckDB, and the names by which queries reach the tables.

DuckDB is another system: a query may fail there, or say something else than PostgreSQL. So each one is tried,
and the file says what came of it.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askwire.core.errors import ConfigurationError
from askwire.core.types import Cell
from askwire.files.formats.locked_duckdb import first_line
from askwire.files.formats.relation import literal, quoted
from askwire.files.names import free_name
from askwire.proxy.bundle.contents import Bundle, references, reservations
from askwire.selector.instances.presentation.script import ScriptColumn, ScriptTable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from sqlglot.expressions import Expr

_DEFAULT_SCHEMA: Final = "main"
"""The schema of DuckDB in which names without a schema are looked up."""

_RUN_TIMEOUT_SECONDS: Final = 5.0

_TYPES: Final[Mapping[str, str]] = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "interval": "INTERVAL",
    "uuid": "UUID",
    "json": "JSON",
    "jsonb": "JSON",
    "bytea": "BLOB",
}
_WITH_PRECISION: Final = (
    (re.compile(r"timestamp(\(\d\))? without time zone"), "TIMESTAMP"),
    (re.compile(r"timestamp(\(\d\))? with time zone"), "TIMESTAMPTZ"),
    (re.compile(r"time(\(\d\))? without time zone"), "TIME"),
)
_TEXT: Final = "VARCHAR"
_NUMERIC: Final = re.compile(r"numeric(?:\((\d+),(\d+)\))?")
_PLAIN_NUMBER: Final = re.compile(r"-?(\d+)(?:\.(\d+))?")
_MAX_DIGITS: Final = 38


def write_duckdb(bundle: Bundle, path: Path) -> None:
    """Write a new database; raises ConfigurationError for tables that DuckDB cannot hold.

    Tables that a query reaches without a schema stand in `main`, others in their own schema. Further tables
    are README (its lines) and queries (both texts, and why DuckDB cannot run one); the views query_1, query_2
    and so on are the queries that run.
    """
    import duckdb  # noqa: PLC0415 - 100 ms, and an extra

    off: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "threads": "1",
    }
    with duckdb.connect(str(path), config=off) as connection:
        homes = {(t.schema, t.name): _DEFAULT_SCHEMA if t.on_path else t.schema for t in bundle.tables}
        homes |= {(v.schema, v.name): _DEFAULT_SCHEMA if v.on_path else v.schema for v, _ in bundle.views}
        try:
            for schema in {*homes.values()} - {_DEFAULT_SCHEMA}:
                connection.execute(f"CREATE SCHEMA {quoted(schema)}")
            for table in bundle.tables:
                _write_table(connection, table, homes[table.schema, table.name])
        except duckdb.Error as error:
            raise ConfigurationError(
                f"DuckDB cannot hold the rows: {first_line(error)}",
                hint="Name a .zip file or a folder instead.",
            ) from None
        taken = {name.lower() for (_, name), home in homes.items() if home == _DEFAULT_SCHEMA}
        _write_queries(connection, bundle, homes, taken)


def _write_table(connection: DuckDBPyConnection, table: ScriptTable, home: str) -> None:
    types = [
        _type(connection, column, [row[number] for row in table.rows])
        for number, column in enumerate(table.columns)
    ]
    definitions = [f"{quoted(c.name)} {kind}" for c, kind in zip(table.columns, types, strict=True)]
    if table.primary_key:
        definitions.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})")
    name = f"{quoted(home)}.{quoted(table.name)}"
    connection.execute(f"CREATE TABLE {name} ({', '.join(definitions)})")
    values = ", ".join(map(_read, types))
    for row in table.rows:
        connection.execute(f"INSERT INTO {name} VALUES ({values})", list(row))


def _type(connection: DuckDBPyConnection, column: ScriptColumn, cells: Sequence[Cell]) -> str:
    """The type in DuckDB that holds these values; text where there is none, or where it refuses one."""
    import duckdb  # noqa: PLC0415 - an extra

    wanted = _same_type(column, [cell for cell in cells if cell is not None])
    try:
        for cell in cells:
            connection.execute(f"SELECT {_read(wanted)}", [cell])
    except duckdb.Error:
        return _TEXT
    return wanted


def _same_type(column: ScriptColumn, values: Sequence[str]) -> str:
    if column.labels:
        return f"ENUM({', '.join(map(literal, column.labels))})"
    if number := _NUMERIC.fullmatch(column.type):
        if number[1] and int(number[2]) <= int(number[1]) <= _MAX_DIGITS:
            return f"DECIMAL({number[1]},{number[2]})"
        return _decimal(values)
    for pattern, kind in _WITH_PRECISION:
        if pattern.fullmatch(column.type):
            return kind
    return _TYPES.get(column.type, _TEXT)


def _decimal(values: Sequence[str]) -> str:
    """A decimal type that holds these numbers without loss, or DOUBLE."""
    read = [_PLAIN_NUMBER.fullmatch(value) for value in values]
    numbers = [match for match in read if match]
    scale = max((len(match[2] or "") for match in numbers), default=0)
    digits = scale + max((len(match[1]) for match in numbers), default=1)
    if len(numbers) < len(read) or digits > _MAX_DIGITS:
        return "DOUBLE"
    return f"DECIMAL({max(digits, 18)},{scale})"


def _read(kind: str) -> str:
    """An expression that reads PostgreSQL's text of a value from a parameter."""
    return "unhex(substr(CAST(? AS VARCHAR), 3))" if kind == "BLOB" else f"CAST(? AS {kind})"


# --- queries


def _write_queries(
    connection: DuckDBPyConnection,
    bundle: Bundle,
    homes: Mapping[tuple[str, str], str],
    taken: set[str],
) -> None:
    import duckdb  # noqa: PLC0415 - an extra

    for view, definition in bundle.views:
        name = f"{quoted(homes[view.schema, view.name])}.{quoted(view.name)}"
        try:
            connection.execute(f"CREATE VIEW {name} AS {_translated(definition, bundle, homes)}")
        except (duckdb.Error, ValueError):
            continue  # the queries that read it say so
    lines, told, answers = [], [], []
    for number, sql in enumerate(bundle.queries, 1):
        view_name = free_name(f"query_{number}", taken)
        in_duckdb, problem = "", ""
        try:
            in_duckdb = _translated(sql, bundle, homes)
            connection.execute(f"CREATE VIEW {quoted(view_name)} AS {in_duckdb}")
            if not bundle.masked:
                with _ended_in_time(connection):
                    rows = connection.execute(
                        f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {quoted(view_name)}"
                    ).fetchall()
                answers.append(rows)
        except (duckdb.Error, ValueError) as error:
            problem = first_line(error)
            connection.execute(f"DROP VIEW IF EXISTS {quoted(view_name)}")
        if problem:
            told.append(f"DuckDB cannot run query {number}: {problem}. Run it in PostgreSQL.")
        elif not bundle.masked:
            told.append(f"Query {number} runs in DuckDB: FROM {view_name};")
        lines.append((number, sql, in_duckdb, problem))
    if len(answers) == len(bundle.queries):
        told.append(_compared(answers, ordered=bundle.ordered))
    queries = quoted(free_name("queries", taken))
    connection.execute(
        f"CREATE TABLE {queries} (number INTEGER, postgresql VARCHAR, duckdb VARCHAR, problem VARCHAR)"
    )
    connection.executemany(f"INSERT INTO {queries} VALUES (?, ?, ?, nullif(?, ''))", lines)
    readme = f"{bundle.findings}\n{''.join(line + chr(10) for line in told)}\n"
    readme += f"{references(bundle.tables)}{reservations(bundle)}"
    name = quoted("README" if "readme" not in taken else free_name("readme", taken))
    connection.execute(f"CREATE TABLE {name} (line INTEGER, text VARCHAR)")
    connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", list(enumerate(readme.splitlines(), 1)))


def _compared(answers: Sequence[Sequence[tuple[Any, ...]]], *, ordered: bool) -> str:
    different = len({str(rows if ordered else sorted(Counter(map(str, rows)).items())) for rows in answers})
    if different == len(answers):
        return "DuckDB gives a different result for each of them."
    return (
        f"DuckDB gives {different} different result{'' if different == 1 else 's'} for the {len(answers)} "
        "queries; PostgreSQL's are above."
    )


@contextmanager
def _ended_in_time(connection: DuckDBPyConnection) -> Iterator[None]:
    """Interrupt what runs too long; DuckDB then raises an error."""
    timer = threading.Timer(_RUN_TIMEOUT_SECONDS, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _translated(sql: str, bundle: Bundle, homes: Mapping[tuple[str, str], str]) -> str:
    """A query in DuckDB's SQL, with the schemas that the tables have there.

    `SELECT id / 2 FROM public.t` → `SELECT id // 2 FROM main.t`. Raises ValueError when it cannot be read.
    """
    from sqlglot import exp, parse_one  # noqa: PLC0415 - loading it costs more than most commands need
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        tree = parse_one(sql, read="postgres")
        if tree.find(exp.Div):
            tree = _with_types(tree, bundle)
        for table in tree.find_all(exp.Table):
            if table.db and (home := homes.get((table.db, table.name))):
                table.set("db", exp.to_identifier(home, quoted=True))
        for column in tree.find_all(exp.Column):
            if column.db and (home := homes.get((column.db, column.table))):
                column.set("db", exp.to_identifier(home, quoted=True))
        return tree.sql(dialect="duckdb")
    except SqlglotError as error:
        raise ValueError(str(error)) from None


def _with_types(tree: Expr, bundle: Bundle) -> Expr:
    """The query with the types of its expressions: a division of integers is another operator in DuckDB."""
    from sqlglot.errors import SqlglotError  # noqa: PLC0415
    from sqlglot.optimizer.annotate_types import annotate_types  # noqa: PLC0415
    from sqlglot.optimizer.qualify import qualify  # noqa: PLC0415

    schema: dict[str, object] = {}
    for table in bundle.tables:
        if table.on_path:
            schema[table.name] = {column.name: column.type for column in table.columns}
    try:
        qualified = qualify(
            tree.copy(),
            dialect="postgres",
            schema=schema,
            validate_qualify_columns=False,
            quote_identifiers=False,
        )
        return annotate_types(qualified, schema=schema, dialect="postgres")
    except SqlglotError:
        return tree
