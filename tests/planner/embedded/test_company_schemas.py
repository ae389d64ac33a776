"""Schemas as companies have them: codes before every name, people apart from their parts, rows that were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.roles import MAX_ROLES
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
def club(make_table):
    """Members from and until, staff who left, what either uses, and books beside them."""
    return Catalog(
        (
            make_table(1, "member", "id:id name:text city:text joined_on:date left_on:date?"),
            make_table(2, "loan", "id:id member_id:int lent_on:date", keys={"member_id": 1}),
            make_table(
                3,
                "locker",
                "id:id member_id:int booked_from:time booked_until:time?",
                keys={"member_id": 1},
            ),
            make_table(4, "staff", "id:id name:text left_on:date?"),
            make_table(
                5, "pay", "staff_id:int salary:money from_date:date to_date:date?", keys={"staff_id": 4}
            ),
            make_table(6, "book", "id:id title:text discontinued:bool"),
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


_PAID_TODAY = "from_date <= current_date AND (to_date IS NULL OR to_date >= current_date)"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        # a table that only says when its rows ended, beside one that keeps periods
        ("current staff", "SELECT name FROM staff WHERE left_on IS NULL"),
        ("staff who no longer work here", "SELECT name FROM staff WHERE left_on < current_date"),
        ("members who no longer come here", "SELECT name FROM member WHERE left_on < current_date"),
        # 'no longer' denies what a table without periods says
        ("books that are no longer discontinued", "FROM book WHERE discontinued = false"),
        ("which staff no longer have pay", f"NOT IN (SELECT staff_id FROM pay WHERE {_PAID_TODAY})"),
        (
            "staff that currently earn more than the average salary",
            f"p.salary > (SELECT avg(salary) FROM pay WHERE {_PAID_TODAY}) AND p.from_date <= current_date",
        ),
        ("how many staff currently have no pay", f"(SELECT staff_id FROM pay WHERE {_PAID_TODAY})"),
        ("current lockers", "booked_from <= current_timestamp AND (booked_until IS NULL OR"),
    ],
)
async def test_words_for_now_are_of_the_tables_a_question_names(question, sql, plan, club):
    found = await _first(question, plan, club)
    assert sql in found.sql
    assert not set(found.uncovered) & {"current", "currently", "no", "longer"}


@pytest.mark.parametrize(
    "question",
    [
        "members who no longer have a loan",
        "members from Paris who are no longer here",
        "current and no longer valid pay",
    ],
)
async def test_words_for_now_that_change_nothing_are_told(question, plan, club):
    planning = plan(question, catalog=club, values={("member", "city"): ["Paris"]})
    found = (await EmbeddedEngine().propose(planning))[0]
    assert {"no", "longer", "current"} & set(found.uncovered)


async def test_customers_that_are_no_persons_are_not_left_out(plan, parties):
    person, territory, customer, *rest = parties
    columns = tuple(replace(c, not_null=c.name != "person_id") for c in customer.columns)
    open_key = Catalog((person, territory, replace(customer, columns=columns), *rest))
    found = await _first("list all customers", plan, open_key)
    assert "person" not in found.sql.split("FROM")[1]


async def test_a_ratio_of_all_rows_is_none_of_each_group(plan, world):
    with pytest.raises(BeyondEngine):
        await _first("which country has the highest ratio of writers to publishers", plan, world)
    alone = await _first("ratio of writers to publishers", plan, world)
    assert " AS ratio FROM writer" in alone.sql


async def test_a_ratio_of_texts_of_numbers_is_cast(make_table, plan):
    goods = make_table(1, "goods", "id:id kind:text weight:text")
    columns = tuple(replace(c, numeric=c.name == "weight") for c in goods.columns)
    planning = plan(
        "ratio of the weight of Tea to the weight of Salt",
        catalog=Catalog((replace(goods, columns=columns),)),
        values={("goods", "kind"): ["Tea", "Salt"]},
    )
    found = (await EmbeddedEngine().propose(planning))[0]
    assert found.sql.count("sum(weight::numeric)") == 2


async def test_lone_keys_are_roles_of_people_after_all_others(make_table, plan):
    """An instructor among users is somebody; a folder among nodes is not, nor what a table is called."""
    users = make_table(1, "user", "id:id name:text")
    nodes = make_table(2, "node", "id:id name:text")
    course = make_table(
        3,
        "course",
        "id:id title:text instructor_id:int folder_id:int",
        keys={"instructor_id": 1, "folder_id": 2},
    )
    catalog = Catalog((users, nodes, course))
    index = schema_index.build(catalog)
    assert [t.words for t in index.tables if t.role] == [("instructor",)]
    named = schema_index.build(Catalog((*catalog.relations, make_table(4, "instructor", "id:id name:text"))))
    assert not [t for t in named.tables if t.role]


def test_keys_that_stand_alone_take_no_place_from_those_beside_others(make_table):
    lone = [
        make_table(10 + n, f"course{n}", "id:id instructor_id:int", keys={"instructor_id": 1})
        for n in range(MAX_ROLES + 5)
    ]
    flight = make_table(9, "flight", "id:id source_id:int dest_id:int", keys={"source_id": 2, "dest_id": 2})
    catalog = (
        make_table(1, "user", "id:id name:text"),
        make_table(2, "airport", "id:id name:text"),
        *lone,
        flight,
    )
    found = [t.role for t in schema_index.build(Catalog(catalog)).tables if t.role]
    assert len(found) == MAX_ROLES
    assert sum(not role.alone for role in found) == 2


@pytest.fixture
def network(make_table):
    """A table of pairs, one key of which is called as the table is."""
    return Catalog(
        (
            make_table(1, "member", "id:id name:text"),
            make_table(2, "friend", "member_id:int friend_id:int", keys={"member_id": 1, "friend_id": 1}),
            make_table(3, "airline", "id:id airline_name:text abbreviation:text country:text"),
            make_table(4, "flight", "id:id airline_id:int flight_number:text", keys={"airline_id": 3}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "names of the members and how many friends each has",
            "JOIN member AS m ON f.member_id = m.id GROUP BY m.id, m.name",
        ),
        ("which member has the most friends", "JOIN member AS m ON f.member_id = m.id"),
        ("which members have no friends", "WHERE id NOT IN (SELECT member_id FROM friend)"),
        ("count the number of friends Kyle has", "f.member_id = m.id WHERE m.name = 'Kyle'"),
    ],
)
async def test_who_has_friends_is_not_the_friend(question, sql, plan, network):
    values = {("member", "name"): ("Kyle", "Ann")}
    assert sql in (await EmbeddedEngine().propose(plan(question, network, values)))[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("names of all people who do not have friends", "id NOT IN (SELECT person_id FROM personfriend)"),
        ("names of everybody who has exactly one friend", "ON p2.person_id = p.id GROUP BY"),
    ],
)
async def test_a_key_called_as_a_part_of_its_table_is_not_who_has_one(question, sql, plan, make_table):
    keys = {"person_id": 1, "friend": 1}
    people = make_table(1, "person", "id:id name:text")
    catalog = Catalog((people, make_table(2, "personfriend", "person_id:int friend:int", keys=keys)))
    assert sql in (await _first(question, plan, catalog)).sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "names of students who have no friends",
            "FROM highschooler WHERE id NOT IN (SELECT student_id FROM friend)",
        ),
        ("grades that have at least 4 students", "SELECT grade FROM highschooler GROUP BY grade HAVING"),
        ("names of students who have at least 2 likes", "JOIN likes AS l ON l.student_id = h.id GROUP BY"),
        ("names of the students and their number of friends", "JOIN friend AS f ON f.student_id = h.id"),
    ],
)
async def test_a_key_beside_one_called_as_its_table_names_the_rows_it_leads_to(
    question, sql, plan, make_table
):
    catalog = Catalog(
        (
            make_table(1, "highschooler", "id:id name:text grade:int"),
            make_table(2, "friend", "student_id:int friend_id:int", keys={"student_id": 1, "friend_id": 1}),
            make_table(3, "likes", "student_id:int liked_id:int", keys={"student_id": 1, "liked_id": 1}),
        )
    )
    assert sql in (await _first(question, plan, catalog)).sql


@pytest.fixture
def league(make_table):
    """Players who win and lose games; one of them is called Won."""
    return Catalog(
        (
            make_table(1, "players", "id:id first_name:text last_name:text sex:text"),
            make_table(
                2,
                "games",
                "id:id loser_id:int winner_id:int year:int cup:text max_speed:int",
                keys={"loser_id": 1, "winner_id": 1},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("names of players who won in both 2013 and 2016", "g.winner_id = p.id WHERE g.year = 2013)"),
        ("names of players who won in both 2013 and 2016", "g.winner_id = p.id WHERE g.year = 2016)"),
        ("names of players who won both the Spring Cup and the Autumn Cup", "g.winner_id = p.id"),
        ("how many female (sex is F) players are there?", "FROM players WHERE sex = 'F'"),
        ("the years of games whose max speed was higher than 200", "WHERE max_speed > 200"),
    ],
)
async def test_who_won_several_games_is_the_winner_of_each(question, sql, plan, league):
    values = {("games", "cup"): ("Spring Cup", "Autumn Cup"), ("players", "last_name"): ("Won",)}
    values[("players", "sex")] = ("F", "M")
    found = (await EmbeddedEngine().propose(plan(question, league, values)))[0].sql
    assert sql in found
    assert "loser" not in found
    assert "Won" not in found
    assert found.count("'F'") < 2


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "names of the dogs of the rarest breed",
            "WHERE b.id IN (SELECT b.id FROM breeds AS b JOIN dogs AS d ON d.breed_id = b.id GROUP BY b.id "
            "ORDER BY count(*) LIMIT 1)",
        ),
        ("which breeds have 0 dogs?", "FROM breeds WHERE id NOT IN (SELECT breed_id FROM dogs)"),
        (
            "names of the dogs with a weight above the average weight of all dogs born after 2010",
            "WHERE weight > (SELECT avg(weight) FROM dogs WHERE birth_date >= '2011-01-01')",
        ),
        ("the names of the different breeds, and how many dogs are of each?", "SELECT b.breed_title, count"),
    ],
)
async def test_a_part_of_the_rows_is_chosen_by_what_is_said_of_it(question, sql, plan, make_table):
    breeds = make_table(1, "breeds", "id:id breed_title:text")
    dogs = make_table(
        2, "dogs", "id:id name:text breed_id:int weight:int birth_date:date", keys={"breed_id": 1}
    )
    assert sql in (await _first(question, plan, Catalog((breeds, dogs)))).sql


@pytest.fixture
def callers(make_table):
    """Tables whose keys are called nearly as they are, and say who acts; and students, who are persons."""
    return Catalog(
        (
            make_table(1, "person", "id:id name:text"),
            make_table(2, "calls", "caller_id:int callee_id:int", keys={"caller_id": 1, "callee_id": 1}),
            make_table(3, "students", "student_id:id tutor_id:int", keys={"student_id": 1, "tutor_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("names of the callers with more than 2 calls", "c.caller_id = p.id"),
        ("names of the students", "s.student_id = p.id"),
    ],
)
async def test_a_key_that_says_who_acts_is_kept(question, key, plan, callers):
    assert key in (await _first(question, plan, callers)).sql


@pytest.mark.parametrize(
    ("question", "group"),
    [
        ("which country of airlines has the most flights", "GROUP BY a.country "),
        ("what is the country of the airline with the fewest flights", "GROUP BY a.id, a.country "),
        ("show the abbreviation and country of the airline that has most flights", "GROUP BY a.id, "),
        ("which country has the most airlines", "GROUP BY country "),
    ],
)
async def test_a_named_thing_is_counted_for_by_its_key(question, group, plan, network):
    assert group in (await _first(question, plan, network)).sql
