"""An index of what changed, put together with what did not, is the index that is built from nothing."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import pytest

from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation

_WORDS = (
    *("room", "rooms", "name", "roomname", "cat", "category", "categories", "catname", "people", "person"),
    *("id", "cust", "customer", "code", "status", "statuscode", "order", "orderline", "line", "pid", "at"),
    *("geek", "geeks", "geekname", "moodcode", "mood", "plnt", "plntid", "restypename", "res", "type"),
)
_COMMENTS = ("", "", "", "Appointments (visits) of people", "Kind: 1=Open, 2=Closed", "Hit and run")
_KINDS = (("integer", 23, "N"), ("text", 25, "S"), ("date", 1082, "D"), ("boolean", 16, "B"))


def _name(draw: random.Random) -> str:
    return "_".join(draw.choices(_WORDS, k=draw.choice((1, 1, 2))))


def _column(draw: random.Random, name: str, position: int) -> Column:
    values = draw.choice(((), (), ("1", "2", "3"), ("y", "n"), ("2026-01-02", "2026-01-03", "2026-02-04")))
    return Column(
        name,
        *draw.choice(_KINDS),
        position,
        comment=draw.choice(_COMMENTS),
        distinct=draw.choice((-1.0, -1.0, 4.0, 0.0)),
        common_values=values,
    )


def _relation(draw: random.Random, oid: int, name: str) -> Relation:
    names = dict.fromkeys(_name(draw) for _ in range(draw.randrange(1, 7)))
    columns = tuple(_column(draw, name, n) for n, name in enumerate(names, 1))
    primary = (columns[0].name,) if draw.random() < 0.4 else ()
    rows = float(draw.choice((-1, 3, 5000)))
    return Relation(
        oid, "public", name, "r", columns, primary, comment=draw.choice(_COMMENTS), estimated_rows=rows
    )


def _keyed(draw: random.Random, relation: Relation, others: Sequence[Relation]) -> Relation:
    keys = tuple(
        ForeignKey((draw.choice(relation.columns).name,), target.oid, (target.columns[0].name,))
        for target in draw.choices(others, k=draw.randrange(3))
    )
    return replace(relation, foreign_keys=keys)


def _changed(draw: random.Random, relations: list[Relation], number: int) -> list[Relation]:
    at = draw.randrange(len(relations))
    old = relations[at]
    columns = old.columns
    match draw.choice(("add", "drop", "key", "column", "gone", "rename", "column name", "comment", "part")):
        case "add":
            return [*relations, _relation(draw, 1000 + number, _name(draw))]
        case "drop" if len(relations) > 2:
            return relations[:at] + relations[at + 1 :]
        case "key":
            new = _keyed(draw, old, relations)
        case "column":
            new = replace(old, columns=(*columns, _column(draw, f"{_name(draw)}_{number}", 90 + number)))
        case "gone" if len(columns) > 1:
            new = replace(old, columns=columns[:-1], foreign_keys=(), primary_key=())
        case "rename":
            new = replace(old, name=_name(draw))
        case "column name":
            named = (replace(columns[0], name=f"{_name(draw)}{draw.choice(_WORDS)}"), *columns[1:])
            new = replace(old, columns=named, foreign_keys=(), primary_key=())
        case "comment":
            new = replace(
                old,
                comment=draw.choice(_COMMENTS),
                columns=(replace(columns[0], comment=draw.choice(_COMMENTS)), *columns[1:]),
            )
        case "part":
            new = replace(old, partition_of=0 if old.partition_of else relations[0].oid)
        case _:
            new = old
    return [*relations[:at], new, *relations[at + 1 :]]


def _catalog(relations: Sequence[Relation]) -> Catalog:
    return Catalog(tuple(sorted(relations, key=lambda r: r.name)), search_path=("public",))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.slow
def test_an_index_of_what_changed_equals_one_that_is_built_anew(seed: int) -> None:
    draw = random.Random(seed)
    relations = [_relation(draw, n, _name(draw)) for n in range(1, 7)]
    relations = [_keyed(draw, r, relations) if draw.random() < 0.5 else r for r in relations]
    before = schema_index.build(_catalog(relations))
    for number in range(20):
        relations = _changed(draw, relations, number)
        dates = {(r.oid, r.columns[0].name): "DD.MM.YYYY" for r in relations if draw.random() < 0.05}
        catalog = _catalog(relations)
        anew = schema_index.build(catalog, dates)
        before = schema_index.build(catalog, dates, before)
        assert before == anew
        assert JoinGraph(before).neighbours(0) == JoinGraph(anew).neighbours(0)


@pytest.mark.parametrize(("glued", "word"), [("stallgalleries", "gallery"), ("stallmice", "mouse")])
def test_a_word_that_comes_is_found_by_its_plural_in_names_that_stayed(glued: str, word: str) -> None:
    draw = random.Random(0)
    tables = [
        _relation(draw, 1, "stall"),
        replace(_relation(draw, 2, "places"), columns=(Column(glued, "text", 25, "S", 1),)),
    ]
    before = schema_index.build(_catalog(tables))
    tables.append(_relation(draw, 3, word))
    after = schema_index.build(_catalog(tables), {}, before)
    assert after == schema_index.build(_catalog(tables))
    read = next(c.full for c in after.columns if c.column.name == glued)
    assert read == ("stall", word)


def _tables(many: int) -> list[Relation]:
    draw = random.Random(1)
    return [_relation(draw, n, f"{_name(draw)}_{n}") for n in range(1, many + 1)]


def test_what_did_not_change_is_the_same_object() -> None:
    relations = _tables(30)
    first = schema_index.build(_catalog(relations))
    last = max(relations, key=lambda r: r.name)
    wider = replace(last, columns=(*last.columns, Column("noted", "date", 1082, "D", 50)))
    second = schema_index.build(_catalog([wider if r is last else r for r in relations]), {}, first)
    same = [new is old for new, old in zip(second.columns, first.columns, strict=False)]
    assert sum(same) >= len(first.columns) - len(last.columns) - 3
    assert second.vocabulary is first.vocabulary


@pytest.mark.slow
def test_memory_does_not_grow_with_refreshes() -> None:
    tracemalloc.start()
    relations = _tables(60)
    index = schema_index.build(_catalog(relations))
    sizes = []
    for number in range(200):
        at = number % 50
        old = relations[at]
        # a word that no other name holds: the vocabulary is another one each time
        named = replace(old.columns[0], name=f"{chr(97 + at % 26) * 4}{'zq'[at // 26]}_{number // 50 % 2}")
        relations[at] = replace(old, columns=(named, *old.columns[1:]), primary_key=())
        index = schema_index.build(_catalog(relations), {}, index)
        if number in {99, 199}:
            gc.collect()
            ours = tracemalloc.take_snapshot().filter_traces((tracemalloc.Filter(True, "*/planner/*"),))
            sizes.append(sum(trace.size for trace in ours.traces))
    tracemalloc.stop()
    assert sizes[1] < sizes[0] * 1.03
