"""Kinds of records that questions are made about, as `records/<schema>.toml` describes them.

Owns: what such a file may hold. SQL in it calls the table of the records `t`; a parent's conditions use the
alias of its last join.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "records"


@dataclass(frozen=True, slots=True)
class Time:
    """The column that dates a record, its participle ('placed in May 2024') and a year with rows."""

    column: str
    dated: str
    year: int


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a record; `bound` splits its values, `sums` says whether a total makes sense."""

    column: str
    noun: str
    bound: int
    sums: bool = False


@dataclass(frozen=True, slots=True)
class Category:
    """A column with few values; a phrase has one `{}` for a value as the data writes it.

    `adjective` values also stand before the noun ('cancelled orders'). With `has_own_time` another column
    says when a record came to a value, so that no time is combined with it.
    """

    noun: str
    phrases: Sequence[str]
    values: Sequence[str]
    adjective: bool = False
    has_own_time: bool = False

    @property
    def column(self) -> str:
        """The column, which is named as the noun."""
        return f"t.{self.noun.replace(' ', '_')}"


@dataclass(frozen=True, slots=True)
class Parent:
    """What a record belongs to, over one join or more; `verb` is what it does to records ('place', 'placed').

    `columns` are its key and what names it; `conditions` pairs a phrase behind the records ('by customers in
    Berlin') with its SQL.
    """

    name: tuple[str, str]
    verb: tuple[str, str]
    joins: Sequence[str]
    columns: Sequence[str]
    conditions: Sequence[tuple[str, str]] = ()

    @property
    def source(self) -> str:
        """The parent's table with its alias, for FROM."""
        return self.joins[-1].partition(" ON ")[0]

    @property
    def alias(self) -> str:
        """The parent's alias."""
        return self.source.split()[-1]


@dataclass(frozen=True, slots=True)
class Record:
    """One table, named in singular and plural; `columns` are its key and what names a record."""

    schema: str
    table: str
    name: tuple[str, str]
    columns: Sequence[str]
    time: Time
    measures: Sequence[Measure] = ()
    categories: Sequence[Category] = ()
    parents: Sequence[Parent] = ()


def described() -> list[str]:
    """The schemas that are described, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read(schema: str) -> list[Record]:
    """The records of one schema; raises TypeError for a key that is missing or unknown."""
    text = (FOLDER / f"{schema}.toml").read_text(encoding="utf-8")
    return [_record(schema, **table) for table in tomllib.loads(text)["record"]]


def _record(schema: str, **table: Any) -> Record:
    kinds = {"measures": Measure, "categories": Category, "parents": Parent}
    parts = {name: [kind(**one) for one in table.get(name, ())] for name, kind in kinds.items()}
    return Record(schema, **{**table, **parts, "time": Time(**table["time"])})
