"""Statements of sessions that let askwire learn from them, through a real proxy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

import psycopg
import pytest
from data.pets import filled, learning
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.records import Statement
from askwire.core.settings.table import load
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.proxy.memory import recorded_queries, workload
from askwire.proxy.session.relay.consent import ClientStatement
from askwire.sql.query_patterns.patterns import ColumnName, Filter, Join, QueryPatterns
from askwire.store import MemoryStore

TABLES = """
CREATE TABLE pets (id int PRIMARY KEY, name text, kind text, gone_on date);
CREATE TABLE visits (pet int, paid numeric, day date);
CREATE ROLE reader LOGIN;
GRANT SELECT ON pets, visits TO reader;
"""
PETS = ("public", "pets")
HERE = Filter(*PETS, (ColumnName(*PETS, "gone_on"), " IS NULL"))
DOGS = Filter(*PETS, (ColumnName(*PETS, "kind"), " = 'dog'"))
JOIN = Join(ColumnName(*PETS, "id"), ColumnName("public", "visits", "pet"))
QUERY = "SELECT p.name FROM pets p JOIN visits v ON v.pet = p.id WHERE p.gone_on IS NULL AND p.kind = 'dog'"
YES = "SET askwire.workload_statements = on"


@pytest.fixture
def pets(empty_database: OwnDatabase) -> Iterator[OwnDatabase]:
    with filled(empty_database, TABLES, "reader") as database:
        yield database


@pytest.fixture
async def asked(pets: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with learning(pets) as running:
        yield running


async def kept(asked: AskedServer) -> list[Statement]:
    """What is in the store, once all that was heard is written down."""
    await asked.resolver.memories.statement_collector.settled()
    return list(await asked.store.find(Statement))


async def known(asked: AskedServer, user: str = "postgres", options: str = "") -> QueryPatterns | None:
    """What the experts are shown the second time somebody asks."""
    await asked.resolver.memories.statement_collector.settled()
    async with asked.connection(user, options) as connection:
        await rows(connection, "ASK (FRESH) 'how many pets'")
        await asked.resolver.memories.workload.settled()
        await rows(connection, "ASK (FRESH) 'how many pets'")
    return asked.expert.plannings[-1].query_patterns


async def test_a_session_that_says_nothing_is_not_listened_to(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(QUERY)
    assert await kept(asked) == []
    assert await known(asked) is None


async def test_a_session_that_says_yes_is(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        for _ in range(3):
            await connection.execute(QUERY)
    (one,) = await kept(asked)
    assert (one.role, one.database, one.times, one.literals) == ("postgres", asked.database.name, 3, False)
    assert "'dog'" not in one.sql
    query_patterns = await known(asked)
    assert query_patterns is not None
    assert query_patterns.joins == {JOIN: 3}
    assert query_patterns.filters == {HERE: 3}


async def test_statements_of_the_extended_protocol_count(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute("SELECT name FROM pets WHERE id = %s", (7,))
    (one,) = await kept(asked)
    assert one.sql == "SELECT name FROM pets WHERE id = $1"


@pytest.mark.parametrize(
    "options", ["-c askwire.workload_statements=on", "--askwire.workload_statements=yes"]
)
async def test_the_start_up_packet_may_say_yes(asked: AskedServer, options: str) -> None:
    async with asked.connection(options=options) as connection:
        await connection.execute(QUERY)
    assert len(await kept(asked)) == 1


@pytest.mark.parametrize(
    "no",
    [
        "SET askwire.workload_statements = off",
        "SET SESSION askwire.workload_statements TO 'no'",
        "RESET askwire.workload_statements",
        "RESET ALL",
        "DISCARD ALL",
        "SELECT 1; DISCARD ALL",
        "SET askwire.workload_statements = default",
    ],
)
async def test_a_session_may_take_it_back(asked: AskedServer, no: str) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute(QUERY)
        if "SELECT" in no:
            with pytest.raises(psycopg.Error):
                await connection.execute(no)
        else:
            await connection.execute(no)
        await connection.execute("SELECT day FROM visits")
    assert len(await kept(asked)) == 1


@pytest.mark.parametrize("yes", ["BEGIN", "SET LOCAL askwire.workload_statements = on", f"{YES}; SELECT 1"])
async def test_a_yes_that_may_be_undone_is_none(asked: AskedServer, yes: str) -> None:
    async with asked.connection() as connection:
        await connection.execute(yes)
        if yes == "BEGIN":
            await connection.execute(YES)
            await connection.execute("ROLLBACK")
        await connection.execute(QUERY)
    assert await kept(asked) == []


async def test_what_a_role_is_set_to_holds_from_its_first_ask_on(
    asked: AskedServer, pets: OwnDatabase
) -> None:
    with pets.owner() as connection:
        connection.execute("ALTER ROLE reader SET askwire.workload_statements = on")
    async with asked.connection("reader") as session:
        await session.execute("SELECT day FROM visits")
        await rows(session, "ASK 'how many pets'")
        await session.execute(QUERY)
    (one,) = await kept(asked)
    assert one.role == "reader"
    assert "JOIN" in one.sql


async def test_other_roles_are_told_nothing(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute(QUERY)
    assert await known(asked, "reader") is None


async def test_who_acts_as_another_role_is_told_nothing(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute(QUERY)
        assert len(await kept(asked)) == 1
        assert len(await rows(connection, "SELECT * FROM ask.statements")) == 1
        await connection.execute("SET ROLE reader")
        assert await rows(connection, "SELECT * FROM ask.statements") == []
        await rows(connection, "ASK (FRESH) 'how many pets'")
        await asked.resolver.memories.workload.settled()
        await rows(connection, "ASK (FRESH) 'how many pets'")
    assert asked.expert.plannings[-1].query_patterns is None


async def test_one_sees_what_was_kept(pets: OwnDatabase) -> None:
    async with asked_server(pets, workload="on", operators="postgres") as running:
        async with running.connection("reader") as connection:
            await connection.execute(YES)
            await connection.execute("SELECT name FROM pets WHERE id = 7")
            await running.resolver.memories.statement_collector.settled()
            shown = "SELECT role, sql, times FROM ask.statements"
            told = [("reader", "SELECT name FROM pets WHERE id = $1", 1)]
            assert await rows(connection, shown) == told
        async with running.connection() as operator:
            assert await rows(operator, shown) == told


async def test_what_is_no_query_and_what_tools_look_up_are_not_kept(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute("INSERT INTO visits VALUES (1, 2, NULL)")
        await connection.execute("SELECT relname FROM pg_catalog.pg_class")
        await connection.execute("ASK 'how many pets'")
    assert await kept(asked) == []


async def test_another_search_path_is_another_schema(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("CREATE SCHEMA other CREATE TABLE pets (id int, name text)")
        await connection.execute(YES)
        await connection.execute("SET search_path = other")
        await connection.execute("SELECT name FROM pets")
        told = connection.info.parameter_status("search_path")
    assert len(await kept(asked)) == 1
    query_patterns = await known(asked)
    # only PostgreSQL 18 and later tell which search_path is in force
    assert (query_patterns is None) == (told is not None)


async def test_the_operator_decides(pets: OwnDatabase) -> None:
    async def heard(running: AskedServer, *statements: str) -> int:
        async with running.connection() as connection:
            for statement in statements:
                await connection.execute(statement)
        return len(await kept(running))

    async with asked_server(pets, workload="off") as running:
        assert await heard(running, YES, QUERY) == 0
    async with asked_server(pets, workload="on", workload_statements="off") as running:
        assert await heard(running, YES, QUERY) == 0
    async with asked_server(pets, workload="on", workload_statements="on") as running:
        assert await heard(running, QUERY) == 1
        assert await heard(running, "SET askwire.workload_statements = off", "SELECT day FROM visits") == 1


async def test_constants_are_kept_where_the_operator_lets_them(pets: OwnDatabase) -> None:
    async with asked_server(pets, workload="on", workload_literals="on") as running:
        running.expert.answers("how many pets", "SELECT count(*) FROM pets")
        async with running.connection() as connection:
            await connection.execute(YES)
            await connection.execute(QUERY)
        query_patterns = await known(running)
        assert query_patterns is not None
        assert DOGS in query_patterns.filters
        with pets.owner() as admin:
            admin.execute("GRANT SELECT ON pets TO reader; ALTER TABLE pets ENABLE ROW LEVEL SECURITY")
            admin.execute("ALTER TABLE pets FORCE ROW LEVEL SECURITY; CREATE POLICY p ON pets USING (true)")
        async with running.connection("reader") as connection:
            await connection.execute(YES)
            await connection.execute(QUERY)
        secured = await known(running, "reader")
        assert secured is not None
        assert DOGS not in secured.filters


async def test_further_statements_count_soon(asked: AskedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "REREAD_AFTER_STATEMENTS_SECONDS", 0.0)
    assert await known(asked) is None
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute(QUERY)
    assert await known(asked) is not None


async def test_a_queue_that_is_full_drops_and_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_queries, "PAUSE_SECONDS", 0.0)
    store = MemoryStore()
    collector = recorded_queries.StatementCollector(store, "", lambda: 0.0, load)
    for number in range(recorded_queries.MAX_WAITING_STATEMENTS + 5):
        collector.hear(ClientStatement(b"SELECT a FROM t%d" % number, "UTF8", "r", "d", ""))
    assert collector.counted == {"dropped": 5}
    await collector.settled()
    assert len(await store.find(Statement, limit=10_000)) == recorded_queries.MAX_WAITING_STATEMENTS
    assert collector.counted == {
        "dropped": 5,
        "kept": recorded_queries.MAX_WAITING_STATEMENTS,
        "passed over": 0,
    }


@pytest.mark.parametrize("sql", ["", "SELECT name FROM pets WHERE id = $1"])
async def test_what_is_taken_back_while_it_waits_is_not_kept(
    sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is parsed at the moment, what waits behind it; what comes afterwards counts, from one on."""
    free, began = threading.Event(), threading.Event()
    patterns = recorded_queries._patterns

    def stuck(some: Iterable[ClientStatement], literals: bool) -> list[recorded_queries._Pattern | None]:
        began.set()
        assert free.wait(60)
        return patterns(some, literals)

    monkeypatch.setattr(recorded_queries, "_patterns", stuck)
    monkeypatch.setattr(recorded_queries, "PAUSE_SECONDS", 0.0)
    store = MemoryStore()
    collector = recorded_queries.StatementCollector(store, "", lambda: 0.0, load)
    for role in ("r", "other"):
        for number in range(30):
            collector.hear(
                ClientStatement(b"SELECT name FROM pets WHERE id = %d" % number, "UTF8", role, "d", "")
            )
    try:
        assert await asyncio.to_thread(began.wait, 60)
        await collector.forget("r", "d", sql)
        collector.hear(ClientStatement(b"SELECT name FROM pets WHERE id = 7", "UTF8", "r", "d", ""))
    finally:
        free.set()
    await collector.settled()
    assert {s.role: s.times for s in await store.find(Statement)} == {"r": 1, "other": 30}
    assert not collector._taken_back


