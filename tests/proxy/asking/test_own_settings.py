"""A misspelt parameter is reported when it is set, as PostgreSQL does under a reserved prefix."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator

import psycopg
import pytest
from doubles.asked import AskedServer, Connection, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.settings.table import load
from askwire.proxy.session.own_settings import capped_at_start, wrong_at_start


@pytest.fixture
async def asked(empty_database: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(empty_database) as running:
        yield running


async def refused(connection: Connection, sql: str) -> psycopg.errors.Diagnostic:
    with pytest.raises(psycopg.Error) as failed:
        await connection.execute(sql)
    return failed.value.diag


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message", "hint"),
    [
        (
            "SET askwire.notces = off",
            "42602",
            'invalid configuration parameter name "askwire.notces"',
            'Perhaps you meant "askwire.notices".',
        ),
        (
            "SELECT set_config('askwire.time_out', '5s', false)",
            "42602",
            'invalid configuration parameter name "askwire.time_out"',
            'Perhaps you meant "askwire.timeout".',
        ),
        (
            "ALTER ROLE postgres SET askwire.zzzzzz = 1",
            "42602",
            'invalid configuration parameter name "askwire.zzzzzz"',
            "SELECT name, help FROM ask.settings WHERE scope = 'session' lists those that there are.",
        ),
        (
            "SET askwire.backend = 'elsewhere'",
            "55P02",
            'parameter "askwire.backend" cannot be changed in a session',
            "Only the operator can change it: in askwire.toml, the environment or the command line.",
        ),
        (
            "SET askwire.timeout = 'soon'",
            "22023",
            'invalid value for parameter "askwire.timeout": "soon"',
            None,
        ),
    ],
)
async def test_a_wrong_setting_is_an_error(
    asked: AskedServer, sql: str, sqlstate: str, message: str, hint: str | None
) -> None:
    async with asked.connection() as connection:
        told = await refused(connection, sql)
        assert (told.sqlstate, told.message_primary, told.message_hint) == (
            sqlstate,
            f"askwire: {message}",
            hint,
        )
        assert told.statement_position == str(sql.index("askwire.") + 1)
        # the session goes on
        assert await rows(connection, "SELECT 1") == [(1,)]


async def test_right_ones_reach_postgresql_as_they_are(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("SET askwire.notices = off")
        await connection.execute("SELECT set_config('askwire.timeout', '5s', false)")
        shown = await rows(
            connection, "SELECT current_setting('askwire.notices'), current_setting('askwire.timeout')"
        )
        assert shown == [("off", "5s")]
        await connection.execute("RESET askwire.notices")
        await connection.execute("SET askwire.timeout TO DEFAULT")


async def test_a_wrong_one_fails_its_message_before_anything_of_it_has_run(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await refused(connection, "CREATE TABLE made (a int); SET askwire.notces = off")
        assert await rows(connection, "SELECT to_regclass('made')") == [(None,)]


async def test_in_a_block_it_ends_the_block_as_any_error_and_in_a_failed_one_it_is_the_block_s(
    asked: AskedServer,
) -> None:
    async with asked.connection() as connection:
        await connection.execute("BEGIN")
        assert (await refused(connection, "SET LOCAL askwire.notces = off")).sqlstate == "42602"
        assert (await refused(connection, "SET LOCAL askwire.notces = off")).sqlstate == "25P02"
        await connection.execute("ROLLBACK")


async def test_the_form_of_a_driver_that_prepares_is_refused_as_well(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.errors.InvalidName):
            await connection.execute("SET askwire.notces = off", prepare=True)
        assert await rows(connection, "SELECT 1") == [(1,)]


@pytest.mark.parametrize(
    ("login", "said"),
    [
        ({"options": "-c askwire.notces=off"}, ["42602"]),
        ({"options": "--askwire.timeout=soon"}, ["22023"]),
        ({"options": "-caskwire.listen=here -c askwire.zz=1"}, ["55P02", "42602"]),
        ({"askwire.Notces": "off", "user": "askwire.x"}, ["42602"]),
        ({"options": "-c askwire.notices=off -c work_mem=1MB", "askwire.timeout": "5s"}, []),
        ({}, []),
    ],
)
def test_what_a_session_is_started_with_is_looked_at(login: dict[str, str], said: list[str]) -> None:
    assert [wrong.code for wrong in wrong_at_start(login)] == said


async def test_a_session_that_is_started_with_a_wrong_one_is_warned_and_let_in(asked: AskedServer) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", asked.port)
    pairs = f"user\0postgres\0database\0{asked.database.name}\0options\0-c askwire.notces=off\0\0".encode()
    writer.write(struct.pack("!II", len(pairs) + 8, 3 << 16) + pairs)
    seen: list[tuple[bytes, bytes]] = []
    while not seen or seen[-1][0] != b"Z":
        kind = await reader.readexactly(1)
        (length,) = struct.unpack("!I", await reader.readexactly(4))
        seen.append((kind, await reader.readexactly(length - 4)))
    (warning,) = [payload for kind, payload in seen if kind == b"N"]
    assert warning.split(b"\0")[:4] == [
        b"SWARNING",
        b"VWARNING",
        b"C42602",
        b'Maskwire: invalid configuration parameter name "askwire.notces"',
    ]
    writer.write(b"X\0\0\0\4")
    writer.close()
    await writer.wait_closed()


async def heard(connection: Connection, sql: str) -> list[tuple[str | None, str, str]]:
    """Severity, SQLSTATE and text of what a statement's notices say."""
    told: list[tuple[str | None, str, str]] = []

    def note(diag: psycopg.errors.Diagnostic) -> None:
        told.append((diag.severity, diag.sqlstate or "", diag.message_primary or ""))

    connection.add_notice_handler(note)
    await connection.execute(sql)
    connection.remove_notice_handler(note)
    return told


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("prepare", [False, True])
async def test_show_works_before_set_and_shows_what_is_in_force(
    asked: AskedServer, prepare: bool, binary: bool
) -> None:
    async with asked.connection() as connection:

        async def shown(name: str) -> tuple[str, object]:
            cursor = await connection.execute(f"SHOW askwire.{name}", prepare=prepare, binary=binary)
            ((value,),) = await cursor.fetchall()
            assert cursor.description is not None
            return cursor.description[0].name, value

        assert await shown("notices") == ("askwire.notices", "full")
        assert await shown("timeout") == ("askwire.timeout", "30s")
        for value in ("brief", "off"):
            await connection.execute(f"SET askwire.notices = '{value}'")
            assert await shown("notices") == ("askwire.notices", value)
        await connection.execute("RESET askwire.notices")
        assert await shown("notices") == ("askwire.notices", "full")


