"""Tables that explain the codes of many columns: `code_lkp (cd_grp, cd, descr)`.

Owns: which table is one, and which of its lists explains which column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Row
from askwire.language.shortened import ABBREVIATIONS
from askwire.language.text import listed, singular
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.meanings import MAX_CODES
from askwire.sql.catalog import Column, Relation

_MIN_LIST_COLUMNS: Final = 3
_MAX_LIST_COLUMNS: Final = 7
_GENERIC: Final = frozenset(listed("code cd list lst type typ kind class cls category cat lookup value"))
"""Pieces of a list's name that a column it explains may lack."""
_GROUPS: Final = frozenset(
    listed("grp group dom domain typ type list lst set cat category class cls kind lookup lkp lov table tbl")
)
_CODES: Final = frozenset(listed("cd code val value key id no num"))
_TEXTS: Final = tuple(
    listed("description descr desc dscr dsc txt text label lbl meaning name nm title long value")
)
_NAMED_WEIGHT: Final = 20
"""What a list's name in a column's comment counts beside pieces of names that agree."""


@dataclass(frozen=True, slots=True)
class CodeTable:
    """A relation with lists of codes: in column `group` the list's name, then a code and what it means.

    `keyed`: a key allows each code of a list once.
    """

    relation: Relation
    group: Column
    code: Column
    text: Column
    keyed: bool


@dataclass(frozen=True, slots=True)
class CodeList:
    """The list `name`, as it is stored, of a code table, which explains a column, and what it holds.

    `keyed`: a key allows each code once; `once`: each was there once.
    """

    table: int
    group: str
    name: str
    code: str
    text: str
    meanings: tuple[tuple[str, str], ...]
    keyed: bool = True
    once: bool = True


def code_table(
    relation: Relation, by_name: Mapping[str, Sequence[tuple[Relation, Column]]]
) -> CodeTable | None:
    """The relation as a table of the codes of many columns, None for any other.

    Its lists are named as columns are, or its key is a list and a code in it: `(cd_grp, cd)` → descr.
    """
    texts = [c for c in relation.columns if c.category == "S" and not c.values_off]
    if not _MIN_LIST_COLUMNS <= len(relation.columns) <= _MAX_LIST_COLUMNS:
        return None
    for at, group in enumerate(texts[:-2]):
        named = {v.strip().lower() for v in group.common_values}
        if len(named) > 1 and len(named & by_name.keys()) * 2 > len(named):
            code = texts[at + 1]
            return CodeTable(relation, group, code, _text(texts[at + 2 :]), _keyed(relation, group, code))
    group, code, *rest = relation.columns
    kept = [c for c in rest if c in texts]
    keyed = _keyed(relation, group, code)
    called = _GROUPS & _pieces(group.name) and _CODES & _pieces(code.name)
    repeats = group.category == "S" and len(group.common_values) > 1 and group.distinct != -1.0
    referring = any(group.name in key.columns for key in relation.foreign_keys)
    if not kept or not repeats or referring or code.category not in "SN" or not (keyed or called):
        return None
    if not any(_TEXT_LIKE & _pieces(c.name) for c in kept):
        return None
    return CodeTable(relation, group, code, _text(kept), keyed)


def _keyed(relation: Relation, group: Column, code: Column) -> bool:
    """Whether a key allows each code of a list once."""
    keys = (relation.primary_key, *relation.unique_keys)
    return any(key and set(key) <= {group.name, code.name} for key in keys)


_TEXT_LIKE: Final = frozenset(_TEXTS)


def _text(columns: Sequence[Column]) -> Column:
    """The one that tells what a code means, by its name; else the last."""
    for word in _TEXTS:
        for column in columns:
            if word in identifiers.pieces(column.name):
                return column
    return columns[-1]


def _pieces(name: str) -> frozenset[str]:
    return frozenset(identifiers.pieces(name))


def explained(
    read: Iterable[tuple[CodeTable, Sequence[Row]]], relations: Sequence[Relation]
) -> dict[tuple[int, str], CodeList]:
    """The list that explains each column, by (OID, name): of that name, or named so by its comment.

    Where only pieces of the names agree, all common values of the column are codes of the list. Where several
    lists agree as much, none does.
    """
    found: dict[tuple[int, str], list[tuple[int, CodeList]]] = defaultdict(list)
    lists = [one for table, rows in read for one in _lists(table, rows)]
    if not lists:
        return {}
    tables = {one.table for one, _ in lists}
    for relation in relations:
        if relation.oid in tables:
            continue
        referring = {name for key in relation.foreign_keys for name in key.columns}
        of_table = _words(relation.name)
        for column in relation.columns:
            if column.category not in "SN" or column.name in referring or column.distinct == -1.0:
                continue
            held = {v.strip() for v in column.common_values}
            of_column = _words(column.name)
            for one, says in lists:
                agreeing = says(column, of_column, of_table)
                if not agreeing:
                    continue
                codes = {code for code, _ in one.meanings}
                named = agreeing >= _NAMED_WEIGHT and (not held or not held.isdisjoint(codes))
                if named or held <= codes:
                    found[relation.oid, column.name].append((agreeing, one))
    best: dict[tuple[int, str], CodeList] = {}
    for at, fits in found.items():
        most = max(agreeing for agreeing, _ in fits)
        first, *others = [one for agreeing, one in fits if agreeing == most]
        if not others:
            best[at] = first
    return best


_Says = Callable[[Column, frozenset[str], frozenset[str]], int]


def _lists(table: CodeTable, rows: Sequence[Row]) -> list[tuple[CodeList, _Says]]:
    """The lists of a table, each with how far a column, by its names and comment, is one that it explains."""
    means: dict[str, dict[str, str]] = defaultdict(dict)
    repeated = set()
    for group, code, text in rows:
        if group and code and text:
            listed_here = means[group]
            if code.strip() in listed_here:
                repeated.add(group)
            listed_here.setdefault(code.strip(), text.strip().lower())
    return [
        (
            CodeList(
                table.relation.oid,
                table.group.name,
                name,
                table.code.name,
                table.text.name,
                tuple(codes.items()),
                table.keyed,
                name not in repeated,
            ),
            _agreement(name.strip()),
        )
        for name, codes in means.items()
        if 1 < len(codes) <= MAX_CODES
    ]


def _agreement(name: str) -> _Says:
    """How far the pieces of a column's name are those of a list's name, 0 where it is another's."""
    whole = name.lower()
    parts = _words(name)
    telling = parts - _GENERIC_WORDS or parts
    spoken = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)

    def says(column: Column, of_column: frozenset[str], of_table: frozenset[str]) -> int:
        if column.comment and len(name) > 1 and spoken.search(column.comment):
            return _NAMED_WEIGHT + 1
        if column.name.lower() == whole:
            return _NAMED_WEIGHT
        own = parts & of_column
        if not column.common_values or not own or not telling <= of_column | of_table:
            return 0
        return 2 * len(own) + len(parts & of_table)

    return says


def _words(name: str) -> frozenset[str]:
    """The pieces of a name, written out: `ord_typ` → order, type."""
    return frozenset(w for p in identifiers.pieces(name) for w in ABBREVIATIONS.get(p, (singular(p),)))


_GENERIC_WORDS: Final = frozenset(w for p in _GENERIC for w in ABBREVIATIONS.get(p, (singular(p),)))
