"""What a lint looks at, and what a lint says.

Owns: the tree of one statement with its names resolved, and the few questions all lints ask of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from pglast import ast, enums

from askwire.core.types import ResultSet
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.tracing.scopes import Item, Scope, Scopes
from askwire.sql.tracing.tree import is_set_operation, strings, walk
from askwire.verifier.subject import Subject


@dataclass(frozen=True, slots=True)
class Finding:
    """What a lint found: `message` says what is wrong and what to do; '' where all is right."""

    message: str = ""


@dataclass(frozen=True)
class LintSubject:
    """One candidate's statement, which no lint may change."""

    subject: Subject

    @property
    def catalog(self) -> Catalog:
        """The asker's catalog."""
        return self.subject.catalog

    @property
    def result(self) -> ResultSet | None:
        """The answer, where the statement ran."""
        return self.subject.result

    @property
    def scopes(self) -> Scopes | None:
        """Its names resolved; None for what cannot be followed."""
        return self.subject.scopes

    @cached_property
    def levels(self) -> tuple[Scope, ...]:
        """Its query levels that are no set operations, outermost first."""
        if self.scopes is None:
            return ()
        return tuple(s for s in self.scopes.levels.values() if not is_set_operation(s.query))

    def column(self, node: Any) -> tuple[Relation, Column] | None:
        """The relation and column that a reference means, where it means one of a relation."""
        return source(node, self.scopes) if self.scopes is not None else None


class Lint(Protocol):
    """Something in a statement's structure that executes and lies."""

    def __call__(self, linted: LintSubject, /) -> Finding | None:
        """What was found; None where there is nothing that this lint could find fault with."""


def source(node: Any, scopes: Scopes) -> tuple[Relation, Column] | None:
    """The relation and column that a reference means, where it means one of a relation."""
    found = scopes.columns.get(id(node)) if isinstance(node, ast.ColumnRef) else None
    if found is None:
        return None
    relation = next(r for r in scopes.base_relations if r.oid == found[0])
    return relation, relation.by_name[found[1]]


def item_of(node: Any, level: Scope) -> Item | None:
    """The FROM item of this level that a column reference names."""
    names = strings(node.fields) if isinstance(node, ast.ColumnRef) else ()
    if not names:
        return None
    return level.named(names[-2]) if len(names) > 1 else level.find(names[0])


def conjuncts(condition: Any) -> Sequence[Any]:
    """The conditions that must all hold."""
    if condition is None:
        return ()
    if isinstance(condition, ast.BoolExpr) and condition.boolop == enums.BoolExprType.AND_EXPR:
        return [c for arg in condition.args or () for c in conjuncts(arg)]
    return (condition,)


def joins(level: Scope) -> Iterator[Any]:
    """The JoinExpr nodes of a level's FROM clause."""
    for part in level.query.fromClause or ():
        for node in walk(part, into_queries=False):
            if isinstance(node, ast.JoinExpr):
                yield node


def conditions(level: Scope) -> list[Any]:
    """What must hold of every joined row: the conjuncts of ON and WHERE."""
    found = [c for node in joins(level) for c in conjuncts(node.quals)]
    return [*found, *conjuncts(level.query.whereClause)]


def operator(node: Any) -> str:
    """The operator of a plain expression `a op b`, '' for anything else."""
    if not isinstance(node, ast.A_Expr) or node.kind != enums.A_Expr_Kind.AEXPR_OP:
        return ""
    return "".join(strings(node.name)[-1:])


def calls(value: Any) -> Iterator[Any]:
    """The function calls of one level's expression, those of nested queries left out."""
    for node in walk(value, into_queries=False):
        if isinstance(node, ast.FuncCall):
            yield node


def call_name(node: Any) -> str:
    """The last part of a function's name."""
    return "".join(strings(node.funcname)[-1:])
