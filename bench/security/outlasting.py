"""Which calls of PostgreSQL's own functions hear no time-out, because nothing inside them looks at the clock.

    python -m askwire.bench.security.outlasting DSN [NAME …]

Each case of `outlasting.jsonl` makes operands of growing size first, without a time-out, and calls then under
one. A call that ends at the time-out whatever the size is heard; one that goes on outlasts it, and the gate
must bound what it is given (`sql/safety/growth/gathering.py`). The server is kept busy for some seconds per
case: give it one of its own. Owns: measuring.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

TIMEOUT_MS: Final = 500
LATE_SECONDS: Final = 1.5
"""Seconds after which a call has outlasted its time-out."""
_MAX_CHARACTERS: Final = 16_000_000
"""Characters up to which a function that reads its operand once ends in time."""
_MAX_ROWS: Final = 1_000_000
_TIMED_OUT_IN_A_ROW: Final = 3
"""So many sizes in a row, each four times the one before, that end at the time-out."""


@dataclass(frozen=True, slots=True)
class CallTime:
    """One case: the largest size tried, how long the call took there, and how it ended."""

    name: str
    size: int
    seconds: float
    ended: str

    @property
    def outlasts(self) -> bool:
        """Whether it went on where it should have ended."""
        return self.seconds > LATE_SECONDS


def measure(dsn: str, names: Sequence[str] = ()) -> Iterator[CallTime]:
    """Every case whose name begins with one of `names` (all of them without any)."""
    lines = Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines()
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as connection:
        for case in map(json.loads, lines):
            if not names or case["name"].startswith(tuple(names)):
                yield _measured(connection, case)


def _measured(connection: psycopg.Connection, case: dict[str, str]) -> CallTime:
    operands = [(name, case[name]) for name in ("a", "b") if name in case]
    counted = any("generate_series" in sql for _, sql in operands)
    most = int(case.get("most") or (_MAX_ROWS if counted else _MAX_CHARACTERS))
    size, heard = min(1000, most), 0
    while True:
        seconds, ended = _call(connection, case["call"], operands, size)
        heard = heard + 1 if ended == "57014" else 0
        if (
            seconds > LATE_SECONDS
            or heard == _TIMED_OUT_IN_A_ROW
            or size == most
            or (ended and ended != "57014")
        ):
            return CallTime(case["name"], size, seconds, ended)
        size = min(size * 4, most)


def _call(
    connection: psycopg.Connection, call: str, operands: Sequence[tuple[str, str]], size: int
) -> tuple[float, str]:
    connection.execute("SET statement_timeout = '60s'")
    connection.execute("DROP TABLE IF EXISTS pg_temp.operands")
    columns = ", ".join(f"{sql.format(n=size)} AS {name}" for name, sql in operands)
    try:
        connection.execute(f"CREATE TEMP TABLE operands AS SELECT {columns}".encode())
    except psycopg.Error as error:
        return 0.0, f"{error.sqlstate} while the operands are made"
    connection.execute(f"SET statement_timeout = {TIMEOUT_MS}".encode())
    began, ended = time.monotonic(), ""
    try:
        connection.execute(f"SELECT {call.format(n=size)} FROM operands".encode())
    except psycopg.Error as error:
        ended = error.sqlstate or str(error)
    return time.monotonic() - began, ended


def main(arguments: Sequence[str]) -> None:
    """Print one line per case, those that outlast marked."""
    for found in measure(arguments[0], arguments[1:]):
        mark = "OUTLASTS" if found.outlasts else "heard" if found.ended == "57014" else "ends"
        took = f"{found.seconds:6.2f} s  n = {found.size:<9}"
        sys.stdout.write(f"{mark:8} {took} {found.name}  {found.ended}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
