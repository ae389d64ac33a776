"""From rows of the system catalogs to a `Catalog`.

Owns: the meaning of what `sql.introspection.queries` returns, and what of an earlier catalog still fits.
Pure: the rows come from anyone who has a connection (`planner.catalogs`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from sys import intern
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultSet, SessionState
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation
from askwire.sql.introspection.attached import Attachments, parsed, read_attachments, user_objects
from askwire.sql.introspection.samples import SampledTable, readable
from askwire.sql.literals import array_text

MAX_COLUMNS: Final = 60_000
"""Columns held of one database; relations beyond it are left out, off the search_path first."""
MAX_COMMON_VALUES: Final = 100_000
"""Common values held of one database, shared out among its columns."""
MAX_VALUES_PER_COLUMN: Final = 100
"""PostgreSQL's default statistics target."""
MAX_VALUE_LENGTH: Final = 100
"""Characters; a longer value is a text, not a name a question would mention."""
_FIRST_USER_OID: Final = 16384
_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?![^ T])")
"""A day at the beginning of a date or a timestamp, as ISO 8601 writes it."""

ALWAYS_TOLD: Final = frozenset(
    (
        *("types", "functions", "operators", "open_types", "type_runs", "settings"),
        *("foreign tables", "secured tables", "unreadable"),
    )
)
"""Kinds of `ATTACHMENTS` that have one row in every database, with no data where there is nothing."""


@dataclass(frozen=True, slots=True)
class _Statistics:
    distinct: float
    values: tuple[str, ...]
    null_share: float
    blank: bool
    numeric: bool
    ends: tuple[str, ...]


_TypeFacts = tuple[int, tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Source:
    """What the columns of one relation were made of: digests, and the facts of types that users made."""

    told: bytes
    types: Mapping[int, _TypeFacts]
    statistics: bytes


@dataclass(frozen=True, slots=True)
class BuiltCatalog:
    """A catalog, and by the OIDs of its relations what their columns were made of."""

    catalog: Catalog
    sources: Mapping[int, _Source]


def values_per_column(relations: ResultSet) -> int:
    """How many common values `STATISTICS` shall return per column, so that all of them stay bounded."""
    columns = max((int(row[11] or 0) for row in relations.rows), default=0)
    return max(1, min(MAX_VALUES_PER_COLUMN, MAX_COMMON_VALUES // max(columns, 1)))


class Introspection:
    """The rows of `RELATIONS` and `ATTACHMENTS`, understood; statistics are still to come."""

    def __init__(self, relations: ResultSet, attachments: ResultSet) -> None:
        """Raises DatabaseFailed when rows that a gate relies on are missing: absence is not "none"."""
        _check_complete(relations, attachments)
        self._rows = {int(row[0] or 0): row for row in relations.rows}
        self._attached = read_attachments(attachments)
        self._values = values_per_column(relations)
        self._told = {oid: self._digest(oid, row) for oid, row in self._rows.items()}

    def unchanged(self, before: BuiltCatalog) -> frozenset[int]:
        """The relations whose columns are what they were, so that what was known of their values holds."""
        return frozenset(oid for oid in self._rows if self._source(oid, before) is not None)

    def statistics_of(self, kept: frozenset[int] = frozenset()) -> tuple[str, str, str] | None:
        """The parameters of `STATISTICS` for all relations but those in `kept`; None where none are left."""
        # row-level security: pg_stats holds nothing for the asker there
        wanted = [row[1:3] for oid, row in self._rows.items() if row[7] != "t" and oid not in kept]
        names = array_text(name for _, name in wanted)
        return (str(self._values), json.dumps(wanted), names) if wanted else None

    def never_analyzed(
        self, statistics: ResultSet, kept: frozenset[int] = frozenset(), values_off: Collection[str] = ()
    ) -> list[SampledTable]:
        """The tables that `statistics` tell nothing of, but for those in `kept`; on the search path first.

        Only those that can be read without running anything; columns with `values_off` are not among theirs.
        """
        known = {row[:2] for row in statistics.rows}
        found = []
        for oid, row in self._rows.items():
            runs = any(self._attached.reach.reading(oid, row_security=False))
            if runs or oid in kept or row[1:3] in known or self._secured(oid, row):
                continue
            if self._attached.reach.children.get(oid):  # its rows are theirs as well
                continue
            table = readable(oid, row, parsed(row[9]) or (), values_off)
            if table is not None:
                found.append((row[6] != "t", table))
        return [table for _, table in sorted(found, key=lambda entry: entry[0])]

    def sampled(self, rows: Mapping[int, int]) -> None:
        """Tell how many rows there are of tables that were read whole and are not analyzed, by their OIDs."""
        for oid, many in rows.items():
            row = self._rows.get(oid)
            if row is not None and float(row[4] or -1) < 0:
                self._rows[oid] = (*row[:4], str(many), *row[5:])

    def build(
        self,
        session: SessionState,
        statistics: ResultSet,
        fingerprint: str = "",
        before: BuiltCatalog | None = None,
        kept: frozenset[int] = frozenset(),
    ) -> BuiltCatalog:
        """The catalog that the rows describe, and what was made for the catalog `before` where it still fits.

        The columns of relations in `kept` are those of `before`, values and all; so are those for which
        `statistics` tell the same again. A relation of which nothing differs is the same object. Keys appear
        only where the asker may read all their columns, on both sides of a foreign key; common values never
        where row-level security is active. Relations come ordered by schema and name.
        """
        told = {(schema or "", table or ""): data for schema, table, data in statistics.rows}
        old = before.catalog.by_oid if before else {}
        names: dict[int, dict[int, str]] = {}
        drafts: list[Relation] = []
        sources: dict[int, _Source] = {}
        for oid, row in self._rows.items():
            source = self._source(oid, before) if before else None
            data = told.get((row[1] or "", row[2] or ""))
            digest = blake2b((data or "").encode(), digest_size=16).digest()
            if source is not None and (oid in kept or source.statistics == digest):
                columns = old[oid].columns
            else:
                columns, types = self._columns(oid, row, data)
                source = _Source(self._told[oid], types, digest)
            sources[oid] = source
            drafts.append(self._relation(oid, row, columns))
            names[oid] = {column.position: column.name for column in columns}
        relations = (_with_keys(draft, names, self._attached) for draft in drafts)
        hidden = self._attached.lists.get("unreadable", [])
        first = next(iter(self._rows.values()), None)
        catalog = Catalog(
            relations=tuple(old[r.oid] if old.get(r.oid) == r else r for r in relations),
            search_path=session.search_path,
            objects=user_objects(self._attached),
            fingerprint=fingerprint,
            left_out=(int(first[10] or 0) if first else 0) - len(drafts),
            unreadable=tuple(name for name, _ in hidden),
            withheld=tuple(name for name, on_path in hidden if on_path),
            settings=self._attached.settings,
        )
        return BuiltCatalog(catalog, sources)

    def _digest(self, oid: int, row: tuple[Cell, ...]) -> bytes:
        """Of all that decides what the columns of a relation are, but for types and statistics."""
        secured = "secured" if self._secured(oid, row) else ""
        parts = (str(self._values), secured, row[1] or "", row[2] or "", row[9] or "")
        return blake2b("\0".join(parts).encode(), digest_size=16).digest()

    def _secured(self, oid: int, row: tuple[Cell, ...]) -> bool:
        return row[7] == "t" or self._attached.reach.shows_secured(oid)

    def _source(self, oid: int, before: BuiltCatalog) -> _Source | None:
        """What the columns were made of for `before`, where this is still so."""
        source = before.sources.get(oid)
        if source is None or source.told != self._told[oid]:
            return None
        same = all(self._facts(number) == facts for number, facts in source.types.items())
        return source if same else None

    def _facts(self, type_oid: int) -> _TypeFacts:
        base = self._attached.base_type(type_oid)
        return base, self._attached.labels.get(base, ()), self._attached.reach.converting(type_oid)

    def _columns(
        self, oid: int, row: tuple[Cell, ...], statistics: Cell
    ) -> tuple[tuple[Column, ...], dict[int, _TypeFacts]]:
        known = _statistics(statistics)
        hidden = self._secured(oid, row)
        types: dict[int, _TypeFacts] = {}
        found: list[Column] = []
        for number, column, type_name, type_oid, category, not_null, comment in parsed(row[9]) or ():
            facts = self._facts(int(type_oid))
            if int(type_oid) >= _FIRST_USER_OID:
                types[int(type_oid)] = facts
            base, labels, converting_runs = facts
            seen = known.get(column)
            found.append(
                Column(
                    name=intern(column),
                    type_name=intern(type_name),
                    type_oid=base,
                    category=intern(category),
                    position=number,
                    not_null=not_null,
                    comment=comment or "",
                    enum_labels=labels,
                    distinct=seen.distinct if seen else 0.0,
                    common_values=seen.values if seen and not hidden else (),
                    blank=bool(seen and seen.blank and not hidden),
                    converting_runs=converting_runs,
                    null_share=seen.null_share if seen else -1.0,
                    numeric=bool(seen and seen.numeric and not hidden),
                    period=_period(seen) if seen and category == "D" and not hidden else None,
                    extent=_extent(seen) if seen and category == "N" and not hidden else None,
                )
            )
        return tuple(found), types

    def _estimated_rows(self, oid: int, children: tuple[int, ...]) -> float:
        """The rows that reading a relation comes to, those of its children included; -1 if nothing tells.

        pg_class counts a partitioned table whole where it was analyzed itself, and what others inherit from
        without the others.
        """
        row = self._rows[oid]
        own = float(row[4] or -1)
        below = [float(self._rows[child][4] or -1) for child in children if child in self._rows]
        leaves = sum(max(0.0, rows) for rows in below)
        if not any(rows >= 0 for rows in below):
            return own
        return max(own, leaves) if row[3] == "p" else max(0.0, own) + leaves

    def _relation(self, oid: int, row: tuple[Cell, ...], columns: tuple[Column, ...]) -> Relation:
        _, nspname, relname, kind, _, comment, visible, active, partition_of, *_ = row
        reach = self._attached.reach
        children = _children(oid, reach.children)
        runs, reaches_foreign = reach.reading(oid, row_security=active == "t")
        return Relation(
            oid=oid,
            schema=intern(nspname or ""),  # NOT NULL in pg_class and pg_namespace
            name=relname or "",
            kind=kind or "r",
            columns=columns,
            comment=comment or "",
            estimated_rows=self._estimated_rows(oid, children),
            on_path=visible == "t",
            row_security=self._secured(oid, row),
            partition_of=int(partition_of or 0),
            children=children,
            runs=runs,
            reaches_foreign=reaches_foreign,
        )


def build(
    session: SessionState,
    relations: ResultSet,
    attachments: ResultSet,
    statistics: ResultSet,
    fingerprint: str = "",
) -> Catalog:
    """The catalog that the rows of `RELATIONS`, `ATTACHMENTS` and `STATISTICS` describe, made again.

    Raises DatabaseFailed as `Introspection` does.
    """
    return Introspection(relations, attachments).build(session, statistics, fingerprint).catalog


def _check_complete(relations: ResultSet, attachments: ResultSet) -> None:
    missing = ALWAYS_TOLD - {row[0] for row in attachments.rows}
    if missing or relations.truncated or attachments.truncated:
        raise DatabaseFailed(
            "the system catalogs could not be read completely",
            code="XX000",
            detail=f"Missing: {', '.join(sorted(missing))}." if missing else "The rows were cut off.",
        )


def _statistics(data: Cell) -> Mapping[str, _Statistics]:
    """By column what `STATISTICS` tell of one relation."""
    # the row over a whole tree of tables comes last and wins over the parent's own rows
    return {
        column: _Statistics(
            float(distinct),
            tuple(v for v in values or () if v and len(v) <= MAX_VALUE_LENGTH),
            float(nulls),
            "" in (values or ()),
            bool(numeric),
            tuple(ends or ()),
        )
        for column, _inherited, distinct, values, nulls, numeric, ends in sorted(
            parsed(data) or (), key=lambda entry: bool(entry[1])
        )
    }


def _period(seen: _Statistics) -> tuple[str, str] | None:
    """The first and the last day of dates or timestamps; None of other values, or where they have no end."""
    days = [_day(value) for value in seen.ends]
    if not all(days):
        return None
    days += filter(None, map(_day, seen.values))
    return (min(days), max(days)) if days else None


def _extent(seen: _Statistics) -> tuple[float, float] | None:
    """The least and the greatest of numbers."""
    numbers = [float(value) for value in (*seen.ends, *seen.values) if _NUMBER.fullmatch(value)]
    return (min(numbers), max(numbers)) if numbers else None


def _day(value: str) -> str:
    found = _DAY.match(value)
    return "" if found is None or value.endswith("BC") else found[0]


def _children(oid: int, known: Mapping[int, frozenset[int]]) -> tuple[int, ...]:
    """All that is below a relation, in ascending order."""
    found: set[int] = set()
    todo = [oid]
    while todo:
        new = known.get(todo.pop(), frozenset()) - found
        found |= new
        todo.extend(new)
    return tuple(sorted(found))


def _with_keys(
    relation: Relation, names: Mapping[int, Mapping[int, str]], attachments: Attachments
) -> Relation:
    own = names[relation.oid]
    indexed = tuple(own[n] for n in attachments.indexed.get(relation.oid, ()) if n in own)
    primary = _named(attachments.primary.get(relation.oid, ()), own)
    unique = [_named(key, own) for key in attachments.unique.get(relation.oid, ())]
    foreign = []
    for columns, target, target_columns in attachments.foreign.get(relation.oid, ()):
        here, there = _named(columns, own), _named(target_columns, names.get(target, {}))
        if here and there:
            foreign.append(ForeignKey(here, target, there))
    if not (primary or unique or foreign or indexed):
        return relation
    return replace(
        relation,
        primary_key=primary,
        unique_keys=tuple(sorted({key for key in unique if key})),
        indexed=indexed,
        foreign_keys=tuple(sorted(set(foreign), key=lambda k: (k.columns, k.target, k.target_columns))),
    )


def _named(numbers: tuple[int, ...], names: Mapping[int, str]) -> tuple[str, ...]:
    """The columns' names, or nothing when one of them is not readable."""
    return tuple(names[n] for n in numbers) if all(n in names for n in numbers) else ()
