"""A large CSV file, made here, loaded three ways in turn: by askwire, by psql, and by DuckDB alone.

Owns: the file, the turns and the arithmetic. Each way runs in a process of its own, so that its memory is its
own; psql gets the table made with the right types, which the others have to find out.
"""

from __future__ import annotations

import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psycopg

from askwire.bench.failure import BenchFailure

_SCHEMA: Final = "askwire_bench_files"
_COLUMNS: Final = (
    "order_id integer, customer_id integer, ordered_at date, amount numeric, status text, customer text, "
    "note text, quantity integer, gift boolean"
)
_HEADER: Final = (
    "Order ID",
    "Customer ID",
    "Ordered at",
    "Amount",
    "Status",
    "Customer",
    "Note",
    "Quantity",
    "Gift",
)


def measure(dsn: str, rows: int, rounds: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Load `rows` rows `rounds` times each way; figures are medians.

    Needs psql on the path and the right to make a schema in the database, which is dropped at the end.
    Raises BenchFailure when a way fails.
    """
    ways: dict[str, Callable[[Path, Path], tuple[float, float]]] = {
        "askwire": lambda path, folder: _program("load", dsn, path, folder),
        "copy": lambda path, _folder: _copy(dsn, path),
        "duckdb": lambda path, folder: _program("duckdb", dsn, path, folder),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    memory: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "orders.csv")
        tell(f"making {rows:,} rows")
        _make(path, rows)
        for number in range(rounds):
            for way, run in ways.items():
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    _clean(dsn)
                    took, peak = run(path, Path(folder))
                seconds[way].append(took)
                memory[way] = max(peak, memory.get(way, 0.0))
                tell(f"round {number + 1}, {way}: {took:.1f} s, {rows / took:,.0f} rows/s")
        size = path.stat().st_size
    _clean(dsn)
    middle = {way: statistics.median(took) for way, took in seconds.items()}
    return {
        "rows": rows,
        "bytes": size,
        "rows_per_second": {way: round(rows / took) for way, took in middle.items()},
        "of_copy": round(middle["copy"] / middle["askwire"], 3),
        "peak_mb": {way: round(memory[way]) for way in ("askwire", "duckdb")},
    }


def _make(path: Path, rows: int) -> None:
    """Orders with integers, dates, amounts, words and commas; the same for each call."""
    draw = random.Random(7)  # noqa: S311 - rows to load, not secrets
    states = ("open", "paid", "shipped", "cancelled")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_HEADER)
        for number in range(rows):
            drawn = draw.getrandbits(60)
            writer.writerow(
                (
                    *(number, drawn % 100_000),
                    f"20{10 + drawn % 15}-{1 + drawn % 12:02}-{1 + drawn % 28:02}",
                    f"{drawn % 999_983 / 100:.2f}",
                    *(states[drawn % 4], f"Customer name {drawn % 50_000}"),
                    "" if drawn % 7 == 0 else f"note, with a comma {number}",
                    *(drawn % 100, "true" if drawn % 2 else "false"),
                )
            )


def _clean(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {_SCHEMA} CASCADE".encode())
        connection.execute(f"CREATE SCHEMA {_SCHEMA}".encode())
        with suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute("CHECKPOINT")


def _copy(dsn: str, path: Path) -> tuple[float, float]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {_SCHEMA}.orders ({_COLUMNS})".encode())
    began = time.monotonic()
    command = f"\\copy {_SCHEMA}.orders FROM '{path}' (FORMAT csv, HEADER)"
    _run(["psql", "-X", "-q", "-d", dsn, "-c", command])
    return time.monotonic() - began, 0.0


def _program(way: str, dsn: str, path: Path, folder: Path) -> tuple[float, float]:
    said = _run([sys.executable, "-m", "askwire.bench.files.ways", way, dsn, _SCHEMA, str(path), str(folder)])
    figures = json.loads(said.splitlines()[-1])
    return float(figures["seconds"]), float(figures["peak_mb"])


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchFailure(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout
