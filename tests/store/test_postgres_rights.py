"""Rights in the schema of a PostgreSQL store, what is kept how long, and moving from store to store."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from data.store_records import PLACE, asked, every_kind
from servers.databases import Database
from servers.store_servers import until

from askwire.core.errors import ConfigurationError, StoreFailed
from askwire.core.records import KINDS, AskedTrace, HistoryEntry, JudgeRuling, Pin, Record, Statement
from askwire.proxy import cli
from askwire.store.postgres import retention as retaining
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import DAY_SECONDS, MAX_RULINGS, Retention
from askwire.store.sqlite_file import SqliteFile
from askwire.store.tables import table
from askwire.store.transfer import export_lines, import_lines, migrate_database

NOW = 20_000 * DAY_SECONDS
ALL = Retention(0, 0, 0)


@asynccontextmanager
async def opened(url: str, retention: Retention = ALL, now: float = NOW) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url, retention=retention, retry_after=0.1, wall=lambda: now)
    try:
        yield store
    finally:
        await store.close()


def execute(database: Database, statement: str, role: str = "postgres") -> list[tuple[object, ...]]:
    """What a statement of a role returns."""
    url = f"postgresql://{role}@127.0.0.1:{database.port}/{database.name}"
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def make_role(database: Database) -> Iterator[Callable[[], str]]:
    made: list[str] = []

    def make() -> str:
        made.append(f"right_{database.name}_{len(made)}")
        execute(database, f"CREATE ROLE {made[-1]} LOGIN")
        return made[-1]

    yield make
    for name in made:
        execute(database, f"DROP OWNED BY {name}")
        execute(database, f"DROP ROLE {name}")


def url_of(database: Database, role: str) -> str:
    return f"postgresql://{role}@127.0.0.1:{database.port}/{database.name}"


async def test_who_reads_while_a_partition_is_made_misses_nothing(database: Database) -> None:
    """Rows go from one partition to another while it waits, so it must not know them before it waits."""
    await migrated(database)
    async with opened(database.dsn(), now=NOW - 1000 * DAY_SECONDS) as store:
        await store.keep(asked("a", at=NOW), timeout=20)
        with psycopg.connect(database.dsn()) as making:
            making.execute("SELECT askwire.add_history(%s, %s)", (NOW, NOW + DAY_SECONDS))
            reading = asyncio.ensure_future(store.find(HistoryEntry, timeout=20))
            await until(lambda: bool(execute(database, "SELECT 1 FROM pg_locks WHERE NOT granted")))
            making.commit()
        assert [record.key for record in await reading] == ["a"]


# -- rights --------------------------------------------------------------------------------------------------


async def test_a_login_role_does_all_that_askwire_does_and_owns_nothing(
    database: Database, make_role: Callable[[], str]
) -> None:
    role = make_role()
    told = await migrated(database, logins=[(role, "")])
    assert told == "the schema askwire is now number 6"
    assert await migrated(database) == "the schema askwire is already number 6"
    # what may be swept was kept in partitions that this role had made, through a function of their owner's
    async with opened(url_of(database, role), Retention(7, 7, 5)) as store:
        for record in every_kind():
            fresh = replace(record, at=NOW)
            fresh = replace(fresh, used_at=NOW) if isinstance(fresh, Pin) else fresh
            await store.keep(fresh, timeout=20)
            assert await store.find(type(fresh), timeout=20) == [fresh]
            await store.keep((type(fresh), fresh.key), timeout=20)
        await until(lambda: bool(execute(database, "SELECT since FROM askwire.history_part")))
        assert not store.status.trouble
    owned = "SELECT count(*) FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner WHERE r.rolname = "
    assert execute(database, f"{owned}'{role}'") == [(0,)]
    for refused in (
        "CREATE TABLE askwire.mine (a int)",
        "DROP TABLE askwire.pin",
        "TRUNCATE askwire.asked",
        "INSERT INTO askwire.login VALUES ('x', '')",
        "UPDATE askwire.schema_version SET version = 9",
        "SELECT * FROM askwire.asked_other",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(database, refused, role)


async def migrated(
    database: Database,
    logins: list[tuple[str, str]] | None = None,
    askers: list[str] | None = None,
    operators: list[str] | None = None,
    history_days: int = 90,
) -> str:
    given = (logins or [], askers or [], operators or [])
    return await asyncio.to_thread(migrate_database, database.dsn(), "askwire", *given, history_days)


async def test_a_login_of_one_server_sees_nothing_of_another(
    database: Database, make_role: Callable[[], str]
) -> None:
    sales, all_of_it = make_role(), make_role()
    await migrated(database, logins=[(sales, PLACE[0]), (all_of_it, "")])
    async with opened(url_of(database, all_of_it)) as store:
        await store.keep(*every_kind(), timeout=20)
        elsewhere = [replace(r, key=f"other {r.key}") for r in every_kind()]
        moved = [replace(r, server="hr") if hasattr(r, "server") else r for r in elsewhere]  # type: ignore[call-arg]
        await store.keep(*moved, timeout=20)
    async with opened(url_of(database, sales)) as store:
        for kind in KINDS.values():
            found = await store.find(kind, timeout=20)
            assert [r.key for r in found] == [r.key for r in every_kind() if isinstance(r, kind)], kind
        await store.keep(asked("mine"), AskedTrace("mine", 1000.0, "[]"), timeout=20)
        with pytest.raises(StoreFailed, match="row-level security"):
            await store.keep(asked("theirs", server="hr"), timeout=20)
    assert execute(database, "SELECT count(*) FROM askwire.asked WHERE key = 'theirs'") == [(0,)]


async def test_an_asker_reads_its_own_history_and_no_operator_s(
    database: Database, make_role: Callable[[], str]
) -> None:
    ada, operator, nobody = make_role(), make_role(), make_role()
    await migrated(database, askers=[ada], operators=[operator])
    async with opened(database.dsn()) as store:
        await store.keep(
            asked("a", role=ada, question="mine"),
            asked("b", role=operator, question="who earns most?"),
            asked("c", role=ada, question="a tenant's", private=True),
            timeout=20,
        )
    assert execute(database, "SELECT question FROM askwire.own_history", ada) == [("mine",)]
    found = execute(database, "SELECT question FROM askwire.operator_history ORDER BY 1", operator)
    assert found == [("a tenant's",), ("mine",), ("who earns most?",)]
    for role, relations in (
        (ada, ("operator_history", "asked", "trace", "pin", "change", "login")),
        (operator, ("asked", "trace")),
        (nobody, ("own_history", "operator_history", "asked")),
    ):
        for relation in relations:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                execute(database, f"SELECT * FROM askwire.{relation}", role)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        execute(database, "SELECT askwire.drop_history(1e12)", ada)


async def test_a_login_of_one_server_drops_only_history_that_is_too_old_for_all(
    database: Database, make_role: Callable[[], str]
) -> None:
    sales, all_of_it = make_role(), make_role()
    await migrated(database, logins=[(sales, PLACE[0]), (all_of_it, "")])
    now = time.time()
    ages = {"new": 0.0, "younger": 40.0, "older": 200.0}
    async with opened(database.dsn(), Retention(0, 0, 0), now) as store:
        for server in (PLACE[0], "hr"):
            for name, days in ages.items():
                await swept(database, Retention(0, 0, 0), now - days * DAY_SECONDS)
                record = asked(f"{server} {name}", at=now - days * DAY_SECONDS, server=server)
                await store.keep(record, AskedTrace(record.key, record.at, "[]"), timeout=20)

    def left() -> set[object]:
        keys = "SELECT key FROM askwire.asked INTERSECT SELECT key FROM askwire.trace"
        return {str(key).split()[-1] for (key,) in execute(database, keys)}

    drop_all = "SELECT askwire.drop_history(1e12)"
    execute(database, "DELETE FROM askwire.retention")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="stored no history_days") as refused:
        execute(database, drop_all, sales)
    assert "store migrate" in str(refused.value)
    await migrated(database, history_days=0)
    execute(database, drop_all, sales)
    assert left() == {"new", "younger", "older"}
    await migrated(database, history_days=90)
    execute(database, drop_all, sales)
    assert left() == {"new", "younger"}
    for refused_too in ("UPDATE askwire.retention SET history_days = 1", "SELECT * FROM askwire.retention"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            execute(database, refused_too, sales)
    execute(database, drop_all, all_of_it)
    assert left() == set()


async def test_a_sweep_goes_on_where_its_role_may_not_drop_history(
    database: Database, make_role: Callable[[], str], caplog: pytest.LogCaptureFixture
) -> None:
    sales = make_role()
    await migrated(database, logins=[(sales, PLACE[0])])
    execute(database, "DELETE FROM askwire.retention")
    async with await psycopg.AsyncConnection.connect(url_of(database, sales), autocommit=True) as connection:
        await retaining.sweep(connection, "askwire", Retention(7, 7, 0), NOW)
    assert len(_relations(database)) == 4, "two partitions of both tables"
    assert "old history stays: a login of one server cannot drop history" in caplog.text


async def test_a_read_that_deadlocks_with_a_new_partition_is_tried_again(
    database: Database, make_role: Callable[[], str]
) -> None:
    role = make_role()
    await migrated(database, logins=[(role, "")])
    async with opened(url_of(database, role)) as store:
        await store.keep(asked("a"), AskedTrace("a", 1000.0, "[]"), timeout=20)
        await until(lambda: bool(execute(database, "SELECT since FROM askwire.history_part")))
        with psycopg.connect(database.dsn()) as making:
            making.execute("SET LOCAL deadlock_timeout = '60s'")
            making.execute("LOCK TABLE ONLY askwire.asked IN ACCESS EXCLUSIVE MODE")
            reading = asyncio.ensure_future(store.find(AskedTrace, timeout=20))
            await until(lambda: bool(execute(database, "SELECT 1 FROM pg_locks WHERE NOT granted")))
            await asyncio.to_thread(making.execute, "LOCK TABLE ONLY askwire.trace IN ACCESS EXCLUSIVE MODE")
            making.commit()
        assert [record.key for record in await reading] == ["a"]


# -- retention -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "parts", "wanted"),
    [
        (10.5, [], (7, 14)),
        (10.5, [(7, 14)], None),
        (13.9, [(7, 13.5)], (13.5, 14)),
        (7.1, [(7.5, 13.5)], (7, 7.5)),
        (14, [(7, 14)], (14, 21)),
        (10, [(0, 8), (12, 30)], (8, 12)),
    ],
)
def test_partitions_never_overlap(
    at: float, parts: list[tuple[float, float]], wanted: tuple[float, float] | None
) -> None:
    days = [(since * DAY_SECONDS, until * DAY_SECONDS) for since, until in parts]
    found = retaining.part(at * DAY_SECONDS, 7, days)
    assert found == (wanted and (wanted[0] * DAY_SECONDS, wanted[1] * DAY_SECONDS))


@pytest.mark.parametrize(("days", "wide"), [(0, 30), (1, 1), (30, 2), (90, 7), (3650, 30)])
def test_a_partition_is_a_twelfth_of_the_time_at_most(days: int, wide: int) -> None:
    assert retaining.width(days) == wide


async def swept(database: Database, retention: Retention, now: float) -> None:
    async with await psycopg.AsyncConnection.connect(database.dsn(), autocommit=True) as connection:
        # a store's own first sweep may be under way
        while await retaining.sweep(connection, "askwire", retention, now) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_old_history_goes_by_whole_partitions(database: Database) -> None:
    await migrated(database)
    days = Retention(90, 180, 0)
    for day in range(0, 100, 7):
        await swept(database, days, NOW - (100 - day) * DAY_SECONDS)
    async with opened(database.dsn(), ALL) as store:
        await store.keep(*(asked(f"k{n}", at=NOW - n * DAY_SECONDS) for n in range(100)), timeout=20)
        await store.keep(*(AskedTrace(f"k{n}", NOW - n * DAY_SECONDS, "[]") for n in range(100)), timeout=20)
        before = _relations(database)
        later = NOW + 5 * DAY_SECONDS
        await swept(database, days, later)
        after = _relations(database)
        gone = {name for name in before - after if name.startswith("asked_")}
        assert len(gone) == 1
        assert {name.replace("asked", "trace") for name in gone} == before - after - gone
        left = await store.find(HistoryEntry, limit=1000, timeout=20)
        assert len(left) == len(await store.find(AskedTrace, limit=1000, timeout=20))
        oldest = max(later - r.at for r in left) / DAY_SECONDS
        assert 90 <= oldest <= 90 + 7
    other = execute(database, "SELECT count(*) FROM askwire.asked_other")
    assert other == [(0,)], "all of it was in a partition of its own time"


def _relations(database: Database) -> set[str]:
    found = execute(database, "SELECT relname FROM pg_class WHERE relname ~ '^(asked|trace)_[0-9]+$'")
    return {str(name) for (name,) in found}


async def test_history_that_came_before_its_partition_moves_there(database: Database) -> None:
    await migrated(database)
    async with opened(database.dsn(), now=NOW - 1000 * DAY_SECONDS) as store:
        await store.keep(asked("a", at=NOW), AskedTrace("a", NOW, "[]"), timeout=20)
        assert execute(database, "SELECT count(*) FROM askwire.asked_other") == [(1,)]
        await swept(database, Retention(90, 0, 0), NOW)
        assert execute(database, "SELECT count(*) FROM askwire.asked_other") == [(0,)]
        assert [r.key for r in await store.find(HistoryEntry, timeout=20)] == ["a"]
        assert [r.key for r in await store.find(AskedTrace, {"key": "a"}, timeout=20)] == ["a"]
        # history of another moment under the same key takes the place, in whichever partition it was
        await store.keep(asked("a", at=NOW - 900 * DAY_SECONDS), timeout=20)
        assert [r.at for r in await store.find(HistoryEntry, timeout=20)] == [NOW - 900 * DAY_SECONDS]


async def test_a_flood_of_pins_ends_nobody_else_s(database: Database) -> None:
    pin = next(r for r in every_kind() if isinstance(r, Pin))
    statement = next(r for r in every_kind() if isinstance(r, Statement))
    flood: list[Record] = [replace(pin, key=f"f{n}", used_at=NOW - n, role="flood") for n in range(30)]
    flood += [replace(pin, key=f"q{n}", used_at=NOW - 90 * DAY_SECONDS, role="quiet") for n in range(3)]
    flood += [replace(pin, key="unused", used_at=NOW - 181 * DAY_SECONDS)]
    flood += [replace(statement, key="old", at=NOW - 91 * DAY_SECONDS), replace(statement, key="new", at=NOW)]
    async with opened(database.dsn()) as store:
        await store.keep(*flood, timeout=20)
        await swept(database, Retention(90, 180, 20), NOW)
        left = Counter(r.key[0] for r in await store.find(Pin, timeout=20))
        assert left == {"f": 17, "q": 3}
        assert [r.key for r in await store.find(Statement, timeout=20)] == ["new"]


async def test_of_one_judge_the_latest_rulings_of_a_role_are_kept(database: Database) -> None:
    ruling = next(r for r in every_kind() if isinstance(r, JudgeRuling))
    rulings: list[Record] = [replace(ruling, key=f"r{n:04}", at=NOW + n) for n in range(MAX_RULINGS + 3)]
    async with opened(database.dsn()) as store:
        await store.keep(*rulings, replace(ruling, key="other", judge="python:local=mock"), timeout=20)
        await swept(database, ALL, NOW)
        left = [r.key for r in await store.find(JudgeRuling, limit=2000, timeout=20)]
        assert (len(left), left[-2:]) == (MAX_RULINGS + 1, ["r0003", "other"])
        await swept(database, Retention(history_days=1), NOW + 2 * DAY_SECONDS)
        assert await store.find(JudgeRuling, timeout=20) == []


# -- from store to store -------------------------------------------------------------------------------------


def test_json_lines_carry_everything_there_and_back(database: Database, tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "one.sqlite")
    file.write(every_kind())
    file.close()
    lines = list(export_lines(tmp_path / "one.sqlite"))
    assert import_lines(database.dsn(), lines, "askwire") == len(lines)
    assert import_lines(database.dsn(), lines, "askwire") == len(lines), "again is the same"
    back = list(export_lines(database.dsn(), "askwire"))
    assert back == lines
    assert import_lines(tmp_path / "two.sqlite", back) == len(lines)
    assert list(export_lines(tmp_path / "two.sqlite")) == lines


def test_an_import_is_whole_or_not_at_all(database: Database) -> None:
    fine = json.dumps({"kind": "trace", "key": "a", "at": 1, "document": "[]"})
    poor = json.dumps({"kind": "trace", "key": "b", "at": 1, "document": "\0"})
    with pytest.raises(ConfigurationError, match="it holds the character NUL"):
        import_lines(database.dsn(), [fine, poor], "askwire")
    assert list(export_lines(database.dsn(), "askwire")) == []


def test_there_is_nothing_to_export_from_a_database_without_a_store(database: Database) -> None:
    with pytest.raises(ConfigurationError, match="has no store"):
        list(export_lines(database.dsn(), "askwire"))
    with pytest.raises(ConfigurationError, match="password authentication failed") as failed:
        list(export_lines(f"postgresql://by_scram:hush@127.0.0.1:{database.port}/x", "askwire"))
    assert "hush" not in failed.value.message


def test_an_import_makes_partitions_of_its_own_time(database: Database) -> None:
    records = [asked(f"k{n}", at=NOW + n * 10 * DAY_SECONDS) for n in range(10)]
    lines = [json.dumps({"kind": "asked", **_fields(record)}) for record in records]
    import_lines(database.dsn(), lines, "askwire")
    assert execute(database, "SELECT count(*) FROM askwire.asked_other") == [(0,)]
    assert len(_relations(database)) >= 2 * 10


def _fields(record: Record) -> dict[str, object]:
    shape = table(type(record))
    return {column: getattr(record, name) for column, name in zip(shape.columns, shape.fields, strict=True)}


def test_the_command_line_makes_the_schema_and_moves_records(
    database: Database,
    make_role: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    role = make_role()
    monkeypatch.setenv("ASKWIRE_STORE", database.dsn())
    assert cli.main(["store", "migrate", "--login", f"{role}={PLACE[0]}", "--askers", role]) == 0
    assert "the schema askwire is now number 6" in capsys.readouterr().err
    assert execute(database, "SELECT role::text, server FROM askwire.login") == [(role, PLACE[0])]
    import_lines(database.dsn(), [json.dumps({"kind": "term", **_fields(every_kind()[5])})], "askwire")
    assert cli.main(["store", "export"]) == 0
    assert json.loads(capsys.readouterr().out)["term"] == "revenue"
    assert cli.main(["store", "migrate", "--store", str(tmp_path / "s.sqlite")]) == 2
    assert "a file is upgraded when it is opened" in capsys.readouterr().err
    assert cli.main(["store", "migrate", "--login", "no such role"]) == 2
    assert "cannot be migrated" in capsys.readouterr().err
