"""One connection, several tenants: what was asked for one of them is not another one's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import psycopg
import pytest
from data.pets import filled
from doubles.asked import AskedServer, Connection, asked_server, listen, rows
from servers.running_proxy import OwnDatabase

from askwire.core.errors import BeyondEngine
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, tenant text, name text);
INSERT INTO pets VALUES (1, 't1', 'Rex'), (2, 't2', 'Ada'), (3, 't1', 'Tom');
CREATE TABLE public_notes (id int PRIMARY KEY, note text);
CREATE ROLE shared LOGIN;
CREATE ROLE other;
GRANT other TO shared;
GRANT SELECT ON pets, public_notes TO shared, other;
ALTER TABLE pets ENABLE ROW LEVEL SECURITY;
"""
POLICIES = {
    "a setting": "CREATE POLICY p ON pets USING (tenant = current_setting('app.tenant', true))",
    "a setting that must be there": "CREATE POLICY p ON pets USING (tenant = current_setting('app.tenant'))",
    "claims": "CREATE POLICY p ON pets USING (tenant = current_setting('app.tenant', true)::text || '')",
    "a view": "CREATE POLICY q ON pets USING (true); "
    "CREATE VIEW mine AS SELECT * FROM pets WHERE tenant = current_setting('app.tenant', true); "
    "GRANT SELECT ON mine TO shared, other",
}
TENANTS = {
    "SET": "SET app.tenant = '{}'",
    "set_config": "SELECT set_config('app.tenant', '{}', false)",
    "DO": "DO $$ BEGIN PERFORM set_config('app.tenant', '{}', false); END $$",
    "a message with more": "SELECT 1; SET app.tenant = '{}'; SELECT 2",
}
RESETS = {
    "nothing": "",
    "DISCARD ALL": "DISCARD ALL",
    "RESET ALL": "RESET ALL",
    "what asyncpg's pool sends": "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;",
    "a parameter": "RESET app.tenant",
}
QUESTION = "names of pets"


@pytest.fixture(params=list(POLICIES))
def pets(empty_database: OwnDatabase, request: pytest.FixtureRequest) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES + POLICIES[request.param], "shared", "other") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets) as running:
        running.expert.answers(QUESTION, "SELECT name FROM pets")
        yield running


async def left_over(asked: AskedServer, connection: Connection) -> list[str]:
    """What the connection shows of ASKs that came before."""
    relations = ("history", "pins", "feedback")
    found = [name for name in relations if await rows(connection, f"SELECT question FROM ask.{name}")]
    for said in ("RIGHT", "WRONG", "CHOOSE 1", "WRONG 'SELECT name FROM pets'"):
        try:
            await rows(connection, f"ASK {said}")
            found.append(said)
        except psycopg.Error as error:
            if error.sqlstate != "NL007":
                found.append(f"{said}: {error.sqlstate}")

    async def refuses(_planning: object) -> list[str]:
        raise BeyondEngine("no answer for this tenant")

    asked.expert.on(QUESTION, refuses)
    try:
        await rows(connection, f"ASK '{QUESTION}'")
        found.append("pin")
    except psycopg.Error as error:
        if error.sqlstate != "NL003":
            found.append(f"ASK: {error.sqlstate}")
    return found


async def ask_as(connection: Connection, tenant: str, way: str) -> None:
    await connection.execute(TENANTS[way].format(tenant))
    assert await rows(connection, f"ASK '{QUESTION}'")
    assert await rows(connection, "SELECT question FROM ask.history")


@pytest.mark.parametrize("reset", list(RESETS))
async def test_the_next_tenant_of_a_connection_sees_nothing(asked: AskedServer, reset: str) -> None:
    async with asked.connection("shared") as connection:
        await ask_as(connection, "t1", "SET")
        if RESETS[reset]:
            await connection.execute(RESETS[reset])
        await connection.execute("SET app.tenant = 't2'")
        assert await left_over(asked, connection) == []


