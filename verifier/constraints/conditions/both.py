"""Two things at once: 'both "rock" and "jazz"', 'who won in 2010 and also in 2012'."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from pglast import ast

from askwire.sql.tracing.tree import strings
from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:have|has|had|in|at|on|with|for|speak|use|uses|used|contain|contains|played|participated in|won"
    r"|took|taken|take|attended"
    r"|to|from|by|like|likes|are|is|of) both\b(?! (?:sides|genders|sexes|teams)\b)(?=[^,.?]*\band\b)"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'both A and B' behind a verb or preposition; in 'both the name and the age' it asks for two columns."""
    found = wording.search(_ASKS)
    if found is not None:
        span = wording.span(found)
        message = (
            f'the question says "{span.text}": the SQL must ask for the two things together (INTERSECT, two'
            f" EXISTS)"
        )
        yield Constraint("both", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """One column that has the one value or the other in one row, and nothing that joins them, does not do.

    INTERSECT, two sublinks, a table read twice, and groups that are counted do.
    """
    effects = evidence.effects
    if "intersect" in {s[:9] for s in effects.sets} or len(effects.sublinks) > 1 or effects.groups:
        return True
    if any(n > 1 for n in Counter(effects.relations).values()):
        return True
    values: dict[tuple[str, str], set[str]] = {}
    for comparison in effects.comparisons:
        if comparison.place != "filter" or not isinstance(comparison.left, ast.ColumnRef):
            continue
        column = ".".join(strings(effects.origin(comparison.left).fields))
        constants = _constants(comparison.right)
        if comparison.operator in {"=", "in"} and not comparison.negated:
            values.setdefault((column, "="), set()).update(constants)
        elif comparison.operator[0] in "<>" and comparison.operator != "<>":
            values.setdefault((column, "<>"), set()).update(
                f"{comparison.operator[0]} {c}" for c in constants
            )
    return all(len(found) < 2 for found in values.values())


def _constants(node: Any) -> set[str]:
    parts = node if isinstance(node, tuple) else (node,)
    return {str(part.val) for part in parts if isinstance(part, ast.A_Const)}


RULE: Final = ConstraintRule("both", extract, holds)
