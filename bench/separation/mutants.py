"""Mutants of a query: the same query with one small change, labelled by the kind of change.

Owns: trees to text and back, the fixed order, and which mutants are the same. The same query and catalog
always give the same mutants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pglast import ast, parse_sql
from pglast.parser import ParseError
from pglast.stream import RawStream

from askwire.bench.separation.mutations import CLASSES, Finder
from askwire.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed query: `kind` is one of `mutations.CLASSES`, `change` says what was done."""

    sql: str
    kind: str
    change: str


def mutants(
    sql: str, catalog: Catalog | None = None, classes: Mapping[str, Finder] = CLASSES
) -> Iterator[Mutant]:
    """Every mutant of one SELECT, each different from it and from one another.

    With a catalog there are more: other join keys, further grouping columns. Nothing comes of text that is
    not one query. With other `classes` the changes are theirs.
    """
    statement = _query(sql)
    if statement is None:
        return
    seen = {_text(statement)}
    for kind, finder in classes.items():
        for number in range(_count(sql, finder, catalog)):
            change, text = _changed(sql, finder, catalog, number)
            if text not in seen and _query(text) is not None:
                seen.add(text)
                yield Mutant(text, kind, change)


def _query(sql: str) -> ast.RawStmt | None:
    try:
        statements = parse_sql(sql)
    except ParseError:
        return None
    one = len(statements) == 1 and isinstance(statements[0].stmt, ast.SelectStmt)
    return statements[0] if one else None


def _text(statement: ast.RawStmt) -> str:
    return str(RawStream()(statement))


def _count(sql: str, finder: Finder, catalog: Catalog | None) -> int:
    statement = _query(sql)
    return sum(1 for _ in finder(statement, catalog)) if statement else 0


def _changed(sql: str, finder: Finder, catalog: Catalog | None, number: int) -> tuple[str, str]:
    """One change by its number, made in a tree of its own: what it is, and the query it gives."""
    statement = parse_sql(sql)[0]
    change, apply = [*finder(statement, catalog)][number]
    apply()
    return change, _text(statement)
