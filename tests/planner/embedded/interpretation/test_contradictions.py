"""Conditions against one another, and against what a query reads."""

from __future__ import annotations

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.interpretation.contradictions import contradiction, shut_out
from askwire.planner.embedded.logical_form.ir import Compare, Literal, Member, Query, Term
from askwire.planner.embedded.schema.joins import JoinGraph


@pytest.fixture
def numbered(index):
    columns = {f"{index.tables[c.table].relation.name}.{c.column.name}": c.index for c in index.columns}
    tables = {t.relation.name: t.index for t in index.tables}
    return index, JoinGraph(index), columns, tables


def _without_orders(columns, tables, *, restricted):
    where = (Compare(Term(columns["orders.id"]), ">", Literal("3", "number")),) if restricted else ()
    orders = Query(select=(Term(columns["orders.customer_id"]),), where=where)
    return Query(
        select=(Term(columns["customers.name"]),),
        where=(Member(columns["customers.id"], orders, True),),
        tables=frozenset({tables["orders"]}),
    )


def test_no_row_of_a_table_is_read_beside_none(numbered):
    index, graph, columns, tables = numbered
    query = _without_orders(columns, tables, restricted=False)
    assert shut_out(index, graph, query)
    assert not shut_out(index, graph, query.with_(tables=frozenset()))
    assert not shut_out(index, graph, _without_orders(columns, tables, restricted=True))


def test_no_row_is_read_on_the_way_to_others_beside_none(numbered):
    index, graph, columns, tables = numbered
    query = _without_orders(columns, tables, restricted=False)
    assert shut_out(index, graph, query.with_(tables=frozenset({tables["order_lines"]})))


def test_of_rows_none_is_left_without_all_of_them(numbered):
    index, graph, columns, tables = numbered
    name = (Term(columns["customers.name"]),)
    ordered = Query(select=name, tables=frozenset({tables["orders"]}))
    large = ordered.with_(where=(Compare(Term(columns["orders.id"]), ">", Literal("3", "number")),))
    assert shut_out(index, graph, large.with_(combine=("EXCEPT", ordered)))
    assert not shut_out(index, graph, ordered.with_(combine=("EXCEPT", large)))
    assert not shut_out(index, graph, Query(select=name, combine=("EXCEPT", ordered)))


@pytest.mark.parametrize(
    "question",
    [
        "customers from Paris to Oakland",  # a customer has one city
        "customers in Paris or without orders",
        "customers without orders or in Paris",
    ],
)
async def test_conditions_are_not_put_together_that_exclude_each_other(question, plan):
    try:
        found = await EmbeddedEngine().propose(plan(question))
    except BeyondEngine:
        found = []
    assert not any("'Paris'" in one.sql and (" IN " in one.sql or "INTERSECT" in one.sql) for one in found)


async def test_rows_of_either_kind_of_one_noun_are_asked_for(plan):
    found = await EmbeddedEngine().propose(plan("customers in Paris and customers in Oakland"))
    assert found[0].sql == "SELECT name FROM customers WHERE (city = 'Paris' OR city = 'Oakland')"


async def test_values_of_what_a_condition_holds_to_one_are_not_counted(plan):
    found = await EmbeddedEngine().propose(plan("how many customers have the Paris city?"))
    assert found
    assert not any("count(DISTINCT city)" in one.sql for one in found)


def _is(column: int, operator: str, value: str) -> Compare:
    return Compare(Term(column), operator, Literal(value, "number"))


@pytest.mark.parametrize(
    ("conditions", "is_none"),
    [
        ((_is(1, ">", "5"), _is(1, "<=", "5")), True),
        ((_is(1, "<", "5"), _is(1, ">=", "7")), True),
        ((_is(1, ">=", "5"), _is(1, "<=", "7")), False),
        ((_is(1, ">=", "5"), _is(1, "<=", "5")), False),
        ((_is(1, "<>", "7"), _is(1, ">", "5")), False),
        ((_is(1, "=", "true"), _is(1, "IS NOT", "true")), False),
    ],
)
def test_bounds_that_leave_no_number_are_told(conditions, is_none):
    """A yes or no has no bounds: comparing it as a number was an internal error."""
    assert (contradiction(conditions) is not None) == is_none
