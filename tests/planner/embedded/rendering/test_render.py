"""Logical form → SQL."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.logical_form.ir import Compare, Literal, Member, Query, Term
from askwire.planner.embedded.rendering import render
from askwire.planner.embedded.rendering.render import HASHED_ROWS, CannotJoin, Renderer
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


def test_rendering_quotes_and_refuses_what_cannot_join(index, make_table):
    apart = build(Catalog((make_table(1, "order", "id:id"), make_table(2, "Tag", "Label:text"))))
    label = next(c.index for c in apart.columns if c.column.name == "Label")
    renderer = Renderer(apart, JoinGraph(apart))
    query = Query(select=(Term(label),), where=(Compare(Term(label), "=", Literal("it's", "text")),))
    assert renderer.sql(query) == """SELECT "Label" FROM "Tag" WHERE "Label" = 'it''s'"""
    with pytest.raises(CannotJoin):
        renderer.sql(query.with_(tables=frozenset({0})))


def test_a_query_that_is_never_set_right_is_given_up(index, monkeypatch):
    """It was mended until the stack was full."""

    def worse(_index, query, _tree):
        return query.with_(where=(*query.where, query.where[0]))

    monkeypatch.setattr(render, "once", worse)
    city = next(c.index for c in index.columns if c.column.name == "city")
    query = Query(select=(Term(city),), where=(Compare(Term(city), "=", Literal("Paris", "text")),))
    with pytest.raises(CannotJoin):
        Renderer(index, JoinGraph(index)).sql(query)


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (HASHED_ROWS, "id NOT IN (SELECT customer_id FROM orders)"),
        (1e6, "NOT EXISTS (SELECT 1 FROM (SELECT customer_id FROM orders) AS x(key) WHERE x.key = id)"),
    ],
)
def test_what_is_absent_from_a_large_table_is_not_looked_for_row_by_row(make_table, rows, wanted):
    """`NOT IN` of more than is hashed reads the inner query again for each row: it never ends."""
    customers = make_table(1, "customers", "id:id name:text")
    orders = make_table(2, "orders", "id:id customer_id:id?", keys={"customer_id": 1}, rows=rows)
    assert without(build(Catalog((customers, orders))), "id", "customer_id") == wanted


def test_rows_with_no_value_are_in_no_such_answer_either_way(make_table):
    customers = make_table(1, "customers", "id:id key:text?")
    orders = make_table(2, "orders", "id:id customer:text", rows=1e6)
    wanted = "EXISTS (SELECT 1 FROM (SELECT customer FROM orders) AS x(key_2) WHERE x.key_2 = key))"
    assert (
        without(build(Catalog((customers, orders))), "key", "customer")
        == f"(key IS NOT NULL AND NOT {wanted}"
    )


def without(index, left, right):
    """The condition that the first column has no value of the second."""
    one, other = (next(c.index for c in index.columns if c.column.name == name) for name in (left, right))
    query = Query(select=(Term(one),), where=(Member(one, Query(select=(Term(other),)), negated=True),))
    return Renderer(index, JoinGraph(index)).sql(query).partition(" WHERE ")[2]
