"""The way from a data file to relations, for every kind that DuckDB can scan in the end.

Owns: which reader reads which kind, and what DuckDB may open for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askwire.core.errors import UnreadableFile
from askwire.files.formats.cell_files import sheet_relations, sqlite_relations
from askwire.files.formats.csv_files import csv_relation, has_long_lines, take_rejects
from askwire.files.formats.declared_keys import duckdb_keys
from askwire.files.formats.json_files import is_json_lines, json_relations, longest_value, whole_lines
from askwire.files.formats.locked_duckdb import MEMORY_MB, first_line, locked_duckdb
from askwire.files.formats.nested import flat_relations
from askwire.files.formats.relation import Reject, Relation, TextContent, literal, quoted
from askwire.files.formats.text_encoding import as_utf8
from askwire.files.sources import Kind

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LONG_LINES_MB: Final = 500
"""Memory for files whose lines have more than 2 MB."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that is open for DuckDB: its relations, on a connection that may write to `pipe` as well."""

    connection: DuckDBPyConnection
    relations: tuple[Relation, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What DuckDB is allowed to open for a file, and how its relations are read then."""

    readable: tuple[Path, ...]
    relations: Callable[[DuckDBPyConnection], list[Relation]]
    database: Path | None = None
    memory_mb: int = MEMORY_MB
    notes: tuple[str, ...] = ()


@contextmanager
def reading(
    path: Path, kind: Kind, original: str, scratch: Path, *, named: str, pipe: int, encoding: str = ""
) -> Iterator[OpenFile]:
    """Open one file. `original` names its table where the file does not; `named` is the file to the user.

    Raises UnreadableFile where it cannot be read.
    """
    plan = _plan(path, kind, original, scratch, named=named, encoding=encoding)
    connection = locked_duckdb(
        plan.readable, scratch, pipe=pipe, database=plan.database, memory_mb=plan.memory_mb
    )
    import duckdb  # noqa: PLC0415 - an extra, loaded by now

    try:
        relations = tuple(plan.relations(connection))
        yield OpenFile(connection, relations, plan.notes)
    except duckdb.Error as error:
        raise UnreadableFile(
            f"{named!r} cannot be read as {kind.value}: {first_line(error).replace(str(path), named)}",
            hint="Check the file, or leave it out.",
        ) from None
    finally:
        connection.close()


def _plan(path: Path, kind: Kind, original: str, scratch: Path, *, named: str, encoding: str) -> Plan:
    if kind is Kind.CSV:
        return _csv(path, original, scratch, named=named, encoding=encoding)
    if kind is Kind.JSON:
        return _json(path, original, scratch, named=named, encoding=encoding)
    if kind is Kind.PARQUET:
        return Plan((path,), lambda connection: _parquet(connection, path, original))
    if kind is Kind.ARROW:
        copy = _as_parquet(path, scratch, named=named)
        return Plan((copy,), lambda connection: _parquet(connection, copy, original))
    if kind is Kind.DUCKDB:
        return Plan((path,), _duckdb_tables, database=path)
    reader = {Kind.WORKBOOK: sheet_relations, Kind.SQLITE: sqlite_relations}[kind]
    relations = reader(path, scratch, original, named=named)
    if not relations:
        raise UnreadableFile(f"{named!r} holds no table", hint="Nothing can be asked of it.")
    written = tuple(sorted(scratch.glob("*.csv")))
    return Plan(written, lambda _: relations, memory_mb=_LONG_LINES_MB)


def _csv(path: Path, original: str, scratch: Path, *, named: str, encoding: str) -> Plan:
    text = as_utf8(path, scratch, encoding=encoding)
    notes = (text.note,) if text.note else ()
    long_lines = has_long_lines(text.path)

    def relations(connection: DuckDBPyConnection) -> list[Relation]:
        relation = csv_relation(text.path, original, named=named, notes=notes, long_lines=long_lines)
        return [replace(relation, rejects=lambda: take_rejects(connection, long_lines=long_lines))]

    return Plan((text.path,), relations, memory_mb=_LONG_LINES_MB if long_lines else MEMORY_MB)


def _json(path: Path, original: str, scratch: Path, *, named: str, encoding: str) -> Plan:
    text = as_utf8(path, scratch, encoding=encoding)
    rejects: list[Reject] = []
    file = text.path
    lines = is_json_lines(file)
    if lines:
        file, rejects = whole_lines(file, scratch)
    longest = longest_value(file, lines=lines, named=named)

    def relations(connection: DuckDBPyConnection) -> list[Relation]:
        first, *others = json_relations(connection, file, original, named=named, longest=longest)
        first = replace(first, notes=(text.note,) if text.note else (), rejects=lambda: rejects)
        return [first, *others]

    return Plan((file,), relations, memory_mb=_LONG_LINES_MB + 4 * (longest >> 20))


def _parquet(connection: DuckDBPyConnection, path: Path, original: str) -> list[Relation]:
    scan = f"read_parquet({literal(str(path))})"
    numbered = f'(SELECT *, row_number() OVER () AS "row number" FROM {scan})'
    relations = flat_relations(connection, original, scan, row="", spelled=TextContent.TEXT)
    if len(relations) > 1 and any(
        "row" in field.original and not field.expression for field in relations[0].fields
    ):
        relations = flat_relations(
            connection, original, numbered, row='"row number"', spelled=TextContent.TEXT
        )
    return relations


def _duckdb_tables(connection: DuckDBPyConnection) -> list[Relation]:
    tables = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' AND NOT internal "
        "ORDER BY schema_name, table_name"
    ).fetchall()
    keys = duckdb_keys(connection)
    relations: list[Relation] = []
    for schema, table in tables:
        scan = f"source.{quoted(schema)}.{quoted(table)}"
        before = "" if schema == "main" else f"{schema} "
        first, *others = flat_relations(
            connection, before + table, scan, row="rowid + 1", spelled=TextContent.TEXT
        )
        declared = tuple(
            replace(key, target=before + key.target) if key.target else key
            for key in keys.get((schema, table), ())
        )
        relations += [replace(first, keys=declared), *others]
    if not relations:
        raise UnreadableFile(
            "the DuckDB file holds no table", hint="Views are not read; make tables of them."
        )
    return relations


def _as_parquet(path: Path, scratch: Path, *, named: str) -> Path:
    with path.open("rb") as bytes_of:
        first_version = bytes_of.read(4) == b"FEA1"
    if first_version:
        raise UnreadableFile(
            f"{named!r} is Feather of the first version", hint="Save it as Parquet, or as Feather once more."
        )
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore] # noqa: PLC0415
        from pyarrow import ipc, parquet  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415
    except ImportError:
        raise UnreadableFile(
            f"{named!r} is an Arrow file, and reading it needs the library pyarrow",
            hint="Install it: pip install 'askwire[arrow]', or save the file as Parquet.",
        ) from None
    copy = scratch / "arrow.parquet"
    try:
        with pyarrow.memory_map(str(path)) as source:
            if source.read(6) == b"ARROW1":
                with ipc.open_file(source) as file, parquet.ParquetWriter(copy, file.schema) as writer:
                    for number in range(file.num_record_batches):
                        writer.write_batch(file.get_batch(number))
            else:
                source.seek(0)
                with ipc.open_stream(source) as stream, parquet.ParquetWriter(copy, stream.schema) as writer:
                    for batch in stream:
                        writer.write_batch(batch)
    except pyarrow.ArrowException as error:
        raise UnreadableFile(f"{named!r} cannot be read as Arrow: {first_line(error)}") from None
    return copy
