"""Any endpoint that speaks OpenAI's chat completions: OpenAI, Azure, vLLM, Ollama, llama.cpp, gateways.

The `openai` package carries the request (on aiohttp) and is imported with the first call: it takes half a
second and is needed by no one else. Its own retries, redirects and time-outs are off, `llm.calling` has
these; the body is read here, because endpoints send bodies that the package trusts and no one should.

Owns: request and response.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import os
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from askwire.core.errors import ConfigurationError, ModelFailed
from askwire.core.protocols import Completion, SealedText, Usage
from askwire.llm.answers import MAX_ANSWER_CHARACTERS, without_reasoning
from askwire.llm.egress import Prompt
from askwire.llm.estimate import tokens
from askwire.llm.profiles import Profile
from askwire.llm.providers.embeddings import read_vectors
from askwire.llm.providers.streamed import BodyStream, Whole

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

MAX_BODY: Final = 4 * 1024 * 1024
"""Bytes of a response; what is longer is no answer."""
_MIN_THREADED_BYTES: Final = 10_000
"""Bytes from which on a response is read beside the event loop."""
_CONNECT_TIMEOUT_SECONDS: Final = 5.0
_MAX_RETRY_AFTER_SECONDS: Final = 60.0
_REQUIRED_PACKAGES: Final = ("openai", "aiohttp")
_NO_KEY: Final = "none"
"""The package wants a key; endpoints without keys do not look at it."""
_RETRIED_STATUSES: Final = frozenset((429, 500, 502, 503))
_REFUSING_STATUSES: Final = frozenset((400, 415, 422, 501))
"""Statuses by which endpoints refuse a field that they do not know."""
_MAYBE_REFUSING_STATUSES: Final = frozenset((404, 500))
"""Statuses by which gateways do: for want of a model that knows the form, or by falling over it."""
_MIN_FORM_FAILURES: Final = 2
"""Calls in a row that have to fail with a form, and go through without it, before it is given up."""


def check_installed() -> None:
    """Raises ConfigurationError where what models need is not installed; costs nothing."""
    if any(importlib.util.find_spec(name) is None for name in _REQUIRED_PACKAGES):
        command = os.environ.get("ASKWIRE_COMMAND")
        raise ConfigurationError(
            "experts are configured, and what they need is not installed",
            hint=f"Run {command} models." if command else "Run pip install 'askwire[models]'.",
        )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name alone."""
    with suppress(ValueError):
        return ip_address(host.strip("[]")).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def http_client(
    url: str, connections: int, transport: httpx2.AsyncBaseTransport | None = None
) -> httpx2.AsyncClient:
    """The client of one endpoint, by the proxy that the environment names; or one over a `transport`."""
    import httpx2  # noqa: PLC0415 - comes with openai
    import openai  # noqa: PLC0415

    address = httpx2.URL(url)
    here = is_loopback(address.host)
    shared: dict[str, Any] = {
        "follow_redirects": False,  # a prompt goes where it was sent and nowhere else
        "timeout": httpx2.Timeout(None, connect=_CONNECT_TIMEOUT_SECONDS),
        "event_hooks": {"request": [_guard]},
        "limits": httpx2.Limits(max_connections=connections, max_keepalive_connections=4),
        # a proxy of the environment is for what lies outside
        "trust_env": not here,
    }
    if here and address.scheme == "http":
        # TLS is not spoken, so the certificates of the world are not loaded: this context trusts none
        shared["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if transport is not None:
        return openai.DefaultAsyncHttpxClient(transport=transport, **shared)
    return openai.DefaultAioHttpClient(**shared)


async def _guard(request: httpx2.Request) -> None:
    """Tests reach this machine and no other, whatever they configure."""
    if "PYTEST_VERSION" in os.environ and not is_loopback(request.url.host):
        raise ConfigurationError(f"a test may not call a model at {request.url.host}")


class OpenAICompatible:
    """`core.protocols.Model` over one endpoint; `close` it after use.

    `transport` takes the place of the network (`bench.live.exchanges`). The key goes into one header and
    nowhere else: no error, trace or log of askwire's repeats it.
    """

    def __init__(
        self,
        *,
        url: str,
        endpoint: str,
        model: str,
        key: str,
        profile: Profile,
        connections: int = 4,
        stream: bool = False,
        embedding_model: str = "",
        api_version: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url
        self._endpoint = endpoint
        self._model = model
        self._key = key
        self._profile = profile
        self._connections = connections
        self._stream = stream
        self._embedding_model = embedding_model
        self._api_version = api_version
        self._headers: dict[str, Any] = {}
        self._transport = transport
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()
        self._structured = profile.structured
        self._doubts = 0
        self._well = True

    @property
    def endpoint(self) -> str:
        """Host and port."""
        return self._endpoint

    async def open(self) -> AsyncOpenAI:
        """The client, made with the first call, or before it for anyone who would wait."""
        async with self._opening:
            if self._client is None:
                openai, _ = await asyncio.to_thread(
                    lambda: tuple(map(importlib.import_module, _REQUIRED_PACKAGES))
                )
                self._client = self._made(openai)
            return self._client

    def _made(self, openai: Any) -> AsyncOpenAI:
        import httpx2  # noqa: PLC0415 - comes with openai

        http = http_client(self._url, self._connections, self._transport)
        client: AsyncOpenAI = openai.AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._url,
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT_SECONDS),
            http_client=http,
            default_query={"api-version": self._api_version} if self._api_version else None,
        )
        if self._api_version:
            self._headers = {"Authorization": openai.Omit(), "api-key": self._key}
        # what the package found in the environment is not for every endpoint: what is sent was configured
        client.organization = client.project = client.admin_api_key = None
        return client

    async def prepare(self) -> None:
        """Import what calls need, and make the client."""
        await self.open()

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def complete(
        self,
        prompt: SealedText,
        *,
        schema: Mapping[str, object] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        timeout: float = 30.0,  # noqa: ASYNC109 - the seam's
    ) -> Completion:
        """One chat completion; see the seam."""
        if not isinstance(prompt, Prompt):
            raise TypeError("a model takes what Egress.prompt made, and nothing else")
        try:
            async with asyncio.timeout(timeout):
                return await self._complete(prompt.text, schema, temperature, max_tokens)
        except TimeoutError:
            raise ModelFailed(
                f"{self._endpoint} did not answer within {timeout:.1f} s", kind="timeout"
            ) from None

    @property
    def embeds(self) -> bool:
        """Whether an embedding model was configured."""
        return bool(self._embedding_model)

    async def embed(
        self,
        texts: Sequence[SealedText],
        *,
        timeout: float = 30.0,  # noqa: ASYNC109 - the seam's
    ) -> tuple[tuple[tuple[float, ...], ...], Usage]:
        """Vectors; see the seam."""
        if not all(isinstance(text, Prompt) for text in texts):
            raise TypeError("a model takes what Egress.texts made, and nothing else")
        sent = [text.text for text in texts]
        try:
            async with asyncio.timeout(timeout):
                request = {"model": self._embedding_model, "input": sent, "encoding_format": "float"}
                client = await self.open()
                body = await self._received(client.embeddings, request, Whole())
                return await asyncio.to_thread(read_vectors, body, sent, self._endpoint)
        except TimeoutError:
            raise ModelFailed(
                f"{self._endpoint} did not answer within {timeout:.1f} s", kind="timeout"
            ) from None

    async def _complete(
        self, text: str, schema: Mapping[str, object] | None, temperature: float, max_tokens: int
    ) -> Completion:
        form = self._structured if schema is not None else "text"
        doubtful = False
        while True:
            request = self._request(text, schema, form, temperature, max_tokens)
            try:
                body = await self._send(request)
            except _FormRefused as refused:
                if refused.doubtful and not self._well:
                    raise refused.failure from None
                doubtful = doubtful or refused.doubtful
                if self._stream and refused.maybe_stream:
                    self._stream = False  # what an endpoint refuses first is most often this
                else:
                    form = "json_object" if form == "json_schema" else "text"
            except ModelFailed:
                self._well = not doubtful  # it fails whatever the form
                raise
            else:
                self._well = True
                if schema is not None:
                    self._remember(form, doubtful=doubtful)
                if len(body) > _MIN_THREADED_BYTES:
                    return await asyncio.to_thread(_read, body, text, self._endpoint)
                return _read(body, text, self._endpoint)

    def _remember(self, form: str, *, doubtful: bool) -> None:
        """Ask for no form again that the endpoint refused; a failure counts as that when it comes again."""
        self._doubts = self._doubts + 1 if doubtful else 0
        if not doubtful or self._doubts >= _MIN_FORM_FAILURES:
            self._structured = form

    def _request(
        self,
        text: str,
        schema: Mapping[str, object] | None,
        form: str,
        temperature: float,
        max_tokens: int,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            self._profile.limit: max_tokens,
        }
        if self._profile.temperature:
            request["temperature"] = temperature
        if form == "json_schema":
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        elif form == "json_object":
            request["response_format"] = {"type": "json_object"}
        if self._stream:
            request["stream"] = True
            request["stream_options"] = {"include_usage": True}
        if self._profile.extra:
            request["extra_body"] = dict(self._profile.extra)
        return request

    async def _send(self, request: Mapping[str, Any]) -> bytes:
        """The body of the response to a request for a completion."""
        client = await self.open()
        came = BodyStream() if "stream" in request else Whole()
        return await self._received(client.chat.completions, request, came)

    async def _received(self, resource: Any, request: Mapping[str, Any], came: BodyStream | Whole) -> bytes:
        """The body of the response; errors become ModelFailed, without what the endpoint said."""
        import aiohttp  # noqa: PLC0415 - imported by open() already
        import httpx2  # noqa: PLC0415
        import openai  # noqa: PLC0415

        answering = False
        try:
            async with resource.with_streaming_response.create(
                **request, extra_headers=self._headers
            ) as response:
                answering = True
                size = 0
                async for chunk in response.iter_bytes():
                    size += len(chunk)
                    if size > MAX_BODY:
                        raise ModelFailed(
                            f"the answer of {self._endpoint} is longer than {MAX_BODY} bytes",
                            kind="malformed answer",
                        )
                    came.feed(chunk)
                    if came.enough:
                        break
                return came.body()
        except openai.APIStatusError as error:
            failure = _status_failure(self._endpoint, error.status_code, error.response.headers)
            refused = error.status_code in _REFUSING_STATUSES
            if refused and {"response_format", "stream"} & request.keys():
                raise _FormRefused(failure, maybe_stream=True) from None
            if error.status_code in _MAYBE_REFUSING_STATUSES and "response_format" in request:
                raise _FormRefused(failure, doubtful=error.status_code >= 500) from None
            raise failure from None
        except (openai.APIError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, ModelFailed):  # a transport that knows what happened
                raise error.__cause__ from None
            if answering and came.whole:
                return came.body()
            if answering:
                raise ModelFailed(f"the answer of {self._endpoint} was cut off", kind="cut off") from None
            raise ModelFailed(f"{self._endpoint} cannot be reached", kind="connection", again=True) from None


