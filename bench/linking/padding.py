"""A schema made large: other schemas' tables beside it on one search_path.

Owns: which tables are added, and that their keys stay right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from askwire.bench.engine.large_catalog import large
from askwire.sql.catalog import Catalog, Relation


def alone(catalog: Catalog) -> Catalog:
    """What the search_path reaches, and nothing else."""
    return replace(catalog, relations=tuple(r for r in catalog if r.on_path))


def padded(catalog: Catalog, others: Sequence[Catalog], tables: int) -> Catalog:
    """The relations of the search_path first, and so many together that there are `tables` of them.

    Added are the other schemas of the same database, those of other databases, and where these do not
    suffice, tables that are made up.
    """
    near = [r for r in catalog if r.on_path]
    relations = [*near, *_together(r for r in catalog if not r.on_path)]
    for other in (*others, large(tables)):
        relations += _together(_numbered(other, 1 + max((r.oid for r in relations), default=0)))
    return replace(catalog, relations=tuple(relations[: max(tables, len(near))]))


def _together(relations: Iterable[Relation]) -> Iterable[Relation]:
    return (replace(relation, on_path=True) for relation in relations)


def _numbered(catalog: Catalog, first: int) -> Iterable[Relation]:
    """The relations with other OIDs, from `first` on, and keys that follow."""
    own = {relation.oid: number for number, relation in enumerate(catalog, first)}
    for relation in catalog:
        keys = tuple(replace(k, target=own[k.target]) for k in relation.foreign_keys if k.target in own)
        yield replace(relation, oid=own[relation.oid], foreign_keys=keys)
