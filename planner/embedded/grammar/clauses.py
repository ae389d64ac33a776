"""Islands: the clauses of a question that can be recognised anywhere in it.

Owns: the order of the rules. Each rewrites one kind of clause in the line of symbols into a placeholder
(`C0` condition, `S` superlative, `O` sorting, `G` grouping) and notes the atom. Must not know: schemas.

    'which M0 with M1 GT N0 …' → 'which M0 with C0 …', C0 = Comparison(M1 > N0)
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.rules.rules_ages import ages
from askwire.planner.embedded.grammar.rules.rules_alternatives import apart, pairs
from askwire.planner.embedded.grammar.rules.rules_asking import asking
from askwire.planner.embedded.grammar.rules.rules_bounds import bounds
from askwire.planner.embedded.grammar.rules.rules_clock import clock
from askwire.planner.embedded.grammar.rules.rules_comparing import comparisons, years
from askwire.planner.embedded.grammar.rules.rules_compounds import compounds
from askwire.planner.embedded.grammar.rules.rules_counting import beyond_any, count_conditions, nested
from askwire.planner.embedded.grammar.rules.rules_days import days
from askwire.planner.embedded.grammar.rules.rules_dealings import dealings
from askwire.planner.embedded.grammar.rules.rules_everyday import everyday
from askwire.planner.embedded.grammar.rules.rules_grouping import grouping
from askwire.planner.embedded.grammar.rules.rules_logic import booleans, negations
from askwire.planner.embedded.grammar.rules.rules_measures import measures
from askwire.planner.embedded.grammar.rules.rules_ranks import ranks
from askwire.planner.embedded.grammar.rules.rules_reporting import reporting
from askwire.planner.embedded.grammar.rules.rules_shares import shares
from askwire.planner.embedded.grammar.rules.rules_sorting import sorting
from askwire.planner.embedded.grammar.rules.rules_spans import spans
from askwire.planner.embedded.grammar.rules.rules_superlatives import superlatives
from askwire.planner.embedded.grammar.rules.rules_units import measured
from askwire.planner.embedded.grammar.rules.rules_values import flags, patterns, values
from askwire.planner.embedded.grammar.scanning import Rule, Scan

RULES: Final[tuple[Rule, ...]] = (
    reporting,
    asking,
    compounds,
    days,
    clock,
    dealings,
    ages,
    spans,
    ranks,
    measured,
    shares,
    bounds,
    everyday,
    measures,
    sorting,
    nested,
    count_conditions,
    patterns,
    grouping,
    superlatives,
    comparisons,
    values,
    years,
    flags,
    beyond_any,
    pairs,
    booleans,
    apart,
    negations,
)
"""The rules in the order in which they look at the line."""


def scan(made: Scan) -> Scan:
    """Run every rule once over an encoded question, in `made`, and give it back."""
    for rule in RULES:
        rule(made)
    return made
