"""Which relations a question may be about, best first, and which values of it the data holds.

The embedded linker and its look-up of values, without the engine behind them. Owns: scores of relations from
what these find, and the spread of scores along keys.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import log
from typing import Final

from askwire.core.settings.data_values import VALUE_MEMORY
from askwire.language.text import Token, tokenize
from askwire.language.times import time_spans
from askwire.planner.embedded.entry import (
    Hit,
    Linker,
    Mention,
    Room,
    SchemaIndex,
    blocked_tokens,
    build_index,
    look_up,
)
from askwire.planner.expert import ExpertContext
from askwire.planner.models.concepts import CONCEPTS
from askwire.planner.models.entities import Place, entities, parts_of_name
from askwire.planner.models.join_support import support
from askwire.planner.models.possible_joins import Join, confirmed, undeclared_joins
from askwire.sql.catalog import Catalog, Relation

_COLUMN_WEIGHT: Final = 0.8
"""What a column's score counts for its relation."""
_VALUE_WEIGHT: Final = 0.8
_NEIGHBOR_SHARE: Final = 0.5
"""What a relation gets of what words say of one that a key joins it to, and of that for one further."""
_MAX_KEY_STEPS: Final = 2
_MIN_NEAR_SHARE: Final = 0.45
"""Of the best score, from which on a question may be about a relation: what a key leads to has half of it."""
_MIN_SAID_SHARE: Final = 0.55
_BEST_RELATIONS: Final = 3
_COMMON_WORD_DISCOUNT: Final = 0.2
"""How fast words count less that name something in many relations."""
_GUESSED_NAME_WEIGHT: Final = 0.5
"""What words count that are part of a value, and what proper names say of their kind."""
_MIN_LINK_SCORE: Final = 0.45
"""From this score on a column counts as linked."""
_MAX_INDEXES: Final = 4
_MAX_OPTIONS: Final = 300
"""Elements that words may name: of hundreds of tables many are called alike."""
MAX_VALUES: Final = 12
MAX_JOINS: Final = 16
"""Joins that no key declares which are looked at and told."""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """Words of the question that a column holds as `stored`."""

    said: str
    relation: Relation
    column: str
    stored: str


@dataclass(frozen=True)
class Links:
    """Relations by score, the best first (all of them); linked columns as (OID, name); values found.

    Of a relation in `kept` only these columns, and its keys, are to be shown. `joins` are those that no
    foreign key declares.
    """

    relations: tuple[Relation, ...]
    scores: Mapping[int, float]
    columns: frozenset[tuple[int, str]]
    values: tuple[FoundValue, ...]
    kept: Mapping[int, frozenset[str]] = field(default_factory=dict)
    joins: tuple[Join, ...] = ()

    @cached_property
    def near(self) -> frozenset[int]:
        """The OIDs of relations of which rows and values are worth telling; all where nothing is linked."""
        return self._from(_MIN_NEAR_SHARE)

    @cached_property
    def nearest(self) -> frozenset[int]:
        """Those among them that are the best, or that more than a key leads to."""
        return self._from(_MIN_SAID_SHARE) | (self.near & {r.oid for r in self.relations[:_BEST_RELATIONS]})

    def _from(self, share: float) -> frozenset[int]:
        least = share * max(self.scores.values(), default=0.0)
        return frozenset(r.oid for r in self.relations if self.scores.get(r.oid, 0.0) >= least)


class Ranker:
    """Keeps the indexes of the last few catalogs it saw, and nothing of questions or data."""

    def __init__(self) -> None:
        self._known: list[tuple[Catalog, SchemaIndex, tuple[Join, ...]]] = []

    def _index(self, catalog: Catalog) -> tuple[SchemaIndex, tuple[Join, ...]]:
        for known, index, joins in self._known:
            if known is catalog:
                return index, joins
        near = tuple(r for r in catalog if r.on_path)
        index = build_index(replace(catalog, relations=near) if near else catalog)
        joins = undeclared_joins(index)
        self._known = [(catalog, index, joins), *self._known][:_MAX_INDEXES]
        return index, joins

    async def links(self, planning: ExpertContext, *, values: bool) -> Links:
        """What the question is linked to. `values` looks words up in the data, in one short batch."""
        index, joins = await asyncio.to_thread(self._index, planning.catalog)
        text = f"{planning.question.text} {planning.question.evidence}".strip()
        tokens = tokenize(text)
        times = time_spans(tokens, planning.session.today)
        linker = Linker(index, _MAX_OPTIONS)
        mentions = await asyncio.to_thread(linker.spans, tokens, blocked_tokens(tokens, times))
        near = frozenset(
            o.index if o.table else index.columns[o.index].table for m in mentions for o in m.options
        )
        room = Room(planning.settings[VALUE_MEMORY])
        hits: Sequence[Hit] = (
            await look_up(planning.executor, index, tokens, near, room=room) if values else ()
        )
        found = [
            _found(index, h, _said(text, tokens[h.start : h.end]))
            for h in entities(hits, mentions, tokens, partial(_place, index))
        ]
        for at, token in enumerate(tokens):
            if values and token.kind == "quoted" and not any(hit.start == at for hit in hits):
                words = tokenize(token.lemma)
                if len(words) > 1:
                    looked = await look_up(planning.executor, index, words, near, room=room)
                    parts = parts_of_name(looked, words, partial(_place, index))
                    found += [_found(index, h, _said(token.lemma, words[h.start : h.end])) for h in parts]
                    hits = (*hits, *(replace(h, start=at, end=at + 1) for h in parts))
        guesses = await asyncio.to_thread(_guesses, tokens, linker)
        ranked = await asyncio.to_thread(
            _ranked,
            index,
            _neighbors(planning.catalog, joins),
            [*mentions, *guesses],
            hits,
            tuple(found[:MAX_VALUES]),
        )
        ranked = replace(ranked, values=_by_relation(ranked))
        near_joins = _nearest(ranked, joins)
        if values:
            told = await support(planning.executor, near_joins)
            near_joins = [replace(join, supported=yes) for join, yes in zip(near_joins, told, strict=True)]
        return replace(ranked, joins=tuple(confirmed(near_joins)))


