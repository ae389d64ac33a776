"""A PostgreSQL store on its unhappy days: who waits how long, what is kept, and what is said of it."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest
from data.store_records import asked, every_kind
from doubles.time_bounds import Stopwatch
from psycopg.conninfo import conninfo_to_dict
from servers.databases import Database
from servers.store_servers import StoreWatcher, kill, listening, own_server, pooler, relay, until

from askwire.core.errors import ConfigurationError, StoreFailed
from askwire.core.protocols import About
from askwire.core.records import Demonstration, Feedback, HistoryEntry, Pin, Record, Term
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.store import open_store
from askwire.store.postgres.address import PostgresOptions, conninfo, without_password
from askwire.store.postgres.retention import sweep
from askwire.store.postgres.rows import Statements
from askwire.store.postgres.schema import steps
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import Retention
from askwire.store.tables import (
    about_paraphrase,
    about_question,
    about_readings,
    reading_digest,
    table,
)

ALL = Retention(0, 0, 0)


@asynccontextmanager
async def opened(url: str, **given: object) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url, retention=ALL, **{"retry_after": 0.1, **given})  # type: ignore[arg-type]
    try:
        yield store
    finally:
        await store.close()


def execute(database: Database, *statements: str) -> list[tuple[object, ...]]:
    """What the last of them returns."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
    return cursor.fetchall() if cursor.description else []


def term(key: str, at: float = 1.0) -> Term:
    return Term(key, at, "ada", "db.example.com:5432", "shop", "revenue", "sum of amount")


async def keys(store: PostgresStore) -> list[str]:
    return sorted(r.key for r in await store.find(HistoryEntry, limit=100_000, timeout=20))


# -- it cannot be reached ------------------------------------------------------------------------------------


