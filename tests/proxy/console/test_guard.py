"""What stands in front of every page: hosts, logins, forms, headers, and errors as pages."""

from __future__ import annotations

import asyncio
import gzip
import time
from typing import Any

import pytest
from data.console_records import KEY, asked, trace
from servers.running_console import HTML, ConsoleServer, StartConsole

from askwire.core.errors import ConfigurationError
from askwire.core.protocols import StoreStatus
from askwire.proxy.console.guard import HEADERS
from askwire.store import MemoryStore

PAGES = ("/", "/history", "/pins", "/glossary", "/approvals", "/experts", "/settings", f"/asks/{KEY}")


@pytest.fixture
def filled() -> MemoryStore:
    store = MemoryStore()
    store.put(asked(), trace())
    return store


async def test_nobody_sees_anything_without_a_login(start_console: StartConsole, filled: MemoryStore) -> None:
    async with start_console(filled) as console:
        for page in PAGES:
            status, text = await console.get(page)
            assert (status, text[:30]) in ((303, ""), (303, "303: See Other")), page
        assert (await console.get("/events"))[0] in (303, 401)
        async with console.client.get(console.door.url + "settings") as got:
            assert got.status == 401, "programs are informed, not sent to a form"
        answer = await console.post(f"/asks/{KEY}/judge", {"said": "right", "number": "1"})
        assert answer.status == 401


async def test_every_page_answers_somebody_who_logged_in(
    start_console: StartConsole, filled: MemoryStore
) -> None:
    async with start_console(filled) as console:
        await console.log_in()
        for page in PAGES:
            assert (await console.get(page))[0] == 200, page


async def test_the_cookie_is_for_this_site_and_no_script(start_console: StartConsole) -> None:
    async with start_console() as console:
        answer = await console.post("/login", {"token": console.door.token})
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"askwire_console_{console.door.url.rpartition(':')[2].strip('/')}=")
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            assert part in cookie
        assert console.door.token not in cookie


async def test_a_wrong_token_gets_nowhere(start_console: StartConsole) -> None:
    async with start_console() as console:
        for token in ("", "x", console.door.token[:-1], console.door.token + "x"):
            answer = await console.post("/login", {"token": token})
            assert answer.status == 403
            assert "Set-Cookie" not in answer.headers
        assert (await console.get("/"))[0] == 303


async def test_guessing_many_tokens_at_once_is_refused_and_the_right_one_is_not(
    start_console: StartConsole,
) -> None:
    async with start_console() as console:
        guesses = [asyncio.create_task(console.post("/login", {"token": f"guess {n}"})) for n in range(40)]
        await asyncio.wait(guesses, return_when=asyncio.FIRST_COMPLETED)
        assert (await console.post("/login", {"token": console.door.token})).status == 303
        found = [answer.status for answer in await asyncio.gather(*guesses)]
        assert set(found) == {403, 429}
        assert found.count(403) <= 32


async def test_the_link_of_the_start_lets_in_once(start_console: StartConsole) -> None:
    async with start_console() as console:
        link = console.door.link.removeprefix(console.door.url.rstrip("/"))
        assert (await console.get(link))[0] == 303
        assert (await console.get("/"))[0] == 200
        console.client.cookie_jar.clear()
        async with console.client.get(console.door.link, headers=HTML, allow_redirects=False) as got:
            text = await got.text()
            assert got.status == 403
        assert "This link was already used, or is older than 15 minutes." in text
        assert '<input id="token"' in text
        # the form of those who come without any link does not speak of one
        assert "This link" not in (await console.get("/login"))[1]


async def test_the_token_itself_is_taken_from_programs_that_read(start_console: StartConsole) -> None:
    async with start_console() as console:
        bearer = {"Authorization": f"Bearer {console.door.token}"}
        assert (await console.get("/settings", headers=bearer))[0] == 200
        assert (await console.get("/settings", headers={"Authorization": "Bearer x"}))[0] == 303
        for given, told in (
            ({}, "log in, or send"),
            ({"Authorization": "Bearer x"}, "this is not the token"),
        ):
            status, text = await console.get("/metrics", headers={"Accept": "*/*", **given})
            assert (status, told in text) == (401, True)
        answer = await console.post(f"/asks/{KEY}/judge", {"said": "right", "number": "1"}, headers=bearer)
        assert answer.status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::", "localhost.evil"]
)
async def test_other_names_than_ours_are_refused(console: ConsoleServer, host: str) -> None:
    status, text = await console.get("/settings", headers={"Host": host})
    assert status in (400, 421)
    assert "console_hosts" not in text.partition("see console_hosts")[2], "no page of settings is shown"


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:6480", "10.1.2.3:80"])
async def test_addresses_and_localhost_are_ours(console: ConsoleServer, host: str) -> None:
    assert (await console.get("/settings", headers={"Host": host}))[0] == 200


