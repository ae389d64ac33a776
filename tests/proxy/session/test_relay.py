"""Bytes that are not ASK pass as they came, however they are cut; nothing piles up in between."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest
from doubles.scripted_resolver import ANSWER, ScriptedResolver
from hypothesis import example, given, settings
from hypothesis import strategies as st
from servers.memory_transport import READY, MemoryBackend
from servers.running_proxy import Proxy
from servers.wire_client import bind, copy_data

from askwire.core.settings.table import load
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.session.session import MAX_BACKLOG_BYTES
from askwire.proxy.wire import messages

SYNC = messages.SYNC

PLAIN = b"".join(
    (
        messages.query(b"SELECT 1"),
        messages.query(b"SELECT 'please ask', task, \"ASK\" FROM basket -- ask 'me'"),
        messages.query(b""),
        messages.parse(b"ask", b"SELECT ask FROM t WHERE ask = $1", (25, 0)),
        bind([b"ASK 'parameter'", None], statement=b"ask", portal=b"ask", binary=True),
        messages.describe_portal(b"ask"),
        messages.execute(b"ask", 3),
        messages.close_statement(b"ask"),
        messages.FLUSH,
        SYNC,
        messages.query(b"COPY asks FROM STDIN"),
        copy_data(b"ASK 'x'\n"),
        messages.frame(b"c", b""),
        messages.frame(b"F", b"\0\0\0\1\0\0\0\0\0\0"),
        messages.query(b"ASK\xff 'x'"),
        messages.query(b"EXPLAIN SELECT 'ASK'"),
        messages.frame(b"Q", b"ASK 'nul' \0 inside\0"),
        messages.frame(b"P", b"ASK 'malformed'"),
        SYNC,
        messages.TERMINATE,
    )
)
ASKING = b"".join(
    (
        messages.query(b"SELECT 'task'"),
        messages.query(b"ASK 'one'"),
        messages.parse(b"s", b"/* ask */ ASK 'two'", (25,)),
        bind(statement=b"s"),
        messages.execute(b""),
        SYNC,
        messages.query(b"SELECT 2"),
    )
)
ASKED = (ASKING.replace(messages.query(b"ASK 'one'"), messages.query(b"(" + ANSWER.encode() + b")"))).replace(
    messages.parse(b"s", b"/* ask */ ASK 'two'", (25,)),
    messages.parse(b"s", b"/* ask */ (" + ANSWER.encode() + b")", (25,)),
)


async def thinking_only(_: AskRequest) -> None:
    """Resolve without a look at the database."""


async def passed(*pieces: bytes) -> MemoryBackend:
    resolver = ScriptedResolver()
    resolver.on("one", thinking_only)
    resolver.on("two", thinking_only)
    backend = MemoryBackend(resolver)
    await backend.log_in()
    for piece in pieces:
        backend.from_client(piece)
        await backend.worked()
    return backend


async def test_a_stream_without_an_ask_passes_byte_by_byte_when_cut_anywhere() -> None:
    for at in range(len(PLAIN) + 1):
        backend = await passed(PLAIN[:at], PLAIN[at:])
        assert backend.received == PLAIN, at
        assert backend.resolver.asked == []


async def test_a_stream_in_single_bytes_passes() -> None:
    assert (await passed(*(PLAIN[at : at + 1] for at in range(len(PLAIN))))).received == PLAIN


async def test_only_the_ask_is_replaced_when_cut_anywhere() -> None:
    for at in range(len(ASKING) + 1):
        backend = await passed(ASKING[:at], ASKING[at:])
        assert backend.received == ASKED, at
        assert backend.resolver.asked == ["one", "two"]


@settings(max_examples=60)
@given(st.lists(st.integers(0, len(PLAIN)), max_size=12), st.binary(max_size=40))
@example([], bytes(5))  # no message has this length
def test_any_bytes_pass_however_they_are_cut(cuts: list[int], garbage: bytes) -> None:
    stream = PLAIN + garbage
    at = [0, *sorted(cuts), len(stream)]

    async def play() -> None:
        backend = await passed(*(stream[a:b] for a, b in pairwise(at)))
        # an unfinished message at the end may be one that holds an ASK
        assert stream.startswith(backend.received)
        assert len(stream) - len(backend.received) <= len(garbage)
        assert not backend.ended

    asyncio.run(play())


async def test_what_the_backend_says_passes_when_cut_anywhere() -> None:
    said = b"".join(
        (
            messages.frame(b"T", b"\0\0"),
            messages.frame(b"D", b"Z\0\0\0\5I" * 3),
            messages.error_response({"S": "ERROR", "M": "x" * 50}),
            messages.frame(b"S", b"client_encoding\0LATIN1\0"),
            READY,
        )
    )
    for at in range(len(said) + 1):
        backend = await passed()
        backend.from_backend(said[:at])
        backend.from_backend(said[at:])
        assert bytes(backend.client.written) == said
        assert backend.session.parameters == {"client_encoding": "LATIN1"}


async def test_an_ask_of_any_length_is_found() -> None:
    """The last byte of the length stands right in front of the text, and may look like a letter."""
    resolver = ScriptedResolver()
    resolver.on("one", thinking_only)
    backend = MemoryBackend(resolver)
    await backend.log_in()
    for padding in range(256):
        backend.from_client(messages.query(b"ASK 'one'" + b" " * padding))
        await backend.worked()
        assert len(resolver.asked) == padding + 1


async def test_an_ask_waits_for_the_whole_answer_of_what_came_before() -> None:
    resolver = ScriptedResolver()
    resolver.on("one", thinking_only)
    backend = MemoryBackend(resolver)
    await backend.log_in()
    backend.answering = False
    backend.from_client(messages.query(b"SELECT 1") + messages.query(b"ASK 'one'"))
    for piece in (messages.frame(b"D", b"Z\0\0\0\5I"), READY[:3]):
        backend.from_backend(piece)
        await backend.quiet()
        assert resolver.asked == []
    backend.from_backend(READY[3:])
    await backend.quiet()
    assert resolver.asked == ["one"]


async def test_a_backend_that_breaks_the_protocol_ends_the_session_alone() -> None:
    for nonsense in (b"Z\0\0\0\1", b"Z\0\0\0\5?", b"D\0\0\0\0"):
        backend = await passed(messages.query(b"SELECT 1"))
        backend.from_backend(nonsense)
        assert backend.ended


async def test_a_query_sent_ahead_of_the_log_in_waits_for_it() -> None:
    """It would not be counted otherwise, and an ASK behind it would take its answer for one of its own."""
    backend = MemoryBackend()
    backend.from_client(b"\0\0\0\x12\0\3\0\0user\0me\0\0"[:18] + messages.query(b"SELECT 1"))
    await backend.quiet()
    assert backend.received.endswith(b"user\0me\0\0" + messages.query(b"SELECT 1"))
    assert backend.relay.pipeline.answered


async def test_rows_and_copied_data_of_any_content_pass(proxy: Proxy) -> None:
    noise = random.Random(7).randbytes(3_000_000)
    async with proxy.client() as client:
        client.send(messages.parse(b"", b"SELECT $1::bytea, length($1)"))
        parameter = messages.INT32.pack(len(noise)) + noise
        client.send(messages.frame(b"B", b"\0\0\0\1\0\1\0\1" + parameter + b"\0\1\0\1"))
        client.send(messages.execute(b""), SYNC)
        row = (await client.answer()).of("D")[0]
        assert row == b"\0\2" + parameter + b"\0\0\0\4" + messages.INT32.pack(len(noise))


async def test_a_message_over_the_scan_limit_passes_without_a_look(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await client.query("ASK 'x' -- " + "x" * 1_100_000)
        assert (answer.codes, answer.status) == (["42601"], "I")
        assert 'at or near "ASK"' in answer.errors[0]["M"]
        assert (await client.query("SELECT 1 -- ask " + "x" * 1_100_000)).rows == [("1",)]
        assert (await client.query("ASK 'x' -- " + "x" * 900_000)).rows == [("42",)]
    assert proxy.resolver.asked == ["x"]


async def test_a_question_of_100_kb_reaches_the_resolver_whole(proxy: Proxy) -> None:
    question = "how many " * 11_000
    async with proxy.client() as client:
        assert (await client.query(f"ASK '{question}'")).rows == [("42",)]
        assert (await client.extended(f"ASK '{question}'")).rows == [("42",)]
    assert proxy.resolver.asked == [question] * 2


async def test_what_a_client_sends_behind_an_ask_is_bounded(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("wait")
    async with proxy.client() as client:
        client.send(messages.query(b"ASK 'wait'"))
        await gate.reached()
        (session,) = proxy.server._sessions
        padding = b" -- " + b"x" * 50_000
        count = 200
        for n in range(count):
            client.send(messages.query(b"SELECT %d" % n + padding))
        await proxy.until(lambda: "backlog" in session.client._blockers)
        for _ in range(100):
            await asyncio.sleep(0)
        assert MAX_BACKLOG_BYTES < len(session._buffer) < MAX_BACKLOG_BYTES + 300_000
        gate.open()
        assert (await client.answer()).rows == [("42",)]
        assert [(await client.answer()).rows for _ in range(count)] == [[(str(n),)] for n in range(count)]


async def test_a_reader_that_is_slow_slows_the_backend_and_an_ask_behind_it_waits(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        rows = 400
        client.send(messages.query(b"SELECT repeat('x', 100000) FROM generate_series(1, %d)" % rows))
        client.send(messages.query(b"ASK 'x'"))
        await client.drain()
        (session,) = proxy.server._sessions
        backend = session._backend
        assert backend is not None
        await proxy.until(lambda: bool(backend._blockers))
        assert session.client._transport is not None
        assert session.client._transport.get_write_buffer_size() < 1_000_000
        assert proxy.resolver.asked == []
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        assert len((await client.answer()).rows) == rows
        assert (await client.answer()).rows == [("42",)]


async def test_a_session_of_replication_is_not_scanned(proxy: Proxy) -> None:
    async with proxy.client(parameters={"replication": "database"}) as client:
        assert (await client.query("ASK 'x'")).codes == ["42601"]
        assert (await client.query("IDENTIFY_SYSTEM")).rows
    assert proxy.resolver.asked == []


@pytest.mark.parametrize(("limit", "looked_at"), [("100B", False), ("0", True)])
async def test_the_scan_limit_is_the_operators(limit: str, looked_at: bool) -> None:
    resolver = ScriptedResolver()
    resolver.on("one", thinking_only)
    backend = MemoryBackend(resolver, load({"scan_limit": limit}))
    await backend.log_in()
    backend.from_client(messages.query(b"ASK 'one' " + b" " * 100))
    await backend.quiet()
    assert (resolver.asked == ["one"]) is looked_at
    assert (b"ASK" in backend.received) is not looked_at
