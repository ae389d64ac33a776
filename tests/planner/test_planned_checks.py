"""What the planner may run of a table's checks counts, whether it looks at them in this session or not."""

from __future__ import annotations

import psycopg
from doubles.postgres_executor import PostgresExecutor, session_state
from servers.databases import Database

from askwire.planner.catalogs import Catalogs


class Still:
    def monotonic(self) -> float:
        return 0.0


SCHEMA = """
CREATE FUNCTION noisy(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'it ran'; END $$;
CREATE TABLE plain (a int, CHECK (a > noisy(1)));
"""


async def test_the_checks_of_all_tables_count(database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True) as connection:
        await connection.execute(SCHEMA)
        cache = Catalogs(Still())

        async def runs() -> tuple[str, ...]:
            session = await session_state(connection)
            async with PostgresExecutor(connection).batch() as batch:
                relation = (await cache.load(batch, session, "here")).find("plain")
            assert relation is not None
            return relation.runs

        async def ran() -> bool:
            try:
                await connection.execute("EXPLAIN SELECT * FROM plain WHERE a < 0")
            except psycopg.errors.RaiseException:
                return True
            return False

        assert (await runs(), await ran()) == (("public.noisy",), False)
        await connection.execute("SET constraint_exclusion = on")
        assert (await runs(), await ran()) == (("public.noisy",), True)
