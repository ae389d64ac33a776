"""The injected faults: what each breaks, and what the client must see.

A fault is a function that is given the place it happens in and tells what the client saw; `expected` is a
regular expression for that. None may leave a session behind: who runs them looks.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from askwire.bench.faults.client import Client, Saw, message, query
from askwire.bench.faults.link import Link, Plan
from askwire.bench.faults.wall_clock import WallClock

Asked = Callable[[], Awaitable[Client]]

SHORTER: Final = "SELECT repeat('x', 1000) FROM generate_series(1, 2000)"
LONG: Final = "SELECT repeat('x', 1000) FROM generate_series(1, 20000)"
ASK: Final = "ASK 'how many parcels are there?'"
LOGIN_SECONDS: Final = 2
_DAY: Final = 86_400
MOST_CLIENTS: Final = 40


@dataclass
class Place:
    """Where faults happen: askwire (port, process and clock), the link behind it, PostgreSQL behind that."""

    port: int
    pid: int
    link: Link
    clock: WallClock
    database: str
    user: str
    backend_port: int

    async def client(self) -> Client:
        """A client behind askwire."""
        return await Client.login(self.port, self.database, self.user)

    async def direct(self, sql: str) -> str:
        """A statement of somebody else's, past askwire."""
        client = await Client.login(self.backend_port, self.database, self.user)
        try:
            return await client.ask(sql)
        finally:
            client.close()

    async def try_login(self) -> str:
        """What a client sees that logs in and asks for a row."""
        try:
            client = await self.client()
        except Saw as saw:
            return str(saw)
        except OSError as error:
            return type(error).__name__
        try:
            return await client.ask("SELECT 1")
        finally:
            client.close()


@dataclass(frozen=True)
class Fault:
    """One row of the table."""

    what: str
    expected: str
    inject: Callable[[Place], Awaitable[str]]


async def _running(place: Place, text: str) -> None:
    """Wait until a statement runs on the backend."""
    sql = f"SELECT 1 FROM pg_stat_activity WHERE query LIKE '%{text}%' AND pid <> pg_backend_pid()"
    async with asyncio.timeout(10):
        while await place.direct(sql) == "0 rows":  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.05)


def at_login(plan: Plan) -> Callable[[Place], Awaitable[str]]:
    """The link has the plan when a client logs in."""

    async def inject(place: Place) -> str:
        place.link.plan = plan
        return await place.try_login()

    return inject


def then(plan: Plan, sql: str = LONG) -> Callable[[Place], Awaitable[str]]:
    """The link gets the plan while a session is idle; then the client asks."""

    async def inject(place: Place) -> str:
        client = await place.client()
        place.link.plan = plan
        saw = await client.ask(sql)
        client.close()
        return saw

    return inject


def while_idle(plan: Plan) -> Callable[[Place], Awaitable[str]]:
    """The same with a row, so that the plan meets what answers first."""
    return then(plan, "SELECT 1")


def raw(data: bytes, *, after_login: bool) -> Callable[[Place], Awaitable[str]]:
    """A client says some bytes, and that these are all."""

    async def inject(place: Place) -> str:
        client = await (place.client() if after_login else Client.connect(place.port))
        client.send(data)
        client.writer.write_eof()
        saw = await client.saw()
        client.writer.close()
        return saw

    return inject


async def terminated_idle(place: Place) -> str:
    """pg_terminate_backend while nothing runs."""
    client = await place.client()
    return await _terminated(place, client, "application_name = 'askwire_faults'")


async def terminated_running(place: Place) -> str:
    """pg_terminate_backend while a statement runs."""
    client = await place.client()
    client.send(query("SELECT pg_sleep(30), 'terminate me'"))
    await _running(place, "terminate me")
    return await _terminated(place, client, "query LIKE '%terminate me%'")


async def _terminated(place: Place, client: Client, which: str) -> str:
    await place.direct(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {which} AND pid <> pg_backend_pid()"
    )
    saw = await client.saw()
    client.writer.close()
    return saw


async def killed(place: Place) -> str:
    """Kill -9: PostgreSQL ends every other session and recovers."""
    client = await place.client()
    client.send(query("SELECT pg_backend_pid()"))
    while (frame := await client.receive())[0] != b"D":
        pass
    await client.until_ready()
    os.kill(int(frame[1][6:]), signal.SIGKILL)
    saw = await client.saw()
    client.writer.close()
    async with asyncio.timeout(30):
        while await place.try_login() != "1 rows":  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.2)
    return saw


async def client_resets_in_rows(place: Place) -> str:
    """A reset; then somebody else comes."""
    client = await place.client()
    client.send(query(LONG))
    await client.receive()
    client.reset()
    return await place.try_login()


