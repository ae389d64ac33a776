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


@pytest.fixture
def ship(make_table):
    made = make_table(1, "passengers", "id:id name:text age:int fare:money survived:int class:int")
    known = {"survived": ("0", "1"), "class": ("1", "2", "3")}
    columns = tuple(
        replace(c, common_values=known.get(c.name, ()), distinct=float(len(known.get(c.name, ()))))
        for c in made.columns
    )
    return Catalog((replace(made, columns=columns),))


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("how many passengers under 18 survived", "age < 18 AND survived = 1"),
        ("passengers over 60 who survived", "age > 60 AND survived = 1"),
        ("passengers in first class", "class = 1"),
        ("passengers in first class under 18", "age < 18 AND class = 1"),
        ("average fare of third class", "class = 3"),
    ],
)
async def test_a_number_is_compared_with_what_it_can_be(question, where, plan, ship):
    best = (await EmbeddedEngine().propose(plan(question, catalog=ship, values={})))[0]
    assert best.sql.endswith(f"WHERE {where}")
    assert best.uncovered == ()


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("top 5 parcels by freight, town and freight", "SELECT town, freight FROM parcels ORDER BY freight"),
        ("top 5 towns by freight", "SELECT town, sum(freight) AS total_freight FROM parcels GROUP BY town"),
        ("top 5 towns by freight of parcels", "SELECT town, sum(freight) AS total_freight FROM parcels"),
    ],
)
async def test_rows_that_are_ranked_are_not_put_into_groups(question, sql, make_table, plan):
    made = make_table(1, "parcels", "id:id town:text freight:money", rows=1000)
    columns = tuple(replace(c, distinct=20.0) if c.name == "town" else c for c in made.columns)
    catalog = Catalog((replace(made, columns=columns),))
    first, *_ = await EmbeddedEngine().propose(plan(question, catalog, {}))
    assert first.sql.startswith(sql)
