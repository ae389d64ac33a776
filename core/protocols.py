"""The seams: what a stage may ask of the outside world, without knowing who answers.

`Executor` is the asker's own backend connection (in tests, any PostgreSQL connection); `Clock` makes time a
parameter.

"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from askwire.core.types import Cell, Plan, ResultSet


class Clock(Protocol):
    """Time as a parameter: seconds, monotonic, from an arbitrary origin."""

    def monotonic(self) -> float:
        """Seconds that never go backwards."""


class Batch(Protocol):
    """One read-only (sub)transaction on the asker's connection; rolled back when it is left.

    Every method raises `core.errors.DatabaseFailed` with the backend's SQLSTATE when the statement fails;
    the batch stays usable afterwards. `core.errors.AskCanceled` and `core.errors.BudgetSpent` end it.
    """

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        """Run one statement of askwire's own; 0 means no row cap and the batch's default time-out.

        `sql` is written by askwire: identifiers quoted, values only as `$n` parameters (text format; cast
        them in the SQL, `$1::text[]` with `sql.literals.array_text` for lists).
        """

    async def run(self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0) -> ResultSet:
        """Run one machine-written statement: gated (again), capped in rows, bytes and time.

        Raises `core.errors.RefusedByGate` before anything reaches the backend.
        """

    async def explain(self, sql: str) -> Plan:
        """Plan one machine-written statement without running it; gated as `run` is."""


class Executor(Protocol):
    """The asker's backend connection as the pipeline sees it."""

    def batch(self) -> AbstractAsyncContextManager[Batch]:
        """Open a short read-only batch. Never keep one open while an engine or a model thinks."""