async def test_a_wrong_password_is_told_without_it(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = f"postgresql://by_scram:not-this-one@127.0.0.1:{database.port}/{database.name}"
    async with opened(url, goodbye=0.3) as store:
        store.put(asked())
        await until(lambda: bool(store.status.trouble))
        assert store.status.trouble == 'password authentication failed for user "by_scram"'
        assert store.status.waiting == 1
        taken = Stopwatch()
        with pytest.raises(StoreFailed, match="cannot be read: password authentication failed"):
            await store.find(HistoryEntry, timeout=20)
        assert taken.within(5), "a store that is known to be down makes no session wait"
        with pytest.raises(StoreFailed, match="cannot be written: password authentication failed"):
            await store.keep(asked("b"))
        assert store.shown == f"postgresql://by_scram@127.0.0.1:{database.port}/{database.name}"
    assert "not-this-one" not in caplog.text
    assert store.status.lost == 1


async def test_a_database_that_is_made_later_is_used_then(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    late = f"{database.name}_late"
    with caplog.at_level(logging.WARNING, "askwire.store"):
        async with opened(Database(late, database.port).dsn()) as store:
            store.put(asked("a"))
            await until(lambda: bool(store.status.trouble))
            assert store.status.trouble == f'database "{late}" does not exist'
            execute(database, f"CREATE DATABASE {late}")
            await until(lambda: not store.status.trouble and not store.status.waiting)
            assert await keys(store) == ["a"]
    told = [r.getMessage() for r in caplog.records if r.name == "askwire.store"]
    assert len(told) == 2, told
    assert "cannot be used: database" in told[0]
    assert "can be used again" in told[1]


async def test_a_host_that_nobody_is_at_keeps_nobody_waiting() -> None:
    async with opened("postgresql://ada:secret@127.0.0.1:1/shop") as store:
        await until(lambda: bool(store.status.trouble))
        assert "127.0.0.1" not in store.status.trouble, "people who teach read the trouble"
        assert "refused" in store.status.trouble


def test_what_is_missing_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("ASKWIRE_COMMAND", raising=False)
    with pytest.raises(ConfigurationError, match="psycopg is not installed") as failed:
        open_store("postgresql://db/askwire")
    assert failed.value.hint == "Run pip install 'askwire[postgres-store]'."
    monkeypatch.setenv("ASKWIRE_COMMAND", "./ask")
    with pytest.raises(ConfigurationError) as failed:
        open_store("postgresql://db/askwire")
    assert failed.value.hint == "Run ./ask postgres-store."


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p@h/d", "postgresql://u@h/d"),
        ("postgres://u:p%40@h1:1,h2:2/d?sslmode=require", "postgres://u@h1:1,h2:2/d?sslmode=require"),
        ("postgresql://u:p@@h/d", "postgresql://u@h/d"),
        ("postgresql://u:p/q@h/d", "postgresql://u@h/d"),
        ("postgresql://h/d?user=u&password=p&sslmode=require", "postgresql://h/d?user=u&password=***&sslmode=require"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("/srv/p:q@store.sqlite", "/srv/p:q@store.sqlite"),
    ],
)  # fmt: skip
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_tls_and_other_parameters_of_a_url_pass_through() -> None:
    url = "postgresql://u:p@h1:1,h2:2/d?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=9"
    given = conninfo_to_dict(conninfo(url))
    assert (given["sslmode"], given["sslrootcert"]) == ("verify-full", "/ca.pem")
    assert (given["host"], given["port"]) == ("h1,h2", "1,2")
    assert given["connect_timeout"] == "9"
    assert given["target_session_attrs"] == "read-write"


def test_a_url_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as failed:
        PostgresStore("postgresql://u:hush@h:port/d?nothing=1")
    assert "hush" not in f"{failed.value.message} {failed.value.hint}"
    with pytest.raises(ConfigurationError, match="store_schema"):
        PostgresStore("postgresql://h/d", options=PostgresOptions(schema='x"; DROP'))


# -- the schema ----------------------------------------------------------------------------------------------


async def test_processes_that_start_at_once_make_one_schema(database: Database) -> None:
    stores = [PostgresStore(database.dsn(), retention=ALL) for _ in range(5)]
    try:
        await asyncio.gather(*(store.keep(asked(f"k{n}"), timeout=20) for n, store in enumerate(stores)))
        assert await keys(stores[0]) == [f"k{n}" for n in range(5)]
    finally:
        await asyncio.gather(*(store.close() for store in stores))
    assert execute(database, "SELECT version FROM askwire.schema_version") == [(len(steps()),)]


async def test_a_role_without_rights_is_told_what_to_run(database: Database) -> None:
    execute(database, "REVOKE CREATE ON DATABASE " + database.name + " FROM PUBLIC")
    async with opened(database.dsn("by_scram"), goodbye=0.3) as store:
        store.put(asked("a"))
        await until(lambda: bool(store.status.trouble))
        assert "there is no schema askwire" in store.status.trouble
        assert "Run askwire store migrate" in store.status.trouble
        assert store.status.waiting == 1


async def test_a_newer_schema_is_left_alone_unless_it_allows_this_version(database: Database) -> None:
    async with opened(database.dsn()) as store:
        await store.keep(asked("a"), timeout=20)
    newer = len(steps()) + 1
    execute(database, f"UPDATE askwire.schema_version SET version = {newer}, needs = {newer}")
    async with opened(database.dsn()) as store:
        await until(lambda: bool(store.status.trouble))
        assert f"its schema is number {newer}, this version knows {len(steps())}" in store.status.trouble
        # the later version says that earlier ones may go on
        execute(database, f"UPDATE askwire.schema_version SET needs = {len(steps())}")
        await until(lambda: not store.status.trouble)
        assert await keys(store) == ["a"]


async def test_an_older_schema_is_moved_forward_with_what_it_holds(database: Database) -> None:
    first = steps()[0].replace("{schema}", "askwire").replace("{channel}", "askwire_askwire")
    execute(
        database,
        "CREATE SCHEMA askwire",
        "CREATE TABLE askwire.schema_version (version int4, needs int4, at timestamptz DEFAULT now())",
        "INSERT INTO askwire.schema_version VALUES (1, 1)",
        first,
        "INSERT INTO askwire.term VALUES ('t', 1, 'ada', 's', 'd', 'revenue', 'sum of amount')",
    )
    async with opened(database.dsn()) as store:
        assert [t.key for t in await store.find(Term, timeout=20)] == ["t"]
    assert execute(database, "SELECT version FROM askwire.schema_version") == [(len(steps()),)]


async def test_what_an_older_version_was_taught_is_found(database: Database) -> None:
    kinds = [r for r in every_kind() if isinstance(r, Feedback | Demonstration)]

    def tell(key: str, question: str) -> None:
        with psycopg.connect(database.dsn(), autocommit=True) as connection:
            for one in kinds:
                shape = table(type(one))
                columns, marks = ", ".join(shape.columns), ", ".join(["%s"] * len(shape.columns))
                values = tuple(asdict(replace(one, key=key, question=question)).values())
                insert = f"INSERT INTO askwire.{shape.name} ({columns}) VALUES ({marks})"
                connection.execute(insert.encode(), values)

    older = (
        script.replace("{schema}", "askwire").replace("{channel}", "askwire_askwire") for script in steps()
    )
    execute(
        database,
        "CREATE SCHEMA askwire",
        "CREATE TABLE askwire.schema_version (version int4, needs int4, at timestamptz DEFAULT now())",
        "INSERT INTO askwire.schema_version VALUES (4, 1)",
        *list(older)[:4],
    )
    tell("before", "how many dogs?")
    said = next(one for one in kinds if isinstance(one, Feedback))
    asked = (said.server, said.database, "how many  Dogs")
    readings = about_readings([reading_digest("how many dogs?", said.sql)])
    looked_for: list[tuple[type[Record], About]] = [
        *((Feedback, about_question(*asked)), (Feedback, readings)),
        *((Demonstration, about_question(*asked)), (Demonstration, about_paraphrase(*asked))),
    ]
    async with opened(database.dsn()) as store:
        for kind, about in looked_for:
            assert len(await store.find(kind, about=about, timeout=20)) == 1
            empty = f"SELECT FROM askwire.{table(kind).name} WHERE {about.digest} = ''"
            assert not execute(database, empty)
        # a process of that version may still use the schema
        tell("meanwhile", "how many dogs?")
        tell("of another", "how many cats")
        for kind, about in looked_for:
            found = await store.find(kind, about=about, timeout=20)
            assert sorted(one.key for one in found) == ["before", "meanwhile"]
    # other processes hear of what was said, and of nothing that was only computed
    told = execute(database, "SELECT key FROM askwire.change WHERE kind = 'feedback' ORDER BY number")
    assert told == [("before",), ("meanwhile",), ("of another",)]


@pytest.mark.parametrize("analyzed", [False, True])
async def test_what_is_found_costs_no_more_where_there_is_more_about_other_questions(
    database: Database, analyzed: bool
) -> None:
    """Each ASK reads it."""
    said = next(r for r in every_kind() if isinstance(r, Feedback))
    shown = next(r for r in every_kind() if isinstance(r, Demonstration))
    place: dict[str, str | bool] = {name: getattr(said, name) for name in ("server", "database")}
    mine = place | {"acting_as": said.acting_as, "undone": said.undone}
    asked = (said.server, said.database, "Q 7?")
    readings = about_readings([reading_digest("q 7", said.sql), reading_digest("q", "")])
    looked_for: list[tuple[type[Record], dict[str, str | bool], About, str]] = [
        (Feedback, mine | {"role": said.role}, about_question(*asked), "feedback_about"),
        (Feedback, mine | {"session": said.session}, about_question(*asked), "feedback_about"),
        (Feedback, place | {"undone": said.undone}, readings, "feedback_reading"),
        (Demonstration, place, about_question(*asked), "demonstration_about"),
        (Demonstration, place, about_paraphrase(*asked), "demonstration_like"),
    ]
    async with opened(database.dsn()) as store:
        for most in (10, 3000):
            store.put(*(replace(said, key=f"k{n}", at=float(n), question=f"q {n}") for n in range(most)))
            store.put(*(replace(shown, key=f"k{n}", at=float(n), question=f"q {n}") for n in range(most)))
            for kind, equal, about, index in looked_for:
                found = await store.find(kind, equal, about=about, timeout=20)
                assert [one.key for one in found] == ["k7"]
                if analyzed:
                    execute(database, f"ANALYZE askwire.{table(kind).name}")
                select = Statements("askwire").select(kind, tuple(equal), about=about)
                with psycopg.connect(database.dsn()) as connection:
                    given = ([*about.values, ""], *equal.values(), 10_000)
                    plan = connection.execute(b"EXPLAIN (ANALYZE) " + select, given).fetchall()
                text = "\n".join(line for (line,) in plan)
                if most == 3000:
                    assert index in text, text
                    assert "Removed by Filter" not in text, text


async def test_paraphrases_are_found_after_a_change_of_their_rules(database: Database) -> None:
    shown = next(r for r in every_kind() if isinstance(r, Demonstration))
    place = (shown.server, shown.database)

    async def swept() -> None:
        async with await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True) as connection:
            # while the store's own sweep at its start goes on
            while await sweep(connection, "askwire", ALL, time.time()) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async with opened(database.dsn()) as store:
        await store.keep(
            *(replace(shown, key=f"k{n}", question=f"number of dogs over {n}") for n in range(3))
        )
        await swept()
        for number, rules in enumerate(("00000000", "ffffffff", "")):
            digest = f"'{rules}' || substr(paraphrase_digest, 9)"
            execute(
                database,
                f"UPDATE askwire.demonstration SET paraphrase_digest = {digest} WHERE key = 'k{number}'",
            )

        async def found() -> list[list[str]]:
            asked = [about_paraphrase(*place, f"how many dogs over {n}") for n in range(3)]
            some = [await store.find(Demonstration, about=about, timeout=20) for about in asked]
            return [[one.key for one in ones] for ones in some]

        assert await found() == [[], [], []]
        await swept()
        assert await found() == [["k0"], ["k1"], ["k2"]]


