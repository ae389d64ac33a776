"""Duels over databases made for them: by rule or by a model, answered by hand or by code, and compared."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from doubles.judge_doubles import ScriptedWriter
from doubles.tracing_session import Session, session
from servers.databases import Database

from askwire.core.types import Candidate, Question, ResultColumn, ResultSet, Verdict
from askwire.llm.prompts import Input
from askwire.selector.duels.answering import read_answer
from askwire.selector.duels.chooser import ModelChooser
from askwire.selector.duels.judges import DualParadigmJudge, Parts, RowsJudge
from askwire.selector.duels.pair import Pair, Unusable
from askwire.selector.duels.slicing import frames, row_parts, sliced
from askwire.selector.instances import Instance, separate
from askwire.selector.judge import Judge, Ruling
from askwire.selector.sandbox.running import CodeFailed, Sandbox, SandboxOff, available

TABLES = """
CREATE SCHEMA duels; SET search_path TO duels;
CREATE TABLE clubs (id int PRIMARY KEY, name text NOT NULL, city text, founded date);
CREATE TABLE players (id int PRIMARY KEY, club int REFERENCES clubs, name text, goals int);
INSERT INTO clubs VALUES (1, 'Reds', 'York', '1900-01-01'), (2, 'Blues', 'Bath', NULL);
INSERT INTO players VALUES (1, 1, 'Ann', 3), (2, 1, 'Bob', 5), (3, 2, 'Cid', 7);
"""
QUESTION = Question("How many clubs have a player with more than 4 goals?")
RIGHT = "SELECT count(DISTINCT c.id) FROM clubs c JOIN players p ON p.club = c.id WHERE p.goals > 4"
WRONG = "SELECT count(*) FROM clubs c JOIN players p ON p.club = c.id WHERE p.goals > 4"
SOLVED = "result = [players[players['goals'] > 4]['club'].nunique()]"


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(TABLES.encode())
    return database


@pytest.fixture
async def asker(filled: Database) -> AsyncIterator[Session]:
    async with session(filled.dsn(), "SET search_path TO duels") as asker:
        yield asker


def verdict(sql: str) -> Verdict:
    return Verdict(Candidate(sql, "e"), sql)


def pairs(asker: Session) -> Callable[[str, str], Any]:
    async def opened(first: str, second: str) -> Pair | None:
        return await Pair.opened(first, second, asker.catalog, asker.executor)

    return opened


async def made(asker: Session, first: str, second: str) -> Instance:
    pair = await Pair.opened(first, second, asker.catalog, asker.executor)
    assert pair is not None
    instance = await pair.by_rules()
    assert instance is not None
    return instance


class ScriptedSandbox:
    """A sandbox that gives results as told; what is no result is a failure."""

    def __init__(self, *told: ResultSet | str) -> None:
        self.told = list(told)
        self.ran: list[str] = []

    async def start(self) -> None:
        if self.told == ["never"]:
            raise SandboxOff("off here")

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        self.ran.append(code)
        told = self.told.pop(0)
        if isinstance(told, str):
            raise SandboxOff("off here") if told == "off" else CodeFailed(told)
        return told


def number(value: int) -> ResultSet:
    return ResultSet((ResultColumn("n", 20),), ((str(value),),))


async def ruled(asker: Session, judge: Judge, first: str = WRONG, second: str = RIGHT) -> Ruling:
    found = await separate(first, second, asker.catalog, asker.executor)
    return await judge.rule(QUESTION, verdict(first), verdict(second), found.instance or found.witness)


# -- databases -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (WRONG, RIGHT),
        ("SELECT name FROM players WHERE goals > 4", "SELECT name FROM players WHERE goals >= 4"),
        (
            "SELECT c.name FROM clubs c JOIN players p ON p.club = c.id",
            "SELECT c.name FROM clubs c LEFT JOIN players p ON p.club = c.id",
        ),
        ("SELECT count(city) FROM clubs", "SELECT count(*) FROM clubs"),
        ("SELECT name FROM clubs", "SELECT DISTINCT name FROM clubs"),
        (
            "SELECT name FROM clubs WHERE city <> 'York'",
            "SELECT name FROM clubs WHERE city IS DISTINCT FROM 'York'",
        ),
    ],
)
async def test_rules_make_a_small_database_on_which_two_queries_part(
    asker: Session, first: str, second: str
) -> None:
    instance = await made(asker, first, second)
    assert instance.answers[0] != instance.answers[1]
    assert 1 <= instance.size <= 4


async def test_no_table_is_touched(asker: Session) -> None:
    await made(asker, WRONG, RIGHT)
    found = await asker.conn.execute("SELECT count(*) FROM clubs UNION ALL SELECT count(*) FROM players")
    assert await found.fetchall() == [(2,), (3,)]
    assert not asker.conn.info.transaction_status


async def test_queries_that_never_differ_have_no_database(asker: Session) -> None:
    pair = await Pair.opened(
        "SELECT id FROM clubs", "SELECT c.id FROM clubs c", asker.catalog, asker.executor
    )
    assert pair is not None
    assert await pair.by_rules() is None


async def test_what_cannot_be_traced_makes_no_pair(asker: Session) -> None:
    assert await Pair.opened("SELECT 1", "not a query", asker.catalog, asker.executor) is None


async def test_a_model_s_rows_are_a_database(asker: Session) -> None:
    pair = await Pair.opened(WRONG, RIGHT, asker.catalog, asker.executor)
    assert pair is not None
    instance = await pair.of_rows(
        {
            "clubs": [{"id": 1, "name": "Reds"}],
            "players": [{"id": 1, "club": 1, "goals": 9}, {"id": 2, "club": 1, "goals": 8}],
            "nothing": [{"x": 1}],
        }
    )
    assert instance.synthetic
    assert [answer.rows for answer in instance.answers] == [(("2",),), (("1",),)]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ({}, "no row"),
        ({"clubs": "none"}, "no row"),
        ({"clubs": [{"id": 1, "name": "x"}, {"id": 1, "name": "y"}]}, "the same key"),
        ({"clubs": [{"id": 1}]}, "must not be empty"),
        ({"clubs": [{"id": 1, "name": "x"}]}, "the same answer"),
        ({"clubs": [{"id": "one", "name": "x"}]}, "cannot be evaluated|does not fit"),
    ],
)
async def test_rows_that_tell_nothing_are_said_to(asker: Session, rows: dict[str, Any], why: str) -> None:
    pair = await Pair.opened(WRONG, RIGHT, asker.catalog, asker.executor)
    assert pair is not None
    with pytest.raises(Unusable, match=why):
        await pair.of_rows(rows)
    # and the pair is as good as before
    good = {"clubs": [{"id": 1, "name": "R"}], "players": [{"id": n, "club": 1, "goals": 9} for n in (1, 2)]}
    assert (await pair.of_rows(good)).size == 3


async def test_a_slice_shows_what_the_two_need(asker: Session) -> None:
    pair = await Pair.opened(WRONG, RIGHT, asker.catalog, asker.executor)
    assert pair is not None
    lines = [part.text for part in (await sliced(pair)).parts()]
    assert lines == [
        "clubs(id integer), key id",
        "players(id integer, club integer, goals integer), key id, club refers to clubs(id)",
    ]
    whole = [part.text for part in (await sliced(pair, whole=True)).parts()]
    assert "founded date" in whole[0]
    instance = await made(asker, WRONG, RIGHT)
    shown = await sliced(pair)
    assert {part.text.split(" ")[0] for part in row_parts(instance, shown)} == {"clubs", "players"}
    assert [c.name for c in frames(instance, shown)["players"].columns] == ["id", "club", "goals"]


# -- the judge on rows -----------------------------------------------------------------------------------


def answers(*rows: list[Any]) -> ScriptedWriter:
    return ScriptedWriter({"answer": [{"answer": row} for row in rows]})


async def test_the_model_s_answer_decides_between_the_two(asker: Session) -> None:
    found = await separate(WRONG, RIGHT, asker.catalog, asker.executor)
    rows = found.instance or found.witness
    assert rows is not None
    theirs, ours = (int(a.rows[0][0] or "") for a in rows.answers)
    for said, ruling in (
        ([[ours]], Ruling.SECOND),
        ([[theirs]], Ruling.FIRST),
        ([[99]], Ruling.DRAW),
        ([], Ruling.DRAW),
    ):
        why: list[str] = []
        judge = RowsJudge(answers(said, said, said), pairs(asker), because=why.append)
        assert await ruled(asker, judge) is ruling
        whose = {Ruling.FIRST: "the first reading's", Ruling.SECOND: "the second reading's"}
        assert why == ["the model's answer on the rows is " + whose.get(ruling, "neither reading's")]
    # most of three count, and a tie of voices is none
    voices = answers([[ours]], [[theirs]], [[ours]])
    assert await ruled(asker, RowsJudge(voices, pairs(asker))) is Ruling.SECOND
    assert await ruled(asker, RowsJudge(answers([[ours]], [[1234]], [[99]]), pairs(asker))) is Ruling.DRAW


async def test_the_width_is_told_only_where_both_agree_on_it(asker: Session) -> None:
    def told(inputs: Mapping[str, Input]) -> dict[str, Any]:
        widths.append(inputs["width"])
        return {}

    widths: list[Input] = []
    judge = RowsJudge(ScriptedWriter({"answer": told}), pairs(asker), voices=1)
    await ruled(asker, judge)
    await ruled(asker, judge, "SELECT name FROM clubs", "SELECT name, city FROM clubs")
    first, second = widths
    assert isinstance(first, list)
    assert "1 values" in first[0].text
    assert second == []


async def test_without_rows_or_an_answer_it_is_a_draw(asker: Session) -> None:
    why: list[str] = []
    judge = RowsJudge(answers(), pairs(asker), because=why.append)
    assert await judge.rule(QUESTION, verdict(WRONG), verdict(RIGHT), None) is Ruling.DRAW
    assert await ruled(asker, judge) is Ruling.DRAW
    assert why == ["no rows tell the two apart", "the model gave no answer that can be read"]


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        ([[1, "x"], [None, "y"]], (("1", "x"), (None, "y"))),
        ([1, 2], (("1",), ("2",))),
        ([[True]], (("t",),)),
        ([], ()),
        ([[1], [1, 2]], None),
        ([[{"a": 1}]], None),
        ("5", None),
        ([[1]] * 1000, None),
    ],
)
def test_answers_are_read_with_care(given: Any, rows: Any) -> None:
    answer = read_answer({"answer": given})
    assert (answer.rows if answer else None) == rows


# -- dual paradigm ---------------------------------------------------------------------------------------


def solver(*codes: str, **script: Any) -> ScriptedWriter:
    return ScriptedWriter({"solve": [{"code": code} for code in codes], **script})


async def test_code_decides_for_the_challenger(asker: Session) -> None:
    instance = await made(asker, WRONG, RIGHT)
    champion, challenger = (int(a.rows[0][0] or "") for a in instance.answers)
    judge = DualParadigmJudge(solver("x"), pairs(asker), ScriptedSandbox(number(challenger)))
    assert await ruled(asker, judge) is Ruling.SECOND
    judge = DualParadigmJudge(solver("x"), pairs(asker), ScriptedSandbox(number(champion)))
    assert await ruled(asker, judge) is Ruling.FIRST
    judge = DualParadigmJudge(solver("x"), pairs(asker), ScriptedSandbox(number(99)))
    assert await ruled(asker, judge) is Ruling.DRAW


@pytest.mark.parametrize(
    ("writer", "sandbox", "why"),
    [
        (solver(), ScriptedSandbox(), "the model wrote no code"),
        (
            solver("x", "y"),
            ScriptedSandbox("KeyError", "KeyError"),
            "the model wrote no code after code that failed",
        ),
        (solver(*"vwxy"), ScriptedSandbox(*["KeyError"] * 4), "the model's code failed, 4 times"),
        (solver("x"), ScriptedSandbox("off"), "no code can be run: off here"),
        (
            solver("x"),
            ScriptedSandbox(number(99)),
            "the model's answer scores 0.00 with the first, 0.00 with the second",
        ),
    ],
)
async def test_on_failure_the_champion_stays_and_is_told_why(
    asker: Session, writer: ScriptedWriter, sandbox: ScriptedSandbox, why: str
) -> None:
    said: list[str] = []
    judge = DualParadigmJudge(writer, pairs(asker), sandbox, because=said.append)
    assert await ruled(asker, judge) is Ruling.DRAW
    assert said == [why]


async def test_nobody_is_asked_for_code_where_none_can_be_run(asker: Session) -> None:
    writer = solver("x")
    judge = DualParadigmJudge(writer, pairs(asker), ScriptedSandbox("never"))
    assert await ruled(asker, judge) is Ruling.DRAW
    assert writer.asked == []
    by_hand = DualParadigmJudge(writer, pairs(asker), ScriptedSandbox("never"), Parts(python=False))
    await ruled(asker, by_hand)
    assert writer.asked != []


async def test_the_solver_puts_its_code_right_a_few_times(asker: Session) -> None:
    instance = await made(asker, WRONG, RIGHT)
    right = ResultSet((ResultColumn("n", 20),), instance.answers[1].rows)
    broken = ["KeyError: 'a'", "KeyError: 'b'", "KeyError: 'c'"]
    writer = solver("1", "2", "3", "4")
    assert (
        await ruled(asker, DualParadigmJudge(writer, pairs(asker), ScriptedSandbox(*broken, right)))
        is Ruling.SECOND
    )
    told = writer.asked[-1][1]["trouble"]
    assert isinstance(told, list)
    assert [part.text for part in told] == ["2", "KeyError: 'b'", "3", "KeyError: 'c'"]
    # without self-correction the first failure is the end
    judge = DualParadigmJudge(
        solver("1", "2"), pairs(asker), ScriptedSandbox("KeyError", right), Parts(corrections=0)
    )
    assert await ruled(asker, judge) is Ruling.DRAW


LIST = "SELECT name FROM players ORDER BY name"
MORE = "SELECT name, goals FROM players ORDER BY name"


async def test_soft_f1_sees_what_is_nearly_right(asker: Session) -> None:
    async def ruling(**parts: Any) -> Ruling:
        instance = await made(asker, LIST, MORE)
        near = ResultSet(
            (ResultColumn("name", 25), ResultColumn("goals", 25)),
            tuple((row[0], "many") for row in instance.answers[1].rows),
        )
        judge = DualParadigmJudge(solver("x"), pairs(asker), ScriptedSandbox(near), Parts(**parts))
        return await ruled(asker, judge, MORE, LIST)

    assert await ruling(soft_f1=False) is Ruling.DRAW
    assert await ruling(margin=0.0) is not Ruling.DRAW


async def test_a_margin_keeps_the_champion(asker: Session) -> None:
    instance = await made(asker, WRONG, RIGHT)
    right = ResultSet((ResultColumn("n", 20),), instance.answers[1].rows)
    judge = DualParadigmJudge(solver("x"), pairs(asker), ScriptedSandbox(right), Parts(margin=1.0))
    assert await ruled(asker, judge) is Ruling.DRAW


async def test_without_python_the_answer_is_worked_out_by_hand(asker: Session) -> None:
    instance = await made(asker, WRONG, RIGHT)
    said = [[int(instance.answers[1].rows[0][0] or "")]]
    sandbox = ScriptedSandbox()
    judge = DualParadigmJudge(answers(said), pairs(asker), sandbox, Parts(python=False))
    assert await ruled(asker, judge) is Ruling.SECOND
    assert sandbox.ran == []


async def test_without_tester_the_rows_are_real(asker: Session) -> None:
    shown: list[str] = []

    def told(inputs: Mapping[str, Input]) -> dict[str, Any]:
        rows = inputs["rows"]
        assert isinstance(rows, list)
        shown.extend(part.text for part in rows)
        return {}

    judge = DualParadigmJudge(
        ScriptedWriter({"solve": told}), pairs(asker), ScriptedSandbox(), Parts(tester=False)
    )
    assert await judge.rule(QUESTION, verdict(WRONG), verdict(RIGHT), None) is Ruling.DRAW
    assert shown == []
    first, second = "SELECT name FROM players WHERE goals > 5", "SELECT name FROM players WHERE goals >= 5"
    await ruled(asker, judge, first, second)
    assert shown == ['players {"id": 2, "name": "Bob", "goals": 5}']


async def test_without_slicer_all_columns_are_shown(asker: Session) -> None:
    schemas: list[str] = []

    def told(inputs: Mapping[str, Input]) -> dict[str, Any]:
        schema = inputs["schema"]
        assert isinstance(schema, list)
        schemas.append(" ".join(part.text for part in schema))
        return {}

    for slicer in (True, False):
        judge = DualParadigmJudge(
            ScriptedWriter({"solve": told}), pairs(asker), ScriptedSandbox(), Parts(slicer=slicer)
        )
        await ruled(asker, judge)
    assert ["founded" in schema for schema in schemas] == [False, True]


async def test_a_model_makes_rows_where_rules_find_none(asker: Session) -> None:
    class NoRules(Pair):
        async def by_rules(self) -> Instance | None:
            return None

    async def opened(first: str, second: str) -> Pair | None:
        return await NoRules.opened(first, second, asker.catalog, asker.executor)

    same = {"clubs": [{"id": 1, "name": "R"}]}
    good = same | {"players": [{"id": n, "club": 1, "goals": 9} for n in (1, 2)]}
    writer = solver("x", rows=[{"rows": same}, {"rows": good}])
    assert await ruled(asker, DualParadigmJudge(writer, opened, ScriptedSandbox(number(1)))) is Ruling.SECOND
    told = next(i["tried"] for name, i in reversed(writer.asked) if name == "rows")
    assert isinstance(told, list)
    assert told[-1].text == "both queries give the same answer on it"
    # T = 3 corrections, and then there is no database
    writer = solver("x", rows=[{"rows": same}] * 9)
    why: list[str] = []
    judge = DualParadigmJudge(writer, opened, ScriptedSandbox(), because=why.append)
    assert await ruled(asker, judge) is Ruling.DRAW
    assert why == ["no rows tell the two apart"]
    assert [name for name, _ in writer.asked] == ["rows"] * 4


@asynccontextmanager
async def real_sandbox() -> AsyncIterator[Sandbox]:
    if sys.platform != "linux" or (reason := available()):
        pytest.skip("no sandbox here" if sys.platform != "linux" else reason)
    sandbox = Sandbox()
    try:
        yield sandbox
    finally:
        await sandbox.close()


async def test_code_runs_in_the_sandbox(asker: Session) -> None:
    async with real_sandbox() as sandbox:
        writer = solver("import os", "result = players['nothing']", SOLVED)
        assert await ruled(asker, DualParadigmJudge(writer, pairs(asker), sandbox)) is Ruling.SECOND
        told = writer.asked[-1][1]["trouble"]
        assert isinstance(told, list)
        assert "module 'os' is not there" in told[1].text
        assert "KeyError" in told[3].text


# -- choosing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "chosen"),
    [({"number": 2}, 1), ({"number": 3}, None), ({"number": 0}, None), ({"number": True}, None), ({}, None)],
)
async def test_a_model_chooses_by_number(told: dict[str, Any], chosen: int | None) -> None:
    chooser = ModelChooser(ScriptedWriter({"choose": [told]}), lambda statements: [])
    assert await chooser.choose(QUESTION, [verdict(WRONG), verdict(RIGHT)]) == chosen
