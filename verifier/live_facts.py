"""Collecting the live facts of a statement.

Owns: which parts of a statement reach its answer, level by level. A WITH query no one reads, a computed
column no one uses, the select list of EXISTS and an ORDER BY without LIMIT in a derived table do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pglast import ast
from pglast.enums import BoolExprType, JoinType, LimitOption, SortByDir, SubLinkType

from askwire.sql.catalog import Catalog, Relation
from askwire.sql.tracing.scopes import Scope, Scopes, resolve, star_of
from askwire.sql.tracing.tree import Untraceable, children, is_a, is_set_operation, output_name, strings, walk
from askwire.verifier.effects import Comparison, Effects, Ordering, Place, number_of
from askwire.verifier.facts import Facts
from askwire.verifier.following import NONE, ColumnNames, ReferenceReader, query_of

_ALL: Final = None


@dataclass(frozen=True)
class _OpenCatalog(Catalog):
    """A catalog that takes a relation it does not know for one without columns."""

    known: Catalog = field(default_factory=lambda: Catalog(()))

    def find(self, name: str, schema: str = "") -> Relation | None:
        """The relation, known or not."""
        return self.known.find(name, schema) or Relation(0, schema, name, "r", ())


def read_effects(statement: Any, catalog: Catalog) -> Effects | None:
    """The live facts of one query; None for what cannot be followed (FOR UPDATE, TABLESAMPLE, no SELECT).

    `WITH c AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT a FROM c` has no call: no one reads `n`.
    """
    if not isinstance(statement, ast.SelectStmt):
        return None
    try:
        scopes = resolve(statement, _OpenCatalog((), known=catalog))
    except Untraceable:
        return None
    reader = _Reader(scopes)
    reader.level(statement, _ALL, NONE, top=True)
    following = reader.following
    outputs = following.output_expressions(statement)
    return reader.facts.effects(following, tuple(outputs), keyed=following.keyed(statement))


class _Reader:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._done: set[tuple[int, ColumnNames, ColumnNames]] = set()
        self._seen: set[tuple[int, bool]] = set()
        self.following = ReferenceReader(scopes)
        self.facts = Facts()

    def level(self, query: Any, shown: ColumnNames, used: ColumnNames, *, top: bool = False) -> None:
        """Collect one query level of which these output columns are shown and those are used elsewhere."""
        key = (id(query), shown, used)
        if key in self._done:
            return
        self._done.add(key)
        scope = self._scopes.scope(query)
        if is_set_operation(query):
            kind = query.op.name.removeprefix("SETOP_").lower() + (" all" if query.all else "")
            self.facts.sets.append(kind)
            others = used if kind == "union all" else _ALL
            for side in (query.larg, query.rarg):
                self.level(
                    side,
                    self.following.by_position(query, side, shown),
                    self.following.by_position(query, side, others),
                )
            self._order(query, scope, top=top)
            return
        for node in query.valuesLists or ():
            self._expression(node, scope, "shown")
        self._targets(query, scope, shown, used)
        for node in walk(query.fromClause or (), into_queries=False):
            if isinstance(node, ast.JoinExpr):
                if node.jointype != JoinType.JOIN_INNER:
                    self.facts.outer_joins += 1
                if node.quals is not None:
                    self._expression(node.quals, scope, "join")
            elif isinstance(node, ast.RangeFunction):
                self._expression(node.functions, scope, "used")
            elif isinstance(node, ast.RangeVar):
                self.following.names.add(node.relname or "")
                relation = self._scopes.relations.get(id(node))
                if relation is not None:
                    self.facts.relations.append(node.relname or "")
                    self.facts.sizes.append(relation.estimated_rows)
        self._expression(query.whereClause, scope, "filter")
        if query.groupClause:
            keys = tuple(self._meaning(n, query) for n in query.groupClause)
            self.facts.groups.append(keys)
            for node in keys:
                self._expression(node, scope, "group")
        self._expression(query.havingClause, scope, "having")
        self._order(query, scope, top=top)
        self._derived(scope)

    def _targets(self, query: Any, scope: Scope, shown: ColumnNames, used: ColumnNames) -> None:
        whole = query.distinctClause is not None
        if whole and not any(query.distinctClause):
            self.facts.distinct = True
        for target in query.targetList or ():
            star = star_of(target)
            if star is not None:
                self._star(scope, star, shown, used, whole)
                continue
            name = output_name(target)
            if shown is None or name in shown:
                self._expression(target.val, scope, "shown")
            elif whole or used is None or name in used:
                self._expression(target.val, scope, "used")

    def _star(self, scope: Scope, qualifier: str, shown: ColumnNames, used: ColumnNames, whole: bool) -> None:
        for item in scope.items:
            if qualifier and item.name != qualifier:
                continue
            columns = frozenset(item.columns)
            self.following.need(item, columns if shown is None else columns & shown, shown=True)
            rest = columns if used is None or whole else columns & used
            self.following.need(item, rest, shown=False)
            if item.relation is not None:
                self.following.names.update(item.columns)
                self.facts.star |= not item.columns

    def _derived(self, scope: Scope) -> None:
        """The derived tables of a level, with the columns asked of them; LATERAL ones may ask for more."""
        for _ in scope.items:
            before = dict(self.following.needs)
            for item in scope.items:
                query = query_of(item)
                if query is not None:
                    shown, used = self.following.needs.get(id(item), (NONE, NONE))
                    self.level(
                        query,
                        self.following.inner(item, query, shown),
                        self.following.inner(item, query, used),
                    )
            if before == self.following.needs:
                return

    def _order(self, query: Any, scope: Scope, *, top: bool) -> None:
        limited = query.limitCount is not None
        firsts = bool(query.distinctClause) and any(query.distinctClause)
        if firsts:
            self._expression(query.distinctClause, scope, "group")
        if limited:
            self._expression(query.limitCount, scope, "used")
        if query.limitOffset is not None:
            self._expression(query.limitOffset, scope, "used")
        if not (top or limited or firsts or query.limitOffset is not None):
            return
        keys = []
        for by in query.sortClause or ():
            node = self._meaning(by.node, query)
            keys.append((node, by.sortby_dir == SortByDir.SORTBY_DESC))
            if not is_set_operation(query):
                self._expression(node, scope, "order")
        if not keys and not limited:
            return
        limit = number_of(query.limitCount) if limited else None
        whole = None if not limited else -1 if limit is None else int(limit)
        ties = query.limitOption == LimitOption.LIMIT_OPTION_WITH_TIES
        self.facts.orderings.append(Ordering(tuple(keys), whole, top, ties, firsts))

    def _meaning(self, node: Any, query: Any) -> Any:
        """What an item of GROUP BY or ORDER BY means: positions and output names become expressions."""
        leaf = query
        while is_set_operation(leaf):
            leaf = leaf.larg
        targets = leaf.targetList or ()
        if is_a(node, ast.A_Const) and is_a(node.val, ast.Integer):
            position = int(node.val.ival or 0)
            if 1 <= position <= len(targets) and star_of(targets[position - 1]) is None:
                return targets[position - 1].val
        if is_a(node, ast.ColumnRef) and len(node.fields) == 1:
            for target in targets:
                if target.name and (target.name,) == strings(node.fields):
                    return target.val
        return node

    # expressions

    def _expression(self, value: Any, scope: Scope, place: Place, *, negated: bool = False) -> None:
        if value is None:
            return
        for node in (value,) if isinstance(value, ast.Node) else value:
            if isinstance(node, tuple):
                self._expression(node, scope, place, negated=negated)
            elif isinstance(node, ast.Node):
                self._node(node, scope, place, negated)

    def _node(self, node: Any, scope: Scope, place: Place, negated: bool) -> None:
        if isinstance(node, ast.ColumnRef):
            self.following.column(node, scope, shown=place == "shown")
            return
        key = (id(node), place == "shown")
        again = key in self._seen or (id(node), True) in self._seen
        self._seen.add(key)
        if isinstance(node, ast.SubLink):
            self._sublink(node, scope, place, negated, again)
            return
        if isinstance(node, ast.BoolExpr):
            inverted = node.boolop == BoolExprType.NOT_EXPR
            if inverted and not again:
                self.facts.negations += 1
            self._expression(node.args, scope, place, negated=negated ^ inverted)
            return
        if not again:
            self.facts.add(node, place, negated=negated)
        if isinstance(node, ast.FuncCall) and node.over is not None:
            self._window(node.over, scope, place)
        for child in children(node):
            if not (isinstance(node, ast.FuncCall) and child is node.over):
                self._node(child, scope, place, False)

    def _sublink(self, node: Any, scope: Scope, place: Place, negated: bool, again: bool) -> None:
        kind = node.subLinkType
        query = node.subselect
        inverse = "not " if negated else ""
        if kind == SubLinkType.EXISTS_SUBLINK:
            told = f"{inverse}exists"
        elif kind == SubLinkType.ALL_SUBLINK:
            told = "not in" if strings(node.operName) == ("<>",) else "all"
        elif kind == SubLinkType.ANY_SUBLINK:
            told = f"{inverse}in"
        else:
            told = "value"
        if not again:
            self.facts.sublinks.append(told)
            if node.testexpr is not None:
                operator = strings(node.operName)[-1] if node.operName else "="
                self.facts.comparisons.append(Comparison(operator, node.testexpr, node, place, negated))
        self._expression(node.testexpr, scope, place)
        if kind == SubLinkType.EXISTS_SUBLINK:
            self.level(query, NONE, NONE)
        elif place == "shown" and kind in {SubLinkType.EXPR_SUBLINK, SubLinkType.ARRAY_SUBLINK}:
            self.level(query, _ALL, NONE)
        else:
            self.level(query, NONE, _ALL)

    def _window(self, over: Any, scope: Scope, place: Place) -> None:
        named = (
            {w.name: w for w in scope.query.windowClause or ()}
            if hasattr(scope.query, "windowClause")
            else {}
        )
        over = named.get(over.name or over.refname, over)
        keys = tuple((by.node, by.sortby_dir == SortByDir.SORTBY_DESC) for by in over.orderClause or ())
        if keys:
            self.facts.windows.append(keys)
        self.facts.partitions += bool(over.partitionClause)
        self._expression(over.partitionClause, scope, "group")
        for node, _ in keys:
            self._expression(node, scope, "order")
