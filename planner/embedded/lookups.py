"""What refers to what though no key and no name says so, by the values: `mdl_cd` → acft_ref.code.

Owns: which columns may refer to which, one short look at whether their common values stand there, and tables
that say what the codes of many columns mean, told apart by the column's name. Must not know: questions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Executor
from askwire.planner.embedded import identifiers
from askwire.planner.embedded.meanings import MOST
from askwire.planner.embedded.text import listed, singular
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import array_text, quote_identifier, quote_literal

MAX_ROWS: Final = 20_000
"""Rows of a table that is looked up in; of more, keys are declared or names tell."""
MAX_PAIRS: Final = 60
_FEW_CODES: Final = 3
_OF_TEXTS: Final = 4
"""Columns that a table of the codes of many columns has at most."""
_MOST_TEXTS: Final = 1000
_CODED: Final = frozenset(
    listed("cd code id no num nbr key typ type cls class stat status flg flag cat ctg ref")
)
_SAYS_NOTHING: Final = _CODED | frozenset(
    listed(
        "lk lkp lku lookup tbl table dim mstr master list dict nm name desc descr dscr txt cf cfg ind value"
    )
)
_COUNTED: Final = re.compile(r"-?[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class Reference:
    """Column `column` of the relation `source` holds values of `key` of the relation `target` (OIDs)."""

    source: int
    column: str
    target: int
    key: str


@dataclass(frozen=True)
class Lookups:
    """What values tell: `references`, and `codes`: (OID, column) → (stored value, what it means) pairs.

    `texts` are the columns, by OID and name, from which the meanings were read.
    """

    references: tuple[Reference, ...] = ()
    codes: Mapping[tuple[int, str], tuple[tuple[str, str], ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    texts: frozenset[tuple[int, str]] = frozenset()


NOTHING: Final = Lookups()


async def read_lookups(executor: Executor, catalog: Catalog) -> Lookups:
    """What the values of a catalog's tables refer to, by two statements at most.

    Views are not read, for they may be dear, nor tables whose rows must not be remembered.
    """
    near = [r for r in catalog if r.kind in "rpm" and not r.partition_of and r.on_path]
    if any(r.foreign_keys for r in near):
        return NOTHING  # where keys are declared, what is none is not declared for a reason
    references = await _references(executor, near)
    codes, texts = await _meanings(executor, near)
    return Lookups(references, codes, texts)


def _readable(relation: Relation) -> bool:
    return not relation.row_security and 0 < relation.estimated_rows <= MAX_ROWS


def _said(names: Sequence[str]) -> frozenset[str]:
    """The pieces of names that say what a thing is, not that it is a code."""
    return frozenset(
        p for name in names for p in map(singular, identifiers.pieces(name)) if p not in _SAYS_NOTHING
    )


def _keys(relations: Sequence[Relation]) -> list[tuple[Relation, Column]]:
    """First columns that tell the rows of a table apart and are named as codes are."""
    return [
        (r, r.columns[0])
        for r in relations
        if _readable(r)
        and len(r.columns) > 1
        and r.columns[0].distinct == -1.0
        and r.columns[0].category in "SN"
        and _CODED & set(identifiers.pieces(r.columns[0].name))
        and not r.columns[0].values_off
    ]


def _pairs(relations: Sequence[Relation]) -> Iterator[tuple[Relation, Column, Relation, Column, int]]:
    """What may refer to what, with how many pieces of the names agree."""
    keys = _keys(relations)
    named = {key.name.lower() for _, key in keys} - _SAYS_NOTHING
    for relation in relations:
        for column in relation.columns:
            if column.name.lower() in named or not column.common_values or column.distinct == -1.0:
                continue
            if column is relation.columns[0] and column.name in relation.primary_key:
                continue
            mine = _said((column.name,))
            coded = bool(_CODED & set(identifiers.pieces(column.name)))
            values = {v.strip() for v in column.common_values}
            distinctive = (
                coded and len(values) >= _FEW_CODES and not all(_COUNTED.fullmatch(v) for v in values)
            )
            for target, key in keys:
                if target.oid == relation.oid or key.category != column.category:
                    continue
                theirs = _said((target.name, key.name))
                alike = len((mine | (_said((relation.name,)) & theirs)) & theirs)
                whole = (
                    bool(theirs) and theirs <= mine | _said((relation.name,)) and bool(mine & theirs or coded)
                )
                if whole or (distinctive and (alike or len(next(iter(values))) > _FEW_CODES)):
                    yield relation, column, target, key, alike + whole


async def _references(executor: Executor, relations: Sequence[Relation]) -> tuple[Reference, ...]:
    pairs = sorted(_pairs(relations), key=lambda p: -p[4])[:MAX_PAIRS]
    if not pairs:
        return ()
    sql = " UNION ALL ".join(_held(place, p) for place, p in enumerate(pairs))
    try:
        async with executor.batch() as batch:
            result = await batch.read(sql, (), max_rows=MAX_PAIRS)
    except DatabaseFailed:
        return ()
    held = {int(row[0]) for row in result.rows if row[0] is not None and row[1] == "0"}
    found: dict[tuple[int, str], list[tuple[int, Reference]]] = defaultdict(list)
    for place, (relation, column, target, key, alike) in enumerate(pairs):
        if place in held:
            reference = Reference(relation.oid, column.name, target.oid, key.name)
            found[relation.oid, column.name].append((alike, reference))
    return tuple(r for fits in found.values() for r in _best(fits))


def _best(fits: Sequence[tuple[int, Reference]]) -> list[Reference]:
    """The one table that is most alike by name; none of several that are as much."""
    most = max(alike for alike, _ in fits)
    best = [reference for alike, reference in fits if alike == most]
    return best if len(best) == 1 else []


def _held(place: int, pair: tuple[Relation, Column, Relation, Column, int]) -> str:
    """How many common values of a column do not stand in the other."""
    _, column, target, key, _ = pair
    table = f"{quote_identifier(target.schema)}.{quote_identifier(target.name)}"
    values = quote_literal(array_text([v.strip() for v in column.common_values]))
    return (
        f"(SELECT {place}::text, pg_catalog.count(*)::text "
        f"FROM pg_catalog.unnest({values}::pg_catalog.text[]) AS u (v) "
        f"WHERE NOT EXISTS (SELECT FROM {table} AS t "
        f"WHERE pg_catalog.btrim(t.{quote_identifier(key.name)}::text) OPERATOR(pg_catalog.=) u.v))"
    )


_Codes = dict[tuple[int, str], tuple[tuple[str, str], ...]]


async def _meanings(
    executor: Executor, relations: Sequence[Relation]
) -> tuple[_Codes, frozenset[tuple[int, str]]]:
    """The codes of columns whose names a small table holds, beside each code and its meaning."""
    by_name: dict[str, list[tuple[Relation, Column]]] = defaultdict(list)
    for relation in relations:
        for column in relation.columns:
            by_name[column.name.lower()].append((relation, column))
    found: _Codes = {}
    texts = set()
    for relation in relations:
        shape = _of_many(relation, by_name)
        if shape is None:
            continue
        domain, code, text = (quote_identifier(c.name) for c in shape)
        table = f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"
        sql = f"SELECT {domain}::text, {code}::text, {text}::text FROM {table} LIMIT {_MOST_TEXTS}"
        try:
            async with executor.batch() as batch:
                result = await batch.read(sql, (), max_rows=_MOST_TEXTS)
        except DatabaseFailed:
            continue
        means: dict[str, dict[str, str]] = defaultdict(dict)
        for row in result.rows:
            if row[0] and row[1] and row[2]:
                means[row[0].strip().lower()].setdefault(row[1], row[2].strip().lower())
        for name, codes in means.items():
            for other, column in by_name.get(name, ()):
                if other.oid != relation.oid and 1 < len(codes) <= MOST:
                    found[other.oid, column.name] = tuple(codes.items())
                    texts.add((relation.oid, shape[2].name))
    return found, frozenset(texts)


def _of_many(
    relation: Relation, by_name: Mapping[str, Sequence[tuple[Relation, Column]]]
) -> tuple[Column, Column, Column] | None:
    """The domain, the code and the text of a table that explains the codes of several columns."""
    columns = [c for c in relation.columns if c.category == "S" and not c.values_off]
    if (
        not _readable(relation)
        or not _FEW_CODES <= len(relation.columns) <= _OF_TEXTS
        or len(columns) < _FEW_CODES
    ):
        return None
    for at, domain in enumerate(columns[:-2]):
        named = {v.strip().lower() for v in domain.common_values}
        if len(named) > 1 and len(named & by_name.keys()) * 2 > len(named):
            code, text = columns[at + 1], columns[-1]
            return (domain, code, text) if code is not text else None
    return None
