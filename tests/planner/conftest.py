"""Sessions that ask for catalogs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg
import pytest
from data.catalog_askers import SCHEMA, Asker
from servers.databases import Database


@pytest.fixture
async def connect(database: Database) -> AsyncIterator[Callable[..., Any]]:
    opened: list[Asker] = []

    async def make(role: str | None = None, *, autocommit: bool = True) -> Asker:
        conn = await psycopg.AsyncConnection.connect(database.dsn(), autocommit=autocommit)
        opened.append(Asker(conn))
        if role:
            await opened[-1].run(f"SET ROLE {role}")
        return opened[-1]

    yield make
    for asker in opened:
        await asker.conn.close()


@pytest.fixture
async def owner(connect: Callable[..., Any]) -> Asker:
    asker: Asker = await connect()
    await asker.run(SCHEMA)
    return asker
