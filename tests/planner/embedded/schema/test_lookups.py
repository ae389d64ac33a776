"""What refers to what by its values, and codes that one table explains for many columns."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest

from askwire.core.protocols import Executor
from askwire.core.types import ResultColumn, ResultSet
from askwire.planner.embedded.schema.code_tables import CodeList
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.lookups import NOTHING, Codes, Lookups, Reference, read_lookups
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


class Rows:
    """An executor over stored values: counts those that a column lacks, and gives the rows of a table."""

    def __init__(self, held, texts=()):
        self._held = held
        self._texts = texts
        self.reads = 0

    def _seen(self, look):
        key, table = re.search(r"SELECT (\w+) AS k FROM public\.(\w+) ", look, re.DOTALL).groups()
        held = self._held.get((table, key), ())
        if "unnest" not in look:
            return [(value,) for value in held]
        values = re.search(r"unnest\('\{(.*?)\}'", look)[1]
        wanted = {v.strip('"') for v in values.split(",")}
        return [(str(len(wanted - set(held))),)]

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Rows]:
        yield self

    async def read(self, sql, parameters=(), *, max_rows=0, timeout_ms=0):
        self.reads += 1
        rows = [
            (str(place), *row)
            for place, look in enumerate(sql.split(" UNION ALL "))
            for row in (self._texts if " AS d, " in look else self._seen(look))
        ]
        return ResultSet((ResultColumn("c", 25),) * len(rows[0] if rows else ()), tuple(rows))


async def _looked_up(rows: Rows, catalog: Catalog) -> Lookups:
    found, _ = await read_lookups(cast(Executor, rows), [(r, Codes.of(r)) for r in catalog])
    return found


def _known(relation, unique="", **common):
    """The relation with what statistics tell: its key without repeated values, common values of others."""
    columns = tuple(
        replace(
            c,
            distinct=-1.0 if c.name == unique else float(len(common.get(c.name, ())) or -0.5),
            common_values=tuple(common.get(c.name, ())),
        )
        for c in relation.columns
    )
    return replace(relation, columns=columns, primary_key=())


@pytest.fixture
def planes(make_table):
    models = ("2072704", "7102802", "1151016")
    return Catalog(
        (
            _known(
                make_table(1, "mstr", "tail_no:text mdl_cd:text rgst_typ:text"),
                "tail_no",
                mdl_cd=models,
                rgst_typ=("1", "7"),
            ),
            _known(make_table(2, "mdl_ref", "code:text maker:text mdl:text"), "code"),
            _known(make_table(3, "lk_rgst_typ", "cd:text dscr:text"), "cd"),
            _known(make_table(4, "lk_eng_typ", "cd:text dscr:text"), "cd"),
        )
    )


HELD = {
    ("mdl_ref", "code"): ("2072704", "7102802", "1151016", "3930312"),
    ("lk_rgst_typ", "cd"): ("1", "2", "7"),
    ("lk_eng_typ", "cd"): ("1", "7"),
}


async def test_what_values_and_names_tell_is_a_reference(planes):
    found = await _looked_up(Rows(HELD), planes)
    assert set(found.references) == {
        Reference(1, "mdl_cd", 2, "code"),
        Reference(1, "rgst_typ", 3, "cd"),
    }


async def test_a_value_that_is_not_there_refers_to_nothing(planes):
    held = HELD | {("mdl_ref", "code"): ("2072704", "7102802")}
    found = await _looked_up(Rows(held), planes)
    assert [r.column for r in found.references] == ["rgst_typ"]


async def test_small_numbers_stand_in_every_table_of_codes(planes):
    numbered = replace(
        planes.relations[0],
        columns=tuple(
            replace(c, name="bed_cnt") if c.name == "rgst_typ" else c for c in planes.relations[0].columns
        ),
    )
    found = await _looked_up(Rows(HELD), replace(planes, relations=(numbered, *planes.relations[1:])))
    assert [r.column for r in found.references] == ["mdl_cd"]


async def test_where_keys_are_declared_nothing_is_looked_for(shop):
    rows = Rows({})
    assert await _looked_up(rows, shop) == NOTHING
    assert rows.reads == 0


async def test_rows_that_must_not_be_remembered_are_not_read(planes):
    hidden = tuple(replace(r, row_security=True) for r in planes.relations)
    rows = Rows(HELD)
    assert await _looked_up(rows, replace(planes, relations=hidden)) == NOTHING
    assert rows.reads == 0


async def test_a_reference_is_a_join(planes):
    found = await _looked_up(Rows(HELD), planes)
    index = build(planes)
    bare, graph = JoinGraph(index), JoinGraph(index, (), found.references)
    assert bare.tree([0, 1]) is None
    tree = graph.tree([0, 1])
    assert tree is not None
    names = [tuple(index.columns[c].column.name for c in pair) for e in tree.edges for pair in e.on]
    assert names == [("mdl_cd", "code")]


async def test_one_table_explains_the_codes_of_many_columns(make_table):
    items = _known(
        make_table(1, "items", "item_no:text mat_typ:text ord_stat:text"), "item_no", mat_typ=("RAW", "FIN")
    )
    texts = _known(
        make_table(2, "cf_code", "dom:text cd:text txt:text"), "", dom=("MAT_TYP", "ORD_STAT", "OTHER")
    )
    rows = [
        ("MAT_TYP", "RAW", "Raw material"),
        ("MAT_TYP", "FIN", "Finished product"),
        ("ORD_STAT", "W", "Awaiting release"),
        ("OTHER", "A", "Something"),
    ]
    catalog = Catalog((items, texts))
    found = await _looked_up(Rows({}, rows), catalog)
    meant = (("RAW", "raw material"), ("FIN", "finished product"))
    assert found.codes == {(1, "mat_typ"): CodeList(2, "dom", "MAT_TYP", "cd", "txt", meant, keyed=False)}
    index = build(catalog, lookups=found)
    assert [c.codes[0] for c in index.columns if c.codes] == [("RAW", "raw material")]
    assert {index.columns[c].column.name for c in index.explaining} == {"txt"}


async def test_a_name_joins_nothing_whose_values_are_others(make_table):
    orders = _known(
        make_table(1, "orders", "order_no:text stat_cd:text"), "order_no", stat_cd=("DONE", "OPEN")
    )
    meters = _known(make_table(2, "meters", "mtr_no:text stat_cd:text"), "mtr_no", stat_cd=("A", "X"))
    states = _known(make_table(3, "stat", "stat_cd:text dsc:text", rows=3), "stat_cd")
    kinds = _known(make_table(4, "kind", "kind_cd:text dsc:text", rows=3), "kind_cd")
    catalog = Catalog((orders, meters, states, kinds))
    found = await _looked_up(Rows({("stat", "stat_cd"): ("A", "X", "S")}), catalog)
    graph = JoinGraph(build(catalog), (), found.references, found.keys)
    assert graph.tree([1, 2]) is not None
    assert graph.tree([0, 2]) is None


def test_what_is_called_by_two_tables_joins_them(make_table):
    joined = (
        replace(make_table(1, "Coach", "id:id fullName:text")),
        replace(make_table(2, "Skill", "id:id label:text")),
        replace(make_table(3, "_CoachToSkill", "A:int B:int"), primary_key=()),
    )
    index = build(Catalog(joined))
    tree = JoinGraph(index).tree([0, 1])
    assert tree is not None
    names = [tuple(index.columns[c].column.name for c in pair) for e in tree.edges for pair in e.on]
    assert names == [("A", "id"), ("B", "id")]


@pytest.mark.parametrize(
    ("column", "values", "found"),
    [
        ("advisor", ("2192", "1121"), {Reference(1, "advisor", 2, "id")}),
        ("advisor", ("2192", "9999"), set()),
        ("advisor", ("1", "2"), set()),
        ("age", ("2192", "1121"), set()),
    ],
)
async def test_who_somebody_is_told_by_is_one_of_the_people(make_table, column, values, found):
    declared = make_table(3, "visits", "id:id student_id:id", keys={"student_id": 1})
    students = replace(_known(make_table(1, "student", f"id:id {column}:int"), "id", **{column: values}))
    faculty = replace(_known(make_table(2, "faculty", "id:id lname:text"), "id"), primary_key=("id",))
    held = {("faculty", "id"): ("1", "2", "1121", "2192", "7723")}
    catalog = Catalog((students, faculty, declared))
    looked_up = await _looked_up(Rows(held), catalog)
    assert set(looked_up.references) == found
    roles = [t.words for t in build(catalog, lookups=looked_up).tables if t.role is not None]
    assert roles == ([("advisor",)] if found else [])
