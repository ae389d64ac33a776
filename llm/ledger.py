"""What roles have spent on models on a day, kept in the store.

Several processes may share a store: each writes a record of its own per role and day, and all of them count.
Owns: those records.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Store
from askwire.core.records import Expenditure
from askwire.llm.budget import ModelUsage

log = logging.getLogger("askwire.budget")


class Ledger:
    """Days are UTC's, by `wall`. While the store cannot be read, this process's own count holds."""

    def __init__(self, store: Store, wall: Callable[[], float]) -> None:
        self._store = store
        self._wall = wall
        self._process = secrets.token_hex(8)
        self._own: dict[tuple[str, str, str], ModelUsage] = {}

    def _day(self) -> str:
        return datetime.fromtimestamp(self._wall(), UTC).date().isoformat()

    async def spent(self, server: str, role: str) -> ModelUsage:
        """What a role has spent today, in all processes that share the store."""
        day = self._day()
        total = self._own.get((server, role, day), ModelUsage())
        try:
            records = await self._store.find(Expenditure, {"server": server, "role": role, "day": day})
        except StoreFailed as error:
            log.warning("what was spent today cannot be read: %s", error.message)
            return total
        mine = self._key(server, role, day)
        for record in records:
            if record.key != mine:
                total += ModelUsage(record.calls, record.tokens, record.cost)
        return total

    def add(self, server: str, role: str, spending: ModelUsage) -> None:
        """Count what one ASK has spent."""
        if not spending.calls:
            return
        day = self._day()
        if any(known[2] != day for known in self._own):
            self._own = {key: value for key, value in self._own.items() if key[2] == day}
        total = self._own.get((server, role, day), ModelUsage()) + spending
        self._own[server, role, day] = total
        self._store.put(
            Expenditure(
                key=self._key(server, role, day),
                at=self._wall(),
                role=role,
                server=server,
                day=day,
                calls=total.calls,
                tokens=total.tokens,
                cost=total.cost,
            )
        )

    def _key(self, server: str, role: str, day: str) -> str:
        material = "\0".join((self._process, server, role, day))
        return hashlib.sha256(material.encode("utf-8", "surrogatepass")).hexdigest()
