"""CancelRequest: it stops an ASK wherever it is, and hits nothing of the client's own by mistake."""

from __future__ import annotations

import asyncio
import socket

import pytest
from doubles.scripted_resolver import probe
from servers.running_proxy import Proxy
from servers.wire_client import PROTOCOL_3_2, Answer, WireClient, send_cancel

from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.connection.canceling import CancelUnanswered
from askwire.proxy.connection.canceling import send_cancel as send_cancel_to
from askwire.proxy.connection.dsn import parse_dsn
from askwire.proxy.session.statements.conversation import Conversation
from askwire.proxy.wire import messages


async def canceled(proxy: Proxy, client: WireClient) -> Answer:
    await send_cancel(proxy.address, client.process_id, client.secret)
    return await client.answer()


@pytest.mark.parametrize("block", [False, True])
@pytest.mark.parametrize("simple", [False, True])
async def test_while_it_thinks(proxy: Proxy, block: bool, simple: bool) -> None:
    gate = proxy.resolver.waits("think")
    async with proxy.client() as client:
        if block:
            await client.query("BEGIN")
        text = b"ASK 'think'"
        client.send(messages.query(text) if simple else messages.parse(b"", text) + messages.SYNC)
        await gate.reached()
        answer = await canceled(proxy, client)
        assert (answer.codes, answer.status) == (["57014"], "E" if block else "I")
        await client.query("ROLLBACK")
        assert (await client.query("ASK 'again'")).rows == [("42",)]


@pytest.mark.parametrize("block", [False, True])
async def test_while_a_probe_runs(proxy: Proxy, block: bool) -> None:
    proxy.resolver.sleeps("sleep")
    async with proxy.client() as client:
        if block:
            await client.query("BEGIN")
        client.send(messages.query(b"ASK 'sleep'"))
        await proxy.running("pg_sleep")
        answer = await canceled(proxy, client)
        assert (answer.codes, answer.status) == (["57014"], "E" if block else "I")
        assert answer.errors[0]["M"] == "canceling ASK due to user request"
        await client.query("ROLLBACK")
        # nothing of the cancel is left to hit what follows
        for _ in range(20):
            assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_by_a_client_that_does_not_wait(proxy: Proxy) -> None:
    """node-postgres ends its side right behind the request; the request counts all the same."""
    async with proxy.client() as client:
        client.send(messages.query(b"SELECT pg_sleep(20)"))
        await proxy.running("pg_sleep")
        _, writer = await asyncio.open_connection(*proxy.address)
        writer.write(messages.cancel_request(messages.UINT32.pack(client.process_id) + client.secret))
        writer.write_eof()
        assert (await client.answer()).codes == ["57014"]
        writer.close()


async def test_twice_while_a_probe_runs(proxy: Proxy) -> None:
    """The second must not interrupt the clean-up that the first began."""
    proxy.resolver.sleeps("sleep")
    async with proxy.client() as client:
        await client.query("BEGIN")
        client.send(messages.query(b"ASK 'sleep'"))
        await proxy.running("pg_sleep")
        (session,) = proxy.server._sessions
        for _ in range(5):
            session.cancel()
            await asyncio.sleep(0)
        answer = await client.answer()
        assert (answer.kinds, answer.codes, answer.status) == ("EZ", ["57014"], "E")
        assert (await client.query("ROLLBACK")).status == "I"
        assert (await client.query("ASK 'again'")).rows == [("42",)]


