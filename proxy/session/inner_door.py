"""A way into a server's sessions from inside its process: the same wire, over a pair of connected sockets.

Owns: that pair, and the session at its other end. Such a session is one of the server's own, with the same
log-in, bounds and cancel requests as a client's; only the backend's side leaves the process.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Protocol

from askwire.proxy.connection.startup import CancelRequest
from askwire.proxy.connection.streams import Listener, Side
from askwire.proxy.session.session import Session
from askwire.proxy.session.session_memory import SessionMemory


class Host(Protocol):
    """The server whose sessions these are."""

    async def take_in(self, sock: socket.socket, *, loopback: bool) -> Session:
        """Serve the other end of a connected pair of sockets of this process."""

    async def cancel(self, request: CancelRequest) -> None:
        """Carry out a CancelRequest."""


class Entrance:
    """One connection through the door, as `own_connection.Way`; `loopback` as for `Host.take_in`."""

    def __init__(self, server: Host, *, loopback: bool) -> None:
        self._server = server
        self._loopback = loopback
        self._session: Session | None = None

    async def dial(self, listener: Listener) -> Side:
        """Open the connection; raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            for end in (ours, theirs):
                end.setblocking(False)
            side = Side(listener)
            self._session = await self._server.take_in(theirs, loopback=self._loopback)
            await asyncio.get_running_loop().create_unix_connection(lambda: side, sock=ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        return side

    async def cancel(self, key: bytes) -> None:
        """Carry out a CancelRequest, as for any client."""
        await self._server.cancel(CancelRequest(key))

    @property
    def memory(self) -> SessionMemory | None:
        """What the session remembers of its own ASKs: their readings have the numbers of ASK CHOOSE."""
        return self._session.memory if self._session else None
