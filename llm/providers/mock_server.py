"""A model server on this machine whose behaviour a file sets: for tests, demonstrations and drills.

It speaks as much of OpenAI's API as askwire uses, in pieces where the request wants a stream. A scenario
is TOML, a list of answers; of those whose `match` (a regular expression) occurs in the prompt the first
with uses left is given:

    [[answers]]
    match = "how many orders"
    text = '{"sql": "SELECT count(*) FROM orders"}'
    times = 1                   # then the next one is looked for; 0, the default: always

    [[answers]]
    status = 429                # any status but 200 is an error
    retry_after = 1             # seconds, as a header
    delay = "2s"                # before the first byte

Further fields: `form` (a regular expression too, of the form of answer that the request asks for:
`json_schema` or `json_object`), `refusal` (a refusal with this text), `raw` (the whole body, as it is), `cut`
(the connection ends in the middle of the body), `usage = false` (tokens are not counted), `finish` (the
finish_reason).

Owns: that format and the server.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from askwire.core.errors import ConfigurationError
from askwire.core.settings.parsing import parse_duration
from askwire.llm.estimate import tokens
from askwire.llm.providers import mock_embeddings

HOST: Final = "127.0.0.1"
_MAX_REQUEST_BYTES: Final = 16 * 1024 * 1024
_PIECE_CHARACTERS: Final = 40
"""Characters of a piece, where the client wants pieces."""
_REASONS: Final = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a scenario; fields as in the file, `delay` in milliseconds."""

    match: str = ""
    form: str = ""
    text: str = ""
    times: int = 0
    status: int = 200
    retry_after: float = 0.0
    delay: int = 0
    refusal: str = ""
    raw: str = ""
    cut: bool = False
    usage: bool = True
    finish: str = "stop"


_TYPES: Final = {field.name: type(field.default) for field in fields(Answer)}


def read_scenario(path: Path) -> tuple[Answer, ...]:
    """The answers of a scenario file; raises ConfigurationError for one that cannot be used."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{str(path)!r} is not valid TOML: {error}") from None
    answers = content.get("answers")
    if content.keys() != {"answers"} or not isinstance(answers, list) or not answers:
        raise ConfigurationError(
            f"{str(path)!r} is not a scenario", hint="A scenario is a list of [[answers]]."
        )
    return tuple(
        _answer(f"answer {number} in {str(path)!r}", entry) for number, entry in enumerate(answers, 1)
    )


def _answer(where: str, entry: object) -> Answer:
    if not isinstance(entry, dict):
        raise ConfigurationError(f"{where} is not a table")
    values: dict[str, Any] = {}
    for name, value in entry.items():
        expected = _TYPES.get(name)
        if expected is None:
            raise ConfigurationError(
                f"{where} has an unknown field {name!r}", hint=f"Fields are {', '.join(_TYPES)}."
            )
        if name == "delay":
            try:
                value = parse_duration(str(value))  # noqa: PLW2901 - read, not replaced
            except ValueError as error:
                raise ConfigurationError(f"{where}: field 'delay': {error}") from None
        elif expected is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # noqa: PLW2901
        if type(value) is not expected:
            raise ConfigurationError(f"{where}: field {name!r} must be of type {expected.__name__}")
        values[name] = value
    for name in ("match", "form"):
        try:
            re.compile(values.get(name, ""))
        except re.error as error:
            raise ConfigurationError(f"{where}: field {name!r}: {error}") from None
    if not 100 <= values.get("status", 200) <= 599:
        raise ConfigurationError(f"{where}: field 'status' must be an HTTP status, 100 to 599")
    return Answer(**values)


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request that came: its path, its headers in small letters, its body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """The text of all its messages."""
        messages = self.body.get("messages")
        return "\n".join(str(m.get("content")) for m in messages or () if isinstance(m, dict))

    @property
    def form(self) -> str:
        """The form of answer that it asks for, '' for none."""
        wanted = self.body.get("response_format")
        return str(wanted.get("type", "")) if isinstance(wanted, dict) else ""


class MockServer:
    """The server: `start`, and `stop` after use. `asked` are the requests it got.

    `answers` are a scenario, or what gives the answer to a request (None: there is none). `embedded` are
    those for vectors, which no scenario answers. `hung_up` counts the clients that went away before their
    answer.
    """

    def __init__(self, answers: Sequence[Answer] | Callable[[ReceivedRequest], Answer | None]) -> None:
        self.answers = answers
        self._used: Counter[int] = Counter()
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.asked: list[ReceivedRequest] = []
        self.embedded: list[ReceivedRequest] = []
        self.hung_up = 0
        self.gone = asyncio.Event()

    async def start(self, port: int = 0) -> str:
        """Listen on this machine; the base URL for experts. Raises ConfigurationError."""
        try:
            self._server = await asyncio.start_server(self._accepted, HOST, port)
        except OSError as error:
            raise ConfigurationError(
                f"cannot listen on {HOST}:{port}: {error.strerror or error}", hint="Choose another --port."
            ) from None
        return f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}/v1"

    async def stop(self) -> None:
        """Stop listening and end what is under way."""
        if self._server is not None:
            self._server.close()
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # what is no HTTP, or ends in its middle, gets no answer
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection ends with it."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {
            n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines if line)
        }
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= _MAX_REQUEST_BYTES:
            await _send(writer, 413, _error("the request is too long"))
            return False
        body = await reader.readexactly(length)
        place = path.partition("?")[0]
        if method == "GET" and place.endswith("/models"):
            await _send(writer, 200, json.dumps({"object": "list", "data": [_MODEL]}))
            return True
        if not place.endswith(("/chat/completions", "/embeddings")):
            await _send(writer, 404, _error("there is nothing here"))
            return True
        if method != "POST":
            await _send(writer, 405, _error("post a completion"))
            return True
        document = json.loads(body)
        asked = ReceivedRequest(path, headers, document if isinstance(document, dict) else {})
        if place.endswith("/embeddings"):
            self.embedded.append(asked)
            await _send(writer, 200, mock_embeddings.answer(asked.body))
            return True
        self.asked.append(asked)
        return await self._answer(asked, reader, writer)

    async def _answer(
        self, asked: ReceivedRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        answer = self._chosen(asked)
        if answer is None:
            await _send(writer, 500, _error("the scenario has no answer for this prompt"))
            return True
        if answer.delay and await _goes_away(reader, answer.delay / 1000):
            self.hung_up += 1
            self.gone.set()
            return False
        stream = asked.body.get("stream") is True and answer.status == 200 and not answer.raw
        body = answer.raw or (_events(answer, asked) if stream else _body(answer, asked))
        after = {"Retry-After": f"{answer.retry_after:g}"} if answer.retry_after else {}
        if stream:
            after["Content-Type"] = "text/event-stream"
        await _send(writer, answer.status, body, after, cut=answer.cut)
        return not answer.cut

    def _chosen(self, asked: ReceivedRequest) -> Answer | None:
        if callable(self.answers):
            return self.answers(asked)
        prompt, form = asked.prompt, asked.form
        for number, answer in enumerate(self.answers):
            used = self._used[number]
            meant = re.search(answer.match, prompt) and re.search(answer.form, form)
            if meant and (not answer.times or used < answer.times):
                self._used[number] += 1
                return answer
        return None


async def _goes_away(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Wait; True as soon as the client hangs up."""
    try:
        async with asyncio.timeout(seconds):
            return not await reader.read(1)
    except TimeoutError:
        return False


