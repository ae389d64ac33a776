"""Signing in to PostgreSQL at the console: who gets in, for how long, and what no one finds anywhere."""

from __future__ import annotations

import asyncio
import gc
import logging
import urllib.parse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from aiohttp import CookieJar
from doubles.asked import AskedServer, asked_server
from servers.asking_console import SECRET, AskingConsole, Person, asking_console, seen
from servers.running_proxy import OwnDatabase

from askwire.core.errors import DatabaseFailed
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.console.attempts import FREE_ATTEMPTS
from askwire.proxy.console.questions.sign_ins import MAX_SESSIONS, MAX_SESSIONS_PER_ROLE
from askwire.proxy.session.inner_door import Entrance
from askwire.proxy.session.statements.own_connection import OwnConnection, Target

Sessions = list[tuple[str, str]]


def sessions(zoo: OwnDatabase) -> Sessions:
    """Who is at PostgreSQL from the console: role and application."""
    with psycopg.connect(zoo.dsn()) as connection:
        return connection.execute(
            "SELECT usename, application_name FROM pg_stat_activity "
            "WHERE application_name = 'askwire console'"
        ).fetchall()


async def none_left(zoo: OwnDatabase) -> None:
    async with asyncio.timeout(20):
        while sessions(zoo):  # noqa: ASYNC110 - PostgreSQL ends them in its own time
            await asyncio.sleep(0.02)


@pytest.fixture(autouse=True)
async def alone(zoo: OwnDatabase) -> None:
    """PostgreSQL may still be ending the sessions of a test before."""
    await none_left(zoo)


@pytest.mark.parametrize("role", ["by_password", "by_md5", "by_scram"])
async def test_people_sign_in_as_themselves_by_every_method(
    console: AskingConsole, zoo: OwnDatabase, role: str
) -> None:
    async with console.person() as person:
        assert await person.sign_in(zoo, role, f"secret of {role}") == 303
        assert sessions(zoo) == [(role, "askwire console")]
        console.asked.expert.answers("who", "SELECT current_user AS me")
        assert role in await person.ask("who")
        await person.send("ask/sign-out")
        await none_left(zoo)
        assert "Sign in" in (await person.get("ask"))[1]


@pytest.mark.parametrize(
    ("user", "password", "status", "said"),
    [
        ("by_scram", "wrong", 403, 'Password authentication failed for user "by_scram".'),
        ("by_scram", "", 403, 'Password authentication failed for user "by_scram".'),
        ("nobody", "x", 403, 'Role "nobody" does not exist.'),
        ("", "x", 422, ""),
    ],
)
async def test_who_cannot_sign_in_is_told_why(
    console: AskingConsole, zoo: OwnDatabase, user: str, password: str, status: int, said: str
) -> None:
    async with console.person() as person:
        form = {"user": user, "database": zoo.name, "password": password}
        got = await person.post("ask/sign-in", form)
        text = await got.text()
        assert got.status == status
        assert said in seen(text)
        assert "Set-Cookie" not in got.headers
        assert f'value="{zoo.name}"' in text, "what was typed stays, but the password"
        assert "secret" not in text
    await none_left(zoo)


async def test_a_database_that_is_not_there_is_no_wrong_password(
    console: AskingConsole, zoo: OwnDatabase
) -> None:
    async with console.person() as person:
        got = await person.post("ask/sign-in", {"user": "postgres", "database": "nowhere", "password": ""})
        assert got.status == 503
        assert 'Database "nowhere" does not exist.' in seen(await got.text())
        assert not console.patience.wrong


async def test_wrong_passwords_get_slower_and_the_right_one_gets_in(
    console: AskingConsole, zoo: OwnDatabase
) -> None:
    async with console.person() as person:
        codes = [await person.sign_in(zoo, "by_scram", f"wrong {n}") for n in range(FREE_ATTEMPTS + 2)]
        assert codes == [403] * FREE_ATTEMPTS + [429, 429]
        assert len(console.patience.waited) == 2
        assert console.patience.wrong["sign-in"] == FREE_ATTEMPTS + 2
        assert await person.sign_in(zoo, "by_scram", SECRET) == 303


