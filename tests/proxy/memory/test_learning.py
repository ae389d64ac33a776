"""ASK LEARN holds a word against the schema, ASK FORGET takes back by number, ASK HELP knows the database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, Connection, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import Feedback, Pin, Term
from askwire.planner.embedded.engine import EmbeddedEngine

SHOP = """
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text, since date);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, status text NOT NULL,
    amount numeric(10, 2) NOT NULL, shipped date, required date NOT NULL);
INSERT INTO customers SELECT n, 'Customer ' || n, (ARRAY['Oslo', 'Rome', 'Lima'])[1 + n % 3], '2020-01-01'
    FROM generate_series(1, 30) n;
INSERT INTO customers VALUES (31, 'Zed');
INSERT INTO orders
    SELECT n, 1 + n % 30, (ARRAY['paid', 'open', 'L'])[1 + n % 3], n, '2024-01-05', '2024-01-04'
    FROM generate_series(1, 90) n;
ANALYZE customers, orders;
"""


@pytest.fixture
def shop(empty_database: OwnDatabase) -> OwnDatabase:
    with empty_database.owner() as owner:
        owner.execute(SHOP)
    return empty_database


@pytest.fixture
async def asked(shop: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(shop, answer_confidence=WHATEVER_SURE) as running:
        running.experts = (EmbeddedEngine(),)
        yield running


async def failing(connection: Connection, sql: str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as failed:
        await connection.execute(sql)
    return failed.value


@pytest.mark.parametrize(
    ("term", "meaning", "understood", "example", "sql"),
    [
        ("late", "status = 'L'", "a condition on orders.status", "how many orders are late", "= 'L'"),
        ("late", "status is 'L'", "a condition on orders.status", "how many orders are late", "= 'L'"),
        (
            "tardy",
            "shipped > required",
            "a condition on orders.shipped, orders.required",
            "how many orders are tardy",
            "shipped",
        ),
        ("spend", "orders.amount", "other words for orders.amount", "list spend", "amount"),
        ("purchases", "orders", "other words for orders", "how many purchases are there", "orders"),
        ("net", "amount - amount * 0.25", "an expression on orders.amount", "average net", ""),
        ("buyers", "customers", "other words for customers", "how many buyers are there", "customers"),
        ("the capital", "Oslo", "other words for a value of customers.city", "", ""),
        ("dozen", "12", "other words for a number or date", "", ""),
    ],
)
async def test_it_says_what_it_understood_and_shows_a_question(
    asked: AskedServer, term: str, meaning: str, understood: str, example: str, sql: str
) -> None:
    async with asked.connection() as connection:
        ((learned, kept, said, question, shown),) = await rows(
            connection, f"ASK LEARN '{term}' AS $${meaning}$$"
        )
    assert (learned, kept, said) == (term, meaning, understood)
    assert question == example or not example
    assert sql in shown
    if sql:
        assert not shown.startswith("not answered")
    assert [(t.term, t.meaning) for t in await asked.store.find(Term)] == [(term, meaning)]


@pytest.mark.parametrize(
    ("meaning", "sqlstate", "message", "more"),
    [
        ("statsu = 'L'", "NL002", "names an unknown column: statsu", "Near it: status"),
        (
            "status = late",
            "NL002",
            "names an unknown column: late",
            "Write values in single quotes",
        ),
        ("orders.city = 'Oslo'", "NL002", "names an unknown column: orders.city", "city"),
        ("status = ", "NL002", "cannot be read as a condition", "status = 'late' AND amount > 100"),
        ("amount > 1; DROP TABLE orders", "NL002", "cannot be read as a condition", ""),
        (
            "it barks",
            "NL002",
            "names no table, column or value of this database",
            "Explain a word by a condition",
        ),
        ("amount = 'much'", "22P02", "invalid input syntax for type numeric", ""),
        ("pg_sleep(10) is null and amount > 1", "NL006", "pg_sleep", ""),
        ("amount > (SELECT max(amount) FROM secrets)", "NL006", "secrets", ""),
    ],
)
async def test_what_the_schema_does_not_hold_is_not_learned(
    asked: AskedServer, meaning: str, sqlstate: str, message: str, more: str
) -> None:
    async with asked.connection() as connection:
        error = await failing(connection, f"ASK LEARN 'late' AS $${meaning}$$")
        assert (error.sqlstate, message in str(error), more in str(error)) == (sqlstate, True, True), str(
            error
        )
        assert await rows(connection, "SELECT 1") == [(1,)]
    assert await asked.store.find(Term) == []


async def test_a_value_that_statistics_do_not_know_is_looked_up(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        ((_, _, said, _, _),) = await rows(connection, "ASK LEARN 'the last' AS 'ZED'")
        assert said == "other words for a value of customers.name"


async def test_learn_in_a_transaction_leaves_it_as_it_was(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("BEGIN")
        await connection.execute("CREATE TEMP TABLE mine (a int)")
        await rows(connection, "ASK LEARN 'late' AS 'status = ''L'''")
        await connection.execute("INSERT INTO mine VALUES (1)")
        assert await rows(connection, "SELECT a FROM mine") == [(1,)]
        await connection.execute("ROLLBACK")


async def test_forget_takes_back_a_word_by_its_number(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK LEARN 'late' AS 'status = ''L'''")
        await rows(connection, "ASK LEARN 'buyers' AS 'customers'")
        listed = dict(await rows(connection, "SELECT term, n FROM ask.glossary"))
        assert sorted(listed.values()) == [1, 2]
        # they stay while the session lasts, whatever is listed in between
        await rows(connection, "SELECT * FROM ask.settings")
        assert dict(await rows(connection, "SELECT term, n FROM ask.glossary")) == listed
        assert await rows(connection, f"ASK FORGET {listed['late']}") == [("late", "term")]
        assert [t.term for t in await asked.store.find(Term)] == ["buyers"]
        error = await failing(connection, f"ASK FORGET {listed['late']}")
        assert (error.sqlstate, "gone already" in str(error)) == ("NL007", True)
        error = await failing(connection, "ASK FORGET 99")
        assert "has not listed a row with number 99" in str(error)
    async with asked.connection() as other:
        assert "has not listed a row" in str(await failing(other, "ASK FORGET 1"))


async def test_forget_takes_back_a_pin_and_what_was_said_by_their_numbers(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'how many orders'")
        ((pin,),) = await rows(connection, "SELECT n FROM ask.pins")
        assert await rows(connection, f"ASK FORGET {pin}") == [("how many orders", "pin")]
        assert await asked.store.find(Pin) == []
        await rows(connection, "ASK 'how many orders'")
        await rows(connection, "ASK WRONG 'SELECT 7'")
        assert await rows(connection, "ASK 'how many orders'") == [(7,)]
        ((said,),) = await rows(connection, "SELECT n FROM ask.history WHERE said = 'wrong'")
        ((also,),) = await rows(connection, "SELECT n FROM ask.feedback")
        assert len({pin, said, also}) == 3
        assert await rows(connection, f"ASK FORGET {said}") == [("how many orders", "feedback")]
        assert all(f.undone for f in await asked.store.find(Feedback))
        assert await rows(connection, "ASK 'how many orders'") == [(90,)]
        error = await failing(connection, f"ASK FORGET {said}")
        assert "this ASK has no feedback" in str(error)


async def test_nobody_takes_back_what_is_another_role_s(asked: AskedServer, shop: OwnDatabase) -> None:
    with psycopg.connect(shop.dsn(), autocommit=True) as owner:
        owner.execute("CREATE ROLE clerk LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO clerk")
    try:
        async with asked_server(
            shop, store=asked.store, operators="postgres", answer_confidence=WHATEVER_SURE
        ) as running:
            running.experts = (EmbeddedEngine(),)
            async with running.connection("clerk") as clerk, running.connection() as operator:
                await rows(clerk, "ASK LEARN 'late' AS 'status = ''L'''")
                ((number,),) = await rows(operator, "SELECT n FROM ask.glossary")
                error = await failing(operator, f"ASK FORGET {number}")
                assert "is the role clerk's" in str(error)
    finally:
        with psycopg.connect(shop.dsn(), autocommit=True) as owner:
            owner.execute("DROP OWNED BY clerk; DROP ROLE clerk")


@pytest.mark.parametrize("prepare", [False, True])
async def test_help_shows_forms_settings_and_questions_that_work_here(
    asked: AskedServer, prepare: bool
) -> None:
    async with asked.connection() as connection:
        cursor = await connection.execute("ASK HELP", prepare=prepare)
        told = await cursor.fetchall()
        assert [d.name for d in cursor.description or ()] == ["kind", "write", "meaning"]
        examples = [write for kind, write, _ in told if kind == "example"]
        assert "ASK 'how many orders are there'" in examples
        assert len(examples) >= 4
        for example in examples:
            assert await rows(connection, example), example
        assert ("form", "ASK RIGHT", "keeps the last answer for its question") in told
        assert any(write == "SET askwire.notices = 'full'" for kind, write, _ in told if kind == "setting")
        for kind, write, _ in told:
            if kind == "setting":
                await connection.execute(write)
        count = "SELECT count(*) FROM ask.help WHERE kind = 'example'"
        assert await rows(connection, count) == [(len(examples),)]


async def test_help_where_it_cannot_stand(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        assert (await failing(connection, "SELECT 1; ASK HELP")).sqlstate == "NL007"
        assert (await failing(connection, "ASK HELP ME")).sqlstate == "42601"
        await connection.execute("BEGIN")
        await failing(connection, "SELECT 1/0")
        assert (await failing(connection, "ASK HELP")).sqlstate == "25P02"
        await connection.execute("ROLLBACK")


async def test_help_of_an_empty_database(empty_database: OwnDatabase) -> None:
    async with (
        asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running,
        running.connection() as connection,
    ):
        assert {kind for kind, _, _ in await rows(connection, "ASK HELP")} == {"form", "setting"}
