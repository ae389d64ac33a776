"""askwire's own state as relations: whose rows are seen, and that PostgreSQL works with them as with any."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence

import psycopg
import pytest
from data.pets import DOGS
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import HistoryEntry, Statement, Term
from askwire.proxy.memory import relations
from askwire.proxy.memory.relations import RELATIONS
from askwire.sql.state_relations import Column, as_arrays
from askwire.store import MemoryStore


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(pets, operators="postgres") as running:
        running.expert.answers("every dog", DOGS)
        yield running


async def test_history_is_filtered_joined_and_typed_by_postgresql(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK 'every dog'")
        with pytest.raises(psycopg.Error):
            await rows(connection, "ASK 'every ''cat'' \\ of ours'")
        query = "SELECT question, outcome, sql, pinned FROM ask.history WHERE at > '2000-01-01' ORDER BY at"
        assert await rows(connection, query) == [
            ("every dog", "00000", DOGS, False),
            ("every dog", "00000", DOGS, True),
            ("every 'cat' \\ of ours", "NL003", "", False),
        ]
        joined = (
            "SELECT count(*) FROM ask.history AS h JOIN ask.pins p USING (question) LEFT JOIN pets ON true"
            " WHERE h.confidence > 0.5"
        )
        assert await rows(connection, joined) == [(6,)]
        assert await rows(connection, "SELECT history.options->>'why' FROM ask.history LIMIT 1") == [(None,)]


@pytest.mark.parametrize("relation", RELATIONS)
async def test_every_relation_can_be_read_when_it_is_empty(asked: AskedServer, relation: str) -> None:
    async with asked.connection("reader") as connection:
        cursor = await connection.execute(f'SELECT * FROM "ask" . {relation}'.encode())
        assert [c.name for c in cursor.description or ()] == [c.name for c in RELATIONS[relation].columns]
        assert bool(await cursor.fetchall()) == (relation in ("settings", "calibration", "help"))


@pytest.mark.parametrize("relation", RELATIONS)
async def test_every_relation_can_be_read_when_it_is_not(asked: AskedServer, relation: str) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        await rows(connection, "ASK RIGHT")
        await rows(connection, "ASK LEARN 'word' AS 'a pet'")
        session = (
            "k",
            1.0,
            "postgres",
            asked.resolver.memories.statement_collector.server,
            asked.database.name,
        )
        asked.store.put(Statement(*session, path="", sql="SELECT $1", literals=False, times=1))
        assert await rows(connection, f"SELECT * FROM ask.{relation}")


async def test_one_sees_one_s_own_and_an_operator_sees_all(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader, asked.connection() as operator:
        await rows(reader, "ASK 'every dog'")
        await rows(operator, "ASK 'every dog'")
        query = "SELECT role FROM ask.history UNION ALL SELECT role FROM ask.pins ORDER BY 1"
        assert await rows(reader, query) == [("reader",)] * 2
        assert await rows(operator, query) == [("postgres",)] * 2 + [("reader",)] * 2
        # SET ROLE makes no one an operator
        await operator.execute("SET ROLE reader")
        assert len(await rows(operator, query)) == 4
        secrets = "SELECT count(*) FROM ask.settings WHERE scope = 'server' AND value IS NOT NULL"
        assert await rows(reader, secrets) == [(0,)]
        assert await rows(operator, secrets + " AND name = 'backend'") == [(0,)]


async def test_roles_behind_one_login_see_their_own(asked: AskedServer) -> None:
    """A pooler logs in once and changes its role for each user."""
    async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
        await owner.execute("CREATE ROLE another; GRANT SELECT ON pets TO another; GRANT another TO reader")
    try:
        async with asked.connection("reader") as pool:
            await rows(pool, "ASK 'every dog'")
            await rows(pool, "ASK LEARN 'hound' AS 'a pet'")
            await rows(pool, "ASK RIGHT")
            for relation in ("history", "glossary", "pins", "feedback"):
                assert len(await rows(pool, f"SELECT * FROM ask.{relation}")) == 1, relation
            await pool.execute("SET ROLE another")
            with pytest.raises(psycopg.Error, match="nothing was found to forget"):
                await rows(pool, "ASK FORGET 'hound'")
            for relation in ("history", "glossary", "pins", "feedback"):
                seen = await rows(pool, f"SELECT * FROM ask.{relation}")
                assert seen == [], relation
            await pool.execute("RESET ROLE")
            assert len(await rows(pool, "SELECT * FROM ask.glossary")) == 1
    finally:
        async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
            await owner.execute("DROP OWNED BY another; DROP ROLE another")


async def test_what_is_private_is_seen_in_its_session_only(asked: AskedServer) -> None:
    async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
        await owner.execute("ALTER TABLE pets ENABLE ROW LEVEL SECURITY")
        await owner.execute("CREATE POLICY everyone ON pets USING (true)")
    asked.expert.answers("barking ones", DOGS)
    async with asked.connection("reader") as one, asked.connection("reader") as other:
        await rows(one, "ASK 'barking ones'")
        await rows(one, "ASK 'every dog'")
        for relation in ("history", "pins"):
            assert await rows(other, f"SELECT question FROM ask.{relation}") == []
        assert await rows(one, "SELECT question, sql LIKE '%dog%' FROM ask.history ORDER BY at") == [
            ("barking ones", False),
            ("every dog", True),
        ]


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("INSERT INTO ask.history VALUES (1)", "42P01"),
        ("DELETE FROM ask.pins", "42P01"),
        ("SELECT * FROM ask.nothing", "42P01"),
        ("DROP TABLE ask.history", "3F000"),
        ("SELECT no_column FROM ask.history WHERE 'ä' = 'ä'", "42703"),
    ],
)
async def test_what_is_no_reading_is_postgresql_s_to_answer(
    asked: AskedServer, sql: str, sqlstate: str
) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.Error) as failed:
            await connection.execute(sql.encode())
        assert failed.value.sqlstate == sqlstate


async def test_an_error_points_into_the_user_s_text(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        sql = "SELECT question FROM ask.history WHERE 'ä' = 'ä' AND no_column"
        with pytest.raises(psycopg.Error) as failed:
            await connection.execute(sql.encode())
        assert failed.value.diag.statement_position == str(sql.index("no_column") + 1)


async def test_a_database_with_a_schema_of_that_name_keeps_it(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("CREATE SCHEMA ask; CREATE TABLE ask.history (mine int)")
        await connection.execute("INSERT INTO ask.history VALUES (7)")
        assert await rows(connection, "SELECT mine FROM ask.history") == [(7,)]


async def test_strange_text_stays_text(pets: OwnDatabase) -> None:
    store = MemoryStore()
    nasty = "'; DROP TABLE pets; -- \\ $$ \0 ü 🐕 \n"
    place = {"server": f"127.0.0.1:{pets.port}", "database": pets.name}
    store.put(
        Term("t", 1.0, "postgres", place["server"], place["database"], nasty, "m"),
        HistoryEntry("a", 1.0, "s", "postgres", "postgres", place["server"], place["database"], nasty),
    )
    async with asked_server(pets, store) as asked, asked.connection() as connection:
        assert await rows(connection, "SELECT term FROM ask.glossary") == [(nasty.replace("\0", ""),)]
        assert await rows(connection, "SELECT question FROM ask.history") == [(nasty.replace("\0", ""),)]
        await connection.execute("SET client_encoding TO latin1")
        ((shown,),) = await rows(connection, "SELECT term FROM ask.glossary")
        assert "ü ?" in shown


async def test_state_can_be_read_in_a_block_and_in_a_pipeline(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
        async with connection.transaction():
            assert await rows(connection, "SELECT count(*) FROM ask.pins") == [(1,)]
        query = "SELECT sql FROM ask.pins WHERE question = %s"
        assert await rows(connection, query, ("every dog",)) == [(DOGS,)]


async def test_a_store_that_cannot_be_read_is_an_error_of_its_own(pets: OwnDatabase) -> None:
    store = MemoryStore()
    store.trouble = "disk on fire"
    async with asked_server(pets, store) as asked, asked.connection() as connection:
        with pytest.raises(psycopg.Error) as failed:
            await rows(connection, "SELECT * FROM ask.history")
        assert failed.value.sqlstate == "58030"
        assert await rows(connection, "SELECT count(*) FROM pets") == [(3,)]


async def messages_rows(asked: AskedServer, role: str, text: str) -> list[list[tuple[object, ...]]]:
    """The rows of each statement of one simple message."""
    async with asked.connection(role) as connection:
        cursor = psycopg.AsyncClientCursor(connection)
        await cursor.execute(text.encode())
        found = [await cursor.fetchall() if cursor.description else []]
        while cursor.nextset():
            found.append(await cursor.fetchall() if cursor.description else [])
        return found


@pytest.mark.parametrize("set_role", ["SET ROLE reader", "SET LOCAL ROLE reader", "SET ROLE TO 'reader'"])
async def test_a_role_set_in_front_is_the_one_who_looks(asked: AskedServer, set_role: str) -> None:
    async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
        await owner.execute("CREATE ROLE pool LOGIN; GRANT reader TO pool; GRANT SELECT ON pets TO pool")
    try:
        async with asked.connection("pool") as pool:
            await rows(pool, "ASK 'every dog'")
        text = f"BEGIN; {set_role}; SELECT acting_as FROM ask.history; RESET ROLE; TABLE ask.pins; COMMIT"
        found = await messages_rows(asked, "pool", text)
        assert [len(part) for part in found] == [0, 0, 0, 0, 1, 0]
        text = "INSERT INTO pg_temp.t SELECT 1; SELECT 1 FROM ask.history"
        found = await messages_rows(asked, "pool", f"CREATE TEMP TABLE t (a int); {text}")
        assert found[-1] == [(1,)]
        with pytest.raises(psycopg.Error, match="askwire's state cannot be read after") as failed:
            await messages_rows(asked, "pool", "DO $$ BEGIN SET ROLE reader; END $$; TABLE ask.history")
        assert failed.value.sqlstate == "NL007"
        with pytest.raises(psycopg.Error) as failed:
            await messages_rows(asked, "pool", "SET ROLE nobody_at_all; TABLE ask.history")
        assert failed.value.sqlstate == "22023"
    finally:
        async with await psycopg.AsyncConnection.connect(asked.database.dsn(), autocommit=True) as owner:
            await owner.execute("DROP OWNED BY pool; DROP ROLE pool")


async def test_a_session_authorization_set_in_front_is_the_one_who_looks(asked: AskedServer) -> None:
    async with asked.connection("reader") as reader:
        await rows(reader, "ASK 'every dog'")
    text = "SET SESSION AUTHORIZATION reader; SELECT role FROM ask.history; RESET SESSION AUTHORIZATION"
    async with asked.connection() as connection:
        await rows(connection, "ASK 'every dog'")
    assert (await messages_rows(asked, "postgres", text))[1] == [("reader",)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT h.question FROM ask.history * h",
        "SELECT question FROM ONLY ask.history",
        "SELECT ask.history.question FROM ONLY (ask.history)",
        "SELECT question FROM (TABLE ask.history) AS h",
        "WITH h AS (TABLE ONLY ask.history) SELECT question FROM h",
    ],
)
async def test_every_way_to_write_an_item_of_from(asked: AskedServer, text: str) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'every dog'")
        assert await rows(connection, text) == [("every dog",)]
        assert await rows(connection, text + " LIMIT 1") == [("every dog",)]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "SELECT * FROM ask.history TABLESAMPLE system (5)",
            "TABLESAMPLE is not possible on ask.history",
            "random",
        ),
        ("COPY ask.history TO STDOUT", "COPY is not possible from ask.history", "COPY (SELECT ...)"),
        (
            "CREATE VIEW v AS SELECT * FROM ask.history",
            "a stored query cannot read ask.history",
            "CREATE TABLE AS",
        ),
    ],
)
async def test_what_is_not_possible_is_told(asked: AskedServer, text: str, message: str, hint: str) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.Error) as failed:
            await connection.execute(text.encode())
        diagnosis = failed.value.diag
        assert (diagnosis.sqlstate, diagnosis.message_primary) == ("NL007", f"askwire: {message}")
        assert hint in (diagnosis.message_hint or "")
        assert diagnosis.statement_position == str(text.index("ask.history") + 1)


async def test_beside_an_ask(asked: AskedServer) -> None:
    async with asked.connection("reader") as connection:
        await rows(connection, "ASK 'every dog'")
        # the ASK of the message itself has been asked when the rows are looked at
        text = "SELECT d.name, count(*) FROM (ASK 'every dog') d, ask.history GROUP BY 1 ORDER BY 1"
        assert await rows(connection, text) == [("Ada", 2), ("Rex", 2)]
        wrong = "SELECT ask.history.question, no_column FROM (ASK 'every dog') d, ask.history"
        with pytest.raises(psycopg.Error) as failed:
            await rows(connection, wrong)
        assert failed.value.diag.statement_position == str(wrong.index("no_column") + 1)
        with pytest.raises(psycopg.Error, match="not possible beside askwire's own state") as failed:
            await rows(connection, "SELECT * FROM (ASK %s) d, ask.history", ("every dog",))
        assert failed.value.sqlstate == "NL007"
        with pytest.raises(psycopg.Error, match="TABLESAMPLE") as failed:
            await rows(connection, "SELECT * FROM (ASK 'every dog') d, ask.pins TABLESAMPLE system (1)")
        assert failed.value.diag.statement_position == "36"
    found = await messages_rows(asked, "reader", "ASK 'every dog'; SELECT count(*) > 3 FROM ask.history")
    assert [len(part) for part in found] == [2, 1]


async def test_rows_are_written_beside_the_event_loop(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand rows take some tenths of a second, for which other sessions must not wait."""
    wrote: list[threading.Thread] = []

    def noted(columns: Sequence[Column], made: Sequence[Sequence[str | None]]) -> str:
        wrote.append(threading.current_thread())
        return as_arrays(columns, made)

    monkeypatch.setattr(relations, "as_arrays", noted)
    async with asked.connection() as connection:
        await rows(connection, "SELECT * FROM ask.history, ask.settings")
    assert len(wrote) == 2
    assert threading.main_thread() not in wrote


