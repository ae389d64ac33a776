"""Tables under the names that keys give them, and other readings of measures, end to end in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.schema_index import called
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]
Values = Mapping[tuple[str, str], Sequence[str]]


@pytest.fixture
def travel(make_table):
    return Catalog(
        (
            make_table(1, "airports", "id:id name:text city:text"),
            make_table(
                2,
                "flights",
                "id:id source_airport:id dest_airport:id duration:int cancelled_at:time?",
                keys={"source_airport": 1, "dest_airport": 1},
            ),
            make_table(
                3,
                "employees",
                "id:id name:text salary:money manager_id:id?",
                keys={"manager_id": 3},
                comments={"salary": "Pay per year"},
            ),
            make_table(4, "bookings", "id:id flight_id:id fare:money cost:money", keys={"flight_id": 2}),
        )
    )


VALUES = {("airports", "city"): ("Aberdeen", "Ashley"), ("employees", "name"): ("Ann Lee",)}


@pytest.fixture
def first(plan, travel):
    async def ask(question: str) -> str:
        candidates = await EmbeddedEngine().propose(plan(question, travel, VALUES))
        return candidates[0].sql

    return ask


def test_keys_beside_one_another_and_to_their_own_table_make_roles(travel):
    index = schema_index.build(travel)
    found = {(t.relation.name, t.words) for t in index.tables if t.role is not None}
    assert found == {("airports", ("source",)), ("airports", ("destination",)), ("employees", ("manager",))}


async def test_from_and_to_read_the_same_table_twice(first):
    sql = await first("how many flights go from Aberdeen to Ashley?")
    assert "source.city = 'Aberdeen'" in sql
    assert "destination.city = 'Ashley'" in sql


async def test_a_manager_is_an_employee_by_a_key(first):
    sql = await first("which employees earn more than their manager?")
    assert "employees AS manager ON e.manager_id = manager.id" in sql
    assert "e.salary > manager.salary" in sql


async def test_a_percentage_is_a_filtered_count(first):
    sql = await first("what percentage of flights were cancelled?")
    assert "100.0 * count(*) FILTER (WHERE cancelled_at IS NOT NULL) / nullif(count(*), 0)" in sql


async def test_an_average_number_of_rows_is_an_average_of_counts(first):
    sql = await first("average number of bookings per flight")
    assert sql.startswith("SELECT avg(n) FROM (SELECT count(*) FROM ")


async def test_a_difference_of_two_columns(first):
    assert (
        await first("difference between fare and cost of bookings")
        == "SELECT fare - cost AS fare_minus_cost FROM bookings"
    )


async def test_what_has_not_happened_has_no_time(first):
    sql = await first("how many flights have not been cancelled?")
    assert sql == "SELECT count(*) FROM flights WHERE cancelled_at IS NULL"


@pytest.mark.parametrize(
    ("comment", "names"),
    [
        ("Appointments (visits) of patients", {"appointment", "visit"}),
        ("Doctors", {"doctor"}),
        ("Medical record number", {"number"}),
        ("F female, M male", {"female"}),
        ("What customers ordered and when", set()),
        ("How products sell", set()),
        ("", set()),
    ],
)
def test_what_a_comment_calls_the_thing(comment, names):
    assert called(comment) == names


async def test_what_goes_on_has_not_ended(first):
    assert await first("how many flights are still active?") == (
        "SELECT count(*) FROM flights WHERE cancelled_at IS NULL"
    )


async def test_a_measure_per_something_is_a_sum(first):
    sql = await first("duration per source airport")
    assert "sum(f.duration)" in sql
    assert "GROUP BY source.id, source.name" in sql


@pytest.fixture
def league(make_table: MakeTable) -> Catalog:
    """Matches with two referees and two teams, bookings with who sends and who receives."""
    return Catalog(
        (
            make_table(1, "referees", "id:id name:text mentor_id:id?", keys={"mentor_id": 1}),
            make_table(2, "teams", "id:id name:text"),
            make_table(
                3,
                "matches",
                "id:id assistant_referee_id:id? referee_id:id? home_team_id:id away_team_id:id",
                keys={"assistant_referee_id": 1, "referee_id": 1, "home_team_id": 2, "away_team_id": 2},
            ),
            make_table(4, "firms", "id:id name:text"),
            make_table(
                5,
                "bookings",
                "id:id consignee_id:id shipper_id:id",
                keys={"consignee_id": 4, "shipper_id": 4},
                comments={"consignee_id": "who receives the cargo", "shipper_id": "who sends the cargo"},
            ),
        )
    )


PARTIES: Values = {
    ("referees", "name"): ("Gwen", "Fritz"),
    ("teams", "name"): ("Halton",),
    ("firms", "name"): ("Baltica",),
}


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("matches refereed by Gwen", "m.referee_id = r.id"),
        ("bookings sent by Baltica", "b.shipper_id = f.id"),
        ("bookings received by Baltica", "b.consignee_id = f.id"),
        ("who is the mentor of Fritz?", "WHERE r.name = 'Fritz'"),
        ("referees who never refereed a match", "NOT IN (SELECT referee_id FROM matches"),
        ("teams without home matches", "NOT IN (SELECT home_team_id FROM matches)"),
        (
            "teams without any matches",
            "id NOT IN (SELECT home_team_id FROM matches UNION SELECT away_team_id FROM matches)",
        ),
    ],
)
async def test_the_key_is_the_one_that_is_said(
    question: str, condition: str, plan: Plans, league: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, catalog=league, values=PARTIES)))[0]
    assert condition in best.sql


async def test_keys_that_no_word_tells_apart_make_an_answer_less_sure(plan: Plans, league: Catalog) -> None:
    async def sure(question: str) -> float:
        best = (await EmbeddedEngine().propose(plan(question, catalog=league, values=PARTIES)))[0]
        return best.confidence or 0.0

    assert await sure("bookings of Baltica") < await sure("bookings sent by Baltica")
    assert await sure("bookings of Baltica") < 0.8


async def test_an_answer_that_only_repeats_the_question_is_never_sure(plan: Plans, league: Catalog) -> None:
    for candidate in await EmbeddedEngine().propose(
        plan("referees mentored by Fritz", catalog=league, values=PARTIES)
    ):
        if candidate.sql == "SELECT name FROM referees WHERE name = 'Fritz'":
            assert candidate.confidence is not None
            assert candidate.confidence < 0.4


async def test_a_row_has_one_end_of_each_key(plan: Plans, travel: Catalog) -> None:
    best = (
        await EmbeddedEngine().propose(plan("flights from Aberdeen to Ashley", catalog=travel, values=VALUES))
    )[0]
    assert "INTERSECT" not in best.sql
    assert " IN (" not in best.sql
    assert ".city = 'Aberdeen'" in best.sql


@pytest.fixture
def routes(make_table: MakeTable) -> Catalog:
    """Routes between airports whose key is called otherwise than an id, of airlines with codes and homes."""
    keys = {1: "apid", 2: "alid", 3: "rid"}
    tables = (
        make_table(1, "airports", "apid:id name:text city:text country:text"),
        make_table(2, "airlines", "alid:id name:text country:text icao:text"),
        make_table(
            3,
            "routes",
            "rid:id src_apid:id dst_apid:id alid:id",
            keys={"src_apid": 1, "dst_apid": 1, "alid": 2},
        ),
    )
    return Catalog(
        tuple(
            replace(
                t,
                primary_key=(keys[t.oid],),
                foreign_keys=tuple(replace(k, target_columns=(keys[k.target],)) for k in t.foreign_keys),
            )
            for t in tables
        )
    )


ROUTES: Values = {
    ("airports", "city"): ("London", "Paris"),
    ("airports", "country"): ("Germany",),
    ("airlines", "country"): ("Germany",),
    ("airlines", "icao"): ("FLY", "GO"),
}
_SRC = "r.src_apid = source.apid"
_DST = "r.dst_apid = destination.apid"


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("how many routes go from London to Paris?", (_SRC, _DST, "source.city = 'London'")),
        ("which routes fly from London to Paris?", (_SRC, _DST, "destination.city = 'Paris'")),
        ("how many routes lead to Germany?", (_DST, "destination.country = 'Germany'")),
        ("which airline has the most routes to Germany?", (_DST, "destination.country = 'Germany'")),
        ("how many routes start in Germany?", ("src_apid = ", "country = 'Germany'")),
        ("which airport has the most departures?", ("r.src_apid = a.apid GROUP BY",)),
        ("busiest airport by arrivals", ("r.dst_apid = a.apid GROUP BY", "count(*) DESC LIMIT 1")),
        ("airports without arriving routes", ("NOT IN (SELECT dst_apid FROM routes)",)),
        ("airports without routes to Paris", ("NOT IN (SELECT r.src_apid FROM routes", _DST)),
        ("airports without any routes", ("SELECT src_apid FROM routes UNION SELECT dst_apid FROM routes",)),
    ],
)
async def test_both_ends_of_a_route(
    question: str, conditions: tuple[str, ...], plan: Plans, routes: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, catalog=routes, values=ROUTES)))[0]
    for condition in conditions:
        assert condition in best.sql
    assert "'GO'" not in best.sql
    assert "'FLY'" not in best.sql


async def test_the_busiest_end_of_all_is_not_sure(plan: Plans, routes: Catalog) -> None:
    best = (await EmbeddedEngine().propose(plan("which airport has the most routes?", catalog=routes)))[0]
    assert best.confidence is not None
    assert best.confidence < 0.6


@pytest.fixture
def hospital(make_table: MakeTable) -> Catalog:
    """Patients with a doctor of their own, doctors trained in procedures, patients who undergo them."""
    return Catalog(
        (
            make_table(1, "physicians", "id:id name:text"),
            make_table(2, "patients", "id:id name:text pcp:id", keys={"pcp": 1}),
            make_table(3, "procedures", "id:id name:text cost:money"),
            make_table(4, "trained_in", "physician:id treatment:id", keys={"physician": 1, "treatment": 3}),
            make_table(5, "undergoes", "patient:id procedure:id", keys={"patient": 2, "procedure": 3}),
        )
    )


async def test_what_is_denied_is_what_lies_between_the_two(plan: Plans, hospital: Catalog) -> None:
    """Not what somebody else has to do with it."""
    best = (await EmbeddedEngine().propose(plan("patients who never had a procedure", catalog=hospital)))[0]
    assert best.sql == "SELECT name FROM patients WHERE id NOT IN (SELECT patient FROM undergoes)"


async def test_who_won_is_the_winner(plan: Plans, make_table: MakeTable) -> None:
    matches = Catalog((make_table(1, "matches", "id:id winner_name:text loser_name:text"),))
    names: Values = {("matches", c): ("Ann Lee",) for c in ("loser_name", "winner_name")}
    for verb, column in (("win", "winner_name"), ("lose", "loser_name")):
        asked = plan(f"how many matches did Ann Lee {verb}?", catalog=matches, values=names)
        best = (await EmbeddedEngine().propose(asked))[0]
        assert f"{column} = 'Ann Lee'" in best.sql


@pytest.fixture
def rivers(make_table: MakeTable) -> Catalog:
    """Regions with a seat, which is one of their towns; that towns belong to a region is not declared."""
    regions = make_table(1, "region", "code:text name:text population:int seat:int", keys={"seat": 2})
    towns = make_table(2, "town", "id:id name:text regioncode:text population:int")
    columns = tuple(replace(c, not_null=True) if c.name == "code" else c for c in regions.columns)
    return Catalog((replace(regions, columns=columns, primary_key=("code",)), towns))


REGIONS: Values = {("region", "name"): ("Hill", "Shore"), ("town", "name"): ("Ford", "Mill")}
_SEAT = "town AS seat JOIN region AS r ON r.seat = seat.id"
_OF_REGION = "t.regioncode = r.code"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "the biggest town in Hill",
            f"FROM town AS t JOIN region AS r ON {_OF_REGION} WHERE r.name = 'Hill'",
        ),
        (
            "average population of the towns in Hill",
            f"avg(t.population) FROM town AS t JOIN region AS r ON {_OF_REGION}",
        ),
        ("what is the seat of Hill?", f"SELECT seat.name FROM {_SEAT} WHERE r.name = 'Hill'"),
        (
            "what is the population of the seat of Hill?",
            f"seat.population FROM {_SEAT} WHERE r.name = 'Hill'",
        ),
        ("seat towns with over 500 people", f"SELECT seat.name FROM {_SEAT} WHERE seat.population > 500"),
        ("which regions have a seat with less than 500 people?", "WHERE seat.population < 500"),
    ],
)
async def test_a_region_has_a_seat_and_towns(question: str, sql: str, plan: Plans, rivers: Catalog) -> None:
    best = (await EmbeddedEngine().propose(plan(question, catalog=rivers, values=REGIONS)))[0]
    assert sql in best.sql


async def test_the_best_paid_manager_is_paid_as_a_manager(plan: Plans, make_table: MakeTable) -> None:
    staff = make_table(1, "employees", "id:id name:text salary:money manager_id:int", keys={"manager_id": 1})
    best = (await EmbeddedEngine().propose(plan("the best paid manager", catalog=Catalog((staff,)))))[0]
    assert "ORDER BY manager.salary DESC" in best.sql