@pytest.mark.parametrize("way", list(TENANTS))
async def test_however_the_tenant_is_changed(asked: AskedServer, way: str) -> None:
    async with asked.connection("shared") as connection:
        await ask_as(connection, "t1", way)
        await connection.execute(TENANTS[way].format("t2"))
        assert await left_over(asked, connection) == []


@pytest.mark.parametrize("reset", ["DISCARD ALL", "RESET ALL"])
async def test_a_reset_ends_it_for_the_same_tenant_as_well(asked: AskedServer, reset: str) -> None:
    async with asked.connection("shared") as connection:
        await ask_as(connection, "t1", "SET")
        await connection.execute(reset)
        await connection.execute("SET app.tenant = 't1'")
        assert await left_over(asked, connection) == []


async def test_a_prepared_reset_ends_it_too(asked: AskedServer) -> None:
    """Its text comes once, and it is run often."""
    async with asked.connection("shared") as connection:
        for _ in range(3):
            await connection.execute("RESET ALL", prepare=True)
            await ask_as(connection, "t1", "SET")
        await connection.execute("RESET ALL", prepare=True)
        await connection.execute("SET app.tenant = 't1'")
        assert await left_over(asked, connection) == []


async def test_transactions_that_say_who_they_are_for(asked: AskedServer) -> None:
    """SET LOCAL in each transaction, as web frameworks do behind a pool."""
    async with asked.connection("shared") as connection:
        for tenant in ("t1", "t2"):
            async with connection.transaction():
                await connection.execute(f"SET LOCAL app.tenant = '{tenant}'")
                if tenant == "t1":
                    assert await rows(connection, f"ASK '{QUESTION}'")
                else:
                    assert await rows(connection, "SELECT question FROM ask.history") == []
                    assert await rows(connection, "SELECT question FROM ask.pins") == []
        async with connection.transaction():
            await connection.execute("SET LOCAL app.tenant = 't2'")
        assert await left_over(asked, connection) == []


async def test_a_setting_that_is_rolled_back(asked: AskedServer) -> None:
    async with asked.connection("shared") as connection:
        await connection.execute("SET app.tenant = 't2'")
        await connection.execute("BEGIN")
        await connection.execute("SET app.tenant = 't1'")
        assert await rows(connection, f"ASK '{QUESTION}'")
        await connection.execute("ROLLBACK")
        assert await left_over(asked, connection) == []


@pytest.mark.parametrize(
    "change", ["SET ROLE other", "SET LOCAL ROLE other", "SET SESSION AUTHORIZATION other"]
)
async def test_another_role_on_the_connection(asked: AskedServer, change: str) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET SESSION AUTHORIZATION shared")
        await ask_as(connection, "t1", "SET")
        await connection.execute("BEGIN")
        await connection.execute(change)
        assert await rows(connection, "SELECT question FROM ask.history") == []
        await connection.execute("COMMIT")
        if "LOCAL" not in change:
            assert await left_over(asked, connection) == []


async def test_what_a_tenant_prepared_tells_the_next_nothing(asked: AskedServer) -> None:
    async with asked.connection("shared") as connection:
        await ask_as(connection, "t1", "SET")
        await connection.execute("PREPARE history AS SELECT question FROM ask.history")
        await connection.execute(f"PREPARE report AS ASK (WHY) '{QUESTION}'")
        assert await rows(connection, "EXECUTE history")
        assert await rows(connection, "EXECUTE report")
        await connection.execute("SET app.tenant = 't2'")
        assert await rows(connection, "EXECUTE history") == []
        assert await rows(connection, "EXECUTE report") == []


async def test_the_same_tenant_keeps_its_memory(asked: AskedServer) -> None:
    async with asked.connection("shared") as connection:
        await ask_as(connection, "t1", "SET")
        await connection.execute("SET app.tenant = 't1'")
        await connection.execute("SET statement_timeout = '50s'")
        assert await rows(connection, "SELECT question FROM ask.history")
        assert await rows(connection, "SELECT question FROM ask.pins")
        assert await rows(connection, "ASK RIGHT")


