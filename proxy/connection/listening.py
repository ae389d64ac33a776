"""Listening at a place: TCP, or a unix socket."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.addresses import Place

_BACKLOG = 1024


async def listen(
    place: Place, accept: Callable[[Place], asyncio.BaseProtocol], permissions: int
) -> asyncio.Server:
    """Take connections at a place; raises ConfigurationError when that is not possible.

    The file of a unix socket that nobody listens on any more is replaced; it gets the `permissions`.
    """
    loop = asyncio.get_running_loop()
    accepting = partial(accept, place)
    try:
        if place.path:
            _make_room(place.path)
            server = await loop.create_unix_server(accepting, place.path, backlog=_BACKLOG)
            _permit(place.path, permissions)
            return server
        return await loop.create_server(accepting, place.host, place.port, backlog=_BACKLOG)
    except OSError as error:
        # asyncio puts a sentence of its own, with the address once more, in the place of the system's.
        code = 0 if place.path else error.errno or 0
        reason = os.strerror(code) if code > 0 else error.strerror or str(error)
        hint = "Stop what listens there, or choose another port with --listen or --port."
        raise ConfigurationError(
            f"cannot listen on {place}: {reason}", hint=hint if error.errno == errno.EADDRINUSE else ""
        ) from None


def _permit(path: str, permissions: int) -> None:
    Path(path).chmod(permissions)


def _make_room(path: str) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(Path(path).stat().st_mode):
            raise FileExistsError(errno.EEXIST, "a file is there that is no socket")
        with socket.socket(socket.AF_UNIX) as knocking:
            try:
                knocking.connect(path)
            except ConnectionRefusedError:
                Path(path).unlink()
            else:
                raise OSError(errno.EADDRINUSE, "Address already in use")
