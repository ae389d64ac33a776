"""Places where one thing ends and another begins: each of these once went wrong, or nearly did."""

from __future__ import annotations

import asyncio
import socket

import psycopg
import pytest
from doubles.scripted_resolver import probe
from servers.memory_transport import MemoryBackend
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import ConnectionEnded, WireClient

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.proxy.asking.requests import AskRequest, Rewrite
from askwire.proxy.session.statements import batch as session_batch
from askwire.proxy.wire import messages


async def test_a_session_that_ends_before_its_ask_takes_a_step_is_gone() -> None:
    # a task canceled before it has begun runs nothing of its own, so its clean-up ran never
    backend = MemoryBackend()
    await backend.log_in()
    backend.from_client(messages.query(b"ASK 'x'"))
    assert backend._side is not None
    backend.session.side_lost(backend._side)
    await backend.quiet()
    assert backend.ended
    assert backend.client.closed


async def test_a_last_word_never_stands_in_the_middle_of_a_row() -> None:
    backend = MemoryBackend()
    await backend.log_in()
    backend.answering = False
    row = messages.frame(b"D", bytes(1000))
    backend.from_client(messages.query(b"SELECT 1") + messages.query(b"ASK 'x'"))
    backend.from_backend(row[:500])
    backend.session.refuse("57P01", "bye")
    await backend.quiet()
    assert bytes(backend.client.written) == row[:500]
    assert backend.ended


