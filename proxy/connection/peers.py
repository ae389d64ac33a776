"""Other askwires in front of the same PostgreSQL: a cancel request may reach the wrong one of them.

A balancer does not know which host a session is on. The one that a CancelRequest came to asks the others: it
sends them the request with a mark behind the key, and each answers with one byte whether it has stopped the
ASK of that session. What no host knows goes to PostgreSQL, as ever: the key is PostgreSQL's own.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from askwire.proxy.connection.addresses import Place
from askwire.proxy.connection.startup import PEER_MARK
from askwire.proxy.wire import messages

log = logging.getLogger("askwire.peers")

STOPPED: Final = b"Y"
UNKNOWN: Final = b"N"
_PEER_TIMEOUT_SECONDS: Final = 1.0
"""Seconds that a peer may take: it is on the same network, and only looks the key up."""


class Peers:
    """The other hosts; `places` are where their clients connect.

    A name may stand for several hosts, as that of a headless service does, and for this one among them.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = tuple(places)

    def __bool__(self) -> bool:
        return bool(self._places)

    async def include(self, host: str) -> bool:
        """Whether an address is one of a peer's."""
        return host in {address for place in self._places for address in await _addresses(place)}

    async def cancel(self, key: bytes) -> bool:
        """Whether a peer has stopped the ASK of a session; one that cannot be reached has not."""
        hosts = {(host, place.port) for place in self._places for host in await _addresses(place)}
        answers = await asyncio.gather(*(self._ask(host, port, key) for host, port in hosts))
        return any(answers)

    async def _ask(self, host: str, port: int, key: bytes) -> bool:
        try:
            async with asyncio.timeout(_PEER_TIMEOUT_SECONDS):
                reader, writer = await asyncio.open_connection(host, port)
                try:
                    writer.write(messages.cancel_request(key + PEER_MARK))
                    return await reader.read(1) == STOPPED
                finally:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
        except OSError as error:  # TimeoutError is one
            log.warning("peer %s:%d does not answer a cancel request: %s", host, port, error or "timeout")
            return False


async def _addresses(place: Place) -> set[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(place.host, None, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {str(entry[4][0]).partition("%")[0] for entry in found}
