"""The run of the rules over one question.

    'which M0 with M1 GT N0 …' → 'which M0 with C0 …', C0 = Comparison(M1 > N0)

Each rule replaces its wording in the line of symbols by a placeholder (`C0` condition, `S` superlative,
`O` sorting, `G` grouping), or by other symbols, and notes the clause in the context. A `Watch` is shown
what each rule changed, for a trace of a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.rules import RULES
from askwire.planner.embedded.grammar.shown import clauses


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What one rule changed: the line before and after, and the clauses that it added or replaced."""

    rule: str
    before: str
    after: str
    clauses: tuple[str, ...]


class Watch(Protocol):
    """Sees each reading of a question as the grammar works on it."""

    def encoded(self, encoded: EncodedQuestion) -> None:
        """A line of symbols, before any rule."""

    def fired(self, fired: RuleChange) -> None:
        """A rule changed the line or took a clause."""

    def framed(self, frames: Sequence[Frame]) -> None:
        """The frames of that line, the grammar's own first."""


def take_clauses(context: RuleContext, watch: Watch | None = None) -> RuleContext:
    """Run every rule once over `context`, and return it."""
    for rule in RULES:
        if watch is None:
            rule.apply(context)
            continue
        before, known = context.symbols, clauses(context)
        rule.apply(context)
        added = tuple(clause for clause in clauses(context) if clause not in known)
        if before != context.symbols or added:
            watch.fired(RuleChange(rule.name, before, context.symbols, added))
    return context
