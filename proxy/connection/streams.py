"""The two ends of a session as asyncio protocols, and how to reach the backend.

Owns: sockets, TLS upgrades and back-pressure hooks.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Protocol, cast

from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.socket_transport import SocketTransport, Watch
from askwire.proxy.connection.tls_records import BackendTls, Records
from askwire.proxy.connection.tls_transport import TlsTransport, fault
from askwire.proxy.wire.messages import SSL_REQUEST
from askwire.proxy.wire.passage import Receiver

WRITE_BUFFER_BYTES = 64 * 1024
"""High-water mark of both directions, in bytes: larger ones delay when a client sees a backend's error."""


LINGER_SECONDS = 10.0
"""Seconds in which a peer has to take what was written before a connection closes."""


class Listener(Protocol):
    """What a `Side` tells its owner."""

    def side_received(self, side: Side, data: bytes) -> None:
        """Bytes arrived."""

    def side_eof(self, side: Side) -> None:
        """The peer will send no more."""

    def side_lost(self, side: Side) -> None:
        """The connection is gone."""

    def side_writable(self, side: Side, writable: bool) -> None:
        """Written bytes pile up (False), or have drained (True)."""


class Side(Receiver, asyncio.Protocol):
    """One connection: hands everything to its listener, and writes; counts the bytes of both."""

    __slots__ = (
        "_blockers",
        "_closed",
        "_connected",
        "_early",
        "_listener",
        "_lost",
        "_transport",
        "_upgrading",
        "encrypted",
        "fault",
        "peer",
    )

    def __init__(self, listener: Listener, connected: Callable[[], None] | None = None) -> None:
        """`connected` is called once a client has connected."""
        super().__init__()
        self._listener = listener
        self._connected = connected
        self._transport: asyncio.Transport | None = None
        self._upgrading = False
        self._early = b""
        self._blockers: tuple[str, ...] = ()
        self._lost = False
        self._closed = False
        self.encrypted = False
        self.fault = ""  # what the peer did wrong in TLS, once that has ended the connection
        self.peer = "local"  # a client's address, for the log: a reset connection does not tell it

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport; writes beyond the high-water mark tell the listener to slow down."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        self.keep_alive(0)
        if self._connected:
            name = transport.get_extra_info("peername")
            if isinstance(name, tuple):
                self.peer = f"{name[0]}:{name[1]}"
            connected, self._connected = self._connected, None
            connected()
        if self._closed:
            self._transport.abort()

    def arrived(self, data: bytes) -> None:
        """Hand bytes on; those that arrive before a TLS upgrade has returned are kept for after it."""
        self.came(len(data))
        if self._upgrading:
            self._early += data
        else:
            self._listener.side_received(self, data)

    def eof_received(self) -> bool:
        """Keep the connection open for what is still to be written; TLS closes it regardless."""
        self._listener.side_eof(self)
        return not self.encrypted

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the listener once."""
        if not self._lost:
            self._lost = True
            self.fault = fault(exc)
            self._listener.side_lost(self)

    def pause_writing(self) -> None:
        """The write buffer is full."""
        self._listener.side_writable(self, False)

    def resume_writing(self) -> None:
        """The write buffer has drained."""
        self._listener.side_writable(self, True)

    @property
    def is_open(self) -> bool:
        """Whether bytes can still be written."""
        return self._transport is not None and not self._lost and not self._transport.is_closing()

    @property
    def transport(self) -> asyncio.Transport | None:
        """What carries the bytes now."""
        return self._transport

    @property
    def socket(self) -> int:
        """The descriptor of the socket, -1 where bytes do not travel on it as they are."""
        sock = self._transport.get_extra_info("socket") if self._transport and not self.encrypted else None
        return -1 if sock is None else sock.fileno()

    @property
    def host(self) -> str:
        """A client's host, '' over a unix socket."""
        return self.peer.rpartition(":")[0]

    def write(self, data: bytes) -> None:
        """Queue bytes; dropped in a handshake, and when the connection is gone (which is reported)."""
        if self.is_open and not self._upgrading:
            self.went(len(data))
            cast("asyncio.Transport", self._transport).write(data)

    def write_eof(self) -> None:
        """Say that no more will be written, where the transport can."""
        if self.is_open and self._transport and self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self.close()

    def close(self) -> None:
        """Close after what was written has gone out, at the latest after `LINGER_SECONDS` seconds."""
        if self.is_open and self._transport and self._transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self.abort)
        self._closed = True
        if self._transport:
            self._transport.close()

    def abort(self) -> None:
        """Close now, dropping what was written."""
        self._closed = True
        if self._transport:
            self._transport.abort()

    def block_reading(self, reason: str, blocked: bool) -> None:
        """Stop reading while any reason holds."""
        before = bool(self._blockers)
        others = tuple(blocker for blocker in self._blockers if blocker != reason)
        self._blockers = (*others, reason) if blocked else others
        if self.is_open and self._transport and bool(self._blockers) != before:
            if blocked:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    @property
    def can_be_lent(self) -> bool:
        """Whether a thread could read and write the socket, with a transport that lets it."""
        transport = self._transport
        return self.socket >= 0 or (isinstance(transport, TlsTransport) and transport.records is not None)

    def detach(self, watch: Watch) -> None:
        """Use a transport that can be lent, where that is possible."""
        transport = self._transport
        tls = transport if isinstance(transport, TlsTransport) else None
        lower = tls.lower if tls else transport
        if lower is None or not self.is_open or self._blockers or not self.can_be_lent:
            return
        if lower.get_write_buffer_size() or isinstance(lower, SocketTransport):
            return
        try:
            sock = socket.socket(fileno=os.dup(lower.get_extra_info("socket").fileno()))
        except OSError:  # no descriptor is left: the loop's transport does as well
            return
        sock.setblocking(False)
        lower.set_protocol(asyncio.Protocol())
        lower.abort()
        if tls:
            tls.move(SocketTransport(watch, sock, tls, WRITE_BUFFER_BYTES))
        else:
            self._transport = SocketTransport(watch, sock, self, WRITE_BUFFER_BYTES)

    @property
    def lendable(self) -> SocketTransport | TlsTransport | None:
        """The transport, where it may be lent now."""
        transport = self._transport
        if isinstance(transport, SocketTransport | TlsTransport) and transport.may_be_lent:
            return transport
        return None

    def take_back(self, unsent: bytes, unread: bytes, error: int | None) -> None:
        """Continue where the thread that had the transport has stopped."""
        if isinstance(self._transport, SocketTransport | TlsTransport):
            self._transport.take_back(unsent, unread, error)

    def hand_over(self, listener: Listener) -> None:
        """Tell another listener from now on."""
        self._listener = listener

    def leave(self) -> None:
        """Close now, and tell no one."""
        self._listener = _Nobody()
        self.abort()

    async def upgrade(
        self,
        records: Records,
        *,
        first: bytes = b"",
        begun: bytes = b"",
    ) -> None:
        """Start TLS, writing `first` without encryption before it; OSError when the handshake fails.

        `begun` are bytes of the handshake that have arrived already.
        """
        transport = cast("asyncio.Transport", self._transport)
        self._upgrading = True
        if first:
            transport.write(first)
        self._transport = tls = TlsTransport(transport, self, records)
        await tls.shake_hands(begun)
        self.encrypted = True
        self._upgrading = False
        early, self._early = self._early, b""
        if early:
            self._listener.side_received(self, early)

    @property
    def application_protocol(self) -> str | None:
        """What both ends of TLS agreed to speak, None where nothing was said."""
        records = self._transport.get_extra_info("records") if self._transport else None
        return cast("Records", records).application_protocol() if records else None

    def keep_alive(self, idle_seconds: int) -> None:
        """Ask a silent peer after so many seconds whether it is there; 0: as the operating system does."""
        sock = self._transport.get_extra_info("socket") if self._transport else None
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            # one that lost its power is noticed, as PostgreSQL does: else its locks stay for ever
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            option = getattr(socket, "TCP_KEEPIDLE", getattr(socket, "TCP_KEEPALIVE", None))
            if idle_seconds and option is not None:
                sock.setsockopt(socket.IPPROTO_TCP, option, idle_seconds)


