"""What a client wants of a new connection: encryption, a cancel request carried out, or to log in.

Owns: the packets in front of a log-in, and TLS with the client.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from askwire.core.errors import ProtocolError
from askwire.core.settings.table import Settings
from askwire.proxy.connection import startup
from askwire.proxy.connection.peers import STOPPED, UNKNOWN
from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.tls import demands_tls
from askwire.proxy.connection.tls_records import ServerTls
from askwire.proxy.session.login.encryption import encrypt, is_direct
from askwire.proxy.session.phase import Phase

log = logging.getLogger("askwire.session")


class Host(Protocol):
    """The session that is opened."""

    client: Side
    phase: Phase

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do some work, within the session's own bounds."""

    def log_in(self, request: startup.Startup) -> None:
        """Begin to log in."""

    def encrypted(self) -> None:
        """TLS is there: take up what the client has sent over it already."""

    def refuse(self, sqlstate: str, message: str, *, hint: str = "") -> None:
        """Tell the client why, and end."""

    def close(self) -> None:
        """End."""


class Doorkeeper(Protocol):
    """The server, as far as a connection needs it before its log-in."""

    settings: Settings

    def client_tls(self) -> ServerTls | None:
        """What TLS with clients shares, if configured."""

    async def cancel_for_peer(self, request: startup.CancelRequest, host: str) -> bool:
        """Stop the ASK that a request from another askwire at `host` means; whether there was one."""

    async def cancel(self, request: startup.CancelRequest) -> None:
        """Carry out a client's CancelRequest; returns when it has been taken."""


class SessionStart:
    """The beginning of one session; `local` is over a unix socket, where no TLS is."""

    __slots__ = ("_answered", "_host", "_local", "_server")

    def __init__(self, host: Host, server: Doorkeeper, *, local: bool) -> None:
        self._host = host
        self._server = server
        self._local = local
        self._answered: set[bool] = set()

    def take(self, sent: bytes) -> bytes:
        """Act on what a client has sent; what belongs to no whole packet yet, or comes behind, is returned.

        Raises ProtocolError.
        """
        host = self._host
        tls = None if self._local or host.client.encrypted else self._server.client_tls()
        if is_direct(sent, host.client):
            if tls:
                host.spawn(partial(self._encrypt, tls, sent))
            else:
                host.close()
            return b""
        packet = startup.read(sent)
        if packet is None:
            return sent
        request, length = packet
        rest = sent[length:]
        if isinstance(request, startup.EncryptionRequest):
            self._answer(request, tls, rest)
        elif isinstance(request, startup.CancelRequest):
            host.phase = Phase.CANCELING
            host.spawn(partial(self._cancel_and_close, request))
        elif demands_tls(self._server.settings) and not host.client.encrypted and not self._local:
            host.refuse("28000", "this server accepts connections over TLS only", hint="Use sslmode=require.")
        else:
            host.log_in(request)
        return rest

    def _answer(self, request: startup.EncryptionRequest, tls: ServerTls | None, rest: bytes) -> None:
        if request.gss in self._answered:
            # PostgreSQL answers each once, and takes the second for a version of the protocol
            self._host.refuse("0A000", f"unsupported frontend protocol {request.version}")
            return
        self._answered.add(request.gss)
        plain = tls is None or request.gss
        if not plain:
            self._answered.add(not request.gss)
        if plain:
            self._host.client.write(b"N")
        if rest:
            # bytes sent before the answer could have been injected in front of the encryption
            raise ProtocolError(f"received unencrypted data after {request.name}")
        if tls is not None and not plain:
            self._host.spawn(partial(self._encrypt, tls, b""))

    async def _encrypt(self, tls: ServerTls, begun: bytes) -> None:
        if wrong := await encrypt(self._host.client, tls.records(), begun):
            log.info("TLS handshake with a client failed: %s", wrong)
            self._host.close()
            return
        self._host.encrypted()

    async def _cancel_and_close(self, request: startup.CancelRequest) -> None:
        try:
            if request.from_peer:
                stopped = await self._server.cancel_for_peer(request, self._host.client.host)
                self._host.client.write(STOPPED if stopped else UNKNOWN)
            else:
                await self._server.cancel(request)
        except OSError as error:
            log.warning("a cancel request could not be delivered: %s", error)
        self._host.close()
