"""Formulas of a workbook (.xlsx) whose values it does not hold: to a reader they are empty cells.

Owns: counting them. Programs that write workbooks without computing them leave the values out; a spreadsheet
program stores them when it saves the file. Other kinds of workbooks always hold the values.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final
from xml.parsers import expat

_BOOK: Final = "xl/workbook.xml"
_RELATIONS: Final = "xl/_rels/workbook.xml.rels"
_CHUNK_BYTES: Final = 1 << 20
_FORMULA: Final = (b"<f>", b"<f ", b":f>", b":f ")


@dataclass(frozen=True, slots=True)
class UnstoredFormulas:
    """How many formulas of a sheet have no value, and the first of them, such as B2."""

    count: int
    first: str


def unstored_formulas(path: Path) -> dict[str, UnstoredFormulas]:
    """The sheets with such formulas, by name; none where the file is no .xlsx or cannot be read as one."""
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for sheet, part in _sheets(archive):
                with archive.open(part) as content:
                    has_formulas = _has_formulas(content)
                if has_formulas:
                    with archive.open(part) as content:
                        places = _Places()
                        places.read(content)
                    if places.count:
                        found[sheet] = UnstoredFormulas(places.count, places.first)
    except (zipfile.BadZipFile, KeyError, expat.ExpatError, NotImplementedError):
        return {}  # the reader of the cells says what is wrong with the file
    return found


def _sheets(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """The name of each sheet, and its part of the archive."""
    targets: dict[str, str] = {}
    sheets: list[tuple[str, str]] = []

    def relation(name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            place = posixpath.join("/xl", attributes.get("Target", ""))
            targets[attributes.get("Id", "")] = posixpath.normpath(place).lstrip("/")

    def sheet(name: str, attributes: Mapping[str, str]) -> None:
        # The attribute with the relation's Id has a namespace, whose prefix is up to the writer.
        ids = [value for key, value in attributes.items() if key.endswith(":id")]
        if name == "sheet" and ids and ids[0] in targets:
            sheets.append((attributes.get("name", ""), targets[ids[0]]))

    for part, begun in ((_RELATIONS, relation), (_BOOK, sheet)):
        parser = _parser(begun)
        parser.Parse(archive.read(part), True)
    return sheets


def _has_formulas(content: IO[bytes]) -> bool:
    before = b""
    while piece := content.read(_CHUNK_BYTES):
        searched = before + piece
        if any(sign in searched for sign in _FORMULA):
            return True
        before = piece[-2:]
    return False


class _Places:
    """Counts the cells of a sheet that have a formula and no value."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""
        self._cell = ""
        self._formula = self._value = self._inside_value = False

    def read(self, content: IO[bytes]) -> None:
        """Read a sheet. Raises expat.ExpatError."""
        parser = _parser(self._begin)
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.ParseFile(content)

    def _begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._cell = attributes.get("r", "")
            self._formula = self._value = False
        self._formula = self._formula or name == "f"
        self._inside_value = name == "v"

    def _text(self, text: str) -> None:
        self._value = self._value or (self._inside_value and bool(text))

    def _end(self, name: str) -> None:
        self._inside_value = False
        if name.rpartition(":")[2] == "c" and self._formula and not self._value:
            self.count += 1
            self.first = self.first or self._cell


def _parser(begun: Callable[[str, Mapping[str, str]], None]) -> expat.XMLParserType:
    """A parser that calls `begun` with each element, without its prefix. Workbooks declare no entities."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise expat.ExpatError("entities are declared")

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: begun(name.rpartition(":")[2], attributes)
    return parser