def _body(answer: Answer, asked: ReceivedRequest) -> str:
    if answer.status != 200:
        return _error(answer.text or "as the scenario says")
    message: dict[str, object] = {"role": "assistant", "content": answer.text}
    if answer.refusal:
        message = {"role": "assistant", "content": None, "refusal": answer.refusal}
    document: dict[str, object] = {
        "id": "mock",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": str(asked.body.get("model", "mock")),
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }
    if answer.usage:
        read, written = tokens(asked.prompt), tokens(answer.text)
        document["usage"] = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
    return json.dumps(document)


def _events(answer: Answer, asked: ReceivedRequest) -> str:
    """The same in pieces of some characters each, as server-sent events."""
    document = json.loads(_body(answer, asked))
    (choice,) = document.pop("choices")
    usage = document.pop("usage", None)
    document["object"] = "chat.completion.chunk"
    message = choice["message"]
    field = "refusal" if message.get("refusal") else "content"
    text = message[field] or ""
    pieces = [text[at : at + _PIECE_CHARACTERS] for at in range(0, len(text), _PIECE_CHARACTERS)]
    steps: list[dict[str, object]] = [{"delta": {field: piece}, "finish_reason": None} for piece in pieces]
    steps.append({"delta": {}, "finish_reason": answer.finish})
    events = [json.dumps({**document, "choices": [{"index": 0, **step}]}) for step in steps]
    if usage:
        events.append(json.dumps({**document, "choices": [], "usage": usage}))
    return "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "mock", "code": None, "param": None}})


_MODEL: Final = {"id": "mock", "object": "model", "created": 0, "owned_by": "askwire"}


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: str,
    more: Mapping[str, str] | None = None,
    *,
    cut: bool = False,
) -> None:
    content = body.encode("utf-8")
    headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **(more or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {status} {_REASONS.get(status, 'As Told')}\r\n{head}\r\n".encode("latin-1"))
    writer.write(content[: len(content) // 2] if cut else content)
    await writer.drain()
