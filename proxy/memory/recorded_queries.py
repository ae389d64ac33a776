"""The statements of sessions that let askwire learn from them, made patterns and counted.

The relay leaves a reference to each in a queue; what does not fit is dropped. A task of its own takes a few
at a time, a thread turns them into patterns without constants (`sql.query_patterns.pattern_text`), and counts
per role go to the store, under its retention. Owns: that queue, its bounds, and the records.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import secrets
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from askwire.core.protocols import Store
from askwire.core.records import Statement
from askwire.core.settings.memory import WORKLOAD_LITERALS
from askwire.core.settings.table import Settings
from askwire.proxy.session.relay.consent import ClientStatement
from askwire.proxy.wire.encodings import codec_for
from askwire.sql.query_patterns.pattern_text import with_literals, without_literals

log = logging.getLogger("askwire.workload")

MAX_WAITING_STATEMENTS: Final = 1000
"""Statements that wait; more are dropped."""
STATEMENTS_PER_GO: Final = 50
"""Statements that are worked out in one go."""
BYTES_PER_GO: Final = 50_000
"""Bytes of them, beyond which a go takes no more: a thread that parses takes turns with the relay."""
FORGOTTEN_PER_GO: Final = 1000
"""Patterns that are taken back in one go."""
STATEMENT_OUTCOMES: Final = ("kept", "dropped", "passed over")
"""What becomes of statements that are heard."""
KEPT, DROPPED, PASSED_OVER = STATEMENT_OUTCOMES
PAUSE_SECONDS: Final = 1.0
"""Seconds between two goes."""
_MAX_COUNTED_PATTERNS: Final = 2000
"""Patterns whose counts are at hand; one that comes back later is counted in a record of its own."""
_MAX_KNOWN_TEXTS: Final = 500
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


class StatementCollector:
    """A `StatementListener` for all sessions; `settings` tells whether constants are kept.

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
        self._waiting: deque[tuple[int, ClientStatement]] = deque()
        self._number = 0
        self._taken_back: dict[tuple[str, str, str], int] = {}
        self._records: OrderedDict[_Pattern, Statement] = OrderedDict()
        self._task: asyncio.Task[None] | None = None
        self.heard: Counter[tuple[str, str]] = Counter()
        self.forgotten: Counter[tuple[str, str]] = Counter()
        self.counted = Counter[str]() if counted is None else counted

    def hear(self, heard: ClientStatement) -> None:
        """Leave one statement in the queue, if there is room."""
        if len(self._waiting) >= MAX_WAITING_STATEMENTS:
            self.counted[DROPPED] += 1
            return
        self._number += 1
        self._waiting.append((self._number, heard))
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
            numbered = self._next()
            some = [heard for _, heard in numbered]
            literals = self._settings()[WORKLOAD_LITERALS]
            found = await asyncio.to_thread(_patterns, some, literals)
            kept = [
                p for (number, _), p in zip(numbered, found, strict=True) if p and not self._gone(number, p)
            ]
            self.counted[KEPT] += len(kept)
            self.counted[PASSED_OVER] += len(some) - len(kept)
            self._count(kept)
            first = self._waiting[0][0] if self._waiting else self._number + 1
            self._taken_back = {what: n for what, n in self._taken_back.items() if n >= first}
            if self._waiting:
                await asyncio.sleep(PAUSE_SECONDS)

    def _gone(self, number: int, pattern: _Pattern) -> bool:
        """Whether a statement was taken back while it waited."""
        whose = pattern.role, pattern.database
        return number <= max(self._taken_back.get((*whose, sql), 0) for sql in ("", pattern.sql))

    def _next(self) -> list[tuple[int, ClientStatement]]:
        """What is worked out in one go."""
        some: list[tuple[int, ClientStatement]] = []
        left = BYTES_PER_GO
        while (
            self._waiting
            and len(some) < STATEMENTS_PER_GO
            and (not some or len(self._waiting[0][1].text) <= left)
        ):
            left -= len(self._waiting[0][1].text)
            some.append(self._waiting.popleft())
        return some

    async def forget(self, role: str, database: str, sql: str = "") -> int:
        """Take back what was kept of a role's statements on a database, all of it or one pattern.

        What still waits is not kept either. How many patterns that were in the store; raises
        core.errors.StoreFailed where it cannot be written.
        """
        if self._task and not self._task.done():
            self._taken_back[role, database, sql] = self._number
        for pattern in [p for p in self._records if (p.role, p.database) == (role, database)]:
            if not sql or pattern.sql == sql:
                del self._records[pattern]
        place: dict[str, str | bool] = {"server": self.server, "database": database, "role": role}
        whose = place | ({"sql": sql} if sql else {})
        gone = 0
        while found := await self._store.find(Statement, whose, limit=FORGOTTEN_PER_GO):
            await self._store.keep(*((Statement, one.key) for one in found))
            gone += len(found)
        self.forgotten[role, database] += max(1, gone)  # another process may have taken it back before
        return gone

    def taken_back_elsewhere(self, role: str, database: str, key: str = "") -> None:
        """Let another process's FORGET count here: of one record, or of any with ''."""
        for pattern, record in list(self._records.items()):
            if (pattern.role, pattern.database) == (role, database) and key in ("", record.key):
                del self._records[pattern]
        self.forgotten[role, database] += 1

    @property
    def whose(self) -> set[tuple[str, str]]:
        """Roles and databases whose patterns are at hand."""
        return {(pattern.role, pattern.database) for pattern in self._records}

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
            if len(self._records) > _MAX_COUNTED_PATTERNS:
                self._records.popitem(last=False)
            self._store.put(record)
            self.heard[pattern.role, pattern.database] += 1


class _PatternCache:
    """Patterns without constants by a keyed digest of their texts: the texts themselves are not held."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)
        self._patterns: OrderedDict[bytes, str] = OrderedDict()

    def pattern(self, text: str) -> str:
        """That of a text; worked out where it is not known."""
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), key=self._key, digest_size=16).digest()
        found = self._patterns.get(digest)
        if found is None:
            found = self._patterns[digest] = without_literals(text)
            if len(self._patterns) > _MAX_KNOWN_TEXTS:
                self._patterns.popitem(last=False)
        return found


_known: Final = _PatternCache()


def _patterns(some: Iterable[ClientStatement], literals: bool) -> list[_Pattern | None]:
    """The patterns of statements, one for each, in order; None for what is no query that could be kept."""
    found = []
    for heard in some:
        codec = codec_for(heard.encoding) or "ascii"
        sql = _pattern(heard.text.decode(codec, "replace"), literals)
        found.append(_Pattern(heard.role, heard.database, heard.path, sql, literals) if sql else None)
    return found


def _pattern(text: str, literals: bool) -> str:
    if not _QUERY.match(text) or _OF_SYSTEM.search(text):
        return ""
    return with_literals(text) if literals else _known.pattern(text)
