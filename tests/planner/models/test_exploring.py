"""The exploring agent: its actions, what it is shown, its bounds, and what becomes of an unruly one."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.model_stages import acted, said, staged, to, wrote
from servers.databases import Database

from askwire.core.egress import Disclosure, Kind
from askwire.core.types import ResultColumn, ResultSet
from askwire.llm.budget import Limits
from askwire.llm.providers.mock_server import Answer
from askwire.planner.models.data_look import summary
from askwire.planner.models.exploring.history import History

SHOP = """
CREATE TABLE orders (id int PRIMARY KEY, state text, amount numeric);
INSERT INTO orders SELECT g, (ARRAY['CA', 'NY', NULL])[1 + g % 3], g FROM generate_series(1, 100) g;
"""
ASKED = "how many orders went to California?"
SQL = "SELECT count(*) FROM orders WHERE state = 'CA'"
APEX: dict[str, Any] = {"model_strategy": "apex", "model_plan": "off"}


CONFIRMS = to("confirm", said(confirmed=True, missing=""))


def explore(text: str, **more: int) -> Answer:
    return to("explore", text, **more)


SCRIPT = (
    explore(
        acted("EXPLORE", queries=["SELECT DISTINCT state FROM orders", "SELECT nope FROM orders"]), times=1
    ),
    explore(acted("REFINE", thoughts="states are two letters"), times=1),
    explore(acted("SQL", sql="SELECT count(*) FROM order"), times=1),
    explore(acted("REFINE", thoughts="the table is called orders"), times=1),
    explore(acted("SQL", sql=SQL, reading="orders of California"), times=1),
    CONFIRMS,
)


async def test_it_explores_takes_stock_writes_corrects_and_confirms(database: Database) -> None:
    async with staged(database, SHOP, ASKED, *SCRIPT, **APEX) as at:
        (found,) = await at.propose()
        assert (found.sql, found.reading) == (SQL, "orders of California")
        first, second, third, fourth, fifth = at.prompts("explore")
        (last,) = at.prompts("confirm")
        assert "Actions left: 10." in first
        assert 'row "CA"' in second
        assert 'sqlstate "42703"' in second
        assert 'own words "states are two letters"' in third
        assert 'statistics "SQL, failed"' in fourth
        assert 'own words "the table is called orders"' in fifth
        assert "states are two letters" not in fifth, "thoughts give way to later ones"
        assert 'row "CA"' in fifth, "results are kept"
        assert 'row "33"' in last
        assert f'sql "{SQL}"' in last
        assert ASKED in last
        # all begin alike up to what was done, and go on alike until thoughts are consolidated
        head = first.partition("Actions left")[0].rstrip()
        assert all(prompt.startswith(head) for prompt in (second, third, fourth, fifth))
        (explored,) = at.events("explored")
        assert (explored["actions"], explored["queries"], explored["confirmed"]) == (6, 2, True)
        assert at.steps == {"explore": 5, "confirm": 1}


async def test_what_a_confirmation_misses_is_told_and_work_goes_on(database: Database) -> None:
    script = (
        explore(acted("SQL", sql="SELECT count(*) FROM orders"), times=1),
        to("confirm", said(confirmed=False, missing="went to California"), times=1),
        explore(acted("SQL", sql=SQL), times=1),
        CONFIRMS,
    )
    async with staged(database, SHOP, ASKED, *script, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        _, second = at.prompts("explore")
        assert 'own words "The last query misses something: went to California"' in second
        assert at.steps == {"explore": 2, "confirm": 2}


@pytest.mark.parametrize("text", [acted("CONFIRM"), acted("SQL", sql=SQL), said(confirmed=False, missing="")])
async def test_other_forms_of_a_confirmation_are_read(database: Database, text: str) -> None:
    script = (explore(acted("SQL", sql=SQL), times=1), to("confirm", text))
    async with staged(database, SHOP, ASKED, *script, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.steps == {"explore": 1, "confirm": 1}


@pytest.mark.parametrize(
    "text",
    [
        "[SQL]\n```sql\n" + SQL + ";\n```",
        SQL,
        '<think>hm {"action": "CONFIRM"}</think>' + acted("SQL", sql=SQL),
        acted("sql", sql=SQL),
        wrote(SQL),
    ],
)
async def test_other_forms_of_an_action_are_read(database: Database, text: str) -> None:
    async with staged(database, SHOP, ASKED, explore(text), CONFIRMS, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.steps == {"explore": 1, "confirm": 1}


ENDLESS = {
    "explores": [explore(acted("EXPLORE", queries=[f"SELECT {n} LIMIT 0"]), times=1) for n in range(60)],
    "repeats": [explore(acted("EXPLORE", queries=["SELECT 1 FROM orders"]))],
    "thinks": [explore(acted("REFINE", thoughts="hm"))],
    "confirms nothing": [explore(acted("CONFIRM"))],
    "no action": [explore("I am thinking about it.")],
    "an empty object": [explore("{}")],
    "queries of no kind": [explore(acted("EXPLORE", queries=["", ";"]))],
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("effort", ["balanced", "thorough"])
async def test_who_never_ends_is_made_to_write(database: Database, kind: str, effort: str) -> None:
    asked_in_words = Answer(match="The only action that counts now is SQL", text=acted("SQL", sql=SQL))
    async with staged(database, SHOP, ASKED, asked_in_words, *ENDLESS[kind], effort=effort, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        (explored,) = at.events("explored")
        assert explored["forced"]
        assert explored["actions"] <= {"balanced": 8, "thorough": 38}[effort]
        assert at.steps["explore, forced"] == 1
        if kind == "explores":
            assert explored["actions"] == {"balanced": 8, "thorough": 38}[effort]
        else:
            assert explored["actions"] <= 6, "nothing new came of it"


@pytest.mark.parametrize("kind", ENDLESS)
async def test_who_cannot_even_be_forced_is_asked_for_the_query_instead(
    database: Database, kind: str
) -> None:
    async with staged(database, SHOP, ASKED, *ENDLESS[kind], to("generate", wrote(SQL)), **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.steps["explore, forced"] <= 3
        assert at.steps["generate"] == 1


async def test_tokens_bound_it_too(database: Database) -> None:
    wide = f"{SHOP} CREATE TABLE wide ({', '.join(f'quite_a_long_column_name_{n} text' for n in range(60))});"
    many = [explore(acted("EXPLORE", queries=[f"SELECT {n} FROM orders"]), times=1) for n in range(60)]
    forced = Answer(match="The only action that counts now is SQL", text=acted("SQL", sql=SQL))
    async with staged(database, wide, ASKED, forced, *many, effort="thorough", **APEX) as at:
        await at.propose()
        (explored,) = at.events("explored")
        assert explored["forced"]
        assert explored["actions"] < 38
        assert 40_000 < explored["tokens"] <= 56_000


@pytest.mark.parametrize("limits", [Limits(calls=4), Limits(tokens=9000)])
async def test_a_budget_that_goes_down_makes_it_write(database: Database, limits: Limits) -> None:
    many = [explore(acted("EXPLORE", queries=[f"SELECT {n} FROM orders"]), times=1) for n in range(60)]
    forced = Answer(match="The only action that counts now is SQL", text=acted("SQL", sql=SQL))
    async with staged(database, SHOP, ASKED, forced, *many, limits=limits, effort="thorough", **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.planning.purse.spent.calls <= (limits.calls or 99)
        assert at.planning.purse.spent.tokens <= (limits.tokens or 99_999)


async def test_forty_queries_in_one_answer_are_too_many(database: Database) -> None:
    many = acted("EXPLORE", queries=[f"SELECT {n} FROM orders" for n in range(40)])
    async with staged(
        database, SHOP, ASKED, explore(many, times=1), explore(acted("SQL", sql=SQL)), CONFIRMS, **APEX
    ) as at:
        await at.propose()
        assert len(at.events("probed")) == 6
        _, second = at.prompts("explore")
        assert "only the first 5 queries are run" in second


@pytest.mark.parametrize(
    "sql", ["DROP TABLE orders", "SELECT pg_sleep(60)", "SELECT 1; SELECT 2", "COPY orders TO PROGRAM 'id'"]
)
async def test_forbidden_statements_run_nowhere(database: Database, sql: str) -> None:
    script = (
        explore(acted("EXPLORE", queries=[sql]), times=1),
        explore(acted("SQL", sql=sql), times=1),
        explore(acted("SQL", sql=SQL), times=1),
        CONFIRMS,
    )
    async with staged(database, SHOP, ASKED, *script, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        _, second, third = at.prompts("explore")
        assert 'sqlstate "NL006"' in second
        assert third.count('sqlstate "NL006"') == 2


async def test_an_endpoint_that_dies_in_the_middle_leaves_the_last_query_that_ran(database: Database) -> None:
    script = (explore(acted("SQL", sql=SQL), times=1), explore("", status=504))
    async with staged(database, SHOP, ASKED, *script, **APEX) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert len(at.events("exploring ended")) == 1


async def test_as_many_agents_as_samples_agree_or_do_not(database: Database) -> None:
    other = SQL.replace("count(*)", "count(id)")
    script = (
        explore(acted("SQL", sql=other), times=1),
        explore(acted("SQL", sql=SQL), times=2),
        CONFIRMS,
    )
    async with staged(
        database, SHOP, ASKED, *script, expert={"samples": 3, "temperature": 0.8}, **APEX
    ) as at:
        first, second = await at.propose()
        assert (first.sql, first.score, second.sql) == (SQL, 2.0, other)
        assert {a.body["temperature"] for a in at.server.asked} == {0.8}


async def test_below_rows_it_does_not_explore(database: Database) -> None:
    async with staged(database, SHOP, ASKED, to("generate", wrote(SQL)), egress="schema", **APEX) as at:
        await at.propose()
        assert at.steps == {"generate": 1}


def result(rows: int, *, truncated: bool = False) -> ResultSet:
    columns = (ResultColumn("id", 23), ResultColumn("state", 25), ResultColumn("odd", 4711))
    cells = tuple((str(n), "CA" if n % 2 else None, "x") for n in range(rows))
    return ResultSet(columns, cells, truncated)


def test_thirty_rows_are_told_whole_and_more_as_ten_and_a_summary() -> None:
    (nothing,) = summary(result(0))
    assert (nothing.kind, nothing.text) == (Kind.RESULT, "no rows")
    whole = summary(result(30))
    assert [part.kind for part in whole] == [Kind.HEADER, *([Kind.ROW] * 30)]
    told = summary(result(31))
    assert [part.kind for part in told] == [
        Kind.HEADER,
        *([Kind.ROW] * 10),
        Kind.RESULT,
        *([Kind.STATISTICS] * 3),
    ]
    assert [part.text for part in told[11:]] == [
        "31 rows; the first 10 stand above",
        "id: integer, 31 different, 0% NULL",
        "state: text, 1 different, 52% NULL",
        "odd: some other type, 1 different, 0% NULL",
    ]
    cut = summary(result(40, truncated=True))
    assert cut[11].text == "at least 40 rows; the first 10 stand above"
    assert cut[12].text == "id: integer, of the first 40 40 different, 0% NULL"


def test_few_rows_that_are_long_are_summarised_too() -> None:
    long = ResultSet((ResultColumn("t", 25),) * 12, (("x" * 5000,) * 12,) * 20)
    told = summary(long)
    assert sum(len(part.text) for part in told) < 8000
    assert told[-1].kind is Kind.STATISTICS


def test_old_results_are_told_in_brief_when_there_is_no_room() -> None:
    history = History()
    for n in range(8):
        history.add([Disclosure(Kind.ROW, f"{n} " + "x" * 700)], [Disclosure(Kind.ROW, f"brief {n}")])
    told = [part.text.split(" x")[0] for part in history.parts(900)]
    assert told == [*(f"brief {n}" for n in range(4)), "4", "5", "6", "7"]
    assert history.parts(0) == []