class _FormRefused(Exception):
    """The endpoint refused a request that asked for a form of answer; it may be the form that it refused.

    It may be the stream as well (`maybe_stream`), or a failure that has nothing to do with either
    (`doubtful`). `failure` is what it is otherwise.
    """

    def __init__(self, failure: ModelFailed, *, maybe_stream: bool = False, doubtful: bool = False) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.maybe_stream = maybe_stream
        self.doubtful = doubtful


_STATUS_MEANINGS: Final = {
    401: "refused the key",
    403: "refused the key",
    404: "does not know the model or the path",
    413: "finds the prompt too long",
}


def _status_failure(endpoint: str, status: int, headers: Mapping[str, str]) -> ModelFailed:
    after = _retry_after(headers.get("retry-after", ""))
    if status == 429:
        return ModelFailed(
            f"{endpoint} takes no more calls at the moment", kind="rate limit", again=True, after=after
        )
    if status >= 500:
        return ModelFailed(
            f"{endpoint} failed with status {status}",
            kind="server error",
            again=status in _RETRIED_STATUSES,
            after=after,
        )
    what = _STATUS_MEANINGS.get(status, "did not accept the request")
    return ModelFailed(f"{endpoint} {what} (status {status})", kind="rejected")


def _retry_after(text: str) -> float:
    """Seconds that a Retry-After header asks for, at most a minute; 0 where it has no useful value."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
            seconds = moment.timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER_SECONDS) if math.isfinite(seconds) else 0.0


def _read(body: bytes, sent: str, endpoint: str) -> Completion:
    """The first choice of a response; raises ModelFailed for what is none."""
    malformed = ModelFailed(f"the answer of {endpoint} is malformed", kind="malformed answer")
    try:
        document = json.loads(body)
        choice = document["choices"][0]
        message = choice["message"]
        refusal, content = message.get("refusal"), message.get("content")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise malformed from None
    reason = choice.get("finish_reason") if isinstance(choice, dict) else None
    if (isinstance(refusal, str) and refusal) or reason == "content_filter":
        raise ModelFailed(f"{endpoint} refused to answer", kind="refusal")
    if isinstance(content, list):  # some gateways send parts
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if content is None:
        content = ""
    if not isinstance(content, str):
        raise malformed
    content = content[:MAX_ANSWER_CHARACTERS]
    cut = reason == "length"
    if not without_reasoning(content) and not cut:
        raise ModelFailed(f"{endpoint} gave an empty answer", kind="empty answer")
    return Completion(content, _usage(document, sent, content), cut)


def _usage(document: Mapping[str, Any], sent: str, content: str) -> Usage:
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
    reasoning = _count(usage.get("completion_tokens_details"), "reasoning_tokens")
    if not prompt:
        return Usage(tokens(sent), completion or tokens(content), estimated=True)
    return Usage(prompt, completion, min(cached, prompt), min(reasoning, completion))


def _count(counts: object, name: str) -> int:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else 0
