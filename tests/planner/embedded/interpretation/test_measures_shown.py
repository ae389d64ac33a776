"""A list of the first few by a measure shows it; a doer behind 'by' is no measure."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize("question", ["top 5 products by price", "top 5 products ranked by price"])
async def test_what_a_list_is_ranked_by_is_shown(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert best.startswith("SELECT name, price FROM products ORDER BY price")


@pytest.mark.parametrize(
    "question",
    [
        "names of the customers served by the 3 best paid employees",
        "cities of customers visited by the 3 employees with the highest salary",
    ],
)
async def test_who_did_it_is_not_what_rows_are_ranked_by(question, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0].sql
    assert " LIMIT 3" in best
    shown = best.partition(" FROM ")[0]
    assert "salary" not in shown
    assert "price" not in shown


@pytest.mark.parametrize(
    "question",
    [
        "number of invoices and their total amount",
        "How many invoices are there and what is their total amount?",
    ],
)
async def test_a_column_called_a_total_is_added_up_beside_a_count(question, plan, make_table):
    catalog = Catalog((make_table(1, "invoices", "id:id issued_on:date total_amount:money status:text"),))
    best = (await EmbeddedEngine().propose(plan(question, catalog)))[0].sql
    assert "count(*)" in best
    assert "sum(total_amount)" in best
    assert "GROUP BY" not in best
