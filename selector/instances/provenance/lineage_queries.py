"""Asking for lineages: several queries in one statement, and what is left of them where that takes too long.

Owns: the statement, its time-outs, and reading terms from its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultColumn, Row
from askwire.selector.instances.pool import Token, read_members, read_term
from askwire.selector.instances.search_batch import INSUFFICIENT_PRIVILEGE, QUERY_CANCELED, SearchBatch
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.traced import TracedQuery
from askwire.sql.tracing.tree import Untraceable

GROUPS: Final = ("groups of the first", "groups of the second")
SLOW_PROBE_ROWS: Final = 2
"""Rows asked of what took too long: those are found before the last."""
MAX_SMALL_TABLE_ROWS: Final = 20_000
"""Rows up to which whole answers are computed in the first probe."""
LARGE_TABLE_PROBE_MS: Final = 200
"""Milliseconds for a probe of large tables: others follow that may tell as much."""
PROBE_PART_MS: Final = 100
"""Milliseconds for each part of a probe that took too long as a whole."""

Columns = tuple[ResultColumn, ...]
Asked = tuple[str, str, int]
"""Where the terms go, the lineage query, how many rows."""
Found = list[tuple[str, tuple[Token, ...]]]
"""Terms, each with where it goes."""


class LineageQueries:
    """What is asked about one pair of candidates."""

    def __init__(
        self, candidates: tuple[TracedQuery, TracedQuery], sources: Mapping[int, Source], probing: SearchBatch
    ) -> None:
        self._candidates = candidates
        self._sources = sources
        self._probing = probing

    @property
    def small(self) -> bool:
        """Whether every relation is known to be small enough to be read whole."""
        return all(0 <= s.relation.estimated_rows <= MAX_SMALL_TABLE_ROWS for s in self._sources.values())

    async def somehow(
        self, asked: Sequence[Asked], *, together: bool = True, patient: bool = False
    ) -> tuple[Found, tuple[Columns, Columns] | None]:
        """All in one statement; where that fails, or is not wanted, each alone.

        What took too long is asked for the first rows only: those are found before the last.
        """
        timeout = 0 if patient else LARGE_TABLE_PROBE_MS
        if together:
            try:
                return await self.ask(asked, timeout_ms=timeout)
            except DatabaseFailed as error:
                if error.code == INSUFFICIENT_PRIVILEGE:
                    raise
                if error.code == QUERY_CANCELED:
                    asked = [(kind, text, min(limit, SLOW_PROBE_ROWS)) for kind, text, limit in asked]
                    timeout = PROBE_PART_MS
        found: Found = []
        columns: tuple[Columns, Columns] | None = None
        late = False
        for one in asked:
            if late and any(kind == one[0] for kind, _ in found):
                continue  # what is at hand is tried before more time is spent
            try:
                more, columns = await self.ask([one], timeout_ms=timeout)
            except DatabaseFailed as error:
                late = late or error.code == QUERY_CANCELED
                continue
            found.extend(more)
        return found, columns

    async def ask(
        self, asked: Sequence[Asked], *, timeout_ms: int = LARGE_TABLE_PROBE_MS
    ) -> tuple[Found, tuple[Columns, Columns]]:
        """One statement for several lineage queries; it describes the candidates' answers besides."""
        kinds = list(dict.fromkeys(kind for kind, _, _ in asked))
        parts = [
            f"(SELECT {kinds.index(kind)} AS k, l FROM ({text}) AS _aw_t LIMIT {limit})"
            for kind, text, limit in asked
        ]
        lines = " UNION ALL ".join(parts) or "SELECT 0 AS k, NULL::pg_catalog.text AS l LIMIT 0"
        # a candidate may end in a comment
        first, second = (f"(SELECT * FROM ({c.sql}\n) AS _aw_d LIMIT 0)" for c in self._candidates)
        found = await self._probing.read(
            f"SELECT _aw_f.k, _aw_f.l, _aw_x.*, _aw_y.* FROM ({lines}) AS _aw_f"
            f" LEFT JOIN {first} AS _aw_x ON true LEFT JOIN {second} AS _aw_y ON true",
            timeout_ms=0 if self.small else timeout_ms,
        )
        width = self._candidates[0].width
        columns = found.columns[2 : 2 + width], found.columns[2 + width :]
        if len(columns[1]) != self._candidates[1].width:
            raise Untraceable("its columns are not those of the catalog")
        terms: Found = []
        for number, row in enumerate(found.rows):
            kind = kinds[int(row[0] or 0)]
            if kind in GROUPS:
                members = read_members(row[1], self._sources)
                terms.extend((f"{kind} {number}", member) for member in members)
            else:
                terms.append((kind, read_term(row[1], self._sources)))
        return terms, columns

    async def in_time(self, texts: Sequence[str], parameters: Sequence[Cell]) -> Sequence[Row]:
        """The rows of several queries; none where they are slow and there are other ways."""
        if not texts:
            return ()
        try:
            timeout = 0 if self.small else 2 * LARGE_TABLE_PROBE_MS
            return (await self._probing.read(" UNION ALL ".join(texts), parameters, timeout_ms=timeout)).rows
        except DatabaseFailed as error:
            if error.code == INSUFFICIENT_PRIVILEGE:
                raise
            return ()
