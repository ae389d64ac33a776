"""A superlative whose first row is a NULL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast, enums

from askwire.sql.catalog import Column, Relation
from askwire.sql.tracing.scopes import Scope, Scopes
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.lints.linted import Finding, LintSubject, source


def nulls_first(linted: LintSubject) -> Finding | None:
    """`ORDER BY height DESC LIMIT 1` over a column that may be NULL shows the row whose height is unknown.

    Silent where the statement ran, unless the answer shows the column and a NULL in its first row: there the
    mend of the same name has tried whether it matters.
    """
    if linted.scopes is None:
        return None
    if not any(level.query.limitCount is not None and level.query.sortClause for level in linted.levels):
        return None
    keys = [k for k in unsafe_keys(linted.scopes) if linted.result is None or _null_came_first(k, linted)]
    return Finding("ORDER BY … DESC puts NULLs first, and LIMIT keeps them; add NULLS LAST" if keys else "")


def unsafe_keys(scopes: Scopes) -> Iterator[Any]:
    """The first sort keys that descend over a nullable column without a word on NULLs, where a LIMIT cuts."""
    for level in scopes.levels.values():
        query = level.query
        if query.limitCount is None or not query.sortClause:
            continue
        key = query.sortClause[0]
        descends = key.sortby_dir == enums.SortByDir.SORTBY_DESC
        if not descends or key.sortby_nulls != enums.SortByNulls.SORTBY_NULLS_DEFAULT:
            continue
        found = _column(key.node, level, scopes)
        if found is not None and not found[1].not_null and not _excluded(query, key.node):
            yield key


def _column(node: Any, level: Scope, scopes: Scopes) -> tuple[Relation, Column] | None:
    """The column a sort key means: an output of this level comes before a column of FROM."""
    if not isinstance(node, ast.ColumnRef):
        return None
    names = strings(node.fields)
    for target in level.query.targetList or ():
        if len(names) == 1 and target.name == names[0]:
            return source(target.val, scopes)
    return source(node, scopes)


def _excluded(query: Any, node: Any) -> bool:
    """Whether a condition on the column keeps NULLs out."""
    name = strings(node.fields)[-1]
    return any(
        isinstance(part, ast.ColumnRef) and strings(part.fields)[-1:] == (name,)
        for part in walk(query.whereClause, into_queries=False)
    )


def _null_came_first(key: Any, linted: LintSubject) -> bool:
    """Whether the answer shows the column of the key, and no value in its first row."""
    statement = linted.subject.statement
    if linted.result is None or not linted.result.rows or not isinstance(statement, ast.SelectStmt):
        return False
    targets = statement.targetList or ()
    if not any(key is k for k in statement.sortClause or ()) or len(linted.result.columns) != len(targets):
        return False
    return any(
        isinstance(target.val, ast.ColumnRef)
        and strings(target.val.fields)[-1:] == strings(key.node.fields)[-1:]
        and linted.result.rows[0][place] is None
        for place, target in enumerate(targets)
    )
