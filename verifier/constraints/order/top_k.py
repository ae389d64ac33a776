"""The first k rows: 'top 3 products', 'the five cheapest rooms'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from pglast import ast

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import (
    AGED,
    ANY,
    ASCENDING,
    EARLY,
    JUDGED,
    LATE,
    PACED,
)
from askwire.verifier.effects import RANKS, Effects, Ordering, number_of
from askwire.verifier.wording import NUMBER_WORDS, Wording, number

_K: Final = rf"(?P<k>\d{{1,3}}|{'|'.join(word for word, n in NUMBER_WORDS.items() if n > 1)})"
_ASKS_FOR: Final = r"(?:the|which|what|show|list|find|give|return|of|are|me|top|these|those|all)"
_NOT_A_COUNT: Final = (
    r"(?! ?(?:percent|%|\d|(?:\w+ )?(?:years?|quarters?|months?|weeks?|days?|hours?|minutes?|seconds?)\b))"
)
_WAYS: Final = {"top": "desc", "highest": "desc", "bottom": "asc", "lowest": "asc"}
_OTHER_WAY: Final = re.compile(
    rf"\b(?:{'|'.join([*PACED, *JUDGED, *LATE, *EARLY, *AGED, *ASCENDING])}"
    r"|ascending|descending|alphabetical\w*|first|last|soonest|cheap|low|small|short|young|old|recent|early|late)\b"
)
"""Words beside which 'top' does not tell the end."""
_REVERSED: Final = re.compile(r"rank|position|place|standing|order|grade|time|duration|date|seq|number|level")
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?P<end>top|bottom|best|worst|first|last|highest|lowest) {_K}\b(?!-|[.,]\d){_NOT_A_COUNT}",
        rf"\b{_ASKS_FOR} {_K} {ANY}\b",
        rf"\b{_ASKS_FOR} {_K} (?:\w+ ){{1,3}}(?:with|that|which|who|having|have|has)"
        rf"(?: (?:have|has|had|received|won|are))? the {ANY}\b(?! \w+ (?:than|and))",
    )
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'the top 3', 'the 5 most expensive', 'the two cities with the highest …'; one row is an extreme."""
    for pattern in _PATTERNS:
        found = wording.search(pattern)
        k = int(number(found["k"])) if found is not None else 0
        if found is not None and k > 1:
            span = wording.span(found)
            end = found.groupdict().get("end") or ""
            message = f'the question asks for "{span.text}": order the rows and keep {k}'
            direction = _WAYS.get(end, "") if not _OTHER_WAY.search(wording.plain) else ""
            yield Constraint("top_k", (span,), message, k=k, direction=direction, words=(end,))
            return


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """LIMIT or FETCH FIRST k (an OFFSET apart) of ordered rows, or a rank or count of better rows beside k.

    'First' and 'last' may mean rows as they stand. The top is the upper end, unless a place is ordered by, or
    a time.
    """
    effects, k = evidence.effects, constraint.k or 0
    for ordering in effects.orderings:
        ordered = ordering.keys or constraint.words[0] in {"first", "last"}
        if ordering.limit in {k, -1} and ordered and _goes(ordering, constraint, effects):
            return True
    return any(
        c.operator in {"<", "<=", "=", "between", "in", ">", ">="}
        and (_ranked(effects, c.left) or _ranked(effects, c.right))
        and any(number_of(n) in {k, k + 1} for side in (c.left, c.right) for n in effects.below(side))
        for c in effects.comparisons
    )


def _goes(ordering: Ordering, constraint: Constraint, effects: Effects) -> bool:
    """Whether an order goes the way the question says, for one of its keys."""
    if not constraint.direction or not ordering.keys:
        return True
    wanted = constraint.direction == "desc"
    return any(
        descending == wanted or any(_REVERSED.search(c.name.lower()) for c in effects.columns_in(node))
        for node, descending in ordering.keys
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
