"""The real client against the mock server: what is sent, what is read, and what every fault becomes."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time

import httpx2
import pytest
from doubles.model_doubles import KEY, config, mocked, prompt
from doubles.soonest import soonest

from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.llm.profiles import profile_of
from askwire.llm.providers import openai_compatible
from askwire.llm.providers.mock_server import Answer, ReceivedRequest
from askwire.llm.providers.openai_compatible import OpenAICompatible

SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}}}


async def test_a_call_carries_model_prompt_form_and_key_and_nothing_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "from-the-environment")
    async with mocked(Answer(text='{"sql": "SELECT 1"}')) as at:
        completion = await at.model.complete(prompt(), schema=SCHEMA, temperature=0.5, max_tokens=77)
        (asked,) = at.server.asked
    assert completion.text == '{"sql": "SELECT 1"}'
    assert completion.usage.prompt_tokens > 0
    assert not completion.usage.estimated
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert "from-the-environment" not in str(asked)
    assert not {"openai-organization", "openai-project"} & set(asked.headers)
    assert asked.body["temperature"] == 0.5
    assert asked.body["max_tokens"] == 77
    assert asked.body["messages"] == [{"role": "user", "content": prompt().text}]
    assert asked.body["response_format"]["json_schema"]["schema"] == SCHEMA


async def test_only_what_the_door_made_is_sent() -> None:
    class ForgedPrompt:
        text = "everything"

    async with mocked(Answer(text="x")) as at:
        with pytest.raises(TypeError, match=r"Egress\.prompt"):
            await at.model.complete(ForgedPrompt())
        assert at.server.asked == []


@pytest.mark.parametrize(
    ("answer", "kind", "again"),
    [
        (Answer(status=429), "rate limit", True),
        (Answer(status=500), "server error", True),
        (Answer(status=502), "server error", True),
        (Answer(status=503), "server error", True),
        (Answer(status=504), "server error", False),
        (Answer(status=400), "rejected", False),
        (Answer(status=401), "rejected", False),
        (Answer(status=404), "rejected", False),
        (Answer(status=301), "rejected", False),
        (Answer(text="SELECT 1" * 100, cut=True), "cut off", False),
        (Answer(raw="{bad"), "malformed answer", False),
        (Answer(raw="[]"), "malformed answer", False),
        (Answer(raw='{"choices": []}'), "malformed answer", False),
        (Answer(raw='{"choices": [{"message": null}]}'), "malformed answer", False),
        (Answer(raw='{"choices": [{"message": {"content": 7}}]}'), "malformed answer", False),
        (Answer(raw="[" * 100_000), "malformed answer", False),
        (Answer(text=""), "empty answer", False),
        (Answer(text="<think>hm"), "empty answer", False),
        (Answer(refusal="I will not"), "refusal", False),
        (Answer(text="x", finish="content_filter"), "refusal", False),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_every_fault_has_its_kind_and_repeats_nothing_the_endpoint_said(
    answer: Answer, kind: str, again: bool
) -> None:
    async with mocked(answer) as at:
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt(), timeout=10)
        assert len(at.server.asked) == 1, "the client itself never tries again"
    error = caught.value
    assert (error.kind, error.again) == (kind, again)
    said = error.message + error.detail + error.hint
    assert KEY not in said
    assert "as the scenario says" not in said


async def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "MAX_BODY", 1000)
    async with mocked(Answer(text="x" * 2000)) as at:
        with pytest.raises(ModelFailed, match="longer than 1000 bytes"):
            await at.model.complete(prompt())


async def test_nobody_listening_is_worth_another_try() -> None:
    async with mocked(Answer()) as at:
        await at.server.stop()
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt(), timeout=10)
    assert (caught.value.kind, caught.value.again) == ("connection", True)


@pytest.mark.parametrize(("header", "seconds"), [(1.5, 1.5), (9999, 60.0), (float("nan"), 0.0), (-3.0, 0.0)])
async def test_the_wait_an_endpoint_asks_for_is_bounded(header: float, seconds: float) -> None:
    async with mocked(Answer(status=429, retry_after=header)) as at:
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt())
    assert caught.value.after == seconds


async def test_a_slow_endpoint_is_left_at_its_deadline_and_hears_of_it() -> None:
    async with mocked(Answer(text="late", delay=60_000)) as at:
        with pytest.raises(ModelFailed) as caught:
            await at.model.complete(prompt(), timeout=0.2)
        assert caught.value.kind == "timeout"
        async with asyncio.timeout(20):
            await at.server.gone.wait()
    assert at.server.hung_up == 1


async def test_a_canceled_call_ends_at_the_endpoint_within_100_ms() -> None:
    async def canceled() -> float:
        async with mocked(Answer(text="late", delay=60_000)) as at:
            call = asyncio.create_task(at.model.complete(prompt(), timeout=60))
            async with asyncio.timeout(20):
                while not at.server.asked:  # noqa: ASYNC110 - the server has no event for it
                    await asyncio.sleep(0)
            began = time.perf_counter()
            call.cancel()
            async with asyncio.timeout(20):
                await at.server.gone.wait()
            took = time.perf_counter() - began
            with pytest.raises(asyncio.CancelledError):
                await call
            return took

    assert await soonest(canceled, 0.1) < 0.1


async def test_an_endpoint_that_knows_no_schema_is_asked_with_less_and_remembered() -> None:
    refusals = [Answer(status=400, times=2), Answer(text="SELECT 1")]
    async with mocked(*refusals) as at:
        assert (await at.model.complete(prompt(), schema=SCHEMA)).text == "SELECT 1"
        forms = [a.body.get("response_format", {}).get("type") for a in at.server.asked]
        assert forms == ["json_schema", "json_object", None]
        await at.model.complete(prompt(), schema=SCHEMA)
        assert "response_format" not in at.server.asked[-1].body


def _forms(asked: list[ReceivedRequest]) -> list[object]:
    return [a.body.get("response_format", {}).get("type") for a in asked]


@pytest.mark.parametrize("status", [400, 404, 415, 422, 501])
@pytest.mark.parametrize("refused", [("json_schema",), ("json_schema", "json_object")], ids=len)
async def test_a_form_that_is_refused_is_left_out_and_not_asked_for_again(
    status: int, refused: tuple[str, ...]
) -> None:
    async with mocked(Answer(form="|".join(refused), status=status), Answer(text="{}")) as at:
        for _ in range(2):
            await at.model.complete(prompt(), schema=SCHEMA)
        kept = "json_object" if len(refused) == 1 else None
        assert _forms(at.server.asked) == [*refused, kept, kept]


async def test_a_gateway_that_falls_over_a_form_is_asked_without_it_once_that_is_sure() -> None:
    async with mocked(Answer(form="json_schema", status=500), Answer(text="{}")) as at:
        for _ in range(3):
            await at.model.complete(prompt(), schema=SCHEMA)
        assert _forms(at.server.asked) == ["json_schema", "json_object"] * 2 + ["json_object"]


async def test_a_failure_that_passes_does_not_cost_the_form() -> None:
    async with mocked(Answer(status=500, times=1), Answer(text="{}")) as at:
        for _ in range(3):
            await at.model.complete(prompt(), schema=SCHEMA)
        assert _forms(at.server.asked) == ["json_schema", "json_object", "json_schema", "json_schema"]


async def test_an_endpoint_that_is_down_is_not_asked_in_every_form_each_time() -> None:
    async with mocked(Answer(status=500, times=5), Answer(text="{}")) as at:
        for _ in range(3):
            with pytest.raises(ModelFailed) as caught:
                await at.model.complete(prompt(), schema=SCHEMA)
            assert (caught.value.kind, caught.value.again) == ("server error", True)
        assert _forms(at.server.asked) == ["json_schema", "json_object", None, "json_schema", "json_schema"]
        await at.model.complete(prompt(), schema=SCHEMA)
        assert _forms(at.server.asked)[-1] == "json_schema"


async def test_a_stream_is_not_given_up_for_what_is_not_there() -> None:
    async with mocked(Answer(form="json", status=404), Answer(text="{}"), stream=True) as at:
        await at.model.complete(prompt(), schema=SCHEMA)
        assert _forms(at.server.asked) == ["json_schema", "json_object", None]
        assert all(asked.body["stream"] for asked in at.server.asked)


async def test_a_model_that_is_not_there_is_said() -> None:
    async with mocked(Answer(status=404)) as at:
        with pytest.raises(ModelFailed, match="does not know the model or the path"):
            await at.model.complete(prompt(), schema=SCHEMA)


async def test_a_request_that_is_wrong_otherwise_does_not_cost_the_form() -> None:
    async with mocked(Answer(status=400, times=3), Answer(text="{}")) as at:
        with pytest.raises(ModelFailed, match="did not accept"):
            await at.model.complete(prompt(), schema=SCHEMA)
        await at.model.complete(prompt(), schema=SCHEMA)
        assert at.server.asked[-1].body["response_format"]["type"] == "json_schema"


async def test_what_is_not_counted_is_estimated_on_the_high_side() -> None:
    async with mocked(Answer(text="SELECT 1", usage=False)) as at:
        usage = (await at.model.complete(prompt("q" * 700))).usage
    assert usage.estimated
    assert usage.prompt_tokens >= 200


async def test_reasoning_models_get_their_own_fields() -> None:
    async with mocked(Answer(text="<think>well</think>SELECT 1"), model="openai/o3-mini") as at:
        await at.model.complete(prompt(), temperature=0.7, max_tokens=50)
        body = at.server.asked[0].body
    assert "temperature" not in body
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 50


async def test_a_redirect_takes_the_prompt_nowhere() -> None:
    went: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        went.append(str(request.url))
        return httpx2.Response(307, headers={"location": "http://127.0.0.1:2/v1/chat/completions"})

    one = config()
    model = OpenAICompatible(
        url=one.url,
        endpoint=one.endpoint,
        model="m",
        key="",
        profile=profile_of("m"),
        transport=httpx2.MockTransport(answer),
    )
    with pytest.raises(ModelFailed):
        await model.complete(prompt())
    await model.close()
    assert went == ["http://127.0.0.1:1/v1/chat/completions"]


async def test_a_test_cannot_call_out() -> None:
    far = config("https://models.example.com/v1")
    model = OpenAICompatible(url=far.url, endpoint=far.endpoint, model="m", key="k", profile=profile_of("m"))
    with pytest.raises(ConfigurationError, match="a test may not call a model at models"):
        await model.complete(prompt())
    await model.close()


async def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with mocked(Answer(status=401)) as at:
        with pytest.raises(ModelFailed):
            await at.model.complete(prompt())
    assert KEY not in caplog.text


@pytest.mark.slow
def test_starting_imports_nothing_of_models() -> None:
    code = (
        "import sys; import askwire.proxy.server, askwire.proxy.resolver.resolver, askwire.llm.sources; "
        "print({'openai', 'aiohttp', 'httpx2', 'pydantic'} & set(sys.modules))"
    )
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=paths, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
