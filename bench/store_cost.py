"""What a store costs: SQLite beside PostgreSQL in one run.

Owns: writes per second with history on, how soon another process sees a pin, what an ASK costs with each
store, and how long the history takes to list as it grows. Works in schemas of its own, which it drops.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

import psycopg

from askwire.bench.failure import BenchFailure
from askwire.bench.proxy_process import ProxyProcess
from askwire.core.protocols import Change, Store
from askwire.core.records import AskedTrace, HistoryEntry, Pin
from askwire.store import SqliteStore
from askwire.store.postgres.address import PostgresOptions
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import DAY, Retention

SCHEMA: Final = "askwire_bench_store"
_TABLES: Final = "askwire_bench_tables"
_ALL: Final = Retention(0, 0, 0)
_PLACE: Final = ("db.example.com:5432", "shop")
_STEPS: Final = 60
_GROWTH: Final = (1_000, 10_000, 100_000, 1_000_000)
_QUESTION: Final = "how many dogs are there"


def measure(dsn: str, *, writes: int, pins: int, asks: int, rows: int) -> dict[str, Any]:
    """All figures; `dsn` is a URL of a database in which schemas may be made. Raises BenchFailure."""
    if not dsn.startswith(("postgresql://", "postgres://")):
        raise BenchFailure("bench store needs a URL, as postgresql://user@host/database")
    with _cleared(dsn), tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "store.sqlite")
        found: dict[str, Any] = {
            "writes_per_second": {
                "sqlite": asyncio.run(
                    _writing(SqliteStore(Path(file), retention=_ALL, capacity=10**6), writes)
                ),
                "postgres": asyncio.run(_writing_there(dsn, writes)),
            },
            "pin_seen_ms": asyncio.run(_news(dsn, pins)),
        }
        found["ask"] = {
            "memory": _asking(dsn, "memory", asks),
            "sqlite": _asking(dsn, file, asks),
            "postgres": _asking(dsn, dsn, asks),
        }
        found["listing_ms"] = asyncio.run(_listing(dsn, [size for size in _GROWTH if size <= rows]))
    return found


@contextmanager
def _cleared(dsn: str) -> Iterator[None]:
    def clear() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())
            connection.execute(f"DROP SCHEMA IF EXISTS {_TABLES} CASCADE".encode())

    clear()
    try:
        yield
    finally:
        clear()


def _opened(dsn: str, queue: int = 10**6) -> PostgresStore:
    return PostgresStore(dsn, options=PostgresOptions(SCHEMA, queue=queue), retention=_ALL)


def _history(number: int) -> tuple[HistoryEntry, AskedTrace]:
    """An ASK as it is kept: its row, and steps of some 17 kB."""
    sql = f"SELECT name FROM pets WHERE kind = 'dog' AND id > {number} ORDER BY name"
    steps = [
        {
            "stage": "verifier",
            "name": "tried",
            "at": 0.001 * n,
            "sql": f"{sql} LIMIT {n}",
            "plan": ["Sort", "Seq Scan"],
            "cost": 17.25 + n,
            "rows": [["Rex", n], ["Ada", n * 7]],
            "note": f"candidate {n} of {number} ran",
        }
        for n in range(_STEPS)
    ]
    now = time.time()
    key = f"{time.time_ns():x}-{number}"
    asked = HistoryEntry(
        key, now, "session", "ada", "ada", *_PLACE, question=f"how many dogs over {number}?", sql=sql
    )
    return asked, AskedTrace(key, now, json.dumps(steps), json.dumps({"readings": steps[:5]}))


async def _writing(store: Store, writes: int) -> int:
    """ASKs whose history is written in a second, when there are more than can be."""
    try:
        await store.find(HistoryEntry, limit=1, timeout=30)
        records = [_history(number) for number in range(writes)]
        began = time.perf_counter()
        for one in records:
            store.put(*one)
        while store.status.waiting:  # noqa: ASYNC110 - another thread's doing
            await asyncio.sleep(0.002)
        seconds = time.perf_counter() - began
        if store.status.lost or store.status.trouble:
            raise BenchFailure(f"the store lost {store.status.lost} records; {store.status.trouble}")
    finally:
        await store.close()
    return round(writes / seconds)


async def _writing_there(dsn: str, writes: int) -> int:
    return await _writing(_opened(dsn), writes)


def _watch(dsn: str, pipe: Pipe) -> None:
    """In a process of its own: tell when a change of each key is seen."""

    async def watching() -> None:
        store = _opened(dsn)

        def seen(changes: Sequence[Change]) -> None:
            now = time.monotonic()
            for change in changes:
                pipe.send((change.key, now))

        store.watch(seen)
        await asyncio.to_thread(pipe.recv)
        await store.close()

    asyncio.run(watching())


async def _news(dsn: str, pins: int) -> dict[str, float]:
    """From the moment that a pin is put to the moment that another process knows that it changed."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=_watch, args=(dsn, theirs), daemon=True)
    store = _opened(dsn)
    try:
        await store.find(Pin, limit=1, timeout=30)
        child.start()
        if not await asyncio.to_thread(ours.poll, 60):
            raise BenchFailure("the other process sees nothing")
        while ours.poll():
            ours.recv()
        took: list[float] = []
        for number in range(pins):
            key = f"pin {number}"
            began = time.monotonic()
            store.put(
                Pin(
                    key,
                    time.time(),
                    time.time(),
                    "",
                    "ada",
                    "ada",
                    *_PLACE,
                    question="q",
                    sql=f"SELECT {number}",
                )
            )
            while True:
                if not await asyncio.to_thread(ours.poll, 10):
                    raise BenchFailure("the other process did not see a pin within 10 s")
                name, at = ours.recv()
                if name == key:
                    took.append((at - began) * 1000)
                    break
            await asyncio.sleep(0.01)
        ours.send("end")
        await asyncio.to_thread(child.join, 20)
    finally:
        if child.is_alive():
            child.terminate()
        await store.close()
    return _quantiles(took)


