"""Lends sessions to the thread that relays through io_uring, and takes back what it does not pass.

Owns: when a session is lent. One in which something unusual has passed stays in Python for a moment, because
more may follow: to lend and to recall costs as much as a few messages.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Final, Protocol

from askwire.proxy.connection.socket_transport import Watch
from askwire.proxy.wire.passage import open_ring

if TYPE_CHECKING:
    from askwire._compiled import Ring

log = logging.getLogger("askwire.server")

REST: Final = 0.02
"""Seconds for which a session stays with Python."""

_LATER: Final = 50
"""Looks until a session that was in the middle of something is considered again."""


class Lendable(Protocol):
    """A session's relay."""

    def lend(self, ring: Ring) -> bool | None:
        """Lend itself; False when it is in the middle of something, None when it never will be lent again."""

    def take_back(self) -> None:
        """Take itself back; nothing where it is not lent."""


class Lender:
    """One event loop's ring; `close` when no session is left.

    A session is lent once nothing unusual has travelled in it for `rest` seconds.
    """

    def __init__(self, ring: Ring) -> None:
        self.rest = REST
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self.watch = Watch(self._loop)
        self._soon: set[Lendable] = set()
        self._later: set[Lendable] = set()
        self._looks = 0
        self._waiting: asyncio.TimerHandle | None = None
        self._loop.add_reader(ring.fileno(), self._returned)

    @classmethod
    def open(cls) -> Lender | None:
        """One for the running loop; None, and a word in the log, where the system has no io_uring for it."""
        try:
            return cls(open_ring())
        except OSError as error:
            log.info("sessions are relayed without io_uring: %s", error.strerror or error)
            return None

    def wants(self, relay: Lendable) -> None:
        """Lend a relay, once it has been at rest for a moment."""
        self._soon.add(relay)
        if self._waiting is None:
            self._waiting = self._loop.call_later(self.rest, self._look)

    def forget(self, relay: Lendable) -> None:
        """Not any more."""
        self._soon.discard(relay)
        self._later.discard(relay)

    def _look(self) -> None:
        """Lend those that have been at rest."""
        self._waiting = None
        self._looks += 1
        candidates, self._soon = self._soon, set()
        if self._looks % _LATER == 0:
            candidates |= self._later
            self._later = set()
        for relay in candidates:
            if relay.lend(self._ring) is False:
                self._later.add(relay)
        if self._later or self._soon:
            self._waiting = self._loop.call_later(self.rest, self._look)

    def _returned(self) -> None:
        os.read(self._ring.fileno(), 8)
        for relay in self._ring.returned():
            relay.take_back()  # type: ignore[attr-defined]

    def close(self) -> None:
        """End the thread."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._loop.remove_reader(self._ring.fileno())
        self._ring.close()
        self.watch.close()
