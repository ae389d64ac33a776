"""Real exchanges with an endpoint, kept in a file and played again without one.

A file holds one exchange per line: what was asked (method, path, body; a number, in the order of asking), and
what came (status, two headers, body), or in which way nothing did. Headers of requests are not kept, and a
key that an endpoint repeats is taken out. Owns: that file, as transports for `openai_compatible`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx2

from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.providers.openai_compatible import OpenAICompatible, http_client

SCRUBBED: Final = "[key]"
_KEPT_HEADERS: Final = ("content-type", "retry-after")


def _digest(method: str, path: str, body: str) -> str:
    with suppress(ValueError):
        body = json.dumps(json.loads(body), sort_keys=True)
    return hashlib.sha256(f"{method} {path}\n{body}".encode()).hexdigest()


class RecordedTransport(httpx2.AsyncBaseTransport):
    """Passes requests on to an endpoint and writes each exchange to the file's end.

    They go as those of `openai_compatible` do without a recording, by the proxy that the environment names.
    """

    def __init__(self, file: Path, key: str, url: str, connections: int = 4) -> None:
        self._file = file
        self._key = key
        self._url = url
        self._connections = connections
        self._network: httpx2.AsyncClient | None = None
        self._number = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange."""
        asked = (await request.aread()).decode("utf-8", "replace")
        self._number += 1
        line: dict[str, object] = {
            "number": self._number,
            "method": request.method,
            "path": request.url.path,
            "asked": asked,
        }
        if self._network is None:
            self._network = http_client(self._url, self._connections)
        try:
            response = await self._network.send(request)
            came = response.content
        except httpx2.HTTPError:
            self._write({**line, "failed": "connection"})
            raise
        except asyncio.CancelledError:
            self._write({**line, "failed": "timeout"})
            raise
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        self._write(
            {
                **line,
                "status": response.status_code,
                "headers": headers,
                "came": came.decode("utf-8", "replace"),
            }
        )
        return httpx2.Response(response.status_code, headers=headers, content=came, request=request)

    def _write(self, line: Mapping[str, object]) -> None:
        text = json.dumps(line, ensure_ascii=False)
        if self._key:
            text = text.replace(json.dumps(self._key, ensure_ascii=False)[1:-1], SCRUBBED)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    async def aclose(self) -> None:
        """Let go of the network."""
        if self._network is not None:
            await self._network.aclose()


class Replay(httpx2.AsyncBaseTransport):
    """Answers from a file: the same request gets its answers in the order of asking, the last again.

    What failed then fails now, in the same way. A request that was never recorded raises ModelFailed. Raises
    ConfigurationError for a file that is none.
    """

    def __init__(self, file: Path) -> None:
        self._answers: dict[str, list[httpx2.Response | ModelFailed]] = defaultdict(list)
        try:
            entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            for entry in sorted(entries, key=lambda entry: entry.get("number", 0)):
                digest = _digest(entry["method"], entry["path"], entry["asked"])
                self._answers[digest].append(_answer(entry))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            raise ConfigurationError(f"{str(file)!r} holds no recorded exchanges") from None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The recorded answer."""
        asked = (await request.aread()).decode("utf-8", "replace")
        answers = self._answers.get(_digest(request.method, request.url.path, asked))
        if not answers:
            raise ModelFailed("this request was never recorded", kind="rejected")
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, ModelFailed):
            raise answer
        return httpx2.Response(
            answer.status_code, headers=dict(answer.headers), content=answer.content, request=request
        )


def _answer(entry: Mapping[str, Any]) -> httpx2.Response | ModelFailed:
    failed = entry.get("failed")
    if failed == "timeout":
        return ModelFailed("there was no answer in time when this was recorded", kind="timeout")
    if failed:
        return ModelFailed("there was no connection when this was recorded", kind="connection", again=True)
    return httpx2.Response(entry["status"], headers=entry["headers"], content=entry["came"].encode())


class RecordedModel(OpenAICompatible):
    """The model of an expert whose exchanges go into `file` (`record`) or come out of it."""

    def __init__(self, expert: ExpertConfig, file: Path, *, key: str = "", record: bool = False) -> None:
        super().__init__(
            url=expert.url,
            endpoint=expert.endpoint,
            model=expert.model,
            key=key,
            profile=profile_of(expert.model, expert.profile),
            connections=expert.concurrency,
            stream=expert.stream,
            embedding_model=expert.embedding_model,
            api_version=expert.api_version,
            transport=RecordedTransport(file, key, expert.url, expert.concurrency)
            if record
            else Replay(file),
        )
