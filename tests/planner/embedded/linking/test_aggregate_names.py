"""Columns that are called by the word of an aggregate."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def shop(make_table):
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text country:text", rows=50),
            make_table(
                2, "invoices", "id:id customer_id:id city:text total:money", keys={"customer_id": 1}, rows=400
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("average total per city", "avg(total)"),
        ("the total per city", "sum(total)"),
        ("What is the total for each city?", "sum(total)"),
        ("invoices ordered by total", "ORDER BY total"),
        ("invoice with the largest total", "ORDER BY total DESC LIMIT 1"),
        ("invoices with a total above 100", "total > 100"),
        ("total number of invoices", "count(*)"),
        ("How many invoices are there in total?", "count(*)"),
    ],
)
async def test_the_word_is_the_column_where_a_measure_is_wanted(question, sql, shop, plan):
    found = await EmbeddedEngine().propose(plan(question, shop, {}))
    assert sql in found[0].sql
    assert found[0].uncovered == ()


async def test_without_such_a_column_the_word_stays_an_aggregate(make_table, plan):
    catalog = Catalog((make_table(1, "invoices", "id:id city:text amount:money"),))
    found = await EmbeddedEngine().propose(plan("total amount per city", catalog, {}))
    assert "sum(amount)" in found[0].sql


@pytest.mark.parametrize(
    "question", ["top 3 customers by total", "which 3 customers have the highest total?"]
)
async def test_the_best_of_what_has_several_rows_are_told_by_their_sum(question, shop, plan):
    found = await EmbeddedEngine().propose(plan(question, shop, {}))
    assert "sum(i.total)" in found[0].sql
    assert "GROUP BY c.id, c.name" in found[0].sql


async def test_the_best_of_what_has_one_row_each_are_told_by_that(make_table, plan):
    catalog = Catalog((make_table(1, "tracks", "id:id name:text length:int"),))
    found = await EmbeddedEngine().propose(plan("top 3 tracks by length", catalog, {}))
    assert "sum(" not in found[0].sql
