"""The ASKs of the history that are a session's own, found without a statement in its database.

A database may have a schema `ask` and operators of its owner's, in front of `pg_catalog` even: what decides
who sees an ASK, and what runs because somebody opens a page, must not be read there.

Owns: which ASKs a session sees as its role's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.protocols import Store
from askwire.core.records import HistoryEntry

MAX_EXAMINED_ASKS: Final = 10_000
_STORE_TIMEOUT_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Onlooker:
    """Who looks: the roles as PostgreSQL tells them, and `session` as the session's memory is named."""

    session_user: str
    current_user: str
    database: str
    session: str


def may_see(asked: HistoryEntry, current_user: str, session: str) -> bool:
    """Whether the role that asked sees this as one that acts as `current_user`, in that session."""
    return asked.acting_as == current_user and (not asked.private or asked.session == session)


class OwnAsks:
    """Reads them from the store; `operators` are the roles to which everything of theirs is shown."""

    def __init__(self, store: Store, server: str, operators: Callable[[], frozenset[str]]) -> None:
        self._store = store
        self._server = server
        self._operators = operators

    async def latest(self, looks: Onlooker, skipped: int, most: int) -> Sequence[HistoryEntry]:
        """Up to `most` of them, the latest first, behind so many. Raises core.errors.StoreFailed."""
        shown: list[HistoryEntry] = []
        before: tuple[float, str] | None = None
        looked_at, page = 0, skipped + most
        while len(shown) < skipped + most and looked_at < MAX_EXAMINED_ASKS:
            page = min(page, MAX_EXAMINED_ASKS - looked_at)
            found = await self._store.find(
                HistoryEntry, self._place(looks), before=before, limit=page, timeout=_STORE_TIMEOUT_SECONDS
            )
            shown += [asked for asked in found if self._sees(looks, asked)]
            if len(found) < page:
                break
            looked_at += len(found)
            before, page = (found[-1].at, found[-1].key), 4 * page
        return shown[skipped : skipped + most]

    async def one(self, looks: Onlooker, key: str) -> HistoryEntry | None:
        """The one of that key; None where there is none, or it is not theirs."""
        equal = self._place(looks) | {"key": key}
        found = await self._store.find(HistoryEntry, equal, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        return next((asked for asked in found if self._sees(looks, asked)), None)

    def _place(self, looks: Onlooker) -> dict[str, str | bool]:
        mine: dict[str, str | bool] = {"role": looks.session_user}
        if looks.session_user in self._operators():
            return mine
        return mine | {"server": self._server, "database": looks.database}

    def _sees(self, looks: Onlooker, asked: HistoryEntry) -> bool:
        return looks.session_user in self._operators() or may_see(asked, looks.current_user, looks.session)
