"""What a reader hands over: a table of a file, as something DuckDB can scan.

Owns: these values, and quoting for DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class TextContent(Enum):
    """What a column of text may hold besides text."""

    ANYTHING = "anything"
    """The file knows text only, as CSV does."""
    DATES = "dates"
    """The file has numbers and booleans of its own, but no dates, as JSON and SQLite."""
    TEXT = "text"
    """The file's own type says that it is text."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column: its name in the file, its DuckDB expression over the scan, and that expression's type."""

    original: str
    expression: str
    type: str
    spelled: TextContent = TextContent.TEXT
    nulls_read: bool = False
    """Whether what always stands for NULL is NULL in the scan already, where that costs nothing."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A line of a file that could not be read: where it is (both from 1, 0 unknown), why, and its text."""

    line: int
    problem: str
    text: str
    column: str = ""


class KeyKind(Enum):
    """What a declared key says; the value is how SQL declares it."""

    PRIMARY = "PRIMARY KEY"
    UNIQUE = "UNIQUE"
    FOREIGN = "FOREIGN KEY"


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A key that the file itself declares, by the names in the file.

    A foreign key refers to `target_columns` of `target`, another relation of the same file.
    """

    kind: KeyKind
    columns: tuple[str, ...]
    target: str = ""
    target_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """One table of a file: its name in the file, a FROM item for DuckDB, and its columns.

    `by_comma` says that the file's form goes with decimal commas and days before months. `notes` are
    sentences about how it was read. `rejects` gives what the last scan could not read, once it has run.
    """

    original: str
    scan: str
    fields: tuple[Field, ...]
    by_comma: bool = False
    notes: tuple[str, ...] = ()
    rejects: Callable[[], list[Reject]] = list
    size: int = 0
    """Bytes of text the scan reads, about; 0 unknown."""
    keys: tuple[DeclaredKey, ...] = ()


def quoted(name: str) -> str:
    """An identifier of DuckDB or PostgreSQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string constant of DuckDB."""
    return "'" + text.replace("'", "''") + "'"