async def test_names_can_be_added(start_console: StartConsole) -> None:
    async with start_console(console_hosts="console.example, other.example") as console:
        await console.log_in()
        assert (await console.get("/", headers={"Host": "console.example"}))[0] == 200
        assert (await console.get("/", headers={"Host": "third.example"}))[0] == 421


async def test_every_answer_carries_the_headers(console: ConsoleServer) -> None:
    for path in ("/", "/login", "/nothing", "/healthz", "/asks/1", "/static/x/console.css"):
        async with console.client.get(
            console.door.url + path[1:], headers=HTML, allow_redirects=False
        ) as got:
            for name, value in HEADERS.items():
                assert got.headers[name] == value, path
            assert got.headers["Server"] == "askwire"
            assert got.headers["Cache-Control"] == "no-store"
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


async def test_pages_hold_no_script_or_style_of_their_own(
    start_console: StartConsole, filled: MemoryStore
) -> None:
    async with start_console(filled) as console:
        await console.log_in()
        for page in PAGES:
            _, text = await console.get(page)
            assert text.count("<script") == text.count("<script src=") == 1, page
            for forbidden in ("<style", " style=", " onclick=", "javascript:", "http://", "https://"):
                assert forbidden not in text.replace("http://www.w3.org", ""), (page, forbidden)


async def test_what_is_served_as_it_is_comes_from_a_list(console: ConsoleServer) -> None:
    _, text = await console.get("/")
    style = text.partition('href="/static/')[2].partition('/icon.svg"')[0]
    for name in ("console.css", "console.js", "icon.svg"):
        async with console.client.get(f"{console.door.url}static/{style}/{name}") as got:
            assert got.status == 200
            assert "immutable" in got.headers["Cache-Control"]
    for path in (
        "../access.py",
        "%2e%2e%2faccess.py",
        "..%5caccess.py",
        "access.py",
        "console.css/",
        ".",
        "%00",
    ):
        status, text = await console.get(f"/static/{style}/{path}")
        assert status in (400, 404), path
        assert "secrets" not in text


# -- forms


async def judge(console: ConsoleServer, key: str, **more: Any) -> int:
    form = {"said": "right", "number": "1", "form_key": key}
    return (await console.post(f"/asks/{KEY}/judge", form, **more)).status


async def test_only_our_own_forms_change_anything(start_console: StartConsole, filled: MemoryStore) -> None:
    async with start_console(filled) as console:
        await console.log_in()
        key = await console.form_key()
        assert await judge(console, "") == 403
        assert await judge(console, "0" * 64) == 403
        assert await judge(console, key, headers={"Origin": "http://evil.example"}) == 403
        assert await judge(console, key, headers={"Origin": "null"}) == 403
        assert await judge(console, key, headers={"Sec-Fetch-Site": "cross-site"}) == 403
        assert await judge(console, key, headers={"Sec-Fetch-Site": "same-site"}) == 403
        own = {"Origin": console.door.url.rstrip("/"), "Sec-Fetch-Site": "same-origin"}
        assert await judge(console, key, headers=own) == 303


async def test_forms_are_forms_and_small(start_console: StartConsole, filled: MemoryStore) -> None:
    async with start_console(filled) as console:
        await console.log_in()
        url = f"{console.door.url}asks/{KEY}/judge"
        async with console.client.post(url, json={"said": "right"}) as got:
            assert got.status == 415
        async with console.client.post(
            url, data=b"x" * 100_000, headers={"Content-Type": "application/x-www-form-urlencoded"}
        ) as got:
            assert got.status == 413


async def test_logging_out_needs_the_form_and_ends_the_login(console: ConsoleServer) -> None:
    key = await console.form_key()
    assert (await console.post("/logout", {})).status == 403
    assert (await console.get("/"))[0] == 200
    cookies = list(console.client.cookie_jar)
    assert (await console.post("/logout", {"form_key": key})).status == 303
    console.client.cookie_jar.update_cookies({c.key: c.value for c in cookies})
    assert (await console.get("/"))[0] == 303, "the cookie is worth nothing any more"


