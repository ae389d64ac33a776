"""The client's side of the relay: its bytes pass as they came, up to a message that may concern askwire.

Owns: the boundaries of the client's messages, and a look at those that can: Query and Parse messages for the
word ASK and, while a rewritten statement lives, the messages that name statements and portals. Must not
know: what is done with them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from askwire.core.settings import ASK_FUNCTION, SCAN_LIMIT, Settings
from askwire.proxy.asking.asking import Request
from askwire.proxy.asking.bound import BindRequest, DescribeRequest, ExecuteRequest
from askwire.proxy.asking.message import AskMessage
from askwire.proxy.asking.text import TextRequest
from askwire.proxy.session.consent import Consent
from askwire.proxy.wire import messages
from askwire.proxy.wire.passage import pattern, words_of
from askwire.proxy.wire.pipeline import PORTALS, Pipeline
from askwire.proxy.wire.rewrites import BIND, DESCRIBE, EXECUTE, NAMED, PARSE, QUERY, Rewrites

_HEADER = 5


class ClientStream:
    """Cuts one client's bytes after login. `opaque`: nothing is looked at any more.

    `pipeline` and `rewrites` are told of every message that passes, `consent` of every statement;
    `parameters` are the session's.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        rewrites: Rewrites,
        parameters: Mapping[str, str],
        settings: Settings,
        consent: Consent | None = None,
    ) -> None:
        self._consent = consent
        self._pipeline = pipeline
        self._rewrites = rewrites
        self._parameters = parameters
        self._scan_limit = settings[SCAN_LIMIT] or sys.maxsize
        self._function = settings[ASK_FUNCTION].lower()
        self._asks = pattern(words_of(self._function)).search
        self._held = bytearray()
        self._needed = 0
        self._skip = 0
        self.opaque = False

    @property
    def skip(self) -> int | None:
        """How many bytes of a message that passes are still to come; None while one is held back."""
        return None if self._held or self.opaque else self._skip

    def resume(self, skip: int) -> None:
        """Go on where somebody else has walked, `skip` bytes before the next message."""
        self._skip = skip

    def feed(self, data: bytes) -> tuple[bytes, Request | None, bytes]:
        """What passes on of `data`, the message that stops the relay if there is one, and what follows it."""
        if self.opaque:
            return data, None, b""
        if self._held:
            self._held += data
            if len(self._held) < self._needed:
                return b"", None, b""
            data = bytes(self._held)
            self._held.clear()
        self._needed = _HEADER
        size = len(data)
        position = 0
        if self._skip:
            position = min(self._skip, size)
            self._skip -= position
        unpack = messages.UINT32.unpack_from
        sent = self._pipeline.sent
        followed = self._rewrites.active
        while size - position >= _HEADER:
            kind = data[position]
            (length,) = unpack(data, position + 1)
            if length < 4:
                # not a message: the backend says what it thinks of it
                self.opaque = True
                position = size
                break
            end = position + 1 + length
            request: Request | None = None
            if kind in (QUERY, PARSE) and length <= self._scan_limit and not self._pipeline.copying:
                if end > size:
                    self._needed = end - position
                    break
                # a slice: the look behind would see the length in front of the text, which may be a letter
                payload = data[position + _HEADER : end]
                if self._asks(payload):
                    message = AskMessage(kind, payload, self._function)
                    if message.may_ask(self._parameters):
                        request = TextRequest(message)
                if request is None and self._consent and not self._pipeline.skips:
                    self._consent.passed(kind, payload, in_block=self._pipeline.status != "I")
            elif followed and kind in NAMED and length <= self._scan_limit:
                if end > size:
                    self._needed = end - position
                    break
                request = self._request(kind, data[position + _HEADER : end], data[end : end + 1])
            if request:
                return data[:position], request, data[end:]
            if kind in PORTALS:
                self._pipeline.sent_portal(kind, data, position + _HEADER, end)
            else:
                sent(kind)
            if followed:
                self._rewrites.sent(kind, data[position + _HEADER : end])
            if end > size:
                self._skip = end - size
                position = size
                break
            position = end
        if position == size:
            return data, None, b""
        self._held += data[position:]
        return data[:position], None, b""

    def _request(self, kind: int, payload: bytes, following: bytes) -> Request | None:
        """A message that names a rewritten statement and may need more than passing on.

        `following` is the type of the next message if it is there. pg8000 leaves a Bind of the unnamed portal
        behind when it meets an error: what nobody executes need not be asked.
        """
        rewrites = self._rewrites
        name = messages.first_name(payload)
        if kind == BIND and rewrites.waiting(messages.first_name(payload, len(name) + 1)):
            return BindRequest(payload) if name or following not in (b"P", b"Q") else None
        if kind == DESCRIBE and payload[:1] == b"S" and rewrites.waiting(messages.first_name(payload, 1)):
            return DescribeRequest(payload)
        if kind == EXECUTE and rewrites.is_changed(name):
            return ExecuteRequest(payload)
        return None
