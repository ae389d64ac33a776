"""What a store costs: SQLite beside PostgreSQL in one run.

Owns: writes per second with history on, how soon another process sees a pin, what an ASK costs with each
store, and what start, sweeps, an ASK and lists take as the history grows. Works in schemas of its own, which
it drops.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

import psycopg

from askwire.bench.failure import BenchFailure
from askwire.bench.proxy_process import ProxyProcess
from askwire.core.protocols import Change, Store
from askwire.core.records import AskedTrace, Feedback, HistoryEntry, Pin
from askwire.store import SqliteStore
from askwire.store.postgres.address import PostgresOptions
from askwire.store.postgres.retention import sweep
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import DAY_SECONDS, Retention
from askwire.store.sqlite_file import SqliteFile
from askwire.store.tables import about_question, table

SCHEMA: Final = "askwire_bench_store"
_TABLES: Final = "askwire_bench_tables"
_KEEP_ALL: Final = Retention(0, 0, 0)
_SERVER_AND_DATABASE: Final = ("db.example.com:5432", "shop")
_TRACE_STEPS: Final = 60
_GROWTH: Final = (1_000, 100_000, 1_000_000, 10_000_000)
_FEEDBACK: Final = (1_000, 10_000)
_KEEP_BY_AGE: Final = Retention(90, 180, 0)
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
                    _writing(SqliteStore(Path(file), retention=_KEEP_ALL, capacity=10**6), writes)
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
        sizes = [size for size in _GROWTH if size <= rows]
        found["growth_ms"] = asyncio.run(_growing(dsn, Path(folder), sizes))
        found["feedback_ms"] = asyncio.run(_reading_feedback(dsn, Path(folder)))
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
    return PostgresStore(dsn, options=PostgresOptions(SCHEMA, queue=queue), retention=_KEEP_ALL)


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
        for n in range(_TRACE_STEPS)
    ]
    now = time.time()
    key = f"{time.time_ns():x}-{number}"
    asked = HistoryEntry(
        key,
        now,
        "session",
        "ada",
        "ada",
        *_SERVER_AND_DATABASE,
        question=f"how many dogs over {number}?",
        sql=sql,
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
                    *_SERVER_AND_DATABASE,
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


async def _growing(dsn: str, folder: Path, sizes: Sequence[int]) -> dict[str, dict[str, dict[str, float]]]:
    """Milliseconds with a history of so many rows over 90 days, which are put there without ASKs.

    The start of a store up to its first answer, a sweep that finds nothing, one that finds what became too
    old in a day, an ASK that is kept, and what is listed.
    """
    found: dict[str, dict[str, dict[str, float]]] = {"sqlite": {}, "postgres": {}}
    for size in sizes:
        path = folder / f"{size}.sqlite"
        await asyncio.to_thread(_fill_file, path, size)
        found["sqlite"][f"{size:,}"] = await _using(
            lambda path=path: SqliteStore(path, retention=_KEEP_BY_AGE)  # type: ignore[misc]
        )
        found["sqlite"][f"{size:,}"] |= _swept(path)
        path.unlink()
        await asyncio.to_thread(_fill, dsn, size)
        found["postgres"][f"{size:,}"] = await _using(lambda: _opened(dsn))
        found["postgres"][f"{size:,}"] |= await _swept_there(dsn)
    return found


async def _reading_feedback(dsn: str, folder: Path) -> dict[str, dict[str, float]]:
    """Milliseconds in which an ASK reads what its role said of the question, by how much it said in all."""
    said = Feedback("", 0.0, "session", "ada", "ada", *_SERVER_AND_DATABASE, "", "", "wrong", "SELECT 1")
    mine: dict[str, str | bool] = {
        "server": _SERVER_AND_DATABASE[0],
        "database": _SERVER_AND_DATABASE[1],
        "role": "ada",
        "undone": False,
    }
    found: dict[str, dict[str, float]] = {"sqlite": {}, "postgres": {}}
    for size in _FEEDBACK:
        file = SqliteStore(folder / f"{size} said.sqlite", retention=_KEEP_ALL, capacity=10**6)
        stores: dict[str, Store] = {"sqlite": file, "postgres": _opened(dsn)}
        for name, store in stores.items():
            question = "how many dogs over 7?"
            numbered = (replace(said, key=f"{n}", question=f"how many dogs over {n}?") for n in range(size))
            await store.keep(*numbered, timeout=600)
            about = about_question(*_SERVER_AND_DATABASE, question)
            read = partial(store.find, Feedback, mine, about=about, limit=10_000, timeout=600)
            await read()
            found[name][f"{size:,}"] = await _timed(read, 9)
            await store.close()
    return found


async def _using(opened: Callable[[], Store]) -> dict[str, float]:
    began = time.perf_counter()
    store = opened()
    mine: dict[str, str | bool] = {
        "server": _SERVER_AND_DATABASE[0],
        "database": _SERVER_AND_DATABASE[1],
        "role": "role 7",
    }
    now = time.time()
    latest = partial(store.find, HistoryEntry, limit=20, timeout=120)
    numbers = itertools.count()
    operations: dict[str, Callable[[], Awaitable[object]]] = {
        "kept": lambda: store.keep(*_history(next(numbers)), timeout=60),
        "latest": latest,
        "one role's": partial(latest, mine),
        "30 days back": partial(latest, before=(now - 30 * DAY_SECONDS, "")),
        "count to 10,000": partial(store.count, HistoryEntry, mine, limit=10_000, timeout=60),
        "a rare word": partial(latest, words="number-17"),
        "by key": partial(latest, {"key": "key 500"}),
    }
    try:
        await store.find(Pin, limit=1, timeout=600)
        found = {"start": round((time.perf_counter() - began) * 1000, 2)}
        for name, operation in operations.items():
            found[name] = await _timed(operation, 1 if name == "a rare word" else 9)
    finally:
        await store.close()
    return found


def _swept(path: Path) -> dict[str, float]:
    """Milliseconds of two sweeps, all steps together, and of the longest step."""
    file = SqliteFile(path)
    nothing = _milliseconds(lambda: file.sweep(_KEEP_BY_AGE, time.time()))
    took, began = [], time.perf_counter()
    for _ in file.sweeping(_KEEP_BY_AGE, time.time() + DAY_SECONDS):
        took.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
    file.close()
    return {
        "sweep of nothing": round(nothing, 2),
        "sweep of a day": round(sum(took)),
        "its longest step": round(max(took), 1),
    }


async def _swept_there(dsn: str) -> dict[str, float]:
    """Milliseconds of two sweeps; of what became too old in a day there is a partition at most."""
    found: dict[str, float] = {}
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        for name, moment in (
            ("sweep of nothing", time.time()),
            ("sweep of a partition", time.time() + 8 * DAY_SECONDS),
        ):
            began = time.perf_counter()
            await sweep(connection, SCHEMA, _KEEP_BY_AGE, moment)
            found[name] = round((time.perf_counter() - began) * 1000, 2)
    return found


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


async def _timed(operation: Callable[[], Awaitable[object]], times: int) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        await operation()
        took.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(took), 2)


def _fill_file(path: Path, size: int) -> None:
    now = time.time()
    SqliteFile(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(
            f"INSERT INTO asked ({', '.join(table(HistoryEntry).columns)}) WITH RECURSIVE numbers (n) AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) "
            "SELECT 'key ' || n, ? - n * 90 * 86400.0 / ?, 'session', 'role ' || n % 20, 'role ' || n % 20, "
            "?, ?, 'question number-' || n, '{}', '00000', '', "
            "'SELECT count(*) FROM orders WHERE id > ' || n, 'orders', 'the only reading', "
            "0.9, n % 2 = 0, false, 12.5, '' FROM numbers",
            (size, now, size, *_SERVER_AND_DATABASE),
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _fill(dsn: str, size: int) -> None:
    now = time.time()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {SCHEMA}.asked".encode())
        weeks = [
            now // (7 * DAY_SECONDS) * 7 * DAY_SECONDS + 7 * DAY_SECONDS * week for week in range(-13, 2)
        ]
        for since in weeks:
            connection.execute(
                f"SELECT {SCHEMA}.add_history(%s, %s)".encode(), (since, since + 7 * DAY_SECONDS)
            )
        connection.execute(
            f"INSERT INTO {SCHEMA}.asked SELECT 'key ' || n, %s - n * 90 * 86400.0 / %s, 'session', "
            "'role ' || n %% 20, 'role ' || n %% 20, %s, %s, 'question number-' || n, '{}', '00000', '', "
            "'SELECT count(*) FROM orders WHERE id > ' || n, 'orders', 'the only reading', 0.9, n %% 2 = 0, "
            "false, 12.5, '' FROM generate_series(1, %s) AS n".encode(),
            (now, size, *_SERVER_AND_DATABASE, size),
        )
        connection.execute(f"ANALYZE {SCHEMA}.asked".encode())
