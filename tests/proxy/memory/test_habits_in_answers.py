"""What people's own queries do to answers, and to whose: through a real proxy, with the embedded engine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from data.pets import filled
from doubles.asked import WHATEVER_SURE, AskedServer, Connection, asked_server, listen, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import Statement
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.store import open_store
from askwire.store.retention import Retention

TABLES = """
CREATE TABLE users (id int PRIMARY KEY, name text, city text, deleted_at date, salary numeric);
INSERT INTO users VALUES (1, 'Ada', 'Oslo', NULL, 10), (2, 'Bob', 'Oslo', NULL, 20),
    (3, 'Cyd', 'Rome', '2025-01-01', 30);
CREATE TABLE lines (id int PRIMARY KEY, user_id int REFERENCES users, quantity int, unit_price numeric);
INSERT INTO lines VALUES (1, 1, 2, 5), (2, 1, 1, 7), (3, 2, 3, 4);
CREATE ROLE clerk LOGIN;
CREATE ROLE guest LOGIN;
GRANT SELECT ON users, lines TO clerk, guest;
"""
HISTORY = (
    "SELECT count(*) FROM users WHERE deleted_at IS NULL",
    "SELECT name FROM users WHERE deleted_at IS NULL AND city = 'Atlantis'",
    "SELECT city, count(*) FROM users WHERE deleted_at IS NULL GROUP BY city",
    "SELECT u.name, sum(l.quantity * l.unit_price) AS gmv FROM lines l JOIN users u ON u.id = l.user_id"
    " GROUP BY u.name",
    "SELECT sum(quantity * unit_price) AS gmv FROM lines",
)
YES = "SET askwire.workload_statements = on"
HOW_MANY = "how many users are there"
FULL = "SET askwire.notices = full"


@pytest.fixture
def people(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "clerk", "guest") as database:
        yield database


@pytest.fixture
async def asked(people: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(people, workload="on", answer_confidence=WHATEVER_SURE) as running:
        running.experts = (EmbeddedEngine(),)
        yield running


async def learned(asked: AskedServer, user: str = "postgres", history: Sequence[str] = HISTORY) -> None:
    """Send what people write, and ask once so that it is read."""
    async with asked.connection(user) as connection:
        await connection.execute(YES)
        for sql in history:
            await connection.execute(sql)
        await asked.resolver.memories.statement_collector.settled()
        await known(asked, connection)


async def known(asked: AskedServer, connection: Connection) -> None:
    await rows(connection, "ASK (FRESH) 'how many lines are there'")
    await asked.resolver.memories.workload.settled()


async def why(connection: Connection, question: str) -> dict[str, Any]:
    ((report,),) = await rows(connection, f"ASK (WHY, FORMAT JSON) '{question}'")
    return dict(report)


async def test_a_filter_of_most_statements_is_meant_unsaid_and_said(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        await connection.execute(FULL)
        told = listen(connection)
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(2,)]
        ((reading, detail, _),) = told
        assert "deleted_at IS NULL: 3 of 3 statements on users filter so" in reading
        assert "WHERE deleted_at IS NULL" in detail
        assert await rows(connection, "ASK 'how many users are there, including deleted ones'") == [(3,)]
        assert await rows(connection, "ASK 'how many users were deleted'") == [(1,)]


async def test_the_reading_without_it_is_the_next(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(2,)]
        assert await rows(connection, "ASK CHOOSE 2") == [(3,)]


async def test_a_brief_notice_says_so_too(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        told = listen(connection)
        await rows(connection, f"ASK '{HOW_MANY}'")
        assert "deleted_at IS NULL" in told[0][0]


async def test_a_measure_is_what_people_call_so(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        assert await rows(connection, "ASK 'what is the gmv'") == [(29,)]
        report = await why(connection, "what is the gmv")
        assert "gmv: sum(quantity * unit_price), as in 2 statements" in report["cited"]
        by_city = await rows(connection, "ASK 'gmv per user name'")
        assert sorted(by_city) == [("Ada", 17), ("Bob", 12)]


async def test_a_pinned_answer_cites_what_it_cited(asked: AskedServer) -> None:
    await learned(asked)
    cited = "deleted_at IS NULL: 3 of 3 statements on users filter so"
    async with asked.connection() as connection:
        first = await why(connection, HOW_MANY)
        assert cited in first["cited"]
        again = await why(connection, HOW_MANY)
        assert again["pinned"]
        assert again["cited"] == first["cited"]
        told = await rows(connection, f"ASK (WHY) '{HOW_MANY}'")
        assert ("people's queries", cited) in told


async def test_a_view_says_what_its_columns_measure(asked: AskedServer, people: OwnDatabase) -> None:
    with psycopg.connect(people.dsn(), autocommit=True) as admin:
        admin.execute(
            "CREATE VIEW monthly AS SELECT user_id, sum(quantity * unit_price) / 100.0 AS turnover"
            " FROM lines GROUP BY 1"
        )
        admin.execute("DROP VIEW IF EXISTS other")
    async with asked.connection() as connection:
        await known(asked, connection)
        report = await why(connection, "what is the total turnover of lines")
        assert report["cited"][0] == "turnover: sum(quantity * unit_price) / 100.0, as in the view monthly"


# -- whose they are ------------------------------------------------------------------------------------------


async def test_one_role_learns_nothing_of_anothers_statements(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection("guest") as connection:
        await known(asked, connection)
        told = listen(connection)
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(3,)]
        assert "deleted_at" not in str(told)
        report = await why(connection, HOW_MANY)
        assert report["cited"] == []
        assert "deleted_at" not in json.dumps(report)
        with pytest.raises(psycopg.Error) as refused:
            await rows(connection, "ASK 'what is the gmv'")
        assert "unit_price" not in str(refused.value)
        assert await rows(connection, "SELECT * FROM ask.statements") == []


async def test_a_column_that_is_taken_away_is_named_nowhere(asked: AskedServer, people: OwnDatabase) -> None:
    paid = ("SELECT count(*) FROM users WHERE salary IS NOT NULL", "SELECT sum(salary) AS costs FROM users")
    await learned(asked, "clerk", (*HISTORY, *paid))
    with psycopg.connect(people.dsn(), autocommit=True) as admin:
        admin.execute("REVOKE SELECT ON users FROM clerk; GRANT SELECT (id, name, city) ON users TO clerk")
    async with asked.connection("clerk") as connection:
        await known(asked, connection)
        report = await why(connection, HOW_MANY)
        assert report["sql"] == "SELECT count(*) FROM users"
        assert "deleted_at" not in json.dumps(report)
        assert "salary" not in json.dumps(report)


async def test_who_acts_as_another_role_gets_nothing_of_its_login(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        await connection.execute("SET ROLE guest")
        await known(asked, connection)
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(3,)]


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_constants_are_nowhere_in_the_store(people: OwnDatabase, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    store = open_store(str(path), Retention(0, 0))
    async with asked_server(people, store, workload="on") as running:
        running.experts = (EmbeddedEngine(),)
        await learned(running)
        await running.store.keep()
        assert len(await running.store.find(Statement)) == len(HISTORY)
        await running.store.close()
    kept = b"".join(file.read_bytes() for file in files(tmp_path))
    assert b"deleted_at" in kept
    assert b"Atlantis" not in kept


async def test_constants_of_one_tenant_filter_nobodys_answer(people: OwnDatabase) -> None:
    rome = [f"SELECT {what} FROM users WHERE city = 'Rome'" for what in ("name", "count(*)", "id", "salary")]
    async with asked_server(
        people, workload="on", workload_literals="on", answer_confidence=WHATEVER_SURE
    ) as running:
        running.experts = (EmbeddedEngine(),)
        await learned(running, "clerk", rome)
        async with running.connection("clerk") as connection:
            assert await rows(connection, f"ASK '{HOW_MANY}'") == [(1,)]
        with psycopg.connect(people.dsn(), autocommit=True) as admin:
            admin.execute(
                "ALTER TABLE users ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON users USING (true)"
            )
        async with running.connection("clerk") as connection:
            await known(running, connection)
            assert await rows(connection, f"ASK '{HOW_MANY}'") == [(3,)]


# -- taking it back ------------------------------------------------------------------------------------------


async def test_what_was_learned_can_be_taken_back(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection() as connection:
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(2,)]
        assert len(await rows(connection, "SELECT * FROM ask.statements")) == len(HISTORY)
        assert await rows(connection, "ASK FORGET 'ask.statements'") == [("ask.statements", "statements")]
        assert await rows(connection, "SELECT * FROM ask.statements") == []
        assert await rows(connection, f"ASK '{HOW_MANY}'") == [(3,)]


async def test_one_statement_can_be_taken_back_and_only_ones_own(asked: AskedServer) -> None:
    await learned(asked)
    async with asked.connection("guest") as connection:
        with pytest.raises(psycopg.Error, match="nothing was found to forget"):
            await rows(connection, f"ASK FORGET '{HISTORY[0]}'")
    async with asked.connection() as connection:
        await rows(connection, f"ASK FORGET '{HISTORY[0]}'")
        left = await rows(connection, "SELECT sql FROM ask.statements")
        assert (HISTORY[0],) not in left
        assert len(left) == len(HISTORY) - 1
        await connection.execute(YES)
        await connection.execute(HISTORY[0])
        await asked.resolver.memories.statement_collector.settled()
        assert (HISTORY[0], 1) in await rows(connection, "SELECT sql, times FROM ask.statements")


async def test_names_that_a_tenant_made_up_are_not_told_to_another(
    asked: AskedServer, people: OwnDatabase
) -> None:
    named = [f'SELECT sum(quantity * unit_price) AS "Zorro gains" FROM lines WHERE id > {n}' for n in (0, -1)]
    await learned(asked, "clerk", named)
    async with asked.connection("clerk") as connection:
        assert await rows(connection, "ASK 'zorro gains'") == [(29,)]
    with psycopg.connect(people.dsn(), autocommit=True) as admin:
        admin.execute("ALTER TABLE users ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON users USING (true)")
    async with asked.connection("clerk") as connection:
        await known(asked, connection)
        with pytest.raises(psycopg.Error) as refused:
            await rows(connection, "ASK 'zorro gains'")
        assert "unit_price" not in str(refused.value)
