"""Where a node of a query's tree stands, so that it can be changed there.

Owns: walking pglast's tree in a fixed order, and writing a node back into the attribute or list it came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pglast import ast


@dataclass(frozen=True, slots=True)
class Place:
    """The node in `owner.attribute`, or the one at `index` where the attribute holds a list."""

    owner: ast.Node
    attribute: str
    index: int | None = None

    @property
    def node(self) -> Any:
        """What stands here now."""
        held = getattr(self.owner, self.attribute)
        return held if self.index is None else held[self.index]

    def put(self, *nodes: ast.Node) -> None:
        """Set these nodes here; none removes the place: an empty list becomes None, as the parser has it."""
        if self.index is None:
            setattr(self.owner, self.attribute, nodes[0] if nodes else None)
            return
        held = getattr(self.owner, self.attribute)
        changed = (*held[: self.index], *nodes, *held[self.index + 1 :])
        setattr(self.owner, self.attribute, changed or None)


def places(root: ast.Node) -> Iterator[Place]:
    """Every node below `root` with its place, parents first, in the order of PostgreSQL's own structures."""
    for attribute in root:
        held = getattr(root, attribute)
        if isinstance(held, ast.Node):
            yield Place(root, attribute)
            yield from places(held)
        elif isinstance(held, tuple):
            for index, item in enumerate(held):
                if isinstance(item, ast.Node):
                    yield Place(root, attribute, index)
                    yield from places(item)
                elif isinstance(item, tuple):  # the rows of VALUES: their cells cannot be put back
                    for cell in item:
                        if isinstance(cell, ast.Node):
                            yield from places(cell)


def selects(root: ast.Node) -> Iterator[ast.SelectStmt]:
    """Every SELECT, set operation and VALUES below `root`."""
    return (p.node for p in places(root) if isinstance(p.node, ast.SelectStmt))
