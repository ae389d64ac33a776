"""A question that is asked right after a change of the schema knows of it, however it was changed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.asked import WHATEVER_SURE, AskedServer, Connection, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine

TABLES = """
CREATE TYPE state AS ENUM ('open', 'closed');
CREATE TABLE tickets (id int PRIMARY KEY, title text, state state, weight int, hours numeric);
INSERT INTO tickets VALUES
  (1, 'Leak', 'open', 5, 2), (2, 'Noise', 'closed', 9, 4), (3, 'Smell', 'open', 7, 8);
CREATE TABLE workers (id int PRIMARY KEY, name text);
INSERT INTO workers VALUES (1, 'Ana'), (2, 'Ben');
CREATE SCHEMA plant CREATE TABLE pumps (id int PRIMARY KEY, name text);
INSERT INTO plant.pumps VALUES (1, 'P1'), (2, 'P2'), (3, 'P3');
CREATE TABLE pumps (id int PRIMARY KEY, name text);
CREATE ROLE change_asker LOGIN;
GRANT SELECT ON tickets, workers, pumps TO change_asker;
GRANT USAGE ON SCHEMA plant TO change_asker;
GRANT SELECT ON plant.pumps TO change_asker;
ANALYZE tickets, workers, pumps;
"""


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    with empty_database.owner() as connection:
        connection.execute(TABLES)
        async with asked_server(empty_database, answer_confidence=WHATEVER_SURE) as running:
            running.experts = (EmbeddedEngine(),)
            yield running
        connection.execute("DROP OWNED BY change_asker CASCADE; DROP ROLE change_asker")


def beside(asked: AskedServer, *statements: str) -> None:
    """Change something in a session of its own, which the proxy does not see."""
    with asked.database.owner() as connection:
        for statement in statements:
            connection.execute(statement.encode())


async def answer(connection: Connection, question: str) -> list[tuple[object, ...]]:
    return sorted(await rows(connection, f"ASK '{question}'"), key=str)


async def refused(connection: Connection, question: str) -> str:
    with pytest.raises(psycopg.Error) as error:
        await answer(connection, question)
    return error.value.sqlstate or ""


@pytest.mark.parametrize("through", [True, False], ids=["through the proxy", "beside it"])
async def test_a_label_that_an_enum_gets(asked: AskedServer, through: bool) -> None:
    async with asked.connection() as client:
        assert await answer(client, "how many tickets are open?") == [(2,)]
        for label in ("parked", "waived", "merged", "frozen"):
            added = f"ALTER TYPE state ADD VALUE '{label}'"
            held = f"UPDATE tickets SET state = '{label}' WHERE id = 3"
            asks = f"how many {label} tickets are there?"
            if through:
                await client.execute(added.encode())
            else:
                beside(asked, added)
            # no row has it yet, which is no evidence against the label
            assert await answer(client, asks) == [(0,)]
            beside(asked, held)
            assert await answer(client, asks) == [(1,)]


async def test_a_label_that_is_called_otherwise(asked: AskedServer) -> None:
    async with asked.connection() as client:
        assert await answer(client, "how many tickets are open?") == [(2,)]
        beside(asked, "ALTER TYPE state RENAME VALUE 'closed' TO 'solved'")
        assert await answer(client, "titles of solved tickets") == [("Noise",)]


async def test_a_comment(asked: AskedServer) -> None:
    async with asked.connection() as client:
        await answer(client, "titles of tickets")
        beside(asked, "COMMENT ON COLUMN tickets.weight IS 'Urgency of the ticket'")
        assert await answer(client, "title of the ticket with the highest urgency") == [("Noise",)]
        beside(
            asked, "COMMENT ON COLUMN tickets.weight IS NULL", "COMMENT ON COLUMN tickets.hours IS 'Urgency'"
        )
        assert await answer(client, "title of the ticket with the highest urgency") == [("Smell",)]


async def test_a_table_of_another_session_and_its_end(asked: AskedServer) -> None:
    async with asked.connection() as client:
        assert await refused(client, "how many invoices are there?") in {"NL002", "NL003"}
        beside(asked, "CREATE TABLE invoices (id int)", "INSERT INTO invoices VALUES (1), (2), (3)")
        assert await answer(client, "how many invoices are there?") == [(3,)]
        beside(asked, "DROP TABLE invoices")
        assert await refused(client, "how many invoices are there?") in {"NL002", "NL003"}


async def test_names_that_change(asked: AskedServer) -> None:
    async with asked.connection() as client:
        await answer(client, "how many workers are there?")
        beside(
            asked, "ALTER TABLE workers RENAME TO plumbers", "ALTER TABLE tickets RENAME title TO headline"
        )
        assert await answer(client, "how many plumbers are there?") == [(2,)]
        assert await answer(client, "headlines of open tickets") == [("Leak",), ("Smell",)]


async def test_a_view(asked: AskedServer) -> None:
    async with asked.connection() as client:
        await answer(client, "how many workers are there?")
        beside(asked, "CREATE VIEW backlog AS SELECT * FROM tickets WHERE state = 'open'")
        assert await answer(client, "how many rows are in the backlog?") == [(2,)]


async def test_what_a_role_may_read(asked: AskedServer) -> None:
    async with asked.connection("change_asker") as client:
        assert await answer(client, "total hours of tickets") == [(14,)]
        beside(
            asked,
            "REVOKE SELECT ON tickets FROM change_asker",
            "GRANT SELECT (id, title) ON tickets TO change_asker",
        )
        assert (await refused(client, "total hours of tickets")).startswith("NL")
        beside(asked, "GRANT SELECT (hours) ON tickets TO change_asker")
        assert await answer(client, "total hours of tickets") == [(14,)]


async def test_a_search_path_that_a_role_gets(asked: AskedServer) -> None:
    async with asked.connection("change_asker") as client:
        assert await answer(client, "how many pumps are there?") == [(0,)]
        beside(asked, "ALTER ROLE change_asker SET search_path = plant, public")
        # what a role is given holds from its next session on
        assert await answer(client, "how many pumps are there?") == [(0,)]
    async with asked.connection("change_asker") as client:
        assert await answer(client, "how many pumps are there?") == [(3,)]
        await client.execute("SET search_path = public")
        assert await answer(client, "how many pumps are there?") == [(0,)]


async def test_a_temporary_table_is_of_its_session_alone(asked: AskedServer) -> None:
    async with asked.connection() as client, asked.connection() as other:
        await answer(client, "how many workers are there?")
        await client.execute("CREATE TEMP TABLE drafts AS SELECT generate_series(1, 4) AS id")
        assert await answer(client, "how many drafts are there?") == [(4,)]
        assert await refused(other, "how many drafts are there?") in {"NL002", "NL003"}
        await client.execute("DROP TABLE drafts")
        assert await refused(client, "how many drafts are there?") in {"NL002", "NL003"}


async def test_a_change_that_is_taken_back(asked: AskedServer) -> None:
    async with asked.connection() as client:
        await client.execute("BEGIN")
        await client.execute("ALTER TABLE workers RENAME TO plumbers")
        assert await answer(client, "how many plumbers are there?") == [(2,)]
        await client.execute("ROLLBACK")
        assert await answer(client, "how many workers are there?") == [(2,)]
        assert await refused(client, "how many plumbers are there?") in {"NL002", "NL003"}
