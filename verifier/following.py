"""Following columns: from a reference to the expression or the base column behind it.

Owns: which columns of each derived table are needed, and what a column reference means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pglast import ast

from askwire.sql.catalog import Column, Relation
from askwire.sql.tracing.scopes import Item, Scope, Scopes, star_of
from askwire.sql.tracing.tree import is_set_operation, output_name, strings

ColumnNames = frozenset[str] | None
"""Names of output columns; None stands for all."""

NONE: Final[frozenset[str]] = frozenset()


class ReferenceReader:
    """What the references of one resolved statement mean.

    `meanings` and `columns` are those of `effects.Effects`, `references` the nodes made for the columns of a
    `*`, `names` every name that was met, and `needs` the columns of each FROM item that are shown and used.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self.needs: dict[int, tuple[ColumnNames, ColumnNames]] = {}
        self.meanings: dict[int, Any] = {}
        self.columns: dict[int, tuple[Relation, Column]] = {}
        self.references: list[Any] = []
        self.names: set[str] = set()

    def column(self, node: Any, scope: Scope, *, shown: bool) -> None:
        """Take note of a column reference that stands in this scope."""
        names = strings(node.fields)
        self.names.update(names)
        if not names or len(names) != len(node.fields):
            for item in scope.items:  # t.* inside an expression: count(t.*)
                self.need(item, frozenset(item.columns), shown=shown)
            return
        level: Scope | None = scope
        while level is not None:
            found = level.named(names[-2]) if len(names) > 1 else level.find(names[0])
            if found is not None and names[-1] in found.columns:
                self._follow(node, found, names[-1], shown=shown)
                return
            level = level.outer

    def _follow(self, node: Any, item: Item, column: str, *, shown: bool) -> None:
        if item.relation is not None:
            base = item.relation.columns[item.columns.index(column)]
            self.columns[id(node)] = item.relation, base
            self.names.add(base.name)
            return
        self.need(item, frozenset({column}), shown=shown)
        query = query_of(item)
        if query is not None:
            position = item.columns.index(column)
            expressions = list(self.output_expressions(query))
            if position < len(expressions) and expressions[position][1] is not None:
                self.meanings[id(node)] = expressions[position][1]

    def need(self, item: Item, columns: frozenset[str], *, shown: bool) -> None:
        """Take note that these columns of a FROM item are needed."""
        had_shown, had_used = self.needs.get(id(item), (NONE, NONE))
        if shown:
            had_shown = (had_shown or NONE) | columns
        else:
            had_used = (had_used or NONE) | columns
        self.needs[id(item)] = (had_shown, had_used)

    def by_position(self, query: Any, side: Any, columns: ColumnNames) -> ColumnNames:
        """The names that one side of a set operation has for columns of the whole."""
        if columns is None:
            return None
        names = self._scopes.output(query)
        own = self._scopes.output(side)
        return frozenset(o for n, o in zip(names, own, strict=False) if n in columns)

    def output_expressions(self, query: Any) -> Iterator[tuple[str, Any]]:
        """Name and expression of every output column; None where a `*` hides it."""
        while is_set_operation(query):
            query = query.larg
        scope = self._scopes.scope(query)
        for row in (query.valuesLists or ())[:1]:
            yield from ((f"column{i}", node) for i, node in enumerate(row, 1))
        for target in query.targetList or ():
            star = star_of(target)
            if star is None:
                yield output_name(target), target.val
                continue
            for item in scope.items:
                if not star or item.name == star:
                    for column in item.columns:
                        reference = ast.ColumnRef(fields=(ast.String(sval=column),))
                        self.references.append(reference)  # known by its id as long as it lives
                        self._follow(reference, item, column, shown=True)
                        yield column, reference

    def keyed(self, query: Any) -> bool:
        """Whether no two rows can be the same: the outputs hold a key of the one relation that is read."""
        if is_set_operation(query) or len(query.fromClause or ()) != 1:
            return False
        source = query.fromClause[0]
        relation = self._scopes.relations.get(id(source))
        if relation is None:
            return False
        shown = {self.columns[id(t.val)][1].name for t in query.targetList or () if id(t.val) in self.columns}
        if any(star_of(t) is not None for t in query.targetList or ()):
            shown |= {c.name for c in relation.columns}
        keys = [relation.primary_key, *relation.unique_keys]
        return any(key and set(key) <= shown for key in keys)

    def inner(self, item: Item, query: Any, columns: ColumnNames) -> ColumnNames:
        """The names a derived query has for columns of its item."""
        if columns is None:
            return None
        own = self._scopes.output(query)
        return frozenset(o for c, o in zip(item.columns, own, strict=False) if c in columns)


def query_of(item: Item) -> Any:
    """The query behind a FROM item; None for a base relation, a function, a join's alias, a recursive CTE."""
    if item.cte is not None:
        return None if item.cte.recursive else item.cte.node.ctequery
    return item.node.subquery if isinstance(item.node, ast.RangeSubselect) else None
