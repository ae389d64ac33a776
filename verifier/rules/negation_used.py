"""A question that denies something has a statement that does."""

from __future__ import annotations

import re
from typing import Any, Final

from pglast import ast, enums
from pglast.visitors import Visitor

from askwire.core.types import Check
from askwire.verifier.constants import constants
from askwire.verifier.subject import Subject

_DENIES: Final = re.compile(
    r"\b(?:never|without|except|neither|excluding)\b"
    r"|\b(?:do|does|did|has|have|had|was|were|is|are)(?:n't|n’t| not)\b"
    r"|\b(?:with|have|has|had) no\b",
    re.IGNORECASE,
)
_NOT_A_DENIAL: Final = re.compile(
    r"\b(?:not only|whether|or not|not (?:more|less|fewer|later|earlier|exceed\w*)"
    r"|no (?:more|less|fewer|later))\b",
    re.IGNORECASE,
)
_ABSENT: Final = frozenset({"0", "1", "f", "n", "no", "none", "false", "null"})


def negation_used(subject: Subject) -> Check | None:
    """'never sold', 'have no orders' need NOT, EXCEPT, an inequality, a test for NULL, a value that denies.

    Zero, false and values such as 'No' deny too, as does an outer join, which keeps what has no partner.
    """
    text = subject.question.text
    found = _DENIES.search(text)
    if found is None or _NOT_A_DENIAL.search(text):
        return None
    finder = _Denial()
    finder(subject.statement)
    stated = constants(subject.statement)
    held = (
        finder.found
        or any(number in _ABSENT for number in stated.numbers)
        or any(
            word in _ABSENT or word.startswith(("not", "un", "non", "in", "dis"))
            for value in stated.texts
            for word in value.lower().split()
        )
    )
    message = "" if held else f'the question says "{found[0]}", and the SQL excludes nothing'
    return Check("negation_used", held, message, odds=0.05)


class _Denial(Visitor):
    """Looks for anything that excludes rows by what they lack or are not."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_BoolExpr(self, _ancestors: Any, node: ast.BoolExpr) -> None:  # noqa: N802 - pglast's naming
        self.found |= node.boolop == enums.BoolExprType.NOT_EXPR

    def visit_NullTest(self, _ancestors: Any, _node: ast.NullTest) -> None:  # noqa: N802
        self.found = True

    def visit_BooleanTest(self, _ancestors: Any, _node: ast.BooleanTest) -> None:  # noqa: N802
        self.found = True

    def visit_SelectStmt(self, _ancestors: Any, node: ast.SelectStmt) -> None:  # noqa: N802
        self.found |= node.op == enums.SetOperation.SETOP_EXCEPT

    def visit_JoinExpr(self, _ancestors: Any, node: ast.JoinExpr) -> None:  # noqa: N802
        self.found |= node.jointype != enums.JoinType.JOIN_INNER

    def visit_A_Const(self, _ancestors: Any, node: ast.A_Const) -> None:  # noqa: N802
        self.found |= isinstance(node.val, ast.Boolean) and not node.val.boolval

    def visit_A_Expr(self, _ancestors: Any, node: ast.A_Expr) -> None:  # noqa: N802
        name = "".join(part.sval or "" for part in node.name or () if isinstance(part, ast.String))
        self.found |= "<>" in name or "!" in name or name in {"<", "<="}