async def test_show_in_every_form(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        for form in (
            "show askwire.notices",
            'SHOW "askwire"."notices";',
            "/* a */ SHOW askwire . notices -- b",
            "Show AskWire.Notices",
        ):
            assert await rows(connection, form) == [("full",)]
        cursor = await connection.execute(
            "SELECT 1; SHOW askwire.effort; SHOW server_version_num; SHOW askwire.pins"
        )
        found = [await cursor.fetchall()]
        while cursor.nextset():
            found.append(await cursor.fetchall())
        assert [len(one) for one in found] == [1, 1, 1, 1]
        assert (found[1], found[3]) == ([("balanced",)], [("on",)])
        # what there is not is PostgreSQL's to refuse, and positions stay the client's own
        assert (await refused(connection, "SHOW askwire.nothing")).sqlstate == "42704"
        wrong = await refused(connection, "SHOW askwire.pins; SELECT nothing_here")
        assert (wrong.sqlstate, wrong.statement_position) == ("42703", "27")


async def test_show_in_a_transaction(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        await connection.execute("BEGIN")
        await connection.execute("SET LOCAL askwire.effort = 'fast'")
        assert await rows(connection, "SHOW askwire.effort") == [("fast",)]
        assert (await refused(connection, "SELECT 1/0")).sqlstate == "22012"
        assert (await refused(connection, "SHOW askwire.effort")).sqlstate == "25P02"
        await connection.execute("ROLLBACK")
        assert await rows(connection, "SHOW askwire.effort") == [("balanced",)]


async def test_a_setting_of_the_operator_s_is_shown_to_operators(empty_database: OwnDatabase) -> None:
    async with asked_server(empty_database) as running, running.connection() as connection:
        diag = await refused(connection, "SHOW askwire.console_listen")
        assert (diag.sqlstate, diag.message_primary) == (
            "42501",
            'askwire: permission denied to examine "askwire.console_listen"',
        )
    async with (
        asked_server(empty_database, operators="postgres") as running,
        running.connection() as connection,
    ):
        assert await rows(connection, "SHOW askwire.ask_function") == [("ask",)]
        assert (await refused(connection, "SHOW askwire.backend")).message_detail == "It may hold a secret."


async def test_a_capped_setting_says_so_when_it_is_set(empty_database: OwnDatabase) -> None:
    async with (
        asked_server(empty_database, effort="balanced", candidates="5") as running,
        running.connection() as connection,
    ):
        for sql in (
            "SET askwire.effort = 'thorough'",
            "SELECT set_config('askwire.effort', 'thorough', false)",
            "BEGIN; SET LOCAL askwire.effort = thorough; COMMIT",
        ):
            ((severity, sqlstate, told),) = await heard(connection, sql)
            assert (severity, sqlstate) == ("WARNING", "01000")
            assert told.startswith(
                'askwire: "askwire.effort" stays at "balanced": the operator allows no more, by '
            )
        assert await rows(connection, "SHOW askwire.effort") == [("balanced",)]
        source = "SELECT value, session, source FROM ask.settings WHERE name = '{}'"
        ((value, session, by),) = await rows(connection, source.format("effort"))
        assert (value, session) == ("balanced", "thorough")
        assert by not in ("session", "default")
        for sql in ("SET askwire.effort = 'fast'", "SET askwire.candidates = 5", "RESET askwire.effort"):
            assert await heard(connection, sql) == []
        await connection.execute("SET askwire.effort = 'fast'")
        assert await rows(connection, source.format("effort")) == [("fast", "fast", "session")]
        assert await rows(connection, source.format("notices")) == [("full", None, "default")]
        assert len(await heard(connection, "SET askwire.candidates = 0")) == 1


async def test_a_capped_setting_of_the_start_says_so(empty_database: OwnDatabase) -> None:
    async with (
        asked_server(empty_database, candidates="5") as running,
        running.connection(options="-c askwire.candidates=9") as connection,
    ):
        assert await rows(connection, "SHOW askwire.candidates") == [("5",)]
    (told,) = capped_at_start({"options": "-c askwire.candidates=20"}, load({}))
    assert told == '"askwire.candidates" stays at "12": the operator allows no more'