class _Nobody:
    """Listener to a connection that was left."""

    def side_received(self, side: Side, data: bytes) -> None:
        pass

    def side_eof(self, side: Side) -> None:
        pass

    def side_lost(self, side: Side) -> None:
        pass

    def side_writable(self, side: Side, writable: bool) -> None:
        pass


class _OneByte:
    """Listener for the moment before a backend's TLS answer: one byte, bare."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def side_received(self, side: Side, data: bytes) -> None:
        if not self.answer.done():
            self.answer.set_result(data)

    def side_eof(self, side: Side) -> None:
        self.side_lost(side)

    def side_lost(self, side: Side) -> None:
        if not self.answer.done():
            self.answer.set_exception(ConnectionResetError("connection closed by the backend"))

    def side_writable(self, side: Side, writable: bool) -> None:
        pass


async def connect(address: BackendAddress, tls: BackendTls | None, listener: Listener) -> Side:
    """Open a connection to the backend, TLS negotiated as `sslmode` says, nothing else sent.

    Raises OSError (ssl.SSLError included) when it cannot be reached or refuses what `sslmode` demands.
    """
    if tls is None:
        return await _connected(address, listener)
    first = _OneByte()
    side = await _connected(address, first)
    try:
        side.write(SSL_REQUEST)
        answer = await first.answer
        if answer == b"S":
            await side.upgrade(tls.records())
        elif answer != b"N" or address.sslmode != "prefer":
            raise ConnectionRefusedError("the server does not support TLS, but sslmode demands it")
    except OSError:
        side.abort()
        if address.sslmode != "prefer":
            raise
        # as libpq: what is preferred and fails is tried without
        return await _connected(address, listener)
    except BaseException:
        side.abort()
        raise
    side.hand_over(listener)
    return side


async def _connected(address: BackendAddress, listener: Listener) -> Side:
    loop = asyncio.get_running_loop()
    side = Side(listener)
    if address.unix_socket:
        await loop.create_unix_connection(lambda: side, address.unix_socket)
    else:
        await loop.create_connection(lambda: side, address.endpoint, address.port)
    return side
