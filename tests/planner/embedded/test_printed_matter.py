"""Shops, orders and editions under short names: copies, initials, states of two words, the best of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
VALUES = {
    ("bkshop", "region"): ("North", "South"),
    ("edn", "edn_stat"): ("OUT OF PRINT", "IN PRINT", "LAID_UP", "SOLD"),
    ("ordr", "ord_stat"): ("CANCELLED", "SHIPPED"),
}


@pytest.fixture
def books(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "bkshop", "shop_id:id shop_nm:text city:text region:text"),
            make_table(
                2,
                "ordr",
                "ord_id:id shop_id:id ord_dt:date ord_stat:text prom_dt:date ship_dt:date?",
                keys={"shop_id": 1},
            ),
            make_table(3, "ttl", "ttl_id:id ttl_nm:text genre:text prize:text?"),
            make_table(4, "edn", "edn_id:id ttl_id:id edn_stat:text rrp:money", keys={"ttl_id": 3}),
            make_table(
                5,
                "ord_ln",
                "ln_id:id ord_id:id edn_id:id qty:int net_prc:money",
                keys={"ord_id": 2, "edn_id": 4},
            ),
            make_table(6, "rtn", "rtn_id:id ln_id:id rtn_dt:date qty:int", keys={"ln_id": 5}),
        )
    )


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("bookshops in the region North", "SELECT shop_nm FROM bkshop WHERE region = 'North'"),
        ("How many bookshop orders were cancelled?", "FROM ordr WHERE ord_stat = 'CANCELLED'"),
        ("average recommended retail price per genre", "avg(e.rrp)"),
        ("How many copies were ordered in 2024?", "sum(ol.qty)"),
        ("How many editions are out of print?", "WHERE edn_stat = 'OUT OF PRINT'"),
        (
            "Which editions are laid up or have been sold?",
            "WHERE (edn_stat = 'LAID_UP' OR edn_stat = 'SOLD')",
        ),
        ("Which titles have won a prize, and which prize was it?", "SELECT ttl_nm, prize FROM ttl WHERE"),
        ("What is the highest rrp, and for which edition?", "SELECT rrp, edn_id FROM edn"),
        ("Orders shipped later than promised: how many per order year?", "WHERE ship_dt > prom_dt"),
        ("number of orders per order year", "GROUP BY extract(year FROM ord_dt)::int"),
        ("number of orders per month number", "GROUP BY extract(month FROM ord_dt)::int"),
        ("orders per month, newest first", "ORDER BY date_trunc('month', ord_dt)::date DESC"),
        ("orders per month, ordered by month", "ORDER BY date_trunc('month', ord_dt)::date"),
        (
            "for each city, which shop placed the most orders, and how many?",
            "count(*) AS count, rank() OVER (PARTITION BY b.city ORDER BY count(*) DESC)",
        ),
        ("Who placed the order that was never shipped?", "ship_dt IS NULL"),
    ],
)
async def test_nothing_is_left_out(question: str, part: str, books: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, books, VALUES)))[0]
    assert part in first.sql


async def test_no_figure_is_sorted_by_what_is_cheap(books: Catalog, plan: Plans) -> None:
    asked = "number of orders per edition, cheapest edition first"
    first = (await EmbeddedEngine().propose(plan(asked, books, VALUES)))[0]
    assert "ORDER BY count(" not in first.sql
