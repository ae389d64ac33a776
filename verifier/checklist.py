"""The checklist of one candidate: what the question demands, then what the rules see.

Owns: extracting a question's constraints once, and holding a statement against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from askwire.core.trace import Json
from askwire.core.types import Check, Question
from askwire.verifier.constraints import CONSTRAINTS, Constraint, ConstraintRule, Evidence
from askwire.verifier.odds import odds_of
from askwire.verifier.subject import Rule, Subject
from askwire.verifier.wording import Wording

_COVERED: Final = {"numbers": frozenset({"top_k", "comparison"})}
"""Kinds that have nothing to add where another kind reads the same words."""


def demanded(question: Question, rules: Sequence[ConstraintRule] = CONSTRAINTS) -> tuple[Constraint, ...]:
    """The constraints of a question, from its words and its hint alone; the same for every candidate."""
    wording = Wording(question)
    if not wording.english:
        return ()
    found = [constraint for rule in rules for constraint in rule.extract(wording)]
    covering = {kind: [o for o in found if o.kind in kinds] for kind, kinds in _COVERED.items()}
    return tuple(c for c in found if not _covered(c, covering.get(c.kind, ())))


def _covered(constraint: Constraint, others: Iterable[Constraint]) -> bool:
    return any(
        all(any(o.start <= s.start and s.end <= o.end for o in other.spans) for s in constraint.spans)
        for other in others
    )


def checklist(
    subject: Subject, constraints: Sequence[Constraint], rules: Sequence[Rule]
) -> tuple[Check, ...]:
    """One check per kind of constraint, then those of the rules that have something to say."""
    told = (check for rule in rules if (check := rule(subject)) is not None)
    return (*hold(subject, constraints), *told)


def hold(
    subject: Subject, constraints: Sequence[Constraint], rules: Sequence[ConstraintRule] = CONSTRAINTS
) -> tuple[Check, ...]:
    """The checks of the constraints; none for a statement that cannot be followed."""
    effects = subject.effects
    if effects is None:
        return ()
    evidence = Evidence(effects, subject.result)
    checks = []
    for rule in rules:
        own = [c for c in constraints if c.kind == rule.kind]
        if own:
            broken = [c.message for c in own if not rule.holds(c, evidence)]
            checks.append(Check(rule.kind, not broken, "; ".join(broken), odds_of(rule.kind)))
    return tuple(checks)


def as_json(constraint: Constraint) -> dict[str, Json]:
    """A constraint for the trace: its kind, the words that say so, and the parameters it has."""
    told: dict[str, Json] = {"kind": constraint.kind, "words": [span.text for span in constraint.spans]}
    if constraint.k is not None:
        told["k"] = constraint.k
    if constraint.direction:
        told["direction"] = constraint.direction
    if constraint.operator:
        told["operator"] = constraint.operator
    if constraint.values:
        told["values"] = list(constraint.values)
    return told
