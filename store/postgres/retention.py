"""What is kept how long: partitions of history are made ahead and dropped whole, the rest is deleted.

Owns: the width of a partition, and which records go. One process at a time does it.
"""

from __future__ import annotations

import logging
from typing import Any, Final, TypeAlias

import psycopg

from askwire.core.records import Demonstration
from askwire.store.postgres.changes import KEPT_SECONDS
from askwire.store.postgres.trouble import phrase
from askwire.store.retention import DAY_SECONDS, LIMITED, Retention, most_of_one
from askwire.store.tables import PARAPHRASE, other_paraphrases, paraphrase_digest, table

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"

log = logging.getLogger(__name__)

_LOCK_CLASS: Final = 0x61736B78


def width(history_days: int) -> int:
    """The days of one partition: history is gone at the latest so much later than it has to be."""
    return min(30, max(1, history_days // 12)) if history_days else 30


def part(at: float, days: int, parts: list[tuple[float, float]]) -> tuple[float, float] | None:
    """The partition that would hold a moment, beside those that there are; None where one of these does."""
    since = at // (days * DAY_SECONDS) * days * DAY_SECONDS
    until = since + days * DAY_SECONDS
    for low, high in parts:
        if low <= at < high:
            return None
        if high <= at:
            since = max(since, high)
        else:
            until = min(until, low)
    return since, until


async def ahead(connection: Connection, schema: str, retention: Retention, now: float) -> int:
    """Make the partitions of this moment and of the time that follows; how many were made."""
    days = width(retention.history_days)
    made = 0
    for moment in (now, now + days * DAY_SECONDS):
        found = await connection.execute(f"SELECT since, until FROM {schema}.history_part".encode())
        parts = [(float(since), float(until)) for since, until in await found.fetchall()]
        wanted = part(moment, days, parts)
        if wanted:
            await connection.execute(f"SELECT {schema}.add_history(%s, %s)".encode(), wanted)
            made += 1
    return made


async def sweep(connection: Connection, schema: str, retention: Retention, now: float) -> int | None:
    """Let go of what is older, or more, than is kept; how many records and partitions that were.

    None where another process is at it. Raises psycopg.Error.
    """
    async with connection.transaction():
        mine = await connection.execute(
            b"SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))", (_LOCK_CLASS, schema)
        )
        row = await mine.fetchone()
        if row is None or not row[0]:
            return None
        await ahead(connection, schema, retention, now)
        gone = 0
        if retention.history_days:
            try:
                async with connection.transaction():
                    dropped = await connection.execute(
                        f"SELECT {schema}.drop_history(%s)".encode(),
                        (now - retention.history_days * DAY_SECONDS,),
                    )
                    found = await dropped.fetchone()
                    gone += found[0] if found else 0
            except psycopg.errors.InsufficientPrivilege as refused:
                # the rest goes as it should, and new partitions are made
                log.warning("old history stays: %s", phrase(refused))
        for name, moment, days, owner, each in LIMITED:
            kept = retention.pin_days if days == "pins" else retention.history_days
            if kept:
                deleted = await connection.execute(
                    f"DELETE FROM {schema}.{name} WHERE {moment} < %s".encode(), (now - kept * DAY_SECONDS,)
                )
                gone += deleted.rowcount
            if retention.most_rows or each:
                limits = retention.most_rows, each
                gone += await _even_out(connection, f"{schema}.{name}", moment, owner, *limits)
        await _paraphrases(connection, f"{schema}.{table(Demonstration).name}")
        await connection.execute(
            f"DELETE FROM {schema}.change WHERE at < now() - make_interval(secs => %s)".encode(),
            (KEPT_SECONDS,),
        )
        return gone


async def _paraphrases(connection: Connection, place: str) -> None:
    """Compute digests of paraphrases again that follow the rules of another version."""
    others = f'SELECT server, database, question, "key" FROM {place} WHERE {other_paraphrases()} LIMIT 500'
    again = f'UPDATE {place} SET {PARAPHRASE} = %s WHERE "key" = %s'
    while found := await (await connection.execute(others.encode())).fetchall():
        given = [(paraphrase_digest(*asked), key) for *asked, key in found]
        await connection.cursor().executemany(again.encode(), given)


async def _even_out(
    connection: Connection, place: str, moment: str, owner: tuple[str, ...], most: int, each: int
) -> int:
    """Delete the oldest records of the owners that have the most, until about `most` are left.

    Of each owner's `each` are left; 0: no limit.
    """
    columns = ", ".join(owner)
    counted = await (
        await connection.execute(f"SELECT {columns}, count(*) FROM {place} GROUP BY {columns}".encode())
    ).fetchall()
    share = most_of_one((row[-1] for row in counted), most, each)
    own = " AND ".join(f"{column} = %s" for column in owner)
    gone = 0
    for *whose, count in counted:
        if count > share:
            least = f"SELECT {moment} FROM {place} WHERE {own} ORDER BY {moment} DESC LIMIT 1 OFFSET %s"
            deleted = await connection.execute(
                f"DELETE FROM {place} WHERE {own} AND {moment} < ({least})".encode(),
                (*whose, *whose, share - 1),
            )
            gone += deleted.rowcount
    return gone
