"""What each name in a query's FROM clauses refers to, level by level.

Owns: resolving range variables to relations of the catalog or to CTEs under PostgreSQL's scoping rules, the
output columns of every query level, and which columns of each relation a query uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from pglast import ast

from askwire.sql.catalog import Catalog, Relation
from askwire.sql.parsing import MACHINE
from askwire.sql.tracing.alias_names import alias_of, function_names, renamed
from askwire.sql.tracing.tree import Untraceable, children, is_a, is_set_operation, output_name, strings, walk

SYSTEM_COLUMNS: Final = frozenset({"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"})

_Ctes = Mapping[str, "Cte"]


@dataclass(frozen=True, eq=False)
class Cte:
    """One WITH query: `columns` are its output names; `recursive` when it refers to itself."""

    node: ast.CommonTableExpr
    columns: tuple[str, ...]
    recursive: bool


@dataclass(frozen=True, eq=False)
class Item:
    """One entry of a FROM clause under the name by which columns are qualified.

    `hidden` entries stand inside a join that has an alias of its own: their names cannot be used.
    """

    name: str
    columns: tuple[str, ...]
    node: ast.Node
    relation: Relation | None = None
    cte: Cte | None = None
    hidden: bool = False


_Names = tuple[dict[str, Item], dict[str, Item]]
"""The first item of each name, and the first that has each column."""


def _names() -> _Names:
    return {}, {}


@dataclass(eq=False)
class Scope:
    """One query level that is not a set operation: its FROM items, and the level it may refer to."""

    query: Any
    outer: Scope | None
    items: list[Item] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    """Columns that USING or NATURAL made one."""

    _visible: _Names = field(default_factory=_names)
    _all: _Names = field(default_factory=_names)

    def add(self, item: Item) -> None:
        """Put an item behind the others."""
        self.items.append(item)
        for by_name, by_column in (self._all,) if item.hidden else (self._all, self._visible):
            by_name.setdefault(item.name, item)
            for column in item.columns:
                by_column.setdefault(column, item)

    def find(self, column: str) -> Item | None:
        """The first item of this level that has the column."""
        return self._visible[1].get(column)

    def named(self, name: str) -> Item | None:
        """The item of this level with that name."""
        return self._visible[0].get(name)

    def within_join(self) -> Scope:
        """The same level as the ON of a join sees it: hidden items too."""
        return Scope(self.query, self.outer, self.items, _visible=self._all)


@dataclass(eq=False)
class Scopes:
    """A resolved query.

    `relations` maps each range variable of a base relation (by `id` of its node) to it, `ctes` those of WITH
    queries; `outputs` the output column names of each query level; `levels` are all query levels, outer ones
    first; `used` the columns used of each relation by OID; `columns` maps column references (by `id`) to the
    OID and column they mean.
    """

    query: Any
    relations: dict[int, Relation] = field(default_factory=dict)
    ctes: dict[int, Cte] = field(default_factory=dict)
    outputs: dict[int, tuple[str, ...]] = field(default_factory=dict)
    levels: dict[int, Scope] = field(default_factory=dict)
    used: dict[int, set[str]] = field(default_factory=dict)
    columns: dict[int, tuple[int, str]] = field(default_factory=dict)

    def scope(self, query: Any) -> Scope:
        """The scope of a query level."""
        return self.levels[id(query)]

    def output(self, query: Any) -> tuple[str, ...]:
        """The output column names of a query level."""
        return self.outputs[id(query)]

    @property
    def base_relations(self) -> tuple[Relation, ...]:
        """The relations the query reads, each once, in order of first use."""
        return tuple({r.oid: r for r in self.relations.values()}.values())


def resolve(query: Any, catalog: Catalog) -> Scopes:
    """Resolve a query; raises Untraceable for what cannot be followed (unknown relations, sampling, …)."""
    resolver = _Resolver(catalog, Scopes(query))
    resolver.query(query, {}, None)
    return resolver.made


class _Resolver:
    def __init__(self, catalog: Catalog, made: Scopes) -> None:
        self._catalog = catalog
        self.made = made
        self._named = self._within = 0

    def query(self, query: Any, ctes: _Ctes, outer: Scope | None) -> tuple[str, ...]:
        """Resolve a query level and all below it; its output names."""
        self._within += 1
        if self._within > MACHINE.max_queries:
            raise Untraceable(f"it nests more than {MACHINE.max_queries} queries")
        names = self._query(query, ctes, outer)
        self._within -= 1
        return names

    def _query(self, query: Any, ctes: _Ctes, outer: Scope | None) -> tuple[str, ...]:
        if query.intoClause or query.lockingClause:
            raise Untraceable("it locks rows or writes a table")
        if query.withClause is not None:
            ctes = self._with(query.withClause, ctes, outer)
        if is_set_operation(query):
            names = self.query(query.larg, ctes, outer)
            self.query(query.rarg, ctes, outer)
            scope = Scope(query, outer)
            self.made.levels[id(query)] = scope
        else:
            scope = Scope(query, outer)
            self.made.levels[id(query)] = scope
            for node in query.fromClause or ():
                self._from_item(node, scope, ctes, hidden=False)
            names = self._outputs(query, scope)
        for part in _expressions(query):
            self._expression(part, scope, ctes)
        self.made.outputs[id(query)] = names
        return names

    def _with(self, clause: Any, ctes: _Ctes, outer: Scope | None) -> _Ctes:
        known = dict(ctes)
        for node in clause.ctes or ():
            query = node.ctequery
            if not is_a(query, ast.SelectStmt):
                raise Untraceable("a WITH query of it writes")
            if node.search_clause is not None or node.cycle_clause is not None:
                raise Untraceable("it uses SEARCH or CYCLE")
            aliases = strings(node.aliascolnames)
            recursive = bool(clause.recursive) and _mentions(query, node.ctename)
            if recursive:
                left: Any = query
                while is_set_operation(left):
                    left = left.larg
                # the names come from the non-recursive term, which cannot refer to the query itself
                probe = _Resolver(self._catalog, Scopes(left))
                names = renamed(probe.query(left, known, outer), aliases)
                inside = {**known, node.ctename: Cte(node, names, recursive=True)}
                self.query(query, inside, outer)
            else:
                names = renamed(self.query(query, known, outer), aliases)
            known[node.ctename] = Cte(node, names, recursive)
        return known

    def _from_item(self, node: Any, scope: Scope, ctes: _Ctes, *, hidden: bool) -> tuple[str, ...]:
        """Add an item of a FROM clause to the scope; its column names."""
        match type(node).__name__:
            case "RangeVar":
                item = self._range_variable(node, ctes, hidden=hidden)
            case "RangeSubselect":
                names = self.query(node.subquery, ctes, scope)
                alias, aliases = alias_of(node.alias)
                item = Item(alias, renamed(names, aliases), node, hidden=hidden)
            case "JoinExpr":
                return self._join(node, scope, ctes, hidden=hidden)
            case "RangeFunction":
                for part in children(node):
                    self._expression(part, scope, ctes)
                alias, names = function_names(node)
                item = Item(alias, names, node, hidden=hidden)
            case "RangeTableSample":
                raise Untraceable("it reads a random sample")
            case _:
                raise Untraceable(f"its FROM clause holds {type(node).__name__}")
        scope.add(item)
        return item.columns

    def _range_variable(self, node: Any, ctes: _Ctes, *, hidden: bool) -> Item:
        self._named += 1
        if self._named > MACHINE.max_relations:
            # what names are looked up in grows with each of them
            raise Untraceable(f"it names more than {MACHINE.max_relations} relations")
        alias, aliases = alias_of(node.alias)
        if not node.schemaname and node.relname in ctes:
            cte = ctes[node.relname]
            self.made.ctes[id(node)] = cte
            return Item(alias or node.relname, renamed(cte.columns, aliases), node, cte=cte, hidden=hidden)
        relation = self._catalog.find(node.relname, node.schemaname or "")
        if relation is None:
            raise Untraceable(f'"{node.relname}" is not a table or view whose rows can be followed')
        if not node.inh:
            raise Untraceable("it reads ONLY a part of an inheritance tree")
        self.made.relations[id(node)] = relation
        self.made.used.setdefault(relation.oid, set())
        names = tuple(c.name for c in relation.columns)
        return Item(alias or node.relname, renamed(names, aliases), node, relation=relation, hidden=hidden)

    def _join(self, node: Any, scope: Scope, ctes: _Ctes, *, hidden: bool) -> tuple[str, ...]:
        alias, aliases = alias_of(node.alias)
        inside = hidden or bool(alias)
        left = self._from_item(node.larg, scope, ctes, hidden=inside)
        right = self._from_item(node.rarg, scope, ctes, hidden=inside)
        merged = strings(node.usingClause)
        if node.isNatural:
            merged = tuple(c for c in left if c in right)
        scope.merged.update(merged)
        for column in merged:
            for item in scope.items:
                self._use(item, column)
        columns = (*merged, *(c for c in left if c not in merged), *(c for c in right if c not in merged))
        if node.quals is not None:
            # the items of a join are visible in its ON even when an alias hides them outside
            self._expression(node.quals, scope.within_join(), ctes)
        if alias:
            columns = renamed(columns, aliases)
            scope.add(Item(alias, columns, node, hidden=hidden))
        return columns

    def _outputs(self, query: Any, scope: Scope) -> tuple[str, ...]:
        if query.valuesLists:
            return tuple(f"column{i}" for i in range(1, len(query.valuesLists[0]) + 1))
        names: list[str] = []
        for target in query.targetList or ():
            star = star_of(target)
            if star is None:
                if is_a(target.val, ast.A_Indirection) and is_a(target.val.indirection[-1], ast.A_Star):
                    raise Untraceable(
                        "it spreads a composite value with .*: name the columns that are wanted"
                    )
                names.append(output_name(target))
            else:
                if star and scope.find(star) is not None and is_a(target.val, ast.A_Indirection):
                    # a column hides a table of its name
                    raise Untraceable(
                        "it spreads a composite value with .*: name the columns that are wanted"
                    )
                names.extend(name for _, name in star_columns(scope, star))
                self._use_star(scope, star)
        return tuple(names)

    def _use_star(self, scope: Scope, qualifier: str) -> None:
        for item in scope.items:
            if not qualifier or item.name == qualifier:
                for column in item.columns:
                    self._use(item, column)

    def _expression(self, value: Any, scope: Scope, ctes: _Ctes) -> None:
        for node in walk(value, into_queries=False):
            if isinstance(node, ast.SelectStmt):
                self.query(node, ctes, scope)
            elif isinstance(node, ast.ColumnRef):
                self._column(node, scope)

    def _column(self, node: Any, scope: Scope) -> None:
        names = strings(node.fields)
        if not names or len(names) != len(node.fields):
            return
        level: Scope | None = scope
        while level is not None:
            if len(names) > 1:
                item = level.named(names[-2])
                if item is not None:
                    self._use(item, names[-1], node)
                    return
            else:
                found = level.find(names[0])
                if found is not None:
                    self._use(found, names[0], node)
                    return
                whole = level.named(names[0])
                if whole is not None:
                    for column in whole.columns:
                        self._use(whole, column)
                    return
            level = level.outer
        if names[-1] in SYSTEM_COLUMNS:
            raise Untraceable(f"it reads the system column {names[-1]}")

    def _use(self, item: Item, column: str, node: Any = None) -> None:
        if item.relation is None:
            return
        if column not in item.columns:
            if column in SYSTEM_COLUMNS:
                raise Untraceable(f"it reads the system column {column}")
            return
        # an alias list renames by position
        own = item.relation.columns[item.columns.index(column)].name
        self.made.used[item.relation.oid].add(own)
        if node is not None:
            self.made.columns[id(node)] = item.relation.oid, own


def star_of(target: Any) -> str | None:
    """For `*` the empty string, for `t.*` and `(t).*` the qualifier, None for anything else."""
    value = target.val
    if is_a(value, ast.A_Indirection) and is_a(value.arg, ast.ColumnRef):
        if len(value.indirection) == 1 and is_a(value.indirection[0], ast.A_Star):
            names = strings(value.arg.fields)
            return names[0] if len(names) == len(value.arg.fields) == 1 else None
        return None
    if not is_a(value, ast.ColumnRef) or not is_a(value.fields[-1], ast.A_Star):
        return None
    names = strings(value.fields)
    return names[-1] if names else ""


def star_columns(scope: Scope, qualifier: str = "") -> Sequence[tuple[str, str]]:
    """What `*` or `qualifier.*` stands for: (item name or '' for a merged column, column) in order."""
    if qualifier:
        item = scope.named(qualifier)
        return [(qualifier, c) for c in item.columns] if item else []
    return list(chain.from_iterable(_expand(node, scope)[0] for node in scope.query.fromClause or ()))


def _expand(node: Any, scope: Scope) -> tuple[list[tuple[str, str]], list[str]]:
    """The columns of one FROM item in order, qualified; and their bare names."""
    if isinstance(node, ast.JoinExpr):
        if node.alias is not None:
            item = next(i for i in scope.items if i.node is node)
            return [(item.name, c) for c in item.columns], list(item.columns)
        left, left_names = _expand(node.larg, scope)
        right, right_names = _expand(node.rarg, scope)
        merged = list(strings(node.usingClause))
        if node.isNatural:
            merged = [c for c in left_names if c in right_names]
        columns = [("", c) for c in merged] + [p for p in left + right if p[1] not in merged]
        return columns, [c for _, c in columns]
    item = next(i for i in scope.items if i.node is node)
    return [(item.name, c) for c in item.columns], list(item.columns)


def _mentions(query: Any, name: str) -> bool:
    return any(isinstance(n, ast.RangeVar) and n.relname == name and not n.schemaname for n in walk(query))


def _expressions(query: Any) -> Iterator[Any]:
    """The parts of a query level that hold expressions, FROM and WITH left out."""
    for name in (
        "distinctClause",
        "targetList",
        "whereClause",
        "groupClause",
        "havingClause",
        "windowClause",
        "valuesLists",
        "sortClause",
        "limitOffset",
        "limitCount",
    ):
        value = getattr(query, name)
        if value is not None:
            yield value
