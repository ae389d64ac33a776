"""Rows as PostgreSQL writes them: the text form of composite values.

Owns: reading and writing `(1,"a b",)`. Must not know: types; cells stay text.
"""

from __future__ import annotations

from collections.abc import Iterable

from askwire.core.types import Cell, Row


def read_row(text: str) -> Row:
    """The cells of a composite value's text (record_out): `(1,"a b",)` is ('1', 'a b', None)."""
    if '"' not in text and "\\" not in text:
        return tuple([cell or None for cell in text[1:-1].split(",")])
    cells: list[Cell] = []
    position, end = 1, len(text) - 1
    while True:
        piece: list[str] = []
        quoted = False
        while position < end and text[position] != ",":
            character = text[position]
            if character == '"':
                quoted = True
                position = _read_quoted(text, position + 1, piece)
            elif character == "\\":
                piece.append(text[position + 1])
                position += 2
            else:
                piece.append(character)
                position += 1
        cells.append("".join(piece) if piece or quoted else None)
        if position >= end:
            return tuple(cells)
        position += 1


def _read_quoted(text: str, position: int, piece: list[str]) -> int:
    """Read what stands in double quotes; the position behind the closing one."""
    while True:
        character = text[position]
        if character == '"':
            if text[position + 1] != '"':
                return position + 1
            position += 1
        elif character == "\\":
            position += 1
            character = text[position]
        piece.append(character)
        position += 1


def write_row(cells: Iterable[Cell]) -> str:
    """The text that record_in reads as these cells."""
    return "(" + ",".join("" if c is None else _quoted(c) for c in cells) + ")"


def _quoted(cell: str) -> str:
    return '"' + cell.replace("\\", "\\\\").replace('"', '""') + '"'
