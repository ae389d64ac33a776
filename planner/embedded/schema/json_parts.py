"""What JSON columns hold: the keys of their objects, as columns of their own.

Owns: one short look at the documents of JSON columns when a catalog is new, what kind of values each key has,
and the SQL that reads a key's value.

    profile = {"city": "Porto", "age": 41, "tags": ["new"], "work": {"phone": "…"}} →
    profile.city (text), profile.age (number), profile.tags (array of text), profile.work.phone (text)
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from askwire.core.protocols import Executor
from askwire.planner.embedded.schema.looks import SEARCHED_ROWS, Look, look, table_of
from askwire.planner.embedded.schema.text_times import template
from askwire.sql.catalog import PLAIN_NUMBER, Catalog, Column, Relation
from askwire.sql.literals import array_text, quote_identifier, quote_literal
from askwire.sql.safety.probes import quiet

SAMPLED_DOCUMENTS: Final = 60
"""Documents of one column that are looked at."""
MAX_COLUMNS: Final = 20
"""JSON columns that are looked at, those on the search_path first."""
MAX_KEYS: Final = 40
"""Objects with more keys than this are maps: their keys are values, not names."""
MAX_DEPTH: Final = 2
_MAX_DOCUMENT_BYTES: Final = 20_000
"""Bytes of a document's text; longer ones are passed over."""
_KEY: Final = re.compile(r"(?=.*[A-Za-z]{2})[A-Za-z_][A-Za-z0-9_ -]{0,40}")
_NUMBER: Final = r"^-?[0-9]+(\.[0-9]+)?$"
_MIN_PATH_SHARE: Final = 0.05
_MIN_TELLING_VALUES: Final = 3
"""Different values from which a part of text is known to hold numbers."""
_KEPT_VALUES: Final = 20
_JSON_TYPES: Final = frozenset({"json", "jsonb"})
_TEXT_OID: Final = 25

_Path = tuple[str, ...]

Parts = Mapping[int, tuple[Column, ...]]
"""OID of the relation → the parts of its JSON columns; `Column.within` says which column and keys."""


async def read_parts(
    executor: Executor, relations: Iterable[Relation]
) -> tuple[dict[int, tuple[Column, ...]], frozenset[int]]:
    """The parts of relations' JSON columns, of at most `MAX_COLUMNS` of them.

    Views and foreign tables are not read, for they may be dear, nor tables whose rows must not be remembered.
    What cannot be read has no parts; beside them the relations (OIDs) of which that holds.
    """
    wanted = [
        (relation, column)
        for relation in sorted(relations, key=lambda r: not r.on_path)
        if relation.kind in "rpm"
        and not relation.partition_of
        and not relation.row_security
        and quiet(relation)
        for column in relation.columns
        if column.type_name in _JSON_TYPES and not column.values_off
    ][:MAX_COLUMNS]
    seen = await look(executor, [_few(r, c) for r, c in wanted], max_rows=SAMPLED_DOCUMENTS)
    found: dict[int, tuple[Column, ...]] = {}
    for (relation, column), rows in zip(wanted, seen.rows, strict=False):
        documents = [document for (text,) in rows or () if text for document in _read(text)]
        found[relation.oid] = found.get(relation.oid, ()) + parts_of(column, documents)
    return {oid: parts for oid, parts in found.items() if parts}, seen.missed


def _few(relation: Relation, column: Column) -> Look:
    """A few documents; those that are stored wide are not fetched, nor are those that turn out so sent."""
    name = quote_identifier(column.name)
    rows = f"(SELECT {name} AS c FROM {table_of(relation)} LIMIT {SEARCHED_ROWS}) AS first"
    short = f"c IS NOT NULL AND pg_catalog.pg_column_size(c) OPERATOR(pg_catalog.<) {_MAX_DOCUMENT_BYTES}"
    few = f"(SELECT c::pg_catalog.text AS v FROM {rows} WHERE {short} LIMIT {SAMPLED_DOCUMENTS}) AS few"
    told = (
        f"SELECT v FROM {few} WHERE pg_catalog.octet_length(v) OPERATOR(pg_catalog.<) {_MAX_DOCUMENT_BYTES}"
    )
    return Look(told, (relation.oid,))


def _read(text: str) -> Iterator[object]:
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        return


def parts_of(column: Column, documents: Sequence[object]) -> tuple[Column, ...]:
    """The parts of one JSON column, by what `documents` (parsed) of it hold; in the order they come.

    A column of arrays of text only is one part: itself.
    """
    values: dict[_Path, list[object]] = {}
    for document in documents:
        _collect(document, (), values)
    whole = values.pop((), [])
    if not values:
        return (_array(column, ()),) if _texts(whole) else ()
    shared = Counter(path[:-1] for path in values)
    kept = [
        (path, seen)
        for path, seen in values.items()
        if shared[path[:-1]] <= MAX_KEYS and len(seen) >= _MIN_PATH_SHARE * len(documents)
    ]
    return tuple(part for path, seen in kept if (part := _part(column, path, seen)) is not None)


