"""Listening at a place: TCP, or a unix socket."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.addresses import Place

BACKLOG = 1024


async def listen(
    place: Place, accept: Callable[[Place], asyncio.BaseProtocol], permissions: int
) -> asyncio.Server:
    """Take connections at a place; raises ConfigurationError when that is not possible.

    The file of a unix socket that no one listens on any more is replaced; it gets the `permissions`.
    """
    loop = asyncio.get_running_loop()
    accepting = partial(accept, place)
    try:
        if place.path:
            make_room(place.path)
            server = await loop.create_unix_server(accepting, place.path, backlog=BACKLOG)
            permit(place.path, permissions)
            return server
        return await loop.create_server(accepting, place.host, place.port, backlog=BACKLOG)
    except OSError as error:
        raise cannot_listen(place, error) from None


async def accept_on(
    sockets: Sequence[socket.socket], place: Place, accept: Callable[[Place], asyncio.BaseProtocol]
) -> list[asyncio.Server]:
    """Take connections on sockets that listen already; raises ConfigurationError."""
    loop = asyncio.get_running_loop()
    accepting = partial(accept, place)
    servers: list[asyncio.Server] = []
    try:
        for listening in sockets:
            listening.setblocking(False)
            if place.path:
                servers.append(await loop.create_unix_server(accepting, sock=listening, backlog=BACKLOG))
            else:
                servers.append(await loop.create_server(accepting, sock=listening, backlog=BACKLOG))
    except OSError as error:
        raise cannot_listen(place, error) from None
    return servers


def cannot_listen(place: Place, error: OSError) -> ConfigurationError:
    """Return the error of a place where no one can listen."""
    # asyncio puts a sentence of its own, with the address once more, instead of the system's.
    code = 0 if place.path else error.errno or 0
    reason = os.strerror(code) if code > 0 else error.strerror or str(error)
    hint = "Stop what listens there, or choose another port with --listen or --port."
    return ConfigurationError(
        f"cannot listen on {place}: {reason}", hint=hint if error.errno == errno.EADDRINUSE else ""
    )


def permit(path: str, permissions: int) -> None:
    """Let those write to a unix socket, and so connect, whom its permissions allow."""
    Path(path).chmod(permissions)


def make_room(path: str) -> None:
    """Remove the file of a unix socket that no process listens on; raises OSError."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(Path(path).stat().st_mode):
            raise FileExistsError(errno.EEXIST, "a file is there that is not a socket")
        with socket.socket(socket.AF_UNIX) as knocking:
            try:
                knocking.connect(path)
            except ConnectionRefusedError:
                Path(path).unlink()
            else:
                raise OSError(errno.EADDRINUSE, "Address already in use")
