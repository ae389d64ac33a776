"""From rows of the system catalogs to a `Catalog`.

Owns: the meaning of what `sql.introspection_queries` and `sql.introspection_attachments` return. Pure: the
rows come from whoever has a connection (`planner.catalogs`). Must not know: connections, caches, questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Any, Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultSet, SessionState
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation, UserObjects
from askwire.sql.introspection_reach import Reach, typed

MAX_COLUMNS: Final = 60_000
"""Columns held of one database; relations beyond it are left out, off the search_path first."""
MAX_COMMON_VALUES: Final = 100_000
"""Common values held of one database, shared out among its columns."""
MAX_VALUES_PER_COLUMN: Final = 100
"""PostgreSQL's default statistics target."""
MAX_VALUE_LENGTH: Final = 100
"""Characters; a longer value is a text, not a name a question would mention."""


_ALWAYS_TOLD: Final = frozenset(
    (
        *("types", "functions", "operators", "open_types", "converting_types"),
        *("foreign tables", "secured tables", "unreadable"),
    )
)
"""Kinds of `ATTACHMENTS` that have one row in every database, with no data where there is nothing."""


@dataclass(frozen=True, slots=True)
class _Statistics:
    distinct: float
    values: tuple[str, ...]


@dataclass(slots=True)
class _Attachments:
    """What hangs on relations and types, by OID; columns still by attribute number."""

    primary: dict[int, tuple[int, ...]] = field(default_factory=dict)
    unique: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    foreign: dict[int, list[tuple[tuple[int, ...], int, tuple[int, ...]]]] = field(default_factory=dict)
    labels: dict[int, tuple[str, ...]] = field(default_factory=dict)
    base: dict[int, int] = field(default_factory=dict)
    domains: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    reach: Reach = field(default_factory=Reach)

    def base_type(self, oid: int) -> int:
        """The type below all domains."""
        while oid in self.base:
            oid = self.base[oid]
        return oid


_Statistic = Mapping[tuple[str, str, str], _Statistics]


