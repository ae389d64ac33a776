"""A table's children and the views of it are no rivals of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.rivals import base_relations, names_view
from askwire.sql.catalog import Catalog


@pytest.fixture
def payments(make_table):
    """Payments with a child by year, customers, and a view of sales."""
    parent = replace(
        make_table(1, "payments", "id:id customer_id:id amount:money paid_on:date"), children=(2,)
    )
    child = make_table(2, "payments_2024", "id:id customer_id:id amount:money paid_on:date")
    customers = make_table(3, "customers", "id:id name:text city:text")
    view = replace(make_table(4, "sales_by_city", "city:text total_sales:money"), kind="v", primary_key=())
    return Catalog((parent, child, customers, view))


def test_children_and_views_stand_back(payments):
    assert [r.name for r in base_relations(payments, views=False)] == ["payments", "customers"]
    assert [r.name for r in base_relations(payments, views=True)][-1] == "sales_by_city"


def test_a_child_with_a_column_of_its_own_stays(payments, make_table):
    capital = make_table(2, "payments_2024", "id:id customer_id:id amount:money paid_on:date fee:money")
    relations = [r if r.oid != capital.oid else capital for r in payments]
    assert "payments_2024" in [r.name for r in base_relations(relations, views=False)]


def test_views_stay_where_there_is_no_table(payments):
    views = [r for r in payments if r.kind == "v"]
    assert base_relations(views, views=False) == tuple(views)


@pytest.mark.parametrize(
    ("words", "named"), [("sale by city last year", True), ("sale by customer", False), ("city", False)]
)
def test_a_view_is_named_by_all_its_words(payments, words, named):
    assert names_view(frozenset(words.split()), payments) is named


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("total amount of payments in 2024", "FROM payments "),
        ("how many customers are there per city?", "FROM customers "),
        ("sales by city", "FROM sales_by_city"),
    ],
)
async def test_the_base_is_read_unless_a_view_is_named(payments, plan, question, read):
    first, *_ = await EmbeddedEngine().propose(plan(question, payments, values={}))
    assert read in f"{first.sql} "
