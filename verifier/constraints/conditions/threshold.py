"""How many of something there must be: 'customers with more than 3 orders'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pglast import ast

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence, is_key
from askwire.verifier.effects import number_of
from askwire.verifier.wording import NUMBER_WORDS, Wording, number

_ASKS: Final = re.compile(
    r"\b(?:with|have|has|had|having|made|placed|bought|wrote|received|won)"
    r" (?:more than|less than|fewer than|at least|at most|no more than|no fewer than|exactly)"
    rf" (\d{{1,4}}|{'|'.join(NUMBER_WORDS)}) (?:different |distinct )?([a-z]{{3,}}s)\b"
    r"(?! (?:old|of age|long|ago|each|wide|tall|high))"
)
_AMOUNTS: Final = re.compile(
    r"(?:year|month|week|day|hour|minute|second|dollar|euro|pound|point|cent|meter|metre|kilometer|mile|inche|feet|percent"
    r"|time|people|credit|ton)s?\Z"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """'with more than 3 orders', 'have at least two pets'; not 'more than 3 years', which is an amount."""
    found = wording.search(_ASKS)
    if found is not None and not _AMOUNTS.match(found[2]):
        span = wording.span(found)
        message = f'the question says "{span.text}": the SQL must count them, not compare a key'
        yield Constraint("threshold", (span,), message, values=(number(found[1]),), words=(found[2],))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """A count, or a number that is stored, is compared with it; a key that is compared counts nothing."""
    effects = evidence.effects
    value = float(constraint.values[0])
    near = {value - 1, value, value + 1}
    compared = [
        other
        for c in effects.comparisons
        for side, other in ((c.left, c.right), (c.right, c.left))
        if isinstance(side, ast.Node) and number_of(side) in near
    ]
    return not compared or any(not is_key(effects.source(node)) for node in compared)


RULE: Final = ConstraintRule("threshold", extract, holds)
