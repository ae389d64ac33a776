"""However a session ends, nothing of it stays, and who is left hears why."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Self

import pytest
from doubles.scripted_resolver import ScriptedResolver, probe
from servers.memory_transport import MemoryBackend
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import ConnectionEnded, ServerRefused, WireClient

from askwire.core.settings.table import Settings, load
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.server import run
from askwire.proxy.wire import messages


async def log_in(proxy: Proxy) -> WireClient:
    return await WireClient.login(proxy.address, proxy.database.name)


async def gone(proxy: Proxy) -> None:
    """Everything of every session is gone, though the server goes on."""
    await proxy.settles_at(0)
    await proxy.until(lambda: not proxy.server._sessions)
    assert not proxy.server.served
    assert not proxy.server._by_key
    assert not proxy.server._logins


async def terminate(proxy: Proxy) -> None:
    async with proxy.direct() as other:
        answer = await other.query(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' AND application_name <> 'observer'"
        )
        assert answer.rows == [("1",)]


# -- the client goes -------------------------------------------------------------------------------------

LEAVES = pytest.mark.parametrize("leave", ["abort", "close", "terminate and close"])


async def leave_by(client: WireClient, leave: str) -> None:
    if leave == "abort":
        client.abort()
    elif leave == "close":
        client.writer.close()
    else:
        await client.close()


@LEAVES
async def test_a_client_vanishes_while_idle_in_a_block(proxy: Proxy, leave: str) -> None:
    client = await log_in(proxy)
    await client.query("BEGIN")
    await leave_by(client, leave)
    await gone(proxy)


@LEAVES
@pytest.mark.parametrize("block", [False, True])
async def test_a_client_vanishes_while_its_ask_thinks(proxy: Proxy, leave: str, block: bool) -> None:
    gate = proxy.resolver.waits("think")
    client = await log_in(proxy)
    if block:
        await client.query("BEGIN")
    client.send(messages.query(b"ASK 'think'"))
    await gate.reached()
    await leave_by(client, leave)
    await gone(proxy)


@LEAVES
@pytest.mark.parametrize("block", [False, True])
async def test_a_client_vanishes_while_a_probe_runs(proxy: Proxy, leave: str, block: bool) -> None:
    proxy.resolver.sleeps("sleep")
    client = await log_in(proxy)
    if block:
        await client.query("BEGIN")
    client.send(messages.query(b"ASK 'sleep'"))
    await proxy.running("pg_sleep")
    await leave_by(client, leave)
    await gone(proxy)


@pytest.mark.parametrize("block", [False, True])
async def test_a_client_that_only_stops_sending_gets_its_answer(proxy: Proxy, block: bool) -> None:
    gate = proxy.resolver.waits("think")
    client = await log_in(proxy)
    if block:
        await client.query("BEGIN")
    client.send(messages.query(b"ASK 'think'"), messages.query(b"SELECT 1"))
    client.writer.write_eof()
    await gate.reached()
    # what is written to see whether it is there is nothing new to it
    kind, payload = await client.receive()
    assert (kind, payload) == ("S", b"integer_datetimes\0on\0")
    gate.open()
    assert (await client.answer()).rows == [("42",)]
    assert (await client.answer()).rows == [("1",)]
    assert await client.ended() == []
    client.writer.close()
    await gone(proxy)


@pytest.mark.parametrize("leave", ["abort", "close"])
async def test_a_client_that_is_far_ahead_vanishes(proxy: Proxy, leave: str) -> None:
    """Its bytes are not read any more, and so its end is not seen either."""
    proxy.resolver.waits("think")
    client = await log_in(proxy)
    client.send(messages.query(b"ASK 'think'"), messages.query(b"SELECT 1") * 50_000)
    (session,) = proxy.server._sessions
    await proxy.until(lambda: session._crowded)
    await leave_by(client, leave)
    await gone(proxy)


async def test_a_client_cancels_and_vanishes(proxy: Proxy) -> None:
    """The answer to the cancel has no one to go to; the session must not come to life again for it."""
    proxy.resolver.sleeps("sleep")
    client = await log_in(proxy)
    client.send(messages.query(b"ASK 'sleep'"))
    await proxy.running("pg_sleep")
    (session,) = proxy.server._sessions
    assert session.cancel()
    session.side_lost(session.client)
    await gone(proxy)
    client.writer.close()


async def test_a_client_vanishes_behind_a_query_that_runs(proxy: Proxy) -> None:
    """The query itself goes on until the backend notices, as without a proxy."""
    client = await log_in(proxy)
    client.send(messages.query(b"SELECT pg_sleep(0.5)"))
    await proxy.running("pg_sleep")
    client.abort()
    await gone(proxy)


async def test_a_client_vanishes_in_the_middle_of_its_rows(proxy: Proxy) -> None:
    client = await log_in(proxy)
    client.send(messages.query(b"SELECT repeat('x', 10000) FROM generate_series(1, 1000000)"))
    await client.until("D")
    client.abort()
    await gone(proxy)


async def test_a_client_vanishes_while_the_ask_waits_behind_a_query(proxy: Proxy) -> None:
    client = await log_in(proxy)
    client.send(messages.query(b"SELECT pg_sleep(0.5)"), messages.query(b"ASK 'x'"))
    await proxy.running("pg_sleep")
    client.abort()
    await gone(proxy)
    assert proxy.resolver.asked == []


# -- the backend goes ------------------------------------------------------------------------------------


async def test_a_backend_is_terminated_while_idle(proxy: Proxy) -> None:
    client = await log_in(proxy)
    await terminate(proxy)
    assert await client.ended_with() == "57P01"
    client.writer.close()
    await gone(proxy)


async def test_a_backend_is_terminated_behind_rows_that_a_slow_reader_has_not_read(proxy: Proxy) -> None:
    client = await log_in(proxy)
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    rows = b"SELECT repeat('x', 100000), pg_sleep(i / 9 * 60) FROM generate_series(1, 9) i"
    client.send(messages.query(rows))
    await proxy.running("pg_sleep", waiting_for="PgSleep")
    await terminate(proxy)
    client.writer.transport.resume_reading()  # type: ignore[attr-defined]
    assert await client.ended_with() == "57P01"
    client.writer.close()
    await gone(proxy)


@pytest.mark.parametrize("block", [False, True])
async def test_a_backend_is_terminated_while_the_ask_thinks(proxy: Proxy, block: bool) -> None:
    gate = proxy.resolver.waits("think")
    client = await log_in(proxy)
    if block:
        await client.query("BEGIN")
    client.send(messages.query(b"ASK 'think'"))
    await gate.reached()
    await terminate(proxy)
    assert await client.ended_with() == "57P01"
    client.writer.close()
    await gone(proxy)


@pytest.mark.parametrize("block", [False, True])
async def test_a_backend_is_terminated_while_a_probe_runs(proxy: Proxy, block: bool) -> None:
    proxy.resolver.sleeps("sleep")
    client = await log_in(proxy)
    if block:
        await client.query("BEGIN")
    client.send(messages.query(b"ASK 'sleep'"))
    await proxy.running("pg_sleep")
    await terminate(proxy)
    errors = [messages.read_fields(p)["C"] for k, p in await client.ended() if k == "E"]
    assert errors == ["57P01"]
    client.writer.close()
    await gone(proxy)


@pytest.mark.parametrize("block", [False, True])
async def test_timers_of_idle_sessions_do_not_end_an_ask_that_thinks(proxy: Proxy, block: bool) -> None:
    async def thinks(request: AskRequest) -> None:
        await probe(request)
        # longer than the timer, by the clock that the timer goes by
        while (await now(proxy)) < ends:  # noqa: ASYNC110 - a clock of another process
            await asyncio.sleep(0.05)
        await probe(request)

    proxy.resolver.on("think", thinks)
    async with proxy.client() as client:
        timer = "idle_in_transaction_session_timeout" if block else "idle_session_timeout"
        ends = await now(proxy) + 3
        await client.query(f"SET {timer} = '2s'")
        if block:
            await client.query("BEGIN")
        assert (await client.query("ASK 'think'")).rows == [("42",)]
        await client.query("ROLLBACK")
        # the timer itself is as it was
        client.send(messages.query(b"BEGIN" if block else b"SELECT 1"))
        assert await client.ended_with() == ("25P03" if block else "57P05")


async def now(proxy: Proxy) -> float:
    """The database server's clock, in seconds."""
    row = await asyncio.to_thread(
        lambda: proxy.observer.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    )
    assert row
    return float(row[0])


