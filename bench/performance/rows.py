"""`./ask bench scale --rows`: what an ASK costs that names a value of a table of more and more rows.

Customers, and two orders for each but the last, lie in a schema of their own and are dropped again. Owns:
these figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any, Final

import psycopg

from askwire.bench.proxy_process import ProxyProcess

SCHEMA: Final = "askwire_bench_rows"
_TIMED_TURNS: Final = 5
_QUESTIONS: Final = {
    "named": "how many orders does Acme Works {} have",
    "quoted": "how many orders does the customer ''acme works {}'' have",
    "code": "what is the amount of order SO-{}",
}
_ANTI_JOIN_QUESTION: Final = "which customers have no orders"


def measure(dsn: str, sizes: Sequence[int], tell: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """For each number of customers: medians of an ASK, in ms, with an index on the names and without.

    `right` is how many of the answers were right, in percent.
    """
    found = []
    for number in sizes:
        with _made(dsn, number) as backend, ProxyProcess(dsn, {"store": "memory", "history": "off"}) as proxy:
            found.append({"rows": number, **_measured(backend, proxy, number)})
        tell(found[-1])
    return found


def _measured(backend: psycopg.Connection[Any], proxy: ProxyProcess, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    right: list[bool] = []
    with psycopg.connect(proxy.conninfo, autocommit=True, prepare_threshold=None) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}".encode())
        _ask(connection, "how many orders are there")
        for index in ("indexed", "plain"):
            if index == "plain":
                backend.execute(f"DROP INDEX {SCHEMA}.customers_name, {SCHEMA}.orders_code".encode())
            for name, question in _QUESTIONS.items():
                numbers = [1 + turn * 37 % (number - 1) for turn in range(_TIMED_TURNS)]
                asked = [_timed(connection, question.format(one)) for one in numbers]
                found[f"{name}_{index}_ms"] = round(1000 * median(took for took, _ in asked))
                right += [bool(rows) if name == "code" else rows == [(2,)] for _, rows in asked]
        took, rows = _timed(connection, _ANTI_JOIN_QUESTION)
        right.append(rows == [(f"Acme Works {number}",)])
    return {**found, "without_ms": round(1000 * took), "right": round(100 * sum(right) / len(right))}


def _timed(connection: psycopg.Connection[Any], question: str) -> tuple[float, list[tuple[Any, ...]]]:
    began = time.monotonic()
    answer = _ask(connection, question)
    return time.monotonic() - began, answer


def _ask(connection: psycopg.Connection[Any], question: str) -> list[tuple[Any, ...]]:
    """The rows of an answer; none where it was refused."""
    try:
        return connection.execute(f"ASK (FRESH) '{question}'".encode()).fetchall()
    except psycopg.Error:
        return []


@contextmanager
def _made(dsn: str, number: int) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())
        for statement in (
            f"CREATE SCHEMA {SCHEMA}",
            f"SET search_path TO {SCHEMA}",
            "CREATE TABLE customers (customer_id int PRIMARY KEY, name text NOT NULL, city text, email text)",
            "INSERT INTO customers SELECT n, 'Acme Works ' || n, (ARRAY['Oslo','Rome','Bonn'])[1 + n % 3], "
            f"'post' || n || '@example.com' FROM generate_series(1, {number}) n",
            "CREATE TABLE orders (order_id int PRIMARY KEY, code text NOT NULL, "
            "customer_id int NOT NULL REFERENCES customers, amount numeric(10, 2), placed date)",
            "INSERT INTO orders SELECT n, 'SO-' || n, 1 + n % greatest(1, c - 1), n % 997, "
            "date '2024-01-01' + n % 700 "
            f"FROM (SELECT {number} AS c) AS of, generate_series(1, 2 * (c - 1)) n",
            "CREATE INDEX customers_name ON customers (name)",
            "CREATE INDEX orders_code ON orders (code)",
            "CREATE INDEX ON orders (customer_id)",
            "ANALYZE customers, orders",
        ):
            connection.execute(statement.encode())
        try:
            yield connection
        finally:
            connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE".encode())
