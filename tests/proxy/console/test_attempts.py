"""Wrong tokens, links and cookies: slowed down, counted and logged; the right one gets in all the same."""

from __future__ import annotations

import asyncio
import logging

import pytest

pytest.importorskip("aiohttp")

from servers.running_console import ConsoleServer, Patience, StartConsole

from askwire.proxy.console import attempts
from askwire.proxy.console.attempts import Attempts, SlowDown

HERE, THERE = "192.0.2.1", "192.0.2.2"


def right(secret: str) -> bool | None:
    return secret == "right" or None


@pytest.fixture
def patience() -> Patience:
    return Patience()


@pytest.fixture
def some(patience: Patience) -> Attempts:
    return Attempts(patience, patience.wrong, patience.pause)


async def guess(some: Attempts, number: int, address: str = HERE, start: int = 0) -> int:
    """Present wrong tokens; how many of them were answered by SlowDown."""
    slows = []
    for n in range(start, start + number):
        try:
            assert await some.present("token", f"guess {n}", address, right) is None
        except SlowDown as slow:
            slows.append(slow)
    assert all(slow.compared for slow in slows)
    assert {slow.seconds for slow in slows} <= set(range(1, int(attempts.MAX_WAIT_SECONDS) + 1))
    return len(slows)


async def test_guesses_get_slower_and_slower(some: Attempts, patience: Patience) -> None:
    assert await guess(some, attempts.FREE_ATTEMPTS) == 0
    assert patience.waited == []
    assert await guess(some, 100, start=attempts.FREE_ATTEMPTS) == 100
    assert patience.waited[0] == 0.5
    assert patience.waited[-1] == attempts.MAX_WAIT_SECONDS
    assert sum(patience.waited) > 300, "seconds for a hundred guesses, one after the other"
    assert patience.wrong == {"token": 100 + attempts.FREE_ATTEMPTS}


async def test_the_right_token_gets_in_after_any_number_of_wrong_ones(
    some: Attempts, patience: Patience
) -> None:
    await guess(some, 500)
    patience.waited.clear()
    assert await some.present("token", "right", HERE, right)
    assert patience.waited == [attempts.MAX_WAIT_SECONDS], "once, and no longer"
    assert await some.present("cookie", "right", HERE, right)
    assert len(patience.waited) == 1, "those who are in do not wait"


async def test_what_became_of_a_guess_is_not_known_earlier_for_the_right_token(
    some: Attempts, patience: Patience
) -> None:
    """Else a guess could be given up after the time in which the right token is answered."""
    await guess(some, 20)
    patience.gate.clear()
    both = [asyncio.create_task(some.present("token", text, HERE, right)) for text in ("right", "wrong")]
    done, _ = await asyncio.wait(both, timeout=0)
    for _ in range(10):
        await asyncio.sleep(0)
    assert not done
    assert not any(task.done() for task in both)
    patience.gate.set()
    found = await asyncio.gather(*both, return_exceptions=True)
    assert found[0] is True
    assert isinstance(found[1], SlowDown)


async def test_another_address_does_not_wait(some: Attempts, patience: Patience) -> None:
    await guess(some, attempts.FREE_ATTEMPTS + 10)
    assert some.wait(HERE) == attempts.MAX_WAIT_SECONDS
    assert some.wait(THERE) == 0
    assert some.wait("::ffff:192.0.2.1") == attempts.MAX_WAIT_SECONDS, "the same address"


async def test_a_network_of_ipv6_is_one_address(some: Attempts) -> None:
    for n in range(10):
        await guess(some, 1, f"2001:db8::{n:x}", start=n)
    assert some.wait("2001:db8::ffff") > 0
    assert some.wait("2001:db8:0:1::1") == 0


async def test_many_addresses_together_are_slowed_down_in_bounded_memory(
    some: Attempts, patience: Patience
) -> None:
    patience.now = 0.0
    for n in range(3000):
        before = patience.now
        await guess(some, 1, f"10.{n // 65536}.{n // 256 % 256}.{n % 256}", start=n)
        patience.now = before  # they come all at once
    assert some.wait(THERE) == attempts.MAX_WAIT_SECONDS
    assert len(some._addresses) == attempts.MAX_ADDRESSES
    assert not some._waiting


async def test_an_address_is_forgiven(some: Attempts, patience: Patience) -> None:
    await guess(some, 1000)
    patience.now += 180
    assert some.wait(HERE) == 0


async def test_the_same_wrong_token_again_is_no_further_guess(some: Attempts, patience: Patience) -> None:
    """A browser's tab after a restart, or a scraper with an old token, must not slow its operator down."""
    for _ in range(200):
        assert await some.present("bearer", "an old token", HERE, right) is None
    assert some.wait(HERE) == 0
    assert patience.wrong == {"bearer": 200}


async def test_answers_that_wait_are_bounded_and_leave_room(some: Attempts, patience: Patience) -> None:
    await guess(some, 25, THERE)
    await guess(some, 10, HERE)
    patience.gate.clear()
    waiting = [
        asyncio.create_task(some.present("token", f"more {n}", HERE, right))
        for n in range(attempts.MAX_WAITING_PER_ADDRESS + 5)
    ]
    for _ in range(10):
        await asyncio.sleep(0)
    early = [task for task in waiting if task.done()]
    assert len(early) == 5
    for task in early:
        error = task.exception()
        assert isinstance(error, SlowDown)
        assert not error.compared
    elsewhere = asyncio.create_task(some.present("token", "right", THERE, right))
    await asyncio.sleep(0)
    patience.gate.set()
    assert await elsewhere, "one address does not take all the room"
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not some._waiting


