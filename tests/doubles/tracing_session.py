"""A session over a schema, as the search for instances sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from doubles.postgres_executor import PostgresExecutor, session_state

from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog


class _Clock:
    def monotonic(self) -> float:
        return 0.0


@dataclass(frozen=True, slots=True)
class Session:
    """A connection, its executor, and the catalog as its role sees it."""

    conn: psycopg.AsyncConnection[Any]
    executor: PostgresExecutor
    catalog: Catalog


@asynccontextmanager
async def session(dsn: str, *settings: str) -> AsyncIterator[Session]:
    """A session after some statements (SET search_path, SET ROLE)."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        for statement in settings:
            await conn.execute(statement.encode())
        executor = PostgresExecutor(conn)
        state = await session_state(conn)
        async with executor.batch() as batch:
            catalog = await Catalogs(_Clock()).load(batch, state, "test")
        yield Session(conn, executor, catalog)
