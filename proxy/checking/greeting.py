"""What a backend says before it knows who asks: TLS, how to log in, its certificate.

Owns: one start-up packet and the answer to it; nothing is logged in.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from askwire.proxy.connection.streams import Side, connect
from askwire.proxy.connection.tls import backend_tls
from askwire.proxy.session.statements.own_connection import Target
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import AUTHENTICATION, ERROR_RESPONSE, FrameReader

_PROTOCOL = 3 << 16
_TIMEOUT_SECONDS = 10.0
_SASL = 10
_METHODS = {0: "none", 2: "Kerberos", 3: "password", 5: "md5", 7: "GSSAPI", 9: "SSPI", _SASL: "SASL"}


@dataclass(frozen=True, slots=True)
class Greeting:
    """A backend's first words: `method` as PostgreSQL calls it, SASL `mechanisms`, and whether TLS is spoken.

    `certificate` is the server's in DER form, b"" without TLS; `refusal` is why nothing more was asked.
    """

    encrypted: bool
    certificate: bytes
    method: str = ""
    mechanisms: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def binds_channels(self) -> bool:
        """Whether a log-in can be bound to the TLS connection it is made on."""
        return any(name.endswith("-PLUS") for name in self.mechanisms)


class _FirstMessage:
    """Listener for the first message of weight."""

    def __init__(self) -> None:
        self.first: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()
        self._reader = FrameReader(1 << 20)

    def side_received(self, side: Side, data: bytes) -> None:
        for kind, payload in self._reader.feed(data):
            if kind in (AUTHENTICATION, ERROR_RESPONSE) and not self.first.done():
                self.first.set_result((kind, payload))

    def side_eof(self, side: Side) -> None:
        self._ended()

    def side_lost(self, side: Side) -> None:
        self.over.set()
        self._ended()

    def _ended(self) -> None:
        if not self.first.done():
            self.first.set_exception(ConnectionResetError("the server closed the connection"))

    def side_writable(self, side: Side, writable: bool) -> None:
        pass


async def greet(target: Target) -> Greeting:
    """Ask the backend to let the target's user in, and hear what it wants; raises OSError.

    One that refuses is asked the other way, with TLS or without, where `sslmode` says so.
    """
    greeting = await _greeted(target)
    other = target.address.other_way(encrypted=greeting.encrypted) if greeting.refusal else None
    if other is None:
        return greeting
    try:
        return await _greeted(replace(target, address=other))
    except OSError:
        return greeting


async def _greeted(target: Target) -> Greeting:
    hearing = _FirstMessage()
    async with asyncio.timeout(_TIMEOUT_SECONDS):
        side = await connect(target.address, backend_tls(target.address), hearing)
        try:
            pairs = f"user\0{target.user}\0database\0{target.database}\0\0".encode()
            side.write(messages.UINT32.pack(len(pairs) + 8) + messages.UINT32.pack(_PROTOCOL) + pairs)
            kind, payload = await hearing.first
            tls = side.transport.get_extra_info("records") if side.transport else None
            certificate = (tls.ssl_object.getpeercert(binary_form=True) or b"") if tls else b""
        finally:
            side.abort()
            await hearing.over.wait()
    if kind == ERROR_RESPONSE:
        return Greeting(side.encrypted, certificate, refusal=messages.read_fields(payload).get("M", ""))
    (code,) = messages.UINT32.unpack_from(payload)
    names = payload[4:].rstrip(b"\0").split(b"\0") if code == _SASL else []
    mechanisms = tuple(name.decode("ascii", "replace") for name in names)
    return Greeting(side.encrypted, certificate, _METHODS.get(code, str(code)), mechanisms)
