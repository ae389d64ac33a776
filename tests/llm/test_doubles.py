"""The doubles: scripted answers, recorded exchanges, and the mock server's scenarios."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from doubles.model_doubles import KEY, config, mocked, prompt
from servers.listening import listening_at

from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.llm.answers import read_sql
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer, MockServer, read_scenario
from askwire.llm.providers.openai_compatible import OpenAICompatible
from askwire.llm.providers.recorded import SCRUBBED, RecordedModel
from askwire.llm.scripted import ScriptedModel


async def test_a_scripted_model_answers_in_order_and_then_fails() -> None:
    model = ScriptedModel(["one", ModelFailed("busy", kind="rate limit"), "two"])
    assert (await model.complete(prompt("a"))).text == "one"
    with pytest.raises(ModelFailed, match="busy"):
        await model.complete(prompt("b"))
    assert (await model.complete(prompt("c"))).text == "two"
    with pytest.raises(ModelFailed, match="no further answer"):
        await model.complete(prompt("d"))
    assert ['question "a"' in c.text for c in model.calls] == [True, False, False, False]


async def test_a_scripted_model_takes_what_the_door_made_and_nothing_else() -> None:
    class ForgedPrompt:
        text = "everything"

    with pytest.raises(TypeError):
        await ScriptedModel(["x"]).complete(ForgedPrompt())


async def test_real_exchanges_are_recorded_without_the_key_and_replayed_without_a_server(
    tmp_path: Path,
) -> None:
    file = tmp_path / "exchanges.jsonl"
    script = [Answer(text=f"your key is {KEY}", times=1), Answer(text="again", times=1), Answer(status=429)]
    async with mocked(*script) as at:
        recording = RecordedModel(config(at.url), file, key=KEY, record=True)
        for _ in range(2):
            await recording.complete(prompt())
        with pytest.raises(ModelFailed, match="no more calls"):
            await recording.complete(prompt("another question"))
        await recording.close()
        assert at.server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        url = at.url
    text = file.read_text()
    assert KEY not in text
    assert "authorization" not in text.lower()
    assert len(text.splitlines()) == 3

    replay = RecordedModel(config(url), file)
    told = [(await replay.complete(prompt())).text for _ in range(3)]
    assert told == [f"your key is {SCRUBBED}", "again", "again"]
    with pytest.raises(ModelFailed) as caught:
        await replay.complete(prompt("another question"))
    assert caught.value.kind == "rate limit"
    with pytest.raises(ModelFailed, match="never recorded"):
        await replay.complete(prompt("something else"))
    await replay.close()


@pytest.mark.parametrize("content", ["", None, "no json", '{"method": "POST"}', "[]"])
def test_a_file_without_exchanges_is_told(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "exchanges.jsonl"
    if content is not None:
        file.write_text(content)
    if content == "":
        RecordedModel(config(), file)  # nothing was recorded, and nothing can be replayed
        return
    with pytest.raises(ConfigurationError, match="holds no recorded exchanges"):
        RecordedModel(config(), file)


SCENARIO = """
[[answers]]
match = "first"
text = "1"
times = 1
delay = "20ms"

[[answers]]
status = 429
retry_after = 2
"""


def test_the_scenario_of_the_page_can_be_read_and_holds_a_query(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    block = page.partition("    # scenario.toml\n")[2].partition("    ./ask mock-model")[0]
    file = tmp_path / "scenario.toml"
    file.write_text("\n".join(line[4:] for line in block.splitlines()))
    answer, fault = read_scenario(file)
    assert read_sql(answer.text) == "SELECT count(*) FROM orders"
    assert fault.status == 429


async def test_a_scenario_sets_what_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO)
    answers = read_scenario(file)
    assert answers == (
        Answer(match="first", text="1", times=1, delay=20),
        Answer(status=429, retry_after=2.0),
    )
    async with mocked(*answers) as at:
        assert (await at.model.complete(prompt("the first"))).text == "1"
        for question in ("the first", "the second"):
            with pytest.raises(ModelFailed) as caught:
                await at.model.complete(prompt(question))
            assert caught.value.after == 2.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a scenario"),
        ("answers = 3", "is not a scenario"),
        ("[[answers]]\ntext = 'x'\n[other]\n", "is not a scenario"),
        ("[[answers]]\ntxt = 'x'", "unknown field 'txt'"),
        ("[[answers]]\ntext = 3", "field 'text' must be of type str"),
        ("[[answers]]\ncut = 1", "field 'cut' must be of type bool"),
        ("[[answers]]\ndelay = 'soon'", "field 'delay': expected a duration"),
        ("[[answers]]\nmatch = '('", "field 'match'"),
        ("[[answers]]\nstatus = 42", "must be an HTTP status"),
        ("[[answers", "is not valid TOML"),
    ],
)
def test_a_mistake_in_a_scenario_says_where_it_stands(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        read_scenario(file)


async def test_the_mock_server_lists_a_model_and_refuses_what_it_does_not_know() -> None:
    import asyncio  # noqa: PLC0415

    server = MockServer([Answer(text="x")])
    url = await server.start()
    port = int(url.split(":")[2].split("/")[0])

    async def fetch(request: str) -> tuple[int, str]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{request}\r\nConnection: close\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
        body = (await reader.readexactly(length)).decode()
        writer.close()
        return int(head.split(" ")[1]), body

    assert json.loads((await fetch("GET /v1/models HTTP/1.1"))[1])["data"][0]["id"] == "mock"
    assert (await fetch("GET /elsewhere HTTP/1.1"))[0] == 404
    assert (await fetch("GET /v1/chat/completions HTTP/1.1"))[0] == 405
    with pytest.raises(ConfigurationError, match="cannot listen on"):
        await MockServer([]).start(port)
    await server.stop()


class _Proxy:
    """A proxy that notes what it is asked to reach, and lets no one through."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.asked.append(head.decode("latin-1").partition("\r\n")[0])
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()


@pytest.mark.parametrize("recorded", [False, True], ids=["live", "recorded"])
async def test_a_recording_goes_by_the_proxy_that_the_live_client_goes_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, recorded: bool
) -> None:
    monkeypatch.delenv("PYTEST_VERSION")  # nothing leaves: the proxy is here, and the hosts are nowhere
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    async def call(url: str) -> str:
        one = config(url)
        model = RecordedModel(one, tmp_path / "exchanges.jsonl", record=True) if recorded else _live(one)
        try:
            return (await model.complete(prompt(), timeout=10)).text
        except ModelFailed as error:
            return error.kind
        finally:
            await model.close()

    proxy = _Proxy()
    async with listening_at(proxy) as port, mocked(Answer(text="by way of the proxy")) as at:
        monkeypatch.setenv("HTTP_PROXY", at.url.removesuffix("/v1"))
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        assert await call("http://models.invalid/v1") == "by way of the proxy"
        assert at.server.asked[-1].path == "http://models.invalid/v1/chat/completions"
        assert await call("https://models.invalid/v1") == "connection"
        assert proxy.asked == ["CONNECT models.invalid:443 HTTP/1.1"]
        # what is here needs no proxy, whatever the environment says
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        assert await call(at.url) == "by way of the proxy"
        assert len(proxy.asked) == 1
        monkeypatch.setenv("NO_PROXY", "models.invalid")
        assert await call("http://models.invalid/v1") == "connection"
        assert len(proxy.asked) == 1


def _live(one: ExpertConfig) -> OpenAICompatible:
    return OpenAICompatible(
        url=one.url, endpoint=one.endpoint, model=one.model, key="", profile=profile_of(one.model)
    )
