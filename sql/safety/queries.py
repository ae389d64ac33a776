"""Walking a query: WITH, set operations, FROM, and the columns that come out.

Follows the order in which PostgreSQL's parse analysis brings names into scope (parse_clause.c, parse_cte.c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pglast import ast
from pglast.enums import JoinType, SetOperation

from askwire.core.errors import UnknownRelation
from askwire.sql.safety.expressions import output_name, walk
from askwire.sql.safety.functions import review
from askwire.sql.safety.inspection import Inspection
from askwire.sql.safety.names import Columns, Scope, Source, renamed
from askwire.sql.safety.nodes import Node, of, reason_against
from askwire.sql.safety.positions import first_location, of_locking

MAX_COLUMNS = 20_000
_SAMPLING = frozenset(("bernoulli", "system"))
_PG_CATALOG = "pg_catalog"
_SYSTEM_SCHEMAS = frozenset((_PG_CATALOG, "information_schema"))
_TABLE_KINDS = frozenset("rpmf")


def query(inspection: Inspection, node: Node, outer: Scope | None) -> Columns:
    """Check a query and everything below it; returns the names of its output columns."""
    if not of(node, ast.SelectStmt):
        inspection.refuse(reason_against(node), first_location(node))
    level = outer.level + 1 if outer else 1
    if level > inspection.policy.max_queries:
        inspection.refuse(
            f"queries nest deeper than {inspection.policy.max_queries} levels", first_location(node)
        )
    if node.intoClause is not None:
        inspection.refuse("SELECT INTO makes a table", first_location(node.intoClause))
    if node.lockingClause:
        inspection.refuse("FOR UPDATE and FOR SHARE lock rows", of_locking(inspection.sql))
    scope = Scope(outer, level=level)
    if node.withClause is not None:
        _with(inspection, node.withClause, scope)
    if node.op != SetOperation.SETOP_NONE:
        return _set_operation(inspection, node, scope)
    if node.valuesLists:
        walk(inspection, node.valuesLists, scope, query)
        _tail(inspection, node, scope)
        return tuple(f"column{n}" for n in range(1, len(node.valuesLists[0]) + 1))
    return _select(inspection, node, scope)


def _select(inspection: Inspection, node: Node, scope: Scope) -> Columns:
    sources: list[Source] = []
    everything: Columns = ()
    for item in node.fromClause or ():
        found, columns = _from_item(inspection, item, scope, sources)
        sources.extend(found)
        everything = None if everything is None or columns is None else everything + columns
        _bound(inspection, everything, item)
    inner = scope.with_sources(sources)
    # Here a star stands for columns; anywhere else (`count(t.*)`) it makes a row value.
    targets = tuple(target for target in node.targetList or () if not _is_star(target.val))
    if len(targets) < len(node.targetList or ()):
        inspection.whole_rows = True
    for clause in (
        *(targets, node.whereClause, node.groupClause, node.havingClause),
        *(node.windowClause, node.distinctClause),
    ):
        walk(inspection, clause, inner, query)
    _tail(inspection, node, inner)
    return _outputs(node.targetList or (), inner, everything)


def _bound(inspection: Inspection, columns: Columns, node: Node) -> None:
    """`SELECT l.*, r.* FROM w l, w r` doubles the columns of w: a chain of such must end before memory."""
    if columns is not None and len(columns) > MAX_COLUMNS:
        inspection.refuse(f"the SQL joins more than {MAX_COLUMNS} columns", first_location(node))


def _tail(inspection: Inspection, node: Node, scope: Scope) -> None:
    walk(inspection, (node.sortClause, node.limitCount, node.limitOffset), scope, query)


def _set_operation(inspection: Inspection, node: Node, scope: Scope) -> Columns:
    # The left side of a chain of UNIONs nests as deep as the chain is long: it is walked in a loop.
    arms: list[Node] = []
    arm: Node = node
    while of(arm, ast.SelectStmt) and arm.op != SetOperation.SETOP_NONE:
        if arm is not node and _has_clauses(arm):
            break
        arms.append(arm.rarg)
        arm = arm.larg
    columns = query(inspection, arm, scope)
    for right in reversed(arms):
        query(inspection, right, scope)
    _tail(inspection, node, scope)
    return columns


def _has_clauses(node: Node) -> bool:
    return bool(
        node.withClause or node.sortClause or node.limitCount or node.limitOffset or node.lockingClause
    )


def _with(inspection: Inspection, clause: Node, scope: Scope) -> None:
    if clause.recursive:
        for cte in clause.ctes:
            scope.ctes[cte.ctename] = renamed(_first_names(cte.ctequery), _strings(cte.aliascolnames))
    for cte in clause.ctes:
        if not of(cte.ctequery, ast.SelectStmt):
            inspection.refuse(reason_against(cte.ctequery), cte.location)
        columns = renamed(query(inspection, cte.ctequery, scope), _strings(cte.aliascolnames))
        added: list[str] = []
        if cte.search_clause is not None:
            added.append(cte.search_clause.search_seq_column)
        if cte.cycle_clause is not None:
            walk(inspection, cte.cycle_clause, scope, query)
            added += (cte.cycle_clause.cycle_mark_column, cte.cycle_clause.cycle_path_column)
        scope.ctes[cte.ctename] = None if columns is None else (*columns, *added)


def _first_names(node: Node) -> Columns:
    """The output columns of a recursive query's first arm, as far as its text alone tells them."""
    while of(node, ast.SelectStmt) and node.op != SetOperation.SETOP_NONE:
        node = node.larg
    if not of(node, ast.SelectStmt):
        return None
    if node.valuesLists:
        return tuple(f"column{n}" for n in range(1, len(node.valuesLists[0]) + 1))
    return _outputs(node.targetList or (), Scope(None), None)


