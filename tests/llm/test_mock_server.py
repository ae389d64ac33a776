"""The mock server and its scenarios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doubles.model_doubles import mocked, prompt

from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.llm.answers import read_sql
from askwire.llm.providers.mock_server import Answer, MockServer, read_scenario

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
