"""Workbooks and SQLite files as relations: rows of Python values, written as text for DuckDB to scan.

Owns: reading their cells, finding the table on a sheet, and the text of a value. Must not know: types.

DuckDB's own readers of both are extensions that would have to be downloaded. What is read here goes into the
scratch folder as CSV with a mark for NULL, so that one path infers and loads everything.
"""

from __future__ import annotations

import csv
import datetime
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Final
from urllib.parse import quote

from askwire.core.errors import UnreadableFile
from askwire.files.relation import Field, Relation, TextContent, literal, quoted

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
    relations = []
    try:
        with CalamineWorkbook.from_path(str(path)) as workbook:
            names = workbook.sheet_names
            for number, name in enumerate(names):
                sheet = workbook.get_sheet_by_name(name)
                rows = iter(sheet.to_python(skip_empty_area=True))
                table = original if len(names) == 1 else name
                relation = _sheet(rows, scratch / f"sheet{number}.csv", table, name)
                if relation is not None:
                    relations.append(relation)
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


def _sheet(rows: Iterator[Sequence[object]], out: Path, table: str, sheet: str) -> Relation | None:
    first = [row for row in islice(rows, _TITLE_ROWS) if any(cell not in ("", None) for cell in row)]
    if not first:
        return None
    filled = [sum(cell not in ("", None) for cell in row) for row in first]
    # Titles fill few cells; the header is the first row that fills most of what a row can have.
    start = next(n for n, cells in enumerate(filled) if cells >= max(1, 0.6 * max(filled)))
    head = first[start]
    header = all(isinstance(cell, str) or _is_year(cell) for cell in head) and len(first) > start
    body = chain(first[start + header :], rows)
    names = [_text(cell) if header and cell not in ("", None) else "" for cell in head]
    width = _write(body, out)
    used = max(width, max((n for n, name in enumerate(names, 1) if name), default=0))
    names = [*names[:used], *[""] * (used - len(names))]
    notes = []
    if start:
        rows_above = "1 row" if start == 1 else f"{start} rows"
        notes.append(f"skipped {rows_above} above the header of sheet {sheet!r}")
    if not header:
        notes.append(f"sheet {sheet!r} has no header; columns are numbered")
    return _written(out, table, names, [TextContent.ANYTHING] * used, notes)


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
            connection.text_factory = lambda content: content.decode("utf-8", "replace")
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
            for number, (table,) in enumerate(tables):
                described = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
                rows = connection.execute(f"SELECT * FROM {quoted(table)}")
                out = scratch / f"table{number}.csv"
                _write(rows, out)
                spelled = [_declared(str(column[2])) for column in described]
                names = [str(column[1]) for column in described]
                relations.append(_written(out, table, names, spelled, notes if not number else []))
    except sqlite3.Error as error:
        raise UnreadableFile(
            f"{named!r} cannot be read as SQLite: {error}", hint="Check it: PRAGMA integrity_check."
        ) from None
    del original
    return relations


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