FORM = "Content-Type: application/x-www-form-urlencoded"
CODECS = (
    "unicode_escape",
    "raw_unicode_escape",
    "punycode",
    "idna",
    "undefined",
    "utf-7",
    "utf-16",
    "latin-1",
)


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        (f"{FORM}\r\nContent-Encoding: gzip", b"abc", 415),
        (f"{FORM}\r\nContent-Encoding: gzip", gzip.compress(b"a" * 10_000_000), 415),
        (f"{FORM}\r\nContent-Encoding: deflate", b"abc", 415),
        (f"{FORM}; charset=no-such-charset", b"token=abc", 415),
        *((f"{FORM}; charset={name}", b"token=a%5cud800", 415) for name in CODECS),
        (f"{FORM}; charset=UTF-8", b"token=a", 403),
        (f"{FORM}; charset=utf-8", b"token=\xff\xfe", 400),
        (f"{FORM}; charset=utf-8", b"&" * 16_000, 413),
    ],
)
async def test_forms_that_cannot_be_read_are_no_internal_error(
    console: ConsoleServer, caplog: pytest.LogCaptureFixture, head: str, body: bytes, status: int
) -> None:
    port = int(console.door.url.rpartition(":")[2].strip("/"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = f"POST /login HTTP/1.1\r\nHost: localhost\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(lines.encode() + body)
    async with asyncio.timeout(20):
        assert f" {status} ".encode() in await reader.readline()
    writer.close()
    assert "internal error" not in caplog.text


async def test_what_is_compressed_is_never_unpacked(console: ConsoleServer) -> None:
    port = int(console.door.url.rpartition(":")[2].strip("/"))
    body = gzip.compress(b"a" * 50_000_000)
    before = time.process_time()
    gzip.decompress(body)
    unpacking = time.process_time() - before
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    before = time.process_time()
    writer.write(
        f"POST /login HTTP/1.1\r\nHost: localhost\r\n{FORM}\r\nContent-Encoding: gzip\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
    )
    writer.write(body)
    async with asyncio.timeout(20):
        assert b" 415 " in await reader.readline()
    writer.close()
    assert time.process_time() - before < unpacking / 2


# -- other sites


async def test_no_other_site_may_read_or_ask_beforehand(console: ConsoleServer) -> None:
    for path in ("/", "/settings", "/login", "/events", "/metrics", "/healthz"):
        answer = await console.client.options(
            console.door.url + path[1:],
            headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
        )
        assert answer.status >= 400
        assert not [name for name in answer.headers if name.startswith("Access-Control-")]


# -- a reverse proxy


async def test_a_user_that_a_trusted_proxy_names_is_let_in(
    start_console: StartConsole, filled: MemoryStore
) -> None:
    given: dict[str, Any] = {"console_user_header": "X-Forwarded-User", "console_proxies": "127.0.0.0/8"}
    async with start_console(filled, **given) as console:
        status, text = await console.get("/", headers={"X-Forwarded-User": "ada <b>"})
        assert status == 200
        assert "ada &lt;b&gt;" in text
        assert (await console.get("/"))[0] == 303, "without a name the token is needed"
        key = text.partition('name="form_key" value="')[2].partition('"')[0]
        assert await judge(console, key, headers={"X-Forwarded-User": "bob"}) == 403
        assert await judge(console, key, headers={"X-Forwarded-User": "ada <b>"}) == 303


async def test_the_header_is_believed_from_there_only(start_console: StartConsole) -> None:
    given: dict[str, Any] = {"console_user_header": "X-Forwarded-User", "console_proxies": "10.0.0.0/8"}
    async with start_console(**given) as console:
        assert (await console.get("/", headers={"X-Forwarded-User": "ada"}))[0] == 303


async def test_the_header_and_its_addresses_need_each_other(start_console: StartConsole) -> None:
    half: list[dict[str, Any]] = [{"console_user_header": "X-User"}, {"console_proxies": "10.0.0.0/8"}]
    for given in half:
        with pytest.raises(ConfigurationError, match="need each other"):
            async with start_console(**given):
                pass


# -- trouble


async def test_a_port_in_use_is_told_in_one_sentence(
    start_console: StartConsole, console: ConsoleServer
) -> None:
    port = console.door.url.rpartition(":")[2].strip("/")
    with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port} for the console"):
        async with start_console(console_listen=f"127.0.0.1:{port}"):
            pass


async def test_a_store_that_is_down_is_said_on_the_page(
    start_console: StartConsole, filled: MemoryStore
) -> None:
    async with start_console(filled) as console:
        await console.log_in()
        filled.trouble = "disk full"
        for page in ("/", "/history", "/pins", "/glossary", "/experts", f"/asks/{KEY}"):
            status, text = await console.get(page)
            assert status == 503
            assert "cannot be read" in text
        status, text = await console.get("/settings")
        assert status == 200
        assert "The store cannot be used at the moment" in text


class TwoWorkers:
    """A server whose console's worker can use the store, which the other cannot."""

    ends = False

    def __init__(self, status: StoreStatus) -> None:
        self._status = status
        self.known = StoreStatus()

    @property
    def store(self) -> StoreStatus:
        return self.known

    async def refresh(self) -> None:
        self.known = self._status


async def test_a_store_that_is_down_for_another_worker_is_said_on_the_page(
    start_console: StartConsole, filled: MemoryStore
) -> None:
    server = TwoWorkers(StoreStatus(lost=3, trouble="too many connections"))
    async with start_console(filled, server=server) as console:
        await console.log_in()
        for page in ("/history", "/settings"):
            status, text = await console.get(page)
            assert status == 200
            assert "The store cannot be used at the moment" in text
            assert "3 records" in text
        assert (await console.get("/readyz"))[1] == "ready\nstore: down\n"


async def test_an_internal_error_is_a_number_and_nothing_more(
    start_console: StartConsole, caplog: pytest.LogCaptureFixture
) -> None:
    class BrokenStore(MemoryStore):
        async def find(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("".join(("a hidden", " text")))

    async with start_console(BrokenStore()) as console:
        await console.log_in()
        status, text = await console.get("/history")
    assert status == 500
    assert "Internal error" in text
    assert "hidden text" not in text
    assert "a hidden text" not in caplog.text


async def test_connections_are_bounded_and_silent_ones_end(
    start_console: StartConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwire.proxy.console.console._FIRST_REQUEST_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr("askwire.proxy.console.console.MOST_CONNECTIONS", 3)
    async with start_console() as console:
        port = int(console.door.url.rpartition(":")[2].strip("/"))
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(6)]
        async with asyncio.timeout(10):
            ends = [await reader.read() for reader, _ in silent]
        assert ends == [b""] * 6
        for _, writer in silent:
            writer.close()
        assert (await console.get("/healthz"))[0] == 200


async def test_a_form_that_does_not_arrive_is_not_waited_for(
    console: ConsoleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwire.proxy.console.guard._FORM_TIMEOUT_SECONDS", 0.05)
    port = int(console.door.url.rpartition(":")[2].strip("/"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    kind = "Content-Type: application/x-www-form-urlencoded"
    writer.write(f"POST /login HTTP/1.1\r\nHost: localhost\r\n{kind}\r\nContent-Length: 99\r\n\r\nx".encode())
    async with asyncio.timeout(20):
        assert b" 408 " in await reader.readline()
    writer.close()


async def test_a_client_that_goes_away_is_no_internal_error(
    console: ConsoleServer, caplog: pytest.LogCaptureFixture
) -> None:
    port = int(console.door.url.rpartition(":")[2].strip("/"))
    kind = "Content-Type: application/x-www-form-urlencoded"
    for _ in range(3):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"POST /login HTTP/1.1\r\nHost: localhost\r\n{kind}\r\nContent-Length: 99\r\n\r\nx".encode()
        )
        await writer.drain()
        writer.transport.abort()
    assert (await console.get("/settings"))[0] == 200
    assert "internal error" not in caplog.text


async def test_what_cannot_be_made_at_once_is_turned_away(
    console: ConsoleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askwire.proxy.console.guard._BUSY_REPLY_SECONDS", 0.01)
    monkeypatch.setattr("askwire.proxy.console.rendering.MAX_WAITING_PAGES", 2)
    found = await asyncio.gather(*(console.get("/settings") for _ in range(30)))
    codes = [status for status, _ in found]
    assert set(codes) == {200, 503}
    assert (await console.get("/settings"))[0] == 200
    assert (await console.get("/healthz"))[0] == 200


# -- machines


async def test_health_and_readiness(start_console: StartConsole) -> None:
    store = MemoryStore()
    async with start_console(store) as console:
        assert await console.get("/healthz", headers={"Host": "any.name"}) == (200, "ok\n")
        assert await console.get("/readyz", headers={"Host": "any.name"}) == (200, "ready\nstore: ok\n")
        store.trouble = "disk full"
        assert (await console.get("/readyz"))[1] == "ready\nstore: down\n"


async def test_not_ready_while_postgresql_cannot_be_reached(start_console: StartConsole) -> None:
    async with start_console() as console:
        console.trouble[0] = "PostgreSQL cannot be reached: connect call failed ('10.20.30.40', 5432)"
        status, text = await console.get("/readyz")
        assert status == 503
        assert text == "not ready: PostgreSQL cannot be reached\nstore: ok\n"
        assert (await console.get("/healthz"))[0] == 200
