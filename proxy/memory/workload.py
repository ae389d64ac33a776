"""What people's own queries say of a database: the habits behind its views and the statements they send.

Statements are those of pg_stat_statements, and of sessions that let askwire learn from them
(`recorded_queries`).

Owns: what is read for it, whose it is, and when it is read again. It is read in the asker's own session, with
the asker's privileges, and serves that role alone; it is parsed in a thread, and counts from the next
question on. Literals are kept from views, which are part of the schema, and from statements where the
operator lets them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from askwire.core.errors import DatabaseFailed, StoreFailed
from askwire.core.protocols import Batch, Clock, Executor, Store
from askwire.core.records import Statement
from askwire.core.types import SessionState
from askwire.proxy.asking.context import AskContext
from askwire.proxy.memory.privacy import secured
from askwire.proxy.memory.recorded_queries import StatementCollector
from askwire.sql.catalog import Catalog
from askwire.sql.literals import quote_identifier
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import MAX_QUERY_CHARACTERS, QueryPatterns

log = logging.getLogger("askwire.workload")

REREAD_SECONDS: Final = 900.0
"""Seconds until statements are read again."""
REREAD_AFTER_STATEMENTS_SECONDS: Final = 30.0
"""Seconds until they are where sessions of the role have sent further ones."""
REREAD_AFTER_FAILURE_SECONDS: Final = 120.0
"""Seconds until they are where some could not be read."""
MOST_STATEMENTS: Final = 2000
MOST_VIEWS: Final = 500
MAX_CHARACTERS: Final = 1_000_000
"""Characters of queries that are worked out; those that run most often come first."""
_MAX_KNOWN_WORKLOADS: Final = 100
_READ_TIMEOUT_MS: Final = 2000

_VIEWS: Final = """
SELECT written, c.relname
FROM pg_catalog.pg_class AS c, LATERAL (SELECT pg_catalog.pg_get_viewdef(c.oid) AS written OFFSET 0) AS v
WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{v,m}'::pg_catalog."char"[])
  AND c.relnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid
  AND c.relnamespace OPERATOR(pg_catalog.<>) 'information_schema'::pg_catalog.regnamespace::pg_catalog.oid
  AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
  AND pg_catalog.length(written) OPERATOR(pg_catalog.<=) $2::pg_catalog.int4
ORDER BY c.oid
LIMIT $1::pg_catalog.int4
"""
_STATISTICS: Final = """
SELECT n.nspname
FROM pg_catalog.pg_extension AS e
JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
WHERE e.extname OPERATOR(pg_catalog.=) 'pg_stat_statements'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
"""
_STATEMENTS: Final = """
SELECT s.query, s.calls
FROM {schema}.pg_stat_statements AS s
JOIN pg_catalog.pg_roles AS r ON r.oid OPERATOR(pg_catalog.=) s.userid
  AND r.rolname OPERATOR(pg_catalog.=) current_user
JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.dbid
  AND d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
WHERE pg_catalog.length(s.query) OPERATOR(pg_catalog.<=) $2::pg_catalog.int4
  AND s.query OPERATOR(pg_catalog.!~*) 'askwire'
  AND s.query OPERATOR(pg_catalog.~*) '^\\s*(?:select|with|\\()'