def _outputs(targets: Sequence[Node], scope: Scope, everything: Columns) -> Columns:
    names: list[str] = []
    for target in targets:
        value = target.val
        if target.name:
            names.append(target.name)
        elif _is_star(value):
            columns = everything
            if len(value.fields) > 1:
                qualifiers = _strings(value.fields[:-1])
                source = scope.source(qualifiers[-1], qualifiers[0] if len(qualifiers) == 2 else "")
                columns = source.columns if source and len(qualifiers) <= 2 else None
            if columns is None:
                return None
            names += columns
        elif of(value, ast.A_Indirection) and of(value.indirection[-1], ast.A_Star):
            return None
        else:
            names.append(output_name(value))
    return tuple(names)


def _is_star(value: Node) -> bool:
    return of(value, ast.ColumnRef) and of(value.fields[-1], ast.A_Star)


def _strings(nodes: Sequence[Node] | None) -> tuple[str, ...]:
    return tuple(node.sval for node in nodes or ())


def _from_item(
    inspection: Inspection, node: Node, scope: Scope, before: Sequence[Source]
) -> tuple[list[Source], Columns]:
    """The names a FROM item brings, and all its columns in order; `before` is what LATERAL may see."""
    if of(node, ast.JoinExpr):
        return _join(inspection, node, scope, before)
    if of(node, ast.RangeTableSample):
        return _sample(inspection, node, scope, before)
    if of(node, ast.RangeVar):
        source = _relation(inspection, node, scope)
    elif of(node, ast.RangeSubselect):
        inner = scope.with_sources(before if node.lateral else ())
        source = _aliased(node.alias, "", query(inspection, node.subquery, inner))
    elif of(node, ast.RangeFunction):
        source = _function(inspection, node, scope.with_sources(before))
    else:
        inspection.refuse(reason_against(node), first_location(node))
    return [source], source.columns


def _aliased(alias: Node, name: str, columns: Columns) -> Source:
    if alias is None:
        return Source(name, columns)
    return Source(alias.aliasname, renamed(columns, _strings(alias.colnames)))


def _relation(inspection: Inspection, node: Node, scope: Scope) -> Source:
    name, schema = node.relname, node.schemaname or ""
    inspection.count_relation(node)
    if node.catalogname:
        inspection.refuse(f'"{node.catalogname}.{schema}.{name}" names a database', node.location)
    if not schema:
        is_cte, columns = scope.cte(name)
        if is_cte:
            return _aliased(node.alias, name, columns)
    # Where pg_catalog comes first, as it does by default, an unqualified pg_ name is the system's.
    if schema in _SYSTEM_SCHEMAS or (not schema and name.startswith("pg_")):
        if not inspection.policy.system_catalogs:
            inspection.refuse(
                f'"{name}" is a system catalog',
                node.location,
                "The operator can allow system catalogs: system_catalogs = on.",
            )
        if not schema and inspection.catalog.find(name) is not None:
            inspection.refuse(f'"{name}" must say its schema', node.location)
        return replace(_aliased(node.alias, name, None), is_system=True)
    if not schema and "information_schema" in inspection.catalog.search_path:
        inspection.refuse(
            f'"{name}" must say its schema, because information_schema is in search_path', node.location
        )
    relation = inspection.catalog.find(name, schema)
    if relation is None:
        shown = f"{schema}.{name}" if schema else name
        inspection.refuse(
            f'relation "{shown}" does not exist or may not be read', node.location, error=UnknownRelation
        )
    if not schema and not relation.on_path:
        inspection.refuse(f'"{name}" must say its schema', node.location)
    inspection.read(relation, node)
    columns = tuple(column.name for column in relation.columns)
    is_table = relation.kind in _TABLE_KINDS
    if node.alias is not None and node.alias.colnames:
        inspection.whole_rows = True
    if node.alias is None:
        return Source(name, columns, relation.schema, is_table)
    return Source(node.alias.aliasname, renamed(columns, _strings(node.alias.colnames)), is_table=is_table)


