"""Candidates with the views they read replaced by what these say, or as they were given.

Owns: asking for definitions and privileges, and which views were replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwire.selector.instances.search_batch import SearchBatch
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.literals import array_text
from askwire.sql.tracing.identity import LIVE_COLUMNS
from askwire.sql.tracing.traced import TracedQuery, trace_query, trace_through
from askwire.sql.tracing.tree import Untraceable
from askwire.sql.tracing.views import DEFINITIONS, View, check_apart, read_views


@dataclass(frozen=True, slots=True)
class Views:
    """The views that candidates read, by OID, and those replaced by their definitions, inner ones first."""

    known: Mapping[int, View]
    inlined: tuple[tuple[Relation, str], ...] = ()


async def through_views(
    candidates: Sequence[TracedQuery], catalog: Catalog, probing: SearchBatch
) -> tuple[list[TracedQuery], Views]:
    """Candidates traced through the views they read; raises Untraceable where views and tables overlap."""
    found = list(candidates)
    asked = sorted({s.number for c in found for s in c.sources.values() if s.relation.kind == "v"})
    views: dict[int, View] = {}
    if asked:
        views = read_views(await probing.read(DEFINITIONS, [array_text(map(str, asked))]))
        found = [trace_through(c, views, catalog) for c in found]
    read = {s.number: s.relation for c in found for s in c.sources.values()}
    check_apart(read.values(), views)
    replaced = (v for v in views if v not in read and v in catalog.by_oid)
    inner = sorted(replaced, key=lambda v: len(views[v].reaches))
    return found, Views(views, tuple((catalog.by_oid[v], views[v].definition) for v in inner))


async def as_far_as_allowed(
    candidates: Sequence[TracedQuery], views: Views, catalog: Catalog, probing: SearchBatch
) -> list[TracedQuery]:
    """Candidates as they were given, with what the asker may read of each relation, and views by value.

    Raises Untraceable where views and tables overlap.
    """
    limits = await _column_limits(candidates, catalog, probing)
    found = [trace_query(c.text, catalog, limits) for c in candidates]
    check_apart((s.relation for c in found for s in c.sources.values()), views.known)
    return found


async def _column_limits(
    candidates: Sequence[TracedQuery], catalog: Catalog, probing: SearchBatch
) -> dict[int, tuple[str, ...]]:
    """For relations of which the asker may not read whole rows: all their columns, by OID.

    Raises Untraceable where one that the asker may not read has a type of a user's: NULL runs its checks.
    """
    asked = sorted({oid for c in candidates for oid in c.sources})
    found = await probing.read(LIVE_COLUMNS, [array_text(map(str, asked))])
    limits: dict[int, tuple[str, ...]] = {}
    for oid, name, is_users in found.rows:
        relation = catalog.by_oid[int(oid or 0)]
        if is_users == "t" and name not in relation.by_name:
            raise Untraceable(f"{relation.name} has a column of a type that is not PostgreSQL's own")
        limits[int(oid or 0)] = (*limits.get(int(oid or 0), ()), name or "")
    return limits