ORDER BY s.calls DESC
LIMIT $1::pg_catalog.int4
"""

Key: TypeAlias = tuple[str, str, str, str, bool, tuple[str, ...]]


class WrittenQuery(NamedTuple):
    """A query that somebody wrote, and how often it ran.

    `literals` and `names` say whether its constants and the names it gives to outputs may be used, `view`
    what view it defines.
    """

    sql: str
    times: int
    literals: bool
    view: str = ""
    names: bool = True


class _QueryBatch(NamedTuple):
    """What was read; `whole` when nothing of it failed."""

    queries: list[WrittenQuery]
    whole: bool


@dataclass
class _RoleHabits:
    fingerprint: str
    read_at: float
    heard: int
    forgotten: int
    whole: bool
    query_patterns: QueryPatterns = field(default_factory=QueryPatterns)


class Workload:
    """Query patterns by who asks; `clock` tells how old they are.

    `store` holds what `recorded_queries` wrote down.
    """

    def __init__(self, clock: Clock, store: Store, statement_collector: StatementCollector) -> None:
        self._clock = clock
        self._store = store
        self._statement_collector = statement_collector
        self._known: OrderedDict[Key, _RoleHabits] = OrderedDict()
        self._reading: set[Key] = set()
        self._working: set[asyncio.Task[None]] = set()

    async def look(self, executor: Executor, context: AskContext) -> QueryPatterns | None:
        """What is known for this asker, None for nothing; reads what there is to read first, if that is due.

        What was read is worked out in a thread, and known from the next question on.
        """
        session = context.asker.session
        key = _key(context.server, session)
        heard = self._statement_collector.heard[session.session_user, session.database]
        forgotten = self._statement_collector.forgotten[session.session_user, session.database]
        known = self._known.get(key)
        if known is not None and known.forgotten != forgotten:
            known = None  # what was taken back serves no one from now on
        now, fingerprint = self._clock.monotonic(), context.catalog.fingerprint
        due = known is None or known.fingerprint != fingerprint or now - known.read_at >= _age(known, heard)
        if due and key not in self._reading:
            self._reading.add(key)
            try:
                written = await self._read(executor, context)
            finally:
                self._reading.discard(key)
            before = known
            known = _RoleHabits(fingerprint, now, heard, forgotten, written.whole)
            if before is not None:
                known.query_patterns = before.query_patterns
            self._known[key] = known
            self._known.move_to_end(key)
            if len(self._known) > _MAX_KNOWN_WORKLOADS:
                self._known.popitem(last=False)
            # what is not to be read now is what it was, once
            if written.whole or before is None or not before.whole:
                task = asyncio.create_task(self._work_out(known, written.queries, context.catalog))
                self._working.add(task)
                task.add_done_callback(self._working.discard)
        elif known is not None and key in self._known:
            self._known.move_to_end(key)
        return known.query_patterns if known is not None and known.query_patterns else None

    async def _read(self, executor: Executor, context: AskContext) -> _QueryBatch:
        """All that is written, for this asker."""
        async with executor.batch() as batch:
            found = await _read(batch, names=not secured(context.catalog))
        learned = await self._learned(context)
        return _QueryBatch([*found.queries, *(learned or ())], found.whole and learned is not None)

    async def _learned(self, context: AskContext) -> list[WrittenQuery] | None:
        """What sessions of the asker's role sent, under the same search_path where it is known; None: failed.

        Nothing for who acts as another role: a pool's login stands for many, and nothing tells their
        statements apart.
        """
        session = context.asker.session
        if session.current_user != session.session_user:
            return []
        whose = {"server": context.server, "database": session.database, "role": session.session_user}
        try:
            found = await self._store.find(Statement, whose, limit=MOST_STATEMENTS)
        except StoreFailed as error:
            log.info("what people's queries say of the database cannot be read: %s", error.message)
            return None
        # constants of one tenant are not for others of the same role, nor are names they made up
        told = not secured(context.catalog)
        return [
            WrittenQuery(one.sql, one.times, literals=one.literals and told, names=told)
            for one in found
            if _reaches(one.path, session)
        ]

    async def settled(self) -> None:
        """Wait until all that was read is worked out."""
        while self._working:
            await asyncio.gather(*self._working)

    async def _work_out(self, entry: _RoleHabits, written: Sequence[WrittenQuery], catalog: Catalog) -> None:
        entry.query_patterns = await asyncio.to_thread(_digest, written, catalog)


def _key(server: str, session: SessionState) -> Key:
    return (
        server,
        session.database,
        session.current_user,
        session.session_user,
        session.row_security,
        session.search_path,
    )


def _age(known: _RoleHabits, heard: int) -> float:
    """Seconds after which what is known is read again."""
    if not known.whole:
        return REREAD_AFTER_FAILURE_SECONDS
    return REREAD_SECONDS if known.heard == heard else REREAD_AFTER_STATEMENTS_SECONDS


def _reaches(path: str, session: SessionState) -> bool:
    """Whether names under a search_path, as PostgreSQL tells it, mean what they mean to the asker."""
    names = [name.strip().replace('""', '"') for name in path.split(",")]
    named = [name[1:-1] if name.startswith('"') else name for name in names if name]
    meant = [session.current_user if name == "$user" else name for name in named]
    own = [name for name in session.search_path if name != "pg_catalog" and not name.startswith("pg_temp")]
    return not path or [name for name in meant if name in own] == own


async def _read(batch: Batch, *, names: bool) -> _QueryBatch:
    """The views the asker may read, and the asker's own statements where their statistics are kept.

    `names`: whether those that statements give to outputs may be used.
    """
    written: list[WrittenQuery] = []
    whole = True
    try:
        views = await batch.read(
            _VIEWS, (str(MOST_VIEWS), str(MAX_QUERY_CHARACTERS)), timeout_ms=_READ_TIMEOUT_MS
        )
        written += [WrittenQuery(row[0], 1, literals=True, view=row[1] or "") for row in views.rows if row[0]]
        for (schema,) in (await batch.read(_STATISTICS)).rows:
            text = _STATEMENTS.format(schema=quote_identifier(schema or ""))
            found = await batch.read(
                text, (str(MOST_STATEMENTS), str(MAX_QUERY_CHARACTERS)), timeout_ms=_READ_TIMEOUT_MS
            )
            written += [
                WrittenQuery(row[0] or "", int(row[1] or 0), literals=False, names=names)
                for row in found.rows
            ]
    except DatabaseFailed as error:
        # the library is not loaded, or the view takes too long: questions go on without
        log.info("what people's queries say of the database cannot be read: %s", error.code)
        whole = False
    return _QueryBatch(written, whole)


def _digest(written: Sequence[WrittenQuery], catalog: Catalog) -> QueryPatterns:
    query_patterns = QueryPatterns()
    left = MAX_CHARACTERS
    for query in written:
        left -= len(query.sql)
        if left < 0:
            break
        found = observed(query.sql, catalog, literals=query.literals, view=query.view)
        if not query.names:
            found.named.clear()
        query_patterns.add(found, query.times)
    return query_patterns