async def client_vanishes_in_copy(place: Place) -> str:
    """Nothing of what it copied stays."""
    client = await place.client()
    client.send(query("COPY parcels FROM STDIN"))
    await client.receive()
    client.send(*[message(b"d", b"7\tlost\n")] * 1000)
    await client.writer.drain()
    return await _kept(place, client, "lost")


async def client_vanishes_in_a_transaction(place: Place) -> str:
    """Nothing of what it wrote stays."""
    client = await place.client()
    await client.ask("BEGIN")
    await client.ask("INSERT INTO parcels VALUES (8, 'uncommitted')")
    return await _kept(place, client, "uncommitted")


async def _kept(place: Place, client: Client, name: str) -> str:
    client.reset()
    await asyncio.sleep(0.3)
    return await place.direct(f"SELECT 1 FROM parcels WHERE name = '{name}'")


async def client_vanishes_while_an_ask_is_worked_on(place: Place) -> str:
    """A reset; then somebody else comes."""
    client = await place.client()
    client.send(query(ASK))
    await client.writer.drain()
    client.reset()
    return await place.try_login()


async def slow_start(place: Place) -> str:
    """A byte now and then, for ever."""
    client = await Client.connect(place.port)

    async def drip() -> None:
        for byte in struct.pack(">II", 100, 3 << 16) + b"user\0x" * 20:
            client.send(bytes((byte,)))
            await asyncio.sleep(0.2)

    dripping = asyncio.create_task(drip())
    saw = await client.saw()
    dripping.cancel()
    client.writer.close()
    return saw


async def cancel_storm(place: Place) -> str:
    """Many requests for one statement."""
    client = await place.client()
    client.send(query("SELECT pg_sleep(30), 'storm'"))
    await _running(place, "storm")
    requests = await asyncio.gather(*(client.cancel(place.port) for _ in range(50)))
    first = await client.saw()
    await asyncio.gather(*(request.closed() for request in requests))
    # a signal may still be under way; a session that lives answers in the end
    for _ in range(50):
        if (then := await client.ask("SELECT 1")) == "1 rows":
            break
    client.close()
    return f"{first}, then {then}"


async def cancel_of_nobody(place: Place) -> str:
    """A request that proves nothing."""
    client = await place.client()
    client.key = client.key[:4] + b"nope"
    await (await client.cancel(place.port)).closed()
    saw = await client.ask("SELECT 1")
    client.close()
    return saw


async def slow_reader(place: Place) -> str:
    """It does not read; others do not notice."""
    client = await place.client()
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    client.send(query(LONG))
    await asyncio.sleep(1)
    other = await place.try_login()
    client.writer.transport.resume_reading()  # type: ignore[attr-defined]
    saw = await client.saw()
    client.close()
    return f"{saw}, another one {other}"


async def a_crowd(place: Place) -> str:
    """One more than may come."""
    clients = [await place.client() for _ in range(MOST_CLIENTS)]
    saw = await place.try_login()
    for client in clients:
        client.close()
    await asyncio.sleep(0.3)
    return f"{saw}, then {await place.try_login()}"


