"""Rows by table, and the few facts that all makers of rows share.

Owns: `Shop` and the end of the sample's time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

Value = str | int | bool | date | None
Row = tuple[Value, ...]

LAST_DAY = date(2025, 12, 30)
"""The day the data was taken: nothing is known to have happened later."""


@dataclass
class Shop:
    """All rows by table; tables in the order in which they first got a row."""

    tables: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, table: str, *row: Value) -> None:
        """Append one row, its values in the order of the table's columns."""
        self.tables.setdefault(table, []).append(row)


def money(cents: int) -> str:
    """Cents as PostgreSQL reads a numeric: 1250 → '12.50'."""
    return f"{cents // 100}.{cents % 100:02d}"