async def test_just_after_it_finished(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for _ in range(10):
            assert (await client.query("ASK 'x'")).rows == [("42",)]
            await send_cancel(proxy.address, client.process_id, client.secret)
            answer = await client.query("SELECT 1")
            assert answer.rows == [("1",)] or answer.codes == ["57014"]
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_at_any_moment_of_an_ask(proxy: Proxy) -> None:
    """Whatever it meets, the client gets one whole answer and the session goes on."""
    async with proxy.client() as client:
        for delay in range(40):
            client.send(messages.query(b"ASK 'x'"))
            for _ in range(delay):
                await asyncio.sleep(0)
            answer = await canceled(proxy, client)
            assert answer.rows == [("42",)] or answer.codes == ["57014"], answer
            assert answer.status == "I"
            answer = await client.query("SELECT 1")
            # a cancel that met the chosen query may have been late for it, as it may be for any query
            assert answer.rows == [("1",)] or answer.codes == ["57014"], answer


async def test_while_the_chosen_sql_runs(proxy: Proxy) -> None:
    proxy.resolver.answer = "SELECT 42 FROM pg_sleep(60)"
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'x'"))
        await proxy.running("SELECT 42 FROM pg_sleep")
        assert (await canceled(proxy, client)).codes == ["57014"]


async def test_while_the_ask_waits_behind_another_query(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.query(b"SELECT pg_sleep(60)"), messages.query(b"ASK 'x'"))
        await proxy.running("pg_sleep")
        assert (await canceled(proxy, client)).codes == ["57014"]
        assert (await client.answer()).rows == [("42",)]


async def test_while_the_ask_waits_for_an_open_group(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("BEGIN")
        parts = messages.parse(b"", b"SELECT pg_sleep(60)") + messages.bind(b"", b"") + messages.execute(b"")
        client.send(parts, messages.parse(b"a", b"ASK 'x'"), messages.SYNC)
        await proxy.running("pg_sleep")
        answer = await canceled(proxy, client)
        assert (answer.codes, answer.status) == (["57014"], "E")
    assert proxy.resolver.asked == []


async def test_an_ordinary_query(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.query(b"SELECT pg_sleep(60)"))
        await proxy.running("pg_sleep")
        assert (await canceled(proxy, client)).codes == ["57014"]


async def test_with_a_long_key(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("think")
    async with proxy.client(protocol=PROTOCOL_3_2) as client:
        if len(client.secret) == 4:
            pytest.skip("this PostgreSQL has no protocol 3.2")
        client.send(messages.query(b"ASK 'think'"))
        await gate.reached()
        assert (await canceled(proxy, client)).codes == ["57014"]


async def test_with_a_wrong_key_nothing_happens(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("think")
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'think'"))
        await gate.reached()
        wrong = bytes(byte ^ 1 for byte in client.secret)
        await send_cancel(proxy.address, client.process_id, wrong)
        await send_cancel(proxy.address, client.process_id + 1, client.secret)
        gate.open()
        assert (await client.answer()).rows == [("42",)]


async def short(request: AskRequest) -> None:
    """Work that its own time-out ends."""
    async with request.executor.batch() as batch:
        await batch.read("SELECT pg_sleep(60)", timeout_ms=300)


async def test_a_cancel_that_cannot_be_delivered_does_not_hurt(proxy: Proxy) -> None:
    """The time-out of the probe ends it then."""

    async def nowhere(key: bytes) -> None:
        raise ConnectionRefusedError("no")

    proxy.resolver.on("short", short)
    proxy.server.cancel_backend = nowhere  # type: ignore[method-assign]
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'short'"))
        await proxy.running("pg_sleep")
        answer = await canceled(proxy, client)
        assert (answer.kinds, answer.codes, answer.status) == ("EZ", ["57014"], "I")
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_a_cancel_that_may_still_be_carried_out_ends_the_session(proxy: Proxy) -> None:
    """It would meet the client's next statement, whenever it comes."""

    async def unanswered(key: bytes) -> None:
        raise CancelUnanswered

    proxy.resolver.on("short", short)
    proxy.server.cancel_backend = unanswered  # type: ignore[method-assign]
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'short'"))
        await proxy.running("pg_sleep")
        await send_cancel(proxy.address, client.process_id, client.secret)
        assert await client.ended_with() == "08006"


async def test_a_cancel_request_that_nobody_takes_is_told_from_one_that_was_not_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = parse_dsn(f"host=127.0.0.1 port={silent.getsockname()[1]} sslmode=disable")
        with pytest.raises(CancelUnanswered):
            await send_cancel_to(address, None, b"\0" * 8, 0.2)
    with pytest.raises(ConnectionRefusedError):
        await send_cancel_to(address, None, b"\0" * 8, 0.2)


async def test_a_time_out_of_the_resolver_stops_its_probe(proxy: Proxy) -> None:
    async def hasty(request: AskRequest) -> None:
        try:
            async with asyncio.timeout(0.2):
                await probe(request, "SELECT pg_sleep(25)")
        except TimeoutError:
            await probe(request)

    proxy.resolver.on("hasty", hasty)
    async with proxy.client() as client:
        for block in ("SELECT 1", "BEGIN"):
            await client.query(block)
            assert (await client.query("ASK 'hasty'")).rows == [("42",)]


BEGIN = messages.parse(b"", b"BEGIN") + messages.bind(b"", b"") + messages.execute(b"")
RUN = messages.bind(b"", b"") + messages.execute(b"")
EXCHANGES = {
    "make room": (BEGIN, messages.parse(b"", b"ASK 'x'") + RUN),
    "look": (BEGIN, messages.parse(b"", b"SELECT * FROM ask('x') AS t") + RUN),
    "state": (BEGIN, messages.parse(b"", b"SELECT count(*) FROM ask.history") + RUN),
    "bound": (
        b"",
        messages.parse(b"s", b"ASK $1") + messages.bind(b"", b"s", [b"x"]) + messages.execute(b""),
    ),
}


@pytest.mark.parametrize("name", EXCHANGES)
async def test_never_inside_an_exchange_of_ours(
    proxy: Proxy, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancel before each frame that askwire waits for: one answer, and the next is the next one's."""
    waited, cancel_at = 0, 0
    receive = Conversation.receive

    async def meddling(self: Conversation) -> tuple[int, bytes]:
        nonlocal waited
        (session,) = proxy.server._sessions
        asking = session._asking
        if isinstance(asking, AskInterception) and asking._work:
            waited += 1
            if waited == cancel_at:
                assert session.cancel()
                await asyncio.sleep(0)
        return await receive(self)

    async def scripted_state(look: object) -> dict[str, str]:
        return {"history": "(SELECT 42 AS id)"}

    monkeypatch.setattr(Conversation, "receive", meddling)
    monkeypatch.setattr(proxy.resolver, "state", scripted_state, raising=False)
    canceled_ones = 0
    async with proxy.client() as client:
        begin, ask = EXCHANGES[name]
        while waited >= cancel_at:
            waited, cancel_at = 0, cancel_at + 1
            client.send(begin + ask + messages.SYNC + messages.query(b"SELECT 'next'"))
            answer, following = await client.answer(), await client.answer()
            assert answer.kinds.count("Z") == 1
            if answer.codes:
                canceled_ones += 1
                assert answer.codes == ["57014"], (cancel_at, answer)
                assert following.codes == ["25P02"] if begin else following.rows == [("next",)]
            else:
                assert waited < cancel_at, (cancel_at, answer)
                assert following.rows == [("next",)]
            waited, cancel_at, before = 0, -1, (waited, cancel_at)
            await client.query("ROLLBACK")
            if name == "bound":
                # the book is right: the same question and another are answered under the same name
                for question in (b"x", b"y"):
                    client.send(messages.bind(b"", b"s", [question]) + messages.execute(b"") + messages.SYNC)
                    again = await client.answer()
                    assert again.rows == [("42",)] or again.codes, again
                await client.query("DEALLOCATE ALL")
            waited, cancel_at = before
    assert canceled_ones >= 2


async def test_an_exchange_of_ours_that_waits_for_a_lock(proxy: Proxy) -> None:
    """The backend is asked to cancel it, and nothing of that hits what follows."""
    proxy.resolver.answer = "SELECT 42 FROM locked"
    async with proxy.client() as owner, proxy.client() as client:
        await owner.query("CREATE TABLE locked (i int); INSERT INTO locked VALUES (1)")
        await owner.query("BEGIN; LOCK TABLE locked")
        run = messages.bind(b"", b"s", [b"x"]) + messages.execute(b"") + messages.SYNC
        client.send(messages.parse(b"s", b"ASK $1") + run)
        await proxy.running("SELECT 42 FROM locked")
        answer = await canceled(proxy, client)
        assert (answer.codes, answer.kinds.count("Z"), answer.status) == (["57014"], 1, "I")
        for _ in range(20):
            assert (await client.query("SELECT 1")).rows == [("1",)]
        await owner.query("COMMIT")
        client.send(run)
        assert (await client.answer()).rows == [("42",)]
