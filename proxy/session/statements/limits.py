"""What bounds statements of askwire's own: its caps, and the timers that the session already has.

Owns: these values, and the statement that reads the session's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askwire.core.settings.parsing import parse_duration
from askwire.core.types import Row

READ_ENTRY: Final = (
    "SELECT pg_catalog.current_setting('transaction_read_only'), "
    "pg_catalog.current_setting('statement_timeout'), "
    "pg_catalog.current_setting('idle_in_transaction_session_timeout'), "
    "pg_catalog.current_setting('idle_session_timeout', true), "
    "pg_catalog.current_setting('transaction_timeout', true), "
    "pg_catalog.date_part('epoch', "
    "pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) pg_catalog.transaction_timestamp())"
)
"""One row, for `read_entry`."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What one statement of ours may cost: milliseconds, rows and bytes (0: no cap).

    `longest_ms` bounds what a single statement may ask for beyond `timeout_ms`; `max_cost` is what the plan
    of a machine-written statement may cost, in the planner's units.
    """

    timeout_ms: int
    longest_ms: int
    lock_timeout_ms: int
    max_rows: int
    max_bytes: int
    max_cost: float = 0

    @property
    def commands(self) -> tuple[str, ...]:
        """What puts them in force for the (sub)transaction that is open."""
        return (
            f"SET LOCAL statement_timeout = {self.timeout_ms}",
            f"SET LOCAL lock_timeout = {self.lock_timeout_ms}",
            # a probe keeps to one process: its caps hold for each, and workers belong to the whole server
            "SET LOCAL max_parallel_workers_per_gather = 0",
            # what is compiled for a statement on the catalogs takes longer than to run it: 11 s of 0.2
            "SET LOCAL jit = off",
        )

    def timeout(self, wanted_ms: int) -> int:
        """The time-out of one statement, in milliseconds, that asks for `wanted_ms` (0: the usual)."""
        timeout = wanted_ms or self.timeout_ms
        return min(timeout, self.longest_ms) if self.longest_ms else timeout

    def rows(self, wanted: int) -> int:
        """How many rows one statement may return that asks for `wanted` (0: the usual)."""
        return min(wanted, self.max_rows) if wanted and self.max_rows else wanted or self.max_rows


@dataclass(frozen=True, slots=True)
class Entry:
    """What the session said before a batch changed it: its mode, and the timers that run on.

    `statement_timeout` and `idle_timeout` (the one that applies: of a transaction in a block, else of a
    session) are PostgreSQL's text, '0' for none; `transaction_left_ms` is what a block may still last, None
    without a limit. Outside a block `read_only` tells of askwire's own transaction and is always true.
    """

    read_only: bool = True
    statement_timeout: str = "0"
    idle_timeout: str = "0"
    transaction_left_ms: int | None = None


def read_entry(row: Row, *, in_block: bool) -> Entry:
    """Read the answer to `READ_ENTRY`; the last timers do not exist on older servers."""
    read_only, statement, idle_in_transaction, idle_session, transaction, age = row
    whole = parse_duration(transaction or "0") if in_block else 0
    return Entry(
        read_only == "on",
        statement or "0",
        (idle_in_transaction if in_block else idle_session) or "0",
        max(1, whole - round(float(age or 0) * 1000)) if whole else None,
    )
