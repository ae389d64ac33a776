"""What it costs to read `ask.history` when it is long.

    PYTHONPATH=.typing:tests python tests/measuring/reading_history.py --dsn "host=127.0.0.1" --rows 10000

Fills a store with so many ASKs and reads them through askwire, on PostgreSQL where the DSN says. Prints a
line of JSON per query: processor time of this process (askwire, its threads and the client) and time on the
clock, in milliseconds, medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psycopg

from askwire.core.records import HistoryEntry
from askwire.core.settings.table import load
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.proxy.session.statements.own_connection import read_target
from askwire.store.sqlite import SqliteStore

QUERIES = (
    "SELECT 1",
    "SELECT question, sql, elapsed_ms FROM ask.history LIMIT 20",
    "SELECT question, sql, elapsed_ms FROM ask.history WHERE outcome = '00000' ORDER BY at DESC LIMIT 10",
    "SELECT * FROM ask.history WHERE key = 'key 00000007'",
    "SELECT count(*) FROM ask.history",
    "SELECT outcome, count(*), avg(elapsed_ms) FROM ask.history GROUP BY outcome",
    "SELECT question FROM ask.history WHERE question LIKE '%best%'",
    "SELECT * FROM ask.history",
)

_NOW = time.time()


def main() -> int:
    """Run it as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in asyncio.run(
            measure(chosen.dsn, Path(folder) / "store.sqlite", chosen.rows, chosen.times)
        ):
            sys.stdout.write(json.dumps(line) + "\n")
    return 0


async def measure(dsn: str, path: Path, rows: int, times: int) -> list[dict[str, str | float]]:
    """Figures for each query over so many ASKs of the role and database that the DSN names."""
    target = read_target(dsn, {})
    backend = f"host={target.address.host} port={target.address.port}"
    store = SqliteStore(path, capacity=rows + 1)
    server_name = "measured"
    for number in range(rows):
        store.put(_asked(number, target.user, server_name, target.database))
    while store.status.written < rows:  # noqa: ASYNC110 - the store's thread tells no one
        await asyncio.sleep(0.1)
    settings = load({"backend": backend, "listen": "127.0.0.1:0", "server_name": server_name})
    server = Server(settings, AskResolver(settings, store=store))
    host, port = await server.start()
    try:
        return await asyncio.to_thread(_read, host, port, target.user, target.database, times)
    finally:
        await server.stop()
        await store.close()


def _read(host: str, port: int, user: str, database: str, times: int) -> list[dict[str, str | float]]:
    figures: list[dict[str, str | float]] = []
    where = f"host={host} port={port} user={user} dbname={database}"
    with psycopg.connect(where, autocommit=True) as connection:
        for query in QUERIES:
            cpu, clock, found = list[float](), list[float](), 0
            for _ in range(times):
                began, worked = time.perf_counter(), time.process_time()
                try:
                    found = len(connection.execute(query.encode()).fetchall())
                except psycopg.errors.IoError:  # the store has two seconds, on a machine that is busy
                    continue
                clock.append(time.perf_counter() - began)
                cpu.append(time.process_time() - worked)
            if not cpu:
                figures.append({"query": query, "cpu_ms": "never in time"})
                continue
            told = {"cpu_ms": round(median(cpu) * 1000, 1), "clock_ms": round(median(clock) * 1000, 1)}
            figures.append({"query": query, "rows": found, **told})
    return figures


def _asked(number: int, role: str, server: str, database: str) -> HistoryEntry:
    sql = "SELECT c.name, sum(l.amount) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"
    return HistoryEntry(
        key=f"key {number:08}",
        at=_NOW - number,
        session=f"session {number % 50}",
        role=role,
        acting_as=role,
        server=server,
        database=database,
        question=f"who were the {number % 40} best customers by revenue in 2024?",
        outcome="00000" if number % 5 else "NL003",
        message="" if number % 5 else "the confidence of the best reading is too low to answer",
        sql=f"{sql} GROUP BY c.id, c.name ORDER BY 2 DESC LIMIT {number % 40}" if number % 5 else "",
        reading="customers.name per customers.name, the first by total order_lines.amount" * bool(number % 5),
        reason="4 of 12 readings agree",
        confidence=0.7,
        elapsed_ms=31.5,
    )


if __name__ == "__main__":
    sys.exit(main())
