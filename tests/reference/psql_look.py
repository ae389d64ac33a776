"""Rows, notices and errors as psql shows them, in 100 columns.

Owns: their layout. Longer lines go on in the next one, indented; wider tables are shown expanded.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import psycopg
from psycopg.errors import Diagnostic

from reference.wrapping import COLUMNS


def notice_lines(notice: Diagnostic) -> Iterator[str]:
    """A NOTICE or WARNING with its DETAIL and HINT."""
    yield from _folded(f"{notice.severity}:  {notice.message_primary}")
    yield from _more(notice)


def error_lines(error: psycopg.Error) -> Iterator[str]:
    """An error with its SQLSTATE, as psql shows it with VERBOSITY verbose."""
    yield from _folded(f"ERROR:  {error.sqlstate}: {error.diag.message_primary}")
    yield from _more(error.diag)


def _more(diagnostic: Diagnostic) -> Iterator[str]:
    for label, text in (("DETAIL", diagnostic.message_detail), ("HINT", diagnostic.message_hint)):
        if text:
            for line in f"{label}:  {text}".splitlines():
                yield from _folded(line)


def _folded(line: str, indent: str = "    ") -> list[str]:
    if len(line) <= COLUMNS:
        return [line]
    return textwrap.wrap(
        line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def table(names: Sequence[str], rows: Sequence[Sequence[Any]], most: int = 24) -> Iterator[str]:
    """Rows in columns; a cell of several lines takes several. Numbers stand at the right."""
    cells = [["" if value is None else _text(value) for value in row] for row in rows]
    widths = [
        max([len(name), *(len(line) for row in cells for line in row[n].splitlines())])
        for n, name in enumerate(names)
    ]
    if sum(widths) + 3 * len(widths) > COLUMNS:
        yield from _expanded(names, cells)
        return
    right = [any(isinstance(row[n], int | float | Decimal) for row in rows) for n in range(len(names))]
    yield _row([name.center(width) for name, width in zip(names, widths, strict=True)])
    yield "-" + "-+-".join("-" * width for width in widths) + "-"
    for row in cells[:most]:
        split = [cell.splitlines() or [""] for cell in row]
        for n in range(max(map(len, split))):
            shown = [lines[n] if n < len(lines) else "" for lines in split]
            aligned = zip(shown, widths, right, strict=True)
            yield _row([text.rjust(width) if end else text.ljust(width) for text, width, end in aligned])
    if len(cells) > most:
        yield "…"
    yield f"({len(cells)} row{'' if len(cells) == 1 else 's'})"


def _row(cells: Sequence[str]) -> str:
    return (" " + " | ".join(cells)).rstrip()


def _text(value: object) -> str:
    return {True: "t", False: "f"}[value] if isinstance(value, bool) else str(value)


def _expanded(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    width = max(map(len, names))
    for number, row in enumerate(rows, 1):
        yield f"-[ RECORD {number} ]-{'-' * width}"
        for name, cell in zip(names, row, strict=True):
            lines = [part for line in cell.splitlines() or [""] for part in _folded(line, "  ")]
            for n, line in enumerate(lines):
                yield f"{'' if n else name:{width}} | {line}".rstrip()
