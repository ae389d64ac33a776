"""Superlatives: which words there are, which way each points, and what in a statement finds an end."""

from __future__ import annotations

import re
from typing import Any, Final

from pglast import ast

from askwire.verifier.effects import Effects, number_of

_UPWARD: Final = (
    "most highest largest biggest greatest maximum max longest heaviest tallest widest deepest"
    " richest busiest hottest strongest"
)
_DOWNWARD: Final = (
    "least fewest lowest smallest minimum min shortest cheapest lightest narrowest poorest coldest"
    " nearest closest"
)
DESCENDING: Final = tuple(_UPWARD.split())
ASCENDING: Final = tuple(_DOWNWARD.split())
LATE: Final = ("latest", "newest", "most recently", "most recent")
EARLY: Final = ("earliest", "least recently", "least recent")
AGED: Final = ("oldest", "youngest")
JUDGED: Final = ("best", "worst")
"""Which end is meant, what is measured tells."""
PACED: Final = ("fastest", "slowest")
"""The upper end of a speed is the lower one of a time."""
ANY: Final = rf"(?:{'|'.join([*LATE, *EARLY, *DESCENDING, *ASCENDING, *AGED, *PACED, *JUDGED])})"

_FROM_TO: Final = re.compile(
    r"\bfrom (?:the )?(?:most|least|highest|lowest|largest|smallest|oldest|youngest|latest|earliest|newest"
    r"|longest|shortest|biggest|fewest|greatest)\b[^.?]*?\bto\b(?: the)? (?:most |least )?\w+"
)
_PLACES: Final = (" first", " last", " top", " bottom", " end")
_FIRST: Final = re.compile(
    r"(?:(?:\A|[,;:(–—]|\s-)\s*(?:(?:with|by|and|list|show) )?(?:the )?"
    r"|\b(?:sort|sorted|order|ordered|rank|ranked)(?: them)?(?: by)?(?: the)? "
    r"|\bwith (?:the )?(?=[^.,;:]{0,60}?(?:on|at the) top\s*(?:[.,;:?!)]|\Z)))"
    r"((?P<said>(?:most|least) recent(?:ly)?|most|least|fewest|best|worst"
    r"|(?!(?:inter|requ|for|har|inv|cont|prot|gu|t|w|r|mod|hon)est\b)[a-z]{2,}est)\b"
    r"(?P<thing>(?: (?!(?:is|are|was|were|has|have|that|who|which)\b)[\w'-]+){0,3}?)"
    r"(?: (?:coming|come|comes|goes|listed))? (?P<place>first|last|on top|at the (?:top|bottom|end)))"
    r"(?=\s*(?:[.,;:?!)–—]|- |\Z))"
)
"""', largest overrun first' at the end of a clause: all rows, in this order."""
UNSURE: Final = re.compile(
    r"\A\W*(?:\w+ )?(?:rank\w*|grade|degree|education|position|standing|class|level|priority|place|serv\w+"
    r"|time|work\w*"
    r"|tenure|south|north)\b"
)
"""Things of which words do not tell the end: the highest rank is the first or the last."""

_SPEED: Final = re.compile(r"speed|velocity|(?:^|_)(?:kmh|kph|mph|knots|pace|throughput|bandwidth)(?:$|_)")
_TIME: Final = re.compile(
    r"time|duration|latency|elapsed|(?:^|_)(?:ms|secs?|seconds|millis\w*|minutes|hours|laps?)(?:$|_)|seconds"
)

_OPPOSITE: Final = {"asc": "desc", "desc": "asc", "": ""}
_FUNCTIONS: Final = {
    "desc": frozenset({"max", "greatest", "bool_or"}),
    "asc": frozenset({"min", "least", "bool_and"}),
}
_EITHER: Final = frozenset(
    {
        "mode",
        "first_value",
        "last_value",
        "nth_value",
        "percentile_disc",
        "percentile_cont",
        "array_agg",
        "string_agg",
    }
)


def said_first(plain: str) -> re.Match[str] | None:
    """Where a question says what comes first: 'largest overrun first', 'dearest genre on top'."""
    return _FIRST.search(plain) if any(place in plain for place in _PLACES) else None


def way_of(first: re.Match[str]) -> str:
    """The way of an order that begins, or ends, so; '' where what is sorted by tells it."""
    said = first["said"]
    way = "desc" if said in {*DESCENDING, *LATE} else "asc" if said in {*ASCENDING, *EARLY} else ""
    if UNSURE.match(first["thing"]) or (said in {"most", "least"} and first["thing"]):
        return ""  # the most urgent has the first priority
    return way if first["place"] in {"first", "on top", "at the top"} else opposite(way)


def unsorted(plain: str) -> str:
    """A question, as long as before, without words that only sort: 'from the oldest to the youngest'."""
    said = _FROM_TO.sub(_blank, plain)
    return _FIRST.sub(_blank, said) if any(place in plain for place in _PLACES) else said


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def finds_end(effects: Effects, direction: str) -> bool:
    """Whether a statement finds the upper ('desc'), the lower ('asc') or either ('') end of an order.

    ORDER BY (with or without LIMIT), max or min, a rank, a comparison with ALL, the row beside which no
    better one exists, and an outer self-join without partner all do.
    """
    if any(kind in {"all", "not exists", "not in"} for kind in effects.sublinks) or effects.called(*_EITHER):
        return True
    if effects.outer_joins and effects.null_tests:
        return True
    both = _FUNCTIONS["desc"] | _FUNCTIONS["asc"]
    functions = _FUNCTIONS[direction] if direction else both
    if effects.called(*functions):
        return True
    wanted = direction == "desc"
    keys = [o.keys for o in effects.orderings] + list(effects.windows)
    if any(not direction or any(descending == wanted for _, descending in k[:2]) for k in keys):
        return True
    counts = any(
        c.operator in {"=", "<", "<="} and number_of(c.right) in {0.0, 1.0} for c in effects.comparisons
    )
    return counts and "value" in effects.sublinks


def ordering_keys(effects: Effects) -> list[tuple[Any, bool]]:
    """Every expression by which the statement finds an end, with whether it is the upper one."""
    keys = [o.keys[0] for o in effects.orderings if o.keys]
    keys += [k[0] for k in effects.windows if k]
    keys += [
        (c.node.args[0], c.name == "max")
        for c in effects.calls
        if c.name in {"max", "min"} and c.node.args and isinstance(c.node, ast.FuncCall)
    ]
    return keys


def paced(effects: Effects, word: str) -> str:
    """The end that 'fastest' or 'slowest' means of what is ordered by; '' where names do not tell."""
    names = [c.name.lower() for node, _ in ordering_keys(effects) for c in effects.columns_in(node)]
    timed, sped = (any(pattern.search(name) for name in names) for pattern in (_TIME, _SPEED))
    if timed == sped:
        return ""
    return "desc" if (word == "fastest") is sped else "asc"


def opposite(direction: str) -> str:
    """The other way round."""
    return _OPPOSITE[direction]
