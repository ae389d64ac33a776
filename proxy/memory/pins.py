"""Pins: the same question, asked by the same role of the same schema, stands for the same SQL.

Owns: what makes two ASKs the same (`pin_key`), how long a pin holds, and that of several equal ASKs one is
worked on at a time. A pin counts for the experts and the way of working that it came from; what a person
said counts for all. A cache in the process stands in front of the store, so that a pinned ASK waits for
nothing of it. Must not know: how SQL is found or checked.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from typing import Final

from askwire.core.errors import StoreFailed
from askwire.core.memory_settings import HISTORY, HISTORY_ROWS, PINS, WORKLOAD_STATEMENTS
from askwire.core.notice_settings import NOTICES, PROGRESS
from askwire.core.protocols import Store
from askwire.core.records import Pin
from askwire.core.settings import (
    PROBE_LOCK_TIMEOUT,
    PROBE_MAX_BYTES,
    PROBE_MAX_COST,
    PROBE_MAX_ROWS,
    PROBE_TIMEOUT,
    TABLE,
    TIMEOUT,
    Settings,
)
from askwire.core.types import SessionState
from askwire.proxy.session.session_memory import SessionMemory
from askwire.sql.ask import AskOptions

PATIENCE: Final = 0.05
"""Seconds an ASK waits for the store to say whether it knows a pin."""

_SHOWING: Final = frozenset(("sql", "why", "format", "choices", "fresh", "timeout_ms"))
"""Options that do not change which SQL a question stands for."""

_NEUTRAL: Final = frozenset(
    setting.name
    for setting in (
        *(
            NOTICES,
            PROGRESS,
            HISTORY,
            HISTORY_ROWS,
            PINS,
            WORKLOAD_STATEMENTS,
            TIMEOUT,
            PROBE_TIMEOUT,
            PROBE_LOCK_TIMEOUT,
        ),
        *(PROBE_MAX_ROWS, PROBE_MAX_BYTES, PROBE_MAX_COST),
    )
)
"""Settings of which the same holds."""

_DECIDES: Final = re.compile("checks|judge.*|knowledge.*|model_.*|values_off")
"""Settings of the server that decide which SQL a question stands for."""

_DECIDING: Final = tuple(
    setting
    for name, setting in sorted(TABLE.items())
    if (setting.scope == "session" and name not in _NEUTRAL) or _DECIDES.fullmatch(name)
)

_USED_EVERY: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Answering:
    """Who may answer, with which model each, and the settings in force for the asker."""

    experts: tuple[str, ...]
    settings: Settings

    def material(self) -> object:
        """What of it decides which SQL a question stands for."""
        return [self.experts, {setting.name: _plain(self.settings[setting]) for setting in _DECIDING}]


def pin_key(
    question: str,
    options: AskOptions,
    session: SessionState,
    server: str,
    fingerprint: str,
    answering: Answering | None = None,
) -> str:
    """A digest of all that the SQL of a question may depend on, except the data and the day.

    Without `answering` it is the key of what a person said, which holds whoever is asked.
    """
    shown = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in _SHOWING}
    material = {
        "question": question,
        "options": shown,
        "server": server,
        "database": session.database,
        "current_user": session.current_user,
        "session_user": session.session_user,
        "row_security": session.row_security,
        "search_path": session.search_path,
        "answering": answering.material() if answering else None,
        "fingerprint": fingerprint,
    }
    text = json.dumps(material, sort_keys=True, default=sorted)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> str:
    return str(sorted(map(str, value)) if isinstance(value, frozenset | set) else value)


class Pins:
    """All pins of a process; `wall` tells the time of day. The `cached` ones used last are at hand."""

    def __init__(self, store: Store, wall: Callable[[], float], *, cached: int = 1000) -> None:
        self._store = store
        self._wall = wall
        self._cached = cached
        self._at_hand: OrderedDict[str, Pin] = OrderedDict()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    def at_hand(self, key: str, memory: SessionMemory, today: str) -> Pin | None:
        """The pin of a key that holds today, if no store has to be asked."""
        pin = memory.pins.get(key) or self._at_hand.get(key)
        if pin is None or (pin.day and pin.day != today):
            return None
        if key in self._at_hand:
            self._at_hand.move_to_end(key)
        return pin

    async def find(self, key: str, memory: SessionMemory, today: str) -> Pin | None:
        """The pin of a key that holds today. A store that cannot be read knows none."""
        if key in memory.pins or key in self._at_hand:
            return self.at_hand(key, memory, today)
        try:
            found = await self._store.find(Pin, {"key": key}, limit=1, timeout=PATIENCE)
        except StoreFailed:
            return None
        if found and key not in self._at_hand:
            self._hold(found[0])
        return self.at_hand(key, memory, today)

    def keep(self, pin: Pin, memory: SessionMemory) -> None:
        """Have a pin at hand in the place of what its key stood for; `complete` gives it to the store."""
        if pin.session:
            self.drop(pin.key, memory)
            memory.keep(pin)
        else:
            memory.pins.pop(pin.key, None)
            self._hold(pin)

    def complete(self, pin: Pin, completed: Pin, memory: SessionMemory) -> None:
        """Put the whole record in the place of a pin that is at hand, unless it is gone meanwhile.

        One with a session stays in that session's memory, the others go to the store.
        """
        if memory.pins.get(pin.key) is pin:
            memory.keep(completed)
        elif self._at_hand.get(pin.key) is pin:
            self._hold(completed)
            self._store.put(completed)

    def drop(self, key: str, memory: SessionMemory) -> None:
        """Forget what a key stands for."""
        memory.pins.pop(key, None)
        if self._at_hand.pop(key, None):
            self._store.remove(Pin, key)

    def forget(self, key: str, memory: SessionMemory) -> None:
        """`drop` a pin that may be known to the store only."""
        self.drop(key, memory)
        self.end(key)

    def end(self, key: str) -> None:
        """Forget a pin that any session of its role may use."""
        self._at_hand.pop(key, None)
        self._store.remove(Pin, key)

    def used(self, pin: Pin) -> None:
        """Note that a pin is in use, now and then: those that are not are deleted some day."""
        now = self._wall()
        if not pin.session and now - pin.used_at >= _USED_EVERY:
            pin = replace(pin, used_at=now)
            self._hold(pin)
            self._store.put(pin)

    def _hold(self, pin: Pin) -> None:
        self._at_hand[pin.key] = pin
        self._at_hand.move_to_end(pin.key)
        if len(self._at_hand) > self._cached:
            self._at_hand.popitem(last=False)

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
