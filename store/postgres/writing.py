"""Changes written to the tables in one transaction.

Owns: their order, and what becomes of one that cannot be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import psycopg

from askwire.core.records import KINDS, Record
from askwire.store.postgres.queue import Change
from askwire.store.postgres.rows import HISTORY, Statements, Unkeepable, row
from askwire.store.postgres.trouble import Fault, fault
from askwire.store.tables import table

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"

_ORIGIN: Final = b"SELECT set_config('askwire.origin', %s, true)"


async def write_whole(
    connection: Connection, statements: Statements, changes: Sequence[Change], origin: str
) -> None:
    """Put records and remove (kind, key) pairs, all or none; `origin` marks the changes as this process's.

    Raises Unkeepable and psycopg.Error.
    """
    removed: dict[type[Record], list[str]] = {}
    put: dict[type[Record], dict[str, tuple[Any, ...]]] = {}
    for change in changes:
        # what comes later of one key holds
        if isinstance(change, tuple):
            kind, key = change
            put.get(kind, {}).pop(key, None)
            removed.setdefault(kind, []).append(key)
        else:
            put.setdefault(type(change), {})[change.key] = row(change)
    async with connection.transaction(), connection.pipeline():
        await connection.execute(_ORIGIN, (origin,))
        async with connection.cursor() as cursor:
            for kind, keys in removed.items():
                await cursor.executemany(statements.delete(kind), [(key,) for key in sorted(keys)])
            # in the order of kinds and keys: two processes that write at once do not wait for each other
            for kind in KINDS.values():
                rows = put.get(kind)
                if not rows:
                    continue
                if table(kind).name in HISTORY:
                    at = table(kind).columns.index("at")
                    moments = [values[at] for values in rows.values()]
                    await cursor.execute(statements.moved(kind), (list(rows), moments))
                await cursor.executemany(statements.upsert(kind), [rows[key] for key in sorted(rows)])


async def write(
    connection: Connection, statements: Statements, changes: Sequence[Change], origin: str
) -> int:
    """The same, but a change that can never be written is left out; how many were. Raises psycopg.Error."""
    kept = [change for change in changes if _keepable(change)]
    refused = len(changes) - len(kept)
    try:
        await write_whole(connection, statements, kept, origin)
    except psycopg.Error as error:
        if fault(error) is not Fault.RECORD:
            raise
    else:
        return refused
    for change in kept:
        try:
            await write_whole(connection, statements, [change], origin)
        except psycopg.Error as error:
            if fault(error) is not Fault.RECORD:
                raise
            refused += 1
    return refused


def _keepable(change: Change) -> bool:
    if isinstance(change, tuple):
        return True
    try:
        row(change)
    except Unkeepable:
        return False
    return True