def values_per_column(relations: ResultSet) -> int:
    """How many common values `STATISTICS` shall return per column, so that all of them stay bounded."""
    columns = max((int(row[11] or 0) for row in relations.rows), default=0)
    return max(1, min(MAX_VALUES_PER_COLUMN, MAX_COMMON_VALUES // max(columns, 1)))


def build(
    session: SessionState,
    relations: ResultSet,
    attachments: ResultSet,
    statistics: ResultSet,
    fingerprint: str = "",
) -> Catalog:
    """The catalog that the rows of `RELATIONS`, `ATTACHMENTS` and `STATISTICS` describe.

    Raises DatabaseFailed when rows that a gate relies on are missing: absence must not be read as "none".
    Keys appear only where the asker may read all their columns, on both sides of a foreign key; common values
    never where row-level security is active. Relations come ordered by schema and name.
    """
    _check_complete(relations, attachments)
    attached = _attachments(attachments)
    statistic = _statistics(statistics)
    names: dict[int, dict[int, str]] = {}
    drafts: list[Relation] = []
    for row in relations.rows:
        relation, by_number = _relation(row, attached, statistic)
        drafts.append(relation)
        names[relation.oid] = by_number
    hidden = attached.lists.get("unreadable", [])
    readable = int(relations.rows[0][10] or 0) if relations.rows else 0
    return Catalog(
        relations=tuple(_with_keys(r, names, attached) for r in drafts),
        search_path=session.search_path,
        objects=_objects(attached),
        fingerprint=fingerprint,
        left_out=readable - len(drafts),
        unreadable=tuple(name for name, _ in hidden),
        withheld=tuple(name for name, on_path in hidden if on_path),
    )


def _check_complete(relations: ResultSet, attachments: ResultSet) -> None:
    missing = _ALWAYS_TOLD - {row[0] for row in attachments.rows}
    if missing or relations.truncated or attachments.truncated:
        raise DatabaseFailed(
            "the system catalogs could not be read completely",
            code="XX000",
            detail=f"Nothing was told of: {', '.join(sorted(missing))}."
            if missing
            else "The rows were cut off.",
        )


def _objects(attached: _Attachments) -> UserObjects:
    functions = attached.lists.get("functions", [])
    operators = attached.lists.get("operators", [])
    return UserObjects(
        functions=frozenset(name for name, _ in functions),
        operators=frozenset(name for name, _ in operators),
        types=frozenset(attached.lists.get("types", [])),
        domains=attached.domains,
        typed_functions=typed((name, _numbers(types)) for name, types in functions),
        typed_operators=typed((name, _numbers(types)) for name, types in operators),
        open_types=frozenset(_numbers(attached.lists.get("open_types", []))),
        converting_types=frozenset(_numbers(attached.lists.get("converting_types", []))),
    )


def _json(cell: Cell) -> Any:
    return None if cell is None else json.loads(cell)


def _numbers(numbers: Iterable[int | str]) -> tuple[int, ...]:
    return tuple(int(n) for n in numbers)


def _attachments(rows: ResultSet) -> _Attachments:
    found = _Attachments()
    for kind, oid_text, data in rows.rows:
        oid, value = int(oid_text or 0), _json(data)
        if value is None:  # json_agg of nothing
            continue
        match kind:
            case "unique":
                primary, numbers, key_columns = value
                key = _numbers(numbers.split()[:key_columns])
                if primary:
                    found.primary[oid] = key
                else:
                    found.unique.setdefault(oid, []).append(key)
            case "foreign":
                columns, target, target_columns = value
                found.foreign.setdefault(oid, []).append(
                    (_numbers(columns), int(target), _numbers(target_columns))
                )
            case "enum":
                found.labels[oid] = tuple(value)
            case "domain":
                name, base_oid, base_name = value
                found.base[oid] = int(base_oid)
                found.domains[name] = base_name
            case "view reads":
                found.reach.view_reads[oid] = frozenset(_numbers(value))
            case "stored reads":
                found.reach.stored_reads[oid] = frozenset(_numbers(value))
            case "policy reads":
                found.reach.policy_reads[oid] = frozenset(_numbers(value))
            case "view runs" | "view calls":
                found.reach.view_runs[oid] = found.reach.view_runs.get(oid, frozenset()).union(value)
            case "policy runs" | "policy calls":
                found.reach.policy_runs[oid] = found.reach.policy_runs.get(oid, frozenset()).union(value)
            case "check runs" | "check calls":
                found.reach.check_runs[oid] = found.reach.check_runs.get(oid, frozenset()).union(value)
            case "table runs":
                found.reach.table_runs[oid] = frozenset(value)
            case "view types":
                found.reach.view_types[oid] = frozenset(_numbers(value))
            case "policy types":
                found.reach.policy_types[oid] = frozenset(_numbers(value))
            case "check types":
                found.reach.check_types[oid] = frozenset(_numbers(value))
            case "checked":
                found.reach.checked[oid] = frozenset(_numbers(value))
            case "children":
                found.reach.children[oid] = frozenset(_numbers(value))
            case "foreign tables":
                found.reach.foreign = frozenset(_numbers(value))
            case "secured tables":
                found.reach.secured = frozenset(_numbers(value))
            case _:
                found.lists[kind or ""] = value
    return found


def _statistics(rows: ResultSet) -> _Statistic:
    found: dict[tuple[str, str, str], _Statistics] = {}
    for schema, table, data in rows.rows:
        # the row over a whole tree of tables comes last and wins over the parent's own rows
        for column, _inherited, distinct, values in sorted(_json(data), key=lambda entry: bool(entry[1])):
            found[schema or "", table or "", column] = _Statistics(
                float(distinct), tuple(v for v in values or () if v and len(v) <= MAX_VALUE_LENGTH)
            )
    return found


def _relation(
    row: tuple[Cell, ...], attachments: _Attachments, statistic: _Statistic
) -> tuple[Relation, dict[int, str]]:
    (
        oid,
        nspname,
        relname,
        kind,
        tuples,
        comment,
        visible,
        secured,
        partition_of,
        columns,
        _readable,
        _so_far,
    ) = row
    schema, name = nspname or "", relname or ""  # NOT NULL in pg_class and pg_namespace
    number_of_relation = int(oid or 0)
    active = secured == "t"
    row_security = active or attachments.reach.shows_secured(number_of_relation)
    runs, reaches_foreign = attachments.reach.reading(number_of_relation, row_security=active)
    by_number: dict[int, str] = {}
    found: list[Column] = []
    for number, column, type_name, type_oid, category, not_null, column_comment in _json(columns) or ():
        by_number[number] = column
        base = attachments.base_type(int(type_oid))
        known = statistic.get((schema, name, column))
        found.append(
            Column(
                name=intern(column),
                type_name=intern(type_name),
                type_oid=base,
                category=intern(category),
                position=number,
                not_null=not_null,
                comment=column_comment or "",
                enum_labels=attachments.labels.get(base, ()),
                distinct=known.distinct if known else 0.0,
                common_values=known.values if known and not row_security else (),
                converting_runs=attachments.reach.converting(int(type_oid)),
            )
        )
    relation = Relation(
        oid=number_of_relation,
        schema=intern(schema),
        name=name,
        kind=kind or "r",
        columns=tuple(found),
        comment=comment or "",
        estimated_rows=float(tuples or -1),
        on_path=visible == "t",
        row_security=row_security,
        partition_of=int(partition_of or 0),
        children=_children(number_of_relation, attachments.reach.children),
        runs=runs,
        reaches_foreign=reaches_foreign,
    )
    return relation, by_number


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
    relation: Relation, names: Mapping[int, Mapping[int, str]], attachments: _Attachments
) -> Relation:
    own = names[relation.oid]
    primary = _named(attachments.primary.get(relation.oid, ()), own)
    unique = [_named(key, own) for key in attachments.unique.get(relation.oid, ())]
    foreign = []
    for columns, target, target_columns in attachments.foreign.get(relation.oid, ()):
        here, there = _named(columns, own), _named(target_columns, names.get(target, {}))
        if here and there:
            foreign.append(ForeignKey(here, target, there))
    if not (primary or unique or foreign):
        return relation
    return replace(
        relation,
        primary_key=primary,
        unique_keys=tuple(sorted({key for key in unique if key})),
        foreign_keys=tuple(sorted(set(foreign), key=lambda k: (k.columns, k.target, k.target_columns))),
    )


def _named(numbers: tuple[int, ...], names: Mapping[int, str]) -> tuple[str, ...]:
    """The columns' names, or nothing when one of them is not readable."""
    return tuple(names[n] for n in numbers) if all(n in names for n in numbers) else ()
