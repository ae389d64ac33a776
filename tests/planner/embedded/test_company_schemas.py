"""Schemas as companies have them: codes before every name, people apart from their parts, rows that were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog, ForeignKey

VALUES = {
    ("xbcustomer", "xbcuname"): ["Ada Stone", "Bo Ray"],
    ("xbcustomer", "xbcucountry"): ["Chad", "Mali"],
    ("xborder", "xbodtype"): ["buy", "sell"],
    ("territory", "name"): ["Chad", "Mali"],
    ("title", "title"): ["Engineer", "Clerk"],
    ("staff", "gender"): ["F", "M"],
    ("river", "river_name"): ["Nile", "Rhine"],
}


@pytest.fixture
def prefixed(make_table):
    """Names in one piece and in lower case, behind letters that say the system and the table."""
    customers = make_table(1, "xbcustomer", "xbcuid:int xbcuname:text xbcucountry:text xbcujoindate:date")
    orders = make_table(
        2, "xborder", "xbodid:int xbodcuid:int xbodtype:text xboddatetime:time xbodamount:money xbodtax:money"
    )
    makers = make_table(3, "xbmaker", "xbmkid:int xbmkname:text xbmkcity:text")
    keyed = [replace(t, primary_key=(t.columns[0].name,)) for t in (customers, orders, makers)]
    keyed[1] = replace(keyed[1], foreign_keys=(ForeignKey(("xbodcuid",), 1, ("xbcuid",)),))
    return Catalog(tuple(keyed))


@pytest.fixture
def parties(make_table):
    """Customers and sellers who are persons by a key."""
    return Catalog(
        (
            make_table(1, "person", "id:id first_name:text last_name:text"),
            make_table(2, "territory", "id:id name:text"),
            make_table(
                3,
                "customer",
                "id:id person_id:int territory_id:int",
                keys={"person_id": 1, "territory_id": 2},
            ),
            make_table(
                4,
                "sales_order",
                "id:id customer_id:int adviser_id:int order_date:date ship_date:date sub_total:money "
                "tax_amt:money total_due:money",
                keys={"customer_id": 3, "adviser_id": 1},
            ),
            make_table(5, "product", "id:id name:text"),
            make_table(
                6,
                "sales_order_line",
                "sales_order_id:int product_id:int order_qty:int unit_price:money unit_price_discount:money",
                keys={"sales_order_id": 4, "product_id": 5},
            ),
        )
    )


@pytest.fixture
def periods(make_table):
    """Staff with what they were called and paid, from when and until when."""
    return Catalog(
        (
            make_table(
                1, "staff", "id:id first_name:text last_name:text gender:text birth_date:date hire_date:date"
            ),
            make_table(
                2, "title", "staff_id:int title:text from_date:date to_date:date", keys={"staff_id": 1}
            ),
            make_table(
                3, "pay", "staff_id:int salary:money from_date:date to_date:date?", keys={"staff_id": 1}
            ),
            make_table(4, "team", "id:id name:text yearly_budget:money"),
        )
    )


@pytest.fixture
def world(make_table):
    """Rivers, with writers and books beside them."""
    return Catalog(
        (
            make_table(1, "river", "id:id river_name:text length:int area:int loser_rank:int"),
            make_table(2, "publisher", "id:id name:text country:text"),
            make_table(
                3, "writer", "id:id name:text publisher_id:int has_agent:bool", keys={"publisher_id": 2}
            ),
        )
    )


async def _first(question, plan, catalog):
    planning = plan(question, catalog=catalog, values=VALUES)
    return (await EmbeddedEngine().propose(planning))[0]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("customers from Chad", "SELECT xbcuname FROM xbcustomer WHERE xbcucountry = 'Chad'"),
        ("How many customers joined on or after March 3, 2023?", "WHERE xbcujoindate >= '2023-03-03'"),
        ("How many customers joined on or before March 3, 2023?", "WHERE xbcujoindate < '2023-03-04'"),
        ("How many orders were made by customers from Chad in 2023?", ".xboddatetime >= '2023-01-01'"),
        ("total order amount split by type", "SELECT xbodtype, sum(xbodamount)"),
        ("average order tax", "avg(xbodtax)"),
    ],
)
async def test_letters_before_all_names_say_nothing(question, sql, plan, prefixed):
    assert sql in (await _first(question, plan, prefixed)).sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("customers from Chad", "SELECT p.first_name, p.last_name FROM"),
        ("customers with more than 3 orders", "GROUP BY c.id, p.first_name, p.last_name HAVING count(*) > 3"),
        ("which customers have never placed an order", "c.id NOT IN (SELECT customer_id FROM sales_order)"),
        ("How many orders does each adviser have?", "so.adviser_id = adviser.id GROUP BY adviser.id"),
        ("top 5 products by revenue", "sol.order_qty * (1 - sol.unit_price_discount)) DESC"),
        ("units sold per product", "SELECT p.name, sum(sol.order_qty)"),
        ("total amount of orders in 2023", "SELECT sum(sub_total) FROM sales_order"),
        ("orders with more than 7 days between order date and ship date", "WHERE ship_date - order_date > 7"),
    ],
)
async def test_people_go_by_the_names_of_the_persons_they_are(question, sql, plan, parties):
    assert sql in (await _first(question, plan, parties)).sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "who currently holds the title Engineer",
            "t.title = 'Engineer' AND t.from_date <= current_date AND t.to_date >= current_date",
        ),
        (
            "average current salary",
            "WHERE from_date <= current_date AND (to_date IS NULL OR to_date >= current_date)",
        ),
        ("average salary", "SELECT avg(salary) FROM pay"),
        ("who was hired first", "SELECT first_name, last_name FROM staff ORDER BY hire_date LIMIT 1"),
        ("staff born before 1955", "WHERE birth_date < '1955-01-01'"),
        (
            "teams by budget, biggest first",
            "SELECT name, yearly_budget FROM team ORDER BY yearly_budget DESC",
        ),
        ("How many people were hired in 2020?", "SELECT count(*) FROM staff WHERE hire_date >= '2020-01-01'"),
        (
            "How many men and how many women are among the staff?",
            "WHERE (gender = 'M' OR gender = 'F') GROUP BY gender",
        ),
    ],
)
async def test_what_is_so_now_is_asked_of_rows_that_hold_today(question, sql, plan, periods):
    found = await _first(question, plan, periods)
    assert sql in found.sql
    assert ("current_date" in found.sql) == ("current" in question)
    assert not found.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "Which rivers have the largest areas, from largest to smallest?",
            "SELECT river_name, area FROM river ORDER BY area DESC",
        ),
        ("Which river has the largest area?", "ORDER BY area DESC LIMIT 1"),
        ("the best rank of losers", "SELECT min(loser_rank) FROM river"),
        ("the maximum loser rank", "SELECT max(loser_rank) FROM river"),
        (
            "ratio of the length of the Nile to the length of the Rhine",
            "sum(length) FILTER (WHERE river_name = 'Nile')::numeric / nullif(sum(length) FILTER",
        ),
        (
            "What is the ratio of writers to publishers?",
            "count(*)::numeric / nullif((SELECT count(*) FROM publisher), 0)",
        ),
        (
            "How does the ratio of writers to publishers differ by country?",
            "count(DISTINCT w.id)::numeric / nullif(count(DISTINCT p.id), 0) AS ratio FROM publisher AS p "
            "LEFT JOIN writer AS w ON w.publisher_id = p.id GROUP BY p.country",
        ),
        (
            "How many writers have an agent and how many do not?",
            "SELECT has_agent, count(*) AS number_of_writers FROM writer GROUP BY has_agent",
        ),
    ],
)
async def test_things_are_set_against_each_other(question, sql, plan, world):
    found = await _first(question, plan, world)
    assert sql in found.sql
    assert not found.uncovered


async def test_nothing_is_counted_of_which_there_is_one(plan, world):
    """The number of publishers of each publisher is 1 in every row, and answers nothing."""
    planning = plan("How many publishers are there for each publisher?", catalog=world, values=VALUES)
    found = await EmbeddedEngine().propose(planning)
    assert found
    assert not any("count(*)" in c.sql and "writer" not in c.sql and "GROUP BY" in c.sql for c in found)


async def test_what_is_no_longer_so_has_no_rows_that_hold_today(plan, periods):
    staff, title, *_ = periods
    found = await _first("which staff no longer work here", plan, Catalog((staff, title)))
    assert "WHERE id NOT IN (SELECT staff_id FROM title WHERE from_date <= current_date" in found.sql
    assert not found.uncovered
    open_which = await _first("which staff no longer work here", plan, periods)
    assert "longer" in open_which.uncovered


async def test_rows_that_hold_today_are_those_that_are_looked_up(plan, periods):
    found = await _first("staff without a current title", plan, periods)
    assert "NOT IN (SELECT staff_id FROM title WHERE from_date <= current_date" in found.sql
    assert not found.uncovered


async def test_of_two_that_are_persons_no_row_is_both(make_table, plan):
    """Students and teachers who borrow their names from one table: no name can be shown for both."""
    catalog = Catalog(
        (
            make_table(1, "people", "id:id full_name:text"),
            make_table(2, "student", "id:id people_id:int year:int", keys={"people_id": 1}),
            make_table(3, "teacher", "id:id people_id:int salary:money", keys={"people_id": 1}),
            make_table(
                4,
                "lesson",
                "id:id student_id:int teacher_id:int held:date",
                keys={"student_id": 2, "teacher_id": 3},
            ),
        )
    )
    for question in ("how many students does each teacher have", "students and their teachers"):
        for candidate in await EmbeddedEngine().propose(plan(question, catalog=catalog, values={})):
            assert candidate.sql.count("people AS") < 2


async def test_a_ratio_of_tables_with_a_condition_is_none_of_all_rows(plan, world):
    values = {("publisher", "country"): ["France"]}
    with pytest.raises(BeyondEngine):
        await EmbeddedEngine().propose(
            plan("ratio of writers to publishers in France", catalog=world, values=values)
        )


async def test_a_denial_that_nothing_took_is_told(plan, world):
    found = await _first("which writers no longer work here", plan, world)
    assert {"no", "longer"} & set(found.uncovered)
