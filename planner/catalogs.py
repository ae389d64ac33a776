"""The catalogs of the asker's databases, read once and kept until something in them changes.

Owns: reading (`sql.introspection_queries`) and the cache. A catalog holds names, comments and common values
that one role may see, so its key holds everything that decides what is visible: it is never shared between
roles, row_security settings or search_paths. Must not know: what a catalog is used for.

Reading needs a batch, making a catalog of what was read takes time: so these are two steps, and the batch is
left between them.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import Final

from askwire.core.ahead import Read, read_ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch, Clock
from askwire.core.types import ResultSet, SessionState
from askwire.sql.catalog import Catalog
from askwire.sql.introspection import MAX_COLUMNS, build, values_per_column
from askwire.sql.introspection_attachments import ATTACHMENTS
from askwire.sql.introspection_queries import FINGERPRINT, RELATIONS, STATISTICS
from askwire.sql.private_values import without_values

READ_TIMEOUT_MS: Final = 15_000
"""Reading ten thousand relations takes seconds; a probe's time-out would never let it end."""
STATISTICS_TIMEOUT_MS: Final = 5_000
QUERY_CANCELED: Final = "57014"

FIRST: Final = Read(FINGERPRINT, timeout_ms=READ_TIMEOUT_MS)
"""What `Catalogs.read` reads in any case, for whoever reads something else in front of it."""

_Key = tuple[str, str, str, str, bool, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Entry:
    catalog: Catalog
    analyzed: str
    read_at: float


@dataclass(frozen=True, slots=True)
class Unbuilt:
    """What was read of the system catalogs; `Catalogs.finish` makes a catalog of it."""

    key: _Key
    session: SessionState
    fingerprint: str
    analyzed: str
    relations: ResultSet
    attachments: ResultSet
    statistics: ResultSet


class Catalogs:
    """A bounded cache of catalogs, the least recently used leaving first.

    `max_columns` bounds all of them together (about 350 bytes each; other objects count by their names'
    size); one catalog is always kept. Statistics do not change the fingerprint: they are re-read with the
    catalog when it is older than `statistics_after` seconds, or than `first_statistics_after` when relations
    got their first statistics meanwhile. One that is too old to serve again leaves: a session with temporary
    tables has a search_path, and so a catalog, that no other session asks for. Values of `values_off` columns
    ('schema.table.column' with '*') are not kept.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        max_columns: int = 4 * MAX_COLUMNS,
        statistics_after: float = 900.0,
        first_statistics_after: float = 30.0,
        values_off: frozenset[str] = frozenset(),
    ) -> None:
        self._clock = clock
        self._max_columns = max_columns
        self._statistics_after = statistics_after
        self._first_statistics_after = first_statistics_after
        self._values_off = values_off
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    async def read(self, batch: Batch, session: SessionState, backend: str) -> Catalog | Unbuilt:
        """The catalog as the asker sees it in this batch's snapshot, or what it has to be made of.

        One statement when nothing changed. `backend` identifies the server (address and port). Raises
        DatabaseFailed when the system catalogs cannot be read.
        """
        fingerprint, analyzed = (await FIRST.made(batch)).rows[0]
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
        return Unbuilt(key, session, fingerprint or "", analyzed or "", *await _read(batch))

    async def finish(self, found: Catalog | Unbuilt) -> Catalog:
        """The catalog of what `read` found; to be called when its batch is left.

        Raises DatabaseFailed when what was read is incomplete.
        """
        if isinstance(found, Catalog):
            return found
        work = asyncio.to_thread(self._built, found)
        building = asyncio.get_running_loop().create_task(work)
        # of a large schema it serves the next question, though this one has run out of time
        building.add_done_callback(partial(self._keep, found))
        return await asyncio.shield(building)

    def _built(self, found: Unbuilt) -> Catalog:
        whole = build(found.session, found.relations, found.attachments, found.statistics, found.fingerprint)
        return without_values(whole, self._values_off)

    def _keep(self, found: Unbuilt, building: asyncio.Task[Catalog]) -> None:
        if building.cancelled() or building.exception() is not None:
            return
        self._entries[found.key] = _Entry(building.result(), found.analyzed, self._clock.monotonic())
        self._entries.move_to_end(found.key)
        self._shrink()

    async def load(self, batch: Batch, session: SessionState, backend: str) -> Catalog:
        """`read` and `finish` in one, for commands whose connection nobody waits for."""
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


def _size(catalog: Catalog) -> int:
    objects = catalog.objects
    names = len(objects.functions) + len(objects.operators) + len(objects.types)
    return sum(1 + len(r.columns) for r in catalog) + names // 2


async def _read(batch: Batch) -> tuple[ResultSet, ResultSet, ResultSet]:
    wanted_relations = Read(RELATIONS, (str(MAX_COLUMNS),), timeout_ms=READ_TIMEOUT_MS)
    wanted_attachments = Read(ATTACHMENTS, timeout_ms=READ_TIMEOUT_MS)
    await read_ahead(batch, (wanted_relations, wanted_attachments))
    relations = await wanted_relations.made(batch)
    attachments = await wanted_attachments.made(batch)
    # row-level security: pg_stats holds nothing for the asker there
    wanted = json.dumps([row[1:3] for row in relations.rows if row[7] != "t"])
    per_column = str(values_per_column(relations))
    try:
        statistics = await batch.read(STATISTICS, (per_column, wanted), timeout_ms=STATISTICS_TIMEOUT_MS)
    except DatabaseFailed as error:
        if error.code != QUERY_CANCELED:
            raise
        statistics = ResultSet((), ())  # a catalog without statistics serves; one that never comes does not
    return relations, attachments, statistics
