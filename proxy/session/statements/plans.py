"""What EXPLAIN says of a statement, read.

Owns: one plan of PostgreSQL's JSON.
"""

from __future__ import annotations

import json
from typing import Any, Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Plan, ResultSet


def read_plan(result: ResultSet) -> Plan:
    """The plan from EXPLAIN (FORMAT JSON); DatabaseFailed when it says neither cost nor rows."""
    try:
        top = json.loads("\n".join(row[0] or "" for row in result.rows))[0]["Plan"]
        return Plan(float(top["Total Cost"]), float(top["Plan Rows"]), _nodes(top))
    except (ValueError, LookupError, TypeError):
        raise DatabaseFailed("EXPLAIN gave no plan", code="XX000") from None


def _nodes(top: dict[str, Any]) -> tuple[str, ...]:
    """A line per node, as deep as it stands in the tree; of a large plan the first ones."""
    lines: list[str] = []
    waiting = [(top, 0)]
    while waiting and len(lines) < _MAX_NODES:
        node, depth = waiting.pop()
        on = f" on {node['Relation Name']}" if "Relation Name" in node else ""
        using = f" using {node['Index Name']}" if "Index Name" in node else ""
        size = f"cost {node['Total Cost']:.2f}, {node['Plan Rows']:.0f} rows"
        lines.append(f"{'  ' * depth}{node['Node Type']}{using}{on}  ({size})")
        waiting += [(child, depth + 1) for child in reversed(node.get("Plans", ()))]
    return tuple(lines)


_MAX_NODES: Final = 24
