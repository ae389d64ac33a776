"""Processor time per query that a proxy adds: pgbench's SELECT-only transactions, askwire beside PgBouncer.

Each round runs both, one after the other, in each of pgbench's query modes; ratios are taken within a round
and the median of the rounds is reported: other load of the machine then meets both alike.

Owns: running pgbench and the arithmetic.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from askwire.bench.failure import BenchFailure
from askwire.bench.performance.processes import cpu_seconds, program

MODES: Final = ("simple", "extended", "prepared")
_CLIENTS: Final = 16
_SCALE: Final = 10
_POSTGRES: Final = ("/usr/lib/postgresql/18/bin", "/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin")
_TRANSACTIONS: Final = re.compile(r"number of transactions actually processed: (\d+)")


def prepare(dsn: str) -> None:
    """Make pgbench's tables in the database, unless they are there."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        made = connection.execute("SELECT to_regclass('pgbench_accounts') IS NOT NULL").fetchone()
    if made != (True,):
        _pgbench(dsn, "-i", "-q", "-s", str(_SCALE))


def measure(
    ours: tuple[str, int], theirs: tuple[str, int], rounds: int, seconds: int, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Microseconds per query and their ratio for each mode; `ours` and `theirs` are conninfo and process."""
    figures: dict[str, Any] = {}
    for mode in MODES:
        pairs = []
        for number in range(rounds):
            turns = (ours, theirs) if number % 2 else (theirs, ours)
            costs = {turn: _per_query(*turn, mode, seconds) for turn in turns}
            pairs.append((costs[ours], costs[theirs]))
            tell(f"{mode}: askwire {costs[ours]:.1f} µs, PgBouncer {costs[theirs]:.1f} µs")
        figures[mode] = {
            "askwire_us": round(statistics.median(a for a, _ in pairs), 1),
            "pgbouncer_us": round(statistics.median(b for _, b in pairs), 1),
            "ratio": round(statistics.median(a / b for a, b in pairs), 3),
        }
    return figures


def _per_query(conninfo: str, pid: int, mode: str, seconds: int) -> float:
    """The steady cost: that of sessions which begin and do next to nothing is taken off."""
    begun, few = _run(conninfo, pid, mode, "-t", "1")
    whole, many = _run(conninfo, pid, mode, "-T", str(seconds))
    return (whole - begun) * 1e6 / (many - few)


def _run(conninfo: str, pid: int, mode: str, *length: str) -> tuple[float, int]:
    """Processor seconds of one run, and its transactions."""
    before = cpu_seconds(pid)
    told = _pgbench(conninfo, "-n", "-S", "-c", str(_CLIENTS), "-j", "2", *length, "-M", mode)
    found = _TRANSACTIONS.search(told)
    if found is None or not int(found[1]):
        raise BenchFailure("pgbench ran no transactions")
    return cpu_seconds(pid) - before, int(found[1])


def _pgbench(conninfo: str, *options: str) -> str:
    given = conninfo_to_dict(conninfo)
    names = {"host": "-h", "port": "-p", "user": "-U"}
    where: Sequence[str] = [w for n, o in names.items() if given.get(n) for w in (o, str(given[n]))]
    command = [program("pgbench", *_POSTGRES), *where, *options, str(given.get("dbname", "postgres"))]
    tls = {"PGSSLMODE": str(given["sslmode"])} if given.get("sslmode") else {}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **tls})
    if done.returncode:
        raise BenchFailure(f"pgbench failed: {done.stderr.strip()}")
    return done.stdout
