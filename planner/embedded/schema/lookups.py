"""What refers to what though no key and no name says so, by the values: `mdl_cd` → acft_ref.code.

Owns: which columns may refer to which, one short look at whether their common values stand there, and tables
that say what the codes of many columns mean, told apart by the column's name.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from askwire.core.protocols import Executor
from askwire.core.types import Row
from askwire.language.text import listed, singular
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.code_tables import CodeList, CodeTable, code_table, explained
from askwire.planner.embedded.schema.elements import PERSON_WORDS
from askwire.planner.embedded.schema.looks import SEARCHED_ROWS, Look, look, short_text, table_of
from askwire.planner.embedded.schema.roles import SOMEBODY
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import array_text, quote_identifier, quote_literal
from askwire.sql.remarks import referred_to
from askwire.sql.safety.probes import quiet

MAX_ROWS: Final = 20_000
"""Rows of a table that is looked up in; of more, keys are declared or names tell."""
MAX_PAIRS: Final = 60
_FEW_CODES: Final = 3
_MAX_KEYS: Final = 100
"""Rows of a table all of whose keys are read."""
_MIN_COLUMNS: Final = 2
_MAX_TEXTS: Final = 1000
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
    """What values tell: `references`, and `codes`: (OID, column) → the list that explains its codes.

    `keys` are all values of the keys of small tables.
    """

    references: tuple[Reference, ...] = ()
    codes: Mapping[tuple[int, str], CodeList] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[tuple[int, str], frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))


NOTHING: Final = Lookups()


def remarked(relations: Iterable[Relation]) -> tuple[Reference, ...]:
    """The references that remarks in comments tell of, as far as both sides are there."""
    here = list(relations)
    by_name = {(r.schema, r.name): r for r in here}
    found = []
    for relation in here:
        for column in relation.columns:
            told = referred_to(column.comment) if column.comment else None
            target = by_name.get((relation.schema, told[0])) if told else None
            if told is not None and target is not None and told[1] in target.by_name:
                found.append(Reference(relation.oid, column.name, target.oid, told[1]))
    return tuple(found)


_Domains = tuple[int, str, str, str]
_Keys = tuple[int, str]
Known = Mapping[Reference | _Keys | _Domains, tuple[Row, ...]]
"""What was read, by what it was read for: whether a reference holds, the keys or the texts of a table."""


@dataclass(frozen=True, slots=True)
class _ReferringColumn:
    """A column with common values, which may refer to something: `said` by its name."""

    column: Column
    said: frozenset[str]
    coded: bool
    distinctive: bool


@dataclass(frozen=True, slots=True)
class Codes:
    """What may refer to what, by the names and statistics of one relation; `said` by its own name.

    `key` is its first column, where that tells its rows apart and is named as codes are; `keyed` what that
    says.
    """

    said: frozenset[str]
    holding: tuple[_ReferringColumn, ...]
    key: Column | None
    keyed: frozenset[str]

    @classmethod
    def of(cls, relation: Relation) -> Codes:
        """Those of one relation."""
        key = _key(relation)
        return cls(
            _said((relation.name,)),
            tuple(
                _holding(c)
                for place, c in enumerate(relation.columns)
                if c.common_values
                and c.distinct != -1.0
                and not (place == 0 and c.name in relation.primary_key)
            ),
            key,
            _said((relation.name, key.name)) if key else frozenset(),
        )


_Named = tuple[Relation, Codes]


async def read_lookups(
    executor: Executor, named: Sequence[_Named], known: Known = MappingProxyType({})
) -> tuple[Lookups, Known]:
    """What the values of a catalog's tables refer to, and what was read for it; what is `known` is not read.

    At most `MAX_PAIRS` reads of each of three kinds. Views are not read, for they may be dear, nor tables
    whose rows must not be remembered.
    """
    near = [(r, c) for r, c in named if r.kind in "rpm" and not r.partition_of and r.on_path and quiet(r)]
    by_name: dict[str, list[tuple[Relation, Column]]] = defaultdict(list)
    for relation, _ in near:
        for column in relation.columns:
            by_name[column.name.lower()].append((relation, column))
    tables = [one for r, _ in near if _readable(r) and (one := code_table(r, by_name))][:MAX_PAIRS]
    # where keys are declared, what is none is not declared for a reason
    declared = any(r.foreign_keys for r, _ in near)
    pairs = await asyncio.to_thread(_of_somebody if declared else _pairs, near)
    keyed = [(r, c.key) for r, c in near if c.key and r.estimated_rows <= _MAX_KEYS][:MAX_PAIRS]
    keyed = [] if declared else keyed
    if not (tables or pairs or keyed):
        return NOTHING, known
    read = _Reads(executor, known)
    await read.all({_reference(pair): _held(pair) for pair in pairs}, 1)
    await read.all({_group(one): _texts(one) for one in tables}, _MAX_TEXTS)
    await read.all({(r.oid, key.name): _keys(r, key) for r, key in keyed}, 2 * _MAX_KEYS)
    lists = explained([(one, read.seen.get(_group(one), ())) for one in tables], [r for r, _ in near])
    return Lookups(_references(read.seen, pairs), lists, _values(read.seen, keyed)), read.seen


class _Reads:
    """What was read, what is `known` first."""

    def __init__(self, executor: Executor, known: Known) -> None:
        self._executor = executor
        self._known = known
        self.seen: dict[Reference | _Keys | _Domains, tuple[Row, ...]] = {}

    async def all(self, looks: Mapping[Any, Look], max_rows: int) -> None:
        """Take what is known, and read the others; what cannot be read is not there."""
        self.seen.update({what: self._known[what] for what in looks if what in self._known})
        fresh = [what for what in looks if what not in self._known]
        found = await look(self._executor, [looks[what] for what in fresh], max_rows=max_rows)
        for what, rows in zip(fresh, found.rows, strict=False):
            if rows is not None:
                self.seen[what] = rows


def _keys(relation: Relation, key: Column) -> Look:
    rows = (
        f"(SELECT {quote_identifier(key.name)} AS k FROM {table_of(relation)} LIMIT {SEARCHED_ROWS}) AS first"
    )
    told = f"SELECT {short_text('k')} AS k FROM {rows} WHERE k IS NOT NULL LIMIT {2 * _MAX_KEYS}"
    return Look(told, (relation.oid,))


def _values(seen: Known, keyed: Sequence[tuple[Relation, Column]]) -> Mapping[_Keys, frozenset[str]]:
    """All values of the keys of small tables; not of one that is larger, or has a wide value."""
    found: dict[_Keys, frozenset[str]] = {}
    for relation, key in keyed:
        values = [value for (value,) in seen.get((relation.oid, key.name), ())]
        told = [value.strip() for value in values if value is not None]
        if told and len(told) == len(values) < 2 * _MAX_KEYS:
            found[relation.oid, key.name] = frozenset(told)
    return found


def _readable(relation: Relation) -> bool:
    return not relation.row_security and 0 < relation.estimated_rows <= MAX_ROWS


def _said(names: Sequence[str]) -> frozenset[str]:
    """The pieces of names that say what a thing is, not that it is a code."""
    return frozenset(
        p for name in names for p in map(singular, identifiers.pieces(name)) if p not in _SAYS_NOTHING
    )


def _key(relation: Relation) -> Column | None:
    if not _readable(relation) or len(relation.columns) < _MIN_COLUMNS:
        return None
    first = relation.columns[0]
    told = first.distinct == -1.0 and first.category in "SN" and not first.values_off
    return first if told and _CODED & set(identifiers.pieces(first.name)) else None


def _holding(column: Column) -> _ReferringColumn:
    values = dict.fromkeys(v.strip() for v in column.common_values)
    coded = bool(_CODED & set(identifiers.pieces(column.name)))
    distinctive = coded and len(values) >= _FEW_CODES and not all(_COUNTED.fullmatch(v) for v in values)
    return _ReferringColumn(column, _said((column.name,)), coded, distinctive)


_Pair = tuple[Relation, Column, Relation, Column, int]


def _pairs(relations: Sequence[_Named]) -> list[_Pair]:
    """What may refer to what, with how many pieces of the names agree, most first; at most `MAX_PAIRS`.

    A piece of the names of many keys points to none of them.
    """
    keys = [(r, codes.key, codes.keyed) for r, codes in relations if codes.key is not None]
    named = {key.name.lower() for _, key, _ in keys} - _SAYS_NOTHING
    by_piece: dict[str, list[int]] = defaultdict(list)
    for place, (_, _, theirs) in enumerate(keys):
        for piece in theirs:
            by_piece[piece].append(place)
    telling = {piece: places for piece, places in by_piece.items() if len(places) <= MAX_PAIRS}
    alike: list[_Pair] = []
    others: list[_Pair] = []
    for relation, codes in relations:
        for held in codes.holding:
            if held.column.name.lower() in named:
                continue
            words = held.said | codes.said
            near = {p for piece in (words if held.coded else held.said) for p in telling.get(piece, ())}
            for place in sorted(near):
                target, key, theirs = keys[place]
                if target.oid == relation.oid or key.category != held.column.category:
                    continue
                whole = theirs <= words and (held.coded or not theirs.isdisjoint(held.said))
                if whole or held.distinctive:
                    alike.append((relation, held.column, target, key, len(words & theirs) + whole))
            if held.distinctive and len(held.column.common_values[0].strip()) > _FEW_CODES:
                for place, (target, key, _) in enumerate(keys):
                    if len(others) >= MAX_PAIRS:
                        break
                    if (
                        place not in near
                        and target.oid != relation.oid
                        and key.category == held.column.category
                    ):
                        others.append((relation, held.column, target, key, 0))
    return sorted(alike, key=lambda p: -p[4])[:MAX_PAIRS] + others[: max(0, MAX_PAIRS - len(alike))]


def _of_somebody(relations: Sequence[_Named]) -> list[_Pair]:
    """Which columns called by what somebody does may refer to people although other keys are declared.

    `student.advisor` holds numbers of the table `faculty`; small numbers stand in every table.
    """
    people = [
        (r, r.by_name[r.primary_key[0]])
        for r, codes in relations
        if codes.said & PERSON_WORDS and len(r.primary_key) == 1 and _readable(r)
    ]
    return [
        (relation, held.column, target, key, 0)
        for relation, codes in relations
        for held in codes.holding
        if SOMEBODY.fullmatch(held.column.name.lower()) and held.column.category == "N"
        if not all(_COUNTED.fullmatch(v.strip()) for v in held.column.common_values)
        if not any(held.column.name in k.columns for k in relation.foreign_keys)
        for target, key in people
        if target.oid != relation.oid and key.category == "N"
    ][:MAX_PAIRS]


def _reference(pair: _Pair) -> Reference:
    relation, column, target, key, _ = pair
    return Reference(relation.oid, column.name, target.oid, key.name)


def _references(seen: Known, pairs: Sequence[_Pair]) -> tuple[Reference, ...]:
    found: dict[_Keys, list[tuple[int, Reference]]] = defaultdict(list)
    for pair in pairs:
        reference = _reference(pair)
        if seen.get(reference) == (("0",),):
            found[reference.source, reference.column].append((pair[4], reference))
    return tuple(r for fits in found.values() for r in _best(fits))


def _best(fits: Sequence[tuple[int, Reference]]) -> list[Reference]:
    """The one table that is most alike by name; none of several that are as much."""
    most = max(alike for alike, _ in fits)
    best = [reference for alike, reference in fits if alike == most]
    return best if len(best) == 1 else []


def _held(pair: _Pair) -> Look:
    """How many common values of a column do not stand in the other, in the rows that it is said to have."""
    relation, column, target, key, _ = pair
    values = quote_literal(array_text([v.strip() for v in column.common_values]))
    rows = f"(SELECT {quote_identifier(key.name)} AS k FROM {table_of(target)} LIMIT {MAX_ROWS}) AS t"
    return Look(
        f"SELECT pg_catalog.count(*)::pg_catalog.text AS n "
        f"FROM pg_catalog.unnest({values}::pg_catalog.text[]) AS u (v) "
        f"WHERE NOT EXISTS (SELECT FROM {rows} "
        f"WHERE pg_catalog.btrim({short_text('t.k')}) OPERATOR(pg_catalog.=) u.v)",
        (relation.oid, target.oid),
    )


def _group(one: CodeTable) -> _Domains:
    return one.relation.oid, one.group.name, one.code.name, one.text.name


def _texts(one: CodeTable) -> Look:
    shown = zip((one.group, one.code, one.text), "dct", strict=True)
    texts = [f"{short_text(quote_identifier(c.name))} AS {n}" for c, n in shown]
    return Look(
        f"SELECT {', '.join(texts)} FROM {table_of(one.relation)} LIMIT {_MAX_TEXTS}", (one.relation.oid,)
    )
