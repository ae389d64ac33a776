"""ASK CHOOSE, RIGHT, WRONG, LEARN, FORGET and APPROVE: what they do now, what stays, and for whom."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace

import psycopg
import pytest
from data.pets import CATS, DOGS
from doubles.asked import AskedServer, asked_server, listen, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import CalibrationOutcome, Demonstration, ExpertWeight, Feedback, Term
from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.store import MemoryStore


class TwoMinds:
    """An expert that proposes two readings with equal confidence, and one that agrees with the first."""

    def __init__(self, name: str, *sql: str, confidence: float = 0.45) -> None:
        self.name = name
        self.confidence = confidence
        self.sql = sql
        self.plannings: list[ExpertContext] = []

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        self.plannings.append(planning)
        return [
            Candidate(
                sql, self.name, score=-n, confidence=self.confidence, reading=f"reading of {sql[28:43]}"
            )
            for n, sql in enumerate(self.sql)
        ]


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets, operators="postgres") as running:
        running.expert.answers("every dog", DOGS)
        running.experts = (running.expert,)
        yield running


@pytest.fixture
def guest(pets: OwnDatabase) -> Iterator[str]:
    """Another role that may read the pets."""
    with pets.owner() as owner:
        owner.execute("CREATE ROLE guest LOGIN; GRANT SELECT ON pets TO guest")
        yield "guest"
        owner.execute("DROP OWNED BY guest; DROP ROLE guest")


async def of_two_minds(asked: AskedServer) -> TwoMinds:
    expert = TwoMinds("undecided", DOGS, CATS)
    asked.experts = (expert,)
    return expert


async def failing(connection: psycopg.AsyncConnection[tuple[object, ...]], sql: str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as failed:
        await connection.execute(sql)
    return failed.value


async def test_a_reading_is_chosen_runs_and_is_remembered(asked: AskedServer) -> None:
    expert = await of_two_minds(asked)
    async with asked.connection() as connection, asked.connection() as other:
        error = await failing(connection, "ASK 'dog or cat'")
        assert error.sqlstate == "NL001"
        assert error.diag.message_hint is not None
        assert error.diag.message_hint.startswith("ASK CHOOSE 1 or ASK CHOOSE 2 runs one of them")
        told = listen(connection)
        assert await rows(connection, "ASK CHOOSE 2") == [("Tom",)]
        assert "by ASK CHOOSE" in told[0][1]
        assert await rows(connection, "ASK 'dog or cat'") == [("Tom",)]
        assert await rows(other, "ASK 'dog or cat'") == [("Tom",)]
        assert len(expert.plannings) == 1
        # and it can be chosen otherwise
        await rows(connection, "ASK CHOOSE 1")
        assert await rows(other, "ASK 'dog or cat'") == [("Ada",), ("Rex",)]
    given = await asked.store.find(Feedback)
    assert [(f.said, f.sql, f.role) for f in given] == [
        ("chosen", DOGS, "postgres"),
        ("chosen", CATS, "postgres"),
    ]
    assert {f.asked for f in given} < {row.key for row in await asked.history()}


async def test_what_was_chosen_outlives_a_change_of_the_schema(asked: AskedServer) -> None:
    expert = await of_two_minds(asked)
    async with asked.connection() as connection:
        await failing(connection, "ASK 'dog or cat'")
        await rows(connection, "ASK CHOOSE 2")
        await connection.execute("CREATE TABLE more (a int)")
        assert await rows(connection, "ASK 'dog or cat'") == [("Tom",)]
        assert len(expert.plannings) == 1
        # where it does not compile any more, the question is asked again
        await connection.execute("ALTER TABLE pets RENAME COLUMN kind TO species")
        assert (await failing(connection, "ASK 'dog or cat'")).sqlstate is not None
        assert len(expert.plannings) == 2


async def test_right_and_wrong_weigh_the_experts_once_and_reversibly(asked: AskedServer) -> None:
    asked.experts = (
        TwoMinds("first", DOGS, confidence=0.9),
        TwoMinds("second", DOGS, confidence=0.9),
    )
    async with asked.connection() as connection:
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert await rows(connection, "ASK RIGHT") == [("every dog", DOGS)]
        assert await rows(connection, "ASK RIGHT") == [("every dog", DOGS)]
        weights = {w.expert: (w.right, w.wrong, w.weight) for w in await asked.store.find(ExpertWeight)}
        assert weights == {"first": (1, 0, 1.0), "second": (1, 0, 1.0)}
        assert await rows(connection, "ASK WRONG") == [("every dog", DOGS)]
        weights = {w.expert: (w.right, w.wrong, w.weight) for w in await asked.store.find(ExpertWeight)}
        assert weights == {"first": (0, 1, 0.9), "second": (0, 1, 0.9)}
        assert await rows(connection, "ASK FORGET 'every dog'") == [("every dog", "feedback")]
        weights = {w.expert: (w.right, w.wrong, w.weight) for w in await asked.store.find(ExpertWeight)}
        assert weights == {"first": (0, 0, 1.0), "second": (0, 0, 1.0)}
    assert [f.undone for f in await asked.store.find(Feedback)] == [True]
    assert await asked.store.find(Demonstration) == []
    assert await asked.store.find(CalibrationOutcome) == []


async def test_feedback_is_an_outcome_for_calibration(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK WRONG")
        (outcome,) = await asked.store.find(CalibrationOutcome)
        assert not outcome.right
        assert 0.5 < outcome.confidence <= 1
        await rows(connection, "ASK RIGHT")
        (outcome,) = await asked.store.find(CalibrationOutcome)
        assert outcome.right


async def test_wrong_asks_again_and_does_not_answer_so_again(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK WRONG")
        assert await asked.pins() == []
        assert (await failing(connection, "ASK 'every dog'")).sqlstate == "NL003"
    assert asked.questions == ["every dog", "every dog"]


async def test_sql_given_by_hand_is_the_role_s_answer(asked: AskedServer, guest: str) -> None:
    right = "SELECT name FROM pets WHERE kind = 'dog' AND id > 1"
    async with (
        asked.connection("reader") as author,
        asked.connection("reader") as other,
        asked.connection(guest) as stranger,
    ):
        for connection in (author, other, stranger):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        told = listen(author)
        assert await rows(author, f"ASK WRONG $${right}$$") == [("every dog", right)]
        message, _, hint = told[0]
        assert message == "askwire: this SQL answers the question in sessions of the role reader from now on"
        ((key,),) = await rows(author, "SELECT key FROM ask.feedback")
        assert hint == f"All roles get it when an operator runs ASK APPROVE '{key}'."
        for connection in (author, other):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",)]
            assert await rows(connection, "ASK 'Every  dog?'") == [("Ada",)]
        assert await rows(stranger, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        assert await rows(other, "SELECT right_sql FROM ask.feedback") == [(right,)]
        # saying that it is right does not carry it further, and takes nothing away
        await rows(other, "ASK 'every dog'")
        await rows(other, "ASK RIGHT")
        await rows(stranger, "ASK (FRESH) 'every dog'")
        assert await rows(stranger, "ASK 'every dog'") == [("Ada",), ("Rex",)]
    async with asked.connection("reader") as later:
        await later.execute("CREATE TEMP TABLE other_schema (a int)")
        assert await rows(later, "ASK 'EVERY DOG'") == [("Ada",)]
    (demonstration,) = await asked.store.find(Demonstration)
    assert (demonstration.role, demonstration.sql, demonstration.approved_by) == ("reader", right, "")


async def test_an_operator_s_sql_serves_everybody(asked: AskedServer) -> None:
    right = "SELECT name FROM pets WHERE kind = 'dog' AND id IN (SELECT id FROM pets) ORDER BY name DESC"
    async with asked.connection() as operator, asked.connection("reader") as other:
        await rows(operator, "ASK 'every dog'")
        await rows(operator, f"ASK WRONG $${right}$$")
        assert await rows(operator, "ASK 'every dog'") == [("Rex",), ("Ada",)]
        assert await rows(other, "ASK 'every dog'") == [("Rex",), ("Ada",)]
    (demonstration,) = await asked.store.find(Demonstration)
    assert (demonstration.approved_by, demonstration.sql) == ("postgres", right)


ONE_DOG = "SELECT name FROM pets WHERE kind = 'dog' AND id > 1"
WAITING = "SELECT key, role, right_sql FROM ask.feedback WHERE right_sql IS NOT NULL AND approved_by IS NULL"


async def give(connection: psycopg.AsyncConnection[tuple[object, ...]], sql: str = ONE_DOG) -> None:
    await rows(connection, "ASK 'every dog'")
    await rows(connection, f"ASK WRONG $${sql}$$")


async def test_what_an_operator_approves_serves_everybody_until_it_is_taken_back(
    asked: AskedServer, guest: str
) -> None:
    async with (
        asked.connection("reader") as author,
        asked.connection(guest) as other,
        asked.connection() as operator,
    ):
        for connection in (other, operator):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
        await give(author)
        assert await rows(other, WAITING) == [], "what a person wrote is shown to others by an operator only"
        ((key, role, sql),) = await rows(operator, WAITING)
        assert (role, sql) == ("reader", ONE_DOG)
        assert await rows(operator, f"ASK APPROVE '{key}'") == [("every dog", ONE_DOG, "reader")]
        assert await rows(operator, WAITING) == []
        for connection in (author, other, operator):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",)]
        assert await rows(operator, f"ASK FORGET '{key}'") == [(key, "approval")]
        assert len(await rows(operator, WAITING)) == 1
        assert await rows(author, "ASK 'every dog'") == [("Ada",)]
        for connection in (other, operator):
            assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]


async def test_nobody_of_a_role_can_undo_what_was_approved(asked: AskedServer) -> None:
    async with asked.connection("reader") as author, asked.connection() as operator:
        await give(author)
        ((key, *_),) = await rows(operator, WAITING)
        await rows(operator, f"ASK APPROVE '{key}'")
        async with asked.connection("reader") as other:
            await give(other, "SELECT name FROM pets WHERE kind = 'cat'")
            error = await failing(other, f"ASK FORGET '{key}'")
            assert "nothing was found to forget" in str(error)
            assert await rows(operator, "ASK 'every dog'") == [("Ada",)]
            assert await rows(author, "ASK 'every dog'") == [("Tom",)], "the role's own word comes first"
            await rows(other, "ASK FORGET 'every dog'")
        async with asked.connection("reader") as third:
            assert await rows(third, "ASK 'every dog'") == [("Ada",)]


async def test_an_approval_counts_for_everybody_s_weights(asked: AskedServer) -> None:
    async with asked.connection("reader") as author, asked.connection() as operator:
        await give(author)
        assert {w.role for w in await asked.store.find(ExpertWeight)} == {"reader"}
        ((key, *_),) = await rows(operator, WAITING)
        await rows(operator, f"ASK APPROVE '{key}'")
    weights = {w.role: (w.right, w.wrong) for w in await asked.store.find(ExpertWeight)}
    assert weights == {"": (0, 1), "reader": (0, 0)}


async def test_approval_is_an_operator_s_and_the_sql_passes_once_more(
    asked: AskedServer, pets: OwnDatabase
) -> None:
    async with asked.connection("reader") as author, asked.connection() as operator:
        await give(author)
        ((key, *_),) = await rows(operator, WAITING)
        assert "only an operator can approve" in str(await failing(author, f"ASK APPROVE '{key}'"))
        unknown = await failing(operator, "ASK APPROVE 'ffffffffffffffff'")
        assert (unknown.sqlstate, "there is no SQL under that key" in str(unknown)) == ("NL007", True)
        with pets.owner() as owner:
            owner.execute("ALTER TABLE pets RENAME COLUMN id TO number")
        assert (await failing(operator, f"ASK APPROVE '{key}'")).sqlstate == "42703"
    assert [d.role for d in await asked.store.find(Demonstration)] == ["reader"]


async def test_sql_that_holds_for_one_day_is_not_approved(asked: AskedServer) -> None:
    async with asked.connection("reader") as author, asked.connection() as operator:
        await give(author, "SELECT name FROM pets WHERE kind = 'dog' AND date '2026-11-21' > '2020-01-01'")
        ((key, *_),) = await rows(operator, WAITING)
        assert "holds a date" in str(await failing(operator, f"ASK APPROVE '{key}'"))


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("DELETE FROM pets RETURNING name", "NL006"),
        ("SELECT name FROM pets; DROP TABLE pets", "NL006"),
        ("SELECT no_such_column FROM pets", "42703"),
    ],
)
async def test_sql_given_by_hand_passes_the_gate(asked: AskedServer, sql: str, sqlstate: str) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        assert (await failing(connection, f"ASK WRONG $${sql}$$")).sqlstate == sqlstate
        assert await rows(connection, "ASK 'every dog'") == [("Ada",), ("Rex",)]
    assert await asked.store.find(Feedback) == []


async def test_words_are_learned_and_forgotten(asked: AskedServer) -> None:
    async with asked.connection("reader") as one, asked.connection() as other:
        await rows(one, "ASK 'every dog'")
        ((learned, meaning, understood, *_),) = await rows(one, "ASK LEARN 'Dog' AS $$kind = 'dog'$$")
        assert (learned, meaning, understood) == ("Dog", "kind = 'dog'", "a condition on pets.kind")
        await rows(one, "ASK 'every dog'")
        await rows(other, "ASK 'every dog'")
        asked_with = [(p.question.text, p.question.evidence) for p in asked.expert.plannings]
        # what a role has learned holds for that role, and unpins what it is about
        assert asked_with == [
            ("every dog", ""),
            ("how many pets are Dog", "Dog: kind = 'dog'"),
            ("every dog", "Dog: kind = 'dog'"),
            ("every dog", ""),
        ]
        assert await rows(one, "ASK FORGET 'DOG'") == [("DOG", "term")]
        await rows(one, "ASK 'every dog'")
        assert asked.expert.plannings[-1].question.evidence == ""
        # an operator's words hold for everybody
        await rows(other, "ASK LEARN 'dog' AS 'a pet that barks'")
        await rows(one, "ASK 'every dog'")
        assert asked.expert.plannings[-1].question.evidence == "dog: a pet that barks"
    assert len(await asked.store.find(Term)) == 1


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("ASK CHOOSE 1", "no question was asked in this session yet"),
        ("ASK RIGHT", "no question was asked in this session yet"),
        ("ASK FORGET 'x'", "nothing was found to forget under 'x'"),
        ("SELECT 1; ASK LEARN 'a' AS 'b'", "ASK LEARN must be the only statement of a message"),
    ],
)
async def test_what_cannot_be_taught_is_told(asked: AskedServer, sql: str, message: str) -> None:
    async with asked.connection() as connection:
        error = await failing(connection, sql)
        assert (error.sqlstate, error.diag.message_primary) == ("NL007", f"askwire: {message}")
        assert await rows(connection, "SELECT 1") == [(1,)]
    assert await asked.store.find(Term) == []


async def test_a_reading_that_is_not_there_cannot_be_chosen(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        error = await failing(connection, "ASK CHOOSE 2")
        assert error.diag.message_primary == "askwire: reading 2 does not exist"
        assert await rows(connection, "ASK CHOOSE 1") == [("Ada",), ("Rex",)]


async def test_an_ambiguous_question_is_neither_right_nor_wrong(asked: AskedServer) -> None:
    await of_two_minds(asked)
    async with asked.connection() as connection:
        await failing(connection, "ASK 'dog or cat'")
        error = await failing(connection, "ASK WRONG")
        assert error.diag.message_primary == (
            "askwire: the last question was not answered; there is no answer to judge"
        )


async def test_teaching_in_a_failed_block_is_the_block_s_error(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("BEGIN")
        await failing(connection, "SELECT 1/0")
        assert (await failing(connection, "ASK LEARN 'a' AS 'b'")).sqlstate == "25P02"
        await connection.execute("ROLLBACK")
    assert await asked.store.find(Term) == []


async def test_feedback_holds_in_the_session_when_the_store_is_down(pets: OwnDatabase) -> None:
    store = MemoryStore()
    store.trouble = "disk on fire"
    async with asked_server(pets, store) as asked, asked.connection() as connection:
        await of_two_minds(asked)
        await failing(connection, "ASK 'dog or cat'")
        assert await rows(connection, "ASK CHOOSE 2") == [("Tom",)]
        assert await rows(connection, "ASK 'dog or cat'") == [("Tom",)]


async def test_feedback_names_who_proposed_what(asked: AskedServer) -> None:
    asked.experts = (
        TwoMinds("first", DOGS, confidence=0.6),
        TwoMinds("second", CATS, confidence=0.6),
    )
    async with asked.connection() as connection:
        await failing(connection, "ASK 'dog or cat'")
        await rows(connection, "ASK CHOOSE 2")
    (feedback,) = await asked.store.find(Feedback)
    assert json.loads(feedback.experts) == {"first": False, "second": True}


async def test_words_of_one_tenant_do_not_reach_another(asked: AskedServer) -> None:
    async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
        await owner.execute("ALTER TABLE pets ENABLE ROW LEVEL SECURITY")
        await owner.execute("CREATE POLICY everyone ON pets USING (true)")
    async with asked.connection("reader") as reader:
        refused = await failing(reader, "ASK LEARN 'vip' AS 'the cat Tom'")
        assert refused.sqlstate == "NL007"
        assert await rows(reader, "SELECT * FROM ask.glossary") == []
    async with asked.connection() as operator:
        await rows(operator, "ASK LEARN 'vip' AS 'a pet with a name'")
        assert len(await rows(operator, "SELECT * FROM ask.glossary")) == 1


async def test_words_of_others_hide_nobody_s(asked: AskedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askwire.proxy.memory.relations.MAX_ROWS", 5)
    async with asked.connection() as operator, asked.connection("reader") as reader:
        await rows(operator, "ASK LEARN 'hound' AS 'dog'")
        (word,) = await asked.store.find(Term, {}, limit=5, timeout=20.0)
        asked.store.put(*(replace(word, key=f"k{n}", at=word.at + n, role="third") for n in range(1, 10)))
        assert [found[3] for found in await rows(reader, "SELECT * FROM ask.glossary")] == ["hound"]
