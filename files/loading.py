"""Relations into tables of PostgreSQL, in one transaction for each file.

Owns: making tables, streaming their rows, and putting new tables where old ones were.

DuckDB writes rows as CSV into a pipe, and COPY takes them from there; this process passes bytes on and holds
no row. Other sessions see the old tables or the new ones: those are made beside them and renamed at the end.
"""

from __future__ import annotations

import os
import re
import select
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from askwire.core.errors import UnreadableFile
from askwire.files.formats.declared_keys import declare_keys
from askwire.files.formats.locked_duckdb import pipe_path
from askwire.files.formats.relation import Reject, Relation, quoted
from askwire.files.inference import Column, infer_columns
from askwire.files.names import free_name, plain_name, unique_names

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from psycopg import Connection

MOST_COLUMNS: Final = 1_600
"""Columns of a table in PostgreSQL."""

_CHUNK_BYTES: Final = 1 << 18
_MOST_RETRIES: Final = 20

Progress = Callable[[str, int, int], None]
"""Called with a table's name, bytes done and bytes in all, 0 where that is unknown."""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table that lies in PostgreSQL now. `notes` are sentences on how it was read."""

    schema: str
    name: str
    original: str
    rows: int
    columns: int
    notes: tuple[str, ...] = ()
    rejects: tuple[Reject, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Pipe:
    """Both ends of the pipe between DuckDB and COPY."""

    read: int
    write: int


@contextmanager
def open_pipe() -> Iterator[Pipe]:
    """A pipe that is closed at the end."""
    read, write = os.pipe()
    try:
        os.set_blocking(read, False)
        yield Pipe(read, write)
    finally:
        os.close(read)
        os.close(write)


def load_relations(
    connection: Connection[Any],
    duckdb: DuckDBPyConnection,
    relations: Sequence[Relation],
    *,
    schema: str,
    before: Mapping[str, str],
    taken: set[str],
    named: str,
    pipe: Pipe,
    progress: Progress,
) -> list[LoadedTable]:
    """Make the tables of a file, inside the caller's transaction.

    `before` are the tables this file has in the schema already, by original name: they are replaced, and
    those without a relation are dropped. `taken` are the names of all other tables there. Raises
    UnreadableFile, and then the caller rolls back.
    """
    import psycopg  # noqa: PLC0415 - an extra

    loaded = []
    names: dict[str, str] = {}
    try:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
        for number, relation in enumerate(relations):
            _check_width(relation, named)
            wanted = plain_name(relation.original, fallback="data", table=True)
            used = {*taken, *names.values()}
            name = before.get(relation.original) or free_name(wanted, {*used, *before.values()})
            names[relation.original] = name
            making = free_name(f"loading_{number}", used)
            table = _load(connection, duckdb, relation, schema, making, pipe, progress, named)
            loaded.append(replace(table, name=name))
            _replace(connection, schema, making, name, exists=name in before.values())
        for name in set(before.values()) - set(names.values()):
            connection.execute(f"DROP TABLE IF EXISTS {quoted(schema)}.{quoted(name)}")
        broken = declare_keys(connection, schema, relations, names)
        loaded = [replace(table, notes=(*table.notes, *broken.get(table.original, ()))) for table in loaded]
    except psycopg.errors.DependentObjectsStillExist as error:
        raise UnreadableFile(
            f"{named!r} has other columns now, and views use the table: {error.diag.message_detail}",
            hint="Drop the views; the table keeps its rows until then.",
        ) from None
    except psycopg.errors.DiskFull:
        raise UnreadableFile(
            f"the disk is full; {named!r} is not loaded", hint="Free some space and run again."
        ) from None
    except psycopg.errors.ProgramLimitExceeded as error:
        raise UnreadableFile(
            f"{named!r} has rows that are too wide for PostgreSQL ({error.diag.message_primary})",
            hint="Leave out columns, or turn them into rows of a name and a value.",
        ) from None
    return loaded


def _check_width(relation: Relation, named: str) -> None:
    if len(relation.fields) > MOST_COLUMNS:
        raise UnreadableFile(
            f"{named!r} has {len(relation.fields):,} columns, and a table of PostgreSQL has at most "
            f"{MOST_COLUMNS:,}",
            hint="Leave out columns, or turn them into rows of a name and a value.",
        )


def _load(
    connection: Connection[Any],
    duckdb: DuckDBPyConnection,
    relation: Relation,
    schema: str,
    name: str,
    pipe: Pipe,
    progress: Progress,
    named: str,
) -> LoadedTable:
    """Make one table under a passing name and fill it."""
    import psycopg  # noqa: PLC0415 - an extra

    progress(relation.original, 0, relation.size)
    columns = list(infer_columns(duckdb, relation))
    names = unique_names([column.original for column in columns], fallback="column")
    table = f"{quoted(schema)}.{quoted(name)}"
    for _ in range(_MOST_RETRIES):
        try:
            with connection.transaction():
                listed = ", ".join(
                    f"{quoted(each)} {column.type}" for each, column in zip(names, columns, strict=True)
                )
                connection.execute(f"CREATE TABLE {table} ({listed})".encode())
                rows, zeros = _copy(connection, duckdb, relation, columns, table, pipe, progress)
        except (psycopg.DataError, psycopg.errors.InvalidDatetimeFormat) as error:
            # A value that fits by its form and is none to PostgreSQL: the column stays text.
            place = re.search(r"line \d+, column (.+?)(?::|$)", error.diag.context or "")
            number = names.index(place[1]) if place and place[1] in names else -1
            if number < 0 or columns[number].type == "text":
                raise UnreadableFile(
                    f"PostgreSQL cannot take a value of {named!r}: {error.diag.message_primary} "
                    f"({error.diag.context})",
                    hint="Correct it there.",
                ) from None
            was = columns[number]
            note = f"stays text: {error.diag.message_primary}"
            columns[number] = Column(was.original, "text", was.value, "CAST({v} AS VARCHAR)", note=note)
        else:
            break
    for each, column in zip(names, columns, strict=True):
        _comment(connection, f"COLUMN {table}.{quoted(each)}", _described(column, each))
    _comment(connection, f"TABLE {table}", relation.original)
    rejects = tuple(relation.rejects())
    notes = [*relation.notes]
    notes += [f"{each}: {column.note}" for each, column in zip(names, columns, strict=True) if column.note]
    if zeros:
        left_out = "1 NUL character is" if zeros == 1 else f"{zeros:,} NUL characters are"
        notes.append(f"{left_out} left out; PostgreSQL's text has none")
    return LoadedTable(schema, name, relation.original, rows, len(columns), tuple(notes), rejects)


def _copy(
    connection: Connection[Any],
    duckdb: DuckDBPyConnection,
    relation: Relation,
    columns: Sequence[Column],
    table: str,
    pipe: Pipe,
    progress: Progress,
) -> tuple[int, int]:
    """Stream the rows of a relation; returns their number, and that of NUL characters left out."""
    values = ", ".join(f"{column.value} AS v{number}" for number, column in enumerate(columns))
    outer = ", ".join(column.rewritten.replace("{v}", f"v{number}") for number, column in enumerate(columns))
    query = (
        f"COPY (SELECT {outer} FROM (SELECT {values} FROM {relation.scan})) TO '{pipe_path(pipe.write)}' "
        "(FORMAT csv, HEADER false, USE_TMP_FILE false)"
    )
    writer = _Writer(duckdb, query)
    done, zeros = 0, 0
    with connection.cursor() as cursor:
        try:
            with cursor.copy(f"COPY {table} FROM STDIN (FORMAT csv, FREEZE)".encode()) as copy, writer:
                for piece in writer.pieces(pipe.read):
                    if b"\0" in piece:
                        zeros += piece.count(b"\0")
                        piece = piece.replace(b"\0", b"")  # noqa: PLW2901
                    copy.write(piece)
                    done += len(piece)
                    progress(relation.original, done, max(done, relation.size))
        finally:
            writer.stop(pipe.read)
        return cursor.rowcount, zeros


class _Writer:
    """DuckDB writing into the pipe, in a thread of its own."""

    def __init__(self, duckdb: DuckDBPyConnection, query: str) -> None:
        self._duckdb = duckdb
        self._query = query
        self._ended, self._ending = os.pipe()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._write, name="duckdb writer", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """The caller stops it, when COPY has ended too."""

    def _write(self) -> None:
        try:
            self._duckdb.execute(self._query)
        except Exception as error:  # noqa: BLE001 - it is raised where the pieces are read
            self._error = error
        finally:
            os.write(self._ending, b".")

    def pieces(self, read: int) -> Iterator[bytes]:
        """What DuckDB writes, until it has ended; raises what made it fail."""
        ended = False
        while not ended:
            ready, _, _ = select.select([read, self._ended], [], [])
            ended = self._ended in ready
            with suppress(BlockingIOError):
                while piece := os.read(read, _CHUNK_BYTES):
                    yield piece
        if self._error is not None:
            raise self._error

    def stop(self, read: int) -> None:
        """End it if it still writes, and leave the pipe empty."""
        if self._thread.ident is not None:
            while self._thread.is_alive():
                self._duckdb.interrupt()
                with suppress(BlockingIOError):
                    while os.read(read, _CHUNK_BYTES):
                        pass
                self._thread.join(0.02)
        os.close(self._ended)
        os.close(self._ending)


def _described(column: Column, name: str) -> str:
    """The comment of a column: its name in the file, where that is another one, and its unit."""
    unit = {"%": "percent"}.get(column.unit, column.unit)
    if unit and unit not in column.original:
        return f"{column.original} (in {unit})"
    return column.original if column.original != name else ""


def _comment(connection: Connection[Any], on: str, text: str) -> None:
    if text:
        constant = "E'" + text.replace("\\", "\\\\").replace("'", "''").replace("\0", "") + "'"
        connection.execute(f"COMMENT ON {on} IS {constant}".encode())


def _replace(connection: Connection[Any], schema: str, making: str, name: str, *, exists: bool) -> None:
    """Put a new table where the old one is, which other sessions read until the transaction commits.

    Views of the user's on the old table stay: where they exist and the columns are the same, the rows move.
    """
    import psycopg  # noqa: PLC0415 - an extra

    new, old = f"{quoted(schema)}.{quoted(making)}", f"{quoted(schema)}.{quoted(name)}"
    if exists:
        # References to the old table are found again in the new data.
        _drop_constraints(connection, "confrelid", old)
        try:
            with connection.transaction():
                connection.execute(f"DROP TABLE IF EXISTS {old}".encode())
        except psycopg.errors.DependentObjectsStillExist:
            if _shape(connection, old) != _shape(connection, new):
                raise
            _drop_constraints(connection, "conrelid", old)  # the new rows may not keep them
            connection.execute(f"TRUNCATE {old}".encode())
            connection.execute(f"INSERT INTO {old} SELECT * FROM {new}".encode())
            connection.execute(f"DROP TABLE {new}".encode())
            return
    connection.execute(f"ALTER TABLE {new} RENAME TO {quoted(name)}".encode())


def _drop_constraints(connection: Connection[Any], side: str, table: str) -> None:
    """Drop a table's keys (side `conrelid`) or the references to it (side `confrelid`)."""
    statements = connection.execute(
        "SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname) "
        "FROM pg_constraint WHERE contype IN ('p', 'u', 'f') "
        f"AND {side} = to_regclass(%s)".encode(),
        [table],
    ).fetchall()
    for (statement,) in statements:
        connection.execute(statement.encode())


def _shape(connection: Connection[Any], table: str) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT attname, atttypid FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 "
        "AND NOT attisdropped ORDER BY attnum",
        [table],
    ).fetchall()
