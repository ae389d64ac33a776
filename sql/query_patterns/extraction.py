"""One query → the habits in it.

Owns: which joins, filters, measures and outputs a parse tree holds. Literals stay out unless they are let in:
of `status = 'open' AND deleted_at IS NULL` only the second is a habit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType, JoinType

from askwire.sql.canonical.plain_conditions import plainly
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.printing import to_sql
from askwire.sql.query_patterns.constants import harmless, units_in
from askwire.sql.query_patterns.patterns import (
    MAX_QUERY_CHARACTERS,
    ColumnName,
    Expression,
    Join,
    NamedMeasure,
    QueryPatterns,
    Sight,
    columns_in,
)
from askwire.sql.tracing.scopes import Scopes, resolve
from askwire.sql.tracing.tree import (
    Untraceable,
    children,
    copy_tree,
    is_a,
    parse_query,
    walk,
)

_MAX_TEXT_CHARACTERS: Final = 200
_AGGREGATES: Final = frozenset({"sum", "avg", "min", "max", "count"})
_MARK: Final = "habit_column_"
_MARKED: Final = re.compile(rf'"?{_MARK}(\d+)"?')


def observed(sql: str, catalog: Catalog, *, literals: bool = False, view: str = "") -> QueryPatterns:
    """The habits of one query; none of a text that is no single query over relations of the catalog.

    With `literals`, constants count as part of filters and measures. `view` is the view that it defines.
    """
    if len(sql) > MAX_QUERY_CHARACTERS:
        return QueryPatterns()
    try:
        query = parse_query(sql.strip().rstrip(";"))
        scopes = resolve(query, catalog)
    except (Untraceable, RecursionError):
        return QueryPatterns()
    reader = _Reader(catalog, scopes, literals, view)
    reader.read()
    return reader.query_patterns


class _Reader:
    def __init__(self, catalog: Catalog, scopes: Scopes, literals: bool, view: str) -> None:
        self.query_patterns = QueryPatterns()
        self._by_oid = catalog.by_oid
        self._relation = {(r.schema, r.name): r for r in catalog}
        self._scopes = scopes
        self._literals = literals
        self._view = view
        self._filters: dict[int, set[Expression]] = {}
        self._held: dict[int, set[str]] = {}
        self._joined: set[int] = set()
        self._seen: set[Any] = set()

    def read(self) -> None:
        for relation in self._scopes.base_relations:
            self.query_patterns.relations[relation.schema, relation.name] += 1
        for level in self._scopes.levels.values():
            self._level(level.query)
        self._outermost(self._scopes.query)
        measures = frozenset(
            (*self.query_patterns.measures, *(named.expression for named in self.query_patterns.named))
        )
        for measure in measures:
            for column in {*self.query_patterns.groups, *self.query_patterns.compared}:
                self.query_patterns.beside[measure, column] += 1
        for relation in self._scopes.base_relations:
            filters = frozenset(self._filters.get(relation.oid, ()))
            joined = relation.oid in self._joined
            held = frozenset(self._held.get(relation.oid, ()))
            self.query_patterns.sights[
                Sight(relation.schema, relation.name, joined, filters, measures, held)
            ] += 1

    def _level(self, query: Any) -> None:
        read = [relation for item in query.fromClause or () for relation in self._relations(item)]
        if len(read) > 1:
            self._joined.update(relation.oid for relation in read)
        absent = {r.oid for item in query.fromClause or () for r in self._may_lack(item)}
        for condition in _conjuncts(query.whereClause):
            self._condition(condition, absent)
        for join in _all_joins(query):
            for condition in _conjuncts(join.quals):
                self._condition(condition, set())
            if join.usingClause:
                self._by_name(join)
        clauses = (query.targetList or (), query.havingClause, query.sortClause or ())
        for clause in clauses:
            self._measures(clause)
        for target in query.targetList or ():
            self._named(target)

    def _outermost(self, query: Any) -> None:
        while query.larg is not None:
            query = query.larg
        for target in query.targetList or ():
            name = self._column(target.val)
            if name:
                self.query_patterns.outputs[name] += 1
        for item in query.groupClause or ():
            place = _place(item)
            shown = place is not None and place <= len(query.targetList or ())
            by = query.targetList[place - 1].val if shown and place else item
            names = {self._column(reference) for reference in _references((by,))}
            name = names.pop() if len(names) == 1 else None
            if name:  # by a column, or by the month of one
                self.query_patterns.groups[name] += 1

    def _condition(self, condition: Any, absent: set[int]) -> None:
        """`absent` are relations that an outer join may leave without a row: NULL says that there is none."""
        if is_a(condition, ast.A_Expr) and condition.kind == A_Expr_Kind.AEXPR_OP:
            left, right = self._column(condition.lexpr), self._column(condition.rexpr)
            if left and right:
                if condition.name[-1].sval == "=" and left[:2] != right[:2]:
                    self._once("joins", Join(*sorted((left, right))))
                return
        if any(is_a(node, ast.A_Const, ast.ParamRef) for node in walk(condition, into_queries=False)):
            for reference in _references((condition,)):
                name = self._column(reference)
                if name:
                    self._once("compared", name)
        for reference in _references((condition,)):
            oid, column = self._scopes.columns.get(id(reference), (0, ""))
            self._held.setdefault(oid, set()).add(column)
        home = self._home(condition)
        if home is None or (home.oid in absent and is_a(condition, ast.NullTest)):
            return
        text = self._expression(plainly(condition, home))
        if text:
            self._filters.setdefault(home.oid, set()).add(text)

    def _by_name(self, join: Any) -> None:
        """The columns that USING holds equal, where each side has one relation with such a column."""
        for column in (part.sval for part in join.usingClause):
            sides = [
                [r for r in self._relations(side) if column in r.by_name] for side in (join.larg, join.rarg)
            ]
            if all(len(side) == 1 for side in sides):
                names = [ColumnName(side[0].schema, side[0].name, column) for side in sides]
                self._once("joins", Join(*sorted(names)))

    def _measures(self, clause: Any) -> None:
        for node in _within(clause):
            if _is_aggregate(node) and (node.args or node.agg_filter is not None):
                text = self._expression(node, units=units_in(node))
                if text and any(columns_in(text)):
                    self._once("measures", text)

    def _named(self, target: Any) -> None:
        """The measure that an output is, if it has a name and reads columns within aggregates only."""
        value = target.val
        if not target.name or not any(_is_aggregate(node) for node in _within(value)):
            return
        inside = {
            id(r)
            for node in _within(value)
            if _is_aggregate(node)
            for r in _references((*(node.args or ()), node.agg_filter))
        }
        if not inside or any(id(r) not in inside for r in _references((value,))):
            return
        if any(is_a(node, ast.SubLink) or _is_window(node) for node in walk(value)):
            return
        text = self._expression(value, units=units_in(value))
        if text:
            self._once("named", NamedMeasure(target.name, text, self._view))

    def _once(self, kind: str, key: Any) -> None:
        """Count what a query does however often it says so."""
        if (kind, key) not in self._seen:
            self._seen.add((kind, key))
            getattr(self.query_patterns, kind)[key] += 1

    # -- what a node is about

    def _column(self, node: Any) -> ColumnName | None:
        if not is_a(node, ast.ColumnRef):
            return None
        oid, column = self._scopes.columns.get(id(node), (0, ""))
        relation = self._by_oid.get(oid)
        return ColumnName(relation.schema, relation.name, column) if relation else None

    def _relations(self, side: Any) -> list[Relation]:
        found = [self._scopes.relations.get(id(node)) for node in walk(side, into_queries=False)]
        return [relation for relation in found if relation is not None]

    def _may_lack(self, item: Any) -> Iterator[Relation]:
        """The relations whose rows an outer join may do without."""
        for join in _joins(item):
            if join.jointype in (JoinType.JOIN_LEFT, JoinType.JOIN_FULL):
                yield from self._relations(join.rarg)
            if join.jointype in (JoinType.JOIN_RIGHT, JoinType.JOIN_FULL):
                yield from self._relations(join.larg)

    def _home(self, condition: Any) -> Relation | None:
        """The one relation a condition is about, if it is about no other query."""
        if any(is_a(node, ast.SubLink) for node in walk(condition)):
            return None
        oids = {self._scopes.columns.get(id(node), (0, ""))[0] for node in _references((condition,))}
        return self._by_oid.get(oids.pop()) if len(oids) == 1 else None

    def _without_casts(self, copied: Any, names: Iterator[ColumnName]) -> Any:
        """The tree without casts to numeric that PostgreSQL puts where the other side is numeric anyway."""
        exact = {
            id(r) for r, name in zip(_references((copied,)), names, strict=True) if self._is_numeric(name)
        }
        for node in walk(copied):
            if is_a(node, ast.A_Expr):
                self._uncast(node, exact)
        return copied

    def _uncast(self, node: Any, exact: set[int]) -> None:
        for side, other in (("lexpr", node.rexpr), ("rexpr", node.lexpr)):
            cast = getattr(node, side)
            numeric = is_a(cast, ast.TypeCast) and cast.typeName.names[-1].sval == "numeric"
            if numeric and not cast.typeName.typmods and (id(other) in exact or _is_exact(other)):
                object.__setattr__(node, side, cast.arg)

    def _is_numeric(self, name: ColumnName) -> bool:
        relation = self._relation.get(name[:2])
        column = relation.by_name.get(name.column) if relation else None
        return column is not None and column.type_name.startswith("numeric")

    def _expression(self, node: Any, units: frozenset[int] = frozenset()) -> Expression:
        """A node in pieces; () where it holds a constant that must not be kept, or what is no column.

        `units` are constants (by `id`) that only say in which unit something is measured.
        """
        for part in walk(node):
            if is_a(part, ast.ParamRef, ast.SubLink):
                return ()
            constant = is_a(part, ast.A_Const)
            if constant and not (self._literals or harmless(part) or id(part) in units):
                return ()
        names: list[ColumnName] = []
        for reference in _references((node,)):
            name = self._column(reference)
            if name is None:
                return ()
            names.append(name)
        copied = self._without_casts(copy_tree(node), iter(names))
        for number, reference in enumerate(_references((copied,))):
            object.__setattr__(reference, "fields", (ast.String(f"{_MARK}{number}"),))
        text = to_sql(copied)
        if len(text) > _MAX_TEXT_CHARACTERS + len(_MARK) * len(names):
            return ()
        pieces = _MARKED.split(text)
        parts = (names[int(part)] if at % 2 else part for at, part in enumerate(pieces))
        return tuple(part for part in parts if part)


def _is_exact(node: Any) -> bool:
    return is_a(node, ast.A_Const) and not node.isnull and is_a(node.val, ast.Float)


def _is_aggregate(node: Any) -> bool:
    return is_a(node, ast.FuncCall) and node.funcname[-1].sval in _AGGREGATES and node.over is None


def _is_window(node: Any) -> bool:
    return is_a(node, ast.FuncCall) and node.over is not None


def _conjuncts(condition: Any) -> Iterator[Any]:
    """The parts of what is demanded of rows, none inside an OR."""
    if condition is None:
        return
    if is_a(condition, ast.BoolExpr) and condition.boolop == BoolExprType.AND_EXPR:
        for part in condition.args:
            yield from _conjuncts(part)
    else:
        yield condition


def _joins(item: Any) -> Iterator[Any]:
    if is_a(item, ast.JoinExpr):
        yield item
        yield from _joins(item.larg)
        yield from _joins(item.rarg)


def _all_joins(query: Any) -> Iterator[Any]:
    for item in query.fromClause or ():
        yield from _joins(item)


def _place(node: Any) -> int | None:
    """The output that `GROUP BY 2` means."""
    if is_a(node, ast.A_Const) and is_a(node.val, ast.Integer):
        return int(node.val.ival)
    return None


def _references(nodes: Iterable[Any] | None) -> Iterator[Any]:
    for node in nodes or ():
        if node is not None:
            yield from (part for part in walk(node) if is_a(part, ast.ColumnRef))


def _within(clause: Any) -> Iterator[Any]:
    """The nodes of a clause, those of queries inside it left out."""
    for node in clause if isinstance(clause, tuple) else (clause,):
        if node is not None and not is_a(node, ast.SelectStmt):
            yield node
            yield from _within(tuple(children(node)))
