"""What a gold query is made of, in the words of PV-SQL's ten kinds of constraint.

Owns: which constructs a query has, for the recall of the rules. The rules themselves never see this.
"""

from __future__ import annotations

import re
from typing import Final

from pglast import ast

from askwire.verifier.constraints.order.superlatives import ordering_keys
from askwire.verifier.effects import RANKS, Effects, number_of

SAME_CONSTRUCT_KINDS: Final = {"extreme": frozenset({"extreme", "temporal", "top_k"})}
"""Where another kind reads the same construct: 'the oldest' is an extreme too."""

_TIME: Final = re.compile(r"year|date|time|day|month|birth|founded|_at$")


def constructs(effects: Effects) -> frozenset[str]:
    """The kinds whose construct reaches the query's answer."""
    shown = {c.name for c in effects.calls if c.shown and not c.window}
    limits = [o.limit for o in effects.orderings if o.keys]
    ends = any(limit == 1 for limit in limits) or effects.called("max", "min")
    found = {
        "distinct": effects.distinct or any(c.distinct for c in effects.calls),
        "top_k": any(limit is not None and limit > 1 for limit in limits),
        "ranking": any(c.name in RANKS for c in effects.calls),
        "counting": "count" in shown,
        "percentage": any(place == "shown" for _, place in effects.divisions),
        "summation": "sum" in shown,
        "average": "avg" in shown,
        "extreme": ends,
        "temporal": (ends or any(limit is not None for limit in limits)) and _dated(effects),
        "comparison": any(
            c.operator in {"<", "<=", ">", ">=", "between"}
            and c.place in {"filter", "having"}
            and any(number_of(n) is not None for side in (c.left, c.right) for n in _parts(side))
            for c in effects.comparisons
        ),
    }
    return frozenset(kind for kind, has in found.items() if has)


def _parts(side: object) -> tuple[ast.Node, ...]:
    nodes = side if isinstance(side, tuple) else (side,)
    return tuple(n for n in nodes if isinstance(n, ast.Node))


def _dated(effects: Effects) -> bool:
    """Whether the end that is found is one in time: of a date, or of a column named like one."""
    columns = [c for node, _ in ordering_keys(effects) for c in effects.columns_in(node)]
    return any(c.category == "D" or _TIME.search(c.name) for c in columns)
