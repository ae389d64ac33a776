"""What rows come to of which only a group is named: the population of a continent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {("land", "continent"): ["Africa", "Asia"], ("land", "name"): ["Ghana", "Japan"]}


@pytest.fixture
def lands(make_table):
    columns = "id:id name:text continent:text population:int life_expectancy:money gnp:money"
    land = make_table(1, "land", columns)
    of_few = tuple(replace(c, distinct=5.0) if c.name == "continent" else c for c in land.columns)
    return Catalog((replace(land, columns=of_few),))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("population of Asia", "SELECT sum(population) FROM land WHERE continent = 'Asia'"),
        ("what is the gnp of Asia?", "SELECT sum(gnp) FROM land WHERE continent = 'Asia'"),
        ("population of Japan", "SELECT population FROM land WHERE name = 'Japan'"),
        ("populations of Asia", "SELECT population FROM land WHERE continent = 'Asia'"),
        ("population of each land in Asia", "SELECT population FROM land WHERE continent = 'Asia'"),
        ("life expectancy of Asia", "SELECT life_expectancy FROM land WHERE continent = 'Asia'"),
        (
            "life expectancy by continent",
            "SELECT continent, avg(life_expectancy) AS average_life_expectancy FROM land GROUP BY continent",
        ),
        ("gnp by continent", "SELECT continent, sum(gnp) AS total_gnp FROM land GROUP BY"),
        (
            "continents ordered by population",
            "SELECT continent FROM land GROUP BY continent ORDER BY sum(population)",
        ),
        ("lands ordered by population", "SELECT name FROM land ORDER BY population"),
    ],
)
async def test_what_rows_of_a_group_come_to(question, sql, plan, lands):
    best = (await EmbeddedEngine().propose(plan(question, catalog=lands, values=VALUES)))[0]
    assert best.sql.startswith(sql)
