"""Statements of askwire's own wait for each other only where they must, and are as safe as if they did."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest
from doubles.scripted_resolver import probe
from doubles.time_bounds import Stopwatch
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import send_cancel

from askwire.bench.performance.far_link import FarLink
from askwire.core.ahead import ReadStatement, plan_ahead, read_ahead, run_ahead
from askwire.core.errors import DatabaseFailed, RefusedByGate, TooCostly
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.session.statements import batch as session_batch
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import connected, read_target
from askwire.proxy.wire import messages

if TYPE_CHECKING:
    from servers.databases import Database

CAPS = Caps(timeout_ms=5000, longest_ms=20_000, lock_timeout_ms=1000, max_rows=10, max_bytes=1 << 16)
FAR = 0.04
SLEEPS = [ReadStatement(f"SELECT {n}, pg_catalog.pg_sleep(4)") for n in range(5)]


@asynccontextmanager
async def far(database: Database, caps: Caps = CAPS) -> AsyncIterator[tuple[SessionExecutor, FarLink]]:
    """An executor whose server is far away."""
    with FarLink("127.0.0.1", database.port, FAR) as link:
        dsn = psycopg.conninfo.make_conninfo(database.dsn(), port=link.port)
        async with connected(read_target(dsn, {})) as connection:
            executor = connection.executor(caps)
            executor.admit(str)
            yield executor, link


@asynccontextmanager
async def near(database: Database, caps: Caps = CAPS) -> AsyncIterator[SessionExecutor]:
    async with connected(read_target(database.dsn(), {})) as connection:
        executor = connection.executor(caps)
        executor.admit(str)
        yield executor


# -- how often is waited -----------------------------------------------------------------------------------


async def test_a_batch_waits_for_its_statements_and_once_for_its_end(database: Database) -> None:
    async with far(database) as (executor, link):
        before = link.trips
        async with executor.batch() as batch:
            assert link.trips == before  # nothing is sent for nothing
            await batch.read("SELECT 1")
            assert link.trips == before + 1
            await batch.read("SELECT 2", timeout_ms=700)
            assert link.trips == before + 2
        assert link.trips == before + 3


async def test_a_batch_that_is_not_used_sends_nothing(database: Database) -> None:
    async with far(database) as (executor, link):
        before = link.trips
        async with executor.batch():
            pass
        assert (executor.statements, link.trips) == (0, before)


async def test_what_is_known_ahead_takes_one_round_trip_for_each_kind(database: Database) -> None:
    reads = [ReadStatement(f"SELECT {n}", timeout_ms=1000 * n) for n in range(1, 8)]
    texts = [f"SELECT {n} AS n" for n in range(7)]
    async with far(database) as (executor, link), executor.batch() as batch:
        before = link.trips
        await read_ahead(batch, reads)
        assert [(await read.made(batch)).rows for read in reads] == [((str(n),),) for n in range(1, 8)]
        assert link.trips == before + 1
        await plan_ahead(batch, texts)
        assert [(await batch.explain(text)).rows for text in texts] == [1] * 7
        assert link.trips == before + 2
        await run_ahead(batch, texts, max_rows=5)
        assert [(await batch.run(text, max_rows=5)).rows for text in texts] == [
            ((str(n),),) for n in range(7)
        ]
        assert link.trips == before + 3
        # an answer is given once: asked again, it is another statement
        assert (await batch.run(texts[0], max_rows=5)).rows == (("0",),)
        assert link.trips == before + 4


async def test_an_ask_waits_for_no_answer_that_it_does_not_need(
    start_proxy: StartProxy, database: Database
) -> None:
    """Two batches of one statement each and the chosen SQL: what undoes a batch is not waited for."""

    async def script(request: AskRequest) -> None:
        await probe(request)
        await probe(request)

    with FarLink("127.0.0.1", database.port, FAR) as link:
        async with start_proxy(backend=f"host=127.0.0.1 port={link.port}") as proxy, proxy.client() as client:
            proxy.resolver.on("twice", script)
            before = link.trips
            assert (await client.query("ASK 'twice'")).rows == [("42",)]
            assert link.trips <= before + 4
            assert (await client.query("BEGIN; SELECT 1")).status == "T"
            before = link.trips
            assert (await client.query("ASK 'twice'")).rows == [("42",)]
            assert link.trips <= before + 4
            assert (await client.query("COMMIT")).status == "I"


# -- errors ------------------------------------------------------------------------------------------------


async def test_an_error_is_told_of_its_own_statement_and_loses_no_other(database: Database) -> None:
    reads = [
        ReadStatement("SELECT 1"),
        ReadStatement("SELECT 1/0"),
        ReadStatement("SELECT 2", timeout_ms=900),
        ReadStatement("SELECT nothing"),
        ReadStatement("SELECT 'a\x00b'"),
        ReadStatement("SELECT pg_catalog.pg_sleep(9)", timeout_ms=50),
        ReadStatement("SELECT pg_catalog.current_setting('statement_timeout')", timeout_ms=800),
    ]
    told: list[object] = []
    async with near(database) as executor, executor.batch() as batch:
        await read_ahead(batch, reads)
        for read in reads:
            try:
                told.append((await read.made(batch)).rows[0][0])
            except DatabaseFailed as error:
                told.append(error.code)
        assert told == ["1", "22012", "2", "42703", "22021", "57014", "800ms"]
        assert (await batch.read("SELECT pg_catalog.current_setting('statement_timeout')")).rows == (("5s",),)


@pytest.mark.parametrize("begin", ["", "BEGIN", "BEGIN ISOLATION LEVEL SERIALIZABLE"])
async def test_errors_under_way_leave_the_client_s_transaction_as_it_was(proxy: Proxy, begin: str) -> None:
    async def script(request: AskRequest) -> None:
        request.executor.admit(str)
        for _ in range(2):
            async with request.executor.batch() as batch:
                await read_ahead(
                    batch, [ReadStatement("SELECT 1/0"), ReadStatement("SELECT 1"), ReadStatement("SELECT x")]
                )
                assert (await batch.read("SELECT 1")).rows == (("1",),)
                with pytest.raises(DatabaseFailed, match="division by zero"):
                    await batch.read("SELECT 1/0")
                with pytest.raises(DatabaseFailed):
                    await batch.read("SELECT x")

    proxy.resolver.on("errors", script)
    async with proxy.client() as client:
        await client.query("CREATE TABLE kept (i int)")
        if begin:
            assert not (await client.query(begin)).codes
            await client.query("INSERT INTO kept VALUES (1)")
        answer = await client.query("ASK 'errors'")
        assert (answer.rows, answer.status) == ([("42",)], "T" if begin else "I")
        told = await client.query("SELECT count(*), current_setting('statement_timeout') FROM kept")
        assert told.rows == [("1" if begin else "0", "0")]
        left = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'askwire%'"
        assert (await client.query(left)).rows == [("0",)]
        if begin:
            assert (await client.query("ROLLBACK TO askwire_statement")).codes == ["3B001"]
            await client.query("ROLLBACK")


async def test_what_is_refused_or_too_dear_is_not_sent_ahead(database: Database) -> None:
    def gate(sql: str) -> str:
        if "secret" in sql:
            raise RefusedByGate("no")
        return sql

    dear = "SELECT count(*) FROM pg_class a, pg_class b, pg_class c"
    texts = ["SELECT 'secret'", dear, "SELECT nothing", "SELECT 1"]
    caps = Caps(5000, 5000, 1000, 10, 1 << 16, max_cost=1000)
    async with near(database, caps) as executor:
        executor.admit(gate)
        async with executor.batch() as batch:
            await run_ahead(batch, texts)
            assert executor.statements == 0  # none of them is known to be cheap
            await plan_ahead(batch, texts)
            await run_ahead(batch, texts)
            sent = executor.statements
            assert (await batch.run("SELECT 1")).rows == (("1",),)
            with pytest.raises(RefusedByGate):
                await batch.explain(texts[0])
            assert (await batch.explain(dear)).total_cost > 1000
            with pytest.raises(TooCostly):
                await batch.run(dear)
            with pytest.raises(DatabaseFailed, match="nothing"):
                await batch.explain(texts[2])
            assert executor.statements == sent


# -- the opening that no one waited for --------------------------------------------------------------------


@pytest.mark.parametrize("fails", ["SELECT 1/0", "ROLLBACK", "SET LOCAL statement_timeout = 0"])
async def test_nothing_runs_behind_an_opening_that_fails(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Whatever becomes of it: no statement runs outside the transaction that protects the session."""

    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            await read_ahead(
                batch,
                [ReadStatement("SELECT nextval('steps')"), ReadStatement("INSERT INTO written VALUES (1)")],
            )

    monkeypatch.setattr(session_batch, "_BEGIN", fails)
    proxy.resolver.on("writes", script)
    async with proxy.client() as client:
        await client.query("CREATE SEQUENCE steps; CREATE TABLE written (i int)")
        answer = await client.query("ASK 'writes'")
        assert (len(answer.codes), answer.status) == (1, "I") or answer.rows == [("42",)]
        assert (await client.query("SELECT is_called FROM steps")).rows == [("f",)]
        assert (await client.query("SELECT count(*) FROM written")).rows == [("0",)]
        assert (await client.query("SHOW statement_timeout")).rows == [("0",)]


