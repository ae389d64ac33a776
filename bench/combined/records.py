"""Kinds of records that questions are made about, as `<voice>/records/<schema>.toml` describes them.

Owns: what such a file may hold. SQL in it calls the table of the records `t`; a parent's conditions use the
alias of its last join.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from askwire.bench.combined.voices import FOLDER


@dataclass(frozen=True, slots=True)
class Time:
    """The column that dates a record, its participle ('placed in May 2024') and a year with rows.

    Where a record has several times, this one is not `bare`: it is said with the participle only.
    """

    column: str
    dated: str
    year: int
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a record; `bound` splits its values, `sums` says whether a total makes sense.

    `how_much` asks for the total, with `{}` for the records ('did we pay for {}').
    """

    column: str
    noun: str
    bound: int
    sums: bool = False
    how_much: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """A column with few values; a phrase has one `{}` for a value, and says the contrary where `denied`.

    `values` are words with what the data has for them. `adjective` ones also stand before the noun
    ('cancelled orders'). With `has_own_time` another column says when a record came to a value, so that no
    time is combined with it. Where not `grouped`, no question asks for numbers of each. `label` is SQL for
    what a table of codes calls the value, which an answer may show instead.
    """

    noun: str
    phrases: Sequence[str]
    values: Mapping[str, str]
    column: str = ""
    denied: Sequence[str] = ()
    adjective: bool = False
    has_own_time: bool = False
    grouped: bool = True
    label: str = ""

    @property
    def sql(self) -> str:
        """The column, which is named as the noun where nothing else is said."""
        return f"t.{self.column or self.noun.replace(' ', '_')}"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each value with the next one, the last with the first."""
        values = [*self.values]
        return list(zip(values, [*values[1:], *values[:1]], strict=True))


@dataclass(frozen=True, slots=True)
class Parent:
    """What a record belongs to, over one join or more; `verb` is what it does to records ('place', 'placed').

    `columns` are its key and what names it; `conditions` pairs a phrase behind the records ('by customers in
    Berlin') with its SQL. A `person` is asked for by 'who'; what is not `named` has conditions only.
    """

    name: tuple[str, str]
    joins: Sequence[str]
    columns: Sequence[str]
    verb: tuple[str, str] = ("have", "had")
    conditions: Sequence[tuple[str, str]] = ()
    person: bool = False
    named: bool = True

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

    @property
    def title(self) -> str:
        """The table's name without quotes."""
        return self.table.strip('"')


def described(voice: str) -> list[str]:
    """The schemas that are described for a voice, in alphabetical order."""
    return sorted(path.stem for path in (FOLDER / voice / "records").glob("*.toml"))


def read(voice: str, schema: str) -> list[Record]:
    """The records of one schema; raises TypeError for a key that is missing or unknown."""
    text = (FOLDER / voice / "records" / f"{schema}.toml").read_text(encoding="utf-8")
    return [_record(schema, **table) for table in tomllib.loads(text)["record"]]


def _record(schema: str, **table: Any) -> Record:
    kinds: dict[str, Callable[..., Any]]
    kinds = {"measures": Measure, "categories": _category, "parents": Parent}
    parts = {name: [kind(**one) for one in table.get(name, ())] for name, kind in kinds.items()}
    return Record(schema, **{**table, **parts, "time": Time(**table["time"])})


def _category(values: Sequence[str] | Mapping[str, str], **keys: Any) -> Category:
    words = values if isinstance(values, Mapping) else {value: value for value in values}
    return Category(values=MappingProxyType(words), **keys)
