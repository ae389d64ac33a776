"""A separating instance as a script for psql: paste it into an empty database and see both queries disagree.

Owns: which columns, types and keys the tables of the script have. Must not know: how an instance is found.
The script holds every value whole: nothing is cut or masked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from askwire.core.types import Cell
from askwire.selector.instances.drawing import shown_columns
from askwire.selector.instances.types import Instance, InstanceTable, Separation
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier, quote_literal

_SYSTEM: Final = ("pg_catalog", "information_schema")


def script(separation: Separation, catalog: Catalog) -> str:
    """CREATE TABLE and INSERT statements for the instance (or the witness), then both queries.

    Views are made anew where their definitions were followed, and else become tables of what was read from
    them. Types that PostgreSQL does not bring, other than enums
    and domains, are taken for granted. Raises ValueError when there are no rows to show.
    """
    instance = separation.instance or separation.witness
    if instance is None:
        raise ValueError("there are no rows on which the queries differ")
    schemas = {_schema(table) for table in instance.tables} | {view.schema for view, _ in separation.views}
    parts = [_comment(separation, instance), *_schemas(schemas, catalog), *_enums(instance, catalog)]
    for table in instance.tables:
        parts += _table(table, catalog)
    for view, definition in separation.views:
        named = f"{quote_identifier(view.schema)}.{quote_identifier(view.name)}"
        parts.append(f"CREATE VIEW {named} AS\n{definition};")
    for number, sql in enumerate(separation.candidates, 1):
        tied = " (rows tie: it may answer otherwise too)" if number - 1 in instance.open_answers else ""
        parts.append(f"-- Query {number}{tied}\n{sql.strip().rstrip(';')}\n;")
    return "\n".join(parts) + "\n"


def _comment(separation: Separation, instance: Instance) -> str:
    rows = f"{instance.size} row{'' if instance.size == 1 else 's'}"
    made_up = " (made up)" if instance.synthetic else ""
    order = "; the order of the answers' rows counts" if separation.ordered else ""
    return f"-- {rows}{made_up} on which two queries give different answers{order}.\n"


def _schemas(schemas: Collection[str], catalog: Catalog) -> Iterator[str]:
    """The schemas of the tables, and the path that makes unqualified names mean them."""
    used = sorted({*schemas} - {"public", "pg_temp", *_SYSTEM})
    yield from (f"CREATE SCHEMA {quote_identifier(schema)};" for schema in used)
    path = [s for s in catalog.search_path if s in used or s == "public"]
    if path and path != ["public"]:
        yield f"SET search_path TO {', '.join(map(quote_identifier, path))};"


def _schema(table: InstanceTable) -> str:
    """Temporary tables stand in a schema of their session's own, which has the alias pg_temp."""
    return "pg_temp" if table.schema.startswith("pg_temp_") else table.schema


def _enums(instance: Instance, catalog: Catalog) -> Iterator[str]:
    made = set()
    for table in instance.tables:
        for column in _columns(table, catalog.by_oid.get(table.oid)):
            name = column.type_name
            if column.enum_labels and column.category == "E" and name not in made:
                made.add(name)
                labels = ", ".join(map(quote_literal, column.enum_labels))
                yield f"CREATE TYPE {name} AS ENUM ({labels});"


def _columns(table: InstanceTable, relation: Relation | None) -> list[Column]:
    """What the script's table holds: what is shown, and the primary key, on which GROUP BY may rely."""
    if relation is None:
        return []
    names = {c.name for c in shown_columns(table)} | set(relation.primary_key)
    return [c for c in relation.columns if c.name in names]


def _table(table: InstanceTable, catalog: Catalog) -> Iterator[str]:
    relation = catalog.by_oid.get(table.oid)
    if table.schema in _SYSTEM or relation is None:
        return
    columns = _columns(table, relation)
    name = f"{quote_identifier(_schema(table))}.{quote_identifier(table.name)}"
    definitions = [f"{quote_identifier(c.name)} {_type(c, catalog)}" for c in columns]
    if relation.primary_key and not relation.inherited:
        definitions.append(f"PRIMARY KEY ({', '.join(map(quote_identifier, relation.primary_key))})")
    yield f"CREATE TABLE {name} ({', '.join(definitions)});"
    if not table.rows:
        return
    listed = ", ".join(quote_identifier(c.name) for c in columns)
    rows = (f"({', '.join(_value(table.cell(row, c.name)) for c in columns)})" for row in table.rows)
    yield f"INSERT INTO {name} ({listed}) VALUES\n    " + ",\n    ".join(rows) + ";"


def _type(column: Column, catalog: Catalog) -> str:
    """A domain's base type: its checks hold for every value that was read through it."""
    return catalog.objects.domains.get(column.type_name, column.type_name)


def _value(cell: Cell) -> str:
    return "NULL" if cell is None else quote_literal(cell)
