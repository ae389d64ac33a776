"""Which messages of clients are an ASK's: `proxy.session.relay.interception.Interceptor`.

Owns: the choice of a `Request` for each message that is held back, and who answers it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from askwire.core.settings.table import ASK_FUNCTION, Settings
from askwire.proxy.asking.asking import AskInterception, Request
from askwire.proxy.asking.bound import BindRequest, DescribeRequest, ExecuteRequest, is_due
from askwire.proxy.asking.message import AskMessage
from askwire.proxy.asking.requests import Resolver
from askwire.proxy.asking.text import TextRequest
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.conversation import Conversation
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import BIND, DESCRIBE, EXECUTE, Rewrites


class AskInterceptor:
    """Holds back what may be an ASK; `settings` returns the operator's when a message is worked on."""

    def __init__(self, resolver: Resolver, settings: Callable[[], Settings]) -> None:
        self._resolver = resolver
        self._settings = settings

    def of_text(
        self, kind: int, payload: bytes, settings: Settings, parameters: Mapping[str, str]
    ) -> HeldRequest | None:
        """A Query or Parse message that may hold an ASK; None: it holds none."""
        message = AskMessage(kind, payload, settings[ASK_FUNCTION].lower(), settings)
        return self._held(TextRequest(message)) if message.may_ask(parameters) else None

    def of_name(self, kind: int, payload: bytes, following: bytes, rewrites: Rewrites) -> HeldRequest | None:
        """A message that names a rewritten statement and may need more than passing on.

        pg8000 leaves a Bind of the unnamed portal behind when it meets an error: what no one executes need
        not be asked.
        """
        name = messages.first_name(payload)
        if kind == BIND:
            statement = messages.first_name(payload, len(name) + 1)
            if rewrites.waiting(statement):
                executed = name or following not in (b"P", b"Q")
                return self._held(BindRequest(payload)) if executed else None
            return self._held(BindRequest(payload)) if is_due(rewrites, statement) else None
        if kind == DESCRIBE and payload[:1] == b"S" and rewrites.waiting(messages.first_name(payload, 1)):
            return self._held(DescribeRequest(payload))
        if kind == EXECUTE and rewrites.is_changed(name):
            return self._held(ExecuteRequest(payload))
        return None

    def _held(self, request: Request) -> HeldRequest:
        return HeldRequest(request, self._resolver, self._settings)


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """A request with who answers it."""

    request: Request
    resolver: Resolver
    settings: Callable[[], Settings]

    @property
    def kind(self) -> int:
        """The message's type byte."""
        return self.request.kind

    @property
    def payload(self) -> bytes:
        """The message as it came."""
        return self.request.payload

    def interception(
        self,
        conversation: Conversation,
        parameters: Mapping[str, str],
        cancel_backend: Callable[[], Awaitable[None]],
        memory: SessionMemory,
    ) -> AskInterception:
        """The work on it, in a conversation with the backend."""
        settings = self.settings()
        return AskInterception(
            conversation, self.request, parameters, self.resolver, settings, cancel_backend, memory
        )
