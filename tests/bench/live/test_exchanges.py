"""Recorded exchanges: written without the key, and replayed without an endpoint."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from doubles.model_doubles import KEY, config, mocked, prompt
from servers.listening import listening_at

from askwire.bench.live.exchanges import SCRUBBED, RecordedModel
from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer
from askwire.llm.providers.openai_compatible import OpenAICompatible


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
