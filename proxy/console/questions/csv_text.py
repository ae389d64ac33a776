"""A result as CSV that a spreadsheet opens as data, whatever its cells begin with.

Owns: the bytes (RFC 4180: commas, CRLF, UTF-8 with a byte order mark), NULL apart from an empty text, and the
apostrophe in front of a text that a spreadsheet would take for a formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.core.types import Cell, Row
from askwire.proxy.console.questions.answers import Kind

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Begins the file: without it a spreadsheet takes UTF-8 for something else."""
_FORMULA_STARTS: Final = tuple("=+-@\t\r\n＝＋－＠")
"""What a cell begins with that a spreadsheet evaluates."""
_INNER_FORMULA: Final = re.compile(r"""([;\t\r\n|]["' ]*)(?=[=+\-@＝＋－＠])""")
"""Where a spreadsheet that separates by something else than commas begins a cell, in the middle of a text."""
_QUOTED: Final = frozenset(',"\r\n')
_SAFE_KINDS: Final = frozenset(("number", "moment", "time", "bool"))
"""Kinds whose text PostgreSQL makes itself: a negative number stays one."""


def header(names: Sequence[str]) -> bytes:
    """The first line, with the mark in front."""
    return BYTE_ORDER_MARK + _line([_field(name, "text") for name in names])


def lines(rows: Sequence[Row], kinds: Sequence[Kind]) -> bytes:
    """A line for each row."""
    return b"".join(
        _line([_field(cell, kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows
    )


def _field(cell: Cell, kind: Kind) -> str:
    """One cell: NULL is nothing at all, an empty text is `""`."""
    if cell is None:
        return ""
    text = str(cell)
    if kind not in _SAFE_KINDS:
        text = _INNER_FORMULA.sub(r"\1'", text)
        if text.lstrip(' "').startswith(_FORMULA_STARTS):
            text = "'" + text
    if not text or not _QUOTED.isdisjoint(text) or text != text.strip(" "):
        return '"' + text.replace('"', '""') + '"'
    return text


def _line(fields: Sequence[str]) -> bytes:
    return (",".join(fields) + "\r\n").encode("utf-8", "replace")