async def test_a_session_ends_when_it_is_not_used(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    await person.ask("dogs")
    console.patience.now += 14 * 60
    assert "dogs" in (await person.get("ask"))[1]
    console.patience.now += 14 * 60
    assert "dogs" in (await person.get("ask?idle"))[1], "the page looks whether it has ended"
    console.patience.now += 2 * 60
    status, text = await person.get("ask")
    assert status == 200
    assert "You are signed out" in text
    assert "dogs" not in text
    await console.sign_ins.sweep()
    await none_left(zoo)


async def test_a_poll_does_not_keep_a_session(console: AskingConsole, person: Person) -> None:
    await person.ask("dogs")
    console.patience.now += 14 * 60
    assert (await person.get("ask/answers/1?seen=0"))[0] == 200
    console.patience.now += 2 * 60
    assert (await person.get("ask/answers/1?seen=0"))[0] == 410


async def test_logging_out_of_the_console_signs_out(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    _, text = await person.get("settings")
    key = text.partition('name="form_key" value="')[2].partition('"')[0]
    assert (await person.post("logout", {"form_key": key})).status == 303
    await none_left(zoo)
    assert console.sign_ins.number == 0


async def test_stopping_the_console_ends_all_sessions(zoo: OwnDatabase) -> None:
    async with asking_console(zoo) as console, console.person() as person:
        assert await person.sign_in(zoo) == 303
        assert len(sessions(zoo)) == 1
    await none_left(zoo)


async def test_sessions_are_bounded(console: AskingConsole, zoo: OwnDatabase) -> None:
    async with console.person() as first, console.person() as other:
        assert await first.sign_in(zoo) == 303
        for _ in range(MAX_SESSIONS_PER_ROLE):
            console.patience.now += 1
            other.client.cookie_jar.clear(lambda cookie: cookie.key.startswith("askwire_ask"))
            assert await other.sign_in(zoo) == 303
        assert console.sign_ins.number == MAX_SESSIONS_PER_ROLE
        assert "You are signed out" in (await first.get("ask"))[1], "the one used longest ago made room"
    assert MAX_SESSIONS_PER_ROLE < MAX_SESSIONS


async def test_no_more_sign_in_than_there_is_room_for(
    console: AskingConsole, zoo: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwire.proxy.console.questions.sign_ins.MAX_SESSIONS", 1)
    async with console.person() as one, console.person() as two:
        assert await one.sign_in(zoo) == 303
        assert await two.sign_in(zoo) == 409
        await one.send("ask/sign-out")
        assert await two.sign_in(zoo) == 303


async def test_the_password_is_found_nowhere(
    console: AskingConsole, zoo: OwnDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with console.person() as person:
        assert await person.sign_in(zoo, "by_scram", "a wrong secret") == 403
        assert await person.sign_in(zoo, "by_scram", SECRET) == 303
        _, page = await person.get("ask")
        text = await person.ask("dogs")
        jar = person.client.cookie_jar
        assert isinstance(jar, CookieJar)
        (cookie,) = [one for one in jar if one.key.startswith("askwire_ask")]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Strict"
        assert not cookie["max-age"], "it ends with the browser"
        kept = [*caplog.messages, page, text, cookie.value, repr(caplog.records)]
        kept += [repr(vars(record)) for record in caplog.records]
        gc.collect()
        for one in (*console.sign_ins._kept.values(),):
            kept.append(repr(one.session._connection._target))
        for words in (SECRET, urllib.parse.quote(SECRET), urllib.parse.quote_plus(SECRET), "a wrong secret"):
            assert not [found for found in kept if words in found]


async def test_forms_of_others_are_refused(console: AskingConsole, person: Person) -> None:
    key = await person.form_key()
    form = {"form_key": key, "question": "dogs"}
    elsewhere = {"Origin": "http://elsewhere.example"}
    assert (await person.post("ask/questions", form, **elsewhere)).status == 403
    assert (await person.post("ask/questions", form, **{"Sec-Fetch-Site": "cross-site"})).status == 403
    assert (await person.post("ask/questions", {**form, "form_key": "x"})).status == 403
    assert (await person.post("ask/sign-in", form, **elsewhere)).status == 403
    _, settings = await person.get("settings")
    operators = settings.partition('name="form_key" value="')[2].partition('"')[0]
    assert operators != key
    assert (await person.post("ask/questions", {**form, "form_key": operators})).status == 403
    assert console.asked.questions == []
    assert (await person.post("ask/questions", form)).status == 303


async def test_nobody_asks_without_being_let_in(console: AskingConsole, zoo: OwnDatabase) -> None:
    async with console.person(let_in=False) as stranger:
        assert (await stranger.get("ask"))[0] == 303
        assert (await stranger.get("ask/history", Accept="text/plain"))[0] == 401
        assert await stranger.sign_in(zoo) == 401
        assert console.sign_ins.number == 0
        bearer = {"Authorization": f"Bearer {console.door.token}"}
        form = {"user": "postgres", "database": zoo.name, "password": ""}
        assert (await stranger.post("ask/sign-in", form, **bearer)).status == 403


@pytest.fixture
async def opened(zoo: OwnDatabase) -> AsyncIterator[AskingConsole]:
    async with asking_console(zoo, console_ask="open") as running:
        yield running


async def test_an_open_console_shows_who_is_not_let_in_their_own_questions_only(
    opened: AskingConsole, zoo: OwnDatabase
) -> None:
    opened.asked.expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog'")
    async with opened.person(let_in=False) as person:
        assert 'href="/ask"' in (await person.get("login"))[1]
        (_, first), (_, second) = await person.get("ask"), await person.get("ask")
        assert first == second
        assert 'value="ada"' in (await person.get("ask?user=ada"))[1]
        assert await person.sign_in(zoo, "by_scram", SECRET) == 303
        assert "Ada" in await person.ask("dogs")
        _, page = await person.get("ask")
        assert 'href="/settings"' not in page
        for path in ("", "history", "settings", "asks/00000000000000a1", "pins", "events", "approvals"):
            assert (await person.get(path))[0] == 303, path
        assert (await person.get("metrics", Accept="*/*"))[0] == 401
        assert (await person.get("askew"))[0] == 303, "a path that only begins so is an operator's"


async def test_switched_off_there_is_no_such_page(zoo: OwnDatabase) -> None:
    async with asking_console(zoo, console_ask="off") as console, console.person() as person:
        assert (await person.get("ask"))[0] == 404
        assert await person.sign_in(zoo) == 404
        assert 'href="/ask"' not in (await person.get(""))[1]


async def test_switching_it_off_ends_the_sessions(
    console: AskingConsole, person: Person, zoo: OwnDatabase
) -> None:
    console.changes.change("console_ask", "off", "the test")
    assert (await person.get("ask"))[0] == 404
    await console.sign_ins.sweep()
    await none_left(zoo)


@pytest.mark.parametrize(
    ("given", "headers"),
    [
        ({"console_hosts": "console.example"}, {}),
        ({"console_user_header": "X-User", "console_proxies": "10.0.0.0/8"}, {}),
        ({}, {"X-Forwarded-For": "203.0.113.5"}),
        ({}, {"Forwarded": "for=203.0.113.5"}),
        ({"console_listen": "0.0.0.0:0"}, {}),
    ],
)
async def test_trust_on_loopback_is_no_door_for_the_network(
    zoo: OwnDatabase, given: dict[str, str], headers: dict[str, str]
) -> None:
    async with asking_console(zoo, {}, **given) as console, console.person() as person:
        form = {"user": "postgres", "database": zoo.name, "password": ""}
        got = await person.post("ask/sign-in", form, **headers)
        assert got.status == 403
        assert "without" in seen(await got.text())
        form = {"user": "by_scram", "database": zoo.name, "password": SECRET}
        assert (await person.post("ask/sign-in", form, **headers)).status == 303


async def test_where_tls_is_demanded_a_password_does_not_travel_without(zoo: OwnDatabase) -> None:
    async with asking_console(zoo, {"ssl_required": "on"}) as console, console.person() as person:
        form = {"user": "by_scram", "database": zoo.name, "password": SECRET}
        got = await person.post("ask/sign-in", form, **{"X-Forwarded-Proto": "http"})
        assert got.status == 403
        assert "askwire demands TLS (ssl_required)" in seen(await got.text())
        assert console.sign_ins.number == 0
        assert (await person.post("ask/sign-in", form, **{"X-Forwarded-Proto": "https"})).status == 303
        cookies = [
            str(c)
            for c in (
                await person.post("ask/sign-in", form, **{"X-Forwarded-Proto": "https"})
            ).cookies.values()
        ]
        assert all("Secure" in cookie for cookie in cookies)


async def test_where_clients_show_certificates_a_browser_cannot_sign_in(zoo: OwnDatabase) -> None:
    async with asking_console(zoo, {"ssl_client_cert": "require"}) as console, console.person() as person:
        assert await person.sign_in(zoo, "by_scram", SECRET) == 403
        assert "asks clients for a certificate" in seen((await person.get("ask"))[1])
        assert console.sign_ins.number == 0


@asynccontextmanager
async def through_the_door(asked: AskedServer, zoo: OwnDatabase) -> AsyncIterator[None]:
    target = Target(BackendAddress("askwire"), "postgres", zoo.name, "")
    connection = OwnConnection(target, {}, Entrance(asked.server, loopback=True))
    try:
        await connection.open()
        yield
    finally:
        await connection.close()


async def test_a_session_through_the_inner_door_counts_as_any_clients(zoo: OwnDatabase) -> None:
    async with asked_server(zoo, max_clients="1") as asked:
        async with through_the_door(asked, zoo):
            assert len(asked.server.sessions) == 1
            with pytest.raises(DatabaseFailed, match="too many clients") as refused:
                async with through_the_door(asked, zoo):
                    pass
            assert refused.value.code == "53300"
        async with asyncio.timeout(10):
            while asked.server.sessions:  # noqa: ASYNC110 - it ends in its own time
                await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    "path",
    ["ask/../settings", "ask/%2e%2e/settings", "ask%2f..%2fsettings", "ask/./../history", "ask//settings"],
)
async def test_no_spelling_of_a_path_leads_past_the_login(opened: AskingConsole, path: str) -> None:
    host, port = opened.door.url.removeprefix("http://").strip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    assert answer.split()[1] in ("401", "404", "400")
    assert "console_listen" not in answer


async def test_an_open_console_trusts_nobody_without_a_password(
    opened: AskingConsole, zoo: OwnDatabase
) -> None:
    async with opened.person(let_in=False) as person:
        assert await person.sign_in(zoo) == 403


async def test_names_are_one_line(
    console: AskingConsole, zoo: OwnDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with console.person() as person:
        assert await person.sign_in(zoo, "postgres\r\nforged line") == 403
        assert await person.sign_in(zoo, "\x1b[31mpostgres\n") == 403
        assert await person.sign_in(zoo, " postgres\n") == 303
    assert not any("\n" in message or "\x1b" in message for message in caplog.messages)


async def test_what_an_operator_said_is_not_taken_back_by_the_role(
    console: AskingConsole, person: Person
) -> None:
    console.asked.expert.answers("each dog", "SELECT name FROM pets WHERE kind = 'dog'")
    key = (await person.ask("each dog")).partition('href="/ask/history/')[2].partition('"')[0]
    await console.asked.resolver.memories.reviewing.judge(key, "wrong", 1, "(console)")
    assert (await person.send(f"ask/history/{key}/say", said="nothing")).status == 409
    assert "Take it back" not in (await person.get(f"ask/history/{key}"))[1]


async def test_postgresql_that_is_not_there_is_no_wrong_password(zoo: OwnDatabase) -> None:
    gone: Any = zoo
    async with asking_console(replace(gone, port=1)) as console, console.person() as person:
        got = await person.post("ask/sign-in", {"user": "ada", "database": "shop", "password": "x"})
        assert got.status == 503
        assert "127.0.0.1:1" in seen(await got.text()), "as any client reads it"
        assert not console.patience.wrong
        assert not console.asked.server.sessions


async def test_sign_ins_at_once_are_bounded(console: AskingConsole, zoo: OwnDatabase) -> None:
    async with console.person() as person:
        codes = await asyncio.gather(*(person.sign_in(zoo, "by_scram", f"wrong {n}") for n in range(12)))
    assert codes.count(409) >= 1
    assert set(codes) <= {403, 409, 429}
    assert console.patience.wrong["sign-in"] == len(codes) - codes.count(409)
