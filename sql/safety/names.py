"""What a qualified name means at a place of a query, as PostgreSQL's parser resolves it.

`t.x` is a column where the FROM item `t` has one called x; else it is a call of a function x on the row t.
To tell them apart every FROM item's columns are tracked; what cannot be known is no column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

Columns = tuple[str, ...] | None
"""The names of output columns in order; None when they cannot be shown."""

SYSTEM_COLUMNS: Final = frozenset(("tableoid", "ctid", "xmin", "cmin", "xmax", "cmax"))


@dataclass(frozen=True, slots=True)
class Source:
    """One FROM item as names see it; `schema` is '' for all but relations without an alias.

    `is_table` says that it has system columns, `is_function` that its columns are a function's result, and
    `is_system` that it is a system catalog, whose columns are not in the catalog model.
    """

    name: str
    columns: Columns
    schema: str = ""
    is_table: bool = False
    is_function: bool = False
    is_system: bool = False

    def has(self, column: str) -> bool:
        """Whether `name.column` is certainly a column."""
        if self.columns is not None and column in self.columns:
            return True
        return self.is_table and column in SYSTEM_COLUMNS


@dataclass(slots=True)
class Scope:
    """The FROM items and WITH queries visible at one level of nesting, and the level around it."""

    outer: Scope | None
    sources: Sequence[Source] = ()
    ctes: dict[str, Columns] = field(default_factory=dict)
    level: int = 0

    def _levels(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def with_sources(self, sources: Sequence[Source]) -> Scope:
        """The same level with other FROM items in view."""
        return Scope(self.outer, sources, self.ctes, self.level)

    def cte(self, name: str) -> tuple[bool, Columns]:
        """Whether a WITH query of this name is visible, and its columns."""
        for scope in self._levels():
            if name in scope.ctes:
                return True, scope.ctes[name]
        return False, None

    def source(self, name: str, schema: str = "") -> Source | None:
        """The FROM item a qualifier means: the innermost level that has one decides."""
        for scope in self._levels():
            for source in scope.sources:
                if source.name == name and (not schema or source.schema == schema):
                    return source
        return None


def renamed(columns: Columns, names: Sequence[str]) -> Columns:
    """The columns after an alias list: the first ones take the given names."""
    if not names:
        return columns
    if columns is None:
        return None
    return (*names, *columns[len(names) :])
