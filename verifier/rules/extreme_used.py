"""A question for an extreme has a statement that orders, or takes a maximum or minimum."""

from __future__ import annotations

import re
from typing import Any, Final

from pglast import ast, enums
from pglast.visitors import Visitor

from askwire.core.types import Check
from askwire.verifier.constants import constants
from askwire.verifier.subject import Subject

_EXTREME: Final = re.compile(
    r"\b(?<!at )(?<!at the )(most|least|highest|lowest|largest|smallest|youngest|oldest|newest|latest"
    r"|earliest|longest|shortest|biggest|fewest|cheapest|maximum|minimum|most recent)\b",
    re.IGNORECASE,
)
_EXTREME_FUNCTIONS: Final = frozenset(
    {"max", "min", "rank", "dense_rank", "row_number", "first_value", "last_value", "mode", "bool_or"}
)


def extreme_used(subject: Subject) -> Check | None:
    """'newest products', 'the highest salary' need ORDER BY, max, min, a rank, or a comparison with ALL.

    A column or value that has the word in its name answers as well (max_speed, 'Most Popular').
    """
    found = _EXTREME.search(subject.question.text)
    if found is None:
        return None
    finder = _Extreme()
    finder(subject.statement)
    stated = constants(subject.statement)
    word = found[1].lower()
    stems = {word, word[:3] if word in {"maximum", "minimum"} else word}
    held = finder.found or any(
        stem in text.lower() for stem in stems for text in (*stated.names, *stated.texts)
    )
    message = "" if held else f'the question asks for "{found[1]}", and the SQL neither orders nor compares'
    return Check("extreme_used", held, message, odds=0.05)


class _Extreme(Visitor):
    """Looks for anything that finds the ends of an order."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_SortBy(self, _ancestors: Any, _node: ast.SortBy) -> None:  # noqa: N802 - pglast's naming
        self.found = True

    def visit_SubLink(self, _ancestors: Any, node: ast.SubLink) -> None:  # noqa: N802
        self.found |= node.subLinkType == enums.SubLinkType.ALL_SUBLINK

    def visit_FuncCall(self, _ancestors: Any, node: ast.FuncCall) -> None:  # noqa: N802
        last = node.funcname[-1] if node.funcname else None
        self.found |= isinstance(last, ast.String) and last.sval in _EXTREME_FUNCTIONS