def _function(inspection: Inspection, node: Node, scope: Scope) -> Source:
    columns: Columns = ()
    alias = node.alias
    for call, definitions in node.functions:
        walk(inspection, (call, definitions), scope, query)
        single = alias.aliasname if alias and len(node.functions) == 1 else ""
        found = tuple(d.colname for d in definitions or ()) or _returned(call, single)
        columns = None if columns is None or found is None else columns + found
    walk(inspection, node.coldeflist, scope, query)
    if node.coldeflist:
        columns = tuple(definition.colname for definition in node.coldeflist)
    if node.ordinality and columns is not None:
        columns = (*columns, "ordinality")
    name = output_name(node.functions[0][0])
    source = _aliased(alias, name, columns)
    return replace(source, is_function=True)


def _returned(call: Node, alias: str) -> Columns:
    """The columns of a function in FROM: its own, or one that takes the alias's name."""
    if not of(call, ast.FuncCall):
        return None
    names = _strings(call.funcname)
    if names[-1] not in review().allowed or names[:-1] not in ((), (_PG_CATALOG,)):
        return None
    count = len(call.args or ()) if names[-1] == "unnest" else 1
    return review().columns.get(names[-1], (alias if alias and count == 1 else names[-1],) * count)


def _sample(
    inspection: Inspection, node: Node, scope: Scope, before: Sequence[Source]
) -> tuple[list[Source], Columns]:
    if _strings(node.method)[-1] not in _SAMPLING or len(node.method) > 1:
        inspection.refuse(f'sampling method "{_strings(node.method)[-1]}" is not allowed', node.location)
    walk(inspection, (node.args, node.repeatable), scope, query)
    return _from_item(inspection, node.relation, scope, before)


def _join(
    inspection: Inspection, node: Node, scope: Scope, before: Sequence[Source]
) -> tuple[list[Source], Columns]:
    left, left_columns = _from_item(inspection, node.larg, scope, before)
    right, right_columns = _from_item(inspection, node.rarg, scope, [*before, *left])
    sources = [*left, *right]
    merged = _strings(node.usingClause)
    if node.isNatural:
        if left_columns is None or right_columns is None:
            inspection.refuse("a NATURAL JOIN needs columns that are known", first_location(node.rarg))
        merged = tuple(name for name in left_columns if name in right_columns)
    if merged or node.isNatural:
        syntax = "NATURAL JOIN" if node.isNatural else "JOIN USING"
        inspection.use_operator("=", first_location(node.rarg), syntax=syntax)
    inspection.columns_named.update(merged)
    if node.alias is not None and node.alias.colnames:
        inspection.whole_rows = True
    walk(inspection, node.quals, scope.with_sources(sources), query)
    columns: Columns = None
    if left_columns is not None and right_columns is not None:
        _bound(inspection, (*left_columns, *right_columns), node.rarg)
        rest = (name for name in (*left_columns, *right_columns) if name not in merged)
        columns = (*merged, *rest)
    if node.join_using_alias is not None:
        sources.append(Source(node.join_using_alias.aliasname, merged))
    if node.alias is not None:
        # The order of a join's columns is not known for sure: only those renamed are.
        source = _aliased(node.alias, "", columns if not node.alias.colnames else ())
        return [source], source.columns
    if node.jointype not in _JOINS:
        inspection.refuse("this kind of JOIN is not allowed", first_location(node.rarg))
    return sources, columns


_JOINS = frozenset((JoinType.JOIN_INNER, JoinType.JOIN_LEFT, JoinType.JOIN_RIGHT, JoinType.JOIN_FULL))
