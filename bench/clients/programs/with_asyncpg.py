"""asyncpg: every statement is parsed and described before it is bound; results are binary."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable

import asyncpg
from report import (
    ASK,
    CALLED,
    COLUMNS,
    COUNT,
    QUESTION,
    REFUSALS,
    ROWS,
    SLOW,
    UNANSWERABLE,
    WRAPPED,
    refused,
    rows_are_right,
    run,
    same,
)

loop = asyncio.new_event_loop()


def cell(work: Callable[[asyncpg.Connection], Awaitable[str | None]]) -> Callable[[], str | None]:
    async def alone() -> str | None:
        connection = await asyncpg.connect()
        try:
            async with asyncio.timeout(25):
                return await work(connection)
        finally:
            await connection.close(timeout=5)

    return lambda: loop.run_until_complete(alone())


async def plain(connection: asyncpg.Connection) -> None:
    rows_are_right(await connection.fetch(ASK))


async def question(connection: asyncpg.Connection) -> None:
    try:
        rows_are_right(await connection.fetch("ASK $1", QUESTION))
    except asyncpg.PostgresError as error:
        refused(error, error.sqlstate, "NL007")


async def parameters(connection: asyncpg.Connection) -> None:
    rows_are_right(await connection.fetch(f"{WRAPPED} WHERE price > $1 OR title = $2", -1, "x"))


async def prepared(connection: asyncpg.Connection) -> None:
    statement = await connection.prepare(ASK)
    for _ in range(8):
        rows_are_right(await statement.fetch())


async def describe(connection: asyncpg.Connection) -> None:
    statement = await connection.prepare(ASK)
    same([attribute.name for attribute in statement.get_attributes()], COLUMNS)


async def cursor(connection: asyncpg.Connection) -> None:
    async with connection.transaction():
        rows_are_right([row async for row in connection.cursor(ASK, prefetch=7)])


async def limit_0(connection: asyncpg.Connection) -> None:
    for text in (WRAPPED, CALLED):
        statement = await connection.prepare(f"{text} LIMIT 0")
        same([attribute.name for attribute in statement.get_attributes()], COLUMNS)
        same(await statement.fetch(), [])


async def count(connection: asyncpg.Connection) -> None:
    same(await connection.fetchval(COUNT), len(ROWS))


async def copy(connection: asyncpg.Connection) -> None:
    out = io.BytesIO()
    await connection.copy_from_query(ASK, output=out)
    rows_are_right([line.split("\t") for line in out.getvalue().decode().splitlines()])


async def multi(connection: asyncpg.Connection) -> None:
    await connection.execute(f"SET application_name TO 'multi'; {ASK}")


async def transaction(connection: asyncpg.Connection) -> None:
    async with connection.transaction():
        rows_are_right(await connection.fetch(ASK))


async def error(connection: asyncpg.Connection) -> str:
    try:
        await connection.fetch(UNANSWERABLE)
    except asyncpg.PostgresError as failure:
        if failure.sqlstate not in REFUSALS:
            raise
        same(await connection.fetchval("SELECT 1"), 1)
        return str(failure.sqlstate)
    raise AssertionError("no error")


async def cancel(connection: asyncpg.Connection) -> None:
    running = asyncio.ensure_future(connection.fetch(SLOW))
    await asyncio.sleep(1)
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        same(await connection.fetchval("SELECT 1"), 1)
        return
    raise AssertionError("not canceled")


run(
    {
        name: cell(work)
        for name, work in {
            "plain": plain,
            "question": question,
            "parameters": parameters,
            "prepared": prepared,
            "describe": describe,
            "cursor": cursor,
            "limit 0": limit_0,
            "count": count,
            "copy": copy,
            "multi": multi,
            "transaction": transaction,
            "error": error,
            "cancel": cancel,
        }.items()
    }
)