async def test_texts_of_statements_are_not_held() -> None:
    collector = recorded_queries.StatementCollector(MemoryStore(), "", lambda: 0.0, load)
    collector.hear(
        ClientStatement(b"SELECT name FROM pets WHERE name = 'Mrs. Threadgold'", "UTF8", "r", "d", "")
    )
    await collector.settled()
    assert not hasattr(recorded_queries._pattern, "cache_info")
    assert recorded_queries._known._patterns
    assert "Threadgold" not in repr(recorded_queries._known._patterns)


async def test_the_report_cites_what_was_learned(asked: AskedServer) -> None:
    asked.experts = (EmbeddedEngine(),)
    async with asked.connection() as connection:
        await connection.execute("INSERT INTO pets VALUES (1, 'Ada', 'dog', NULL)")
        await connection.execute("INSERT INTO visits VALUES (1, 30, '2025-01-01')")
        await connection.execute(YES)
        for _ in range(2):
            await connection.execute("SELECT p.name, v.day FROM visits v JOIN pets p ON p.id = v.pet")
        await asked.resolver.memories.statement_collector.settled()
        question = "ASK (WHY, FORMAT JSON, FRESH) 'show the name of each pet and the day of its visit'"
        await rows(connection, question)
        await asked.resolver.memories.workload.settled()
        ((report,),) = await rows(connection, question)
    (cited,) = (step["cited"] for step in report["trace"] if step["name"] == "customs")
    assert "pets.id = visits.pet, joined so in 2 queries of people" in cited


