"""A catalog of hundreds of tables that hold nothing a question is about, except one.

Owns: that catalog, the same for the same numbers, and the rows of the system catalogs that tell of it.
"""

from __future__ import annotations

import json
from typing import Final

from askwire.core.types import Cell, ResultSet
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation
from askwire.sql.introspection.catalog_rows import ALWAYS_TOLD

QUESTION: Final = "which carrier sent the freight invoices"
"""What is asked of it; the answer lies in table `freight_invoices`."""
_ANSWERING_TABLE_NUMBER: Final = 417


def large(tables: int, columns: int = 12) -> Catalog:
    """So many tables of so many columns, each referencing the one before; number 417 is asked about."""
    relations = []
    for n in range(tables):
        own = [Column("id", "integer", 23, "N", 1), Column("previous_id", "integer", 23, "N", 2)]
        own += [
            Column(f"attribute_{n:04}_{c:02}", "character varying(40)", 1043, "S", c)
            for c in range(3, columns)
        ]
        last = "carrier" if n == _ANSWERING_TABLE_NUMBER else f"entered_{n:04}"
        own.append(Column(last, "timestamp without time zone", 1114, "D", columns))
        relations.append(
            Relation(
                n + 1,
                "public",
                "freight_invoices" if n == _ANSWERING_TABLE_NUMBER else f"ledger_segment_{n:04}",
                "r",
                tuple(own),
                primary_key=("id",),
                foreign_keys=(ForeignKey(("previous_id",), n, ("id",)),) if n else (),
            )
        )
    return Catalog(tuple(relations), search_path=("public",))


def as_rows(catalog: Catalog) -> tuple[ResultSet, ResultSet, ResultSet]:
    """What `RELATIONS`, `ATTACHMENTS` and `STATISTICS` would return of it."""
    many = sum(len(r.columns) for r in catalog)
    relations = tuple(_relation_row(r, len(catalog.relations), many) for r in catalog)
    keys: list[tuple[Cell, ...]] = [(kind, "0", None) for kind in sorted(ALWAYS_TOLD)]
    for r in catalog:
        numbers = {c.name: c.position for c in r.columns}
        keys.append(("unique", str(r.oid), json.dumps([True, str(numbers["id"]), 1])))
        for k in r.foreign_keys:
            told = [[numbers[c] for c in k.columns], str(k.target), [1]]
            keys.append(("foreign", str(r.oid), json.dumps(told)))
    statistics = tuple(
        (
            r.schema,
            r.name,
            json.dumps(
                [
                    [c.name, False, 20, [f"{c.name} {n}" for n in range(3)], 0.0, False, None]
                    for c in r.columns
                ]
            ),
        )
        for r in catalog
    )
    return ResultSet((), relations), ResultSet((), tuple(keys)), ResultSet((), statistics)


def _relation_row(relation: Relation, relations: int, columns: int) -> tuple[Cell, ...]:
    told = [
        [c.position, c.name, c.type_name, str(c.type_oid), c.category, c.not_null, c.comment or None]
        for c in relation.columns
    ]
    return (
        *(str(relation.oid), relation.schema, relation.name, relation.kind, "60", relation.comment or None),
        *("t", "f", None, json.dumps(told), str(relations), str(columns)),
    )
