"""Rows as PostgreSQL writes them: the text form of composite values.

Owns: reading and writing `(1,"a b",)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.core.types import Cell, Row

_CELL: Final = re.compile(r'((?:"(?:[^"\\]|\\.|"")*+"|[^,"\\])*+),', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(.)|"(")', re.DOTALL)


def read_row(text: str) -> Row:
    """The cells of a composite value's text (record_out): `(1,"a b",)` is ('1', 'a b', None)."""
    inside = text[1:-1]
    if '"' not in inside:
        return tuple([cell or None for cell in inside.split(",")])
    return tuple([_cell(written) for written in _CELL.findall(inside + ",")])


def _cell(written: str) -> Cell:
    if not written.startswith('"'):
        return written or None
    inside = written[1:-1]
    return _ESCAPED.sub(_itself, inside) if '"' in inside or "\\" in inside else inside


def _itself(escaped: re.Match[str]) -> str:
    return escaped[1] or escaped[2]


def write_row(cells: Iterable[Cell]) -> str:
    """The text that record_in reads as these cells."""
    return "(" + ",".join("" if c is None else _quoted(c) for c in cells) + ")"


def _quoted(cell: str) -> str:
    return '"' + cell.replace("\\", "\\\\").replace('"', '""') + '"'
