"""Pins: the same question, asked by the same role of the same schema, stands for the same SQL.

Owns: how long a pin holds, and that of several equal ASKs (`asking.context.pin_key`) one is worked on at a
time. A pin counts for the experts and the way of working that it came from; what a person said counts for
all. A cache in the process stands in front of the store, so that a pinned ASK waits for nothing of it.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Store
from askwire.core.records import Pin
from askwire.proxy.session.session_memory import SessionMemory

STORE_TIMEOUT_SECONDS: Final = 0.05
"""Seconds an ASK waits for the store to say whether it knows a pin."""

_USE_RECORD_INTERVAL_SECONDS: Final = 3600.0


class Pins:
    """All pins of a process; `wall` tells the time of day. The `cached` ones used last are at hand."""

    def __init__(self, store: Store, wall: Callable[[], float], *, cached: int = 1000) -> None:
        self._store = store
        self._wall = wall
        self._cached = cached
        self._at_hand: OrderedDict[str, Pin] = OrderedDict()
        self._doubtful: set[str] = set()
        self._unread: OrderedDict[str, None] = OrderedDict()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    def at_hand(self, key: str, memory: SessionMemory, today: str) -> Pin | None:
        """The pin of a key that holds today, if no store has to be asked."""
        return None if key in self._doubtful and key not in memory.pins else self._known(key, memory, today)

    def _known(self, key: str, memory: SessionMemory, today: str) -> Pin | None:
        pin = memory.pins.get(key) or self._at_hand.get(key)
        if pin is None or (pin.day and pin.day != today):
            return None
        if key in self._at_hand:
            self._at_hand.move_to_end(key)
        return pin

    async def find(self, key: str, memory: SessionMemory, today: str) -> Pin | None:
        """The pin of a key that holds today; of a store that cannot be read what was known of it last."""
        doubted, unread = key in self._doubtful, self.unread(key)
        if key in memory.pins or (key in self._at_hand and not (doubted or unread)):
            return self._known(key, memory, today)
        before = self._at_hand.get(key)
        try:
            found = await self._store.find(Pin, {"key": key}, limit=1, timeout=STORE_TIMEOUT_SECONDS)
        except StoreFailed:
            if unread or before is None:
                self._unread[key] = None
                if len(self._unread) > self._cached:
                    self._unread.popitem(last=False)
            return self._known(key, memory, today)
        if self._at_hand.get(key) is before:
            # it is as it was before the store was asked
            if found:
                self._hold(found[0])
            elif unread and before is not None:
                self._hold(before)
                self._store.put(before)
            else:
                self._let_go(key)
            self._unread.pop(key, None)
        return self._known(key, memory, today)

    def unread(self, key: str) -> bool:
        """Whether the store could not be asked about a key: it may hold another pin than the one at hand."""
        return key in self._unread

    def settle(self, key: str) -> None:
        """Let the next pin of a key count, whatever the store holds: a person said so."""
        self._unread.pop(key, None)

    def doubt(self, key: str = "") -> None:
        """Ask the store before a pin is used again, or any with ''; another process may have changed it."""
        self._doubtful |= {key} & self._at_hand.keys() if key else self._at_hand.keys()

    def keep(self, pin: Pin, memory: SessionMemory) -> None:
        """Have a pin at hand instead of what its key stood for; `complete` gives it to the store."""
        if pin.session:
            self.drop(pin.key, memory)
            memory.keep(pin)
        else:
            memory.pins.pop(pin.key, None)
            self._hold(pin)

    def complete(self, pin: Pin, completed: Pin, memory: SessionMemory) -> None:
        """Put the whole record instead of a pin that is at hand, unless it is gone meanwhile.

        One with a session stays in that session's memory, the others go to the store; where it could not be
        asked about the key, only once it can be, and holds no older one.
        """
        if memory.pins.get(pin.key) is pin:
            memory.keep(completed)
        elif self._at_hand.get(pin.key) is pin:
            self._hold(completed)
            if not self.unread(pin.key):
                self._store.put(completed)

    def drop(self, key: str, memory: SessionMemory) -> None:
        """Forget what a key stands for."""
        memory.pins.pop(key, None)
        unread = self.unread(key)
        if self._let_go(key) and not unread:
            self._store.remove(Pin, key)

    def forget(self, key: str, memory: SessionMemory) -> None:
        """`drop` a pin that may be known to the store only."""
        self.drop(key, memory)
        self.end(key)

    def end(self, key: str) -> None:
        """Forget a pin that any session of its role may use."""
        self._let_go(key)
        self._store.remove(Pin, key)

    def used(self, pin: Pin) -> None:
        """Note that a pin is in use, now and then: those that are not are deleted some day."""
        now = self._wall()
        if not pin.session and now - pin.used_at >= _USE_RECORD_INTERVAL_SECONDS:
            pin = replace(pin, used_at=now)
            self._hold(pin)
            if not self.unread(pin.key):
                self._store.put(pin)

    def _hold(self, pin: Pin) -> None:
        self._at_hand[pin.key] = pin
        self._at_hand.move_to_end(pin.key)
        self._doubtful.discard(pin.key)
        if len(self._at_hand) > self._cached:
            gone, _ = self._at_hand.popitem(last=False)
            self._doubtful.discard(gone)

    def _let_go(self, key: str) -> Pin | None:
        self._doubtful.discard(key)
        self._unread.pop(key, None)
        return self._at_hand.pop(key, None)

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait until no other ASK with this key is worked on: what it finds may then serve this one."""
        lock, waiting = self._turns.get(key, (asyncio.Lock(), 0))
        self._turns[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._turns[key]
            if waiting == 1:
                del self._turns[key]
            else:
                self._turns[key] = (lock, waiting - 1)


def as_json(values: Mapping[str, object]) -> str:
    """Structure as the text of a record's field."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=str)
