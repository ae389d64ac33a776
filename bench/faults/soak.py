"""`./ask bench soak`: a long mixed load with faults in it, and what it does to the process.

Every client does one thing after another: rows, prepared statements, COPY both ways, a transaction that
writes, an ASK, a cancel; some of the time it vanishes in the middle of it instead. What was committed is
counted at the end, because nothing acknowledged may be lost.
"""

from __future__ import annotations

import asyncio
import random
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from askwire.bench.faults.client import NAME, Client, Saw, message, query
from askwire.bench.performance.processes import cpu_seconds, private_bytes
from askwire.bench.proxy_process import ProxyProcess

_STUCK_SECONDS: Final = 60.0
_WARM_SHARE: Final = 0.2
_SAMPLES: Final = 60
_NUMBERS: Final = count()
SCHEMA: Final = (
    "DROP TABLE IF EXISTS parcels, kept",
    "CREATE TABLE parcels (id int, name text)",
    "INSERT INTO parcels SELECT n, 'parcel ' || n FROM generate_series(1, 6) n",
    "CREATE TABLE kept (client int, number int)",
)


@dataclass
class Run:
    """What happens, and what is counted."""

    port: int
    database: str
    user: str
    until: float
    faults: float
    done: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    committed: int = 0


async def rows(client: Client, run: Run) -> str:
    """Many small rows."""
    return await _told(client, "SELECT n, repeat('x', 50) FROM generate_series(1, 200) n", "200 rows")


async def prepared(client: Client, run: Run) -> str:
    """A prepared statement with a parameter."""
    value = str(next(_NUMBERS)).encode()
    bound = b"\0\0\0\0" + struct.pack(">HI", 1, len(value)) + value + b"\0\0"
    client.send(
        message(b"P", b"\0SELECT $1::int + 1\0\0\0"),
        message(b"B", bound),
        message(b"E", b"\0\0\0\0\0"),
        message(b"S", b""),
    )
    return _judged(await client.until_ready(), "1 rows")


async def copy_out(client: Client, run: Run) -> str:
    """COPY to the client."""
    return await _told(
        client, "COPY (SELECT repeat('y', 100) FROM generate_series(1, 500)) TO STDOUT", "0 rows"
    )


async def copy_in(client: Client, run: Run) -> str:
    """COPY from the client, into a table of its own."""
    await client.ask("CREATE TEMP TABLE IF NOT EXISTS poured (a text)")
    client.send(query("COPY poured FROM STDIN"))
    while (await client.receive())[0] != b"G":
        pass
    client.send(*[message(b"d", b"z" * 100 + b"\n") for _ in range(200)], message(b"c", b""))
    return _judged(await client.until_ready(), "0 rows")


async def writes(client: Client, run: Run) -> str:
    """A transaction; it counts when its COMMIT was acknowledged."""
    for sql in ("BEGIN", "INSERT INTO kept VALUES (1, 1)"):
        await client.ask(sql)
    saw = await client.ask("COMMIT")
    run.committed += saw == "0 rows"
    return _judged(saw, "0 rows")


async def asks(client: Client, run: Run) -> str:
    """An ASK."""
    return await _told(client, "ASK 'how many parcels are there?'", "1 rows")


async def cancels(client: Client, run: Run) -> str:
    """A statement that is canceled; the request may come too early, or too late for the one it means."""
    client.send(query("SELECT pg_sleep(0.2)"))
    request = await client.cancel(run.port)
    saw = await client.until_ready()
    # where it is taken late, what came next would be canceled, with PostgreSQL alone as well
    await request.closed()
    then = await client.ask("SELECT 1")
    return "" if {saw, then} <= {"1 rows", "ERROR 57014"} else f"{saw}, then {then}"


async def fails(client: Client, run: Run) -> str:
    """A statement that fails."""
    return await _told(client, "SELECT nothing", "ERROR 42703")


WORKS: Final[tuple[Callable[[Client, Run], Awaitable[str]], ...]] = (
    *(rows, rows, prepared, prepared, prepared),
    *(copy_out, copy_in, writes, writes, asks, cancels, fails),
)


async def _told(client: Client, sql: str, expected: str) -> str:
    return _judged(await client.ask(sql), expected)


def _judged(saw: str, expected: str) -> str:
    return "" if saw == expected else saw


