"""The changes that wait to be written: bounded, and one for each record.

Owns: their order, and which gives way when there is no room. A record that is put again takes the place of
what waits under its key. Used from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from askwire.core.records import KINDS, AskedTrace, HistoryEntry, Record
from askwire.store.tables import table

Change: TypeAlias = "Record | tuple[type[Record], str]"

_DROPPED_FIRST: Final = (table(AskedTrace).name, table(HistoryEntry).name)
"""History gives way to what people taught and spent, the steps of the oldest ASK first."""


class QueuedChange(NamedTuple):
    """One change with its number, which grows."""

    number: int
    kind: str
    key: str
    change: Change


class ChangeQueue:
    """At most `capacity` changes."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._kinds: dict[str, OrderedDict[str, QueuedChange]] = {name: OrderedDict() for name in KINDS}
        self._length = 0
        self._last = 0

    def __len__(self) -> int:
        return self._length

    @property
    def last(self) -> int:
        """The number of the latest change that was put."""
        return self._last

    def put(self, changes: Iterable[Change]) -> int:
        """Let changes wait; how many were lost for want of room, these or earlier ones."""
        lost = 0
        with self._lock:
            for change in changes:
                if isinstance(change, tuple):
                    name, key = table(change[0]).name, change[1]
                else:
                    name, key = table(type(change)).name, change.key
                waiting = self._kinds[name]
                if key not in waiting:
                    if self._length >= self._capacity:
                        lost += 1
                        if not self._make_room(name):
                            continue
                    self._length += 1
                self._last += 1
                waiting[key] = QueuedChange(self._last, name, key, change)
                waiting.move_to_end(key)
        return lost

    def _make_room(self, name: str) -> bool:
        """Let the oldest of history go for a change of another kind; whether there was any."""
        if name in _DROPPED_FIRST:
            return False
        for kind in _DROPPED_FIRST:
            if self._kinds[kind]:
                self._kinds[kind].popitem(last=False)
                self._length -= 1
                return True
        return False

    def oldest(self, kind: type[Record] | None = None) -> int:
        """The number of the oldest change that waits, of one kind or of all; a later one than any: none."""
        with self._lock:
            kinds = [self._kinds[table(kind).name]] if kind else list(self._kinds.values())
            first = [next(iter(waiting.values())).number for waiting in kinds if waiting]
            return min(first, default=self._last + 1)

    def some(self, most: int) -> list[QueuedChange]:
        """Up to so many of them, which go on waiting: history comes last, and each kind is in order."""
        found: list[QueuedChange] = []
        with self._lock:
            for name in sorted(self._kinds, key=_DROPPED_FIRST[::-1].__contains__):
                waiting = self._kinds[name]
                for entry in waiting.values():
                    if len(found) >= most:
                        return found
                    found.append(entry)
        return found

    def done(self, written: Sequence[QueuedChange]) -> None:
        """Let changes go, unless others took their places meanwhile."""
        with self._lock:
            for entry in written:
                waiting = self._kinds[entry.kind]
                if waiting.get(entry.key) is entry:
                    del waiting[entry.key]
                    self._length -= 1

    def clear(self) -> int:
        """Let all go; how many they were."""
        with self._lock:
            for waiting in self._kinds.values():
                waiting.clear()
            gone, self._length = self._length, 0
            return gone
