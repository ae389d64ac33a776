"""A connection of askwire's own: who it logs in as, by which method, and what it says when it cannot."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg
import pytest

from askwire.core.errors import ConfigurationError, DatabaseFailed
from askwire.proxy.connection.scram import AuthenticationFailed, Scram, md5, prepared
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import Target, connected, opened, read_target

if TYPE_CHECKING:
    from servers.databases import Database

CAPS = Caps(timeout_ms=5000, longest_ms=5000, lock_timeout_ms=1000, max_rows=0, max_bytes=0)
NOWHERE = {"PGPASSFILE": "/nonexistent"}


async def current_user(target: Target) -> str | None:
    async with connected(target) as connection, connection.executor(CAPS).batch() as batch:
        return (await batch.read("SELECT current_user")).rows[0][0]


@pytest.mark.parametrize("role", ["postgres", "by_password", "by_md5", "by_scram"])
async def test_it_logs_in_by_every_method(database: Database, role: str) -> None:
    assert await current_user(read_target(database.dsn(role), NOWHERE)) == role


@pytest.mark.parametrize("role", ["by_password", "by_md5", "by_scram"])
async def test_a_wrong_password_is_the_servers_error(database: Database, role: str) -> None:
    target = read_target(f"{database.dsn(role)}x".replace("secret", "wrong"), NOWHERE)
    with pytest.raises(DatabaseFailed, match="password authentication failed") as caught:
        await current_user(target)
    assert caught.value.code == "28P01"


async def test_a_missing_password_is_said_before_it_is_asked_for_in_vain(database: Database) -> None:
    target = read_target(f"host=127.0.0.1 port={database.port} user=by_scram dbname={database.name}", NOWHERE)
    with pytest.raises(ConfigurationError, match="a password is needed for user 'by_scram'"):
        await current_user(target)


async def test_a_database_that_is_not_there_is_the_servers_error(database: Database) -> None:
    target = read_target(f"postgresql://postgres@127.0.0.1:{database.port}/nowhere", NOWHERE)
    with pytest.raises(DatabaseFailed, match='database "nowhere" does not exist'):
        await current_user(target)


async def test_a_server_that_is_not_there_is_one_phrase() -> None:
    with pytest.raises(DatabaseFailed, match=r"cannot reach 127.0.0.1:1: Connection refused"):
        await current_user(read_target("postgresql://u@127.0.0.1:1/d", NOWHERE))


async def test_cancellation_stops_the_statement_and_leaves_nothing_open(database: Database) -> None:
    async with connected(read_target(database.dsn(), NOWHERE)) as connection:
        executor = connection.executor(CAPS)

        async def sleep() -> None:
            async with executor.batch() as batch:
                started.set()
                await batch.read("SELECT pg_sleep(60)", timeout_ms=60_000)

        started = asyncio.Event()
        task = asyncio.create_task(sleep())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with executor.batch() as batch:
            assert (await batch.read("SELECT 1")).rows == (("1",),)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux lists a process's files there")
async def test_a_connection_that_the_server_ends_is_closed_here_too(database: Database) -> None:
    def sockets() -> int:
        return sum("socket:" in os.readlink(name) for name in _files())

    before = sockets()
    connection = await opened(read_target(database.dsn(), NOWHERE))
    with psycopg.connect(database.dsn(), autocommit=True) as other:
        other.execute(
            b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            b" WHERE application_name = 'askwire' AND datname = current_database()"
        )
    async with asyncio.timeout(20):
        while connection.is_open or sockets() > before:  # noqa: ASYNC110 - another process's doing
            await asyncio.sleep(0.01)


def _files() -> list[Path]:
    return [name for name in Path("/proc/self/fd").iterdir() if name.is_symlink()]


def test_the_dsn_wins_over_the_environment_and_that_over_the_password_file(tmp_path: Path) -> None:
    file = tmp_path / "pgpass"
    file.write_text("# comment\nother:5432:*:*:no\nh:5433:d\\:1:*:from\\\\file\n")
    file.chmod(0o600)
    environment = {"PGPASSFILE": str(file), "PGHOST": "h", "PGUSER": "someone", "PGPORT": "5433"}
    target = read_target("dbname=d:1", environment)
    assert (target.address.host, target.address.port) == ("h", 5433)
    assert (target.user, target.database, target.password) == ("someone", "d:1", "from\\file")
    assert read_target("dbname=d:1", environment | {"PGPASSWORD": "p"}).password == "p"
    assert read_target("postgresql://me:q%40@h:5433/d:1", environment | {"PGPASSWORD": "p"}).password == "q@"
    file.chmod(0o644)
    assert read_target("dbname=d:1", environment).password is None


def test_the_database_is_named_for_the_user_where_none_is_given() -> None:
    assert read_target("postgresql://me@h", NOWHERE).database == "me"


def test_an_unreadable_dsn_is_never_repeated() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_target("postgresql://me:hunter2@h:port/d", NOWHERE)
    assert "hunter2" not in str(caught.value)


# The exchange of RFC 7677, section 3, with the user name that PostgreSQL leaves out.
NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"


def test_the_server_must_prove_that_it_knows_the_password() -> None:
    scram = Scram("pencil", NONCE)
    assert scram.first() == f"n,,n=,r={NONCE}"
    scram.final(SERVER_FIRST)
    with pytest.raises(AuthenticationFailed):
        scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    assert not scram.verified


@pytest.mark.parametrize(
    "first",
    [
        "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        SERVER_FIRST.replace("4096", "99999999"),
        "nonsense",
        "",
        "r=,s=,i=x",
    ],
)
def test_a_servers_message_that_makes_no_sense_is_refused(first: str) -> None:
    with pytest.raises(AuthenticationFailed):
        Scram("pencil", NONCE).final(first)


def test_md5_is_salted_twice() -> None:
    inner = hashlib.md5(b"secretuser").hexdigest()
    expected = "md5" + hashlib.md5(inner.encode() + b"\x01\x02\x03\x04").hexdigest()
    assert md5("user", "secret", b"\x01\x02\x03\x04") == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [("I\u00adX", "IX"), ("\u2168", "IX"), ("a\u00a0b", "a b"), ("\u0627\u0031", "\u0627\u0031")],
)
def test_passwords_are_prepared_as_postgresql_prepares_them(given: str, expected: str) -> None:
    assert prepared(given) == expected


@pytest.mark.parametrize("way", ["dsn", "environment"])
async def test_options_reach_the_server(database: Database, way: str) -> None:
    options = "-c search_path=pg_catalog,elsewhere"
    dsn, environment = database.dsn(), dict(NOWHERE)
    if way == "dsn":
        dsn += f"?options={quote(options)}"
    else:
        environment["PGOPTIONS"] = options
    async with (
        connected(read_target(dsn, environment)) as connection,
        connection.executor(CAPS).batch() as batch,
    ):
        answer = await batch.read("SELECT current_setting('search_path')")
    assert answer.rows == (("pg_catalog,elsewhere",),)


async def test_what_a_command_is_told_wins_over_options(database: Database) -> None:
    target = read_target(f"{database.dsn()}?options=-csearch_path%3Delsewhere", NOWHERE)
    async with (
        connected(target, {"search_path": "public"}) as connection,
        connection.executor(CAPS).batch() as batch,
    ):
        answer = await batch.read("SELECT current_setting('search_path')")
    assert answer.rows == (("public",),)