async def _lives(run: Run) -> None:
    """One client after another in the same place, until the time is up."""
    chance = random.Random()  # noqa: S311 - nothing is kept secret with it
    while time.monotonic() < run.until:
        try:
            async with asyncio.timeout(_STUCK_SECONDS):
                client = await Client.login(run.port, run.database, run.user)
        except (Saw, OSError, TimeoutError) as error:
            run.wrong[f"log-in: {error or type(error).__name__}"] += 1
            await asyncio.sleep(0.5)
            continue
        for _ in range(chance.randrange(5, 60)):
            work = chance.choice(WORKS)
            if time.monotonic() >= run.until:
                break
            if chance.random() < run.faults:
                await _vanishes(client, work, run, chance.random() * 0.05)
                break
            try:
                async with asyncio.timeout(_STUCK_SECONDS):
                    wrong = await work(client, run)
            except (Saw, OSError) as error:
                wrong = str(error) or type(error).__name__
            except TimeoutError:
                wrong = "stuck"
            run.done[work.__name__] += 1
            if wrong:
                run.wrong[f"{work.__name__}: {wrong}"] += 1
                break
            await asyncio.sleep(chance.random() * 0.2)
        client.close()


async def _vanishes(
    client: Client, work: Callable[[Client, Run], Awaitable[str]], run: Run, after: float
) -> None:
    """Begin something and be gone in the middle of it. A COMMIT may have been taken all the same."""
    doing = asyncio.ensure_future(work(client, run))
    await asyncio.wait((doing,), timeout=after)
    client.reset()
    await asyncio.wait((doing,))
    if not doing.cancelled():
        doing.exception()
    run.done["faults"] += 1


def measure(
    dsn: str, clients: int, seconds: int, faults: float, tell: Callable[[str], None]
) -> dict[str, Any]:
    """What was done, what went wrong, and how the memory of the process grew once it was warm."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
    with ProxyProcess(dsn, {"store": "memory", "history": "off", "max_clients": "0"}) as proxy:
        figures = asyncio.run(_soaked(proxy, clients, seconds, faults, tell))
        figures["alive"] = proxy.alive
    with psycopg.connect(dsn, autocommit=True) as connection:
        kept = connection.execute("SELECT count(*) FROM kept").fetchone()
    figures["lost_rows"] = max(0, figures["committed"] - (kept[0] if kept else 0))
    return figures


async def _soaked(
    proxy: ProxyProcess, clients: int, seconds: int, faults: float, tell: Callable[[str], None]
) -> dict[str, Any]:
    where = conninfo_to_dict(proxy.conninfo)
    began = time.monotonic()
    names = str(where.get("dbname") or "postgres"), str(where.get("user") or "postgres")
    run = Run(int(str(where["port"])), *names, began + seconds, faults)
    lives = [asyncio.create_task(_lives(run)) for _ in range(clients)]
    samples: list[tuple[float, int]] = []
    while time.monotonic() < run.until:
        await asyncio.sleep(seconds / _SAMPLES)
        samples.append((time.monotonic() - began, private_bytes(proxy.pid)))
        done, wrong = sum(run.done.values()), sum(run.wrong.values())
        tell(f"{samples[-1][0]:.0f} s: {done} done, {wrong} wrong, {samples[-1][1] / 2**20:.1f} MiB")
    await asyncio.wait(lives, timeout=_STUCK_SECONDS)
    stuck = sum(not life.done() for life in lives)
    return {
        "seconds": seconds,
        "clients": clients,
        "done": dict(run.done),
        "wrong": dict(run.wrong),
        "stuck": stuck,
        "committed": run.committed,
        "left_behind": await _left_behind(run),
        "mib_at_the_end": round(samples[-1][1] / 2**20, 1),
        "kib_per_minute": round(_slope(samples[int(len(samples) * _WARM_SHARE) :]) * 60 / 1024, 1),
        "cpu_seconds": round(cpu_seconds(proxy.pid), 1),
    }


async def _left_behind(run: Run) -> str:
    """Sessions that are still there though no client is."""
    await asyncio.sleep(3)
    client = await Client.login(run.port, run.database, run.user)
    saw = await client.ask(
        f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{NAME}' AND pid <> pg_backend_pid()"
    )
    client.close()
    return saw


def _slope(samples: list[tuple[float, int]]) -> float:
    """Bytes per second, by least squares."""
    size = len(samples)
    mean_x, mean_y = sum(x for x, _ in samples) / size, sum(y for _, y in samples) / size
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread if spread else 0.0
