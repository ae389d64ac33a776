"""The steps that find terms: sets of rows that belong together for a candidate.

Owns: what is asked of the database in each step, and where the terms go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultSet
from askwire.selector.instances.pool import RowPool, Token, read_rows, read_term
from askwire.selector.instances.provenance.lineage_queries import (
    GROUPS,
    Asked,
    Columns,
    Found,
    LineageQueries,
)
from askwire.selector.instances.provenance.suggesting import Terms
from askwire.selector.instances.search_batch import SearchBatch
from askwire.sql.literals import array_text
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.difference import difference, either
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.keyed import keyed
from askwire.sql.tracing.neighbours import Link, links, neighbours, repeats, sample
from askwire.sql.tracing.traced import TracedQuery

PROBED_ROWS: Final = 40
"""Joined rows asked of each candidate."""
DIFFERENCE_ROWS: Final = 20
"""Rows asked of the difference of two conditions."""
PROBED_GROUPS: Final = 8
"""Groups of rows asked of each candidate that puts rows together."""
NULL_ROWS: Final = 4
"""Rows with a NULL asked of each candidate."""
ANSWER_ROWS: Final = 6
"""Rows of an answer whose lineage is asked."""
DEEP_PROBE_ROWS: Final = 1500
"""Joined rows asked of each candidate when the first probe was not enough."""
TERMS_OF_ONE: Final = 12
"""Terms kept of those that only one candidate has."""
KEYED_ROWS: Final = 2
"""Rows of each answer on all the data whose lineage is asked."""
SAMPLED_ROWS: Final = 16
"""Rows of each relation in a sample."""
SEED_ROWS: Final = 40
"""Rows at hand whose neighbours are asked."""
NEIGHBOURS_PER_LINK: Final = 24
"""Neighbours asked along one link."""
REPEATED_PAIRS: Final = 8
"""Pairs of rows asked that agree in all columns by which a query puts rows together."""


class Steps:
    """The steps over one pair of candidates; `terms` grows."""

    def __init__(
        self,
        candidates: tuple[TracedQuery, TracedQuery],
        sources: Mapping[int, Source],
        pool: RowPool,
        probing: SearchBatch,
    ) -> None:
        self._candidates = candidates
        self._sources = sources
        self._pool = pool
        self._probing = probing
        self._asking = LineageQueries(candidates, sources, probing)
        self.terms = Terms()
        self._focus: list[Token] = []
        self._samples = 0
        self._passed = False

    @property
    def small(self) -> bool:
        """Whether every relation is known to be small enough to be read whole."""
        return self._asking.small

    async def probe(self, known: tuple[ResultSet, ResultSet] | None) -> tuple[Columns, Columns]:
        """The first step: some joined rows of each candidate, and of the difference of their conditions.

        Returns the columns of both answers, so that cells can be read by their types.
        """
        found, columns = await self._asking.somehow(self._asked())
        if known is not None:
            columns = known[0].columns, known[1].columns
        if columns is None:
            _, columns = await self._asking.ask([])
        self.terms = await self._taken(found)
        return columns

    async def deepen(self) -> None:
        """Many joined rows of each candidate, to see which the other does not have."""
        asked = [
            (kind, text, DEEP_PROBE_ROWS // len(texts))
            for kind, texts in (
                ("first", self._candidates[0].rows),
                ("second", self._candidates[1].rows),
                ("witnesses", self._candidates[0].kept_out),
                ("kept", self._candidates[1].kept_out),
            )
            for text in texts
        ]
        found, _ = await self._asking.ask([*asked, *self._absent()])
        shared = set(self._candidates[0].sources) & set(self._candidates[1].sources)
        by_kind: dict[str, dict[frozenset[Token], tuple[Token, ...]]] = {}
        for kind, term in found:
            by_kind.setdefault(kind, {}).setdefault(frozenset(t for t in term if t[0] in shared), term)
        kept = [(kind, term) for kind, term in found if kind == "difference"]
        for kind, other in (
            ("first", "second"),
            ("second", "first"),
            ("witnesses", "kept"),
            ("kept", "witnesses"),
        ):
            own, others = by_kind.get(kind, {}), by_kind.get(other, {})
            alone = [t for key, t in own.items() if key not in others]
            common = [t for key, t in own.items() if key in others]
            target = "witnesses" if kind == "kept" else kind
            kept.extend(
                (target, t) for t in [*_spread(alone, TERMS_OF_ONE), *_spread(common, TERMS_OF_ONE // 2)]
            )
        self.terms = await self._taken(kept)

    async def key(self, answers: tuple[ResultSet, ResultSet]) -> None:
        """The rows behind those rows of the answers on all the data that only one of them has."""
        counts = [Counter(a.rows) for a in answers]
        wanted = [
            *islice((counts[0] - counts[1]).keys(), KEYED_ROWS),
            *islice((counts[1] - counts[0]).keys(), KEYED_ROWS),
        ]
        terms: list[tuple[Token, ...]] = []
        for row in wanted:
            parts: list[str] = []
            parameters: list[Cell] = []
            for candidate in self._candidates:
                if candidate.width == len(row):
                    text, more = keyed(candidate.answers, candidate.width, row, len(parameters) + 1)
                    parts.append(f"(SELECT l FROM ({text}) AS _aw_t LIMIT {ANSWER_ROWS})")
                    parameters.extend(more)
            try:
                found = await self._probing.read(" UNION ALL ".join(parts), parameters)
            except DatabaseFailed:
                continue
            lines = [read_term(line, self._sources) for (line,) in found.rows]
            terms.extend([tuple(dict.fromkeys(t for line in lines for t in line)), *lines])
        self._focus = [t for term in terms for t in term]
        self.terms = await self._taken([("answers", t) for t in terms])

    async def wander(self) -> None:
        """A sample of every relation, and the rows that the rows at hand could be joined with."""
        self._samples += 1
        parts = [
            f"(SELECT l, NULL::pg_catalog.text AS v, -1 AS i FROM ({text}) AS _aw_t)"
            for text in (sample(of, SAMPLED_ROWS, self._samples) for of in self._pool.sources)
        ]
        near: list[str] = []
        parameters: list[Cell] = []
        known = links([c.scopes for c in self._candidates], self._sources)
        held: list[dict[str, list[Token]]] = []
        for i, link in enumerate(known):
            values = self._values(link)
            held.append(values)
            parameters.append(array_text(values))
            text = neighbours(link, self._sources[link.other], i + 1, NEIGHBOURS_PER_LINK)
            near.append(f"(SELECT l, v, {i} AS i FROM ({text}) AS _aw_t)")
        lines = [
            *(await self._probing.read(" UNION ALL ".join(parts))).rows,
            *(await self._asking.in_time(near, parameters)),
        ]
        sampled: dict[int, list[tuple[Token, ...]]] = {}
        around: dict[Token, dict[Token, None]] = {}
        for line, value, index in lines:
            term = read_term(line, self._sources)
            if term and index == "-1":
                sampled.setdefault(term[0][0], []).append(term)
            elif term:
                for seed in held[int(index or 0)].get(value or "", ())[:3]:
                    around.setdefault(seed, {}).update(dict.fromkeys(term))
        kept = [("answers", tuple(dict.fromkeys((*self._focus, *(t for ts in around.values() for t in ts)))))]
        kept += [("second", (seed, *islice(terms, 8))) for seed, terms in around.items()][: 2 * SAMPLED_ROWS]
        kept += [
            ("first", tuple(t for rows in sampled.values() for t in rows[i % len(rows)]))
            for i in range(SAMPLED_ROWS)
        ]
        kept += [("witnesses", t) for rows in sampled.values() for t in rows[:3]]
        if self._samples > 1:
            kept += await self._repeated(known, held)
        self.terms = await self._taken(kept)

    async def _repeated(self, known: Sequence[Link], held: Sequence[Mapping[str, list[Token]]]) -> Found:
        """Rows that agree in all columns of their relation by which a query puts rows together."""
        texts: list[str] = []
        parameters: list[Cell] = []
        for of in self._sources.values():
            together = [(i, k) for i, k in enumerate(known) if k.oid == of.number == k.other]
            if len(together) < 2:
                continue
            # of a column with many values few rows have one of those at hand
            column = max(together, key=lambda at: len(held[at[0]]))
            parameters.append(array_text(list(held[column[0]])[:SAMPLED_ROWS]))
            columns = [k.column for _, k in together]
            text = repeats(of, columns, column[1].column, len(parameters), REPEATED_PAIRS)
            texts.append(f"(SELECT l FROM ({text}) AS _aw_t)")
        lines = await self._asking.in_time(texts, parameters)
        return [("difference", read_term(line, self._sources)) for (line,) in lines]

    async def everything(self, most: int) -> None:
        """All rows of every relation as one term, where they are no more than `most`; else nothing."""
        self.terms = Terms()
        if sum(max(0, of.relation.estimated_rows) for of in self._sources.values()) > most:
            return
        parts = [f"(SELECT l FROM ({sample(of, most + 1, 0)}) AS _aw_t)" for of in self._sources.values()]
        found = await self._probing.read(" UNION ALL ".join(parts))
        if len(found.rows) <= most:
            tokens = dict.fromkeys(t for (line,) in found.rows for t in read_term(line, self._sources))
            self.terms = await self._taken([("answers", tuple(tokens))])

    def _values(self, link: Link) -> dict[str, list[Token]]:
        """The values of a link's column among the rows at hand, and the rows that hold them."""
        position = self._sources[link.oid].layout.index(link.column)
        values: dict[str, list[Token]] = {}
        at_hand = zip(self._pool.keys[link.oid], self._pool.rows[link.oid], strict=True)
        rows = {(link.oid, key): text for key, text in at_hand}
        seeds = [t for t in self._focus if t in rows] or list(rows)
        for seed in seeds[:SEED_ROWS]:
            cell = read_row(rows[seed])[position]
            if cell is not None:
                values.setdefault(cell, []).append(seed)
        return values

    async def _taken(self, found: Sequence[tuple[str, tuple[Token, ...]]]) -> Terms:
        """Read the rows of terms; the terms by kind."""
        await read_rows(self._pool, (term for _, term in found), self._probing)
        terms = Terms()
        for kind in ("first", "second", "difference", "witnesses", "answers"):
            getattr(terms, kind).extend(self._pool.resolved(t for k, t in found if k == kind))
        groups: dict[str, list[tuple[Token, ...]]] = {}
        for kind, term in found:
            if kind.startswith(GROUPS):
                groups.setdefault(kind, []).append(term)
        terms.groups.extend(filter(None, map(self._pool.resolved, groups.values())))
        return terms

    async def conditions(self) -> None:
        """What the first step leaves out where tables are large: rows that only one condition keeps.

        They may be rare: the first that a pass over the table finds is enough.
        """
        # what is kept out by a subquery is found by what keeps it out, without all that the subquery reads
        found, _ = await self._asking.somehow(self._kept_out(), together=False)
        self.terms = await self._taken(found or await self._rare())

    async def _rare(self) -> Found:
        """A row that only one condition keeps, by one pass over a table that ends where it is."""
        first, second = self._candidates
        text = "" if self._passed else either(first.scopes, second.scopes, self._sources)
        self._passed = True
        if not text:
            return []
        found, _ = await self._asking.somehow([("difference", text, 1)], together=False, patient=True)
        return found

    async def conditions_again(self) -> None:
        """The same in each direction, where an index may help, and rows with a NULL."""
        asked = [*self._different(), *self._absent()]
        found, _ = await self._asking.somehow(asked, together=False)
        self.terms = await self._taken(found or await self._rare())

    def _asked(self) -> list[Asked]:
        """What the first probe asks: where the terms go, the query, how many rows."""
        asked = [
            (kind, text, PROBED_ROWS // len(candidate.rows))
            for kind, candidate in zip(("first", "second"), self._candidates, strict=True)
            for text in candidate.rows
        ]
        if not self.small:
            return asked
        asked += [*self._different(), *self._kept_out()]
        finest = max(len(c.tree.groupClause or ()) for c in self._candidates)
        for kind, candidate in zip(GROUPS, self._candidates, strict=True):
            if candidate.groups:
                coarse = 0 < len(candidate.tree.groupClause or ()) < finest
                asked.append((kind, candidate.mixed_groups if coarse else candidate.groups, PROBED_GROUPS))
            if not candidate.simple and (not candidate.groups or candidate.tree.havingClause):
                asked.append(
                    ("answers", f"SELECT _aw_l AS l FROM ({candidate.answers}) AS _aw_a", ANSWER_ROWS)
                )
        return asked

    def _different(self) -> list[Asked]:
        first, second = self._candidates
        texts = difference(first.scopes, second.scopes, self._sources)
        return [("difference", text, DIFFERENCE_ROWS) for text in texts]

    def _absent(self) -> list[Asked]:
        """Rows with a NULL where it may count; few tables say which of their columns hold any."""
        texts = (*self._candidates[0].absent, *self._candidates[1].absent)
        return [("difference", text, NULL_ROWS) for text in dict.fromkeys(texts)]

    def _kept_out(self) -> list[Asked]:
        return [("witnesses", text, DIFFERENCE_ROWS) for c in self._candidates for text in c.kept_out]


def _spread(terms: Sequence[tuple[Token, ...]], most: int) -> list[tuple[Token, ...]]:
    """Some of a list, evenly spread over it."""
    if len(terms) <= most:
        return list(terms)
    return [terms[i * len(terms) // most] for i in range(most)]
