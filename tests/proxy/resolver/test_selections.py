"""The setting `selection`: each paper's rule decides an ASK through the wire; its ruling is the answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import psycopg
import pytest
from doubles.asked import AskedServer, Connection, asked_server, listen, rows
from doubles.model_doubles import source
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.bench.models.scripted_model import ScriptedModel
from askwire.core.settings.table import load
from askwire.core.types import ResultColumn, ResultSet
from askwire.proxy.resolver.judging import Judges
from askwire.proxy.resolver.selections import allowed
from askwire.selector.sandbox.running import CodeFailed, Sandbox

DOGS = "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name"
OLD = "SELECT name FROM pets WHERE age > 3 ORDER BY name"
FAT = "SELECT name FROM pets WHERE weight > 50 ORDER BY name"
BROKEN = "SELECT age / 0 FROM pets"
FIRST, SECOND = (f"SELECT name FROM pets WHERE id = {number}" for number in (1, 2))
ASK = "ASK 'who is it'"


@pytest.fixture
def pets(empty_database: OwnDatabase) -> OwnDatabase:
    with empty_database.owner() as connection:
        connection.execute(
            "CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, age int, weight int)"
        )
        connection.execute(
            "INSERT INTO pets VALUES (1, 'Rex', 'dog', 2, 9), (2, 'Tom', 'cat', 9, 4),"
            " (3, 'Bo', 'pig', 1, 90)"
        )
    return empty_database


class Solves:
    """A sandbox in which any code gives one result."""

    def __init__(self, *names: str) -> None:
        self._rows = tuple((name,) for name in names)

    async def start(self) -> None:
        pass

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        return ResultSet((ResultColumn("name", 25),), self._rows)

    async def close(self) -> None:
        pass


@asynccontextmanager
async def asking(
    pets: OwnDatabase,
    *sql: str,
    model: ScriptedModel | None = None,
    sandbox: Solves | None = None,
    **given: Any,
) -> AsyncIterator[tuple[AskedServer, Connection]]:
    """A server whose experts a, b, c, … propose these statements, and a connection through it."""
    judge: dict[str, Any] = {"judge": "local", "egress": "rows"} if model else {}
    async with asked_server(pets, pins="off", **(judge | given)) as asked:
        asked.experts = [Says(chr(97 + number), text) for number, text in enumerate(sql)]
        if model is not None:
            asked.resolver.pipeline.judging = Judges([source(model)], asked.resolver.pipeline.clock)
            if sandbox is not None:
                asked.resolver.pipeline.judging._sandbox = cast("Sandbox", sandbox)
        async with asked.connection() as connection:
            yield asked, connection
        await asked.resolver.pipeline.judging.close()


def answering(*names: str) -> Callable[[str], Awaitable[str]]:
    """A model that works out the same names on any rows that hold them, and writes code where asked."""

    async def answer(prompt: str) -> str:
        found = [[name] for name in names if name in prompt]
        return json.dumps({"workout": "…", "answer": found, "code": "result = …", "steps": "…"})

    return answer


async def neither(prompt: str) -> str:
    """A model whose answer is no reading's."""
    return json.dumps({"workout": "…", "answer": [["Zoe"]]})


async def why(connection: Connection, step: str) -> list[str]:
    return [what for name, what in await rows(connection, "ASK (WHY) 'who is it'") if name == step]


async def test_the_most_candidates_decide_and_a_tie_is_no_error(pets: OwnDatabase) -> None:
    async with asking(pets, FIRST, SECOND) as (asked, connection):
        with pytest.raises(psycopg.Error) as ambiguous:
            await rows(connection, ASK)
        assert ambiguous.value.sqlstate == "NL001"
        await connection.execute("SET askwire.selection = 'majority'")
        assert await rows(connection, ASK) == [("Rex",)]
        asked.experts = [Says("a", FIRST), Says("b", SECOND), Says("c", SECOND)]
        told = listen(connection)
        assert await rows(connection, ASK) == [("Tom",)]
        assert "2 of 3 candidates give this answer" in told[-1][1]
        assert await why(connection, "selection") == [
            "majority: reading 1, support 0.6667, votes 2",
            "majority: reading 2, support 0.3333, votes 1",
        ]


