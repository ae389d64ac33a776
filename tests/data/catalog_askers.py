"""People who ask for catalogs on a real PostgreSQL, the schema they see, a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from doubles.postgres_executor import PostgresExecutor, session_state

from askwire.core.types import Cell
from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog
from askwire.sql.introspection.queries import FINGERPRINT

SCHEMA = """
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN email AS text CHECK (VALUE LIKE '%@%');
CREATE TABLE customers (
    id int PRIMARY KEY, name text NOT NULL, secret text, mail email, mood mood, UNIQUE (name));
CREATE UNIQUE INDEX ON customers (mail) WHERE id < 0;
CREATE UNIQUE INDEX ON customers (lower(name));
COMMENT ON TABLE customers IS 'Who buys';
COMMENT ON COLUMN customers.name IS 'As on the invoice';
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, placed date) ;
CREATE TABLE events (at date, what text) PARTITION BY RANGE (at);
CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE VIEW happy AS SELECT name FROM customers WHERE mood = 'happy';
CREATE MATERIALIZED VIEW empty AS SELECT 1 AS one WITH NO DATA;
CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql AS 'SELECT ''mine''';
INSERT INTO customers SELECT g, CASE WHEN g % 2 = 0 THEN 'even ' || g ELSE 'odd ' || g END, 's', 'a@b',
    (ARRAY['sad', 'happy'])[1 + g % 2]::mood FROM generate_series(1, 100) g;
ANALYZE customers, orders, events, events_2025, empty;
"""


class Ticks:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class Asker:
    """One session: a connection, and the statements its batches sent."""

    def __init__(self, conn: psycopg.AsyncConnection[Any]) -> None:
        self.conn = conn
        self.executor = PostgresExecutor(conn)

    async def run(self, *statements: str) -> None:
        for statement in statements:
            await self.conn.execute(statement.encode())

    async def load(self, cache: Catalogs, backend: str = "here") -> Catalog:
        session = await session_state(self.conn)
        async with self.executor.batch() as batch:
            return await cache.load(batch, session, backend)

    async def fingerprint(self) -> Cell:
        async with self.executor.batch() as batch:
            return (await batch.read(FINGERPRINT)).rows[0][0]


@asynccontextmanager
async def role(asker: Asker, name: str) -> AsyncIterator[str]:
    """Roles belong to the server: a test's own leaves with it."""
    await asker.run(f"DROP ROLE IF EXISTS {name}", f"CREATE ROLE {name}")
    try:
        yield name
    finally:
        await asker.run(f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}")