async def test_an_older_schema_that_its_role_may_not_change_says_so(database: Database) -> None:
    execute(
        database,
        "CREATE SCHEMA askwire",
        "CREATE TABLE askwire.schema_version (version int4, needs int4, at timestamptz DEFAULT now())",
        "INSERT INTO askwire.schema_version VALUES (1, 1)",
        "GRANT USAGE ON SCHEMA askwire TO by_scram",
        "GRANT SELECT ON askwire.schema_version TO by_scram",
    )
    async with opened(database.dsn("by_scram")) as store:
        await until(lambda: bool(store.status.trouble))
        assert "the schema askwire is number 1" in store.status.trouble
        assert "Run askwire store migrate" in store.status.trouble


# -- outages -------------------------------------------------------------------------------------------------


@pytest.fixture
def server(open_folder: Path) -> Iterator[EmbeddedPostgres]:
    with own_server(open_folder / f"store {time.monotonic_ns()}") as own:
        yield own


@pytest.mark.slow
async def test_a_server_that_is_killed_while_it_is_written_to_loses_nothing_confirmed(
    server: EmbeddedPostgres,
) -> None:
    async with relay(server.port) as way:
        url = f"postgresql://postgres@127.0.0.1:{way.port}/postgres"
        async with opened(url) as store:
            await store.keep(asked("first"), timeout=20)
            confirmed: list[str] = []
            refused: list[str] = []

            async def teach(number: int) -> None:
                try:
                    await store.keep(term(f"t{number}"))
                except StoreFailed as error:
                    refused.append(error.message)
                else:
                    confirmed.append(f"t{number}")

            async def ask() -> None:
                for number in range(300):
                    store.put(asked(f"k{number:03}"))
                    await asyncio.gather(teach(number))

            asking = asyncio.create_task(ask())
            await until(lambda: len(confirmed) > 20)
            await asyncio.to_thread(kill, server)
            way.cut()
            await asyncio.sleep(0.5)
            await asyncio.to_thread(server.start)
            way.target = server.port
            await asking
            await until(lambda: not store.status.waiting)
            assert await keys(store) == ["first", *(f"k{n:03}" for n in range(300))]
            there = {t.key for t in await store.find(Term, limit=1000, timeout=20)}
            assert there >= set(confirmed)
            assert len(confirmed) + len(refused) == 300
            # every other error said that it is not there, which is true
            unknown = sum("does not say" in told for told in refused)
            assert len(there) <= len(confirmed) + unknown
            assert store.status.lost == 0


