"""A store that lives and ends with the process: for sessions without a file, and as the double in tests.

Owns: the reference behaviour of `core.protocols.Store`. Must not know: files, threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askwire.core.errors import StoreFailed
from askwire.core.protocols import R, StoreStatus
from askwire.core.records import KINDS, Record
from askwire.store.tables import table


class MemoryStore:
    """`core.protocols.Store` over dictionaries; of each kind the latest `most_rows` records are kept.

    With `trouble` set it behaves as a store that is down: it loses what it is given and cannot be read.
    """

    def __init__(self, *, most_rows: int = 10_000) -> None:
        self._most_rows = most_rows
        self._kept: dict[str, dict[str, Record]] = {name: {} for name in KINDS}
        self._written = self._lost = 0
        self.trouble = ""

    def put(self, *records: Record) -> None:
        """Keep records."""
        if self.trouble:
            self._lost += len(records)
            return
        for record in records:
            kept = self._kept[table(type(record)).name]
            kept.pop(record.key, None)
            kept[record.key] = record
            if len(kept) > self._most_rows:
                del kept[next(iter(kept))]
        self._written += len(records)

    def remove(self, kind: type[Record], key: str) -> None:
        """Forget one record."""
        if not self.trouble:
            self._kept[table(kind).name].pop(key, None)

    async def find(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool] | None = None,
        *,
        words: str = "",
        before: tuple[float, str] | None = None,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - the seam's
    ) -> Sequence[R]:
        """Records whose fields equal the given values, latest first; more as `core.protocols.Store` says."""
        if self.trouble:
            raise StoreFailed(f"what askwire remembers cannot be read: {self.trouble}")
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
        return sorted(found, key=lambda record: (record.at, record.key), reverse=True)[:limit]

    @property
    def status(self) -> StoreStatus:
        """How it fares."""
        return StoreStatus(written=self._written, lost=self._lost, trouble=self.trouble)

    async def close(self) -> None:
        """Nothing has to be let go of."""
