"""Workbooks and SQLite files as relations: rows of Python values, written as text for DuckDB to scan.

Owns: reading their cells, finding the table on a sheet, and the text of a value.

DuckDB's own readers of both are extensions that would have to be downloaded. What is read here goes into the
scratch folder as CSV with a mark for NULL, so that one path infers and loads everything.
"""

from __future__ import annotations

import csv
import datetime
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from askwire.core.errors import UnreadableFile
from askwire.files.formats.declared_keys import sqlite_keys
from askwire.files.formats.relation import Field, Relation, TextContent, literal, quoted
from askwire.files.formats.unstored_formulas import UnstoredFormulas, unstored_formulas

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_NULL: Final = "\ue000"
"""Stands for NULL in the scratch files: a sign for private use, so that '' stays ''."""

_TITLE_ROWS: Final = 30
_MOST_CELLS_MB: Final = 1_024
"""What the sheets of a workbook may unpack to."""


def sheet_relations(path: Path, scratch: Path, original: str, *, named: str) -> list[Relation]:
    """The tables of a workbook, one a sheet; empty sheets are none. Raises UnreadableFile."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError:
        raise UnreadableFile(
            "reading workbooks needs the library python-calamine",
            hint="Install it: pip install 'askwire[files]'.",
        ) from None
    _check_size(path, named)
    unstored = unstored_formulas(path)
    relations = []
    try:
        with CalamineWorkbook.from_path(str(path)) as workbook:
            names = workbook.sheet_names
            for number, name in enumerate(names):
                sheet = workbook.get_sheet_by_name(name)
                rows = sheet.to_python(skip_empty_area=True)
                table = original if len(names) == 1 else name
                tall = _tall_cells(sheet)
                relation = _sheet(rows, tall, scratch / f"sheet{number}.csv", table, name)
                if relation is not None:
                    relations.append(replace(relation, notes=(*relation.notes, *_unstored(name, unstored))))
    except (CalamineError, zipfile.BadZipFile) as error:
        locked = "password" in str(error).lower()
        raise UnreadableFile(
            f"{named!r} cannot be read as a workbook: {error}",
            hint="Save it without its password." if locked else "Open it and save it as .xlsx once more.",
        ) from None
    if len(relations) == 1:
        relations = [Relation(original, relations[0].scan, relations[0].fields, notes=relations[0].notes)]
    return relations


def _check_size(path: Path, named: str) -> None:
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > _MOST_CELLS_MB << 20:
        raise UnreadableFile(
            f"{named!r} unpacks to {size >> 20:,} MB, more than {_MOST_CELLS_MB:,}, and may be a zip bomb",
            hint="If you trust it, save its sheets as CSV.",
        )


def _tall_cells(sheet: CalamineSheet) -> list[tuple[int, int, int]]:
    """The merged cells of several rows: first row, last row and column, from 0 at the sheet's used area."""
    if sheet.start is None:
        return []
    top, left = sheet.start
    return [
        (first - top, last - top, column - left)
        for (first, column), (last, _) in sheet.merged_cell_ranges or ()
        if last > first
    ]


def _unstored(sheet: str, found: Mapping[str, UnstoredFormulas]) -> Iterator[str]:
    if sheet in found:
        count, first = found[sheet].count, found[sheet].first
        formulas = f"1 formula of sheet {sheet!r} has no value in the file and is NULL: {first}"
        if count > 1:
            formulas = (
                f"{count:,} formulas of sheet {sheet!r} have no value in the file and are NULL, first {first}"
            )
        yield f"{formulas}; open the workbook in a spreadsheet program and save it"


def _sheet(
    rows: list[list[Any]], tall: Sequence[tuple[int, int, int]], out: Path, table: str, sheet: str
) -> Relation | None:
    places = [n for n, row in enumerate(rows[:_TITLE_ROWS]) if any(cell not in ("", None) for cell in row)]
    if not places:
        return None
    first = [rows[n] for n in places]
    filled = [sum(cell not in ("", None) for cell in row) for row in first]
    # Titles fill few cells; the header is the first row that fills most of what a row can have.
    start = next(n for n, cells in enumerate(filled) if cells >= max(1, 0.6 * max(filled)))
    head = first[start]
    header = all(isinstance(cell, str) or _is_year(cell) for cell in head) and len(first) > start
    body = places[start] + header
    copied = _fill_down(rows, tall, body)
    names = [_text(cell) if header and cell not in ("", None) else "" for cell in head]
    width = _write(rows[body:], out)
    used = max(width, max((n for n, name in enumerate(names, 1) if name), default=0))
    names = [*names[:used], *[""] * (used - len(names))]
    notes = []
    if start:
        rows_above = "1 row" if start == 1 else f"{start} rows"
        notes.append(f"skipped {rows_above} above the header of sheet {sheet!r}")
    if not header:
        notes.append(f"sheet {sheet!r} has no header; columns are numbered")
    if copied:
        cells = f"{copied:,} merged cells of sheet {sheet!r} stand" if copied > 1 else ""
        cells = cells or f"1 merged cell of sheet {sheet!r} stands"
        notes.append(f"{cells} for several rows; each row has the value")
    return _written(out, table, names, [TextContent.ANYTHING] * used, notes)


