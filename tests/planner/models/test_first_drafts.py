"""First drafts and second ones: whose tables count, who waits for whom, and examples of rows (SSEV)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from doubles.model_stages import Stage, staged, to, wrote
from servers.databases import Database

from askwire.core.errors import AskError
from askwire.core.types import Candidate
from askwire.llm.providers.mock_server import Answer
from askwire.planner.models.first_drafts import FirstDraft, linked
from askwire.sql.canonical.normal_form import NormalForm

SHOP = """
CREATE TABLE authors (id int PRIMARY KEY, name text);
CREATE TABLE books (id int PRIMARY KEY, author_id int REFERENCES authors, title text);
CREATE TABLE shelves (id int PRIMARY KEY, room text);
INSERT INTO authors VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy'), (4, 'Di');
INSERT INTO books VALUES (1, 1, 'One'), (2, 2, 'Two');
INSERT INTO shelves VALUES (1, 'attic');
"""
ASKED = "who wrote something?"
AUTHORS = "SELECT name FROM authors WHERE id < 3"
BOOKS = "SELECT a.name FROM authors a JOIN books b ON b.author_id = a.id"
SHELVES = "SELECT room FROM shelves"
SSEV: dict[str, Any] = {"model_strategy": "ssev", "effort": "thorough"}


async def all_propose(at: Stage) -> list[list[Candidate] | AskError]:
    async def one(number: int) -> list[Candidate] | AskError:
        try:
            return list(await at.experts[number].propose(at.planning))
        except AskError as error:
            return error

    return await asyncio.gather(*(one(number) for number in range(len(at.experts))))


def shown(prompt: str) -> set[str]:
    return {name for name in ("authors", "books", "shelves") if f'name "{name}(' in prompt}


def writes(*statements: str) -> tuple[Answer, ...]:
    return (
        *(to("generate", wrote(sql), times=1) for sql in statements[:-1]),
        to("generate", wrote(statements[-1])),
    )


def seconds(at: Stage) -> list[set[str]]:
    """What the prompts of the second round show, in their order."""
    return [shown(prompt) for prompt in at.prompts("generate")][len(at.experts) :]


async def test_the_second_round_is_over_the_tables_of_all_experts_first_drafts(database: Database) -> None:
    async with staged(database, SHOP, ASKED, *writes(AUTHORS, BOOKS), experts=2, **SSEV) as at:
        found = await all_propose(at)
        assert all(isinstance(one, list) for one in found)
        assert seconds(at) == [{"authors", "books"}] * 2


@pytest.mark.parametrize(
    ("setting", "tables"),
    [
        ("own", [{"authors"}, {"authors", "books"}, {"shelves"}]),
        ("union", []),
        ("voted", [{"authors", "books"}] * 3),
        ("off", []),
    ],
)
async def test_whose_tables_count_is_a_setting(
    database: Database, setting: str, tables: list[set[str]]
) -> None:
    """The union of all three is all there is: then no one would see anything else a second time."""
    async with staged(
        database, SHOP, ASKED, *writes(AUTHORS, BOOKS, SHELVES), experts=3, model_second=setting, **SSEV
    ) as at:
        await all_propose(at)
        assert sorted(map(sorted, seconds(at))) == sorted(map(sorted, tables))


async def test_who_fails_keeps_nobody_waiting(database: Database) -> None:
    script = (to("generate", status=504, times=1), to("generate", "no query", times=1), *writes(AUTHORS))
    async with staged(database, SHOP, ASKED, *script, experts=3, **SSEV) as at:
        found = await all_propose(at)
        assert sum(isinstance(f, AskError) for f in found) == 2
        assert [shown(p) for p in at.prompts("generate")][-1] == {"authors"}


async def test_who_is_slow_is_not_waited_for_beyond_its_time(database: Database) -> None:
    slow = to("generate", wrote(SHELVES), delay=60_000, times=1)
    async with staged(database, SHOP, ASKED, slow, *writes(AUTHORS), experts=2, seconds=3, **SSEV) as at:
        tasks = [asyncio.create_task(_proposed(at, number)) for number in (0, 1)]
        (done,), (waiting,) = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        assert done.result()[0].sql == AUTHORS
        assert [shown(p) for p in at.prompts("generate")][-1] == {"authors"}
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def _proposed(at: Stage, number: int) -> list[Candidate]:
    return list(await at.experts[number].propose(at.planning))


async def test_a_first_draft_that_fails_or_finds_nothing_is_refined_before_its_tables_count(
    database: Database,
) -> None:
    script = (
        *writes("SELECT nome FROM shelves", BOOKS),
        to("repair", wrote("SELECT room FROM shelves WHERE false"), times=1),
        to("repair", wrote(AUTHORS)),
    )
    async with staged(database, SHOP, ASKED, *script, **SSEV) as at:
        await at.propose()
        first, second = at.prompts("repair")
        assert 'sqlstate "42703"' in first
        assert "It returns no rows." in second
        assert "SELECT nome FROM shelves" in second
        assert seconds(at) == [{"authors"}]
        assert at.steps == {"generate": 1, "refine": 2, "generate again": 1}


@pytest.mark.parametrize("number", [0, 1])
async def test_refinements_end(database: Database, number: int) -> None:
    script = (
        *writes("SELECT 1 FROM shelves WHERE false"),
        *(to("repair", wrote(f"SELECT {n} FROM shelves WHERE false"), times=1) for n in range(9)),
    )
    async with staged(database, SHOP, ASKED, *script, model_refinements=str(number), **SSEV) as at:
        await at.propose()
        assert at.steps["refine"] == number


async def test_three_rows_of_each_table_stand_beside_it(database: Database) -> None:
    async with staged(database, SHOP, ASKED, *writes(AUTHORS), **SSEV) as at:
        await at.propose()
        first = at.prompts("generate")[0]
        assert 'row "authors: 1 | Ada"' in first
        assert 'row "authors: 3 | Cy"' in first
        assert "Di" not in first
    async with staged(database, "", ASKED, *writes(AUTHORS), egress="schema", **SSEV) as at:
        await at.propose()
        assert "Ada" not in "".join(a.prompt for a in at.server.asked)


async def test_examples_pass_the_gate_and_one_that_fails_costs_nothing(database: Database) -> None:
    trap = """
    CREATE FUNCTION boom() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''boom''; END';
    CREATE VIEW trap AS SELECT boom() AS b;
    CREATE VIEW zero AS SELECT 1 / (id - id) AS z FROM authors;
    """
    async with staged(database, SHOP + trap, ASKED, *writes(AUTHORS), **SSEV) as at:
        await at.propose()
        first = at.prompts("generate")[0]
        assert 'row "authors: 1 | Ada"' in first
        assert "boom" not in first


def test_a_vote_goes_to_the_result_that_most_experts_have() -> None:
    one, two = NormalForm(1, (("a",),)), NormalForm(1, (("b",),))
    brought = [
        [FirstDraft(frozenset({1}), one), FirstDraft(frozenset({2}), one)],
        [FirstDraft(frozenset({3}), two)],
        [FirstDraft(frozenset({4}), two)],
        [FirstDraft(frozenset({5}), None)],
    ]
    assert linked(brought, voted=True) == {3, 4}
    assert linked(brought, voted=False) == {1, 2, 3, 4, 5}
    assert linked(brought[3:], voted=True) == {5}
    assert linked([], voted=True) == frozenset()


async def test_the_second_round_sees_example_rows_and_the_first_draft_with_its_result(
    database: Database,
) -> None:
    async with staged(database, SHOP, ASKED, *writes(AUTHORS), **SSEV) as at:
        await at.propose()
        first, second = at.prompts("generate")
        assert shown(second) == {"authors"}
        assert 'row "authors: 1 | Ada"' in first
        assert 'row "authors: 1 | Ada"' in second
        assert "This is a query of yours for it, and what it returns:" in second
        assert f'sql "{AUTHORS}"' in second
        assert 'row "Bo"' in second.partition("what it returns")[2]
        assert "what it returns" not in first


async def test_below_rows_the_second_round_is_not_told_what_a_draft_returns(database: Database) -> None:
    async with staged(database, SHOP, ASKED, *writes(AUTHORS), egress="schema", **SSEV) as at:
        await at.propose()
        _, second = at.prompts("generate")
        assert "what it returns" not in second
        assert "Ada" not in second
