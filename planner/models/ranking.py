"""Which relations a question may be about, best first, and which values of it the data holds.

The embedded linker and its look-up of values, without the engine behind them. Owns: scores of relations from
what these find, and the spread of scores along keys. Must not know: models, prompts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.planner.embedded import schema_index
from askwire.planner.embedded.encode import blocked_tokens
from askwire.planner.embedded.linker import Linker, Mention
from askwire.planner.embedded.schema_index import SchemaIndex
from askwire.planner.embedded.text import tokenize
from askwire.planner.embedded.times import time_spans
from askwire.planner.embedded.values import Hit, look_up
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Relation

_COLUMN: Final = 0.8
"""What a column's score counts for its relation."""
_VALUE: Final = 0.8
_NEIGHBOUR: Final = 0.3
_BETWEEN: Final = 0.5
"""What a relation gets that stands between two others, of the lesser of their scores."""
_SURE: Final = 0.45
"""From this score on a column counts as linked."""
_KEPT: Final = 4
MAX_VALUES: Final = 12


@dataclass(frozen=True, slots=True)
class Found:
    """Words of the question that a column holds as `stored`."""

    said: str
    relation: Relation
    column: str
    stored: str


@dataclass(frozen=True)
class Links:
    """Relations by score, the best first (all of them); linked columns as (OID, name); values found.

    Of a relation in `kept` only these columns, and its keys, are to be shown.
    """

    relations: tuple[Relation, ...]
    scores: Mapping[int, float]
    columns: frozenset[tuple[int, str]]
    values: tuple[Found, ...]
    kept: Mapping[int, frozenset[str]] = field(default_factory=dict)


class Ranker:
    """Keeps the indexes of the last few catalogs it saw, and nothing of questions or data."""

    def __init__(self) -> None:
        self._known: list[tuple[Catalog, SchemaIndex]] = []

    def _index(self, catalog: Catalog) -> SchemaIndex:
        for known, index in self._known:
            if known is catalog:
                return index
        near = tuple(r for r in catalog if r.on_path)
        index = schema_index.build(replace(catalog, relations=near) if near else catalog)
        self._known = [(catalog, index), *self._known][:_KEPT]
        return index

    async def links(self, planning: Planning, *, values: bool) -> Links:
        """What the question is linked to. `values` looks words up in the data, in one short batch."""
        index = await asyncio.to_thread(self._index, planning.catalog)
        text = f"{planning.question.text} {planning.question.evidence}".strip()
        tokens = tokenize(text)
        times = time_spans(tokens, planning.session.today)
        mentions = await asyncio.to_thread(Linker(index).spans, tokens, blocked_tokens(tokens, times))
        near = frozenset(
            o.index if o.table else index.columns[o.index].table for m in mentions for o in m.options
        )
        hits: Sequence[Hit] = await look_up(planning.executor, index, tokens, near) if values else ()
        found = [
            Found(
                text[tokens[h.start].start : tokens[h.end - 1].end],
                index.tables[index.columns[h.column].table].relation,
                index.columns[h.column].column.name,
                h.stored,
            )
            for h in sorted(hits, key=lambda h: (-h.quality, h.start - h.end, h.start))
        ]
        return _ranked(index, mentions, hits, tuple(found[:MAX_VALUES]))


def _ranked(
    index: SchemaIndex, mentions: Sequence[Mention], hits: Sequence[Hit], found: tuple[Found, ...]
) -> Links:
    scores: dict[int, float] = defaultdict(float)
    columns: set[tuple[int, str]] = set()
    for mention in mentions:
        best: dict[int, float] = defaultdict(float)
        for option in mention.options:
            if option.table:
                oid = index.tables[option.index].relation.oid
                best[oid] = max(best[oid], option.score)
            else:
                column = index.columns[option.index]
                oid = index.tables[column.table].relation.oid
                best[oid] = max(best[oid], _COLUMN * option.score)
                if option.score >= _SURE:
                    columns.add((oid, column.column.name))
        for oid, score in best.items():
            scores[oid] += score
    for hit in hits:
        column = index.columns[hit.column]
        oid = index.tables[column.table].relation.oid
        scores[oid] = max(scores[oid], _VALUE * hit.quality) if oid in scores else _VALUE * hit.quality
        columns.add((oid, column.column.name))
    relations = tuple({t.relation.oid: t.relation for t in index.tables}.values())
    spread = _spread(relations, dict(scores))
    ordered = sorted(relations, key=lambda r: (-spread.get(r.oid, 0.0), r.schema, r.name))
    return Links(tuple(ordered), spread, frozenset(columns), found)


def _spread(relations: Sequence[Relation], scores: Mapping[int, float]) -> dict[int, float]:
    """Scores with what keys add: a neighbour gets a share, and what joins two that score gets more."""
    near: dict[int, set[int]] = defaultdict(set)
    for relation in relations:
        for key in relation.foreign_keys:
            if key.target != relation.oid:
                near[relation.oid].add(key.target)
                near[key.target].add(relation.oid)
    spread = dict(scores)
    for oid, others in near.items():
        reached = sorted((scores.get(other, 0.0) for other in others), reverse=True)
        gained = _NEIGHBOUR * reached[0]
        if len(reached) > 1:
            gained = max(gained, _BETWEEN * reached[1])
        if gained:
            spread[oid] = spread.get(oid, 0.0) + gained
    return spread
