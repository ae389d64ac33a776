"""The catalogs of the asker's databases, read once and kept until something in them changes.

Owns: reading (`sql.introspection.queries`, and a few rows of tables that were never analyzed) and the cache.
A catalog holds names, comments and common values that one role may see, so its key holds everything that
decides what is visible: it is never shared between roles, row_security settings or search_paths.

Reading needs a batch, making a catalog of what was read takes time: so these are two steps, and the batch is
left between them. After DDL both do what changed: statistics are read of relations whose columns did, and all
others stay the objects that they were, by which anyone who indexes a catalog knows them again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch, Clock
from askwire.core.types import Cell, ResultSet, SessionState
from askwire.sql.catalog import Catalog
from askwire.sql.introspection.attachments import ATTACHMENTS
from askwire.sql.introspection.catalog_rows import MAX_COLUMNS, BuiltCatalog, Introspection
from askwire.sql.introspection.plain import PLAIN_ATTACHMENTS, is_plain, may_be_plain
from askwire.sql.introspection.queries import FINGERPRINT, RELATIONS, STATISTICS
from askwire.sql.introspection.samples import MAX_SAMPLED_TABLES, SAMPLED_ROWS
from askwire.sql.private_values import without_values

READ_TIMEOUT_MS: Final = 15_000
"""Reading ten thousand relations takes seconds; a probe's time-out would never let it end."""
STATISTICS_TIMEOUT_MS: Final = 5_000
SAMPLE_TIMEOUT_MS: Final = 500
SAMPLING_SECONDS: Final = 2.0
"""No table is begun when the rows of others have taken so long."""
QUERY_CANCELED: Final = "57014"
_CONNECTION_ERROR_CLASS: Final = "08"
"""The class of the SQLSTATEs of a connection that is gone."""
_MAX_TABLES_AT_ONCE: Final = 8
_ISOLATION: Final = ReadStatement("SELECT pg_catalog.current_setting('transaction_isolation')")
_NO_ROWS: Final[tuple[tuple[Cell, ...], ...]] = ()

FINGERPRINT_STATEMENT: Final = ReadStatement(FINGERPRINT, timeout_ms=READ_TIMEOUT_MS)
"""What `Catalogs.read` reads in any case, for anyone who reads something else in front of it."""

