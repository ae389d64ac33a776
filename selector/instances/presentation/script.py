"""A separating instance as a script for psql: paste it into an empty database and see both queries disagree.

Owns: which columns, types and keys the tables have, also for other exports. Values are whole: nothing is cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Cell, Row
from askwire.selector.instances.presentation.drawing import shown_columns
from askwire.selector.instances.types import Instance, InstanceTable, Separation
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier, quote_literal

_SYSTEM: Final = ("pg_catalog", "information_schema")


@dataclass(frozen=True, slots=True)
class ScriptColumn:
    """A column of an exported table: its type as PostgreSQL writes it, and the labels if that is an enum."""

    name: str
    type: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptTable:
    """A table of an export with its rows; `schema` is 'pg_temp' for a temporary one.

    `on_path`: its name without the schema means it. `references` are its foreign keys to other tables of the
    export, as text. They are not declared: rows that they name may be left out.
    """

    schema: str
    name: str
    columns: tuple[ScriptColumn, ...]
    primary_key: tuple[str, ...]
    rows: tuple[Row, ...]
    on_path: bool = True
    references: tuple[str, ...] = ()

    @property
    def quoted(self) -> str:
        """The name with its schema, as SQL."""
        return f"{quote_identifier(self.schema)}.{quote_identifier(self.name)}"

    @property
    def definition(self) -> str:
        """Its CREATE TABLE statement."""
        definitions = [f"{quote_identifier(c.name)} {c.type}" for c in self.columns]
        if self.primary_key:
            definitions.append(f"PRIMARY KEY ({', '.join(map(quote_identifier, self.primary_key))})")
        return f"CREATE TABLE {self.quoted} ({', '.join(definitions)});"


def script(separation: Separation, catalog: Catalog) -> str:
    """CREATE TABLE and INSERT statements for the instance (or the witness), then both queries.

    Views are made again where their definitions were followed, and else become tables of what was read from
    them. Types that PostgreSQL does not bring, other than enums
    and domains, are taken for granted. Raises ValueError when there are no rows to show.
    """
    instance = separation.instance or separation.witness
    if instance is None:
        raise ValueError("there are no rows on which the queries differ")
    tables = script_tables(instance, catalog)
    parts = [_comment(separation, instance), *before_tables(tables, separation.views, catalog)]
    for table in tables:
        parts += [table.definition, *_insert(table)]
    parts += view_definitions(separation.views)
    parts += numbered_queries(separation.candidates, instance.open_answers)
    return "\n".join(parts) + "\n"


def script_tables(instance: Instance, catalog: Catalog) -> tuple[ScriptTable, ...]:
    """The tables of an export in a stable order, without system catalogs."""
    kept = [t for t in instance.tables if t.schema not in _SYSTEM and t.oid in catalog.by_oid]
    oids = {table.oid for table in kept}
    return tuple(_table(table, catalog.by_oid[table.oid], catalog, oids) for table in kept)


def before_tables(
    tables: Sequence[ScriptTable], views: Sequence[tuple[Relation, str]], catalog: Catalog
) -> Iterator[str]:
    """The statements that tables and views need before them: schemas, the search path, enums."""
    yield from _schemas({t.schema for t in tables} | {view.schema for view, _ in views}, catalog)
    enums = {c.type: c.labels for table in tables for c in table.columns if c.labels}
    for name, labels in enums.items():
        yield f"CREATE TYPE {name} AS ENUM ({', '.join(map(quote_literal, labels))});"


def view_definitions(views: Sequence[tuple[Relation, str]]) -> Iterator[str]:
    """The statements that make views that were followed."""
    for view, definition in views:
        named = f"{quote_identifier(view.schema)}.{quote_identifier(view.name)}"
        yield f"CREATE VIEW {named} AS\n{definition};"


def numbered_queries(queries: Sequence[str], open_answers: Collection[int] = ()) -> Iterator[str]:
    """The queries as statements, each under a comment with its number."""
    for number, sql in enumerate(queries, 1):
        tied = " (rows tie: it may answer otherwise too)" if number - 1 in open_answers else ""
        yield f"-- Query {number}{tied}\n{sql.strip().rstrip(';')}\n;"


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


def _table(table: InstanceTable, relation: Relation, catalog: Catalog, oids: Collection[int]) -> ScriptTable:
    # What is shown, and the primary key, on which GROUP BY may rely.
    names = {c.name for c in shown_columns(table)} | set(relation.primary_key)
    columns = [c for c in relation.columns if c.name in names]
    references = (
        f"({', '.join(key.columns)}) references {target.schema}.{target.name} "
        f"({', '.join(key.target_columns)})"
        for key in relation.foreign_keys
        if key.target in oids and (target := catalog.by_oid[key.target])
    )
    found = catalog.find(table.name)
    return ScriptTable(
        # Temporary tables stand in a schema of their session's own, which has the alias pg_temp.
        "pg_temp" if table.schema.startswith("pg_temp_") else table.schema,
        table.name,
        tuple(_column(c, catalog) for c in columns),
        () if relation.inherited else relation.primary_key,
        tuple(tuple(table.cell(row, c.name) for c in columns) for row in table.rows),
        found is not None and found.oid == table.oid,
        tuple(references),
    )


def _column(column: Column, catalog: Catalog) -> ScriptColumn:
    """With a domain's base type: its checks hold for every value that was read through it."""
    labels = column.enum_labels if column.category == "E" else ()
    return ScriptColumn(column.name, catalog.objects.domains.get(column.type_name, column.type_name), labels)


def _insert(table: ScriptTable) -> Iterator[str]:
    if table.rows:
        listed = ", ".join(quote_identifier(c.name) for c in table.columns)
        rows = (f"({', '.join(map(_value, row))})" for row in table.rows)
        yield f"INSERT INTO {table.quoted} ({listed}) VALUES\n    " + ",\n    ".join(rows) + ";"


def _value(cell: Cell) -> str:
    return "NULL" if cell is None else quote_literal(cell)
