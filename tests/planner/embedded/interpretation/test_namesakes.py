"""Who did one thing and who did another: namesakes are not taken for one, values of a group are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

BOUGHT = {("products", "name"): ("Kettle", "Lamp"), ("customers", "skills"): ("welding", "driving")}
_BUYERS = (
    "SELECT c.id FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
    "JOIN order_lines AS ol ON ol.order_id = o.id JOIN products AS p ON ol.product_id = p.id "
    "WHERE p.name = "
)
THROUGH_BOTH = f"SELECT name FROM customers WHERE id IN ({_BUYERS}'Kettle') AND id IN ({_BUYERS}'Lamp')"


def _with(catalog, table, **changed):
    relations = tuple(
        replace(r, columns=tuple(replace(c, **changed) if c.name == "name" else c for c in r.columns))
        if r.name == table
        else r
        for r in catalog
    )
    return replace(catalog, relations=relations)


@pytest.mark.parametrize(
    "question",
    ["customers who bought both the Kettle and the Lamp", "which customers bought both a Kettle and a Lamp?"],
)
async def test_namesakes_are_told_apart_by_their_keys(question, plan, shop):
    several = _with(shop, "customers", distinct=-0.8)
    assert (await EmbeddedEngine().propose(plan(question, several, BOUGHT)))[0].sql == THROUGH_BOTH


async def test_names_that_nobody_shares_need_no_keys(plan, shop):
    unique = _with(shop, "customers", distinct=-1.0)
    question = "customers who bought both the Kettle and the Lamp"
    found = await EmbeddedEngine().propose(plan(question, unique, BOUGHT))
    sides = [c.sql for c in found[:3] if " INTERSECT " in c.sql or c.sql == THROUGH_BOTH]
    assert sides


async def test_a_value_that_several_share_is_theirs_together(plan, make_table):
    singers = make_table(1, "singers", "id:id name:text citizenship:text birth_year:int")
    question = "Show the citizenship shared by singers with birth year before 1945 and after 1955."
    best = (await EmbeddedEngine().propose(plan(question, Catalog((singers,)), {})))[0].sql
    assert best == (
        "SELECT citizenship FROM singers WHERE birth_year < 1945 "
        "INTERSECT SELECT citizenship FROM singers WHERE birth_year > 1955"
    )


async def test_one_array_holds_both(plan, make_table):
    people = make_table(1, "customers", "id:id name:text skills:text")
    arrays = tuple(
        replace(c, type_name="text[]", category="A") if c.name == "skills" else c for c in people.columns
    )
    catalog = Catalog((replace(people, columns=arrays),))
    question = "customers with both welding and driving"
    best = (await EmbeddedEngine().propose(plan(question, catalog, BOUGHT)))[0].sql
    assert best == "SELECT name FROM customers WHERE 'welding' = ANY (skills) AND 'driving' = ANY (skills)"