async def test_feedback_gives_the_weighted_majority_its_weights(pets: OwnDatabase) -> None:
    async with asking(pets, DOGS, OLD, selection="wma") as (_, connection):
        assert await rows(connection, ASK) == [("Rex",)], "equal weights: the first"
        await rows(connection, "ASK WRONG")
        told = listen(connection)
        assert await rows(connection, "ASK 'who else'") == [("Tom",)]
        # one mistake leaves an expert 1 - 0.1 of its weight
        assert "1.00 of 1.90 of the experts' weight" in told[-1][1]


async def test_the_randomised_form_draws_the_same_for_the_same_question(pets: OwnDatabase) -> None:
    async with asking(pets, DOGS, OLD, selection="rwma") as (_, connection):
        drawn = {}
        for number in range(24):
            question = f"ASK 'who is it, {number}'"
            drawn[number] = await rows(connection, question)
            if number < 4:
                assert await rows(connection, question) == drawn[number]
        counts = [sum(found == [(name,)] for found in drawn.values()) for name in ("Rex", "Tom")]
        assert sum(counts) == 24
        assert min(counts) >= 4, "both are drawn"
        (reason,) = await why(connection, "confidence")
        assert reason in {f"the answer of {expert}, drawn with probability 0.50" for expert in "ab"}


async def test_points_decide_a_tournament(pets: OwnDatabase) -> None:
    model = ScriptedModel([answering("Bo")] * 12)
    async with asking(pets, DOGS, DOGS, OLD, FAT, model=model) as (_, connection):
        await connection.execute("SET askwire.selection = 'si-tournament'")
        told = listen(connection)
        assert await rows(connection, ASK) == [("Bo",)]
        assert "2 of 2 points in duels, 1 for a win and ½ for a draw" in told[-1][1]


async def test_level_on_points_the_larger_cluster_wins(pets: OwnDatabase) -> None:
    model = ScriptedModel([neither] * 24)
    async with asking(pets, DOGS, OLD, OLD, model=model, selection="si-tournament") as (_, connection):
        assert await rows(connection, ASK) == [("Tom",)]
        assert await why(connection, "selection") == [
            "si-tournament: reading 1, support 0.5, points 0.5",
            "si-tournament: reading 2, support 0.5, points 0.5",
        ]


@pytest.mark.parametrize(("solved", "chosen"), [("Tom", "Tom"), ("Rex", "Rex"), ("", "Rex")])
async def test_the_closer_to_the_code_of_champion_and_challenger(
    pets: OwnDatabase, solved: str, chosen: str
) -> None:
    model = ScriptedModel([answering()] * 12)
    sandbox = OnItsRows(solved)
    experts = (DOGS, DOGS, DOGS, OLD, OLD, FAT)
    given: dict[str, Any] = {"selection": "dpc", "judge_by": "python"}
    async with asking(pets, *experts, model=model, sandbox=sandbox, **given) as (_, connection):
        assert await rows(connection, ASK) == [(chosen,)]
        if solved:
            assert len(model.calls) == 1


class OnItsRows(Solves):
    """Answers as the dogs, the old ones, or with no code that runs."""

    def __init__(self, solved: str) -> None:
        self._solved = solved

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        (pets,) = tables.values()
        place = {column.name: number for number, column in enumerate(pets.columns)}
        held = {
            "Rex": lambda row: row[place["kind"]] == "dog",
            "Tom": lambda row: row[place["age"]] is not None and int(row[place["age"]]) > 3,
        }.get(self._solved)
        if held is None:
            raise CodeFailed("no such column")
        names = tuple((row[place["name"]],) for row in pets.rows if held(row))
        return ResultSet((ResultColumn("name", 25),), names)


