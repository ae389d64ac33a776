"""Relations that hold what others hold: tables that inherit from one, and views.

Owns: which relations of a catalog are no rivals of the tables that they are made of, and when a question
names one of them all the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from askwire.language.text import singular
from askwire.planner.embedded.schema import identifiers
from askwire.sql.catalog import Catalog, Relation


def base_relations(relations: Iterable[Relation], *, views: bool) -> tuple[Relation, ...]:
    """The relations without those whose rows others read; without views, too, unless `views`.

    A table that inherits stays where it has a column of its own. Views stay where there is no table.
    """
    given = tuple(relations)
    parents = {child: r for r in given for child in r.children}
    kept = tuple(r for r in given if r.oid not in parents or not _same(r, parents[r.oid]))
    if views or all(is_view(r) for r in kept):
        return kept
    return tuple(r for r in kept if not is_view(r))


def is_view(relation: Relation) -> bool:
    """Whether a relation shows rows of others."""
    return relation.kind in {"v", "m"}


def names_view(words: frozenset[str], catalog: Catalog) -> bool:
    """Whether all the words of some view's name are among those of a question."""
    return any(words.issuperset(_words(r)) for r in catalog if is_view(r))


def _words(relation: Relation) -> set[str]:
    return {singular(piece.lower()) for piece in identifiers.pieces(relation.name)}


def _same(child: Relation, parent: Relation) -> bool:
    return {c.name for c in child.columns} <= {c.name for c in parent.columns}