@pytest.mark.parametrize("probing", [False, True])
@pytest.mark.parametrize("how", ["eof", "lost"])
async def test_a_backend_that_vanishes_without_a_word(probing: bool, how: str) -> None:
    async def script(request: AskRequest) -> None:
        reached.set()
        if probing:
            await probe(request)
        await asyncio.Event().wait()

    reached = asyncio.Event()
    resolver = ScriptedResolver()
    resolver.on("x", script)
    backend = MemoryBackend(resolver)
    await backend.log_in()
    backend.answering = False
    backend.from_client(messages.query(b"ASK 'x'"))
    await reached.wait()
    await backend.quiet()
    assert backend._side is not None
    (backend.session.side_eof if how == "eof" else backend.session.side_lost)(backend._side)
    await backend.quiet()
    assert backend.ended
    assert backend.client.closed


async def test_a_last_word_that_comes_with_the_end_itself_is_passed_on_once() -> None:
    async def script(request: AskRequest) -> None:
        reached.set()
        await asyncio.Event().wait()

    reached = asyncio.Event()
    resolver = ScriptedResolver()
    resolver.on("x", script)
    backend = MemoryBackend(resolver)
    await backend.log_in()
    backend.from_client(messages.query(b"ASK 'x'"))
    await reached.wait()
    assert backend._side is not None
    last = messages.fatal("57P01", "bye")
    backend.from_backend(last)
    backend.session.side_eof(backend._side)
    await backend.quiet()
    assert bytes(backend.client.written) == last
    assert backend.ended