async def test_a_model_breaks_the_tie_of_the_largest(pets: OwnDatabase) -> None:
    async def second(prompt: str) -> str:
        return json.dumps({"why": "…", "number": 2})

    model = ScriptedModel([second] * 2)
    async with asking(pets, DOGS, OLD, OLD, model=model, selection="apex") as (asked, connection):
        assert await rows(connection, ASK) == [("Tom",)], "no tie: no one is asked"
        assert not model.calls
        asked.experts = [Says("a", DOGS), Says("b", OLD), Says("c", DOGS), Says("d", OLD), Says("e", FAT)]
        told = listen(connection)
        assert await rows(connection, ASK) == [("Tom",)]
        assert len(model.calls) == 1
        assert "weight > 50" not in model.calls[0].text
        assert "2 answers have as many votes, and the judge chose this one" in told[-1][1]


async def test_what_does_not_run_is_no_answer_of_any_rule(pets: OwnDatabase) -> None:
    async with asking(pets, BROKEN, BROKEN, selection="majority") as (asked, connection):
        with pytest.raises(psycopg.Error) as nothing_ran:
            await rows(connection, ASK)
        assert nothing_ran.value.sqlstate == "NL003"
        asked.experts = [Says("a", "SELECT pg_sleep(1)")]
        with pytest.raises(psycopg.Error) as refused:
            await rows(connection, ASK)
        assert refused.value.sqlstate == "NL006"


@pytest.mark.parametrize(
    ("given", "asked_for", "told"),
    [
        ({}, "si-tournament", "needs a judge, and no judge is configured"),
        ({"judge": "nobody"}, "apex", 'needs a judge, and no expert is called "nobody"'),
        ({"judge": "local", "egress": "schema"}, "si-tournament", "may not see rows"),
        ({"judge": "local", "egress": "rows"}, "dpc", 'judge_by is "hand"'),
        ({"selections": "wma"}, "majority", 'cannot be "majority" here'),
        ({"on_ambiguity": "error"}, "majority", 'cannot be "majority" here'),
        ({"answer_confidence": "0.9"}, "rwma", 'cannot be "rwma" here'),
        ({"selections": "wma", "max_error": "0.1"}, "wma", "which selection"),
    ],
)
async def test_what_cannot_decide_here_is_said_with_the_remedy(
    pets: OwnDatabase, given: dict[str, Any], asked_for: str, told: str
) -> None:
    async with asking(pets, DOGS, OLD, **given) as (asked, connection):
        asked.resolver.pipeline.judging = Judges([source(ScriptedModel([]))], asked.resolver.pipeline.clock)
        await connection.execute(f"SET askwire.selection = '{asked_for}'")
        with pytest.raises(psycopg.Error) as wrong:
            await rows(connection, ASK)
        assert wrong.value.sqlstate == "22023"
        assert told in str(wrong.value.diag.message_primary)
        assert wrong.value.diag.message_hint
        await connection.execute("RESET askwire.selection")
        if "selections" in given and "max_error" not in given:
            await connection.execute("SET askwire.selection = 'wma'")
            assert await rows(connection, ASK)


def test_a_rule_that_refuses_keeps_out_what_it_does_not_hold_for() -> None:
    assert allowed(load({"selections": "none"})) == {"posterior"}
    assert allowed(load({"selections": "dpc, wma", "max_error": "0.1"})) == {"posterior", "dpc", "wma"}
    assert "majority" in allowed(load({}))
    assert allowed(load({"max_error": "0.1"})) == {"posterior"}


async def test_a_pin_is_of_one_rule(pets: OwnDatabase) -> None:
    async with asking(pets, DOGS, OLD, OLD) as (asked, connection):
        await connection.execute("SET askwire.pins = 'on'")
        await connection.execute("SET askwire.selection = 'majority'")
        assert await rows(connection, ASK) == [("Tom",)]
        asked.experts = [Says("a", DOGS), Says("b", OLD), Says("c", DOGS)]
        await connection.execute("SET askwire.selection = 'wma'")
        assert await rows(connection, ASK) == [("Rex",)]
