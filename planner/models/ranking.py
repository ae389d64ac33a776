"""Which relations a question may be about, best first, and which values of it the data holds.

The embedded linker and its look-up of values, without the engine behind them. Owns: scores of relations from
what these find, and the spread of scores along keys. Must not know: models, prompts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Final

from askwire.core.value_settings import VALUE_MEMORY
from askwire.language.text import Token, tokenize
from askwire.language.times import time_spans
from askwire.planner.embedded.linking.blocked import blocked_tokens
from askwire.planner.embedded.linking.linker import Linker, Mention
from askwire.planner.embedded.linking.value_reads import Hit, Room
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.expert import Planning
from askwire.planner.models.concepts import CONCEPTS
from askwire.planner.models.entities import entities
from askwire.sql.catalog import Catalog, Relation

_COLUMN: Final = 0.8
"""What a column's score counts for its relation."""
_VALUE: Final = 0.8
_NEAR: Final = 0.5
"""What a relation gets of what words say of one that a key joins it to, and of that for one further."""
_HOPS: Final = 2
_COMMON: Final = 0.2
"""How fast words count less that name something in many relations."""
_GUESSED: Final = 0.5
"""What words count that are part of a value, and what proper names say of their kind."""
_SURE: Final = 0.45
"""From this score on a column counts as linked."""
_KEPT: Final = 4
_OPTIONS: Final = 300
"""Elements that words may name: of hundreds of tables many are called alike."""
MAX_VALUES: Final = 12


@dataclass(frozen=True, slots=True)
class Found:
    """Words of the question that a column holds as `stored`."""

    said: str
    relation: Relation
    column: str
    stored: str


@dataclass(frozen=True, slots=True)
class Join:
    """Two columns that join two relations by their names and types, though no foreign key says so."""

    relation: Relation
    column: str
    other: Relation
    other_column: str


@dataclass(frozen=True)
class Links:
    """Relations by score, the best first (all of them); linked columns as (OID, name); values found.

    Of a relation in `kept` only these columns, and its keys, are to be shown. `joins` are those that no
    foreign key declares.
    """

    relations: tuple[Relation, ...]
    scores: Mapping[int, float]
    columns: frozenset[tuple[int, str]]
    values: tuple[Found, ...]
    kept: Mapping[int, frozenset[str]] = field(default_factory=dict)
    joins: tuple[Join, ...] = ()


class Ranker:
    """Keeps the indexes of the last few catalogs it saw, and nothing of questions or data."""

    def __init__(self) -> None:
        self._known: list[tuple[Catalog, SchemaIndex, tuple[Join, ...]]] = []

    def _index(self, catalog: Catalog) -> tuple[SchemaIndex, tuple[Join, ...]]:
        for known, index, joins in self._known:
            if known is catalog:
                return index, joins
        near = tuple(r for r in catalog if r.on_path)
        index = schema_index.build(replace(catalog, relations=near) if near else catalog)
        joins = _undeclared(index)
        self._known = [(catalog, index, joins), *self._known][:_KEPT]
        return index, joins

    async def links(self, planning: Planning, *, values: bool) -> Links:
        """What the question is linked to. `values` looks words up in the data, in one short batch."""
        index, joins = await asyncio.to_thread(self._index, planning.catalog)
        text = f"{planning.question.text} {planning.question.evidence}".strip()
        tokens = tokenize(text)
        times = time_spans(tokens, planning.session.today)
        linker = Linker(index, _OPTIONS)
        mentions = await asyncio.to_thread(linker.spans, tokens, blocked_tokens(tokens, times))
        near = frozenset(
            o.index if o.table else index.columns[o.index].table for m in mentions for o in m.options
        )
        room = Room(planning.settings[VALUE_MEMORY])
        hits: Sequence[Hit] = (
            await look_up(planning.executor, index, tokens, near, room=room) if values else ()
        )
        found = [
            Found(
                text[tokens[h.start].start : tokens[h.end - 1].end],
                index.tables[index.columns[h.column].table].relation,
                index.columns[h.column].column.name,
                h.stored,
            )
            for h in entities(hits, mentions, tokens)
        ]
        guesses = await asyncio.to_thread(_guesses, tokens, linker)
        ranked = await asyncio.to_thread(
            _ranked, index, planning.catalog, [*mentions, *guesses], hits, tuple(found[:MAX_VALUES])
        )
        return replace(ranked, joins=joins)


def _undeclared(index: SchemaIndex) -> tuple[Join, ...]:
    """The joins that names and types suggest where no key is declared."""
    graph = JoinGraph(index)
    found: dict[Join, None] = {}
    for table in index.tables:
        for edge in graph.neighbours(table.index):
            if edge.guessed and edge.left == table.index and len(edge.on) == 1:
                ((mine, theirs),) = edge.on
                one, other = index.columns[mine], index.columns[theirs]
                ends = index.tables[edge.left].relation, index.tables[edge.right].relation
                found[Join(ends[0], one.column.name, ends[1], other.column.name)] = None
    return tuple(found)


def _guesses(tokens: Sequence[Token], linker: Linker) -> list[Mention]:
    """What a value may belong to that nobody looks up: 'United Airlines' to airlines."""
    found: list[Mention] = []
    for at, token in enumerate(tokens):
        if token.kind == "quoted":
            found += linker.spans(tokenize(token.lemma), ())
        for word in CONCEPTS.get(token.lower, ()):
            found.append(Mention(at, at + 1, linker.options((word,)), (word,)))
    return [replace(m, options=tuple(replace(o, score=_GUESSED * o.score) for o in m.options)) for m in found]


Told = dict[int, dict[int, float]]
"""By the OID of a relation: what each word says of it, by the word's number."""


def _ranked(
    index: SchemaIndex,
    catalog: Catalog,
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    found: tuple[Found, ...],
) -> Links:
    told: Told = defaultdict(dict)
    columns: set[tuple[int, str]] = set()
    for number, mention in enumerate(mentions):
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
        rare = 1 / (1 + _COMMON * log(len(best))) if best else 0.0
        for oid, score in best.items():
            told[oid][number] = score * rare
    for hit in hits:
        column = index.columns[hit.column]
        oid = index.tables[column.table].relation.oid
        number = -1 - hit.start
        told[oid][number] = max(told[oid].get(number, 0.0), _VALUE * hit.quality)
        columns.add((oid, column.column.name))
    relations = tuple({t.relation.oid: t.relation for t in index.tables}.values())
    scores = {oid: sum(said.values()) for oid, said in _spread(relations, catalog, told).items()}
    ordered = sorted(relations, key=lambda r: (-scores.get(r.oid, 0.0), r.schema, r.name))
    return Links(tuple(ordered), scores, frozenset(columns), found)


def _spread(relations: Sequence[Relation], catalog: Catalog, told: Told) -> Told:
    """What words say, with what they say of relations that keys lead to.

    Each word counts once for a relation, where it says most: of many tables called alike, the one stands out
    whose surroundings hold the rest of the question.
    """
    there = {relation.oid for relation in relations}
    for _ in range(_HOPS):
        spread = {oid: dict(said) for oid, said in told.items()}
        for oid, said in told.items():
            for other in catalog.neighbors.get(oid, frozenset()) & there:
                gained = spread.setdefault(other, {})
                for number, score in said.items():
                    if _NEAR * score > gained.get(number, 0.0):
                        gained[number] = _NEAR * score
        told = spread
    return told
