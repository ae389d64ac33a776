"""Which figure is meant: rows or a number of each, a unit's, of one year, of two things side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog

YEAR = ("2013-01-01", "2013-12-31")


def _told(relation, **facts):
    """A relation with what statistics tell of its columns."""
    columns = (replace(c, **facts.get(c.name, {})) for c in relation.columns)
    return replace(relation, columns=tuple(columns))


@pytest.fixture
def airfield(make_table):
    airlines = make_table(1, "airlines", "id:id name:text", rows=16)
    flights = make_table(
        2,
        "flights",
        "id:id airline_id:id flight:int arr_delay:int tail_id:id? left_at:time",
        keys={"airline_id": 1},
        rows=3000,
    )
    told = _told(
        flights,
        arr_delay={"extent": (-86.0, 1272.0)},
        left_at={"period": YEAR},
        tail_id={"distinct": 300.0},
    )
    planes = make_table(3, "tails", "tail_id:id model:text", rows=300)
    keyed = _told(planes, tail_id={"distinct": -1.0})
    weather = make_table(4, "weather", "id:id year:int month:int day:int hour:time temp:int", rows=900)
    return Catalog((airlines, told, replace(keyed, primary_key=("tail_id",)), weather))


AIRLINES = {("airlines", "name"): ("JetBlue Airways", "Delta Air Lines", "United")}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("flights per airline", "count(*) AS number_of_flights FROM airlines"),
        ("airlines with fewer than 1000 flights", "HAVING count(*) < 1000"),
        ("share of flights by airline", "100.0 * count(*)"),
        ("number of flights with arrival delay over 2 hours", "WHERE arr_delay > 120"),
        ("how many flights on july 4", "left_at >= '2013-07-04' AND left_at < '2013-07-05'"),
        ("how many flights in the first quarter", "left_at >= '2013-01-01' AND left_at < '2013-04-01'"),
        ("average temp on july 4", "WHERE month = 7 AND day = 4"),
        ("average temp in december 2013", "WHERE year = 2013 AND month = 12"),
        ("compare number of flights of United and Delta Air Lines", "GROUP BY a.name"),
    ],
)
async def test_rows_units_and_days_are_those_of_the_data(question, sql, plan, airfield):
    found = (await EmbeddedEngine().propose(plan(question, airfield, AIRLINES)))[0]
    assert sql in found.sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [("flights delayed over 2 hours", "arr_delay > 120"), ("flights after hour 20", "hour > 20")],
)
async def test_no_duration_is_compared_with_the_hour_of_a_clock(question, sql, plan, make_table):
    """Flights of hours after 2 were those that were late by 2 hours."""
    flights = make_table(1, "flights", "id:id flight:int arr_delay:int hour:int")
    told = _told(flights, arr_delay={"extent": (-86.0, 1272.0)}, hour={"extent": (1.0, 23.0)})
    found = (await EmbeddedEngine().propose(plan(question, Catalog((told,)))))[0]
    assert sql in found.sql


async def test_a_month_of_several_years_before_is_of_none(plan, airfield):
    """'flights in july' of 2012 to 2014 are not those of the one year that the clock has."""
    years = [
        _told(r, left_at={"period": ("2012-01-01", "2014-12-31")}) for r in airfield if r.name != "weather"
    ]
    catalog = Catalog(tuple(years))
    found = await EmbeddedEngine().propose(plan("flights between june and july 2013", catalog))
    assert "left_at >= '2013-06-01' AND left_at < '2013-08-01'" in found[0].sql
    with pytest.raises(BeyondEngine) as error:
        await EmbeddedEngine().propose(plan("how many flights in july", catalog))
    assert error.value.hint == 'Say the year of "july" too.'


async def test_another_time_of_the_same_or_other_rows_lends_no_year(plan, make_table):
    """'orders on July 4' were no orders shipped in the only year of shipments, or of a closed dock."""
    orders = make_table(1, "orders", "id:id dock_id:id ordered_on:date shipped_on:date", keys={"dock_id": 2})
    orders = _told(orders, ordered_on={"period": ("2019-01-01", "2022-12-31")}, shipped_on={"period": YEAR})
    docks = _told(make_table(2, "docks", "id:id name:text closed_on:date"), closed_on={"period": YEAR})
    for relations in (orders, docks), (_told(orders, shipped_on={"period": None}), docks):
        with pytest.raises(BeyondEngine):
            await EmbeddedEngine().propose(plan("how many orders on july 4", Catalog(relations)))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "how many flights in march 2013 and june 2013",
            "WHERE (left_at >= '2013-03-01' AND left_at < '2013-04-01'"
            " OR left_at >= '2013-06-01' AND left_at < '2013-07-01')",
        ),
    ],
)
async def test_rows_of_two_times_are_of_either(question, sql, plan, airfield):
    found = (await EmbeddedEngine().propose(plan(question, airfield, AIRLINES)))[0]
    assert sql in found.sql


async def test_a_key_of_no_row_keeps_what_refers_by_it(plan, airfield):
    """A plane that is missing in the table of planes flew nevertheless."""
    found = (await EmbeddedEngine().propose(plan("which tail has the most flights", airfield)))[0]
    flown = "SELECT tail_id FROM flights WHERE tail_id IS NOT NULL GROUP BY tail_id"
    assert found.sql == f"{flown} ORDER BY count(*) DESC LIMIT 1"


@pytest.fixture
def store(make_table):
    lines = make_table(1, "lines", "id:id name:text", rows=7)
    products = make_table(
        2, "products", "id:id line_id:id name:text quantity_in_stock:int", keys={"line_id": 1}, rows=110
    )
    sold = make_table(
        3, "order_details", "id:id product_id:id quantity_ordered:int", keys={"product_id": 2}, rows=3000
    )
    offers = make_table(4, "offers", "id:id description:text discountpct:money", rows=16)
    sellers = make_table(5, "sellers", "id:id name:text sales_quota:money? sales:money", rows=17)
    return Catalog((lines, products, sold, _told(offers, discountpct={"extent": (0.0, 0.5)}), sellers))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many motorcycles do we have in stock", "SELECT sum(p.quantity_in_stock)"),
        ("how many products are in stock", "SELECT count(*) FROM products"),
        ("which line has the lowest stock", "ORDER BY sum(p.quantity_in_stock) LIMIT 1"),
        ("which product has the lowest stock", "FROM products ORDER BY quantity_in_stock LIMIT 1"),
        ("best selling product by quantity", "ORDER BY sum(od.quantity_ordered) DESC LIMIT 1"),
        ("offers with a discount of 30% or more", "WHERE discountpct >= 0.3"),
        ("sellers whose sales beat their quota", "WHERE sales > sales_quota"),
    ],
)
async def test_stock_quantities_and_parts_are_as_they_are_kept(question, sql, plan, store):
    values = {("lines", "name"): ("Motorcycles", "Ships")}
    found = (await EmbeddedEngine().propose(plan(question, store, values)))[0]
    assert sql in found.sql


@pytest.mark.parametrize("question", ["sellers who beat their quota", "sellers who met their quota"])
async def test_who_beats_an_aim_is_not_all_who_have_one(question, plan, store):
    found = (await EmbeddedEngine().propose(plan(question, store)))[0]
    assert found.confidence is not None
    assert found.confidence <= MAX_PARTIAL_CONFIDENCE


def test_names_in_one_word_are_read_as_several(make_table):
    pay = make_table(1, "employeepayhistory", "id:id rate:money payfrequency:int")
    index = build(Catalog((make_table(2, "employee", "id:id loginid:text node:text"), pay)))
    assert [t.words for t in index.tables] == [("employee",), ("employee", "pay", "history")]
    assert index.labels[0] == (index.tables[0].columns[1],)
    spaces = build(Catalog((make_table(1, "workspaces", "id:id signed_up_on:date"),)))
    assert spaces.tables[0].words == ("workspace",)
    numbered = build(Catalog((make_table(1, "salaries", "id:id salary:int"),)))
    assert not numbered.columns[1].key


async def test_the_category_is_none_of_its_subcategories(plan, make_table):
    columns = "id:id name:text"
    parts = make_table(
        2, "productsubcategory", f"{columns} productcategoryid:id", keys={"productcategory_id": 1}
    )
    catalog = Catalog((make_table(1, "productcategory", columns), parts))
    found = (await EmbeddedEngine().propose(plan("list product categories", catalog)))[0]
    assert found.sql == "SELECT name FROM productcategory"


async def test_where_something_goes_is_not_told_by_where_it_comes_from(plan, make_table):
    airports = make_table(1, "airports", "id:id name:text city:text")
    flights = make_table(2, "flights", "id:id origin:id dest:text left_at:time", keys={"origin": 1})
    values = {("airports", "city"): ("Boston", "Denver")}
    asked = plan("how many flights from Boston", Catalog((airports, flights)), values)
    assert "WHERE a.city = 'Boston'" in (await EmbeddedEngine().propose(asked))[0].sql
    away = plan("how many flights to Boston", Catalog((airports, flights)), values)
    with pytest.raises(BeyondEngine):
        await EmbeddedEngine().propose(away)
