"""The demo on the user's own files: its folder, database and role, loading, and looking for changes.

Owns: what of that is kept and where.

Without a name to keep it under, everything lies in a folder of its own that is removed at the end.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askwire.core.errors import ConfigurationError, UnreadableFile
from askwire.files.data_set import DataSet, Report
from askwire.files.scripts import Programs
from askwire.files.telling import MOST_NOTES, Bar, counted, told
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres, FolderInUse
from askwire.proxy.demo.postgres_binaries import Binaries, cache_folder

if TYPE_CHECKING:
    from psycopg import Connection

DATABASE: Final = "data"
FINDINGS: Final = "askwire_files.findings"
MOST_QUESTIONS: Final = 3
LOOK_INTERVAL_SECONDS: Final = 2.0
MISSES_BEFORE_SAID: Final = 2
"""Looks in a row that cannot read a file before that is said."""
"""How often --watch looks at the files."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
# COPY into a table of the same transaction needs no WAL then, and nothing is replicated from a demo.
_PARAMETERS: Final = {"wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "4GB"}


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """What the user chose: paths, the name to keep them under ('' for not at all), and whether to watch."""

    paths: tuple[str, ...]
    keep: str = ""
    watch: bool = False
    encoding: str = ""


@contextmanager
def folder_for(own: OwnFiles, named: Path | None) -> Iterator[Path]:
    """The demo's folder: the one named, the one kept under a name, or one that is removed at the end.

    Raises ConfigurationError for a name that cannot be one.
    """
    if named is not None:
        yield named
    elif own.keep:
        if not _NAME.fullmatch(own.keep):
            raise ConfigurationError(
                f"{own.keep!r} cannot be a name to keep data under",
                hint="Use up to 61 letters, digits, dots, hyphens and underscores.",
            )
        yield cache_folder() / "kept" / own.keep
    else:
        parent = cache_folder() / "demo"
        parent.mkdir(parents=True, exist_ok=True)
        with _removed(Path(tempfile.mkdtemp(prefix="files-", dir=parent))) as place:
            yield place / "demo"


@contextmanager
def _removed(place: Path) -> Iterator[Path]:
    place.chmod(0o755 if os.geteuid() == 0 else 0o700)  # the account PostgreSQL runs as has to reach it
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def started(
    own: OwnFiles, folder: Path, role: str, let_in: tuple[str, ...], binaries: Binaries
) -> EmbeddedPostgres:
    """A running server with a role and an empty database, or with what was kept there.

    Raises ConfigurationError when the folder is in use or cannot be one.
    """
    postgres = EmbeddedPostgres(folder, hba=let_in, parameters=_PARAMETERS, binaries=binaries)
    try:
        postgres.start()
        made = folder / "database"
        if not made.exists():
            for statement in (
                f"DO $$BEGIN IF to_regrole('{role}') IS NULL THEN CREATE ROLE {role} LOGIN; END IF; END$$",
                f"DROP DATABASE IF EXISTS {DATABASE}",
                f"CREATE DATABASE {DATABASE} OWNER {role}",
            ):
                _psql(postgres, statement)
            made.write_text(f"{DATABASE}\n")
    except FolderInUse:
        postgres.stop()
        raise ConfigurationError(
            f"the data kept as {own.keep!r} is in use by another demo" if own.keep else f"{folder} is in use",
            hint="Stop that demo, or use another --keep.",
        ) from None
    except BaseException:
        postgres.stop()
        raise
    return postgres


def _psql(postgres: EmbeddedPostgres, statement: str) -> None:
    done = subprocess.run(
        [postgres.binaries.program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement],
        env=postgres.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise ConfigurationError(f"cannot make a database: {done.stderr.strip()}")


def data_set(own: OwnFiles, postgres: EmbeddedPostgres, role: str) -> DataSet:
    """The user's files and where they go. Everything is done as the role that may be no superuser."""
    address = f"host=127.0.0.1 port={postgres.port} user={role}"

    def connect(database: str = "") -> Connection[Any]:
        try:
            import psycopg  # noqa: PLC0415 - an extra
        except ImportError:
            raise UnreadableFile(
                "loading files needs the library psycopg", hint="Install it: pip install 'askwire[files]'."
            ) from None
        return psycopg.connect(address, dbname=database or DATABASE, application_name="askwire files")

    @contextmanager
    def spare_database() -> Iterator[str]:
        name = f"{DATABASE}_again"
        drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
        _psql(postgres, drop)
        _psql(postgres, f"CREATE DATABASE {name} OWNER {role}")
        try:
            yield name
        finally:
            _psql(postgres, drop)

    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment |= {
        "PGHOST": "127.0.0.1",
        "PGPORT": str(postgres.port),
        "PGUSER": role,
        "PGDATABASE": DATABASE,
        "PGPASSFILE": os.devnull,
    }
    program = postgres.binaries.program
    programs = Programs(
        program("psql"), program("pg_restore"), program("pg_dump"), environment, spare_database
    )
    return DataSet(
        own.paths, postgres.data, connect, programs, encoding=own.encoding, progress=Bar(sys.stderr)
    )


def load(files: DataSet, *, again: bool = False) -> Report:
    """Load what is new or changed, look for keys in it, and say what came of both. Raises UnreadableFile.

    `again` says that the user has seen what there is, and wants to see what is new.
    """
    try:
        report = files.load()
    finally:
        if isinstance(files.progress, Bar):
            files.progress.clear()
    for line in told(report, fresh_only=again):
        sys.stderr.write(f"{line}\n")
    if report.fresh:
        _questions(files.folder).unlink(missing_ok=True)
        for line in _found(files, report):
            sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
    return report


def _found(files: DataSet, report: Report) -> Iterator[str]:
    """Declare the keys that the data proves; yields a line on what was declared."""
    from askwire.files.findings import Grade, Kind, declare, find_structure  # noqa: PLC0415 - an extra

    keys, references = 0, []
    with files.connect() as connection:
        connection.autocommit = True
        for schema in report.schemas:
            found = declare(connection, find_structure(connection, schema))
            keys += sum(finding.declared for finding in found.of(Kind.PRIMARY_KEY, Grade.CERTAIN))
            references += [
                f"{finding.table} ({', '.join(finding.columns)}) → {finding.target}"
                for finding in found.of(Kind.FOREIGN_KEY, Grade.CERTAIN)
                if finding.declared
            ]
    if keys or references:
        found_keys = counted(keys, "primary key")
        yield f"found in the data: {found_keys} and {counted(len(references), 'reference')}"
        yield from (f"    {reference}" for reference in references[:MOST_NOTES])
        yield f"    {FINDINGS} says why"


def questions(files: DataSet, port: int, role: str) -> tuple[str, ...]:
    """Questions about these data, each of which askwire on a port answers rightly; none if it takes long.

    They are kept in the folder until other data are loaded.
    """
    import psycopg  # noqa: PLC0415 - an extra

    from askwire.files.findings import asking, find_structure, suggested  # noqa: PLC0415

    kept = _questions(files.folder)
    if kept.exists():
        return tuple(kept.read_text(encoding="utf-8").splitlines())
    found: list[str] = []
    address = f"host=127.0.0.1 port={port} user={role} dbname={DATABASE} application_name='askwire files'"
    try:
        with files.connect() as connection, psycopg.connect(address) as asker:
            connection.autocommit = asker.autocommit = True
            schemas = connection.execute("SELECT unnest(current_schemas(false))").fetchall()
            for (schema,) in schemas:
                if len(found) < MOST_QUESTIONS:
                    structure = find_structure(connection, schema)
                    found += [one.question for one in suggested(connection, structure, asking(asker))]
    except psycopg.Error:
        return ()  # they are a courtesy: what is wrong shows where the user asks
    kept.write_text("".join(f"{question}\n" for question in found[:MOST_QUESTIONS]), encoding="utf-8")
    return tuple(found[:MOST_QUESTIONS])


def _questions(folder: Path) -> Path:
    return folder / "questions.txt"


async def watch(files: DataSet) -> None:
    """Load files when they change, until it is cancelled.

    What cannot be read or loaded is said once, and tried again; a file may be gone for a moment while a
    program replaces it, so that is said when it lasts.
    """
    failed, misses = "", 0
    while True:
        await asyncio.sleep(LOOK_INTERVAL_SECONDS)
        try:
            if await asyncio.to_thread(files.changed):
                await asyncio.to_thread(load, files, again=True)
        except UnreadableFile as error:
            misses += 1
            if misses >= MISSES_BEFORE_SAID and error.message != failed:
                failed = error.message
                sys.stderr.write(f"not loaded: {error.message}. {error.hint}\n")
                sys.stderr.write("what was loaded before can still be asked; the file is looked for again\n")
        else:
            if failed:
                sys.stderr.write("all files can be read again\n")
            failed, misses = "", 0


def remember_database(port: int, database: str) -> Path:
    """Write down which database the demo on a port has, for `psql`; the file is removed by the caller."""
    note = _note(port)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(f"{database}\n")
    return note


def database_on(port: str, otherwise: str) -> str:
    """The database of the demo on a port."""
    try:
        return _note(int(port)).read_text().strip() or otherwise
    except (OSError, ValueError, ConfigurationError):
        return otherwise


def _note(port: int) -> Path:
    return cache_folder() / "demo" / f"database-on-{port}"