def _quantiles(took: Sequence[float]) -> dict[str, float]:
    ordered = sorted(took)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p99": round(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))], 2),
    }


def _asking(dsn: str, store: str, asks: int) -> dict[str, float]:
    """Time and processor time of an ASK that is worked out, and of one that is pinned."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_TABLES}".encode())
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {_TABLES}.dogs (id int PRIMARY KEY, name text)".encode()
        )
    found: dict[str, float] = {}
    environment = {"ASKWIRE_STORE": store, "ASKWIRE_STORE_SCHEMA": SCHEMA}
    with (
        ProxyProcess(dsn, environment=environment) as proxy,
        psycopg.connect(proxy.conninfo, autocommit=True, prepare_threshold=None) as connection,
    ):
        connection.execute(f"SET search_path TO {_TABLES}".encode())
        for name, ask in (("fresh", f"ASK (FRESH) '{_QUESTION}'"), ("pinned", f"ASK '{_QUESTION}'")):
            for _ in range(5):
                connection.execute(ask.encode())
            before, took = proxy.cpu_seconds(), []
            for _ in range(asks):
                began = time.perf_counter()
                connection.execute(ask.encode())
                took.append((time.perf_counter() - began) * 1000)
            time.sleep(0.5)  # what is kept is written a little later, and counts
            after = proxy.cpu_seconds()
            times = _quantiles(took)
            found |= {f"{name}_p50_ms": times["p50"], f"{name}_p99_ms": times["p99"]}
            if before is not None and after is not None:
                found[f"{name}_cpu_ms"] = round((after - before) * 1000 / asks, 2)
    return found


async def _listing(dsn: str, sizes: Sequence[int]) -> dict[str, dict[str, float]]:
    """Of a history of so many rows over 90 days: the latest page, a page further on, a count, a word."""
    found: dict[str, dict[str, float]] = {}
    for size in sizes:
        await asyncio.to_thread(_fill, dsn, size)
        store = _opened(dsn)
        mine: dict[str, str | bool] = {"server": _PLACE[0], "database": _PLACE[1], "role": "role 7"}
        now = time.time()
        latest = partial(store.find, HistoryEntry, limit=20, timeout=60)
        reads: dict[str, Callable[[], Awaitable[object]]] = {
            "latest": latest,
            "one role's": partial(latest, mine),
            "30 days back": partial(latest, before=(now - 30 * DAY, "")),
            "count to 10,000": partial(store.count, HistoryEntry, mine, limit=10_000, timeout=60),
            "a rare word": partial(latest, words="number-17"),
            "by key": partial(latest, {"key": "key 500"}),
        }
        try:
            found[f"{size:,}"] = {name: await _timed(read) for name, read in reads.items()}
        finally:
            await store.close()
    return found


async def _timed(read: Callable[[], Awaitable[object]]) -> float:
    took = []
    for _ in range(9):
        began = time.perf_counter()
        await read()
        took.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(took), 2)


def _fill(dsn: str, size: int) -> None:
    now = time.time()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"DELETE FROM {SCHEMA}.asked".encode())
        weeks = [now // (7 * DAY) * 7 * DAY + 7 * DAY * week for week in range(-13, 2)]
        for since in weeks:
            connection.execute(f"SELECT {SCHEMA}.add_history(%s, %s)".encode(), (since, since + 7 * DAY))
        connection.execute(
            f"INSERT INTO {SCHEMA}.asked SELECT 'key ' || n, %s - n * 90 * 86400.0 / %s, 'session', "
            "'role ' || n %% 20, 'role ' || n %% 20, %s, %s, 'question number-' || n, '{}', '00000', '', "
            "'SELECT count(*) FROM orders WHERE id > ' || n, 'orders', 'the only reading', 0.9, n %% 2 = 0, "
            "false, 12.5, '' FROM generate_series(1, %s) AS n".encode(),
            (now, size, *_PLACE, size),
        )
        connection.execute(f"ANALYZE {SCHEMA}.asked".encode())
