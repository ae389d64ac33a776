"""Walking PostgreSQL's parse trees without recursion.

Owns: reaching every node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes(tree: object) -> Iterator[Any]:
    """All nodes of what `pglast.parse_sql` returns, in no particular order."""
    from pglast import ast  # noqa: PLC0415 (loading the parser costs more than most callers need)

    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(node)
        elif isinstance(node, ast.Node):
            yield node
            pending.extend(getattr(node, name) for name in node)
