"""What a mend looks at, and what a mend is.

Owns: one failed statement, its tree, and what the names in it refer to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Protocol

from pglast import ast

from askwire.sql.catalog import Catalog, Column
from askwire.sql.tracing.scopes import Item, Scope, Scopes, resolve
from askwire.sql.tracing.tree import Untraceable, children, parse_query, strings, walk


class Nearest(Protocol):
    """The name among `known` that `wanted` most likely means, or None when none is near."""

    def __call__(self, wanted: str, known: Sequence[str], /) -> str | None:
        """One of `known`, or None."""


def nearest(wanted: str, known: Sequence[str]) -> str | None:
    """The most similar name: the same but for case, '_' and plural, else alike in four letters of five."""
    best, likeness = None, 0.8
    plain = _plain(wanted)
    for name in known:
        other = _plain(name)
        if other == plain:
            return name
        ratio = SequenceMatcher(None, plain, other).ratio()
        if ratio > likeness:
            best, likeness = name, ratio
    return best


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace(" ", "").removesuffix("s")


@dataclass(frozen=True, eq=False)
class Reference:
    """One column reference: where it stands, its parts, and the FROM items whose column it can mean.

    `items` are those of the innermost level that has any; two or more make it ambiguous, none unknown.
    `known` tells that it names something else: an output column, a whole row, a merged column.
    """

    node: Any
    level: Scope
    qualifier: str
    name: str
    items: tuple[Item, ...]
    known: bool = False

    @property
    def column(self) -> Column | None:
        """The column of a relation it means, where it means one."""
        item = self.items[0] if len(self.items) == 1 else None
        if item is None or item.relation is None:
            return None
        if self.name not in item.columns:
            return None
        return item.relation.columns[item.columns.index(self.name)]


@dataclass(frozen=True, eq=False)
class BrokenStatement:
    """A statement that failed, or that ran and is wrong in a way that its own text tells.

    `sqlstate` is '' for one that ran. `nearest` finds the name that an unknown one means: by spelling where
    the caller knows no better way.
    """

    sql: str
    catalog: Catalog
    sqlstate: str = ""
    message: str = ""
    nearest: Nearest = nearest

    def parsed(self) -> Any:
        """A tree of one's own to change; None where it is not one query that parses."""
        try:
            return parse_query(self.sql)
        except Untraceable:
            return None

    def resolved(self) -> Scopes | None:
        """A tree of one's own (`query`) with its names resolved; None where they cannot be followed."""
        tree = self.parsed()
        if tree is None:
            return None
        try:
            return resolve(tree, self.catalog)
        except Untraceable:
            return None


class Mend(Protocol):
    """One way to make a statement right without asking anybody: deterministic, the same text every time."""

    def __call__(self, broken: BrokenStatement, /) -> str | None:
        """The mended text, or None when there is nothing of its kind to mend."""


def references(scopes: Scopes) -> Iterator[Reference]:
    """Every column reference of a statement (stars left out), levels outermost first."""
    for level in list(scopes.levels.values()):
        for part in children(level.query):
            in_order = any(part is key for key in level.query.sortClause or ())
            in_group = any(part is key for key in level.query.groupClause or ())
            for node in walk(part, into_queries=False):
                if isinstance(node, ast.ColumnRef):
                    made = _reference(node, level, scopes, names_output=in_order)
                    if made is None:
                        continue
                    if in_group and not made.items and made.name in scopes.output(level.query):
                        made = replace(made, known=True)
                    yield made


def _reference(node: Any, level: Scope, scopes: Scopes, *, names_output: bool) -> Reference | None:
    names = strings(node.fields)
    if len(names) != len(node.fields) or not names:
        return None
    qualifier, name = (names[-2] if len(names) > 1 else ""), names[-1]
    if not qualifier and names_output and name in scopes.output(level.query):
        return Reference(node, level, qualifier, name, (), known=True)
    scope: Scope | None = level
    inner = None
    while scope is not None:
        # a subquery of FROM does not see its own output
        shown = [i for i in scope.items if not i.hidden and getattr(i.node, "subquery", level) is not inner]
        inner = scope.query
        if qualifier:
            named = tuple(i for i in shown if i.name == qualifier)
            if named:
                return Reference(node, level, qualifier, name, tuple(i for i in named if name in i.columns))
        else:
            having = tuple(i for i in shown if name in i.columns)
            if having and name in scope.merged:
                return Reference(node, level, qualifier, name, having[:1], known=True)
            if having:
                return Reference(node, level, qualifier, name, having)
            if any(i.name == name for i in shown):
                return Reference(node, level, qualifier, name, (), known=True)
        scope = scope.outer
    return Reference(node, level, qualifier, name, ())


def in_reach(level: Scope) -> list[Item]:
    """The FROM items a reference at this level can mean, innermost first."""
    found: list[Item] = []
    scope: Scope | None = level
    while scope is not None:
        found += [i for i in scope.items if not i.hidden]
        scope = scope.outer
    return found


def point(node: Any, item: Item | str, column: str) -> None:
    """Make a column reference mean a column of one FROM item."""
    name = item if isinstance(item, str) else item.name
    node.fields = (ast.String(sval=name), ast.String(sval=column))
