"""Columns whose values are no one's to keep or to look up: by their comment, or by a list of names.

Owns: which columns these are, and a catalog without their values.

    COMMENT ON COLUMN people.ssn IS 'Social security number; askwire: no values'
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from askwire.sql.catalog import Catalog, Column, Relation

_NO_VALUES_REMARK: Final = re.compile(r"(?:^|\W)askwire:\s*no values(?!\w)", re.I)


def without_values(
    catalog: Catalog, names: Collection[str] = (), before: tuple[Catalog, Catalog] | None = None
) -> Catalog:
    """The catalog with `values_off` columns, and none of their values; itself where there are none.

    `names` are 'schema.table.column' with '*' for any text, of which a part of a partitioned table is named
    by the whole as well. `before` is an earlier catalog and what this made of it: what is the same object
    in both catalogs is not looked at again.
    """
    roots = catalog.by_oid
    had, gave = (before[0].by_oid, before[1].by_oid) if before else ({}, {})

    def known(relation: Relation) -> bool:
        root = roots.get(relation.partition_of, relation)
        return had.get(relation.oid) is relation and (root is relation or had.get(root.oid) is root)

    relations = tuple(
        gave[r.oid] if known(r) else _without(r, roots.get(r.partition_of, r), names) for r in catalog
    )
    if all(new is old for new, old in zip(relations, catalog, strict=True)):
        return catalog
    return replace(catalog, relations=relations)


def _without(relation: Relation, root: Relation, names: Collection[str]) -> Relation:
    columns = tuple(
        replace(c, values_off=True, common_values=(), blank=False, numeric=False, period=None, extent=None)
        if _is_off(relation, root, c, names)
        else c
        for c in relation.columns
    )
    if all(new is old for new, old in zip(columns, relation.columns, strict=True)):
        return relation
    return replace(relation, columns=columns)


def is_off(schema: str, relation: str, column: str, comment: str, names: Collection[str] = ()) -> bool:
    """Whether values of a column are not to be read, by its comment or by `names` ('schema.table.column')."""
    if comment and _NO_VALUES_REMARK.search(comment):
        return True
    return any(fnmatchcase(f"{schema}.{relation}.{column}", name) for name in names)


def _is_off(relation: Relation, root: Relation, column: Column, names: Collection[str]) -> bool:
    return any(is_off(r.schema, r.name, column.name, column.comment, names) for r in (relation, root))
