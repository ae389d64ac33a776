"""Data files that a user named, as tables of one database.

Owns: the order of work, schemas, what is loaded again, and the report.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from askwire.core.errors import UnreadableFile
from askwire.files.formats.readers import reading
from askwire.files.formats.relation import Reject, quoted
from askwire.files.formats.unpacking import unpack
from askwire.files.ledger import Entry, Ledger, state_of
from askwire.files.loading import LoadedTable, Pipe, Progress, load_relations, open_pipe
from askwire.files.names import plain_name
from askwire.files.scripts import Programs, move_database, restore_archive, run_script
from askwire.files.sources import Kind, Source, Sources, find_sources, kind_of, stem_of

if TYPE_CHECKING:
    from psycopg import Connection

DEFAULT_SCHEMA: Final = "public"
_SCRIPTED: Final = (Kind.SCRIPT, Kind.ARCHIVE)
_MOST_NAME_BYTES: Final = 200
"""Bytes of a file's name that are part of the name of another file; most systems allow 255 in all."""


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """One file that lies in PostgreSQL. `fresh` says that it was read now; `unread` counts lost lines.

    `rejects` is the file that keeps those lines, None without any.
    """

    path: Path
    tables: tuple[LoadedTable, ...]
    fresh: bool
    unread: int = 0
    rejects: Path | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table that is there from an earlier load, and the file it came from."""

    schema: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of the named files: loaded ones, and a sentence for each that was not.

    `kept` are tables of files that were loaded before and are not named now.
    """

    loaded: tuple[LoadedFile, ...] = ()
    failed: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    schemas: tuple[str, ...] = (DEFAULT_SCHEMA,)
    kept: tuple[KeptTable, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether any file was read now."""
        return any(one.fresh for one in self.loaded)


class Connect(Protocol):
    """Opens a connection to the database of the files, or to a named one beside it."""

    def __call__(self, database: str = "") -> Connection[Any]:
        """A new connection. Raises psycopg.OperationalError."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Where data files go: a database, and a folder of ours for the ledger, scratch files and lost lines.

    `connect` opens a connection as the role that shall own the tables, to this database or another of the
    server. `programs` run SQL scripts; without them, scripts are refused.
    """

    paths: tuple[str, ...]
    folder: Path
    connect: Connect
    programs: Programs | None
    encoding: str = ""
    progress: Progress = field(default=lambda _table, _done, _total: None)

    def load(self) -> Report:
        """Load what is new or changed; each file is one transaction.

        Raises UnreadableFile when the paths name no data, or when nothing at all could be loaded.
        """
        sources = find_sources(self.paths)
        groups = sorted({source.group for source in sources.found})
        ledger = Ledger.read(self.folder)
        loaded: list[LoadedFile] = []
        failed: list[UnreadableFile] = []
        # Scripts bring their own names; what else there is makes room for them.
        ordered = sorted(sources.found, key=lambda source: source.kind not in _SCRIPTED)
        with self.connect() as connection:
            connection.autocommit = True
            for source in ordered:
                schema = _schema_of(source, groups)
                try:
                    loaded.append(self._load(connection, source, schema, ledger))
                except UnreadableFile as error:
                    failed.append(error)
            schemas = _schemas(connection)
            kept = _kept(ledger, sources, _all_tables(connection))
            connection.execute(
                f"ALTER DATABASE {quoted(connection.info.dbname)} SET search_path = "
                f"{', '.join(map(quoted, schemas))}".encode()
            )
        if not loaded and failed:
            raise failed[0]
        sentences = tuple(f"{error.message}. {error.hint}".strip() for error in failed)
        return Report(tuple(loaded), sentences, sources.passed_over, schemas, kept)

    def changed(self) -> bool:
        """Whether a file is new or changed since it was loaded. Raises UnreadableFile for one it lacks."""
        ledger = Ledger.read(self.folder)
        sources = find_sources(self.paths).found
        groups = sorted({source.group for source in sources})
        for source in sources:
            try:
                state = state_of(source.path)
            except OSError as error:
                raise _cannot_read(source, error) from None
            if ledger.unchanged(source.path, state, _schema_of(source, groups)) is None:
                return True
        return False

    def _load(self, connection: Connection[Any], source: Source, schema: str, ledger: Ledger) -> LoadedFile:
        try:
            state = state_of(source.path)
        except OSError as error:
            raise _cannot_read(source, error) from None
        path = os.path.abspath(source.path)
        known = ledger.unchanged(source.path, state, schema)
        if known is not None:
            scripted = source.kind in _SCRIPTED
            tables = tuple(
                LoadedTable(
                    _schema_in_script(original, name) if scripted else schema,
                    name,
                    original,
                    known.rows if len(known.tables) == 1 else -1,
                    0,
                )
                for original, name in known.tables.items()
            )
            return LoadedFile(source.path, tables, fresh=False, unread=known.unread)
        before = ledger.entries.get(path)
        try:
            if source.kind in _SCRIPTED:
                loaded = self._run(connection, source, before)
            else:
                loaded = self._read(connection, source, schema, ledger, before)
        except OSError as error:
            raise _out_of_reach(source.path, error) from None
        ledger.entries[path] = Entry(
            state,
            schema,
            {table.original: table.name for table in loaded.tables},
            sum(table.rows for table in loaded.tables),
            loaded.unread,
        )
        ledger.write()
        return loaded

    def _read(
        self, connection: Connection[Any], source: Source, schema: str, ledger: Ledger, before: Entry | None
    ) -> LoadedFile:
        tables: list[LoadedTable] = []
        notes: list[str] = []
        had = dict(before.tables) if before is not None and before.schema == schema else {}
        mine = set(had.values())
        with self._scratch() as scratch, open_pipe() as pipe, connection.transaction():
            if before is not None and before.schema != schema:
                for name in before.tables.values():
                    connection.execute(
                        f"DROP TABLE IF EXISTS {quoted(before.schema)}.{quoted(name)}".encode()
                    )
            taken = _tables_in(connection, schema) - mine
            for path, kind, original, named in _parts(source, scratch, notes):
                inner = Path(tempfile.mkdtemp(dir=scratch))
                part = {
                    key: name for key, name in had.items() if name not in {table.name for table in tables}
                }
                tables += self._read_part(
                    connection,
                    path,
                    kind,
                    original,
                    inner,
                    schema=schema,
                    had=part,
                    taken=taken,
                    named=named,
                    pipe=pipe,
                    notes=notes,
                    only=source.kind is not Kind.PACKED,
                )
                taken |= {table.name for table in tables}
                shutil.rmtree(inner, ignore_errors=True)
            for name in mine - {table.name for table in tables}:
                connection.execute(f"DROP TABLE IF EXISTS {quoted(schema)}.{quoted(name)}".encode())
        if not tables:
            raise UnreadableFile(f"there is no data in {str(source.path)!r}", hint="; ".join(notes))
        for table in tables:
            connection.execute(f"ANALYZE {quoted(table.schema)}.{quoted(table.name)}".encode())
        rejects = [(table.name, reject) for table in tables for reject in table.rejects]
        kept = self._keep(source, rejects)
        return LoadedFile(source.path, tuple(tables), True, len(rejects), kept, tuple(notes))

    def _read_part(
        self,
        connection: Connection[Any],
        path: Path,
        kind: Kind,
        original: str,
        scratch: Path,
        *,
        schema: str,
        had: dict[str, str],
        taken: set[str],
        named: str,
        pipe: Pipe,
        notes: list[str],
        only: bool,
    ) -> list[LoadedTable]:
        with reading(
            path, kind, original, scratch, named=named, pipe=pipe.write, encoding=self.encoding
        ) as opened:
            notes += opened.notes
            wanted = {relation.original for relation in opened.relations}
            before = had if only else {key: name for key, name in had.items() if key in wanted}
            return load_relations(
                connection,
                opened.connection,
                opened.relations,
                schema=schema,
                before=before,
                taken=taken,
                named=named,
                pipe=pipe,
                progress=self.progress,
            )

    def _run(self, connection: Connection[Any], source: Source, before: Entry | None) -> LoadedFile:
        if self.programs is None:
            raise UnreadableFile(
                f"{str(source.path)!r} is a script; nothing runs it here", hint="Run it with psql."
            )
        there = _all_tables(connection)
        if before is None:
            complaints = _run_script(source, self.programs)
            made = sorted(_all_tables(connection) - there)
        else:
            had = {(_schema_in_script(key, name), name) for key, name in before.tables.items()}
            complaints, made = self._run_again(connection, source, self.programs, had & there)
        if not made:
            raise _makes_nothing(source, complaints)
        connection.execute("ANALYZE")
        notes = []
        if complaints:
            failed = "1 statement" if len(complaints) == 1 else f"{len(complaints):,} statements"
            kept = self._keep(source, [("", Reject(0, complaint, "")) for complaint in complaints])
            notes.append(f"{failed} failed; the first: {complaints[0]}")
            notes.append(f"all of them are in {kept}")
        tables = tuple(
            LoadedTable(schema, name, _original_in_script(schema, name), _rows(connection, schema, name), 0)
            for schema, name in made
        )
        return LoadedFile(source.path, tables, True, notes=tuple(notes))

    def _run_again(
        self, connection: Connection[Any], source: Source, programs: Programs, had: Set[tuple[str, str]]
    ) -> tuple[list[str], list[tuple[str, str]]]:
        """Run a changed script in a database of its own; its tables then take the place of the old."""
        with programs.spare_database() as spare, self._scratch() as scratch:
            complaints = _run_script(source, programs.at(spare))
            made = self._tables_of(spare)
            if not made:
                raise _makes_nothing(source, complaints)
            others = sorted(made & (_all_tables(connection) - had))
            if others:
                raise UnreadableFile(
                    f"{str(source.path)!r} makes the table {'.'.join(others[0])!r}, which another file made",
                    hint="Rename it in one of them.",
                )
            statements = [*_loosened(connection, had), *(_dropped(*table) for table in sorted(had - made))]
            move_database(spare, programs, statements, scratch, named=str(source.path))
        return complaints, sorted(made)

    def _tables_of(self, database: str) -> set[tuple[str, str]]:
        """The tables of another database of the same server."""
        with self.connect(database) as connection:
            return _all_tables(connection)

    def _keep(self, source: Source, rejects: Sequence[tuple[str, Reject]]) -> Path | None:
        """Write the lines that could not be read where the user can look at them."""
        folder = self.folder / "unread"
        # Files of one name may lie in several folders, and a name may be as long as names can be.
        absolute = os.fsencode(os.path.abspath(source.path))
        name = os.fsdecode(os.fsencode(source.path.name)[:_MOST_NAME_BYTES])
        out = folder / f"{name}-{hashlib.sha256(absolute).hexdigest()[:8]}.csv"
        if not rejects:
            out.unlink(missing_ok=True)
            return None
        folder.mkdir(mode=0o700, exist_ok=True)
        with out.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("table", "line", "problem", "text"))
            writer.writerows((table, one.line or "", one.problem, one.text) for table, one in rejects)
        return out

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        place = Path(tempfile.mkdtemp(prefix="scratch-", dir=self.folder))
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _parts(source: Source, scratch: Path, notes: list[str]) -> Iterator[tuple[Path, Kind, str, str]]:
    """The files to read for a source: itself, or what it packs; each with its table's name and its own."""
    if source.kind is not Kind.PACKED:
        yield source.path, source.kind, source.stem, str(source.path)
        return
    place = scratch / "unpacked"
    place.mkdir()
    members = unpack(source.path, place)
    for member, path in members:
        named = str(source.path) if len(members) == 1 else f"{source.path}: {member}"
        try:
            kind = kind_of(path)
            if kind in (Kind.PACKED, *_SCRIPTED):
                raise UnreadableFile(
                    f"{member!r} is {kind.value}", hint="Unpack it, and name the file itself."
                )
        except UnreadableFile as error:
            if len(members) == 1:
                raise UnreadableFile(error.message.replace(str(path), named), hint=error.hint) from None
            notes.append(f"passed over {member}: {error.message.replace(str(path), member)}")
        else:
            yield path, kind, source.stem if len(members) == 1 else stem_of(path.name), named


def _kept(ledger: Ledger, sources: Sources, there: Set[tuple[str, str]]) -> tuple[KeptTable, ...]:
    """The tables of files in the ledger that are not among those named now, where they are still there."""
    named = {os.path.abspath(source.path) for source in sources.found}
    return tuple(
        KeptTable(entry.schema, name, path)
        for path, entry in ledger.entries.items()
        if path not in named
        for name in entry.tables.values()
        if (entry.schema, name) in there
    )


def _schema_of(source: Source, groups: Sequence[str]) -> str:
    """A schema for each folder where several are named, and the default one for everything else."""
    if len(groups) < 2 or not source.group:
        return DEFAULT_SCHEMA
    return plain_name(source.group, fallback="data", table=True)


def _cannot_read(source: Source, error: OSError) -> UnreadableFile:
    return UnreadableFile(f"cannot read {str(source.path)!r}: {error.strerror or error}")


def _run_script(source: Source, programs: Programs) -> list[str]:
    run = run_script if source.kind is Kind.SCRIPT else restore_archive
    return run(source.path, programs)


def _makes_nothing(source: Source, complaints: Sequence[str]) -> UnreadableFile:
    why = f": {complaints[0]}" if complaints else ""
    return UnreadableFile(f"{str(source.path)!r} makes no tables{why}", hint="Try it with psql alone.")


def _original_in_script(schema: str, name: str) -> str:
    """What the ledger calls a table that a script made; scripts choose their schemas themselves."""
    return name if schema == DEFAULT_SCHEMA else f"{schema}.{name}"


def _schema_in_script(original: str, name: str) -> str:
    return DEFAULT_SCHEMA if original == name else original.removesuffix(f".{name}")


def _loosened(connection: Connection[Any], tables: Set[tuple[str, str]]) -> list[str]:
    """Statements that drop what other tables refer to these by; references are looked for again."""
    rows = connection.execute(
        "SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', k.conrelid::regclass, k.conname) "
        "FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = ANY (%s::text[]::regclass[])",
        [[f"{quoted(schema)}.{quoted(name)}" for schema, name in sorted(tables)]],
    ).fetchall()
    return [statement for (statement,) in rows]


def _dropped(schema: str, name: str) -> str:
    return f"DROP TABLE {quoted(schema)}.{quoted(name)}"


def _out_of_reach(path: Path, error: OSError) -> UnreadableFile:
    place = error.filename or path
    return UnreadableFile(
        f"cannot load {str(path)!r}: {error.strerror or error} ({place})",
        hint="Look at the disk and its rights.",
    )


def _all_tables(connection: Connection[Any]) -> set[tuple[str, str]]:
    rows = connection.execute(
        "SELECT schemaname, tablename FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'askwire_files')"
    ).fetchall()
    return {(schema, name) for schema, name in rows}


def _tables_in(connection: Connection[Any], schema: str) -> set[str]:
    """Names in a schema that a table cannot have: those of tables, views, indexes, sequences and types."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s)", [quoted(schema)]
    ).fetchall()
    return {name for (name,) in rows}


def _rows(connection: Connection[Any], schema: str, name: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {quoted(schema)}.{quoted(name)}".encode()).fetchone()
    return int(row[0]) if row else 0


def _schemas(connection: Connection[Any]) -> tuple[str, ...]:
    """The schemas with tables, the default one first."""
    found = {schema for schema, _ in _all_tables(connection)} - {DEFAULT_SCHEMA}
    return (DEFAULT_SCHEMA, *sorted(found))
