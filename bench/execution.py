"""Running SQL for scoring, and when two results are the same.

Owns: read-only execution under a time-out, and the normal form of results. Results are multisets of rows;
numbers are rounded to 4 decimals, booleans count as 0 and 1, all else is compared as text; the order of rows
counts only where a question asks for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg import sql

Cell = float | int | str | None
Rows = list[tuple[Cell, ...]]


class StatementFailed(Exception):
    """A statement that gave no result: an error of the server, a time-out, or no rows by nature."""


class Runner:
    """Runs statements in one schema of one database; a context manager.

    `without` names a setting of the planner to do without, as 'enable_hashagg'.
    """

    def __init__(self, dsn: str, schema: str, *, timeout: float, without: str = "") -> None:
        options = f"-c statement_timeout={round(timeout * 1000)} -c default_transaction_read_only=on"
        if without:
            options += f" -c {without}=off"
        # The plan of a whole result, as without a cursor: ties must not fall another way here.
        self._connection = psycopg.connect(
            dsn, autocommit=True, prepare_threshold=None, options=f"{options} -c cursor_tuple_fraction=1"
        )
        self._connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def run(self, text: str, *, cap: int | None = None) -> Rows:
        """The rows of one query in normal form, at most `cap` of them; raises StatementFailed.

        A cursor keeps a runaway result on the server, and refuses what is no single query.
        """
        try:
            with (
                self._connection.transaction(force_rollback=True),
                self._connection.cursor(name="scored") as cursor,
            ):
                cursor.execute(text.encode())
                rows = cursor.fetchall() if cap is None else cursor.fetchmany(cap)
        except psycopg.Error as error:
            raise StatementFailed(str(error).strip().partition("\n")[0]) from None
        return [tuple(map(normal, row)) for row in rows]


def normal(value: Any) -> Cell:
    """One cell in normal form: Decimal('1.00004') → 1.0, True → 1, a date → its text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | Decimal):
        # Adding 0.0 makes one of the two zeros; NaN is made text because it does not equal itself.
        number = round(float(value), 4) + 0.0
        return "NaN" if math.isnan(number) else number
    return str(value)


def comparable(rows: Rows, *, ordered: bool) -> Hashable:
    """Something that is equal for equal results."""
    return tuple(rows) if ordered else frozenset(Counter(rows).items())
