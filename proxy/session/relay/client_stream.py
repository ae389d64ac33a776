"""The client's side of the relay: its bytes pass as they came, up to a message that may concern askwire.

Owns: the boundaries of the client's messages, and a look at those that can: Query and Parse messages for the
word ASK and, while a rewritten statement lives, the messages that name statements and portals. What is
done with them is an `Interceptor`'s business.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from askwire.core.settings.table import ASK_FUNCTION, SCAN_LIMIT, Settings
from askwire.proxy.session.relay.consent import Consent
from askwire.proxy.session.relay.interception import HeldMessage, Interceptor
from askwire.proxy.wire import messages
from askwire.proxy.wire.passage import pattern, words_of
from askwire.proxy.wire.pipeline import PORTALS, Pipeline
from askwire.proxy.wire.rewrites import NAMED, PARSE, QUERY, Rewrites

_HEADER_BYTES = 5


class ClientStream:
    """Cuts one client's bytes after login. `opaque`: nothing is looked at any more.

    `pipeline` and `rewrites` are shown about every message that passes, `consent` of every statement;
    `parameters` are the session's.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        rewrites: Rewrites,
        parameters: Mapping[str, str],
        settings: Settings,
        interceptor: Interceptor,
        consent: Consent | None = None,
    ) -> None:
        self._consent = consent
        self._pipeline = pipeline
        self._rewrites = rewrites
        self._parameters = parameters
        self._scan_limit = settings[SCAN_LIMIT] or sys.maxsize
        self._settings = settings
        self._interceptor = interceptor
        self._asks = pattern(words_of(settings[ASK_FUNCTION].lower())).search
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

    def feed(self, data: bytes) -> tuple[bytes, HeldMessage | None, bytes]:
        """What passes on of `data`, the message that stops the relay if there is one, and what follows it."""
        if self.opaque:
            return data, None, b""
        if self._held:
            self._held += data
            if len(self._held) < self._needed:
                return b"", None, b""
            data = bytes(self._held)
            self._held.clear()
        self._needed = _HEADER_BYTES
        size = len(data)
        position = 0
        if self._skip:
            position = min(self._skip, size)
            self._skip -= position
        unpack = messages.UINT32.unpack_from
        sent = self._pipeline.sent
        followed = self._rewrites.active
        while size - position >= _HEADER_BYTES:
            kind = data[position]
            (length,) = unpack(data, position + 1)
            if length < 4:
                # not a message: the backend says what it thinks of it
                self.opaque = True
                position = size
                break
            end = position + 1 + length
            held: HeldMessage | None = None
            if kind in (QUERY, PARSE) and length <= self._scan_limit:
                if end > size:
                    self._needed = end - position
                    break
                # a slice: the look behind would see the length in front of the text, which may be a letter
                payload = data[position + _HEADER_BYTES : end]
                if self._asks(payload):
                    held = self._interceptor.of_text(kind, payload, self._settings, self._parameters)
                unread = self._pipeline.skips or self._pipeline.copying
                if held is None and self._consent and not unread:
                    self._consent.passed(kind, payload, in_block=self._pipeline.status != "I")
            elif followed and kind in NAMED and length <= self._scan_limit:
                if end > size:
                    self._needed = end - position
                    break
                payload, following = data[position + _HEADER_BYTES : end], data[end : end + 1]
                held = self._interceptor.of_name(kind, payload, following, self._rewrites)
            if held:
                return data[:position], held, data[end:]
            if kind in PORTALS:
                self._pipeline.sent_portal(kind, data, position + _HEADER_BYTES, end)
            else:
                sent(kind)
            if followed:
                self._rewrites.sent(kind, data[position + _HEADER_BYTES : end])
            if end > size:
                self._skip = end - size
                position = size
                break
            position = end
        if position == size:
            return data, None, b""
        self._held += data[position:]
        return data[:position], None, b""
