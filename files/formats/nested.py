"""Nested values as flat tables.

Owns: which columns a struct becomes, and which lists become tables of their own.

    {"id": 7, "address": {"city": "Rome"}, "lines": [{"sku": "x"}]}   in orders.json

becomes orders (id, address city) and orders lines (orders id, sku). Lists of plain values, maps, and lists
inside such lists become jsonb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from askwire.files.formats.relation import Field, Relation, TextContent, literal, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MAX_STRUCT_COLUMNS: Final = 200
"""Fields of one struct that become columns; beyond that it is a dictionary, and jsonb."""


@dataclass(frozen=True, slots=True)
class _List:
    """A list of structs: its name, its expression, and the structs' type."""

    name: str
    expression: str
    item: Any


def flat_relations(
    connection: DuckDBPyConnection,
    original: str,
    scan: str,
    *,
    row: str,
    spelled: TextContent,
    wrapped: bool = False,
) -> list[Relation]:
    """The relations of a scan: first the table itself, then one for each list of structs in it.

    `row` numbers the rows of the scan, for lists of tables that have no key called id. `wrapped` says that a
    scan of one row may only wrap the tables in its lists. Raises duckdb.Error.
    """
    columns, types = _described(connection, scan)
    if (
        wrapped
        and len(columns) == 1
        and types[0].id == "map"
        and dict(types[0].children)["value"].id == "struct"
    ):
        entries = f"(SELECT unnest(map_entries({quoted(columns[0])})) AS entry FROM {scan})"
        flat, _ = _flattened("value", "entry.value", dict(types[0].children)["value"])
        fields = [
            ("key", "entry.key", "VARCHAR"),
            *((name.removeprefix("value "), e, t) for name, e, t in flat),
        ]
        return [_relation(original, entries, fields, spelled)]
    flat_fields: list[tuple[str, str, str]] = []
    lists: list[_List] = []
    for name, type_ in zip(columns, types, strict=True):
        found, inner = _flattened(name, quoted(name), type_)
        flat_fields += found
        lists += inner
    if not lists:
        return [_relation(original, scan, flat_fields, spelled)]
    if wrapped and _count(connection, f"SELECT count(*) FROM {scan}") == 1:
        relations = [
            _items(original if len(lists) == 1 else one.name, scan, one, (), spelled) for one in lists
        ]
        return [
            *relations,
            *([_relation(f"{original} info", scan, flat_fields, spelled)] if flat_fields else []),
        ]
    key = _key(connection, scan, flat_fields)
    if key is None:
        key = (f"{original} row", row, "BIGINT")
        flat_fields = [key, *flat_fields]
        reference = key
    else:
        reference = (f"{original} {key[0]}", key[1], key[2])
    return [
        _relation(original, scan, flat_fields, spelled),
        *(_items(f"{original} {one.name}", scan, one, (reference,), spelled) for one in lists),
    ]


def _described(connection: DuckDBPyConnection, scan: str) -> tuple[list[str], list[Any]]:
    relation = connection.sql(f"SELECT * FROM {scan}")
    return relation.columns, relation.types


def _relation(
    original: str, scan: str, fields: Sequence[tuple[str, str, str]], spelled: TextContent
) -> Relation:
    return Relation(original, scan, tuple(Field(name, e, type_, spelled) for name, e, type_ in fields))


def _flattened(name: str, expression: str, type_: Any) -> tuple[list[tuple[str, str, str]], list[_List]]:
    """The columns of one value, and the lists of structs in it."""
    if type_.id == "struct" and len(type_.children) <= MAX_STRUCT_COLUMNS:
        fields: list[tuple[str, str, str]] = []
        lists: list[_List] = []
        for child, child_type in type_.children:
            found, inner = _flattened(
                f"{name} {child}", f"struct_extract({expression}, {literal(child)})", child_type
            )
            fields += found
            lists += inner
        return fields, lists
    if type_.id == "list" and (item := type_.children[0][1]).id == "struct":
        return [], [_List(name, expression, item)]
    return [(name, expression, str(type_))], []


def _items(
    original: str, scan: str, one: _List, keys: Sequence[tuple[str, str, str]], spelled: TextContent
) -> Relation:
    """The table of a list: the keys of the row it stands in, and the fields of its items."""
    listed = ", ".join(
        [*(f"{key[1]} AS k{n}" for n, key in enumerate(keys)), f"unnest({one.expression}) AS item"]
    )
    fields = [(name, f"k{n}", type_) for n, (name, _, type_) in enumerate(keys)]
    for name, expression, type_ in _leaves("", "item", one.item):
        fields.append((name.strip(), expression, type_))
    return _relation(original, f"(SELECT {listed} FROM {scan})", fields, spelled)


def _leaves(name: str, expression: str, type_: Any) -> Iterator[tuple[str, str, str]]:
    """All columns of a value; lists in it stay lists."""
    if type_.id == "struct" and len(type_.children) <= MAX_STRUCT_COLUMNS:
        for child, child_type in type_.children:
            yield from _leaves(
                f"{name} {child}", f"struct_extract({expression}, {literal(child)})", child_type
            )
    else:
        yield name, expression, str(type_)


def _key(
    connection: DuckDBPyConnection, scan: str, fields: Sequence[tuple[str, str, str]]
) -> tuple[str, str, str] | None:
    """The column called id, where it tells every row apart."""
    for field in fields:
        if field[0].lower() in ("id", "_id", "uuid", "key"):
            rows = f"count(*) - count(DISTINCT {field[1]})"
            if not _count(connection, f"SELECT {rows} FROM {scan}"):
                return field
    return None


def _count(connection: DuckDBPyConnection, query: str) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0
