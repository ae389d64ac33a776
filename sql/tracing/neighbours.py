"""Rows that a row could be joined with: through the joins a query writes, and through foreign keys.

Owns: finding which columns are compared, and the queries for neighbours and for a sample. Must not know:
which rows are at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pglast import ast
from pglast.enums import A_Expr_Kind

from askwire.sql.literals import quote_identifier
from askwire.sql.tracing.identity import Source, token
from askwire.sql.tracing.scopes import Scopes
from askwire.sql.tracing.tree import is_a, strings, walk


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Column `column` of relation `oid` is compared with column `other_column` of relation `other`."""

    oid: int
    column: str
    other: int
    other_column: str


def links(queries: Iterable[Scopes], sources: Mapping[int, Source]) -> list[Link]:
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
    return sorted(link for link in found if link.oid != link.other or link.column != link.other_column)


def _is_equals(node: Any) -> bool:
    return strings(node.name)[-1] == "="


def neighbours(link: Link, of: Source, parameter: int, limit: int) -> str:
    """A query for rows of `link.other` whose column is among the values `$parameter`: token and value."""
    column = f"r.{quote_identifier(link.other_column)}"
    return (
        f"SELECT {token(of, 'r')} AS l, {column}::pg_catalog.text AS v FROM {of.qualified} AS r"
        f" WHERE {column} = ANY(${parameter}) LIMIT {limit}"
    )


def sample(of: Source, limit: int) -> str:
    """A query for some rows of a relation, spread over it where it is a large table."""
    rows = of.relation.estimated_rows
    spread = ""
    if of.relation.kind in "rm" and rows > 100 * limit:
        spread = f" TABLESAMPLE SYSTEM ({min(100.0, max(100.0 * 40 * limit / rows, 0.001)):.4f})"
    return f"SELECT {token(of, 'r')} AS l FROM {of.qualified} AS r{spread} LIMIT {limit}"
