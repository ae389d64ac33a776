"""A store that lives and ends with the process: for sessions without a file, and as the double in tests.

Owns: the reference behaviour of `core.protocols.Store`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from askwire.core.errors import StoreFailed
from askwire.core.protocols import About, Change, R, StoreStatus
from askwire.core.records import KINDS, Record
from askwire.store.tables import table, those_about


class MemoryStore:
    """`core.protocols.Store` over dictionaries; of each kind `most_rows` records are kept.

    Beyond that the owner with most records loses the oldest.
    With `trouble` set it behaves as a store that is down: it loses what it is given and cannot be read.
    """

    def __init__(self, *, most_rows: int = 10_000) -> None:
        self._most_rows = most_rows
        self._kept: dict[str, dict[str, Record]] = {name: {} for name in KINDS}
        self._owners = {name: Counter[tuple[str, str]]() for name in KINDS}
        self._written = self._lost = 0
        self.trouble = ""

    def put(self, *records: Record) -> None:
        """Keep records."""
        if self.trouble:
            self._lost += len(records)
            return
        for record in records:
            name = table(type(record)).name
            kept, owners = self._kept[name], self._owners[name]
            self._forget(name, record.key)
            kept[record.key] = record
            owners[_owner(record)] += 1
            if len(kept) > self._most_rows:
                greedy = max(owners, key=owners.__getitem__)
                self._forget(name, next(k for k, other in kept.items() if _owner(other) == greedy))
        self._written += len(records)

    def remove(self, kind: type[Record], key: str) -> None:
        """Forget one record."""
        if not self.trouble:
            self._forget(table(kind).name, key)

    async def keep(
        self,
        *changes: Record | tuple[type[Record], str],
        timeout: float = 2.0,  # noqa: ASYNC109 - the seam's
    ) -> None:
        """Keep records and forget (kind, key) pairs, all of them."""
        if self.trouble:
            raise StoreFailed(f"the store cannot be written: {self.trouble}")
        for change in changes:
            if isinstance(change, tuple):
                self.remove(*change)
            else:
                self.put(change)

    def _forget(self, name: str, key: str) -> None:
        record = self._kept[name].pop(key, None)
        if record is not None:
            owners = self._owners[name]
            owners[_owner(record)] -= 1
            if not owners[_owner(record)]:
                del owners[_owner(record)]

    async def find(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool] | None = None,
        *,
        about: About | None = None,
        words: str = "",
        before: tuple[float, str] | None = None,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - the seam's
    ) -> Sequence[R]:
        """Records whose fields equal the given values, latest first; more as `core.protocols.Store` says."""
        if self.trouble:
            raise StoreFailed(f"the store cannot be read: {self.trouble}")
        wanted, said = (equal or {}).items(), words.casefold().split()
        searched = table(kind).searched
        found = [
            record
            for record in self._kept[table(kind).name].values()
            if isinstance(record, kind)
            and all(getattr(record, name) == value for name, value in wanted)
            and all(any(word in getattr(record, name).casefold() for name in searched) for word in said)
            and (before is None or (record.at, record.key) < before)
        ]
        return sorted(those_about(found, about), key=lambda record: (record.at, record.key), reverse=True)[
            :limit
        ]

    async def count(
        self,
        kind: type[Record],
        equal: Mapping[str, str | bool] | None = None,
        *,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - the seam's
    ) -> int:
        """How many records `find` would return."""
        return len(await self.find(kind, equal, limit=limit, timeout=timeout))

    def watch(self, seen: Callable[[Sequence[Change]], None]) -> None:
        """Nothing to watch: it is this process's own."""

    @property
    def status(self) -> StoreStatus:
        """How it fares."""
        return StoreStatus(written=self._written, lost=self._lost, trouble=self.trouble)

    async def close(self) -> None:
        """Nothing has to be let go of."""


def _owner(record: Record) -> tuple[str, str]:
    return getattr(record, "role", ""), getattr(record, "acting_as", "")