def _fill_down(rows: list[list[Any]], tall: Sequence[tuple[int, int, int]], body: int) -> int:
    """Give every row that a merged cell of the body covers its value; returns how many were filled."""
    copied = 0
    for first, last, column in tall:
        if body <= first and last < len(rows) and rows[first][column] not in ("", None):
            for row in rows[first + 1 : last + 1]:
                row[column] = rows[first][column]
            copied += 1
    return copied


def _is_year(cell: object) -> bool:
    return isinstance(cell, int | float) and float(cell).is_integer() and 1900 <= cell < 2100


def sqlite_relations(path: Path, scratch: Path, original: str, *, named: str) -> list[Relation]:
    """The tables of an SQLite file, which is opened read-only and never written. Raises UnreadableFile."""
    # immutable: no journal or lock is made beside it, and none is looked at.
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    relations = []
    notes = []
    if path.with_name(path.name + "-wal").exists():
        notes.append("changes in its -wal file are not read; close the program that has it open")
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            texts = _Texts()
            connection.text_factory = texts
            connection.execute("PRAGMA trusted_schema = OFF")
            tables = connection.execute(
                "SELECT name FROM sqlite_schema "
                "WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^' ORDER BY name"
            ).fetchall()
            views = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"
            ).fetchall()
            if views:
                notes.append(f"views are not read: {', '.join(name for (name,) in views)}")
            keys = sqlite_keys(connection, [name for (name,) in tables])
            for number, (table,) in enumerate(tables):
                described = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
                rows = connection.execute(f"SELECT * FROM {quoted(table)}")
                out = scratch / f"table{number}.csv"
                _write(texts.watched(rows), out)
                spelled = [_declared(str(column[2])) for column in described]
                names = [str(column[1]) for column in described]
                written = _written(out, table, names, spelled, notes if not number else [])
                notes_here = (*written.notes, *texts.told())
                relations.append(replace(written, notes=notes_here, keys=keys[table]))
    except sqlite3.Error as error:
        raise UnreadableFile(
            f"{named!r} cannot be read as SQLite: {error}", hint="Check it: PRAGMA integrity_check."
        ) from None
    del original
    return relations


class _Texts:
    """Decodes the texts of an SQLite file; counts those of a table with bytes that are no UTF-8."""

    def __init__(self) -> None:
        self._broken = 0
        self._row = 0
        self._first = 0

    def __call__(self, content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError:
            self._broken += 1
            self._first = self._first or self._row
            return content.decode(errors="replace")

    def watched(self, rows: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
        """The rows of a table; the count begins again."""
        self._broken = self._first = 0
        self._row = 1  # SQLite decodes a row before it hands it over
        for row in rows:
            yield row
            self._row += 1

    def told(self) -> Iterator[str]:
        """A sentence on what was met since."""
        if self._broken:
            texts = "1 text has" if self._broken == 1 else f"{self._broken:,} texts have"
            yield (
                f"{texts} bytes that are no UTF-8, the first in row {self._first:,}; "
                "\N{REPLACEMENT CHARACTER} stands for them"
            )


def _declared(type_: str) -> TextContent:
    """What a column's declared type leaves open; SQLite holds any value anywhere, and has no dates."""
    folded = type_.upper()
    return (
        TextContent.DATES
        if any(word in folded for word in ("CHAR", "TEXT", "CLOB"))
        else TextContent.ANYTHING
    )


def _write(rows: Iterable[Sequence[object]], out: Path) -> int:
    """Write rows as CSV; returns the number of columns that hold anything."""
    used = 0
    with out.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for row in rows:
            texts = [_text(cell) for cell in row]
            if any(text != _NULL for text in texts):
                used = max(used, *(n for n, text in enumerate(texts, 1) if text != _NULL))
                writer.writerow(texts)
    return used


def _text(cell: object) -> str:
    """The text of a value as the inference reads it."""
    if cell is None or cell == "":
        return _NULL
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, bytes):
        return "\\x" + cell.hex()
    if isinstance(cell, datetime.datetime):
        midnight = cell.time() == datetime.time()
        return cell.date().isoformat() if midnight else cell.isoformat(" ")
    return str(cell)


def _written(
    out: Path, table: str, names: Sequence[str], spelled: Sequence[TextContent], notes: Sequence[str]
) -> Relation:
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(names)))
    scan = (
        f"read_csv({literal(str(out))}, auto_detect = false, columns = {{{columns}}}, delim = ',', "
        f"quote = '\"', escape = '\"', header = false, nullstr = {literal(_NULL)}, null_padding = true, "
        f"parallel = false, max_line_size = {64 << 20}, buffer_size = {64 << 20})"
    )
    named = [name or f"column {number}" for number, name in enumerate(names, 1)]
    fields = tuple(
        Field(name, f"c{n}", "VARCHAR", each)
        for n, (name, each) in enumerate(zip(named, spelled, strict=True))
    )
    return Relation(table, scan, fields, notes=tuple(notes), size=out.stat().st_size)