_Key = tuple[str, str, str, str, bool, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """`built` as the system catalogs tell it, `catalog` without values that are off.

    `analyzed` and `read_at` are of the statistics of all relations; `told` when these came; `sampled` as in
    `CatalogRows`.
    """

    built: BuiltCatalog
    catalog: Catalog
    analyzed: str
    read_at: float
    told: bool = True
    sampled: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class CatalogRows:
    """What was read of the system catalogs; `Catalogs.finish` makes a catalog of it.

    `before` is what was known until now; relations in `kept` have its columns, and no statistics were read.
    `sampled` holds by OID how many rows there are of tables that were read whole.
    """

    key: _Key
    session: SessionState
    fingerprint: str
    analyzed: str
    introspected: Introspection
    statistics: ResultSet
    told: bool
    before: _Entry | None
    kept: frozenset[int] | None
    sampled: Mapping[int, int]


class Catalogs:
    """A bounded cache of catalogs, the least recently used leaving first.

    `max_columns` bounds all of them together (about 350 bytes each; other objects count by their names'
    size); one catalog is always kept. Statistics do not change the fingerprint: they are re-read with the
    catalog when it is older than `statistics_after` seconds, or than `first_statistics_after` when relations
    got their first statistics meanwhile. One that is too old to serve again leaves: a session with temporary
    tables has a search_path, and so a catalog, that no other session asks for; it begins with what another of
    the role has. Values of `values_off` columns ('schema.table.column' with '*') are not kept, and relations
    of `hidden_schema` count as if they were not there: what askwire keeps there is no user data.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        max_columns: int = 4 * MAX_COLUMNS,
        statistics_after: float = 900.0,
        first_statistics_after: float = 30.0,
        values_off: frozenset[str] = frozenset(),
        hidden_schema: str = "",
    ) -> None:
        self._clock = clock
        self._max_columns = max_columns
        self._statistics_after = statistics_after
        self._first_statistics_after = first_statistics_after
        self._values_off = values_off
        self._hidden_schema = hidden_schema
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    async def read(self, batch: Batch, session: SessionState, backend: str) -> Catalog | CatalogRows:
        """The catalog as the asker sees it in this batch's snapshot, or what it has to be made of.

        One statement when nothing changed. `backend` identifies the server (address and port). Raises
        DatabaseFailed when the system catalogs cannot be read.
        """
        fingerprint, analyzed = (await FINGERPRINT_STATEMENT.made(batch)).rows[0]
        key = (
            backend,
            session.database,
            session.current_user,
            session.session_user,
            session.row_security,
            session.search_path,
        )
        known = self._entries.get(key)
        if known and known.catalog.fingerprint == fingerprint and self._fresh(known, analyzed or ""):
            self._entries.move_to_end(key)
            return known.catalog
        before = known or self._alike(key)
        current = before is not None and before.told and self._fresh(before, analyzed or "")
        introspected = await _introspected(batch, plain=may_be_plain(fingerprint or ""))
        kept = introspected.unchanged(before.built) if before and current else None
        statistics = await _statistics(batch, introspected, kept or frozenset())
        told = statistics is not None
        samples, sampled = _NO_ROWS, dict[int, int]()
        if statistics is not None:
            samples, sampled = await self._samples(batch, introspected, kept or frozenset(), statistics)
            statistics = replace(statistics, rows=(*statistics.rows, *samples))
            if before is not None and kept is not None:
                sampled.update((oid, many) for oid, many in before.sampled.items() if oid in kept)
        return CatalogRows(
            key,
            session,
            fingerprint or "",
            analyzed or "",
            introspected,
            statistics or ResultSet((), ()),
            told,
            before,
            kept,
            sampled,
        )

    async def _samples(
        self, batch: Batch, introspected: Introspection, kept: frozenset[int], statistics: ResultSet
    ) -> tuple[tuple[tuple[Cell, ...], ...], dict[int, int]]:
        """What `STATISTICS` would tell of tables never analyzed, and how many rows there are of small ones.

        None in a SERIALIZABLE transaction, which would fail for what others write to any of them.
        """
        tables = [
            table
            for table in introspected.never_analyzed(statistics, kept, self._values_off)
            if table.schema != self._hidden_schema
        ][:MAX_SAMPLED_TABLES]
        if tables and (await _ISOLATION.made(batch)).rows[0][0] == "serializable":
            tables = []
        found: list[tuple[Cell, ...]] = []
        whole: dict[int, int] = {}
        until, at_once = self._clock.monotonic() + SAMPLING_SECONDS, _MAX_TABLES_AT_ONCE
        while tables and self._clock.monotonic() < until:
            some, tables = tables[:at_once], tables[at_once:]
            wanted = [ReadStatement(t.sql, timeout_ms=SAMPLE_TIMEOUT_MS) for t in some]
            await read_ahead(batch, wanted)
            for table, statement in zip(some, wanted, strict=True):
                try:
                    rows = (await statement.made(batch)).rows
                except DatabaseFailed as error:
                    if error.code.startswith(_CONNECTION_ERROR_CLASS):
                        raise
                    at_once = 1  # it takes too long, is locked or is damaged
                    continue
                found.append((table.schema, table.name, table.statistics(rows)))
                if len(rows) < SAMPLED_ROWS:
                    whole[table.oid] = len(rows)
        return tuple(found), whole

    def _alike(self, key: _Key) -> _Entry | None:
        """The newest catalog of the same role and database under another search_path."""
        return next((e for k, e in reversed(self._entries.items()) if k[:-1] == key[:-1]), None)

    async def finish(self, found: Catalog | CatalogRows) -> Catalog:
        """The catalog of what `read` found; to be called when its batch is left."""
        if isinstance(found, Catalog):
            return found
        work = asyncio.to_thread(self._entry, found)
        building = asyncio.get_running_loop().create_task(work)
        # of a large schema it serves the next question, though this one has run out of time
        building.add_done_callback(partial(self._keep, found.key))
        return (await asyncio.shield(building)).catalog

    def _entry(self, found: CatalogRows) -> _Entry:
        before = found.before
        found.introspected.sampled(found.sampled)
        built = found.introspected.build(
            found.session,
            found.statistics,
            found.fingerprint,
            before.built if before else None,
            found.kept or frozenset(),
        )
        if self._hidden_schema:
            built = _without_schema(built, self._hidden_schema)
        earlier = (before.built.catalog, before.catalog) if before else None
        catalog = without_values(built.catalog, self._values_off, earlier)
        if before is not None and found.kept is not None:  # most statistics are as old as they were
            return _Entry(built, catalog, before.analyzed, before.read_at, found.told, found.sampled)
        return _Entry(built, catalog, found.analyzed, self._clock.monotonic(), found.told, found.sampled)

    def _keep(self, key: _Key, building: asyncio.Task[_Entry]) -> None:
        if building.cancelled() or building.exception() is not None:
            return
        self._entries[key] = building.result()
        self._entries.move_to_end(key)
        self._shrink()

    async def load(self, batch: Batch, session: SessionState, backend: str) -> Catalog:
        """`read` and `finish` in one, for commands whose connection no one waits for."""
        return await self.finish(await self.read(batch, session, backend))

    def _fresh(self, entry: _Entry, analyzed: str) -> bool:
        age = self._clock.monotonic() - entry.read_at
        return age < (self._statistics_after if entry.analyzed == analyzed else self._first_statistics_after)

    def _shrink(self) -> None:
        before = self._clock.monotonic() - self._statistics_after
        for key in [key for key, entry in self._entries.items() if entry.read_at <= before]:
            del self._entries[key]
        held = sum(_size(e.catalog) for e in self._entries.values())
        while held > self._max_columns and len(self._entries) > 1:
            _, oldest = self._entries.popitem(last=False)
            held -= _size(oldest.catalog)


def _without_schema(built: BuiltCatalog, schema: str) -> BuiltCatalog:
    relations = tuple(relation for relation in built.catalog if relation.schema != schema)
    if len(relations) == len(built.catalog.relations):
        return built
    sources = {relation.oid: built.sources[relation.oid] for relation in relations}
    return BuiltCatalog(replace(built.catalog, relations=relations), sources)


def _size(catalog: Catalog) -> int:
    objects = catalog.objects
    names = len(objects.functions) + len(objects.operators) + len(objects.types)
    return sum(1 + len(r.columns) for r in catalog) + names // 2


async def _introspected(batch: Batch, *, plain: bool) -> Introspection:
    """Read the system catalogs, by the short statement if `plain`; it falls back to the full one."""
    wanted_relations = ReadStatement(RELATIONS, (str(MAX_COLUMNS),), timeout_ms=READ_TIMEOUT_MS)
    statement = PLAIN_ATTACHMENTS if plain else ATTACHMENTS
    wanted_attachments = ReadStatement(statement, timeout_ms=READ_TIMEOUT_MS)
    await read_ahead(batch, (wanted_relations, wanted_attachments))
    relations = await wanted_relations.made(batch)
    attachments = await wanted_attachments.made(batch)
    if plain and not is_plain(attachments):  # made since the fingerprint was read
        attachments = await batch.read(ATTACHMENTS, timeout_ms=READ_TIMEOUT_MS)
    return await asyncio.to_thread(Introspection, relations, attachments)


async def _statistics(batch: Batch, introspected: Introspection, kept: frozenset[int]) -> ResultSet | None:
    """Statistics of all relations but those in `kept`; None where they take too long."""
    wanted = introspected.statistics_of(kept)
    if wanted is None:
        return ResultSet((), ())
    try:
        return await batch.read(STATISTICS, wanted, timeout_ms=STATISTICS_TIMEOUT_MS)
    except DatabaseFailed as error:
        if error.code != QUERY_CANCELED:
            raise
        return None  # a catalog without statistics serves; one that never comes does not
