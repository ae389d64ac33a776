"""Catalogs prepared for questions, and kept: what their data tells at a short look, their index, their joins.

Owns: which catalogs are kept, and that one which follows another is prepared of what changed.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from askwire.core.protocols import Executor
from askwire.language.structure_words import COUNTED_UNITS, DAY_OF_WEEK
from askwire.planner.embedded.linking.blocked import ADVERBS
from askwire.planner.embedded.linking.rewording.wording import abbreviations
from askwire.planner.embedded.ranking.query_log_joins import QueryLogJoins
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.json_parts import Parts, dates_of, read_parts, with_parts
from askwire.planner.embedded.schema.line_amounts import line_amounts
from askwire.planner.embedded.schema.listed import ListColumns, Lists, known_lists, read_lists
from askwire.planner.embedded.schema.lookups import (
    NOTHING,
    Codes,
    Known,
    Lookups,
    Reference,
    read_lookups,
    remarked,
)
from askwire.planner.embedded.schema.query_log_measures import MeasureIndex, customary, with_measures
from askwire.planner.embedded.schema.rivals import base_relations
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.embedded.schema.text_times import Dates, Templates, read_templates, templates
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.query_patterns.patterns import QueryPatterns

KEPT_COLUMNS: Final = 60_000
"""Columns of the catalogs whose indexes are kept, the one asked last always: about 65 MB."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What names and statistics of one relation tell, before its data is looked at."""

    relation: Relation
    dates: Dates
    codes: Codes
    lists: ListColumns

    @classmethod
    def of(cls, relation: Relation) -> Survey:
        """That of one relation."""
        return cls(relation, Dates.of(relation), Codes.of(relation), ListColumns.of(relation))


@dataclass(frozen=True)
class DataFacts:
    """What is known of a catalog's data: how text writes dates and lists, what JSON and codes hold."""

    surveys: Mapping[int, Survey]
    dates: Templates
    parts: Parts = field(default_factory=lambda: MappingProxyType({}))
    lookups: Lookups = NOTHING
    looked_up: Known = field(default_factory=lambda: MappingProxyType({}))
    missed: frozenset[int] = frozenset()
    """Relations of which something could not be read."""
    lists: Lists = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Schema:
    """A catalog prepared for questions; `whole` when relations off the search_path are part of it.

    Its views are part of it where `views`.
    `source` is the catalog as it was given: as long as somebody else has it, too.
    """

    source: weakref.ref[Catalog]
    whole: bool
    views: bool
    told: DataFacts
    index: SchemaIndex
    graph: JoinGraph
    units: frozenset[str]
    abbreviations: Mapping[str, tuple[str, ...]]
    query_patterns: QueryPatterns | None
    customs: QueryLogJoins | None


def _adverbs(index: SchemaIndex) -> frozenset[str]:
    """The adverbs that names hold: 'monthly' in `monthly_sales` and `mth_fee`, not in `warranty_months`.

    Each stands there with the words beside it as well: 'monthly sales'.
    """
    names = [*(t.words for t in index.tables), *(c.words for c in index.columns)]
    found: set[str] = set()
    for adverb, unit in ADVERBS.items():
        said = [n for n in names if adverb in n] + [c.words for c in index.columns if unit in c.words[:-1]]
        found.update(f"{adverb} {word}" for name in said for word in name)
        found.update([adverb] if said else [])
    return frozenset(found)