async def test_the_log_tells_of_it_seldom_and_without_the_token(
    some: Attempts, patience: Patience, caplog: pytest.LogCaptureFixture
) -> None:
    ours = logging.getLogger("askwire")
    before = ours.level
    ours.setLevel(logging.ERROR)
    try:
        for n in range(50):
            await some.present("cookie", f"hidden text {n}", f"192.0.2.{n}", right)
        patience.now += 10
        await some.present("link", "hidden text", HERE, right)
    finally:
        ours.setLevel(before)
    said = [record.getMessage() for record in caplog.records if record.name == "askwire.audit"]
    assert said == [
        "wrong credentials at the console: 1 since the last such line, the latest from 192.0.2.0 (cookie)",
        "wrong credentials at the console: 50 since the last such line, the latest from 192.0.2.1 (link)",
    ]
    assert "hidden" not in caplog.text


# -- at the console


async def test_each_way_in_counts_and_the_next_one_waits(start_console: StartConsole) -> None:
    async with start_console() as console:
        await console.post("/login", {"token": "one"})
        await console.get("/enter/two")
        await console.get("/metrics", headers={"Authorization": "Bearer three"})
        cookie = f"askwire_console_{console.door.url.rpartition(':')[2].strip('/')}"
        await console.get("/", headers={"Cookie": f"{cookie}=four"})
        await console.post("/login", {"token": "five"})
        assert console.patience.wrong == {"token": 2, "link": 1, "bearer": 1, "cookie": 1}
        assert console.patience.waited == []

        plain = {"Accept": "*/*"}
        asked = [
            console.post("/login", {"token": "six"}),
            console.client.get(console.door.url + "enter/seven", headers=plain),
            console.client.get(
                console.door.url + "metrics", headers={"Authorization": "Bearer eight", **plain}
            ),
        ]
        for number, one in enumerate(asked, 1):
            answer = await one
            assert answer.status == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= attempts.MAX_WAIT_SECONDS
            assert "Set-Cookie" not in answer.headers
            assert len(console.patience.waited) == number

        status, text = await console.get("/login", headers={"Cookie": f"{cookie}=nine"})
        assert (status, 'id="token"' in text) == (200, True), "an old cookie does not keep the form away"
        bearer = {"Authorization": f"Bearer {console.door.token}"}
        assert (await console.get("/settings", headers=bearer))[0] == 200
        await console.log_in()
        waits = len(console.patience.waited)
        assert (await console.get("/"))[0] == 200
        assert len(console.patience.waited) == waits


async def test_the_link_of_the_start_still_lets_in_and_a_look_does_not_use_it_up(
    start_console: StartConsole,
) -> None:
    async with start_console() as console:
        link = console.door.link.removeprefix(console.door.url.rstrip("/"))
        for n in range(20):
            await console.get(f"/enter/guess{n}")
        async with console.client.head(console.door.url + link[1:], allow_redirects=False) as got:
            assert "Set-Cookie" not in got.headers, "programs that look at links send HEAD"
        assert (await console.get(link))[0] == 303
        assert (await console.get("/"))[0] == 200


async def test_a_page_says_what_happened_and_when_to_come_again(start_console: StartConsole) -> None:
    async with start_console() as console:
        for n in range(12):
            answer = await console.post("/login", {"token": f"guess {n}"})
        text = await answer.text()
        assert answer.status == 429
        assert "Too many attempts" in text
        assert "This is not the token, and there have been too many wrong ones." in text
        assert f"Try again in {answer.headers['Retry-After']} seconds." in text


async def test_while_guesses_wait_the_console_and_the_loop_do_not(console: ConsoleServer) -> None:
    console.patience.gate.clear()
    guesses = [
        asyncio.create_task(console.post("/login", {"token": f"guess {n}"}))
        for n in range(attempts.MAX_WAITING_PER_ADDRESS)
    ]
    async with asyncio.timeout(10):
        await console.patience.until_waiting(attempts.MAX_WAITING_PER_ADDRESS - attempts.FREE_ATTEMPTS)
        assert (await console.get("/settings"))[0] == 200, "who is in works on"
        assert (await console.get("/healthz"))[0] == 200
    console.patience.gate.set()
    assert {answer.status for answer in await asyncio.gather(*guesses)} <= {403, 429}


async def test_attempts_whose_client_has_left_make_room(
    console: ConsoleServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Sending and leaving costs an attacker nothing, and must not keep the right token out."""
    console.patience.gate.clear()
    port = int(console.door.url.rpartition(":")[2].strip("/"))
    async with asyncio.timeout(20):
        for n in range(attempts.MAX_WAITING_PER_ADDRESS + attempts.FREE_ATTEMPTS):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                f"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess{n}\r\n\r\n".encode()
            )
            await console.patience.until_waiting(n - attempts.FREE_ATTEMPTS + 1)
            writer.close()
            await writer.wait_closed()
        answer = asyncio.create_task(console.post("/login", {"token": console.door.token}))
        await console.patience.until_waiting(attempts.MAX_WAITING_PER_ADDRESS + 1)
        console.patience.gate.set()
        assert (await answer).status == 303
    assert "internal error" not in caplog.text
