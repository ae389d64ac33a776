"""All records of a PostgreSQL store at once, for people at a command line.

Owns: reading them as of one moment, and writing them all or none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Final, TypeVar

import psycopg

from askwire.core.errors import ConfigurationError
from askwire.core.records import KINDS, HistoryEntry, Record
from askwire.store.postgres import retention as retaining
from askwire.store.postgres import schema as schemas
from askwire.store.postgres import writing
from askwire.store.postgres.address import conninfo, without_password
from askwire.store.postgres.rows import Statements, record, row
from askwire.store.postgres.trouble import StoreUnusable, phrase
from askwire.store.retention import DAY_SECONDS, Retention

T = TypeVar("T")

_RECORDS_PER_BATCH: Final = 1000
_MAX_PARTITIONS: Final = 60
"""Partitions that an import makes; history from before goes where the next sweep finds it."""
_FAILURES: Final = (psycopg.Error, OSError, StoreUnusable)


def every(url: str, schema: str) -> Iterator[Record]:
    """All records, kind by kind, oldest first; raises ConfigurationError."""
    try:
        with psycopg.connect(conninfo(url, "askwire store export")) as connection:
            connection.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for name, kind in KINDS.items():
                with connection.cursor(name=f"every_{name}") as cursor:
                    cursor.itersize = _RECORDS_PER_BATCH
                    cursor.execute(Statements(schema).every(kind))
                    for values in cursor:
                        yield record(kind, values)
    except psycopg.errors.UndefinedTable:
        raise ConfigurationError(f"{_named(url, schema)} has no store") from None
    except _FAILURES as error:
        raise ConfigurationError(f"cannot read the store {_named(url, schema)}: {phrase(error)}") from None


def put(url: str, schema: str, records: Sequence[Record]) -> int:
    """Write all of them or none, into a schema that is made where there is none; how many.

    Raises ConfigurationError.
    """

    async def work(connection: schemas.Connection) -> int:
        await schemas.prepare(connection, schema)
        statements = Statements(schema)
        moments = [r.at for r in records if isinstance(r, HistoryEntry)]
        async with connection.transaction():
            if moments:
                await _parts(connection, schema, min(moments), max(moments))
            for first in range(0, len(records), _RECORDS_PER_BATCH):
                some = records[first : first + _RECORDS_PER_BATCH]
                for one in some:
                    row(one)
                await writing.write_whole(connection, statements, some, "import")
        return len(records)

    return _run(url, schema, "written", work)


async def _parts(connection: schemas.Connection, schema: str, first: float, last: float) -> None:
    days = retaining.width(Retention().history_days)
    moment = max(first, last - _MAX_PARTITIONS * days * DAY_SECONDS)
    while moment < last + days * DAY_SECONDS:
        found = await connection.execute(f"SELECT since, until FROM {schema}.history_part".encode())
        there = [(float(since), float(until)) for since, until in await found.fetchall()]
        if wanted := retaining.part(moment, days, there):
            await connection.execute(f"SELECT {schema}.add_history(%s, %s)".encode(), wanted)
        moment += days * DAY_SECONDS


def migrate(
    url: str,
    schema: str,
    logins: Sequence[tuple[str, str]],
    askers: Sequence[str],
    operators: Sequence[str],
    history_days: int,
) -> str:
    """Make or move the schema forward, store the retention, and grant rights; a sentence.

    Raises ConfigurationError.
    """

    async def work(connection: schemas.Connection) -> str:
        moved = await schemas.migrate(connection, schema)
        await schemas.keep_history(connection, schema, history_days)
        await schemas.grant(connection, schema, schemas.Grants(logins, askers, operators))
        number = len(schemas.steps())
        return f"the schema {schema} is {'now' if moved else 'already'} number {number}"

    return _run(url, schema, "migrated", work)


def _run(url: str, schema: str, done: str, work: Callable[[schemas.Connection], Coroutine[Any, Any, T]]) -> T:
    async def connected() -> T:
        connection = await psycopg.AsyncConnection.connect(
            conninfo(url, f"askwire store {done}"), autocommit=True, prepare_threshold=None
        )
        async with connection:
            return await work(connection)

    try:
        return asyncio.run(connected())
    except (*_FAILURES, ValueError) as error:
        raise ConfigurationError(
            f"the store {_named(url, schema)} cannot be {done}: {phrase(error)}"
        ) from None


def _named(url: str, schema: str) -> str:
    return f"{without_password(url)} (schema {schema})"
