"""Rows that come in an order: 'ordered from longest to shortest', 'longest first' ask for no single row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import said_first
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(
    r"\b(?:order|sort|rank|arrang|list)(?:ed|s|ing)? (?:\w+ ){0,4}from (?:the )?\w+ (?:\w+ )?to (?:the )?\w+"
    r"|\b(?:in (?:an? |the )?)?(?:ascending|descending|alphabetical|chronological|increasing|decreasing)"
    r"(?: \w+){0,2} order\b"
    r"|\bsorted (?:alphabetically|by)\b"
)


def extract(wording: Wording) -> Iterable[Constraint]:
    """An order is asked for, so more than one row is."""
    first = said_first(wording.plain)
    found = first or wording.search(_ASKS)
    if found is not None:
        span = wording.span(found, 1 if first else 0)
        message = f'the question says "{span.text}": the SQL must not keep a single row'
        yield Constraint("several_rows", (span,), message)


def holds(_constraint: Constraint, evidence: Evidence) -> bool:
    """No LIMIT 1 on the statement itself."""
    return not any(o.top and o.limit == 1 for o in evidence.effects.orderings)


RULE: Final = ConstraintRule("several_rows", extract, holds)
