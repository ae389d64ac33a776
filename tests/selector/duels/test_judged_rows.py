"""The rows a judge is shown: they differ for the judge, and no side's tables are empty by chance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import psycopg
import pytest
from doubles.judge_doubles import ScriptedWriter
from doubles.tracing_session import Session, session
from servers.databases import Database

from askwire.core.egress import Kind
from askwire.core.types import Candidate, Question, ResultColumn, ResultSet, Verdict
from askwire.selector.duels.judges import RowsJudge
from askwire.selector.duels.pair import Pair
from askwire.selector.duels.slicing import sliced
from askwire.selector.instances import Instance, separate
from askwire.selector.judge import Ruling
from askwire.sql.canonical.normal_form import JUDGED, same

TABLES = """
CREATE SCHEMA races; SET search_path TO races;
CREATE TABLE drivers (id int PRIMARY KEY, name text, team text, born int);
CREATE TABLE results (driver int, race int, points int);
CREATE TABLE laps (driver int, race int, points int);
INSERT INTO drivers SELECT n, 'd' || n, CASE WHEN n % 5 > 0 THEN 't' || n % 3 END, 1980 + n % 7
  FROM generate_series(1, 30) n;
INSERT INTO results SELECT n % 20 + 1, n % 4, n % 9 FROM generate_series(1, 60) n;
INSERT INTO laps SELECT n % 25 + 1, n % 4, n % 7 FROM generate_series(1, 80) n;
ANALYZE drivers, results, laps;
COMMENT ON COLUMN drivers.team IS 'constructor that paid
the driver';
COMMENT ON TABLE laps IS 'sprint races only';
"""


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(TABLES.encode())
    return database


@pytest.fixture
async def asker(filled: Database) -> AsyncIterator[Session]:
    async with session(filled.dsn(), "SET search_path TO races") as asker:
        yield asker


async def rows_for(asker: Session, first: str, second: str) -> Instance | None:
    found = await separate(first, second, asker.catalog, asker.executor, comparison=JUDGED, fair=True)
    return found.instance or found.witness


ALIKE = [
    ("SELECT team FROM drivers", "SELECT DISTINCT team FROM drivers WHERE team IS NOT NULL"),
    ("SELECT name, team FROM drivers", "SELECT team, name FROM drivers"),
    ("SELECT name FROM drivers ORDER BY name", "SELECT name FROM drivers ORDER BY born, name"),
]


@pytest.mark.parametrize(("first", "second"), ALIKE)
async def test_what_a_judge_cannot_tell_apart_has_no_rows(asker: Session, first: str, second: str) -> None:
    strictly = await separate(first, second, asker.catalog, asker.executor)
    assert strictly.instance is not None, "they do differ"
    assert await rows_for(asker, first, second) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # they differ in duplicates and NULLs first, and in what counts as well
        (
            "SELECT team FROM drivers WHERE born < 1984",
            "SELECT DISTINCT team FROM drivers WHERE born <= 1984",
        ),
        ("SELECT count(team) FROM drivers", "SELECT count(*) FROM drivers"),
        (
            "SELECT name FROM drivers ORDER BY name",
            "SELECT name FROM drivers WHERE team = 't1' ORDER BY name",
        ),
        ("SELECT max(points) FROM results", "SELECT max(points) FROM laps"),
    ],
)
async def test_on_its_rows_a_judge_can_name_either(asker: Session, first: str, second: str) -> None:
    found = await rows_for(asker, first, second)
    assert found is not None
    one, other = found.answers
    assert not same(one, other, JUDGED)


async def test_each_relation_has_a_row_unless_its_absence_is_the_point(asker: Session) -> None:
    joined = "SELECT DISTINCT d.name FROM drivers d JOIN {} r ON r.driver = d.id WHERE r.points > 5"
    pair = joined.format("results"), joined.format("laps")
    poor = await separate(*pair, asker.catalog, asker.executor)
    assert poor.instance is not None
    assert not all(table.rows for table in poor.instance.tables), "the fewest rows leave a table empty"
    found = await rows_for(asker, *pair)
    assert found is not None
    assert all(table.rows for table in found.tables)
    assert not found.synthetic
    assert found.size <= 4


async def test_a_made_database_is_fair_as_well(asker: Session) -> None:
    pair = await Pair.opened(
        "SELECT DISTINCT d.name FROM drivers d JOIN results r ON r.driver = d.id",
        "SELECT DISTINCT d.name FROM drivers d JOIN laps r ON r.driver = d.id",
        asker.catalog,
        asker.executor,
    )
    assert pair is not None
    found = await pair.by_rules()
    assert found is not None
    assert all(table.rows for table in found.tables)


async def test_rows_without_a_partner_are_found_though_every_table_has_rows(asker: Session) -> None:
    first = "SELECT name FROM drivers d"
    second = "SELECT name FROM drivers d WHERE EXISTS (SELECT FROM results r WHERE r.driver = d.id)"
    found = await rows_for(asker, first, second)
    assert found is not None
    assert all(table.rows for table in found.tables)


async def test_comments_are_told_in_a_line_each(asker: Session) -> None:
    first = "SELECT name FROM drivers WHERE team = 't1'"
    pair = await Pair.opened(first, "SELECT 'x' FROM laps", asker.catalog, asker.executor)
    assert pair is not None
    told = [part.text for part in (await sliced(pair)).parts() if part.kind is Kind.COMMENT]
    assert told == ["drivers.team: constructor that paid the driver", "laps: sprint races only"]


async def test_the_third_voice_is_asked_only_where_the_first_two_differ(asker: Session) -> None:
    first, second = "SELECT max(points) FROM results", "SELECT max(points) FROM laps"
    found = await rows_for(asker, first, second)
    assert found is not None
    one, other = ([[int(cell or 0) for cell in row] for row in answer.rows] for answer in found.answers)

    async def opened(a: str, b: str) -> Pair | None:
        return await Pair.opened(a, b, asker.catalog, asker.executor)

    async def ruled(*said: object) -> tuple[Ruling, int]:
        writer = ScriptedWriter({"answer": [{"answer": answer} for answer in said]})
        verdicts = [Verdict(Candidate(sql, "e"), sql) for sql in (first, second)]
        judge = RowsJudge(writer, opened)
        return await judge.rule(Question("?"), verdicts[0], verdicts[1], found), len(writer.asked)

    assert await ruled(one, one, other) == (Ruling.FIRST, 2)
    assert await ruled(one, other, other) == (Ruling.SECOND, 3)
    # two that cannot be read leave no majority to a third
    assert await ruled("?", "?", one) == (Ruling.DRAW, 2)


def test_what_has_no_rows_is_one_answer_for_a_judge() -> None:
    columns = tuple(ResultColumn(str(n), 25) for n in range(2))
    assert same(ResultSet(columns, ()), ResultSet(columns[:1], ((None,),)), JUDGED)
    assert not same(ResultSet(columns[:1], (("x",),)), ResultSet(columns, (("x", "x"),)), JUDGED)