async def test_a_connection_that_is_cut_in_the_middle_is_made_again_unseen(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    async with relay(database.port) as way, opened(Database(database.name, way.port).dsn()) as store:
        await store.keep(asked("a"), timeout=20)
        with caplog.at_level(logging.WARNING, "askwire.store"):
            await asyncio.sleep(1.1)
            way.cut()
            await store.keep(asked("b"), timeout=20)
            assert await keys(store) == ["a", "b"]
        assert not [r for r in caplog.records if r.name == "askwire.store"]


async def test_a_slow_store_keeps_nobody_waiting_and_what_does_not_fit_is_counted(database: Database) -> None:
    async with relay(database.port) as way:
        options = PostgresOptions(queue=100)
        async with opened(Database(database.name, way.port).dsn(), options=options, goodbye=0.1) as store:
            await store.keep(asked("a"), timeout=20)
            way.delay = 2.0
            taken = Stopwatch()
            for number in range(150):
                store.put(asked(f"k{number}"))
            assert taken.within(0.5)
            with pytest.raises(StoreFailed, match="in time"):
                await store.find(Term, timeout=0.05)
            with pytest.raises(StoreFailed, match="in time"):
                await store.keep(term("t"), timeout=0.1)
            assert taken.within(1.5)
            status = store.status
            assert (status.waiting, status.lost, status.room) == (100, 50, 100)
            way.delay = 0.0
            await until(lambda: not store.status.waiting)


async def test_of_several_hosts_the_one_that_takes_writes_is_used_also_when_that_changes(
    server: EmbeddedPostgres, database: Database
) -> None:
    both = f"127.0.0.1:{server.port},127.0.0.1:{database.port}"
    execute(database, f"CREATE DATABASE {database.name}_two")
    with psycopg.connect(f"postgresql://postgres@127.0.0.1:{server.port}/postgres", autocommit=True) as own:
        own.execute(f"CREATE DATABASE {database.name}_two".encode())

        def may_write(first: bool) -> None:
            one, two = ("off", "on") if first else ("on", "off")
            name = f"ALTER DATABASE {database.name}_two SET default_transaction_read_only ="
            own.execute(f"{name} {one}".encode())
            execute(database, f"{name} {two}")

        may_write(True)
        async with opened(f"postgresql://postgres@{both}/{database.name}_two") as store:
            await store.keep(asked("a"), timeout=20)
            may_write(False)
            own.execute(
                b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (f"{database.name}_two",),
            )
            await kept_in_time(store, asked("b"))
            assert await keys(store) == ["b"], "the second host took it"


async def kept_in_time(store: PostgresStore, record: Record, seconds: float = 20) -> None:
    """Keep a record, again where a host that was just turned to is not set up yet: here it is no copy."""
    started = Stopwatch()
    while True:
        try:
            await store.keep(record, timeout=seconds)
        except StoreFailed:
            assert started.within(seconds)
            await asyncio.sleep(0.1)
        else:
            return


# -- changes of others ---------------------------------------------------------------------------------------


async def test_what_one_process_changes_the_others_see_within_a_second(database: Database) -> None:
    async with opened(database.dsn()) as one, opened(database.dsn()) as two:
        mine, theirs = StoreWatcher(one), StoreWatcher(two)
        await listening(one)
        await listening(two)
        assert (one.status.news, two.status.news) == ("listen", "listen")
        taken = Stopwatch()
        await one.keep(*(r for r in every_kind() if isinstance(r, Pin | Term)))
        await until(lambda: theirs.has("p1") and theirs.has("t1"))
        assert taken.within(1)
        seen = next(change for change in theirs.seen if change.key == "p1")
        assert (seen.kind, seen.gone, seen.role, seen.database) == (Pin, False, "ada", "shop")
        one.remove(Pin, "p1")
        await until(lambda: any(change.gone for change in theirs.seen))
        # people may change it by hand
        execute(database, "DELETE FROM askwire.term")
        await until(lambda: mine.has("t1"))
        assert not mine.has("p1"), "its own changes are no news"


async def test_a_listener_that_is_lost_listens_again_and_misses_nothing(database: Database) -> None:
    async with opened(database.dsn()) as one, opened(database.dsn()) as two:
        theirs = StoreWatcher(two)
        await listening(one)
        await listening(two)
        theirs.seen.clear()
        execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query ILIKE '%change%' AND pid <> pg_backend_pid()",
        )
        await one.keep(term("t"), timeout=20)
        await until(lambda: any(change.kind is None for change in theirs.seen))
        await listening(two)
        await one.keep(term("u"), timeout=20)
        await until(lambda: theirs.has("u"))


