"""What the user sees while files are loaded: a bar on a terminal, and lines on what came of each file.

Owns: their words.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import IO, Final

from askwire.files.data_set import KeptTable, LoadedFile, Report
from askwire.files.loading import LoadedTable

_BAR_WIDTH: Final = 24
_REDRAW_SECONDS: Final = 0.1
MOST_NOTES: Final = 8
"""Sentences about one table that are shown."""


class Bar:
    """One line that is written again and again; nothing at all where `stream` is no terminal."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._shown = stream.isatty()
        self._last = 0.0
        self._began = time.monotonic()
        self._table = ""

    def __call__(self, table: str, done: int, total: int) -> None:
        """Show how far a table is, in bytes."""
        now = time.monotonic()
        if table != self._table:
            self._table, self._began = table, now
        elif now - self._last < _REDRAW_SECONDS:
            return
        if self._shown:
            self._last = now
            self._write(_bar(table, done, total, now - self._began))

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and self._last:
            self._write("")
            self._last = 0.0

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns
        self._stream.write(f"\r\x1b[K{text[: width - 1]}")
        self._stream.flush()


def _bar(table: str, done: int, total: int, seconds: float) -> str:
    if not done:
        return f"{table}: looking at all rows to tell the types …"
    # COPY's text and the file's differ a little in size: it is full only when it is over.
    share = min(done / total, 0.99) if total else 0.0
    filled = int(share * _BAR_WIDTH)
    speed = f", {done / seconds / 1e6:.0f} MB/s" if seconds > 1 else ""
    return f"{table}: [{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {share:4.0%}, {done / 1e6:,.1f} MB{speed}"


def told(report: Report, *, fresh_only: bool = False) -> Iterator[str]:
    """Lines on every file of a report, or on what was read now and what failed."""
    for one in report.loaded:
        if one.fresh or not fresh_only:
            yield from _file(one)
    for sentence in report.failed:
        yield f"not loaded: {sentence}"
    if fresh_only:
        return
    for sentence in report.passed_over[:MOST_NOTES]:
        yield f"passed over: {sentence}"
    if len(report.passed_over) > MOST_NOTES:
        yield f"passed over: {len(report.passed_over) - MOST_NOTES:,} more files"
    for table in report.kept[:MOST_NOTES]:
        yield f"{_called(table)}: still there from an earlier load of {table.path}"
    if len(report.kept) > MOST_NOTES:
        yield f"still there from earlier loads: {len(report.kept) - MOST_NOTES:,} more tables"


def _file(one: LoadedFile) -> Iterator[str]:
    if not one.fresh:
        names = ", ".join(table.name for table in one.tables)
        yield f"{one.path}: unchanged, not read again ({names})"
        return
    for table in one.tables:
        columns = f", {counted(table.columns, 'column')}" if table.columns else ""
        yield f"{_called(table)}: {counted(table.rows, 'row')}{columns}, from {one.path}"
        yield from _notes(table.notes)
    yield from _notes(one.notes)
    if one.unread:
        first = next(reject for table in one.tables for reject in table.rejects)
        at = f"line {first.line:,}: " if first.line else ""
        yield f"    {counted(one.unread, 'line')} could not be read; the first: {at}{first.problem}"
        yield f"    all of them are in {one.rejects}"


def _called(table: LoadedTable | KeptTable) -> str:
    return table.name if table.schema == "public" else f"{table.schema}.{table.name}"


def counted(count: int, noun: str) -> str:
    """A number and its noun: 1 row, 2,000 rows."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _notes(notes: tuple[str, ...]) -> Iterator[str]:
    for note in notes[:MOST_NOTES]:
        yield f"    {note}"
    if len(notes) > MOST_NOTES:
        yield f"    and {len(notes) - MOST_NOTES:,} more of this kind"