class Schemas:
    """The schemas of the last few catalogs that were asked."""

    def __init__(self) -> None:
        self._kept: list[Schema] = []

    def _known(
        self, catalog: Catalog, whole: bool, query_patterns: QueryPatterns | None, views: bool
    ) -> Schema | None:
        for known in self._kept:
            alike = known.whole == whole and known.views == views and known.query_patterns is query_patterns
            if alike and known.source() is catalog:
                return known
        return None

    async def prepared(self, planning: ExpertContext, whole: bool, views: bool = True) -> Schema:
        """The schema of a question; of a new catalog a short look tells what its data holds."""
        known = self._known(planning.catalog, whole, planning.query_patterns, views)
        if known is not None:
            return known
        told = next((s.told for s in self._kept if s.source() is planning.catalog), None)
        if told is None:
            surveys = await asyncio.to_thread(self._surveyed, planning.catalog)
            told = await _look(planning.executor, surveys, self._told(planning.catalog))
        return await asyncio.to_thread(
            self.schema, planning.catalog, whole, planning.query_patterns, told, views
        )

    def schema(
        self,
        catalog: Catalog,
        whole: bool,
        query_patterns: QueryPatterns | None = None,
        told: DataFacts | None = None,
        views: bool = True,
    ) -> Schema:
        """The schema of a catalog, by what is `told` of its data, or else by statistics alone."""
        known = self._known(catalog, whole, query_patterns, views)
        if known is not None:
            return known
        if told is None:
            surveys = self._surveyed(catalog)
            told = DataFacts(
                surveys,
                templates((s.relation, s.dates) for s in surveys.values()),
                lists=known_lists((s.relation, s.lists) for s in surveys.values()),
            )
        # a catalog of its own: the one that was given may go when it is no longer the newest
        reached = base_relations((r for r in catalog if whole or r.on_path), views=views)
        near = replace(catalog, relations=reached)
        measures = customary(near, query_patterns) if query_patterns else ()
        named = {word for measure in measures for word in measure.words}
        measures = (*measures, *(m for m in line_amounts(near) if not named & set(m.words)))
        wide, places = with_measures(with_parts(near, told.parts), measures)
        before = self._before(catalog, whole, views)
        dates = {**told.dates, **dates_of(told.parts)}
        placed = MeasureIndex(
            schema_index.build(
                wide, dates, before.index if before else None, lookups=told.lookups, lists=told.lists
            ),
            places,
        )
        index = placed.index
        units = frozenset(c.words[0] for c in index.columns if len(c.words) == 1 and c.kind != "time")
        units |= _adverbs(index)
        units |= {DAY_OF_WEEK for c in index.columns if {"day", "week"} <= set(c.words)}
        units |= {
            " ".join(c.words) for c in index.columns if len(c.words) > 1 and c.words[0] in COUNTED_UNITS
        }
        customs = QueryLogJoins(index, query_patterns, placed) if query_patterns else None
        references = (*told.lookups.references, *remarked(t.relation for t in index.tables if t.role is None))
        graph = JoinGraph(index, customs.edges() if customs else (), references, told.lookups.keys)
        schema = Schema(
            weakref.ref(catalog),
            whole,
            views,
            told,
            index,
            graph,
            units,
            abbreviations(index),
            query_patterns,
            customs,
        )
        self._keep(schema)
        return schema

    def _keep(self, schema: Schema) -> None:
        alive = [s for s in self._kept if s.source() is not None]
        columns = accumulate(len(s.index.columns) for s in (schema, *alive))
        kept = max(1, sum(size <= KEPT_COLUMNS for size in columns))
        self._kept = [schema, *alive][:kept]

    def _before(self, catalog: Catalog, whole: bool, views: bool) -> Schema | None:
        """The schema that has most of a catalog's relations, each the same object."""
        kept = [s for s in self._kept if (s.whole, s.views) == (whole, views)]
        alike = [(self._shared(s.told.surveys, catalog), s) for s in kept]
        return max(alike, key=lambda a: a[0], default=(0, None))[1]

    def _shared(self, surveys: Mapping[int, Survey], catalog: Iterable[Relation]) -> int:
        return sum(r.oid in surveys and surveys[r.oid].relation is r for r in catalog)

    def _told(self, catalog: Catalog) -> DataFacts:
        """What is known of the catalog that has most of a catalog's relations."""
        return max(
            (s.told for s in self._kept),
            key=lambda told: self._shared(told.surveys, catalog),
            default=DataFacts(MappingProxyType({}), MappingProxyType({})),
        )

    def _surveyed(self, catalog: Catalog) -> dict[int, Survey]:
        """The surveys of all relations; those of unchanged ones are at hand."""
        known = self._told(catalog).surveys
        return {
            r.oid: known[r.oid] if r.oid in known and known[r.oid].relation is r else Survey.of(r)
            for r in catalog
        }


async def _look(executor: Executor, surveys: Mapping[int, Survey], before: DataFacts) -> DataFacts:
    """What the data of a catalog tells; that of relations which are the same as `before` is not read."""
    same = {oid for oid, s in surveys.items() if before.surveys.get(oid) is s and oid not in before.missed}
    fresh = [s for oid, s in surveys.items() if oid not in same]
    dates, undated = await read_templates(executor, [(s.relation, s.dates) for s in fresh])
    lists, unlisted = await read_lists(executor, [(s.relation, s.lists) for s in fresh])
    parts, unparted = await read_parts(executor, [s.relation for s in fresh])
    known = {what: rows for what, rows in before.looked_up.items() if same.issuperset(_about(what))}
    lookups, looked_up = await read_lookups(
        executor, [(s.relation, s.codes) for s in surveys.values()], known
    )
    return DataFacts(
        surveys,
        {at: way for at, way in before.dates.items() if at[0] in same} | dates,
        {oid: found for oid, found in before.parts.items() if oid in same} | parts,
        lookups,
        looked_up,
        undated | unparted | unlisted,
        {at: between for at, between in before.lists.items() if at[0] in same} | lists,
    )


def _about(what: Reference | tuple[int, *tuple[str, ...]]) -> tuple[int, ...]:
    """The relations that a look is about."""
    return (what.source, what.target) if isinstance(what, Reference) else what[:1]
