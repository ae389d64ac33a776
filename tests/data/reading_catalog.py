"""The catalog of a database, as a role sees it."""

from __future__ import annotations

import psycopg
from doubles.postgres_executor import PostgresExecutor, session_state

from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog


class Still:
    """A clock that stands."""

    def monotonic(self) -> float:
        """Always the same."""
        return 0.0


async def read_catalog(dsn: str, role: str = "") -> Catalog:
    """Read it on a connection of its own, after SET ROLE where a role is named."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        if role:
            await connection.execute(f"SET ROLE {role}".encode())
        executor = PostgresExecutor(connection, gate=lambda sql: sql)
        session = await session_state(connection)
        async with executor.batch() as batch:
            return await Catalogs(Still()).load(batch, session, "test")