def _collect(value: object, path: _Path, values: dict[_Path, list[object]]) -> None:
    if isinstance(value, dict) and len(path) < MAX_DEPTH:
        if len(value) > MAX_KEYS:
            return
        for key, inner in value.items():
            if _KEY.fullmatch(key):
                _collect(inner, (*path, key), values)
    elif value is not None and not isinstance(value, dict):
        values.setdefault(path, []).append(value)


def _texts(seen: Iterable[object]) -> bool:
    """Whether all are arrays of text, and one of them holds something."""
    arrays = list(seen)
    return (
        all(isinstance(a, list) for a in arrays)
        and any(arrays)
        and all(isinstance(v, str) for a in arrays if isinstance(a, list) for v in a)
    )


def _array(column: Column, path: _Path) -> Column:
    return _named(column, path, "text[]", "A")


def _named(column: Column, path: _Path, type_name: str, category: str) -> Column:
    return Column(
        name=".".join((column.name, *path)),
        type_name=type_name,
        type_oid=_TEXT_OID,
        category=category,
        position=column.position,
        within=(column.name, *path),
    )


def _part(column: Column, path: _Path, seen: Sequence[object]) -> Column | None:
    if _texts(seen):
        return _array(column, path)
    if all(isinstance(v, bool) for v in seen):
        return _named(column, path, "boolean", "B")
    if not all(isinstance(v, (str, int, float)) for v in seen):
        return None
    numbers = [v for v in seen if not isinstance(v, (str, bool))]
    if numbers and sum(bool(re.fullmatch(_NUMBER, str(v))) for v in seen) * 2 >= len(seen):
        return _named(column, path, "numeric", "N")
    common = Counter(str(v) for v in seen)
    values = tuple(v for v, _ in common.most_common(_KEPT_VALUES) if len(v) <= 80)
    numeric = len(common) >= _MIN_TELLING_VALUES and all(re.fullmatch(PLAIN_NUMBER, v) for v in common if v)
    return replace(_named(column, path, "text", "S"), common_values=values, numeric=numeric)


def dates_of(parts: Parts) -> dict[tuple[int, str], str]:
    """How parts of text that hold dates write them, as `text_times` tells it of columns."""
    return {
        (oid, part.name): way
        for oid, columns in parts.items()
        for part in columns
        if part.category == "S" and (way := template(part.common_values))
    }


def with_parts(catalog: Catalog, parts: Parts) -> Catalog:
    """The catalog whose relations have their parts behind their columns."""
    if not parts:
        return catalog
    relations = tuple(
        replace(r, columns=r.columns + parts[r.oid]) if r.oid in parts else r for r in catalog.relations
    )
    return replace(catalog, relations=relations)


def expression(column: Column, whole: str, *, apart: bool = False) -> str:
    """SQL for a part: `whole` is the (qualified, quoted) name of the JSON column.

    `apart` from what the search_path holds: operators and types are pg_catalog's.
    """
    keys = column.within[1:]
    one, path, below, like = (f"OPERATOR(pg_catalog.{o})" if apart else o for o in ("->>", "#>>", "#>", "~"))
    schema = "pg_catalog." if apart else ""
    if column.category == "A":
        document = f"({whole})::{schema}jsonb"
        return f"({document} {below} {quote_literal(array_text(keys))})" if keys else document
    if len(keys) == 1:
        text = f"({whole} {one} {quote_literal(keys[0])})"
    else:
        text = f"({whole} {path} {quote_literal(array_text(keys))})"
    # documents outside the sample may hold something else: it is no number, and nothing fails
    if column.category == "N":
        return f"CASE WHEN {text} {like} '{_NUMBER}' THEN {text}::{schema}numeric END"
    if column.category == "B":
        return f"CASE {text} WHEN 'true' THEN true WHEN 'false' THEN false END"
    return text


def rows_of(column: Column) -> tuple[str, str]:
    """SQL for looking a part up: its value, and what a row of its table holds of it ('' for the row itself).

    An array's value stands in as many rows as it has elements, and in none where it is no array.
    """
    value = expression(column, quote_identifier(column.within[0]), apart=True)
    if column.category != "A":
        return value, ""
    array = f"CASE pg_catalog.jsonb_typeof({value}) WHEN 'array' THEN {value} END"
    return "v", f"pg_catalog.jsonb_array_elements_text({array})"
