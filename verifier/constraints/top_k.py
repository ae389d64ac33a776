"""The first k rows: 'top 3 products', 'the five cheapest rooms'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from pglast import ast

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.superlatives import ANY
from askwire.verifier.effects import RANKS, Effects, number_of
from askwire.verifier.wording import NUMBER_WORDS, Wording, number

_K: Final = rf"(\d{{1,3}}|{'|'.join(word for word, n in NUMBER_WORDS.items() if n > 1)})"
_ASKS_FOR: Final = r"(?:the|which|what|show|list|find|give|return|of|are|me|top|these|those|all)"
_NOT_A_COUNT: Final = (
    r"(?! ?(?:percent|%|\d|(?:\w+ )?(?:years?|quarters?|months?|weeks?|days?|hours?|minutes?|seconds?)\b))"
)
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:top|bottom|best|worst|first|last) {_K}\b(?!-|[.,]\d){_NOT_A_COUNT}",
        rf"\b{_ASKS_FOR} {_K} {ANY}\b",
        rf"\b{_ASKS_FOR} {_K} (?:\w+ ){{1,3}}(?:with|that|which|who|having|have|has)"
        rf"(?: (?:have|has|had|received|won|are))? the {ANY}\b(?! \w+ (?:than|and))",
    )
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'the top 3', 'the 5 most expensive', 'the two cities with the highest …'; one row is an extreme."""
    for pattern in _PATTERNS:
        found = wording.search(pattern)
        k = int(number(found[1])) if found is not None else 0
        if found is not None and k > 1:
            span = wording.span(found)
            message = f'the question asks for "{span.text}": order the rows and keep {k}'
            yield Constraint("top_k", (span,), message, k=k)
            return


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """LIMIT or FETCH FIRST k (an OFFSET apart), or a rank or count of better rows compared with k."""
    effects, k = evidence.effects, constraint.k or 0
    if any(o.limit in {k, -1} for o in effects.orderings):
        return True
    return any(
        c.operator in {"<", "<=", "=", "between", "in", ">", ">="}
        and (_ranked(effects, c.left) or _ranked(effects, c.right))
        and any(number_of(n) in {k, k + 1} for side in (c.left, c.right) for n in effects.below(side))
        for c in effects.comparisons
    )


def _ranked(effects: Effects, node: Any) -> bool:
    """Whether an expression is a rank, computed or stored, or counts rows."""
    names = effects.calls_in(node)
    if names & RANKS or "count" in names:
        return True
    return isinstance(node, ast.Node) and any(
        isinstance(n, ast.ColumnRef) and n.fields and "rank" in str(n.fields[-1]).lower()
        for n in effects.below(node)
    )


RULE: Final = ConstraintRule("top_k", extract, holds)
