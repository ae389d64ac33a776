"""Questions whose words are those of a name: where a trip ended, what was settled, when somebody left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog, ForeignKey

AMOUNTS = " amount_claimed:money amount_settled:money"


@pytest.fixture
def catalog(make_table):
    table = make_table
    ministers = table(5, "minister", "id:id name:text took_office:text left_office:text")
    told = tuple(replace(c, numeric=c.name.endswith("_office")) for c in ministers.columns)
    gymnasts = table(7, "gymnast", "gymnast_id:id total_points:int")
    one_of = (ForeignKey(("gymnast_id",), 6, ("id",)),)
    return Catalog(
        (
            table(1, "station", "id:id name:text lat:money city:text dock_count:int installed_on:date"),
            table(2, "trip", "id:id duration:int start_station_id:id? end_date:text? end_station_id:id?"),
            table(
                3, "claim", "id:id date_made:date date_settled:date amount_claimed:money amount_settled:money"
            ),
            table(
                4,
                "settlement",
                "id:id claim_id:id date_claimed:date date_settled:date" + AMOUNTS,
                keys={"claim_id": 3},
            ),
            replace(ministers, columns=told),
            table(6, "people", "id:id name:text height:int"),
            replace(gymnasts, primary_key=("gymnast_id",), foreign_keys=one_of),
            table(8, "bank", "id:id name:text city:text"),
            table(9, "loan", "id:id bank_id:id loan_type:text amount:money", keys={"bank_id": 8}),
        )
    )


VALUES = {
    ("station", "city"): ("Palo Alto", "San Jose"),
    ("loan", "loan_type"): ("Business", "Auto"),
    ("bank", "city"): ("St. Paul",),
}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (  # keys that nothing declares, behind a word for the role
            "For each station, find its latitude and minimum duration of trips that ended at the station.",
            "JOIN trip AS t ON t.end_station_id = s.id GROUP BY",
        ),
        ("For each trip, return its ending station's dock count.", "ON t.end_station_id = s.id"),
        (
            "What is the city of the station from which the trip with the smallest duration started?",
            "ON t.start_station_id = s.id ORDER BY t.duration",
        ),
        ("What is the total amount of settlement?", "SELECT sum(amount_settled) FROM settlement"),
        (
            "What is the settlement amount of the claim with the largest claim amount?",
            "SELECT amount_settled FROM claim ORDER BY amount_",
        ),
        (
            "Which claims have a claimed amount above 500? List the date the claim was made and the date"
            " it was settled.",
            "SELECT date_made, date_settled FROM claim",
        ),
        (
            "Show the ministers who took office after 1961.",
            "WHERE took_office::numeric > 1961",
        ),
        (
            "Show the name of the ministers in descending order of the time they left office.",
            "ORDER BY left_office::numeric DESC",
        ),
        ("List the total points of gymnasts in descending order.", "SELECT total_points FROM gymnast"),
        (  # 'provide' asks for nothing here
            "Find the name of banks that provide business loans.",
            "SELECT DISTINCT b.name FROM bank AS b JOIN loan AS l ON l.bank_id = b.id "
            "WHERE l.loan_type = 'Business'",
        ),
        ("What are the names of all banks in the St. Paul area?", "SELECT name FROM bank WHERE city"),
        (
            "What are the different cities of the stations in order of descending dock count?",
            "SELECT city FROM station GROUP BY city ORDER BY max(dock_count) DESC",
        ),
        (
            "Show the distinct cities of the stations ordered by their dock counts.",
            "SELECT city FROM station GROUP BY city ORDER BY min(dock_count)",
        ),
        (
            "What is the total dock count of stations where the lat is above the average station lat?",
            "SELECT sum(dock_count) FROM station WHERE lat > (SELECT avg(lat) FROM station)",
        ),
        (
            "When and in which city was the dock count above 20?",
            "SELECT installed_on, city FROM station WHERE dock_count > 20",
        ),
    ],
)
async def test_the_words_of_a_name_mean_it(question, sql, plan, catalog):
    found = await EmbeddedEngine().propose(plan(question, catalog, VALUES))
    assert sql in found[0].sql


async def test_rows_that_are_one_of_others_are_called_as_these_are(plan, catalog):
    found, *_ = await EmbeddedEngine().propose(plan("What are the names of gymnasts?", catalog))
    assert found.sql == "SELECT p.name FROM gymnast AS g JOIN people AS p ON g.gymnast_id = p.id"
    assert not found.signals.get("bearing")


async def test_a_name_that_says_of_what_it_is_is_no_other_name(plan, catalog):
    question = "What is the bank name of the loan with the largest amount?"
    found, *_ = await EmbeddedEngine().propose(plan(question, catalog, VALUES))
    assert found.sql.startswith("SELECT b.name FROM bank AS b JOIN loan")
    assert not found.signals.get("bearing")
