"""Ends in time: 'the latest order', 'the earliest flight', 'the oldest member'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.verifier.constraints.constraint import Constraint, ConstraintRule, Evidence
from askwire.verifier.constraints.order.superlatives import (
    EARLY,
    LATE,
    finds_end,
    opposite,
    ordering_keys,
    unsorted,
)
from askwire.verifier.effects import Effects
from askwire.verifier.wording import Wording

_ASKS: Final = re.compile(rf"\b({'|'.join([*LATE, *EARLY, 'oldest', 'youngest'])})\b")
_FIRST_LAST: Final = re.compile(
    r"\bwhen (?:did|was|is|were) the (?:very )?(first|last)\b|\bthe (first|last) (?:date|day)\b"
    r"|\b(?:date|day|time) (?:when|of|that|at which) the (first|last)\b|\b(first) ever\b"
)
_SINCE: Final = re.compile(r"birth|dob|year|date|found|since|built|open|establish|start|hire|join|born")
_AGE: Final = re.compile(r"(?:^|_)age(?:$|_)")


def extract(wording: Wording) -> Iterable[Constraint]:
    """The way each word points in time: up for 'latest' and 'youngest', by date of birth."""
    plain = unsorted(wording.plain)
    seen: set[str] = set()
    for found in (*_ASKS.finditer(plain), *_FIRST_LAST.finditer(plain)):
        group = found.lastindex or 0
        word = found[group]
        direction = "desc" if word in {*LATE, "youngest", "last"} else "asc"
        if direction not in seen:
            seen.add(direction)
            span = wording.span(found, group)
            message = (
                f'the question asks for "{span.text}": the SQL needs an order by time, {direction}ending'
            )
            yield Constraint("temporal", (span,), message, direction=direction, words=(word,))


def holds(constraint: Constraint, evidence: Evidence) -> bool:
    """An end of an order is found; by age the other one: the oldest has the greatest age."""
    effects = evidence.effects
    word = constraint.words[0]
    if any(
        re.search(rf"\b{word}", text.lower().replace("_", " ")) for text in (*effects.names, *effects.texts)
    ):
        return True
    if word not in {"oldest", "youngest"}:
        return finds_end(effects, constraint.direction) and not _by_key(effects)
    names = [c.name for node, _ in ordering_keys(effects) for c in effects.columns_in(node)]
    if any(_AGE.search(name) for name in names):
        return finds_end(effects, opposite(constraint.direction))
    if any(_SINCE.search(name) for name in names):
        return finds_end(effects, constraint.direction)
    return finds_end(effects, "")


def _by_key(effects: Effects) -> bool:
    """Whether the end is found by keys alone, though a relation that is read has a date."""
    found = [effects.source(node) for node, _ in ordering_keys(effects)]
    dated = {r.oid for r, _ in effects.columns.values() if any(c.category == "D" for c in r.columns)}
    return bool(found) and all(
        source is not None and (source[1].name,) == source[0].primary_key and source[0].oid in dated
        for source in found
    )


RULE: Final = ConstraintRule("temporal", extract, holds)