async def test_a_login_that_meets_an_unforeseen_error_tells_the_client(
    start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    error = UnicodeError("label too long: secret")

    async def connect_backend(_session: object, *, other_way: bool) -> None:
        raise error

    async with start_proxy() as proxy:
        monkeypatch.setattr(proxy.server, "connect_backend", connect_backend)
        with pytest.raises(Exception, match="internal error") as refused:
            await WireClient.login(proxy.address, proxy.database.name)
        assert "secret" not in str(refused.value)
        assert "UnicodeError" in caplog.text
        assert "secret" not in caplog.text


async def test_an_ask_behind_a_copy_gets_postgresql_s_own_answer(proxy: Proxy) -> None:
    """A Query in the middle of COPY data is an error of the client's; waiting for its end would be ours."""
    answers = []
    for ask in (b"ASK 'x'", b"ask_nothing"):
        async with proxy.client() as client:
            await client.query("CREATE TEMP TABLE t (a text)")
            client.send(messages.query(b"COPY t FROM STDIN") + messages.query(ask))
            answers.append([fields["C"] for fields in await _errors(client)])
    assert answers[0] == answers[1] != []


@pytest.mark.parametrize("known", [True, False], ids=["copying is known", "in one packet"])
async def test_an_ask_behind_a_copy_that_has_failed_is_answered(proxy: Proxy, known: bool) -> None:
    """PostgreSQL says that it copies before it says that the data is wrong: the copy is over by then."""
    copy, wrong = messages.query(b"COPY t FROM STDIN"), messages.frame(b"d", b"no number\n")
    ask = messages.parse(b"", b"ASK 'x'") + messages.SYNC
    async with proxy.client() as client:
        for _ in range(5):
            await client.query("CREATE TEMP TABLE IF NOT EXISTS t (a int)")
            client.send(copy if known else copy + wrong + ask)
            if known:
                assert (await client.receive())[0] == "G"
                client.send(wrong + ask)
            kinds: list[str] = []
            async with asyncio.timeout(20):
                while kinds.count("Z") < 2:
                    kinds.append((await client.receive())[0])
            assert "".join(kinds) == ("" if known else "G") + "EZ1Z"


async def _errors(client: WireClient) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    async with asyncio.timeout(20):
        while True:
            try:
                kind, payload = await client.receive()
            except ConnectionEnded:
                return found
            if kind == "E":
                found.append(messages.read_fields(payload))
            elif kind == "Z":
                return found


async def test_no_cap_on_candidates_cuts_what_the_gate_must_know(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> Rewrite:
        request.executor.admit(lambda sql: sql)
        async with request.executor.batch() as batch:
            own = await batch.read("SELECT pg_catalog.repeat('x', 3000000)")
            theirs = await batch.run("SELECT pg_catalog.repeat('x', 3000000)")
            again = await batch.read("SELECT pg_catalog.repeat('x', 3000000)")
        lengths = [len(r.rows) for r in (own, theirs, again)]
        return Rewrite(f"SELECT '{lengths}{theirs.truncated}'::text AS told")

    proxy.resolver.on("cut", script)
    async with proxy.client() as client:
        assert (await client.query("ASK 'cut'")).rows == [("[1, 0, 1]True",)]


async def test_no_statement_takes_any_amount_of_memory(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked up in the data is as large as its values are: it fails, and is never cut."""

    async def script(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            for wide, rows in ((3_000_000, 1), (1000, 2000)):
                with pytest.raises(DatabaseFailed, match="exceeds 1000000 bytes") as failed:
                    await batch.read(f"SELECT pg_catalog.repeat('x', {wide}) FROM generate_series(1, {rows})")
                assert failed.value.code == "54000"
            assert (await batch.read("SELECT 1")).rows == (("1",),)

    monkeypatch.setattr(session_batch, "MOST_READ", 1_000_000)
    proxy.resolver.on("wide", script)
    async with proxy.client() as client:
        assert (await client.query("ASK 'wide'")).rows == [("42",)]


async def test_nothing_machine_written_runs_before_there_is_a_gate(proxy: Proxy) -> None:
    async def script(request: AskRequest) -> Rewrite:
        async with request.executor.batch() as batch:
            with pytest.raises(RefusedByGate):
                await batch.run("SELECT 1")
            with pytest.raises(RefusedByGate):
                await batch.explain("SELECT 1")
        return Rewrite("SELECT 'refused'::text AS told")

    proxy.resolver.on("early", script)
    async with proxy.client() as client:
        assert (await client.query("ASK 'early'")).rows == [("refused",)]


async def test_reports_say_what_they_can_in_the_client_s_encoding(proxy: Proxy) -> None:
    async def script(_inquiry: AskRequest) -> Rewrite:
        return Rewrite("SELECT 'ä → b'::text AS why", report=True)

    async def query(_inquiry: AskRequest) -> Rewrite:
        return Rewrite("SELECT 'ä → b'::text AS answer")

    proxy.resolver.on("why", script)
    proxy.resolver.on("answer", query)
    async with await psycopg.AsyncConnection.connect(proxy.dsn(), autocommit=True) as connection:
        await connection.execute("SET client_encoding = 'LATIN1'")
        assert await (await connection.execute("ASK 'why'")).fetchall() == [("ä ? b",)]
        with pytest.raises(psycopg.DatabaseError) as failed:
            await connection.execute("ASK 'answer'")
        assert failed.value.sqlstate == "NL007"


async def test_what_the_session_s_timers_leave_is_known(proxy: Proxy) -> None:
    entries = []

    async def script(request: AskRequest) -> Rewrite:
        await probe(request)
        entries.append(request.executor.entry)
        return Rewrite("SELECT 1 AS one")

    proxy.resolver.on("timers", script)
    async with proxy.client() as client:
        await client.query("SET statement_timeout = '7s'; SET idle_in_transaction_session_timeout = '8s'")
        await client.query("SET idle_session_timeout = '9s'")
        await client.query("ASK 'timers'")
        await client.query("BEGIN")
        await client.query("ASK 'timers'")
    outside, inside = entries
    assert (outside.statement_timeout, outside.idle_timeout, outside.transaction_left_ms) == (
        "7s",
        "9s",
        None,
    )
    assert (inside.statement_timeout, inside.idle_timeout, inside.transaction_left_ms) == ("7s", "8s", None)
    assert (outside.read_only, inside.read_only) == (True, False)


async def test_peers_that_lose_their_power_are_noticed(proxy: Proxy) -> None:
    async with proxy.client():
        (session,) = proxy.server._sessions
        for side in (session.client, session._backend):
            sock = side._transport.get_extra_info("socket")  # type: ignore[union-attr]
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
