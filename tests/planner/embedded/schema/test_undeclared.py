"""Keys that nothing declares."""

from __future__ import annotations

from dataclasses import replace

from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


def _bare(relation, **distinct):
    columns = tuple(replace(c, distinct=distinct.get(c.name, 0.1)) for c in relation.columns)
    return replace(relation, columns=columns, primary_key=())


def _keys(catalog):
    index = build(catalog)
    return {
        f"{index.tables[c.table].relation.name}.{c.column.name}": (c.primary, c.foreign)
        for c in index.columns
        if c.key
    }


def test_a_code_that_others_have_is_the_key_of_the_table_that_explains_it(make_table):
    cars = _bare(make_table(1, "cars", "plate:text body:text fine:money"), plate=-1.0)
    bodies = _bare(make_table(2, "bodies", "body:text descr:text"), body=-1.0)
    assert _keys(Catalog((cars, bodies))) == {"cars.body": (False, True), "bodies.body": (True, False)}


def test_a_name_that_no_table_repeats_is_no_key(make_table):
    journals = _bare(make_table(1, "journals", "homepage:text title:text"), homepage=-1.0)
    venues = _bare(make_table(2, "venues", "homepage:text title:text"), homepage=-1.0)
    assert _keys(Catalog((journals, venues))) == {}


def test_texts_that_are_numbers_are_amounts_by_their_names(make_table):
    parts = make_table(1, "parts", "bin:text qty:text num_of_parts:text part_number:text")
    columns = tuple(replace(c, numeric=c.name != "bin") for c in parts.columns)
    index = build(Catalog((replace(parts, columns=columns),)))
    assert [c.kind for c in index.columns] == ["text", "number", "number", "text"]


def test_rows_are_named_by_the_first_of_several_names(make_table):
    vendors = make_table(1, "vend", "vend_no:text vend_nm1:text vend_nm2:text", rows=50)
    index = build(Catalog((vendors,)))
    assert [index.columns[c].column.name for c in index.labels[0]] == ["vend_nm1"]
