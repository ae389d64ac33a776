"""What queries that people write do with a schema again and again: joins, filters, measures, outputs.

Owns: reading these from one query, adding them up, and the names they are kept under. Literals stay out
unless they are let in: of `status = 'open' AND deleted_at IS NULL` only the second is a habit. Must not know:
where queries come from, or what habits are good for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pglast import ast
from pglast.enums import A_Expr_Kind, BoolExprType

from askwire.sql.catalog import Catalog, Relation
from askwire.sql.printing import to_sql
from askwire.sql.tracing.scopes import Scopes, resolve
from askwire.sql.tracing.tree import Untraceable, children, copy_tree, is_a, parse_query, walk

LONGEST: Final = 20_000
"""Characters; a longer query says more of a program than of a habit."""
_LONGEST_TEXT: Final = 200
_AGGREGATES: Final = frozenset({"sum", "avg", "min", "max", "count"})


class ColumnName(NamedTuple):
    """A column by the names that people know it by."""

    schema: str
    relation: str
    column: str


class Join(NamedTuple):
    """Two columns that were held equal, the smaller name first."""

    left: ColumnName
    right: ColumnName


class Filter(NamedTuple):
    """A condition on one relation, its columns without qualification: `deleted_at IS NULL`."""

    schema: str
    relation: str
    condition: str


class Measure(NamedTuple):
    """What was aggregated, of the relation of its first column: `sum(amount * quantity)`."""

    schema: str
    relation: str
    expression: str


@dataclass(frozen=True)
class Habits:
    """How often each was seen; `relations` counts the queries that read a relation, by schema and name.

    `outputs` are columns that the outermost query returned as they are, `groups` those it was grouped by,
    `compared` those that were held against a constant, whichever it was.
    """

    joins: Counter[Join] = field(default_factory=Counter)
    filters: Counter[Filter] = field(default_factory=Counter)
    measures: Counter[Measure] = field(default_factory=Counter)
    outputs: Counter[ColumnName] = field(default_factory=Counter)
    groups: Counter[ColumnName] = field(default_factory=Counter)
    compared: Counter[ColumnName] = field(default_factory=Counter)
    relations: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.relations)

    def add(self, other: Habits, times: int = 1) -> None:
        """Count another's as well, so many times."""
        for mine, its in zip(self.counters, other.counters, strict=True):
            for key, number in its.items():
                mine[key] += number * times

    @property
    def counters(self) -> tuple[Counter[Any], ...]:
        """All of them, in the order of `KINDS`."""
        return (
            *(self.joins, self.filters, self.measures, self.outputs, self.groups, self.compared),
            self.relations,
        )

    def share(self, filtered: Filter) -> float:
        """In what part of the queries that read its relation a filter stood (0 to 1)."""
        read = self.relations[filtered.schema, filtered.relation]
        return self.filters[filtered] / read if read else 0.0


KINDS: Final = ("join", "filter", "measure", "output", "group", "comparison", "relation")
_MADE: Final[Mapping[str, Any]] = {
    "join": lambda parts: Join(ColumnName(*parts[:3]), ColumnName(*parts[3:])),
    "filter": lambda parts: Filter(*parts),
    "measure": lambda parts: Measure(*parts),
    "output": lambda parts: ColumnName(*parts),
    "group": lambda parts: ColumnName(*parts),
    "comparison": lambda parts: ColumnName(*parts),
    "relation": tuple,
}