# -- the server goes -------------------------------------------------------------------------------------


async def test_stopping_ends_every_session_with_a_reason(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("think")
    proxy.resolver.sleeps("sleep")
    idle, blocked, thinking, probing = [await log_in(proxy) for _ in range(4)]
    await blocked.query("BEGIN")
    thinking.send(messages.query(b"ASK 'think'"))
    probing.send(messages.query(b"ASK 'sleep'"))
    await gate.reached()
    await proxy.running("pg_sleep")
    await proxy.server.stop()
    for client in (idle, blocked, thinking, probing):
        assert await client.ended_with() == "57P01"
        client.writer.close()
    await gone(proxy)
    with pytest.raises(ConnectionRefusedError):
        await WireClient.connect(*proxy.address)


async def test_stopping_in_the_middle_of_a_row_breaks_no_message(proxy: Proxy) -> None:
    client = await log_in(proxy)
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    client.send(messages.query(b"SELECT repeat('x', 50000000)"))
    await client.drain()
    (session,) = proxy.server._sessions
    relay = session.relay
    assert relay
    await proxy.until(lambda: not relay.at_boundary)
    await proxy.server.stop()
    client.writer.transport.resume_reading()  # type: ignore[attr-defined]
    kinds = {kind for kind, _ in await client.ended()}
    assert kinds <= {"T"}
    client.writer.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_the_server(proxy: Proxy, number: signal.Signals) -> None:
    addresses: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
    settings = load({"backend": f"host=127.0.0.1 port={proxy.database.port}", "listen": "127.0.0.1:0"})
    serving = asyncio.create_task(run(settings, ready=lambda h, p: addresses.put_nowait((h, p))))
    client = await WireClient.login(await addresses.get(), proxy.database.name)
    os.kill(os.getpid(), number)
    async with asyncio.timeout(10):
        await serving
    assert await client.ended_with() == "57P01"
    with pytest.raises(ConnectionEnded):
        await client.receive()
    client.writer.close()


class RunningServer:
    """`server.run` in this process, with one client; signals go to the process."""

    def __init__(self, proxy: Proxy, reread: Callable[[], Settings] | None = None, **given: str) -> None:
        self._addresses: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
        backend = f"host=127.0.0.1 port={proxy.database.port}"
        settings = load({"backend": backend, "listen": "127.0.0.1:0", "store": "memory", **given})
        ready = self._addresses.put_nowait
        self._task = asyncio.create_task(run(settings, ready=lambda h, p: ready((h, p)), reread=reread))
        self._database = proxy.database.name

    async def __aenter__(self) -> Self:
        self.address = await self._addresses.get()
        self.client = await WireClient.login(self.address, self._database)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.client.writer.close()
        self._task.cancel()  # a signal that comes when the server has just ended would end this process
        with suppress(asyncio.CancelledError):
            async with asyncio.timeout(10):
                await self._task


async def test_on_sigterm_a_transaction_may_end(proxy: Proxy) -> None:
    async with RunningServer(proxy) as serving:
        idle = await WireClient.login(serving.address, proxy.database.name)
        await serving.client.query("BEGIN")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await idle.ended_with() == "57P01"
        idle.writer.close()
        with pytest.raises(ConnectionRefusedError):
            await WireClient.connect(*serving.address)
        assert (await serving.client.query("SELECT 1")).rows == [("1",)]
        assert (await serving.client.query("COMMIT")).status == "I"
        assert await serving.client.ended_with() == "57P01"


@pytest.mark.parametrize("again", [None, signal.SIGTERM])
async def test_nobody_waits_longer_than_the_operator_says(proxy: Proxy, again: signal.Signals | None) -> None:
    async with RunningServer(proxy, shutdown_timeout="30s" if again else "100ms") as serving:
        idle = await WireClient.login(serving.address, proxy.database.name)
        serving.client.send(messages.query(b"BEGIN") + messages.query(b"SELECT pg_sleep(3)"))
        await serving.client.answer()
        os.kill(os.getpid(), signal.SIGTERM)
        assert await idle.ended_with() == "57P01"
        idle.writer.close()
        if again:
            os.kill(os.getpid(), again)
        assert await serving.client.ended_with() == "57P01"


async def test_on_sighup_the_settings_are_read_again(proxy: Proxy, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    given = {"max_clients": "0"}

    def reread() -> Settings:
        return load({"backend": "host=elsewhere", "store": "memory", **given})

    async with RunningServer(proxy, reread) as serving:
        for value, logged in (
            ("1", "changed: max_clients"),
            ("many", "the settings stay as they are: setting 'max_clients' cannot be 'many'"),
        ):
            given["max_clients"] = value
            os.kill(os.getpid(), signal.SIGHUP)
            async with asyncio.timeout(10):
                while logged not in caplog.text:  # noqa: ASYNC110 - the log has no event
                    await asyncio.sleep(0.001)
        assert "a change needs a restart: listen, backend" in caplog.text
        with pytest.raises(ServerRefused) as refused:
            await WireClient.login(serving.address, proxy.database.name)
        assert refused.value.code == "53300"
        assert (await serving.client.query("SELECT 1")).rows == [("1",)]


async def test_a_session_in_which_nothing_travels_is_ended(start_proxy: StartProxy) -> None:
    async with start_proxy(client_idle_timeout="300ms") as proxy, proxy.client() as busy:
        idle = await log_in(proxy)
        busy.send(messages.query(b"SELECT pg_sleep(1)"))
        assert await idle.ended_with() == "57P05"
        idle.writer.close()
        assert (await busy.answer()).kinds == "TDCZ"
