"""Patterns that take more values than the one that is named."""

from __future__ import annotations

import re
from typing import Final

from pglast import ast

from askwire.verifier.lints.linted import Finding, LintSubject
from askwire.verifier.wording import Wording

_ASKS_FOR_PARTS: Final = re.compile(
    r"\b(?:contain\w*|includ\w*|substrings?|letters?|words?|start\w*|begin\w*|end(?:s|ing)?|like|match\w*"
    r"|prefix\w*|suffix\w*|phrases?|mention\w*|keywords?|part of|some form of|any kind of|about"
    r"|(?:with|without|have|has|having) [^,.;?]{1,60} in (?:the|its|their|his|her))\b",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(r"%*([^%_\\]+)%*\Z")


def wide_pattern(linted: LintSubject) -> Finding | None:
    """`government ILIKE '%republic%'` takes 'Federal Republic' too, where 'Republic' is a value of its own.

    Decided by the column's most common values; not where the question speaks of words or parts of words.
    """
    effects = linted.subject.effects
    if effects is None or _ASKS_FOR_PARTS.search(Wording(linted.subject.question).plain):
        return None
    looked = False
    for comparison in effects.comparisons:
        if comparison.operator != "like" or comparison.negated:
            continue
        right = comparison.right
        found = effects.source(comparison.left) if isinstance(comparison.left, ast.ColumnRef) else None
        if found is None or not isinstance(right, ast.A_Const) or not isinstance(right.val, ast.String):
            continue
        looked = True
        text = right.val.sval or ""
        core = _WHOLE.match(text)
        if core is None or "%" not in text:
            continue
        named = core[1].strip().lower()
        values = [v for v in found[1].common_values if named in v.lower()]
        own = [v for v in values if v.strip().lower() == named]
        if own and len(values) > len(own):
            other = next(v for v in values if v not in own)
            where = f"{found[0].name}.{found[1].name}"
            return Finding(f"'{own[0]}' is a value of {where}, and the pattern takes '{other}' too; use =")
    return Finding() if looked else None
