"""Lends sessions to the thread that relays through io_uring, and takes back what it does not pass.

Owns: when a session is lent. One in which something unusual has passed stays in Python for a moment, because
more may follow: to lend and to take back costs as much as a few messages.
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

REST_SECONDS: Final = 0.02
"""Seconds for which a session stays in Python."""

_RETRY_SECONDS: Final = 1.0
"""Seconds until a session that could not be lent is tried again."""


class Lendable(Protocol):
    """A session's relay."""

    def lend(self, ring: Ring) -> bool:
        """Lend itself; False when it is in the middle of something and is to be tried again.

        Raises OSError where the ring has ended.
        """

    def take_back(self) -> None:
        """Take itself back; has no effect where it is not lent."""


class Lender:
    """One event loop's ring; `close` when no session is left.

    A session is lent `rest` seconds after it was last in Python. `failed` once the ring has ended.
    """

    def __init__(self, ring: Ring) -> None:
        self.rest = REST_SECONDS
        self.failed = False
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self.watch = Watch(self._loop)
        self._soon: set[Lendable] = set()
        self._later: set[Lendable] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._loop.add_reader(ring.fileno(), self._came_back)

    @classmethod
    def open(cls) -> Lender:
        """One for the running loop; raises OSError where the system has no io_uring for it."""
        return cls(open_ring())

    def wants(self, relay: Lendable) -> None:
        """Lend a relay in a moment."""
        if not self.failed:
            self._soon.add(relay)
            self._wait("soon", self.rest)

    def forget(self, relay: Lendable) -> None:
        """Do not lend it."""
        self._soon.discard(relay)
        self._later.discard(relay)

    def _wait(self, name: str, seconds: float) -> None:
        if name not in self._timers:
            self._timers[name] = self._loop.call_later(seconds, self._lend, name)

    def _lend(self, name: str) -> None:
        del self._timers[name]
        if name == "soon":
            candidates, self._soon = self._soon, set()
        else:
            candidates, self._later = self._later, set()
        try:
            self._later |= {relay for relay in candidates if not relay.lend(self._ring)}
        except OSError as error:
            log.warning("sessions are relayed without io_uring from now on: %s", error.strerror)
            self.failed = True
        if self._later:
            self._wait("later", _RETRY_SECONDS)

    def _came_back(self) -> None:
        os.read(self._ring.fileno(), 8)
        for relay in self._ring.came_back():
            try:
                relay.take_back()  # type: ignore[attr-defined]
            except Exception as error:  # noqa: BLE001 - the others come back all the same
                self._loop.call_exception_handler({"message": "a relay failed", "exception": error})

    def close(self) -> None:
        """End the thread."""
        for timer in self._timers.values():
            timer.cancel()
        self._loop.remove_reader(self._ring.fileno())
        self._ring.close()
        self.watch.close()