async def no_descriptors(place: Place) -> str:
    """Askwire may open no more files; who is there goes on, who comes is served when there are some again."""
    client = await place.client()
    used = len(os.listdir(f"/proc/{place.pid}/fd"))
    before = resource.prlimit(place.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(place.pid, resource.RLIMIT_NOFILE, (used, before[1]))
    waiting = asyncio.create_task(place.try_login())
    await asyncio.sleep(1)
    inside = await client.ask("SELECT 1")
    resource.prlimit(place.pid, resource.RLIMIT_NOFILE, before)
    client.close()
    await waiting
    return f"{inside}, then {await place.try_login()}"


async def full_disk(place: Place) -> str:
    """The store cannot grow; an answer does not depend on it."""
    before = resource.prlimit(place.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(place.pid, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        client = await place.client()
        saw = await client.ask(ASK)
        client.close()
    finally:
        resource.prlimit(place.pid, resource.RLIMIT_FSIZE, before)
    return saw


async def clock_jumps(place: Place) -> str:
    """Somebody sets the time, a day ahead and then to the day before, in a transaction and between two."""
    client = await place.client()
    saw = [await client.ask("BEGIN"), await client.ask(ASK)]
    for days in (1, -1, 0):
        place.clock.jump(days * _DAY)
        saw += [await client.ask(ASK), await place.try_login()]
        if abs(place.clock.wrong_by - days * _DAY) > _DAY / 10:
            saw.append(f"a clock that is wrong by {place.clock.wrong_by} s")
    saw.append(await client.ask("COMMIT"))
    client.close()
    return ", ".join(dict.fromkeys(saw))


async def suspended(place: Place) -> str:
    """The machine sleeps for longer than any log-in may take."""
    client = await place.client()
    os.kill(place.pid, signal.SIGSTOP)
    client.send(query("SELECT 1"))
    await asyncio.sleep(LOGIN_SECONDS + 1)
    os.kill(place.pid, signal.SIGCONT)
    saw = await client.saw()
    client.close()
    return saw


_HUGE: Final = b"\x7f\xff\xff\xff"
_BAD_LENGTH: Final = b"D\0\0\0\1"

FAULTS: Final = (
    Fault("backend cut before it answers the start-up", "closed", at_login(Plan(cut_after=0))),
    Fault("backend cut in the middle of the log-in", "closed", at_login(Plan(cut_after=40))),
    Fault("backend takes the connection and never answers", "FATAL 57014 closed", at_login(Plan(deaf=True))),
    Fault("backend cut while idle", "closed|reset", while_idle(Plan(cut_after=0))),
    Fault("backend reset while idle", "closed|reset", while_idle(Plan(cut_after=0, how="reset"))),
    Fault("backend half-closes while idle", "closed", while_idle(Plan(cut_after=0, how="half"))),
    Fault("backend cut in a row", "closed.*", then(Plan(cut_after=100_321))),
    Fault("backend reset in a row", "closed.*", then(Plan(cut_after=100_321, how="reset"))),
    Fault("backend cut in a message that must be understood", "closed.*", while_idle(Plan(cut_after=50))),
    Fault("backend cut while an ASK is worked on", "closed", then(Plan(cut_after=30), ASK)),
    Fault(
        "backend says what is no message",
        "what is no message",
        while_idle(Plan(cut_after=0, say=_BAD_LENGTH)),
    ),
    Fault("every piece 50 ms late, rows", "1 rows", while_idle(Plan(delay=0.05))),
    Fault("every piece 20 ms late, an ASK", "1 rows", then(Plan(delay=0.02), ASK)),
    Fault("split at every byte, log-in and rows", "1 rows", at_login(Plan(piece=1))),
    Fault("split at every byte, an ASK", "1 rows", then(Plan(piece=1), ASK)),
    Fault("split at 7 bytes, 2 MB of rows", "2000 rows", then(Plan(piece=7), SHORTER)),
    Fault("session terminated while idle", "FATAL 57P01 closed", terminated_idle),
    Fault("session terminated while a statement runs", "FATAL 57P01 closed", terminated_running),
    Fault("backend process killed (-9)", "(FATAL 57P02 |WARNING.*)?closed|reset", killed),
    Fault("client resets in the middle of rows", "1 rows", client_resets_in_rows),
    Fault(
        "client half-closes behind a query", "1 rows", raw(query("SELECT pg_sleep(0.3)"), after_login=True)
    ),
    Fault("client half-closes behind an ASK", "1 rows", raw(query(ASK), after_login=True)),
    Fault("client vanishes in COPY", "0 rows", client_vanishes_in_copy),
    Fault("client vanishes in a transaction", "0 rows", client_vanishes_in_a_transaction),
    Fault("client vanishes while its ASK is worked on", "1 rows", client_vanishes_while_an_ask_is_worked_on),
    Fault("client sends a byte of its start-up now and then", "FATAL 57014 closed", slow_start),
    Fault("start-up packet of 2 GB", "closed", raw(_HUGE, after_login=False)),
    Fault("start-up packet of negative length", "closed", raw(b"\xff" * 8, after_login=False)),
    Fault("HTTP instead of a start-up", "closed", raw(b"GET / HTTP/1.1\r\n", after_login=False)),
    Fault("message of negative length", "(FATAL 08P01 )?closed", raw(b"Q\xff\xff\xff\xff", after_login=True)),
    Fault("message of length 0", "closed", raw(b"Q\0\0\0\0", after_login=True)),
    Fault("message of a type that is none", "FATAL 08P01 closed", raw(b"\0\0\0\0\4", after_login=True)),
    Fault(
        "query of 2 GB that stops",
        "(FATAL 08P01 )?closed",
        raw(b"Q" + _HUGE + b"SELECT", after_login=True),
    ),
    Fault("bytes behind Terminate", "closed", raw(message(b"X", b"") + query("SELECT 1"), after_login=True)),
    Fault("50 cancel requests at once", "ERROR 57014, then 1 rows", cancel_storm),
    Fault("cancel request with a wrong key", "1 rows", cancel_of_nobody),
    Fault("client does not read 20 MB for a second", "20000 rows, another one 1 rows", slow_reader),
    Fault("more clients than allowed", "FATAL 53300 closed, then 1 rows", a_crowd),
    Fault("out of file descriptors", "1 rows, then 1 rows", no_descriptors),
    Fault("no room for the store", "1 rows", full_disk),
    Fault("the machine is suspended for 3 s", "1 rows", suspended),
    Fault("the wall clock jumps a day ahead, then two back", "0 rows, 1 rows", clock_jumps),
)
"""The table, in its order."""