async def test_a_parser_that_is_stuck_delays_nobody(
    asked: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sent meanwhile is answered, what finds no room in the queue is dropped and counted."""
    free, began = threading.Event(), threading.Event()
    patterns = recorded_queries._patterns

    def stuck(some: Iterable[ClientStatement], literals: bool) -> list[recorded_queries._Pattern | None]:
        began.set()
        assert free.wait(60)
        return patterns(some, literals)

    monkeypatch.setattr(recorded_queries, "_patterns", stuck)
    monkeypatch.setattr(recorded_queries, "MAX_WAITING_STATEMENTS", 3)
    monkeypatch.setattr(recorded_queries, "PAUSE_SECONDS", 0.0)
    counted = asked.resolver.figures.statements
    try:
        async with asked.connection() as connection:
            await connection.execute(YES)
            await connection.execute("SELECT name FROM pets WHERE id = 0")
            assert await asyncio.to_thread(began.wait, 60)
            for number in range(10):
                assert await rows(connection, f"SELECT {number} + 1") == [(number + 1,)]
            assert counted == {"dropped": 7}
    finally:
        free.set()
    await asked.resolver.memories.statement_collector.settled()
    assert counted == {"dropped": 7, "kept": 4, "passed over": 0}


async def test_only_so_much_text_is_parsed_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    goes: list[int] = []
    patterns = recorded_queries._patterns

    def noted(some: Sequence[ClientStatement], literals: bool) -> list[recorded_queries._Pattern | None]:
        goes.append(sum(len(heard.text) for heard in some))
        return patterns(some, literals)

    monkeypatch.setattr(recorded_queries, "_patterns", noted)
    monkeypatch.setattr(recorded_queries, "PAUSE_SECONDS", 0.0)
    collector = recorded_queries.StatementCollector(MemoryStore(), "", lambda: 0.0, load)
    for number in range(20):
        collector.hear(ClientStatement(b"SELECT %d -- %s" % (number, b"x" * 15_000), "UTF8", "r", "d", ""))
    await collector.settled()
    assert sum(goes) > 300_000
    assert max(goes) <= recorded_queries.BYTES_PER_GO


@pytest.mark.parametrize(
    "sql", ["SELECT nothing FROM pets", "SELECT name FROM nowhere", "SELEC name FROM pets", "SELECT 1 / 0"]
)
async def test_a_statement_that_fails_leaves_nothing(asked: AskedServer, sql: str) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        with pytest.raises(psycopg.Error):
            await connection.execute(sql)
        await connection.execute("SELECT day FROM visits")
    (one,) = await kept(asked)
    assert one.sql == "SELECT day FROM visits"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT length('{'x' * 1_000_000}')",
        f"SELECT 1 /* {'x' * 30_000} */",
        "SELECT " + "(" * 300 + "1" + ")" * 300,
        "SELECT " + " + ".join(["1"] * 3000),
    ],
    ids=["1 MB", "long comment", "deep", "many operators"],
)
async def test_a_statement_that_is_too_much_costs_nothing_lasting(asked: AskedServer, sql: str) -> None:
    async with asked.connection() as connection:
        await connection.execute(YES)
        await connection.execute(sql)
        await connection.execute("SELECT day FROM visits")
    assert "SELECT day FROM visits" in [one.sql for one in await kept(asked)]
    assert all(len(one.sql) < 30_000 for one in await kept(asked))
    assert not asked.resolver.memories.statement_collector._waiting