def entries(habits: Habits) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Each habit as its kind, the texts that name it, and how often it was seen."""
    for kind, counter in zip(KINDS, habits.counters, strict=True):
        for key, number in counter.items():
            parts = (*key.left, *key.right) if isinstance(key, Join) else tuple(key)
            yield kind, parts, number


def collected(found: Iterable[tuple[str, tuple[str, ...], int]]) -> Habits:
    """The inverse of `entries`; what is of no known kind is left out."""
    habits = Habits()
    counters = dict(zip(KINDS, habits.counters, strict=True))
    for kind, parts, number in found:
        if kind in counters:
            try:
                counters[kind][_MADE[kind](parts)] += number
            except TypeError:
                continue
    return habits


def observed(sql: str, catalog: Catalog, *, literals: bool = False) -> Habits:
    """The habits of one query; none of a text that is no single query over relations of the catalog.

    With `literals`, constants count as part of filters and measures.
    """
    if len(sql) > LONGEST:
        return Habits()
    try:
        query = parse_query(sql.strip().rstrip(";"))
        scopes = resolve(query, catalog)
    except (Untraceable, RecursionError):
        return Habits()
    reader = _Reader(catalog, scopes, literals)
    reader.read()
    return reader.habits


class _Reader:
    def __init__(self, catalog: Catalog, scopes: Scopes, literals: bool) -> None:
        self.habits = Habits()
        self._by_oid = catalog.by_oid
        self._scopes = scopes
        self._literals = literals

    def read(self) -> None:
        for relation in self._scopes.base_relations:
            self.habits.relations[relation.schema, relation.name] += 1
        seen = set[Any]()
        for level in self._scopes.levels.values():
            for condition in _conditions(level.query):
                self._condition(condition, seen)
            for join in _joins_by_name(level.query):
                self._by_name(join, seen)
            for clause in (
                level.query.targetList or (),
                level.query.havingClause,
                level.query.sortClause or (),
            ):
                self._measures(clause, seen)
        self._outermost(self._scopes.query)

    def _outermost(self, query: Any) -> None:
        while query.larg is not None:
            query = query.larg
        for target in query.targetList or ():
            name = self._column(target.val)
            if name:
                self.habits.outputs[name] += 1
        for item in query.groupClause or ():
            name = self._column(item)
            if name:
                self.habits.groups[name] += 1

    def _condition(self, condition: Any, seen: set[Any]) -> None:
        if is_a(condition, ast.A_Expr) and condition.kind == A_Expr_Kind.AEXPR_OP:
            left, right = self._column(condition.lexpr), self._column(condition.rexpr)
            if left and right:
                if condition.name[-1].sval == "=" and left[:2] != right[:2]:
                    self._once("joins", Join(*sorted((left, right))), seen)
                return
        if any(is_a(node, ast.A_Const, ast.ParamRef) for node in walk(condition, into_queries=False)):
            for reference in _references((condition,)):
                name = self._column(reference)
                if name:
                    self._once("compared", name, seen)
        home = self._home(condition)
        text = self._text(condition) if home else ""
        if home and text:
            self._once("filters", Filter(home.schema, home.name, text), seen)

    def _by_name(self, join: Any, seen: set[Any]) -> None:
        """The columns that USING holds equal, where each side has one relation with such a column."""
        for column in (part.sval for part in join.usingClause):
            sides = [
                [r for r in self._relations(side) if column in r.by_name] for side in (join.larg, join.rarg)
            ]
            if all(len(side) == 1 for side in sides):
                names = [ColumnName(side[0].schema, side[0].name, column) for side in sides]
                self._once("joins", Join(*sorted(names)), seen)

    def _measures(self, clause: Any, seen: set[Any]) -> None:
        for node in _within(clause):
            if is_a(node, ast.FuncCall) and node.funcname[-1].sval in _AGGREGATES and not node.agg_star:
                first = next((c for c in map(self._column, _references(node.args)) if c), None)
                text = self._text(node) if first else ""
                if first and text:
                    self._once("measures", Measure(first.schema, first.relation, text), seen)

    def _once(self, kind: str, key: Any, seen: set[Any]) -> None:
        """Count what a query does however often it says so."""
        if (kind, key) not in seen:
            seen.add((kind, key))
            getattr(self.habits, kind)[key] += 1

    # -- what a node is about

    def _column(self, node: Any) -> ColumnName | None:
        if not is_a(node, ast.ColumnRef):
            return None
        oid, column = self._scopes.columns.get(id(node), (0, ""))
        relation = self._by_oid.get(oid)
        return ColumnName(relation.schema, relation.name, column) if relation else None

    def _relations(self, side: Any) -> list[Relation]:
        found = [self._scopes.relations.get(id(node)) for node in walk(side)]
        return [relation for relation in found if relation is not None]

    def _home(self, condition: Any) -> Relation | None:
        """The one relation a condition is about, if it is about no other query."""
        if any(is_a(node, ast.SubLink) for node in walk(condition)):
            return None
        oids = {self._scopes.columns.get(id(node), (0, ""))[0] for node in _references((condition,))}
        return self._by_oid.get(oids.pop()) if len(oids) == 1 else None

    def _text(self, node: Any) -> str:
        """A node with its columns unqualified; '' where it holds a constant that must not be kept."""
        for part in walk(node):
            if is_a(part, ast.ParamRef, ast.SubLink):
                return ""
            if is_a(part, ast.A_Const) and not self._literals and not harmless(part):
                return ""
        copied = copy_tree(node)
        for reference in _references((copied,)):
            object.__setattr__(reference, "fields", reference.fields[-1:])
        text = to_sql(copied)
        return text if len(text) <= _LONGEST_TEXT else ""


def harmless(constant: Any) -> bool:
    """NULL and truth values say nothing of anybody's data."""
    return bool(constant.isnull) or is_a(constant.val, ast.Boolean)


def _conditions(query: Any) -> Iterator[Any]:
    """What one query level demands of its rows: the parts of WHERE and of inner joins, none inside an OR."""
    if query.whereClause is not None:
        yield from _conjuncts(query.whereClause)
    for item in query.fromClause or ():
        for join in _joins(item):
            if join.quals is not None:
                yield from _conjuncts(join.quals)


def _conjuncts(condition: Any) -> Iterator[Any]:
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


def _joins_by_name(query: Any) -> Iterator[Any]:
    for item in query.fromClause or ():
        yield from (join for join in _joins(item) if join.usingClause)


def _references(nodes: Iterable[Any] | None) -> Iterator[Any]:
    for node in nodes or ():
        yield from (part for part in walk(node) if is_a(part, ast.ColumnRef))


def _within(clause: Any) -> Iterator[Any]:
    """The nodes of a clause, those of queries inside it left out."""
    for node in clause if isinstance(clause, tuple) else (clause,):
        if node is not None and not is_a(node, ast.SelectStmt):
            yield node
            yield from _within(tuple(children(node)))
