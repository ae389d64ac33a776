"""One thing and nothing beside it: 'which city has the most …' does not ask how many."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pglast import ast

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import ANY
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\A\s*which (?!ones?\b|of\b)[a-z]+(?: [a-z]+){1,4} (?:the )?(?<!at )(?<!at the )"
    rf"{ANY}\b[^,;?.]*[?.]?\s*\Z"
    rf"|\A\s*(?:what is|give|show|find|return|tell me) the {ANY} (?:common|frequent|popular) [^,;?.]*"
    r"[?.]?\s*\Z"
)
_FURTHER: Final = re.compile(
    r"\b(?:and|how|along|its|his|her|their|also|as well|corresponding|them|each|every|per|including|with its"
    r"|show|list|give|or|both|whose|friends?)\b"
)
_MEASURES: Final = frozenset({"count", "sum", "avg", "max", "min"})


def extract(wording: Wording) -> Iterable[Constraint]:
    """'Which city has the most flights?': the city; not 'which city has the most flights, and how many?'."""
    found = wording.search(_ASKS)
    if found is not None and not _FURTHER.search(wording.plain):
        span = wording.span(found)
        message = "the question asks for one thing: what it is sorted by need not be shown"
        yield Constraint("sole_answer", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """No aggregate and no sort key is shown beside the one thing."""
    effects = evidence.effects
    if effects.star or len(effects.outputs) < 2:
        return True
    keys = {effects.source(node) for o in effects.orderings for node, _ in o.keys} - {None}
    measures = [
        o
        for o in effects.outputs
        if effects.calls_in(o.node) & _MEASURES
        or (isinstance(o.node, ast.ColumnRef) and effects.source(o.node) in keys)
    ]
    return not 0 < len(measures) < len(effects.outputs)


RULE: Final = ConstraintRule("sole_answer", extract, holds)