async def test_behind_a_pooler_in_transaction_mode_changes_are_looked_for(
    database: Database, open_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pooler(open_folder / f"pooler {time.monotonic_ns()}", database.port, database.name) as port:
        caplog.set_level(logging.WARNING, "askwire.store")
        through = Database(database.name, port).dsn()
        async with opened(database.dsn()) as one, opened(through) as two:
            theirs = StoreWatcher(two)
            await one.keep(asked("a"), timeout=20)
            await listening(two)
            assert two.status.news == "poll"
            assert any("notifications do not arrive" in r.getMessage() for r in caplog.records)
            taken = Stopwatch()
            await one.keep(term("t"), timeout=20)
            await until(lambda: theirs.has("t"))
            assert taken.within(1.5)
            # no statement stays prepared in a connection that others get next
            for number in range(30):
                await two.keep(asked(f"b{number}"), term("v", number), timeout=20)
                assert len(await two.find(Term, {"role": "ada"}, timeout=20)) == 2
            assert not two.status.trouble


async def test_without_a_connection_for_listening_a_pooled_one_looks(
    database: Database, make_role: Callable[[str], str]
) -> None:
    async with opened(database.dsn()) as owner:
        await owner.keep(asked("a"), timeout=20)
        role = make_role("CONNECTION LIMIT 1")
        execute(database, f"GRANT ALL ON SCHEMA askwire TO {role}", *_grants(role))
        limited = f"postgresql://{role}@127.0.0.1:{database.port}/{database.name}"
        async with opened(limited, options=PostgresOptions(connections=1)) as store:
            theirs = StoreWatcher(store)
            await until(lambda: store.status.news == "poll")
            await owner.keep(term("t"), timeout=20)
            await until(lambda: theirs.has("t"))
            assert [t.key for t in await store.find(Term, timeout=20)] == ["t"]


async def test_a_connection_limit_is_told(database: Database, make_role: Callable[[str], str]) -> None:
    role = make_role("CONNECTION LIMIT 0")
    async with opened(f"postgresql://{role}@127.0.0.1:{database.port}/{database.name}") as store:
        await until(lambda: bool(store.status.trouble))
        assert store.status.trouble == f'too many connections for role "{role}"'


@pytest.fixture
def make_role(database: Database) -> Iterator[Callable[[str], str]]:
    made: list[str] = []

    def make(options: str = "") -> str:
        name = f"store_{database.name}_{len(made)}"
        execute(database, f"CREATE ROLE {name} LOGIN {options}")
        made.append(name)
        return name

    yield make
    for name in made:
        execute(database, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def _grants(role: str) -> list[str]:
    return [
        f"INSERT INTO askwire.login VALUES ('{role}', '')",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA askwire TO {role}",
        f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA askwire TO {role}",
    ]
