"""What a list behind a question shows: columns of the rows or groups, and the figure that is asked for."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def deliveries(make_table):
    """Drivers with a supervisor, their deliveries, and shops."""
    return Catalog(
        (
            make_table(
                1,
                "drivers",
                "id:id first_name:text last_name:text city:text hired_on:date supervisor_id:id?",
                keys={"supervisor_id": 1},
            ),
            make_table(2, "shops", "id:id name:text city:text"),
            make_table(
                3,
                "deliveries",
                "id:id driver_id:id shop_id:id hours:money delivered_on:date",
                keys={"driver_id": 1, "shop_id": 2},
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "How many deliveries did each shop get? Name, city and the number.",
            "SELECT s.name, s.city, count(*) AS number_of_deliveries FROM shops AS s"
            " JOIN deliveries AS d ON d.shop_id = s.id GROUP BY s.id, s.name, s.city ORDER BY count(*) DESC",
        ),
        (
            "Which 3 drivers recorded the most hours? First name, last name, hours.",
            "SELECT d.first_name, d.last_name, sum(d2.hours) AS total_hours FROM drivers AS d"
            " JOIN deliveries AS d2 ON d2.driver_id = d.id GROUP BY d.id, d.first_name, d.last_name"
            " ORDER BY sum(d2.hours) DESC LIMIT 3",
        ),
        (
            "Which drivers never made a delivery? Last name and the date they were hired.",
            "SELECT last_name, hired_on FROM drivers WHERE id NOT IN (SELECT driver_id FROM deliveries)",
        ),
        (
            "How many drivers does each supervisor have? Supervisor first name, last name and headcount.",
            "SELECT supervisor.first_name, supervisor.last_name, count(*) AS number_of_drivers"
            " FROM drivers AS supervisor JOIN drivers AS d ON d.supervisor_id = supervisor.id"
            " GROUP BY supervisor.id, supervisor.first_name, supervisor.last_name ORDER BY count(*) DESC",
        ),
        (
            "Top 3 shops by number of deliveries, city and number",
            "SELECT s.name, s.city, count(*) AS number_of_deliveries FROM shops AS s"
            " JOIN deliveries AS d ON d.shop_id = s.id GROUP BY s.id, s.name, s.city"
            " ORDER BY count(*) DESC LIMIT 3",
        ),
        (
            "How many deliveries did each shop get? List the number and shop name.",
            "SELECT count(*) AS number_of_deliveries, s.name FROM shops AS s"
            " JOIN deliveries AS d ON d.shop_id = s.id GROUP BY s.id, s.name ORDER BY count(*) DESC",
        ),
    ],
)
async def test_a_list_behind_a_question(question, sql, plan, deliveries):
    first = (await EmbeddedEngine().propose(plan(question, deliveries, {})))[0]
    assert first.sql == sql


async def test_a_reading_names_what_groups_once(plan, deliveries):
    question = "How many deliveries did each shop get? Name, city and the number."
    first = (await EmbeddedEngine().propose(plan(question, deliveries, {})))[0]
    assert first.reading.count("shops.name") == 2  # once shown, once as what the groups are of
