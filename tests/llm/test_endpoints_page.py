"""The endpoints of docs/models.md: each section loads, and reaches its path with its key at a mock server."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from doubles.model_doubles import KEY, prompt

from askwire.core.clock import MonotonicClock
from askwire.llm.expert_table import ExpertConfig, read_experts
from askwire.llm.profiles import profile_of
from askwire.llm.providers.mock_server import Answer, MockServer, ReceivedRequest
from askwire.llm.sources import open_sources

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def _blocks() -> str:
    """All sections of experts on the page, as one file."""
    code = [line[4:] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    ")]
    text = "\n".join(code)
    found = re.findall(r"^\[experts\.[\w-]+\]\n(?:\w+ = .*\n?)+", text, re.MULTILINE)
    return "\n".join(found)


EXPERTS = {one.name: one for one in read_experts(tomllib.loads(_blocks())["experts"], {}, "the page")}


def test_the_page_has_them_all() -> None:
    assert EXPERTS.keys() >= {"ollama", "vllm", "llamacpp", "openrouter", "azure", "azure-older", "hosted"}
    assert profile_of(EXPERTS["ollama"].model).name == "qwen3"
    assert profile_of(EXPERTS["vllm"].model).name == "qwen3"
    assert profile_of(EXPERTS["llamacpp"].model).name == "gpt-oss"


@pytest.mark.parametrize("name", EXPERTS)
async def test_an_endpoint_of_the_page_is_asked_at_its_path_with_its_key(name: str) -> None:
    one = EXPERTS[name]
    asked, said = await _asked(one)
    assert said == "SELECT 1"
    path, _, query = asked.path.partition("?")
    assert path == f"{urlsplit(one.url).path}/chat/completions"
    assert asked.body["model"] == one.model
    if one.api_version:
        assert query == f"api-version={one.api_version}"
        assert asked.headers["api-key"] == KEY
        assert "authorization" not in asked.headers
    else:
        assert query == ""
        assert asked.headers["authorization"] == f"Bearer {KEY if one.key_env else 'none'}"
        assert "api-key" not in asked.headers


async def _asked(one: ExpertConfig) -> tuple[ReceivedRequest, str]:
    server = MockServer([Answer(text="SELECT 1")])
    here = urlsplit(await server.start()).netloc
    path = urlsplit(one.url).path
    table = {"url": f"http://{here}{path}", "model": one.model, "api_version": one.api_version}
    table |= {"key_env": one.key_env, "profile": one.profile}
    configs = read_experts({one.name: table}, {})
    (source,) = open_sources(configs, {one.key_env: KEY}, MonotonicClock())
    try:
        completion = await source.model.complete(prompt())
    finally:
        await source.model.close()
        await server.stop()
    (asked,) = server.asked
    return asked, completion.text
