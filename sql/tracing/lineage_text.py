"""The pieces of SQL that a lineage is put together from.

Owns: their text.
"""

from __future__ import annotations

from typing import Final

from askwire.sql.tracing.identity import MEMBER_SQL, RECORD_SQL

MAX_WITNESSES: Final = 8
"""Rows of a sublink that a lineage lists."""


def joined(tokens: list[str]) -> str:
    """The tokens of one joined row."""
    return f"pg_catalog.concat_ws({RECORD_SQL}, {', '.join(tokens)})"


def some(lineage: str, most: int) -> str:
    """Some members of a group."""
    return f"pg_catalog.array_to_string((pg_catalog.array_agg({lineage}))[1:{most}], {MEMBER_SQL})"


def some_of(rows: str) -> str:
    """Some rows of a query whose one column, `l`, is a lineage."""
    return (
        f"(SELECT pg_catalog.string_agg(l, {RECORD_SQL}) FROM (SELECT l FROM ({rows}) AS _aw_r"
        f" LIMIT {MAX_WITNESSES}) AS _aw_s)"
    )


def cells(columns: int) -> tuple[str, str]:
    """Names for so many columns, and their positions."""
    return (
        ", ".join(f"c{i}" for i in range(1, columns + 1)),
        ", ".join(str(i) for i in range(1, columns + 1)),
    )
