"""The steps that find terms: sets of rows that belong together for a candidate.

Owns: what is asked of the database in each step, and where the terms go. Must not know: what the terms show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.instances.pool import RowPool, Token, read_rows, read_term
from askwire.selector.instances.probing import Probing
from askwire.selector.instances.suggesting import Terms
from askwire.sql.tracing.difference import difference
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.traced import Traced
from askwire.sql.tracing.tree import Untraceable

PROBED: Final = 40
"""Joined rows asked of each candidate."""
DIFFERENT: Final = 20
"""Rows asked of the difference of two conditions."""
ANSWERED: Final = 6
"""Rows of an answer whose lineage is asked."""
SMALL: Final = 20_000
"""Rows up to which whole answers are computed in the first probe."""

Columns = tuple[ResultColumn, ...]


class Steps:
    """The steps over one pair of candidates; `terms` grows."""

    def __init__(
        self,
        candidates: tuple[Traced, Traced],
        sources: Mapping[int, Source],
        pool: RowPool,
        probing: Probing,
    ) -> None:
        self._candidates = candidates
        self._sources = sources
        self._pool = pool
        self._probing = probing
        self.terms = Terms()

    async def probe(self, known: tuple[ResultSet, ResultSet] | None) -> tuple[Columns, Columns]:
        """The first step: some joined rows of each candidate, and of the difference of their conditions.

        Returns the columns of both answers, so that cells can be read by their types.
        """
        asked = self._asked()
        found: list[tuple[str, tuple[Token, ...]]] = []
        columns: tuple[Columns, Columns] | None = None
        try:
            found, columns = await self._ask(asked)
        except DatabaseFailed:
            # one of them is slow or fails: each alone, so that the others still tell something
            for one in asked:
                try:
                    more, columns = await self._ask([one])
                except DatabaseFailed:
                    continue
                found.extend(more)
        if known is not None:
            columns = known[0].columns, known[1].columns
        if columns is None:
            _, columns = await self._ask([])
        await read_rows(self._pool, (term for _, term in found), self._probing)
        for name in ("first", "second", "difference", "witnesses", "answers"):
            terms = self._pool.resolved(term for kind, term in found if kind == name)
            getattr(self.terms, name).extend(terms)
        return columns

    def _asked(self) -> list[tuple[str, str, int]]:
        """What the first probe asks: where the terms go, the query, how many rows."""
        asked = [
            (kind, text, PROBED // len(candidate.rows))
            for kind, candidate in zip(("first", "second"), self._candidates, strict=True)
            for text in candidate.rows
        ]
        first, second = self._candidates
        text = difference(first.scopes, second.scopes, self._sources)
        if text is not None:
            asked.append(("difference", text, DIFFERENT))
        for candidate in self._candidates:
            asked.extend(("witnesses", text, DIFFERENT) for text in candidate.kept_out)
            if not candidate.simple and self._is_small(candidate):
                asked.append(("answers", f"SELECT _aw_l AS l FROM ({candidate.answers}) AS _aw_a", ANSWERED))
        return asked

    def _is_small(self, candidate: Traced) -> bool:
        return all(0 <= s.relation.estimated_rows <= SMALL for s in candidate.sources.values())

    async def _ask(
        self, asked: Sequence[tuple[str, str, int]]
    ) -> tuple[list[tuple[str, tuple[Token, ...]]], tuple[Columns, Columns]]:
        """One statement for several lineage queries; it describes the candidates' answers besides."""
        kinds = list(dict.fromkeys(kind for kind, _, _ in asked))
        parts = [
            f"(SELECT {kinds.index(kind)} AS k, l FROM ({text}) AS _aw_t LIMIT {limit})"
            for kind, text, limit in asked
        ]
        lines = " UNION ALL ".join(parts) or "SELECT 0 AS k, NULL::pg_catalog.text AS l LIMIT 0"
        first, second = (f"(SELECT * FROM ({c.sql}) AS _aw_d LIMIT 0)" for c in self._candidates)
        found = await self._probing.read(
            f"SELECT _aw_f.k, _aw_f.l, _aw_x.*, _aw_y.* FROM ({lines}) AS _aw_f"
            f" LEFT JOIN {first} AS _aw_x ON true LEFT JOIN {second} AS _aw_y ON true"
        )
        width = self._candidates[0].width
        columns = found.columns[2 : 2 + width], found.columns[2 + width :]
        if len(columns[1]) != self._candidates[1].width:
            raise Untraceable("its columns are not those of the catalog")
        terms = [(kinds[int(row[0] or 0)], read_term(row[1], self._sources)) for row in found.rows]
        return terms, columns
