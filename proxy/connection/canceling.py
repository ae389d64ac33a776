"""A CancelRequest to PostgreSQL: sent on a connection of its own, and taken when the server closes that.

Owns: sending one, and telling apart what was not sent from what may still be carried out.
"""

from __future__ import annotations

import asyncio

from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.streams import Side, connect
from askwire.proxy.connection.tls_records import BackendTls
from askwire.proxy.wire import messages


class CancelUnanswered(TimeoutError):
    """A CancelRequest was sent, and no one knows whether or when it will be carried out."""


class EndListener:
    """Listener that waits for the end of a connection."""

    def __init__(self) -> None:
        self.done = asyncio.Event()

    def side_received(self, side: Side, data: bytes) -> None:
        """Nothing is said."""

    def side_eof(self, side: Side) -> None:
        """The server has closed it."""
        self.done.set()

    def side_lost(self, side: Side) -> None:
        """It is gone."""
        self.done.set()

    def side_writable(self, side: Side, writable: bool) -> None:
        """Nothing is written in bulk."""


async def send_cancel(address: BackendAddress, tls: BackendTls | None, key: bytes, seconds: float) -> None:
    """Send a CancelRequest and wait until it has been taken (its end of file), `seconds` at most (0: any).

    Raises OSError where it could not be sent, and CancelUnanswered where it may still be carried out.
    """
    taken = EndListener()
    sent = False
    try:
        async with asyncio.timeout(seconds or None):
            side = await connect(address, tls, taken)
            try:
                side.write(messages.cancel_request(key))
                sent = True
                await taken.done.wait()
            finally:
                side.abort()  # the server does not say goodbye over TLS, and it would be waited for
    except TimeoutError:
        if sent:
            raise CancelUnanswered("a cancel request was not answered in time") from None
        raise
