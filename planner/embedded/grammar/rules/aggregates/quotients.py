"""Arithmetic between columns: 'population divided by area for each country'.

Owns: quotients that the words say outright; ratios are `shares`'. A line is rewritten before any other
rule looks at it.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_OF_EACH: Final = r"(?: (?:(?:for|of|in|by|per) )+(?:(?:each|every|all|the) )*{g})?(?= ?$| ?[?.,]| S| O)"


def _quotient(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 divided by M1 for each M2': M2 and the quotient, which is shown beside what both belong to."""
    quotient = context.oracle.combined(found.at("a"), "/", found.at("b"))
    if quotient is None:
        return None
    context.understood("divided")
    if found["g"] and "table!" in context.kinds(found.at("g")):
        return f"{found['g']} and M{quotient}"
    return f"M{quotient} per {found['g']}" if found["g"] else f"M{quotient}"


RULES: Final = in_order(
    Rule(
        "quotients/divided_by",
        r"{a:numeric} divided by (?:(?:the|its|their) )*{b:numeric}" + _OF_EACH,
        _quotient,
        before=("side_by_side",),
        examples=(
            Example("M0[numeric] divided by M1[numeric]", "M2", schema={"M0 / M1": 2}),
            Example(
                "M0[numeric] divided by M1[numeric] for each M2[table!]",
                "M2 and M3",
                schema={"M0 / M1": 3},
            ),
        ),
    ),
)
