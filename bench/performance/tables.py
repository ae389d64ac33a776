"""`./ask bench scale --tables`: what a first ASK and the next ones cost in front of more and more tables.

The tables lie in a schema of their own, ten columns each, and are dropped again. Owns: these figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any, Final

import psycopg

from askwire.bench.performance.memory import settled
from askwire.bench.performance.processes import cpu_seconds
from askwire.bench.proxy_process import ProxyProcess

SCHEMA: Final = "askwire_bench_tables"
_TABLES_PER_TRANSACTION: Final = 500
"""Tables made in one transaction: each takes locks until its end."""
_REPEATED_ASKS: Final = 5
_NEW_SESSIONS: Final = 3


def measure(dsn: str, tables: Sequence[int], tell: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """For each number of tables: the first ASK of a process, of a session, and the next ones."""
    found = []
    for number in tables:
        with (
            _made(dsn, number),
            ProxyProcess(dsn, {"store": "memory", "history": "off", "timeout": "0"}) as proxy,
        ):
            before = settled(proxy.pid)
            with _session(proxy) as connection:
                first = _ask(proxy, connection, number, 0)
                again = [_ask(proxy, connection, number, n) for n in range(1, _REPEATED_ASKS + 1)]
            others = []
            for n in range(_NEW_SESSIONS):
                with _session(proxy) as connection:
                    others.append(_ask(proxy, connection, number, _REPEATED_ASKS + 1 + n))
            found.append(
                {
                    "tables": number,
                    "first_ask_ms": round(first[0] * 1000),
                    "first_ask_cpu_ms": round(first[1] * 1000),
                    "first_of_a_session_ms": round(median(took for took, _ in others) * 1000),
                    "next_ask_ms": round(median(took for took, _ in again) * 1000),
                    "next_ask_cpu_ms": round(median(cpu for _, cpu in again) * 1000),
                    "memory_mb": round((settled(proxy.pid) - before) / 1e6, 1),
                }
            )
            tell(found[-1])
    return found


@contextmanager
def _session(proxy: ProxyProcess) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(proxy.conninfo, autocommit=True, prepare_threshold=None) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}".encode())
        yield connection


def _ask(
    proxy: ProxyProcess, connection: psycopg.Connection[Any], number: int, turn: int
) -> tuple[float, float]:
    """Seconds and processor seconds of a question that was not asked before."""
    spent, began = cpu_seconds(proxy.pid), time.monotonic()
    wanted = turn * 7 % number
    connection.execute(f"ASK 'how many customer orders {wanted} have a quantity above {turn}'".encode())
    return time.monotonic() - began, cpu_seconds(proxy.pid) - spent


@contextmanager
def _made(dsn: str, number: int) -> Iterator[None]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        _drop(connection)
        connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
        for since in range(0, number, _TABLES_PER_TRANSACTION):
            made = (
                f"CREATE TABLE {SCHEMA}.customer_orders_{n} (id int PRIMARY KEY, name text, city text, "
                f"amount numeric, placed date, customer_id int, status_{n} text, note text, quantity int, "
                "price numeric)"
                for n in range(since, min(since + _TABLES_PER_TRANSACTION, number))
            )
            connection.execute("; ".join(made).encode())
        try:
            yield
        finally:
            _drop(connection)


def _drop(connection: psycopg.Connection[Any]) -> None:
    """Drop the tables some at a time: locks of all of them do not fit a server's default."""
    names = connection.execute(
        "SELECT format('%%I.%%I', n.nspname, c.relname) FROM pg_class AS c "
        "JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r'",
        (SCHEMA,),
    ).fetchall()
    for since in range(0, len(names), _TABLES_PER_TRANSACTION):
        listed = ", ".join(name for (name,) in names[since : since + _TABLES_PER_TRANSACTION])
        connection.execute(f"DROP TABLE {listed}".encode())
    connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE".encode())
