"""Probes on a hot standby: when it answers them, as whom, and what happens where it cannot."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from servers.standby_servers import Pair, replicated

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import load
from askwire.proxy.cli import main
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.proxy.session.statements import standby

pytestmark = pytest.mark.slow

_SCHEMA = """
    CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL);
    INSERT INTO customers SELECT n, 'customer ' || n, CASE WHEN n % 2 = 0 THEN 'Oslo' ELSE 'Bergen' END
    FROM generate_series(1, 20) n;
    CREATE TABLE orders (id int PRIMARY KEY, tenant int NOT NULL, amount int NOT NULL);
    INSERT INTO orders SELECT n, n % 2, n FROM generate_series(1, 10) n;
    ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
    CREATE POLICY by_tenant ON orders USING (tenant = current_setting('app.tenant')::int);
    CREATE ROLE by_password LOGIN PASSWORD 'secret of by_password';
    CREATE ROLE by_scram LOGIN PASSWORD 'secret of by_scram';
    CREATE ROLE prober LOGIN;
    GRANT by_password, by_scram TO prober;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO by_password, by_scram;
"""
_HOW_MANY = "ASK 'how many customers are there?'"


@pytest.fixture(scope="module")
def pair(module_folder: Path) -> Iterator[Pair]:
    """Return both servers, with some tables."""
    with replicated(module_folder) as pair:
        pair.on_primary(_SCHEMA)
        pair.caught_up()
        yield pair


@asynccontextmanager
async def _running(pair: Pair, there: str = "", **given: str) -> AsyncIterator[tuple[AskResolver, int]]:
    where = there or f"host=127.0.0.1 port={pair.standby.port}"
    settings = load(
        {
            "backend": f"host=127.0.0.1 port={pair.primary.port}",
            "probe_backend": where,
            "listen": "127.0.0.1:0",
            "pins": "off",
            **given,
        }
    )
    resolver = AskResolver(settings)
    server = Server(settings, resolver)
    _, port = await server.start()
    try:
        yield resolver, port
    finally:
        await server.stop()
        await resolver.close()
        await _until_no_one_probes(pair)


async def _connect(port: int, user: str = "postgres") -> psycopg.AsyncConnection[Any]:
    password = "" if user in ("postgres", "prober") else f"secret of {user}"
    return await psycopg.AsyncConnection.connect(
        host="127.0.0.1",
        port=port,
        user=user,
        dbname="postgres",
        password=password,
        autocommit=True,
    )


async def _asked(port: int, question: str = _HOW_MANY, user: str = "postgres", *before: str) -> list[Any]:
    async with await _connect(port, user) as client:
        for statement in before:
            await client.execute(statement.encode())
        return await (await client.execute(question.encode())).fetchall()


_PROBERS = "SELECT usename::text FROM pg_stat_activity WHERE application_name = 'askwire'"


async def _until_no_one_probes(pair: Pair) -> None:
    async with asyncio.timeout(20):
        while pair.on_standby(_PROBERS):  # noqa: ASYNC110 - another process's doing
            await asyncio.sleep(0.01)


async def test_a_standby_answers_probes_as_the_asker(pair: Pair) -> None:
    async with _running(pair) as (resolver, port):
        async with await _connect(port, "by_password") as client:
            rows = await (await client.execute(_HOW_MANY)).fetchall()
            assert rows == [(20,)]
            assert resolver.figures.standby == {"used": 1}
            assert pair.on_standby(_PROBERS) == [("by_password",)]
            await client.execute(_HOW_MANY)
            assert pair.on_standby(_PROBERS) == [("by_password",)], "one connection for one client"
        await _until_no_one_probes(pair)


async def test_what_was_written_a_moment_ago_is_seen(pair: Pair) -> None:
    async with _running(pair, probe_max_lag="0") as (resolver, port), await _connect(port) as client:
        for number in range(21, 26):
            await client.execute(f"INSERT INTO customers VALUES ({number}, 'new', 'Oslo')".encode())
            rows = await (await client.execute(_HOW_MANY)).fetchall()
            assert rows == [(number,)]
        assert resolver.figures.standby["used"] >= 4
    pair.on_primary("DELETE FROM customers WHERE id > 20")
    pair.caught_up()


async def test_a_standby_that_lags_is_not_asked(pair: Pair) -> None:
    async with _running(pair, probe_max_lag="1ms") as (resolver, port):
        with pair.falling_behind():
            pair.on_primary("INSERT INTO customers VALUES (21, 'new', 'Molde')")
            assert await _asked(port, "ASK 'how many customers are from Molde?'") == [(1,)]
            assert resolver.figures.standby == {"lag": 1}
        assert await _asked(port, "ASK 'how many customers are from Molde?'") == [(1,)]
        assert resolver.figures.standby == {"lag": 1, "used": 1}
    pair.on_primary("DELETE FROM customers WHERE id > 20")
    pair.caught_up()


async def test_what_lags_within_the_limit_is_asked_and_the_answer_is_of_now(pair: Pair) -> None:
    async with _running(pair, probe_max_lag="1h") as (resolver, port):
        with pair.falling_behind():
            pair.on_primary("INSERT INTO customers VALUES (21, 'new', 'Oslo')")
            assert await _asked(port) == [(21,)]
            assert resolver.figures.standby == {"used": 1}
    pair.on_primary("DELETE FROM customers WHERE id > 20")
    pair.caught_up()


async def test_a_schema_that_is_not_there_yet(pair: Pair) -> None:
    async with _running(pair, probe_max_lag="1h") as (resolver, port):
        with pair.falling_behind():
            pair.on_primary("CREATE TABLE lighthouses AS SELECT n AS id FROM generate_series(1, 3) n")
            assert await _asked(port, "ASK 'how many lighthouses are there?'") == [(3,)]
            assert resolver.figures.standby == {"schema": 1}
    pair.on_primary("DROP TABLE lighthouses")
    pair.caught_up()


async def test_a_transaction_is_seen_by_its_own_connection_alone(pair: Pair) -> None:
    async with _running(pair) as (resolver, port), await _connect(port) as client:
        await client.execute("BEGIN")
        await client.execute("INSERT INTO customers VALUES (21, 'new', 'Oslo')")
        assert await (await client.execute(_HOW_MANY)).fetchall() == [(21,)]
        await client.execute("ROLLBACK")
        assert resolver.figures.standby == {"transaction": 1}


async def test_temporary_tables_are_seen_by_their_own_connection_alone(pair: Pair) -> None:
    async with _running(pair) as (resolver, port):
        made = "CREATE TEMP TABLE gulls AS SELECT n AS id FROM generate_series(1, 7) n"
        assert await _asked(port, "ASK 'how many gulls are there?'", "postgres", made) == [(7,)]
        assert not resolver.figures.standby["used"]


async def test_settings_and_tenants_go_with_the_asker(pair: Pair) -> None:
    total = "ASK 'what is the total amount of all orders?'"
    async with _running(pair) as (resolver, port):
        for tenant, wanted in ((0, 30), (1, 25)):
            rows = await _asked(port, total, "by_password", f"SET app.tenant = '{tenant}'")
            assert rows == [(wanted,)]
        async with await _connect(port, "by_password") as client:
            for tenant, wanted in ((0, 30), (1, 25), (0, 30)):
                await client.execute(f"SET app.tenant = '{tenant}'".encode())
                assert await (await client.execute(total)).fetchall() == [(wanted,)]
            assert pair.on_standby(_PROBERS) == [("by_password",)]
        assert resolver.figures.standby == {"used": 5}
        assert await _asked(port, _HOW_MANY, "postgres", "SET app.tenant = 1", "SET ROLE by_scram") == [(20,)]
        assert resolver.figures.standby == {"used": 6}


async def test_a_password_that_was_not_shown_cannot_be_passed_on(pair: Pair) -> None:
    async with _running(pair) as (resolver, port), await _connect(port, "by_scram") as client:
        for _ in range(2):
            assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]
        assert resolver.figures.standby == {"login": 2}


async def test_a_login_of_its_own_takes_the_clients_role(pair: Pair) -> None:
    where = f"host=127.0.0.1 port={pair.standby.port} user=prober"
    async with _running(pair, where) as (resolver, port):
        assert await _asked(port, _HOW_MANY, "by_scram", "SET app.tenant = 1") == [(20,)]
        assert resolver.figures.standby == {"used": 1}
        assert await _asked(port, _HOW_MANY, "postgres", "SET app.tenant = 1") == [(20,)]
        assert resolver.figures.standby == {"used": 1, "login": 1}, "prober is no member of postgres"


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW mine AS SELECT * FROM customers WHERE name = session_user",
        "CREATE POLICY mine ON orders USING (session_user = 'by_scram')",
    ],
)
async def test_who_logged_in_may_not_matter_then(pair: Pair, made: str) -> None:
    where = f"host=127.0.0.1 port={pair.standby.port} user=prober"
    pair.on_primary(made)
    pair.caught_up()
    try:
        async with _running(pair, where) as (resolver, port):
            assert await _asked(port, _HOW_MANY, "by_scram", "SET app.tenant = 1") == [(20,)]
            assert resolver.figures.standby == {"identity": 1}
    finally:
        pair.on_primary("DROP VIEW IF EXISTS mine; DROP POLICY IF EXISTS mine ON orders")
        pair.caught_up()


_WHO = """
    CREATE FUNCTION who(text) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT pg_has_role(session_user, $1::name, 'member') $$;
    CREATE TABLE notes (id int, owner text, tenant text);
    INSERT INTO notes SELECT n, 'by_scram', n % 2 FROM generate_series(1, 6) n;
    GRANT SELECT ON notes TO by_scram, by_password;
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
"""
_NOTES = "ASK 'how many notes are there?'"


@pytest.mark.parametrize(("user", "standby_user"), [("by_scram", " user=prober"), ("by_password", "")])
async def test_policies_that_call_functions_are_asked_of_the_backend(
    pair: Pair, user: str, standby_user: str
) -> None:
    pair.on_primary(_WHO + "CREATE POLICY mine ON notes USING (who(owner) OR current_user = 'by_password')")
    pair.caught_up()
    where = f"host=127.0.0.1 port={pair.standby.port}{standby_user}"
    try:
        async with _running(pair, where, allowed_functions="public.who") as (resolver, port):
            assert await _asked(port, _NOTES, user) == [(6,)]
            assert resolver.figures.standby == {"identity": 1}
    finally:
        pair.on_primary("DROP TABLE notes; DROP FUNCTION who")
        pair.caught_up()


async def test_a_limit_of_0_means_all_that_was_written(pair: Pair) -> None:
    async with _running(pair, probe_max_lag="0") as (resolver, port):
        with pair.falling_behind():
            pair.on_primary("INSERT INTO customers VALUES (21, 'new', 'Oslo')")
            assert await _asked(port) == [(21,)]
            assert resolver.figures.standby == {"lag": 1}
    pair.on_primary("DELETE FROM customers WHERE id > 20")
    pair.caught_up()


async def test_a_client_may_prefer_what_a_standby_cannot_do(pair: Pair) -> None:
    async with _running(pair) as (resolver, port):
        before = ("SET default_transaction_isolation = serializable", "SET idle_session_timeout = '1h'")
        assert await _asked(port, _HOW_MANY, "by_password", *before) == [(20,)]
        assert await _asked(port) == [(20,)]
        assert resolver.figures.standby == {"used": 2}


async def test_a_role_that_is_not_let_in_says_nothing_of_the_next(pair: Pair) -> None:
    where = f"host=127.0.0.1 port={pair.standby.port} user=prober"
    async with _running(pair, where) as (resolver, port), await _connect(port) as client:
        await client.execute("SET app.tenant = 1")
        for role in ("by_scram", "postgres", "by_scram"):
            await client.execute(f"SET ROLE {role}".encode())
            assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]
        assert resolver.figures.standby == {"used": 2, "login": 1}


async def test_a_connection_that_is_of_no_use_is_let_go(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standby, "_KEPT_SECONDS", 0.1)
    pair.on_primary("CREATE VIEW mine AS SELECT * FROM customers WHERE name = session_user")
    pair.caught_up()
    try:
        where = f"host=127.0.0.1 port={pair.standby.port} user=prober"
        async with _running(pair, where) as (resolver, port), await _connect(port, "by_scram") as client:
            await client.execute("SET app.tenant = 1")
            await client.execute(_HOW_MANY)
            assert resolver.figures.standby == {"identity": 1}
            await _until_no_one_probes(pair)
    finally:
        pair.on_primary("DROP VIEW mine")
        pair.caught_up()


async def test_a_kept_connection_that_has_ended_is_made_again(pair: Pair) -> None:
    async with _running(pair) as (resolver, port), await _connect(port) as client:
        for _ in range(2):
            assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]
            pair.on_standby(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'askwire'"
            )
        assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]
        assert resolver.figures.standby == {"used": 3}


async def test_a_cancellation_leaves_no_connection_out_of_step(pair: Pair) -> None:
    async with _running(pair) as (_, port), await _connect(port) as client:
        await client.execute(_HOW_MANY)
        ((pid,),) = pair.on_standby("SELECT pid FROM pg_stat_activity WHERE application_name = 'askwire'")
        os.kill(pid, signal.SIGSTOP)
        try:
            asking = asyncio.create_task(client.execute(_HOW_MANY))
            await asyncio.sleep(0.5)
            await client.cancel_safe()
            with pytest.raises(psycopg.errors.QueryCanceled):
                await asking
        finally:
            os.kill(pid, signal.SIGCONT)
        for _ in range(3):
            assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]


async def test_first_questions_at_the_same_moment(pair: Pair) -> None:
    total = "ASK 'what is the total amount of all orders?'"

    async def asks(port: int) -> list[Any]:
        return await _asked(port, total, "by_password", "SET app.tenant = '1'")

    async with _running(pair) as (_, port):
        assert await asyncio.gather(*(asks(port) for _ in range(6))) == [[(25,)]] * 6


async def test_no_standby_is_there(pair: Pair, unused_tcp_port: int) -> None:
    async with _running(pair, f"host=127.0.0.1 port={unused_tcp_port}") as (resolver, port):
        for _ in range(2):
            assert await _asked(port) == [(20,)]
        assert resolver.figures.standby == {"unreachable": 2}


async def test_a_standby_that_hangs_costs_little_and_is_left_alone(pair: Pair) -> None:
    async with _running(pair) as (resolver, port), await _connect(port) as client:
        await client.execute(_HOW_MANY)
        ((pid,),) = pair.on_standby("SELECT pid FROM pg_stat_activity WHERE application_name = 'askwire'")
        os.kill(pid, signal.SIGSTOP)
        try:
            for _ in range(2):
                assert await (await client.execute(_HOW_MANY)).fetchall() == [(20,)]
        finally:
            os.kill(pid, signal.SIGCONT)
        assert resolver.figures.standby == {"used": 1, "unreachable": 2}


async def test_another_server_is_no_standby(pair: Pair) -> None:
    async with _running(pair, f"host=127.0.0.1 port={pair.primary.port}") as (resolver, port):
        assert await _asked(port) == [(20,)]
        assert resolver.figures.standby == {"other": 1}


def test_check_tells_whether_it_is_a_standby(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    def checked(port: int, user: str) -> str:
        main(
            [
                *("check", "--dsn", f"host=127.0.0.1 port={pair.primary.port} user={user} dbname=postgres"),
                *("--set", f"probe_backend=host=127.0.0.1 port={port}"),
            ]
        )
        return capsys.readouterr().out

    there = f"127.0.0.1:{pair.standby.port}"
    told = checked(pair.standby.port, "postgres")
    assert f"ok    probe_backend: {there} is a standby, and lets postgres in; the last change" in told
    told = checked(pair.primary.port, "postgres")
    here = f"127.0.0.1:{pair.primary.port}"
    assert f"no    probe_backend: {here} is not a standby of {here}" in told


def test_a_connection_string_that_cannot_be_read() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        AskResolver(load({"backend": "host=a", "probe_backend": "host=a,b"}))
