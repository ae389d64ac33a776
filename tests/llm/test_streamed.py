"""Answers that come in pieces: what counts of one that is cut, and of one that goes on and on."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from doubles.model_doubles import mocked, prompt
from doubles.soonest import soonest

from askwire.core.errors import ModelFailed
from askwire.llm.answers import MAX_ANSWER_CHARACTERS
from askwire.llm.providers.mock_server import Answer
from askwire.llm.providers.streamed import BodyStream

SQL = '{"reading": "orders", "sql": "SELECT count(*) FROM orders"}'
SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}}}


async def test_pieces_make_the_same_answer_with_its_usage() -> None:
    async with mocked(Answer(text=SQL), stream=True) as at:
        whole = await at.model.complete(prompt(), schema=SCHEMA)
        assert at.server.asked[0].body["stream"] is True
        assert at.server.asked[0].body["stream_options"] == {"include_usage": True}
    async with mocked(Answer(text=SQL)) as at:
        assert await at.model.complete(prompt(), schema=SCHEMA) == whole
        assert "stream" not in at.server.asked[0].body
    assert not whole.usage.estimated


async def test_what_was_whole_when_the_connection_broke_counts_and_is_estimated() -> None:
    async with mocked(Answer(text=SQL + " " * 800 + "and" * 90, cut=True), stream=True) as at:
        completion = await at.model.complete(prompt(), schema=SCHEMA)
        assert completion.text.startswith(SQL)
        assert completion.usage.estimated


@pytest.mark.parametrize("text", [SQL[:-1] + " " * 400, "", "SELECT count(*) FROM orders WHERE " + "x" * 900])
async def test_what_was_not_whole_does_not_count(text: str) -> None:
    async with mocked(Answer(text=text, cut=True), stream=True) as at:
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt(), schema=SCHEMA)
    assert caught.value.kind in ("cut off", "empty answer")


async def test_who_goes_on_behind_the_answer_is_not_read_to_the_end() -> None:
    async with mocked(Answer(text=SQL + " I hope that helps." * 9000), stream=True) as at:
        completion = await at.model.complete(prompt(), schema=SCHEMA)
        assert completion.text.startswith(SQL)
        assert len(completion.text) < 100_000
        assert completion.usage.estimated


async def test_an_endpoint_that_does_not_stream_is_read_as_it_answers() -> None:
    raw = json.dumps({"choices": [{"message": {"content": SQL}}], "usage": {"prompt_tokens": 3}})
    async with mocked(Answer(raw=raw), stream=True) as at:
        assert (await at.model.complete(prompt())).text == SQL


async def test_an_endpoint_that_refuses_to_stream_is_not_asked_to_again() -> None:
    async with mocked(Answer(status=400, times=1), Answer(text=SQL), stream=True) as at:
        await at.model.complete(prompt(), schema=SCHEMA)
        await at.model.complete(prompt(), schema=SCHEMA)
        assert ["stream" in asked.body for asked in at.server.asked] == [True, False, False]
        assert all("response_format" in asked.body for asked in at.server.asked)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(refusal="I would rather not say"), "refusal"),
        (Answer(text=""), "empty answer"),
        (Answer(status=500), "server error"),
        (Answer(raw="data: {\n\ndata: 7\n\ndata: {}\n\n"), "malformed answer"),
        (Answer(text="x", finish="content_filter"), "refusal"),
    ],
)
async def test_faults_are_the_same(answer: Answer, kind: str) -> None:
    async with mocked(answer, stream=True) as at:
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt())
    assert caught.value.kind == kind


async def test_a_canceled_stream_ends_at_the_endpoint_within_100_ms() -> None:
    async def canceled() -> float:
        async with mocked(Answer(text="x", delay=60_000), stream=True) as at:
            call = asyncio.create_task(at.model.complete(prompt()))
            async with asyncio.timeout(20):
                while not at.server.asked:  # noqa: ASYNC110 - the server has no event for it
                    await asyncio.sleep(0)
            began = time.perf_counter()
            call.cancel()
            async with asyncio.timeout(20):
                await at.server.gone.wait()
            took = time.perf_counter() - began
            await asyncio.gather(call, return_exceptions=True)
            return took

    assert await soonest(canceled, 0.1) < 0.1


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_pieces_may_be_cut_anywhere(step: int) -> None:
    events = [
        json.dumps({"choices": [{"delta": {"content": word}}]}) for word in ("süß ", '{"sql"', ': "x"}')
    ]
    stream = "".join(f"data: {event}\r\n\r\n" for event in events).encode() + b": comment\n\ndata: [DONE]\n\n"
    one = BodyStream()
    for at in range(0, len(stream), step):
        one.feed(stream[at : at + step])
    assert json.loads(one.body())["choices"][0]["message"]["content"] == 'süß {"sql": "x"}'
    assert one.whole


def test_no_more_is_kept_than_is_read() -> None:
    one = BodyStream()
    event = json.dumps({"choices": [{"delta": {"content": "x" * 50_000}}]})
    for _ in range(20):
        one.feed(f"data: {event}\n\n".encode())
    assert one.enough
    assert len(one.body()) < 2 * MAX_ANSWER_CHARACTERS
