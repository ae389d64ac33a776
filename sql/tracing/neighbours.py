"""Rows that a row could be joined with: through the joins a query writes, and through foreign keys.

Owns: finding which columns are compared, and the queries for neighbours and for a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.literals import quote_identifier
from askwire.sql.qualified import GT
from askwire.sql.tracing.identity import RECORD_SQL, Source, equals, token
from askwire.sql.tracing.scopes import Scopes
from askwire.sql.tracing.tree import is_a, is_set_operation, strings, walk

SAMPLED_ROWS: Final = 3000
"""Rows of a large table among which a sample is taken."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Column `column` of relation `oid` is compared with column `other_column` of relation `other`."""

    oid: int
    column: str
    other: int
    other_column: str


def links(queries: Sequence[Scopes], sources: Mapping[int, Source]) -> list[Link]:
    """The links between the relations of some queries, in both directions."""
    found: set[Link] = set()
    for scopes in queries:
        nodes: Iterable[Any] = walk(scopes.query)
        for node in nodes:
            sides: list[Any] = []
            if is_a(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_OP and _is_equals(node):
                sides = [node.lexpr, node.rexpr]
            elif is_a(node, ast.SubLink) and node.testexpr is not None and node.subselect.targetList:
                sides = [node.testexpr, node.subselect.targetList[0].val]
            ends = [scopes.columns[id(s)] for s in sides if id(s) in scopes.columns]
            if len(ends) == 2:
                found |= {Link(*ends[0], *ends[1]), Link(*ends[1], *ends[0])}
    for of in sources.values():
        for key in of.relation.foreign_keys:
            if key.target in sources and len(key.columns) == 1:
                ends = [(of.number, key.columns[0]), (key.target, key.target_columns[0])]
                found |= {Link(*ends[0], *ends[1]), Link(*ends[1], *ends[0])}
    found = {link for link in found if link.oid != link.other or link.column != link.other_column}
    for scopes in queries:
        found |= {Link(oid, column, oid, column) for oid, column in _grouped(scopes)}
    return sorted(found)


def _grouped(scopes: Scopes) -> set[tuple[int, str]]:
    """Columns by which a query puts rows together: rows that agree in one make up its groups."""
    parts: list[Any] = []
    for scope in scopes.levels.values():
        level = scope.query
        parts.extend(level.groupClause or ())
        if level.distinctClause is not None or is_set_operation(level):
            parts.extend(level.targetList or ())
        nodes: Iterable[Any] = walk((level.targetList or (), level.havingClause or ()), into_queries=False)
        for node in nodes:
            if is_a(node, ast.FuncCall) and node.agg_distinct:
                parts.extend(node.args or ())
            elif is_a(node, ast.WindowDef):
                parts.extend(node.partitionClause or ())
    columns = (scopes.columns.get(id(node)) for node in walk(tuple(parts), into_queries=False))
    return {column for column in columns if column is not None}


def _is_equals(node: Any) -> bool:
    return strings(node.name)[-1] == "="


def neighbours(link: Link, of: Source, parameter: int, limit: int) -> str:
    """A query for rows of `link.other` whose column is among the values `$parameter`: token and value."""
    column = f"r.{quote_identifier(link.other_column)}"
    return (
        f"SELECT {token(of, 'r')} AS l, {column}::pg_catalog.text AS v FROM {of.qualified} AS r"
        f" WHERE {column} {equals(of, link.other_column)} ANY(${parameter}) LIMIT {limit}"
    )


def repeats(of: Source, columns: Sequence[str], column: str, parameter: int, limit: int) -> str:
    """A query for pairs of rows that agree in `columns`, among those with `column` in `$parameter`."""
    names = ", ".join(f"r.{quote_identifier(c)}" for c in columns)
    pair = f"pg_catalog.array_to_string((pg_catalog.array_agg({token(of, 'r')}))[1:2], {RECORD_SQL})"
    return (
        f"SELECT {pair} AS l FROM {of.qualified} AS r"
        f" WHERE r.{quote_identifier(column)} {equals(of, column)} ANY(${parameter})"
        f" GROUP BY {names} HAVING pg_catalog.count(*) {GT} 1 LIMIT {limit}"
    )


def sample(of: Source, limit: int, seed: int) -> str:
    """A query for some rows of a relation, spread over it where it is a large table."""
    rows = of.relation.estimated_rows
    lines = f"SELECT {token(of, 'r')} AS l FROM {of.qualified} AS r"
    if of.relation.kind not in "rm" or rows <= 100 * limit:
        return f"{lines} LIMIT {limit}"
    # rows of a page are often alike: some of many pages are taken
    share = min(100.0, max(100.0 * SAMPLED_ROWS / rows, 0.001))
    lines += f" TABLESAMPLE SYSTEM ({share:.4f}) REPEATABLE ({seed}) LIMIT {SAMPLED_ROWS}"
    return f"SELECT l FROM ({lines}) AS _aw_t ORDER BY pg_catalog.md5(l) LIMIT {limit}"
