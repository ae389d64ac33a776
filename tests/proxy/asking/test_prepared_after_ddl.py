"""A prepared ASK runs only what the gate passes today: what it reads may have been given more to run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import psycopg
import pytest
from doubles.asked import AskedServer, asked_server
from servers.running_proxy import OwnDatabase, Proxy
from servers.wire_client import Answer, WireClient, bind

from askwire.core.errors import RefusedByGate
from askwire.proxy.asking import bound
from askwire.proxy.asking.requests import AskRequest, Rewrite
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import SYNC

TABLES = """
CREATE TABLE notes (id int PRIMARY KEY, text text);
INSERT INTO notes VALUES (1, 'a'), (2, 'b');
CREATE VIEW shown AS SELECT id, text FROM notes;
CREATE FUNCTION trap(given text) RETURNS text LANGUAGE plpgsql VOLATILE AS
  $$ BEGIN PERFORM pg_advisory_lock(4712); RETURN given; END $$;
"""
TRAPPED = "CREATE OR REPLACE VIEW shown AS SELECT id, trap(text) AS text FROM notes"
CAUGHT = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712"
QUESTION = "what is shown?"


@pytest.fixture
async def asked(empty_database: OwnDatabase, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AskedServer]:
    monkeypatch.setattr(
        bound, "VERDICT_SECONDS", -1.0
    )  # no verdict is fresh, within a tick of the clock either
    with empty_database.owner() as connection:
        connection.execute(TABLES)
        async with asked_server(empty_database) as running:
            running.expert.answers(QUESTION, "SELECT text FROM shown ORDER BY id")
            yield running
        connection.execute("DROP VIEW shown; DROP TABLE notes; DROP FUNCTION trap")


def beside(asked: AskedServer, statement: str) -> str:
    with asked.database.owner() as connection:
        found = connection.execute(statement.encode())
        return str(found.fetchall()) if found.description else ""


@pytest.mark.parametrize("in_block", [False, True])
async def test_what_the_gate_would_refuse_now_does_not_run(asked: AskedServer, in_block: bool) -> None:
    async with asked.connection() as connection:
        first = await connection.execute(f"ASK '{QUESTION}'", prepare=True)
        assert await first.fetchall() == [("a",), ("b",)]
        beside(asked, TRAPPED)
        if in_block:
            await connection.execute("BEGIN")
        with pytest.raises(psycopg.Error) as refused:
            await connection.execute(f"ASK '{QUESTION}'", prepare=True)
        if in_block:
            await connection.execute("ROLLBACK")
        assert refused.value.sqlstate == "0A000"
        assert "no longer safe" in str(refused.value.diag.message_primary)
        assert "trap" in str(refused.value.diag.message_detail)
        assert beside(asked, CAUGHT) == "[(0,)]"
        assert await (await connection.execute("SELECT 1")).fetchall() == [(1,)]


async def test_a_change_that_harms_nothing_is_not_noticed(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        for _ in range(3):
            found = await connection.execute(f"ASK '{QUESTION}'", prepare=True)
            assert await found.fetchall() == [("a",), ("b",)]
            beside(asked, "COMMENT ON TABLE notes IS 'harmless'")
    assert asked.questions == [QUESTION]


async def test_a_driver_that_prepares_again_by_itself_asks_again(asked: AskedServer) -> None:
    connection = await asyncpg.connect(
        host="127.0.0.1", port=asked.port, database=asked.database.name, user="postgres"
    )
    try:
        assert await connection.fetch(f"ASK '{QUESTION}'") == [("a",), ("b",)]
        beside(asked, TRAPPED)
        with pytest.raises(asyncpg.PostgresError) as refused:
            await connection.fetch(f"ASK '{QUESTION}'")
        assert refused.value.sqlstate == "NL006"
        beside(asked, "CREATE OR REPLACE VIEW shown AS SELECT id, text FROM notes")
        assert await connection.fetch(f"ASK '{QUESTION}'") == [("a",), ("b",)]
    finally:
        await connection.close()
    assert beside(asked, CAUGHT) == "[(0,)]"


async def group(client: WireClient, *parts: bytes) -> Answer:
    client.send(*parts, SYNC)
    return await client.answer()


@pytest.fixture
def proxy(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Proxy:
    monkeypatch.setattr(
        bound, "VERDICT_SECONDS", -1.0
    )  # no verdict is fresh, within a tick of the clock either

    async def number(_inquiry: AskRequest) -> Rewrite:
        return Rewrite("SELECT 42 AS answer", gated=True)

    proxy.resolver.on("number", number)
    return proxy


RUN = bind((), statement=b"s") + messages.describe_portal(b"") + messages.execute(b"")
ASKED = bind((b"number",), statement=b"s") + messages.describe_portal(b"") + messages.execute(b"")


@pytest.mark.parametrize(("text", "run"), [(b"ASK 'number'", RUN), (b"ASK $1", ASKED)])
async def test_each_message_keeps_its_own_answer(proxy: Proxy, text: bytes, run: bytes) -> None:
    async with proxy.client() as client:
        assert (await group(client, messages.parse(b"s", text), run)).kinds == "12TDCZ"
        assert (await group(client, run)).kinds == "2TDCZ"
        assert "SELECT 42 AS answer" in proxy.resolver.rechecked
        proxy.resolver.refuses = RefusedByGate("not now")
        answer = await group(client, run)
        assert (answer.kinds, answer.codes, answer.errors[0]["R"]) == (
            "EZ",
            ["0A000"],
            "RevalidateCachedQuery",
        )
        proxy.resolver.refuses = None
        assert (await group(client, run)).rows == [("42",)]
        assert (await group(client, run, run)).kinds == "2TDC2TDCZ"


async def test_behind_work_that_a_sync_would_commit_it_runs_as_it_was_judged(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"ASK 'number'"))
        proxy.resolver.refuses = RefusedByGate("not now")
        work = messages.parse(b"", b"SELECT 1") + bind(()) + messages.execute(b"")
        assert (await group(client, work, RUN)).kinds == "12DC2TDCZ"


async def test_a_fresh_verdict_costs_nothing(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bound, "VERDICT_SECONDS", 60.0)
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"ASK 'number'"), RUN)
        assert (await group(client, RUN)).rows == [("42",)]
    assert proxy.resolver.rechecked == []
