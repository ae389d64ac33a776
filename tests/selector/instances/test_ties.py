"""What an instance claims where rows tie: what ties cannot undo, and one answer only where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import Database

from askwire.selector.instances import Instance, Outcome, separate, separate_all
from askwire.selector.instances.presentation.show import as_json, text

BY_CITY = (
    "SELECT city FROM port JOIN trip ON trip.port = port.id GROUP BY city ORDER BY count(*) DESC LIMIT {}"
)
BY_PORT = (
    "SELECT city FROM port JOIN trip ON trip.port = port.id GROUP BY city, trip.port"
    " ORDER BY count(*) DESC LIMIT 1"
)


@pytest.fixture(scope="module")
def ports(make_database: Callable[[], Database]) -> Database:
    """A city of two ports with two trips each, one of a port with three, one of a port with one."""
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE port (id text PRIMARY KEY, city text NOT NULL)")
        conn.execute("INSERT INTO port VALUES ('p1', 'P'), ('p2', 'P'), ('q1', 'Q'), ('r1', 'R')")
        conn.execute("CREATE TABLE trip (id int PRIMARY KEY, port text NOT NULL REFERENCES port)")
        conn.execute(
            "INSERT INTO trip SELECT i, (ARRAY['p1', 'p1', 'p2', 'p2', 'q1', 'q1', 'q1', 'r1'])[i]"
            " FROM generate_series(1, 8) i; ANALYZE port, trip"
        )
    return database


async def found(ports: Database, first: str, second: str) -> Any:
    async with session(ports.dsn()) as asker:
        return await separate(first, second, asker.catalog, asker.executor)


async def test_a_set_whose_parts_tie_is_not_called_minimal(ports: Database) -> None:
    told = await found(ports, BY_CITY.format(1), BY_PORT)
    # without one of the trips of Q three ports tie: the queries may agree then, and may not
    assert told.instance is not None
    assert told.instance.size == 10
    assert not told.instance.minimal
    assert told.instance.open_answers == frozenset()
    assert "There may be fewer rows that do" in text(told)
    assert "without any one of these rows they agree" not in text(told)


async def test_an_answer_that_ties_leave_open_is_said_to_be_one_of_several(ports: Database) -> None:
    one, two = BY_CITY.format(1).replace("DESC", ""), BY_CITY.format(2).replace("DESC", "")
    told = await found(ports, one, f"SELECT * FROM ({two}) AS q")
    instance: Instance = told.instance
    assert instance.open_answers == {0}
    assert not instance.all_orders
    shown = text(told)
    assert "Query 1 on these rows, one of several answers as rows tie: SELECT" in shown
    assert "Query 2 on these rows: SELECT" in shown
    assert "more than one answer is right" in shown
    answers: Any = as_json(told)["instance"]
    assert [answer["open"] for answer in answers["answers"]] == [True, False]


async def test_an_order_that_ties_leave_open_is_open_where_order_counts(ports: Database) -> None:
    told = await found(ports, *(BY_CITY.format(n).replace("DESC", "") for n in (1, 2)))
    assert told.instance.open_answers == {0, 1}


async def test_one_instance_for_several_candidates_keeps_to_the_same(ports: Database) -> None:
    candidates = [
        BY_CITY.format(1).replace("DESC", ""),
        BY_CITY.format(2).replace("DESC", ""),
        BY_CITY.format(3).replace("DESC", ""),
    ]
    async with session(ports.dsn()) as asker:
        told = await separate_all(candidates, asker.catalog, asker.executor)
    assert told.instance is not None
    assert told.groups == ((0,), (1,), (2,))
    sizes = [len(answer.rows) for answer in told.instance.answers]
    assert sizes == [1, 2, 3]
    # three groups of one trip each tie: two of three candidates take some of them
    assert told.instance.open_answers == {0, 1}
    assert not told.instance.all_orders


async def test_rows_without_ties_are_found_where_all_the_data_ties(ports: Database) -> None:
    told = await found(
        ports,
        "SELECT port FROM trip WHERE port < 'q' GROUP BY port ORDER BY count(*) LIMIT 1",
        "SELECT max(port) FROM trip WHERE port < 'q'",
    )
    # one trip of p1 and two of p2; on all the data both have two
    assert told.outcome is Outcome.SEPARATED
    assert told.instance.size == 3
    assert told.instance.open_answers == frozenset()
    assert not told.instance.minimal  # without a trip of p2 both tie again