@pytest.mark.parametrize("user", ["postgres", "reader"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT question FROM {0} LIMIT 3",
        "SELECT key, question FROM {0} ORDER BY at DESC LIMIT 4 OFFSET 2",
        "SELECT * FROM {0} WHERE outcome = '00000' ORDER BY at DESC LIMIT 2",
        "SELECT question FROM {0} WHERE outcome = '00000' AND role = 'reader' LIMIT 100",
        "SELECT count(*) FROM {0} WHERE role = 'somebody else'",
        "SELECT count(*) FROM {0}",
        "SELECT 1 AS one FROM {0} LIMIT 3",
        "SELECT count(*) FROM {0} CROSS JOIN pets",
        "SELECT count(*), max(elapsed_ms) FROM {0} WHERE acting_as = 'reader'",
        "SELECT question FROM {0} WHERE outcome = '00000' AND question LIKE '%5%' ORDER BY at DESC LIMIT 1",
    ],
)
async def test_what_is_left_out_beforehand_is_what_postgresql_throws_away(
    asked: AskedServer, query: str, user: str
) -> None:
    """The same query over all rows, from a table that was made of them, says the same."""
    kept = [
        HistoryEntry(
            key=f"key {n:03}",
            at=1_700_000_000.0 + n,
            session="another",
            role=("reader", "postgres")[n % 2],
            acting_as=("reader", "postgres", "reader")[n % 3],
            server=f"127.0.0.1:{asked.database.port}",
            database=asked.database.name,
            question=f"question {n}",
            outcome="00000" if n % 4 else "NL003",
            private=n % 5 == 0,
        )
        for n in range(60)
    ]
    asked.store.put(*kept)
    async with asked.connection(user) as connection:
        await connection.execute("CREATE TEMP TABLE whole AS SELECT * FROM ask.history")
        assert await rows(connection, "SELECT count(*) > 5 FROM whole") == [(True,)]
        shown = await rows(connection, query.format("ask.history"))
        assert shown == await rows(connection, query.format("(SELECT * FROM whole ORDER BY at DESC) AS w"))
