"""Authentication passed through: what may go from one side to the other before the first query.

Owns: the frames of a log-in, which of the client's bytes answer a challenge, and whether the backend asked
for any proof at all. Every method's messages pass as they are; what is sent in clear text is kept only where
`keeps_password` asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askwire.core.errors import ProtocolError
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import (
    AUTHENTICATION,
    BACKEND_KEY_DATA,
    NEGOTIATE_PROTOCOL_VERSION,
    Frame,
    FrameReader,
)

_HEADER_BYTES = 5
_PASSWORD = ord("p")
_OK = 0
_CLEARTEXT = 3
_SASL = messages.UINT32.pack(10)
_MAX_ROW_BYTES = 1 << 20


@dataclass
class Authentication:
    """One log-in. `client_encrypted` says whether the client's leg is TLS.

    `begun_before`: the client has been shown the protocol's version already. `keeps_password`: what the
    client sends as its password in clear text is there for `password`.
    """

    client_encrypted: bool
    begun_before: bool = False
    keeps_password: bool = False
    challenged: bool = False
    authenticated: bool = False
    cancel_key: bytes = b""

    def __post_init__(self) -> None:
        self._reader = FrameReader(_MAX_ROW_BYTES)
        self._skip = 0
        self._method = _OK
        self._said = b""

    def from_backend(self, data: bytes) -> Iterator[Frame]:
        """The backend's messages, each as the client may see it; raises ProtocolError."""
        for kind, payload in self._reader.feed(data):
            shown = payload
            if kind == NEGOTIATE_PROTOCOL_VERSION and self.begun_before:
                continue
            if kind == AUTHENTICATION and len(payload) >= 4:
                (method,) = messages.UINT32.unpack_from(payload)
                self.challenged = self.challenged or method != _OK
                self._method = method or self._method
                self.authenticated = method == _OK
                if payload.startswith(_SASL) and not self.client_encrypted:
                    # a client without encryption takes the offer of channel binding for an attack
                    shown = _without_channel_binding(payload)
            elif kind == BACKEND_KEY_DATA and len(payload) >= 8:
                self.cancel_key = payload
            yield kind, shown

    @property
    def unanswered(self) -> bool:
        """Whether the backend has asked for a proof and not taken it yet."""
        return self.challenged and not self.authenticated

    def rest(self) -> bytes:
        """Bytes of a backend message that has not completed."""
        return self._reader.rest()

    def answers(self, buffer: bytes) -> int:
        """How many bytes at the front of the client's buffer answer a challenge and may pass.

        Anything else that a client sends ahead waits until it is logged in. Raises ProtocolError.
        """
        at = 0
        while not self.authenticated and at < len(buffer):
            if self._skip == 0:
                if len(buffer) - at < _HEADER_BYTES or buffer[at] != _PASSWORD:
                    break
                (length,) = messages.UINT32.unpack_from(buffer, at + 1)
                if length < 4:
                    raise ProtocolError("invalid message length")
                self._skip = 1 + length
            passed = min(self._skip, len(buffer) - at)
            self._skip -= passed
            at += passed
        if self.keeps_password and self._method == _CLEARTEXT:
            self._said += buffer[:at]
        return at

    @property
    def password(self) -> str | None:
        """What the client sent as its password in clear text; None where none was asked for, or kept."""
        if not self._said:
            return None
        return self._said[_HEADER_BYTES:].rstrip(b"\x00").decode("utf-8", "surrogateescape")


def _without_channel_binding(payload: bytes) -> bytes:
    """AuthenticationSASL without its -PLUS mechanisms."""
    names = payload[4:].rstrip(b"\x00").split(b"\x00")
    kept = [name for name in names if not name.endswith(b"-PLUS")]
    return payload[:4] + b"\x00".join(kept) + b"\x00\x00"