@pytest.mark.parametrize("cancels", [False, True])
async def test_an_opening_that_fails_in_a_block_fails_the_block_as_any_statement_does(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, cancels: bool
) -> None:
    fails = "SELECT 1/floor(random())::int FROM pg_sleep(0.5)"
    monkeypatch.setattr(session_batch, "READ_ENTRY", fails)
    async with proxy.client() as client:
        await client.query("BEGIN")
        client.send(messages.query(b"ASK 'x'"))
        if cancels:
            await proxy.running(fails)
            await send_cancel(proxy.address, client.process_id, client.secret)
        answer = await client.answer()
        assert (answer.codes, answer.status) == (["57014" if cancels else "22012"], "E")
        assert (await client.query("ROLLBACK; SELECT 1")).rows == [("1",)]


async def test_a_setting_in_front_that_fails_is_the_client_s_own_error(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await client.query("SET work_mem = 'much'; ASK 'x'")
        assert (answer.codes, answer.status) == (["22023"], "I")
        answer = await client.query("SET statement_timeout = '7s'; SET search_path = nowhere; ASK 'x'")
        assert (answer.rows, answer.status) == ([("42",)], "I")
        assert (await client.query("SHOW search_path")).rows == [("nowhere",)]


# -- cancel, and whatever else ends an ASK -----------------------------------------------------------------


@pytest.mark.parametrize("block", [False, True])
async def test_one_cancel_ends_all_that_is_under_way(proxy: Proxy, block: bool) -> None:
    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            await read_ahead(batch, SLEEPS)

    proxy.resolver.on("sleeps", script)
    async with proxy.client() as client:
        if block:
            await client.query("BEGIN")
        client.send(messages.query(b"ASK 'sleeps'"))
        await proxy.running("pg_sleep(4)")
        taken = Stopwatch()
        await send_cancel(proxy.address, client.process_id, client.secret)
        answer = await client.answer()
        assert (answer.codes, answer.status) == (["57014"], "E" if block else "I")
        assert taken.within(3)
        await client.query("ROLLBACK")
        for _ in range(20):
            assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_a_cancel_that_meets_the_backend_between_two_statements_is_sent_again(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            await read_ahead(batch, SLEEPS)

    requests = []
    cancel = proxy.server.cancel_backend

    async def ignored_at_first(key: bytes) -> None:
        requests.append(key)
        if len(requests) > 1:
            await cancel(key)

    proxy.resolver.on("sleeps", script)
    proxy.server.cancel_backend = ignored_at_first  # type: ignore[method-assign]
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'sleeps'"))
        await proxy.running("pg_sleep(4)")
        taken = Stopwatch()
        await send_cancel(proxy.address, client.process_id, client.secret)
        assert (await client.answer()).codes == ["57014"]
        assert taken.within(3)
        assert len(requests) == 2
        assert (await client.query("SELECT 1")).rows == [("1",)]


@pytest.mark.parametrize("block", [False, True])
async def test_a_cancel_right_behind_a_batch_meets_nothing_of_the_client_s(proxy: Proxy, block: bool) -> None:
    """What undoes the batch is under way: the ASK ends when it has been."""

    async def script(request: AskRequest) -> None:
        await probe(request)
        (session,) = proxy.server._sessions
        assert session.cancel()
        await asyncio.Event().wait()

    proxy.resolver.on("cancels", script)
    async with proxy.client() as client:
        for _ in range(10):
            if block:
                await client.query("BEGIN")
            answer = await client.query("ASK 'cancels'")
            assert (answer.codes, answer.status) == (["57014"], "E" if block else "I")
            assert (await client.query("ROLLBACK; SELECT 1")).rows == [("1",)]


async def test_a_backend_that_ends_behind_a_batch_ends_the_session(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> None:
        await probe(request)
        proxy.observer.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await proxy.settles_at(0)
        await probe(request)

    proxy.resolver.on("ends", script)
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'ends'"))
        assert await client.ended_with() == "57P01"


async def test_a_client_that_vanishes_with_statements_under_way_leaves_none_running(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            await read_ahead(batch, SLEEPS)

    proxy.resolver.on("sleeps", script)
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'sleeps'"))
        await proxy.running("pg_sleep(4)")
        taken = Stopwatch()
        client.abort()
        await proxy.settles_at(0)
        assert taken.within(3)


async def test_what_keeps_a_session_awake_reads_what_is_still_to_come(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> None:
        await probe(request)
        await asyncio.to_thread(time.sleep, 2.0)
        await probe(request)

    proxy.resolver.on("thinks", script)
    async with proxy.client() as client:
        await client.query("SET idle_session_timeout = '1500ms'")
        assert (await client.query("ASK 'thinks'")).rows == [("42",)]
        await client.query("SET idle_session_timeout = 0")


async def test_a_read_only_session_and_one_with_odd_settings(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> None:
        request.executor.admit(str)
        async with request.executor.batch() as batch:
            await plan_ahead(batch, ["SELECT 1", "SELECT x", "SELECT 2"])
            await run_ahead(batch, ["SELECT 1", "SELECT x", "SELECT 2"])
            assert (await batch.run("SELECT 2")).rows == (("2",),)
            with pytest.raises(DatabaseFailed) as failed:
                await batch.read("CREATE TABLE made (i int)")
            assert failed.value.code == "25006"

    proxy.resolver.on("odd", script)
    odd = (
        "default_transaction_read_only = on",
        "default_transaction_isolation = 'serializable'",
        "default_transaction_deferrable = on",
        "session_replication_role = replica",
        "lock_timeout = '3s'",
        "statement_timeout = '20s'",
        "plan_cache_mode = force_generic_plan",
    )
    async with proxy.client() as client:
        for setting in odd:
            assert not (await client.query(f"SET {setting}")).codes
        for begin in ("", "BEGIN", "BEGIN READ WRITE", "BEGIN ISOLATION LEVEL READ COMMITTED"):
            await client.query(begin or "SELECT 1")
            assert (await client.query("ASK 'odd'")).rows == [("42",)], begin
            told = await client.query(
                "SELECT current_setting('lock_timeout'), current_setting('statement_timeout')"
            )
            assert told.rows == [("3s", "20s")]
            await client.query("ROLLBACK")
