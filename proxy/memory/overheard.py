"""The statements of sessions that let askwire learn from them, made patterns and counted.

The relay leaves a reference to each in a queue; what does not fit is dropped. A task of its own takes a few
at a time, a thread turns them into patterns without constants (`sql.literals_left_out`), and counts per role
go to the store, under its retention. Owns: that queue, its bounds, and the records. Must not know: bytes on
the wire, or what habits are good for.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from askwire.core.memory_settings import WORKLOAD_LITERALS
from askwire.core.protocols import Store
from askwire.core.records import Statement
from askwire.core.settings import Settings
from askwire.proxy.operations.figures import HEARD
from askwire.proxy.session.consent import Heard
from askwire.proxy.wire.encodings import codec_for
from askwire.sql.literals_left_out import with_literals, without_literals

log = logging.getLogger("askwire.workload")

WAITING: Final = 1000
"""Statements that wait; more are dropped."""
AT_ONCE: Final = 50
"""Statements that are worked out in one go."""
TEXT_AT_ONCE: Final = 50_000
"""Bytes of them, beyond which a go takes no more: a thread that parses takes turns with the relay."""
MOST_FORGOTTEN: Final = 1000
"""Patterns that are taken back in one go."""
KEPT, DROPPED, PASSED_OVER = HEARD
PAUSE: Final = 1.0
"""Seconds between two goes."""
_COUNTED: Final = 2000
"""Patterns whose counts are at hand; one that comes back later is counted in a record of its own."""
_KNOWN_TEXTS: Final = 500
_QUERY: Final = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:select|with|values|table)\b", re.IGNORECASE | re.DOTALL
)
_OF_SYSTEM: Final = re.compile(r"\bpg_catalog\b|\binformation_schema\b", re.IGNORECASE)
"""What drivers and tools look up for themselves."""


class _Pattern(NamedTuple):
    role: str
    database: str
    path: str
    sql: str
    literals: bool


class Overheard:
    """`proxy.session.consent.Hears` for all sessions; `settings` tells whether constants are kept.

    `server` is where they were sent; `heard` counts, by role and database, the patterns that were written
    down, `forgotten` those that were taken back. `counted` counts statements by what became of them: 'kept',
    'dropped' for want of room, 'passed over' because they are no queries that could be kept.
    """

    def __init__(
        self,
        store: Store,
        server: str,
        wall: Callable[[], float],
        settings: Callable[[], Settings],
        counted: Counter[str] | None = None,
    ) -> None:
        self._store = store
        self.server = server
        self._wall = wall
        self._settings = settings
        self._waiting: deque[Heard] = deque()
        self._records: OrderedDict[_Pattern, Statement] = OrderedDict()
        self._task: asyncio.Task[None] | None = None
        self.heard: Counter[tuple[str, str]] = Counter()
        self.forgotten: Counter[tuple[str, str]] = Counter()
        self.counted = Counter[str]() if counted is None else counted

    def hear(self, heard: Heard) -> None:
        """Leave one statement in the queue, if there is room."""
        if len(self._waiting) >= WAITING:
            self.counted[DROPPED] += 1
            return
        self._waiting.append(heard)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def settled(self) -> None:
        """Wait until all that was heard is written down."""
        if self._task:
            await self._task

    async def close(self) -> None:
        """Stop; what still waits is lost."""
        self._waiting.clear()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            some = self._next()
            literals = self._settings()[WORKLOAD_LITERALS]
            found = await asyncio.to_thread(_patterns, some, literals)
            self.counted[KEPT] += len(found)
            self.counted[PASSED_OVER] += len(some) - len(found)
            self._count(found)
            if self._waiting:
                await asyncio.sleep(PAUSE)

    def _next(self) -> list[Heard]:
        """What is worked out in one go."""
        some: list[Heard] = []
        left = TEXT_AT_ONCE
        while self._waiting and len(some) < AT_ONCE and (not some or len(self._waiting[0].text) <= left):
            left -= len(self._waiting[0].text)
            some.append(self._waiting.popleft())
        return some

    async def forget(self, role: str, database: str, sql: str = "") -> int:
        """Take back what was kept of a role's statements on a database, all of it or one pattern.

        How many patterns that were; raises core.errors.StoreFailed where it cannot be written.
        """
        place: dict[str, str | bool] = {"server": self.server, "database": database, "role": role}
        whose = place | ({"sql": sql} if sql else {})
        gone = 0
        while found := await self._store.find(Statement, whose, limit=MOST_FORGOTTEN):
            await self._store.keep(*((Statement, one.key) for one in found))
            gone += len(found)
        for pattern in [p for p in self._records if (p.role, p.database) == (role, database)]:
            if not sql or pattern.sql == sql:
                del self._records[pattern]
        self.forgotten[role, database] += gone
        return gone

    def _count(self, found: Sequence[_Pattern]) -> None:
        now = self._wall()
        for pattern, times in Counter(found).items():
            known = self._records.get(pattern) or Statement(
                key=secrets.token_hex(8),
                at=now,
                role=pattern.role,
                server=self.server,
                database=pattern.database,
                path=pattern.path,
                sql=pattern.sql,
                literals=pattern.literals,
                times=0,
            )
            record = replace(known, at=now, times=known.times + times)
            self._records[pattern] = record
            self._records.move_to_end(pattern)
            if len(self._records) > _COUNTED:
                self._records.popitem(last=False)
            self._store.put(record)
            self.heard[pattern.role, pattern.database] += 1


def _patterns(some: Iterable[Heard], literals: bool) -> list[_Pattern]:
    """The patterns of statements, in order; nothing of what is no query."""
    found = []
    for heard in some:
        codec = codec_for(heard.encoding) or "ascii"
        sql = _pattern(heard.text.decode(codec, "replace"), literals)
        if sql:
            found.append(_Pattern(heard.role, heard.database, heard.path, sql, literals))
    return found


@lru_cache(_KNOWN_TEXTS)
def _pattern(text: str, literals: bool) -> str:
    if not _QUERY.match(text) or _OF_SYSTEM.search(text):
        return ""
    return with_literals(text) if literals else without_literals(text)
