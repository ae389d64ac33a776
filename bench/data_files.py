"""A database for a question set that comes with files: made, filled, and dropped at the end.

Owns: that database and its schemas' names.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from askwire.bench.failure import BenchFailure
from askwire.core.errors import UnreadableFile
from askwire.files.data_set import DEFAULT_SCHEMA, DataSet
from askwire.files.findings import declare, find_structure
from askwire.files.sources import Kind, find_sources
from askwire.files.telling import told


@contextmanager
def database_of(
    dsn: str, paths: Sequence[str], wanted: Collection[str], tell: Callable[[str], None]
) -> Iterator[str]:
    """The DSN of a new database with the files' tables, on the server of `dsn`; `dsn` itself without paths.

    `wanted` are the questions' db_ids, which name schemas. Each named folder is a schema when there are
    several of them; when there is one db_id, all tables are in its schema. Raises BenchFailure when a file
    cannot be loaded or a schema is missing.
    """
    if not paths:
        yield dsn
        return
    name = f"askwire_bench_{secrets.token_hex(4)}"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    here = make_conninfo(dsn, dbname=name)
    try:
        try:
            _load(here, paths, wanted, tell)
        except UnreadableFile as error:
            raise BenchFailure(f"{error.message}. {error.hint}".strip(". ")) from None
        yield here
    finally:
        with psycopg.connect(dsn, autocommit=True) as server:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _load(dsn: str, paths: Sequence[str], wanted: Collection[str], tell: Callable[[str], None]) -> None:
    scripts = [s.path for s in find_sources(paths).found if s.kind in {Kind.SCRIPT, Kind.ARCHIVE}]
    if scripts:
        # They would run with all rights of the DSN's role.
        raise BenchFailure(f"{scripts[0]} is a script; load it yourself, and leave out --data")

    def connect(database: str = "") -> psycopg.Connection[Any]:
        return psycopg.connect(make_conninfo(dsn, dbname=database) if database else dsn)

    with tempfile.TemporaryDirectory() as folder:
        files = DataSet(tuple(paths), Path(folder), connect, None)
        report = files.load()
    for line in told(report):
        tell(line)
    if report.failed:
        raise BenchFailure("not all files could be loaded; correct them, or name the others")
    with connect() as connection:
        connection.autocommit = True
        for schema in report.schemas:
            declare(connection, find_structure(connection, schema))
        if len(report.schemas) == 1 and len(wanted) == 1 and DEFAULT_SCHEMA not in wanted:
            connection.execute(
                sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(
                    sql.Identifier(DEFAULT_SCHEMA), sql.Identifier(*wanted)
                )
            )
        elif missing := sorted(set(wanted) - set(report.schemas)):
            raise BenchFailure(
                f"the files make no schema {missing[0]!r} (a db_id); they make {', '.join(report.schemas)}"
            )
