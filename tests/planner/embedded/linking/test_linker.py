"""Words of a question → tables and columns."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


def _named(index, option):
    if option.table:
        return index.tables[option.index].relation.name
    column = index.columns[option.index]
    return f"{index.tables[column.table].relation.name}.{column.column.name}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("customer",), "customers"),
        (("customer", "name"), "customers.name"),
        (("unit", "price"), "order_lines.unit_price"),
        (("client",), "customers"),
        (("custommer",), "customers"),
        (("revenue",), "order_lines.amount"),
    ],
)
def test_links(index, words, expected):
    assert _named(index, Linker(index).options(words)[0]) == expected


def _of_many(make_table, count=14):
    """A catalog with more tables than a word may name columns, each with an id and a name."""
    kinds = [f"kind{chr(ord('a') + number)}" for number in range(count)]
    return Catalog(tuple(make_table(n, kind, "id:id name:text") for n, kind in enumerate(kinds, 1)))


@pytest.mark.parametrize("named", ["kinda", "kindh", "kindn"])
@pytest.mark.parametrize("question", ["ids of {}", "Show the names and ids of {}", "name of each {}"])
async def test_of_many_columns_called_alike_those_of_the_table_named_are_kept(
    named, question, make_table, plan
):
    found = await EmbeddedEngine().propose(plan(question.format(named), _of_many(make_table), {}))
    assert found[0].sql.endswith(f" FROM {named}")


def test_linking_among_four_times_as_many_tables_costs_four_times_as_much(make_table):
    """All of them have the words: each option is looked at as often as with fewer."""
    counts = []
    for tables in (50, 200):
        made = [make_table(n, f"orders_{n}", "id:id quantity:int price:money") for n in range(tables)]
        linker = Linker(schema_index.build(Catalog(tuple(made))))
        words = tokenize("orders by price with a quantity above 3")
        counts.append(_lines(lambda linker=linker, words=words: linker.spans(words, ())))
    assert counts[1] < 5 * counts[0]


def _lines(work):
    """How many lines of Python run."""
    count = 0

    def step(*_):
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_no_more_are_kept_for_a_table_that_is_named(make_table):
    linker = Linker(schema_index.build(_of_many(make_table)), most=3)
    mentions = linker.spans(tokenize("ids of kindn"), ())
    (ids,) = [m for m in mentions if m.words == ("id",)]
    assert len(ids.options) == 3
    assert _named(linker.index, ids.options[0]) == "kindn.id"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many oil and gas are there?", "SELECT count(*) FROM oil_and_gas"),
        ("How many oil & gas are there per well type?", "FROM oil_and_gas GROUP BY well_type"),
        ("list the terms and conditions of each policy", "SELECT terms_and_conditions FROM policies"),
        ("the number of policies", "SELECT count(*) FROM policies"),
    ],
)
async def test_a_name_with_a_conjunction_is_one_name(question, sql, make_table, plan):
    catalog = Catalog(
        (
            make_table(1, "oil_and_gas", "well_type:text reporting_year:int output:money"),
            make_table(2, "policies", "id:id terms_and_conditions:text"),
        )
    )
    found = await EmbeddedEngine().propose(
        plan(question, catalog, {("oil_and_gas", "well_type"): ["oil", "gas"]})
    )
    assert sql in found[0].sql


async def test_a_verb_may_end_the_name_of_a_column(make_table, plan):
    """'customers affected' is what outages have, and no customers."""
    catalog = Catalog(
        (
            make_table(1, "cust", "id:id name:text zone_id:id", keys={"zone_id": 3}),
            make_table(2, "outage", "id:id cust_aff:int zone_id:id", keys={"zone_id": 3}),
            make_table(3, "zone", "id:id name:text"),
        )
    )
    question = "highest number of customers affected of outages per zone"
    found = await EmbeddedEngine().propose(plan(question, catalog, {}))
    assert "max(o.cust_aff)" in found[0].sql


async def test_a_number_that_is_mostly_different_says_neither_yes_nor_no(make_table, plan):
    beers = make_table(1, "beers", "id:id name:text kegs_in_stock:int")
    kegs = replace(beers.columns[2], common_values=("0", "1"), distinct=-0.9)
    beers = replace(beers, columns=(*beers.columns[:2], kegs))
    found = await EmbeddedEngine().propose(plan("total kegs in stock of beers", Catalog((beers,)), {}))
    assert found[0].sql == "SELECT sum(kegs_in_stock) FROM beers"


async def test_a_flag_said_of_the_rows_of_a_table_of_heads_is_no_name_for_them(make_table, plan):
    """'online sales orders' are some of the sales orders, whose flag is called so."""
    orders = make_table(
        1, "sales_order_header", "id:id online_order_flag:bool placed_on:date area_id:id", keys={"area_id": 2}
    )
    catalog = Catalog((orders, make_table(2, "area", "id:id name:text")))
    question = "number of online sales orders from the area Peru by quarter"
    found = await EmbeddedEngine().propose(plan(question, catalog, {("area", "name"): ("Peru",)}))
    assert "count(*)" in found[0].sql
    assert "online_order_flag = true" in found[0].sql