@pytest.mark.parametrize(
    "policy",
    [
        "CREATE POLICY p ON pets USING (tenant = current_setting('app.' || 'ten' || 'ant', true))",
        "CREATE POLICY p ON pets USING (tenant = current_setting(lower(left('APP.TENANT', id + 9)), true))",
        "CREATE POLICY p ON pets USING (tenant = (SELECT setting FROM pg_settings WHERE name = 'app.tenant')"
        " OR id > 0)",
        "CREATE FUNCTION who() RETURNS text STABLE LANGUAGE sql AS"
        " $$ SELECT current_setting('app.' || 'tenant', true) $$;"
        "CREATE POLICY p ON pets USING (tenant = who() OR id > 0)",
        "CREATE FUNCTION who() RETURNS text STABLE LANGUAGE plpgsql AS"
        " $$ DECLARE t text; BEGIN SHOW app.tenant; RETURN 't1'; END $$;"
        "CREATE POLICY p ON pets USING (tenant = who() OR id > 0)",
    ],
)
async def test_where_it_cannot_be_known_nothing_is_remembered(
    empty_database: OwnDatabase, policy: str
) -> None:
    with filled(empty_database, TABLES + policy, "shared", "other") as database:
        async with asked_server(database) as asked, asked.connection("shared") as connection:
            asked.expert.answers(QUESTION, "SELECT name FROM pets")
            await connection.execute("SET app.tenant = 't1'")
            with suppress(psycopg.Error):  # the gate refuses a policy that calls a function of the user's
                await rows(connection, f"ASK '{QUESTION}'")
            await connection.execute("SET app.tenant = 't2'")
            found = await left_over(asked, connection)
            assert found in ([], ["ASK: NL006"])


class TwoReadings:
    """An expert with a likely reading and a less likely one."""

    name = "two readings"

    def __init__(self, relation: str) -> None:
        self.relation = relation

    async def propose(self, _planning: ExpertContext) -> list[Candidate]:
        sources = (f"SELECT name FROM {self.relation}", 0.8), (f"SELECT id FROM {self.relation}", 0.15)
        return [Candidate(sql, self.name, score=share, confidence=share) for sql, share in sources]


async def test_what_one_tenant_calls_wrong_is_not_wrong_for_another(asked: AskedServer) -> None:
    relation = "pets" if await row_security(asked) else "mine"
    asked.experts = (TwoReadings(relation),)
    async with asked.connection("shared") as one, asked.connection("shared") as other:
        for connection, tenant in ((one, "t1"), (other, "t2")):
            await connection.execute(f"SET app.tenant = '{tenant}'")
            await rows(connection, f"ASK '{QUESTION}'")
        await rows(one, "ASK WRONG")
        assert await rows(one, f"ASK '{QUESTION}'") == [(1,), (3,)]
        assert await rows(other, f"ASK '{QUESTION}'") == [("Ada",)]
        told = listen(one)
        await rows(one, f"ASK WRONG 'SELECT upper(name) FROM {relation}'")
        assert told[0][0] == "askwire: this SQL answers the question in this session from now on"
        assert "One role may stand for several tenants here" in told[0][2]
        assert await rows(one, f"ASK '{QUESTION}'") == [("REX",), ("TOM",)]
        assert await rows(other, f"ASK (FRESH) '{QUESTION}'") == [("Ada",)]
        assert await rows(other, "SELECT right_sql FROM ask.feedback") == []
        # the connection's next tenant has none of it
        await one.execute("SET app.tenant = 't2'")
        assert await rows(one, f"ASK '{QUESTION}'") == [("Ada",)]
    async with asked.connection("shared") as later:
        await later.execute("SET app.tenant = 't1'")
        assert await rows(later, f"ASK '{QUESTION}'") == [("Rex",), ("Tom",)]


async def row_security(asked: AskedServer) -> bool:
    async with asked.connection("shared") as connection:
        await connection.execute("SET app.tenant = 't1'")
        return len(await rows(connection, "SELECT id FROM pets")) == 2
