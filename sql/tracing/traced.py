"""A query made ready for tracing: resolved once, with the texts that a search sends.

Owns: putting the passes together for one query, and remembering them (a candidate meets many others).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from askwire.sql.catalog import Catalog
from askwire.sql.printing import to_sql
from askwire.sql.safety.probes import loud_type
from askwire.sql.tracing.boundaries import counts
from askwire.sql.tracing.identity import Source, source
from askwire.sql.tracing.kept_out import keeps_out
from askwire.sql.tracing.lineage import MAX_MEMBERS, Lineage
from askwire.sql.tracing.scopes import Scopes, resolve
from askwire.sql.tracing.shadows import check_shadows, shadowed
from askwire.sql.tracing.ties import cuts_below, is_ordered, takes_some, tie_broken, tie_shuffled, with_ties
from askwire.sql.tracing.tree import Untraceable, is_set_operation, parse_query, walk
from askwire.sql.tracing.views import View, inline

MAX_LISTED_THRESHOLD: Final = 200
"""The largest number of a group's rows that a HAVING clause may ask for and still have them listed."""
MAX_NESTED_VIEWS: Final = 8
"""Views below views that are followed."""


@dataclass(frozen=True, eq=False)
class TracedQuery:
    """One query and what tracing says of it; the texts are made when first asked for."""

    sql: str
    tree: Any
    scopes: Scopes
    sources: Mapping[int, Source]
    """The relations it reads, by OID."""
    original: str = ""
    """The query as it was before views were replaced; empty when it is the same."""

    @property
    def text(self) -> str:
        """The query as it was given."""
        return self.original or self.sql

    @property
    def ordered(self) -> bool:
        """Whether it asks for an order of its rows."""
        return is_ordered(self.tree)

    @property
    def width(self) -> int:
        """The number of its output columns."""
        return len(self.scopes.output(self.tree))

    @cached_property
    def takes_some(self) -> bool:
        """Whether ties can show in its answer."""
        return takes_some(self.tree)

    @cached_property
    def cuts_below(self) -> bool:
        """Whether ties can show that the order of the answer's rows does not reveal."""
        return cuts_below(self.tree)

    @cached_property
    def _shadow_tree(self) -> Any:
        return shadowed(self.scopes, self.sources)

    @cached_property
    def shadow(self) -> str:
        """The query over shadows."""
        return to_sql(self._shadow_tree)

    @cached_property
    def tie_broken_shadows(self) -> tuple[str, str]:
        """The query over shadows with ties broken in two opposite ways."""
        return tie_broken(self._shadow_tree, self.scopes, ordered=self.ordered)

    @cached_property
    def tie_broken(self) -> tuple[str, str]:
        """The query itself with ties broken in two opposite ways."""
        return tie_broken(self.tree, self.scopes, ordered=self.ordered)

    @cached_property
    def with_ties(self) -> tuple[str, str]:
        """The query with all rows that tie for its answer, and with those that tie for the first one."""
        return with_ties(self.tree)

    @cached_property
    def shuffled_shadows(self) -> tuple[str, ...]:
        """The query over shadows with ties broken by chance, three ways; only for `evaluation`."""
        return tie_shuffled(self._shadow_tree, self.scopes, salts=3, ordered=self.ordered)

    @cached_property
    def _lineage(self) -> Lineage:
        counted = [s for s in self.scopes.levels.values() if s.query.havingClause]
        most = max(counts(self.scopes, MAX_LISTED_THRESHOLD), default=0) if counted else 0
        return Lineage(self.scopes, self.sources, members=max(MAX_MEMBERS, most + 1))

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Queries for the lineage of joined rows (see `lineage`)."""
        return tuple(self._lineage.rows(self.tree))

    @cached_property
    def kept_out(self) -> tuple[str, ...]:
        """Queries for rows that NOT IN, NOT EXISTS or IS NULL keeps out, with what keeps them out."""
        if not any(keeps_out(s.query) for s in self.scopes.levels.values()):
            return ()
        return tuple(self._lineage.rows(self.tree, flipped=True))

    @cached_property
    def answers(self) -> str:
        """The query with its own columns and a last one, `_aw_l`: the lineage of each row of the answer."""
        return self._lineage.derived(self.tree, "_aw_l")

    @cached_property
    def groups(self) -> str:
        """A query for the lineage of each group, or set of equal rows; empty where rows stay apart."""
        return self._lineage.groups(self.tree)

    @cached_property
    def mixed_groups(self) -> str:
        """The same, those groups first that a further grouping column would divide."""
        return self._lineage.groups(self.tree, mixed=True)

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Queries for joined rows with a NULL in a column that is shown, ordered by or counted."""
        if is_set_operation(self.tree):
            return ()
        shown = tuple(
            part
            for part in (self.tree.targetList, self.tree.havingClause, self.tree.sortClause)
            if part is not None
        )
        conditions: dict[str, None] = {}
        for node in walk(shown, into_queries=False):
            oid, column = self.scopes.columns.get(id(node), (0, ""))
            if oid and not self.sources[oid].relation.by_name[column].not_null:
                conditions[f"{to_sql(node)} IS NULL"] = None
        return tuple(self._lineage.rows(self.tree, only=" OR ".join(conditions))) if conditions else ()

    @cached_property
    def simple(self) -> bool:
        """Whether joined rows are answers: no grouping, DISTINCT, set operation or LIMIT above them."""
        tree = self.tree
        return not (
            is_set_operation(tree)
            or tree.groupClause
            or tree.havingClause
            or tree.distinctClause
            or self.takes_some
        )

    @property
    def by_value(self) -> tuple[str, ...]:
        """What was not followed row by row in the texts made so far."""
        views = {f"the view {s.relation.name}" for s in self.sources.values() if s.relation.kind == "v"}
        return tuple(sorted(self._lineage.by_value | views))


def trace_query(
    sql: str, catalog: Catalog, limits: Mapping[int, tuple[str, ...]] | None = None
) -> TracedQuery:
    """Make a query ready for tracing; raises `tree.Untraceable`.

    `limits` are all columns of those relations (by OID) of which the asker may read some only.
    """
    return _trace(sql, _CatalogKey(catalog), tuple(sorted((limits or {}).items())))


def trace_through(traced: TracedQuery, views: Mapping[int, View], catalog: Catalog) -> TracedQuery:
    """The query traced through its views, as far as they are open; itself when none is."""
    inlined = traced
    for _ in range(MAX_NESTED_VIEWS):
        tree = inline(inlined.scopes, views, catalog)
        if tree is None:
            break
        inlined = replace(trace_query(to_sql(tree), catalog), original=traced.text)
    return inlined


@dataclass(frozen=True, eq=False)
class _CatalogKey:
    """A catalog by identity, so that it can be a cache key."""

    catalog: Catalog

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CatalogKey) and self.catalog is other.catalog

    def __hash__(self) -> int:
        return id(self.catalog)


@lru_cache(maxsize=256)
def _trace(sql: str, held: _CatalogKey, limits: tuple[tuple[int, tuple[str, ...]], ...]) -> TracedQuery:
    tree = parse_query(sql)
    scopes = resolve(tree, held.catalog)
    check_shadows(scopes)
    for relation in scopes.base_relations:
        # candidates name some columns; what is sent to find rows takes and makes whole ones
        if loud := loud_type(relation, held.catalog):
            raise Untraceable(
                f"rows of {relation.name} hold the type {loud}, which can run functions of users"
            )
    limited = dict(limits)
    sources = {r.oid: source(r, limited.get(r.oid, ())) for r in scopes.base_relations}
    return TracedQuery(sql, tree, scopes, sources)
