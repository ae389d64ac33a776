"""The rows of `sql.introspection.attachments`, understood: what hangs on relations and types.

Owns: what each kind of row means. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.core.types import Cell, ResultSet
from askwire.sql.catalog import UserObjects
from askwire.sql.introspection.reach import Reach, typed

MOST_SETTINGS: Final = 100


@dataclass(slots=True)
class Attachments:
    """What hangs on relations and types, by OID; columns still by attribute number."""

    primary: dict[int, tuple[int, ...]] = field(default_factory=dict)
    unique: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    indexed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    foreign: dict[int, list[tuple[tuple[int, ...], int, tuple[int, ...]]]] = field(default_factory=dict)
    labels: dict[int, tuple[str, ...]] = field(default_factory=dict)
    base: dict[int, int] = field(default_factory=dict)
    domains: dict[str, str] = field(default_factory=dict)
    type_runs: dict[int, tuple[str, ...]] = field(default_factory=dict)
    settings: tuple[str, ...] | None = ()
    """The settings that policies and views read, by name; None where this cannot be known."""
    lists: dict[str, list[Any]] = field(default_factory=dict)
    reach: Reach = field(default_factory=Reach)

    def base_type(self, oid: int) -> int:
        """The type below all domains."""
        while oid in self.base:
            oid = self.base[oid]
        return oid


def parsed(cell: Cell) -> Any:
    """The JSON of a cell; None where it is NULL."""
    return None if cell is None else json.loads(cell)


def _numbers(numbers: Iterable[int | str]) -> tuple[int, ...]:
    return tuple(int(n) for n in numbers)


def _settings(told: Any) -> tuple[str, ...] | None:
    """The names that calls of `current_setting` are given, None unless each of them is given a constant."""
    constants, names = told["bytes"] or (), told["names"] or ()
    known = told["calls"] == len(constants) and told["sources"] == len(names) and not told["opaque"]
    found = {*names, *map(_text_constant, constants)}
    return tuple(sorted(found)) if known and len(found) <= MOST_SETTINGS else None


def _text_constant(printed: str) -> str:
    """The text of a constant in a node tree: its bytes as signed numbers, behind a length of four bytes."""
    return bytes(int(number) & 0xFF for number in printed.split())[4:].decode("utf-8", "replace")


def read_attachments(rows: ResultSet) -> Attachments:
    """What the rows of `ATTACHMENTS` say."""
    found = Attachments()
    for kind, oid_text, data in rows.rows:
        oid, value = int(oid_text or 0), parsed(data)
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
            case "indexed":
                found.indexed[oid] = _numbers(value)
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
            case "settings":
                found.settings = _settings(value)
            case "type_runs":
                found.type_runs = {int(oid): tuple(names) for oid, names in value.items()}
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


def user_objects(attached: Attachments) -> UserObjects:
    """The names outside pg_catalog that are shown about."""
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
        type_runs=attached.type_runs,
    )
