"""A batch whose opening, first statement or end goes wrong leaves the client's session as it found it.

None of them waits for the one before, so each has to be safe whatever became of that.
"""

from __future__ import annotations

import pytest
from doubles.scripted_resolver import probe
from doubles.time_bounds import Stopwatch
from servers.running_proxy import Proxy
from servers.wire_client import ConnectionEnded, send_cancel

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import DatabaseFailed
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.session.statements import batch as session_batch
from askwire.proxy.wire import messages

FAILS = "SELECT 1/floor(random())::int"


@pytest.mark.parametrize("setting", ["SET work_mem = '5MB'", "SET ROLE pg_read_all_data"])
async def test_a_setting_in_front_never_outlives_an_opening_that_fails(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    told = "SELECT current_setting('work_mem'), current_user"
    monkeypatch.setattr(session_batch, "_BEGIN", FAILS)
    async with proxy.client() as client:
        before = (await client.query(told)).rows
        answer = await client.query(f"{setting}; ASK 'x'")
        assert (answer.codes, answer.status) == (["22012"], "I")
        assert (await client.query(told)).rows == before


async def test_a_setting_in_front_is_in_force_behind_a_statement_that_fails_early(proxy: Proxy) -> None:
    """One that fails before it has its own savepoint is undone to the opening, and not further."""
    seen = []

    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            with pytest.raises(DatabaseFailed, match="statement_timeout"):
                await batch.read("SELECT 1", timeout_ms=-1)
            seen.append((await batch.read("SHOW work_mem")).rows[0][0])
            seen.append((await batch.read("SHOW lock_timeout")).rows[0][0])

    proxy.resolver.on("early", script)
    async with proxy.client() as client:
        assert (await client.query("SET work_mem = '5MB'; ASK 'early'")).rows == [("42",)]
    assert seen == ["5MB", "1s"]


async def test_a_statement_that_fails_early_is_not_undone_to_a_savepoint_of_the_client_s(
    proxy: Proxy,
) -> None:
    modes = []

    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            with pytest.raises(DatabaseFailed, match="statement_timeout"):
                await batch.read("SELECT 1", timeout_ms=-1)
            modes.append((await batch.read("SHOW transaction_read_only")).rows[0][0])

    proxy.resolver.on("early", script)
    async with proxy.client() as client:
        await client.query("BEGIN; CREATE TABLE kept (i int); SAVEPOINT askwire_statement")
        await client.query("INSERT INTO kept VALUES (1)")
        answer = await client.query("ASK 'early'")
        assert (modes, answer.rows, answer.status) == (["on"], [("42",)], "T")
        assert (await client.query("SELECT count(*) FROM kept")).rows == [("1",)]


@pytest.mark.parametrize("batches", [1, 2])
async def test_an_opening_that_fails_is_not_undone_to_a_savepoint_of_the_client_s(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    async def script(request: AskRequest) -> None:
        for _ in range(batches - 1):
            await probe(request)
        monkeypatch.setattr(session_batch, "READ_ENTRY", FAILS)
        await probe(request)

    proxy.resolver.on("fails", script)
    async with proxy.client() as client:
        await client.query("BEGIN; CREATE TABLE kept (i int); SAVEPOINT askwire_probe")
        await client.query("INSERT INTO kept VALUES (1)")
        answer = await client.query("ASK 'fails'")
        assert (answer.codes, answer.status) == (["22012"], "E")
        # it is still there, as behind any statement that fails
        answer = await client.query("ROLLBACK TO askwire_probe")
        assert (answer.codes, answer.status) == ([], "T")


async def test_an_end_that_fails_leaves_no_names(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(request: AskRequest) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(session_batch, "_RESTORE", (FAILS,))
            await probe(request)

    proxy.resolver.on("fails", script)
    async with proxy.client() as client:
        await client.query("BEGIN")
        answer = await client.query("ASK 'fails'")
        assert (answer.rows, answer.status) == ([("42",)], "T")
        left = await client.query("SELECT name, statement FROM pg_prepared_statements")
        assert left.rows == []


async def test_a_session_that_cannot_be_restored_ends_whoever_finds_out(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is what keeps the session awake: the client's next statement must not run in what is left."""
    monkeypatch.setattr(session_batch, "_RESTORE", (FAILS,))

    async def script(request: AskRequest) -> None:
        await probe(request)
        executor = request.executor
        await proxy.until(lambda: executor._alive is not None and executor._alive.done())

    proxy.resolver.on("fails", script)
    async with proxy.client() as client:
        await client.query("SET idle_in_transaction_session_timeout = '300ms'")
        await client.query("BEGIN")
        with pytest.raises(ConnectionEnded):
            await client.query("ASK 'fails'")


@pytest.mark.parametrize("ends", ["cancel", "abort"])
async def test_a_deferrable_block_that_waits_for_its_snapshot_can_be_canceled(
    proxy: Proxy, ends: str
) -> None:
    """Nothing but a cancel request ends that; the block then fails, as by any canceled statement."""
    async with proxy.direct() as other, proxy.client() as client:
        await other.query("CREATE TABLE kept (i int)")
        await other.query("BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO kept VALUES (1)")
        await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE")
        client.send(messages.query(b"ASK 'x'"))
        await proxy.running("", waiting_for="SafeSnapshot")
        taken = Stopwatch()
        if ends == "abort":
            client.abort()
            await proxy.until(lambda: not proxy.server._sessions)
        else:
            await send_cancel(proxy.address, client.process_id, client.secret)
            answer = await client.answer()
            assert (answer.codes, answer.status) == (["57014"], "E")
            for _ in range(5):
                assert (await client.query("ROLLBACK; SELECT 1")).rows == [("1",)]
        assert taken.within(6)


async def test_behind_one_that_took_its_time_nothing_runs_that_nobody_asks_for(proxy: Proxy) -> None:
    sent = []

    async def script(request: AskRequest) -> None:
        reads = [
            ReadStatement("SELECT pg_catalog.pg_sleep(9)", timeout_ms=50),
            *(ReadStatement(f"SELECT {n}") for n in range(5)),
        ]
        async with request.executor.batch() as batch:
            await read_ahead(batch, reads)
            sent.append(batch.statements)
            with pytest.raises(DatabaseFailed):
                await reads[0].made(batch)
            sent.append(batch.statements)
            for n, read in enumerate(reads[1:]):
                assert (await read.made(batch)).rows == ((str(n),),)
            sent.append(batch.statements)

    proxy.resolver.on("stops", script)
    async with proxy.client() as client:
        assert (await client.query("ASK 'stops'")).rows == [("42",)]
    assert sent[0] == sent[1] < sent[2]
