"""ASKs as they happen: the list in memory, and the stream of it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiohttp import ClientError, ClientResponse
from servers.running_console import ConsoleServer, StartConsole, begun

from askwire.proxy.memory.live import MAX_ENDED_ASKS, Live, spans


def test_spans_put_steps_of_one_stage_together() -> None:
    steps = [("a", 1.0), ("a", 2.0), ("b", 5.0), ("a", 6.0)]
    assert spans(steps) == (("a", 2.0), ("b", 5.0), ("a", 6.0))


async def test_an_ask_is_seen_until_it_ends_and_afterwards() -> None:
    live = Live(lambda: 1000.0)
    trace = begun(live)
    (seen,) = live.under_way
    assert (seen.key, seen.question, seen.outcome) == (trace.id, "how many?", "")
    assert live.find(trace.id) == seen
    live.ended(trace, "NL001", "two readings fit")
    assert not live.under_way
    (ended,) = live.latest
    assert (ended.key, ended.outcome, ended.message) == (trace.id, "NL001", "two readings fit")
    assert live.find(trace.id) is None


async def test_who_keeps_no_history_is_not_seen() -> None:
    live = Live(lambda: 1000.0)
    trace = begun(live, history="off")
    assert not live.under_way
    live.ended(trace, "00000")
    assert not live.latest
    assert live.revision == 0


async def test_what_ended_is_bounded_and_what_broke_is_gone() -> None:
    live = Live(lambda: 1000.0)
    for n in range(MAX_ENDED_ASKS + 5):
        live.ended(begun(live, f"question {n}"), "00000")
    assert len(live.latest) == MAX_ENDED_ASKS
    assert live.latest[0].question == f"question {MAX_ENDED_ASKS + 4}"
    live.lost(begun(live))
    assert not live.under_way


async def test_a_change_wakes_who_waits() -> None:
    live = Live(lambda: 1000.0)
    waiting = asyncio.create_task(live.change(live.revision, at_most=20))
    await asyncio.sleep(0)
    begun(live)
    assert await waiting == live.revision == 1
    assert await live.change(1, at_most=0.01) == 1


async def test_asks_of_other_processes_are_on_the_list() -> None:
    here, there = Live(lambda: 1000.0), Live(lambda: 990.0)
    there.watch(lambda under_way, ended: here.adopt(1, under_way, ended))
    trace = begun(there, "how many there?")
    begun(here, "how many here?")
    assert [seen.question for seen in here.under_way] == ["how many here?", "how many there?"]
    seen = here.find(trace.id)
    assert seen is not None
    assert seen.elapsed_ms >= 10_000, "it goes on while nothing is said of it"
    revision = here.revision
    there.ended(trace, "00000")
    assert here.revision > revision
    assert [seen.question for seen in here.under_way] == ["how many here?"]
    assert [seen.key for seen in here.latest] == [trace.id]
    begun(there)
    here.adopt(1, [], [])
    assert [seen.question for seen in here.under_way] == ["how many here?"], "the process has ended"


# -- the stream


async def read_until(response: ClientResponse, text: str) -> str:
    found = ""
    async with asyncio.timeout(20):
        while text not in found:
            found += (await response.content.readany()).decode()
    return found


async def test_rows_come_as_asks_begin_get_on_and_end(console: ConsoleServer) -> None:
    async with console.client.get(console.door.url + "events") as response:
        assert response.content_type == "text/event-stream"
        await read_until(response, "retry:")
        trace = begun(console.live, "<b>dogs</b>")
        first = await read_until(response, "</li>")
        assert "event: ask\n" in first
        assert f'id="ask-{trace.id}"' in first
        assert "&lt;b&gt;dogs" in first
        assert "under way" in first
        trace.record("planner", "embedded")
        assert "planner" in await read_until(response, "</li>")
        console.live.ended(trace, "00000")
        assert "answered" in await read_until(response, "</li>")


async def test_streams_are_bounded(console: ConsoleServer) -> None:
    open_ones = [await console.client.get(console.door.url + "events") for _ in range(8)]
    assert (await console.get("/events"))[0] == 503
    for response in open_ones:
        response.close()
    async with asyncio.timeout(20):
        while (response := await console.client.get(console.door.url + "events")).status == 503:
            # a stream notices that its reader is gone when it has something to say
            console.live.ended(begun(console.live), "00000")
            await asyncio.sleep(0)
    response.close()


async def test_a_stream_ends_with_the_console(start_console: StartConsole) -> None:
    async with start_console() as console:
        await console.log_in()
        response = await console.client.get(console.door.url + "events")
        await read_until(response, "retry:")
    async with asyncio.timeout(20):
        with suppress(ClientError, RuntimeError):
            assert b"event" not in await response.read()
    response.close()


async def test_the_page_of_an_ask_under_way_says_so(console: ConsoleServer) -> None:
    trace = begun(console.live, "slow one")
    status, text = await console.get(f"/asks/{trace.id}")
    assert status == 200
    assert "This ASK is under way, in the session." in text
    _, text = await console.get("/")
    assert f'id="ask-{trace.id}"' in text
