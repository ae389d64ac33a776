"""Attempts to get in: every token, link, cookie and password passes here, and wrong ones get slower.

The right secret gets in from an address that has tried any number of wrong ones. After `FREE_ATTEMPTS` wrong
ones from an address (`FREE_ATTEMPTS_OF_ALL` from all together) the answer waits, the right one's too: an
attacker has to keep a connection open for each guess to learn what became of it, and connections are few.
Only where more wait than `MAX_WAITING` are further ones turned away without a look. Of cookies only wrong
ones wait, since a right one is 32 random bytes that askwire made itself. The same wrong secret again is no
further guess: a tab or a scraper with an old one does no harm.

Owns: how long an answer waits, and the counts and log lines of wrong secrets; never the secrets themselves.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import math
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from askwire.core.protocols import Clock

log = logging.getLogger("askwire.audit")
log.setLevel(logging.INFO)  # who tries to get in is logged whatever `log_level` says

T = TypeVar("T")
Kind = Literal["token", "bearer", "link", "cookie", "sign-in"]
"""Where a secret came: the form of the login, the header Authorization, the link of the start, a cookie; a
password for PostgreSQL."""

FREE_ATTEMPTS: Final = 5
"""Wrong secrets of an address before answers to it wait."""
FREE_ATTEMPTS_OF_ALL: Final = 50
FORGIVEN_SECONDS: Final = 6.0
"""One wrong secret of an address is forgotten in that time, ten of all together."""
MAX_WAIT_SECONDS: Final = 4.0
_FIRST_WAIT_SECONDS: Final = 0.5
_MAX_COUNTED_ATTEMPTS: Final = 30
"""Wrong secrets that count at once: an address is forgiven within three minutes of its last one."""
MAX_WAITING: Final = 112
"""Answers that wait at once; fewer than there are connections, so that those who are in are not kept out."""
MAX_WAITING_PER_ADDRESS: Final = 96
"""Of one address: it leaves room for the others."""
MAX_ADDRESSES: Final = 1000
_MAX_KNOWN_SECRETS: Final = 8
"""Wrong secrets of an address that are recognized when they come again."""
_LOG_SECONDS: Final = 10.0


class SlowDown(Exception):
    """Too many wrong secrets: `seconds` is when to try again; `compared` says whether this one was wrong."""

    def __init__(self, seconds: int, *, compared: bool) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.compared = compared


@dataclass(slots=True)
class _Level:
    """How many wrong secrets count, which falls by one each `seconds`."""

    seconds: float
    most: float
    count: float = 0.0
    at: float = 0.0

    def now(self, now: float) -> float:
        return max(0.0, self.count - (now - self.at) / self.seconds)

    def add(self, now: float) -> None:
        self.count, self.at = min(self.most, self.now(now) + 1), now


@dataclass(slots=True)
class _Address:
    level: _Level = field(default_factory=lambda: _Level(FORGIVEN_SECONDS, _MAX_COUNTED_ATTEMPTS))
    known: deque[bytes] = field(default_factory=lambda: deque(maxlen=_MAX_KNOWN_SECRETS))


def _wait(level: float, free: int) -> float:
    """Seconds: nothing at first, then twice as long with each further wrong secret."""
    over = level - free
    return 0.0 if over < 0 else min(MAX_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0 ** min(over, 10.0))


def _place(address: str) -> str:
    """The address that counts: of IPv6 the network of 64 bits, which one host has for itself."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


class Attempts:
    """The wrong secrets of a process, by address; `wrong` counts them by kind, for the metrics."""

    def __init__(
        self,
        clock: Clock,
        wrong: Counter[str] | None = None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._wrong: Counter[str] = Counter() if wrong is None else wrong
        self._pause = pause
        self._all = _Level(FORGIVEN_SECONDS / 10, FREE_ATTEMPTS_OF_ALL + _MAX_COUNTED_ATTEMPTS)
        self._addresses: OrderedDict[str, _Address] = OrderedDict()
        self._waiting: dict[asyncio.Future[object], tuple[str, Callable[[], bool]]] = {}
        self._logged_at = -math.inf
        self._unlogged = 0

    def wait(self, address: str) -> float:
        """Seconds that the next answer to an address waits."""
        now = self._clock.monotonic()
        known = self._addresses.get(_place(address))
        own = known.level.now(now) if known else 0.0
        return max(_wait(own, FREE_ATTEMPTS), _wait(self._all.now(now), FREE_ATTEMPTS_OF_ALL))

    async def present(
        self,
        kind: Kind,
        secret: str,
        address: str,
        compare: Callable[[str], T | None],
        gone: Callable[[], bool] = lambda: False,
    ) -> T | None:
        """What `compare` makes of a secret, None for a wrong one, after as long as this address has to wait.

        `gone` says whether the client has left: it then makes room for others. Raises SlowDown for a wrong
        one that had to wait, and for any while too many wait already; ConnectionResetError for a client that
        has left.
        """
        if kind == "cookie" and (right := compare(secret)) is not None:
            return right

        async def compared() -> T | None:
            return compare(secret)

        return await self.carry_out(kind, secret, address, compared, gone)

    async def carry_out(
        self,
        kind: Kind,
        secret: str,
        address: str,
        attempt: Callable[[], Awaitable[T | None]],
        gone: Callable[[], bool] = lambda: False,
    ) -> T | None:
        """The same for a secret that somebody else judges: `attempt` returns None for a wrong one.

        An exception of its own does not count as a wrong secret.
        """
        place = _place(address)
        digest = hashlib.sha256(f"{kind} {secret}".encode("utf-8", "surrogatepass")).digest()
        seconds = self.wait(address)
        again = (known := self._addresses.get(place)) is not None and digest in known.known
        if seconds and not again:
            await self._delay(place, seconds, gone)
        right = await attempt()
        if right is None:
            self._count(kind, place, digest)
            if seconds and kind != "cookie":
                raise SlowDown(max(1, math.ceil(self.wait(address))), compared=True)
        return right

    async def _delay(self, place: str, seconds: float, gone: Callable[[], bool]) -> None:
        if self._full(place):
            for waits, (_, left) in list(self._waiting.items()):
                if left():
                    waits.cancel()
                    del self._waiting[waits]
            if self._full(place):
                raise SlowDown(math.ceil(seconds), compared=False)
        pausing = asyncio.ensure_future(self._pause(seconds))
        self._waiting[pausing] = (place, gone)
        try:
            await asyncio.wait((pausing,))
        finally:
            self._waiting.pop(pausing, None)
            pausing.cancel()
        if pausing.cancelled():
            raise ConnectionResetError("the client has gone")

    def _full(self, place: str) -> bool:
        here = sum(one == place for one, _ in self._waiting.values())
        return len(self._waiting) >= MAX_WAITING or here >= MAX_WAITING_PER_ADDRESS

    def _count(self, kind: Kind, place: str, digest: bytes) -> None:
        self._wrong[kind] += 1
        now = self._clock.monotonic()
        known = self._addresses.setdefault(place, _Address())
        self._addresses.move_to_end(place)
        if len(self._addresses) > MAX_ADDRESSES:
            self._addresses.popitem(last=False)
        if digest in known.known:
            return
        known.known.append(digest)
        known.level.add(now)
        self._all.add(now)
        self._unlogged += 1
        if now - self._logged_at >= _LOG_SECONDS:
            log.warning(
                "wrong credentials at the console: %d since the last such line, the latest from %s (%s)",
                *(self._unlogged, place, kind),
            )
            self._logged_at, self._unlogged = now, 0
