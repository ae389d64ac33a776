"""The rules of the grammar, a family per file, a subject per folder, and their order.

Owns: the registry. A family joins by standing in `FAMILIES`; each rule says what it must come after, and
`RULES` is the order that follows (`./ask bench engine --order` shows it).
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.order import ordered
from askwire.planner.embedded.grammar.rule import Rule
from askwire.planner.embedded.grammar.rules.aggregates import (
    counts,
    differences,
    grouping,
    groups_without,
    how_often,
    measures,
    quotients,
    shares,
    side_by_side,
    tallies,
    totals,
)
from askwire.planner.embedded.grammar.rules.conditions import (
    above_any,
    above_average,
    alternatives,
    columns,
    comparisons,
    named_rows,
    negations,
    parts,
    text_patterns,
    units,
    values,
)
from askwire.planner.embedded.grammar.rules.ordering import listings, ordinals, sorting, superlatives
from askwire.planner.embedded.grammar.rules.phrases import (
    compounds,
    hierarchy,
    job_titles,
    question_words,
    wordings,
)
from askwire.planner.embedded.grammar.rules.time import (
    ages,
    calendar,
    durations,
    ends_of_each,
    events,
    times_of_day,
)

__all__ = ["FAMILIES", "RULES"]

FAMILIES: Final[tuple[tuple[Rule, ...], ...]] = (
    quotients.RULES,
    differences.RULES,
    ends_of_each.RULES,
    groups_without.RULES,
    how_often.RULES,
    side_by_side.RULES,
    hierarchy.RULES,
    job_titles.RULES,
    listings.RULES,
    question_words.RULES,
    compounds.RULES,
    times_of_day.RULES,
    calendar.RULES,
    events.RULES,
    ages.RULES,
    durations.RULES,
    ordinals.RULES,
    parts.RULES,
    units.RULES,
    shares.RULES,
    totals.RULES,
    wordings.RULES,
    measures.RULES,
    columns.RULES,
    sorting.RULES,
    above_average.RULES,
    counts.RULES,
    text_patterns.RULES,
    grouping.RULES,
    superlatives.RULES,
    comparisons.RULES,
    values.RULES,
    named_rows.RULES,
    above_any.RULES,
    alternatives.RULES,
    negations.RULES,
    tallies.RULES,
)
"""The families; their order here decides nothing: `after` and `before` of the rules do."""

RULES: Final[tuple[Rule, ...]] = ordered(rule for family in FAMILIES for rule in family)
"""Every rule, in the order in which they look at the line."""
