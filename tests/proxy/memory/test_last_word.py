"""What is said of one ASK in any order: experts and outcomes end as the last word says, or as before any."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import pairwise, product

import psycopg
import pytest
from data.pets import CATS, DOGS
from doubles.asked import AskedServer, asked_server, rows
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.core.records import Demonstration, ExpertWeight, Feedback

WORDS = ("CHOOSE 1", "CHOOSE 2", "RIGHT", "WRONG", "FORGET")
Ended = tuple[tuple[int, int], dict[str, tuple[int, int]]]
"""Outcomes and wrong ones among them, and for each expert of which something is said how often it was right
and wrong."""


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(
        pets, operators="postgres", on_ambiguity="best", answer_confidence="0"
    ) as running:
        running.experts = (Says("dogs", DOGS), Says("cats", CATS))
        yield running


def expected(words: Sequence[str]) -> Ended:
    """Where the dogs, reading 1, were answered."""
    names = {1: "dogs", 2: "cats"}
    meant, outcomes = 1, (0, 0)
    experts: dict[str, tuple[int, int]] = {}
    for word in words:
        if word == "FORGET":
            meant, outcomes, experts = 1, (0, 0), {}
        elif word == "WRONG":
            # that the cats are wrong does not describe the dogs
            outcomes, experts = ((1, 1) if meant == 1 else (0, 0)), {names[meant]: (0, 1)}
        else:
            meant = int(word[-1]) if word.startswith("CHOOSE") else meant
            outcomes = 1, int(meant != 1)
            experts = {name: (int(n == meant), int(n != meant)) for n, name in names.items()}
    return outcomes, experts


async def ended(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> Ended:
    told = "SELECT outcomes, wrong FROM ask.calibration"
    ((outcomes, wrong),) = await rows(connection, told)
    experts = await rows(connection, 'SELECT expert, "right", wrong FROM ask.experts')
    return (outcomes, wrong), {name: (r, w) for name, r, w in experts if r or w}


def sequences() -> Iterator[tuple[str, ...]]:
    for length in (2, 3):
        for words in product(WORDS, repeat=length):
            # what is not there cannot be taken back
            if words[0] != "FORGET" and ("FORGET", "FORGET") not in pairwise(words):
                yield words


@pytest.mark.parametrize("first", WORDS[:-1])
async def test_the_last_word_holds_and_can_be_taken_back(asked: AskedServer, first: str) -> None:
    async with asked.connection("reader") as reader:
        reader.prepare_threshold = None
        for words in (w for w in sequences() if w[0] == first):
            question = f"some pets, {', '.join(words)}"
            assert await rows(reader, f"ASK '{question}'") == [("Ada",), ("Rex",)]
            for word in words:
                await rows(reader, f"ASK {word}" + (f" '{question}'" if word == "FORGET" else ""))
            assert (words, await ended(reader)) == (words, expected(words))
            if words[-1] != "FORGET":
                await rows(reader, f"ASK FORGET '{question}'")
            assert (words, await ended(reader)) == (words, ((0, 0), {}))


async def test_after_forget_the_answer_is_askwire_s_own_again(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK 'some pets'")
        await rows(reader, f"ASK WRONG $${CATS}$$")
        assert await rows(reader, "ASK FORGET 'some pets'") == [("some pets", "feedback")]
        assert await rows(reader, "ASK RIGHT") == [("some pets", DOGS)]
        (feedback,) = await asked.store.find(Feedback)
        assert (feedback.said, feedback.sql, feedback.right_sql) == ("right", DOGS, "")
        # nor is a reading that is chosen after SQL was given what a person wrote
        await rows(reader, f"ASK WRONG $${ONE}$$")
        await rows(reader, "ASK CHOOSE 2")
        await rows(reader, "ASK RIGHT")
        (feedback,) = await asked.store.find(Feedback)
        assert (feedback.said, feedback.sql, feedback.right_sql) == ("right", CATS, "")


ONE = "SELECT name FROM pets WHERE kind = 'dog' AND id > 1"


async def tallies(asked: AskedServer) -> dict[tuple[str, str], tuple[int, int]]:
    found = await asked.store.find(ExpertWeight)
    return {(w.role, w.expert): (w.right, w.wrong) for w in found if w.right or w.wrong}


async def give_and_confirm(asked: AskedServer) -> None:
    """The dogs are wrong, SQL stands in their place, and it is right when the question is asked again."""
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK 'some pets'")
        await rows(reader, f"ASK WRONG $${ONE}$$")
        assert await rows(reader, "ASK 'some pets'") == [("Ada",)]
        await rows(reader, "ASK RIGHT")


async def test_what_was_said_of_experts_outlasts_a_word_on_sql_that_none_proposed(asked: AskedServer) -> None:
    await give_and_confirm(asked)
    assert await tallies(asked) == {("reader", "dogs"): (0, 1)}
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK FORGET 'some pets'")
    assert await tallies(asked) == {}


async def approvals(asked: AskedServer) -> tuple[list[str], list[str], list[str]]:
    """Waiting, approved, and what serves everybody."""
    waiting = [f.right_sql for f in await asked.resolver.memories.reviewing.waiting(10)]
    approved = [f.right_sql for f in await asked.store.find(Feedback) if f.approved_by]
    return waiting, approved, [d.sql for d in await asked.store.find(Demonstration) if not d.role]


async def test_sql_that_was_given_and_said_to_be_right_waits_once(asked: AskedServer) -> None:
    await give_and_confirm(asked)
    waiting, approved, shared = await approvals(asked)
    assert (waiting, approved, shared) == ([ONE], [], [])
    keys = [f.key for f in await asked.store.find(Feedback)]
    async with asked.connection() as operator, asked.connection("reader") as other:
        for key in keys:
            await rows(operator, f"ASK APPROVE '{keys[0]}'")
            assert await approvals(asked) == ([], [ONE, ONE], [ONE])
            assert await tallies(asked) == {("", "dogs"): (0, 1)}
            assert await rows(other, "ASK 'some pets'") == [("Ada",)]
            await rows(operator, f"ASK FORGET '{key}'")
            assert await approvals(asked) == ([ONE], [], [])
            assert await tallies(asked) == {("reader", "dogs"): (0, 1)}


async def test_another_approved_answer_takes_the_place_of_one_that_is_withdrawn(asked: AskedServer) -> None:
    later = "SELECT name FROM pets WHERE kind = 'dog' AND name <> 'Rex'"
    for sql in (ONE, later):
        async with asked.connection("reader") as author:
            await rows(author, "ASK (FRESH) 'some pets'")
            await rows(author, f"ASK WRONG $${sql}$$")
    keys = {f.right_sql: f.key for f in await asked.store.find(Feedback)}
    async with asked.connection() as operator:
        for first, second in ((ONE, later), (later, ONE)):
            await rows(operator, f"ASK APPROVE '{keys[first]}'")
            await rows(operator, f"ASK APPROVE '{keys[second]}'")
            assert (await approvals(asked))[2] == [second]
            await rows(operator, f"ASK FORGET '{keys[second]}'")
            assert (await approvals(asked))[1:] == ([first], [first])
            await rows(operator, f"ASK FORGET '{keys[first]}'")
            assert (await approvals(asked))[1:] == ([], [])
        await rows(operator, f"ASK APPROVE '{keys[ONE]}'")
        await rows(operator, f"ASK APPROVE '{keys[later]}'")
        await rows(operator, f"ASK FORGET '{keys[ONE]}'")
        assert (await approvals(asked))[1:] == ([later], [later])
