"""Negation: 'never sold', 'have no orders', 'except', 'excluding'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.effects import number_of
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:never|without|except|neither|excluding|exclude|excludes|other than|lack|lacks|lacking|do not"
    r"|does not|did not"
    r"|has not|have not|had not|was not|were not|is not|are not|cannot)\b|\b\w+n't\b|\b(?:with|have|has"
    r"|had|having) no\b"
    r"|\bnon-\w+"
)
_NO_DENIAL: Final = re.compile(
    r"\bnot only\b|\bignor(?:e|ing)\b|\bwhether\b|\bor not\b|\bnot (?:more|less|fewer|later|earlier"
    r"|exceed\w*)\b|\bno (?:more"
    r"|less|fewer|later)\b"
    r"|\bdo not (?:include|show|list|return)\b|\bwithout (?:any )?(?:duplicat|repeat|repetition)"
    r"|\b(?:do|did)n't (?:know|remember)"
)
_LACKING: Final = r"(?:without|with no|(?:have|has|had) no|(?:do|does|did) not have|never)\b"
_TAKEN_AS_THEY_ARE: Final = re.compile(
    rf"\b(?:leav(?:e|ing) out|skip|omit)\b[^.;:,]{{0,40}}?\b{_LACKING}"
    rf"|\bincluding (?:those|the ones|ones|all|any) {_LACKING}"
)
"""What has none is left out or taken in: a join, or none, does so without a word of denial."""
_OTHER_SIDE: Final = re.compile(r"\bnon[- ](?P<one>[a-z]{4,}?)s?\b")
"""The one and the other side by side: autopay and non-autopay."""
_ABSENT: Final = frozenset(
    {"0", "0.0", "1", "-1", "f", "n", "no", "none", "false", "null", "nil", "unknown", ""}
)
_PREFIXES: Final = (
    "not",
    "un",
    "non",
    "in",
    "dis",
    "fail",
    "without",
    "never",
    "no ",
    "incomplete",
    "cancel",
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """The first denying word; none where the question says 'whether … or not', 'not only', 'no more than'."""
    plain = _TAKEN_AS_THEY_ARE.sub(lambda m: " " * len(m[0]), wording.plain)
    other = _OTHER_SIDE.search(plain)
    if other is not None and re.search(rf"\b{other['one']}s?\b", plain[: other.start()]):
        plain = plain[: other.start()] + " " * len(other[0]) + plain[other.end() :]
    found = _ASKS.search(plain)
    if found is not None and wording.search(_NO_DENIAL) is None:
        span = wording.span(found)
        yield Constraint(
            "negation", (span,), f'the question says "{span.text}", and the SQL excludes nothing'
        )


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """NOT, EXCEPT, <>, IS NULL, a missing partner, a zero or a value that denies ('No', 'unpaid')."""
    effects = evidence.effects
    if (
        effects.negations
        or effects.null_tests
        or effects.outer_joins
        or "except" in {s[:6] for s in effects.sets}
    ):
        return True
    if any(s in {"not in", "not exists", "all"} for s in effects.sublinks):
        return True
    if any(c.negated or c.operator in {"<>", "<", "<="} for c in effects.comparisons):
        return True
    if any(
        c.operator in {"=", "in", ">"} and {number_of(c.left), number_of(c.right)} & {0.0, 1.0, -1.0}
        for c in effects.comparisons
    ):
        return True
    return any(
        text.lower() in _ABSENT or any(word.startswith(_PREFIXES) for word in text.lower().split())
        for text in effects.texts
    )


RULE: Final = ConstraintRule("negation", extract, holds)