def _by_relation(links: Links) -> tuple[FoundValue, ...]:
    """The values, of words that several relations hold those of the best relation first."""
    first = {value.said: number for number, value in reversed([*enumerate(links.values)])}
    return tuple(sorted(links.values, key=lambda v: (first[v.said], -links.scores.get(v.relation.oid, 0.0))))


def _place(index: SchemaIndex, number: int, table: bool) -> Place:
    """Where an element of the index is, as `entities` asks."""
    if table:
        return index.tables[number].relation.oid, ""
    column = index.columns[number]
    return index.tables[column.table].relation.oid, column.column.name


def _found(index: SchemaIndex, hit: Hit, said: str) -> FoundValue:
    column = index.columns[hit.column]
    return FoundValue(said, index.tables[column.table].relation, column.column.name, hit.stored)


def _said(text: str, tokens: Sequence[Token]) -> str:
    """The words as the question has them; a quotation without its marks."""
    if len(tokens) == 1 and tokens[0].kind == "quoted":
        return tokens[0].lemma
    return text[tokens[0].start : tokens[-1].end]


def _nearest(links: Links, joins: Sequence[Join]) -> list[Join]:
    """The joins between the best relations, at most as many as are shown; one of two that say the same."""
    place = {relation.oid: number for number, relation in enumerate(links.relations)}
    kept: dict[frozenset[tuple[int, str]], Join] = {}
    for join in sorted(joins, key=lambda j: max(place[j.relation.oid], place[j.other.oid])):
        ends = frozenset({(join.relation.oid, join.column), (join.other.oid, join.other_column)})
        if len(kept) < MAX_JOINS or ends in kept:
            kept.setdefault(ends, join)
    return list(kept.values())


def _guesses(tokens: Sequence[Token], linker: Linker) -> list[Mention]:
    """What a value may belong to that no one looks up: 'United Airlines' to airlines."""
    found: list[Mention] = []
    for at, token in enumerate(tokens):
        if token.kind == "quoted":
            found += linker.spans(tokenize(token.lemma), ())
        for word in CONCEPTS.get(token.lower, ()):
            found.append(Mention(at, at + 1, linker.options((word,)), (word,)))
    return [
        replace(m, options=tuple(replace(o, score=_GUESSED_NAME_WEIGHT * o.score) for o in m.options))
        for m in found
    ]


Neighbors = Mapping[int, Set[int]]
"""By the OID of a relation, those that it is joined to."""
WordScores = dict[int, dict[int, float]]
"""By the OID of a relation: what each word says of it, by the word's number."""


def _ranked(
    index: SchemaIndex,
    neighbors: Neighbors,
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    found: tuple[FoundValue, ...],
) -> Links:
    told: WordScores = defaultdict(dict)
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
                best[oid] = max(best[oid], _COLUMN_WEIGHT * option.score)
                if option.score >= _MIN_LINK_SCORE:
                    columns.add((oid, column.column.name))
        rare = 1 / (1 + _COMMON_WORD_DISCOUNT * log(len(best))) if best else 0.0
        for oid, score in best.items():
            told[oid][number] = score * rare
    for hit in hits:
        column = index.columns[hit.column]
        oid = index.tables[column.table].relation.oid
        number = -1 - hit.start
        told[oid][number] = max(told[oid].get(number, 0.0), _VALUE_WEIGHT * hit.quality)
        columns.add((oid, column.column.name))
    relations = tuple({t.relation.oid: t.relation for t in index.tables}.values())
    scores = {oid: sum(said.values()) for oid, said in _spread(relations, neighbors, told).items()}
    ordered = sorted(relations, key=lambda r: (-scores.get(r.oid, 0.0), r.schema, r.name))
    return Links(tuple(ordered), scores, frozenset(columns), found)


def _neighbors(catalog: Catalog, joins: Sequence[Join]) -> Neighbors:
    """The relations that keys join, and those that nothing declares as long as names tell them."""
    near = {oid: set(others) for oid, others in catalog.neighbors.items()}
    for join in joins:
        if not join.possible:
            near.setdefault(join.relation.oid, set()).add(join.other.oid)
            near.setdefault(join.other.oid, set()).add(join.relation.oid)
    return near


def _spread(relations: Sequence[Relation], neighbors: Neighbors, told: WordScores) -> WordScores:
    """What words say, with what they say of relations that keys lead to.

    Each word counts once for a relation, where it says most: of many tables called alike, the one stands out
    whose surroundings hold the rest of the question.
    """
    there = {relation.oid for relation in relations}
    for _ in range(_MAX_KEY_STEPS):
        spread = {oid: dict(said) for oid, said in told.items()}
        for oid, said in told.items():
            for other in neighbors.get(oid, frozenset()) & there:
                gained = spread.setdefault(other, {})
                for number, score in said.items():
                    if _NEIGHBOR_SHARE * score > gained.get(number, 0.0):
                        gained[number] = _NEIGHBOR_SHARE * score
        told = spread
    return told
