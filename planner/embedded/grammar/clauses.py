"""The run of the rules over one question.

    'which M0 with M1 GT N0 …' → 'which M0 with C0 …', C0 = Comparison(M1 > N0)

Each rule replaces its wording in the line of symbols by a placeholder (`C0` condition, `S` superlative,
`O` sorting, `G` grouping), or by other symbols, and notes the clause in the context. A `Watch` is shown
what each rule changed.
"""

from __future__ import annotations

from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.rules import RULES
from askwire.planner.embedded.grammar.shown import clauses
from askwire.planner.embedded.grammar.watch import RuleChange, Watch


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
