"""Two kinds of the same set beside each other: 'number of orders in Germany vs France'.

Owns: comparisons of two values of one column, one row for each. Times are compared by `calendar`.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.atoms import Either, IsValue, Output
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import Found
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_LEAD: Final = r"(?:(?:in|for|from|of|with|by|the|those) )*"
_AGAINST: Final = r"(?:,? ?(?:vs|versus|against)|,? (?:as )?compare[d]? (?:to|with|against))"


def _two_rows(context: RuleContext, found: Found) -> str | None:
    """'COUNT M0 in V0 vs V1': a row for each, grouped by the column that holds both."""
    first, second = found.at("a"), found.at("b")
    column = context.oracle.shared(first, second)
    if column is None:
        return None
    parts = IsValue(first, column), IsValue(second, column)
    context.groups.append(Output(column))
    context.consumed("vs versus against compared compare side")
    return f"{context.note(Either(parts, both=False))} G{column}"


def _aggregated(context: RuleContext, found: Found) -> str:
    """'compare M0 C0 G1': amounts are added up, things counted, where nothing else is said."""
    kinds = context.kinds(found.at("m"))
    summed = "numeric!" in kinds and "table!" not in kinds
    return f"{found['lead']}{'SUM' if summed else 'COUNT'} {found['m']}"


def _only_named(context: RuleContext, found: Found) -> bool:
    """Whether two values are set beside each other, and nothing says what of them is asked for."""
    del found
    return bool(context.atoms) and not context.says("COUNT|SUM|AVG|MAX|MIN")


RULES: Final = in_order(
    Rule(
        "side_by_side/against",
        rf"{_LEAD}{{a:value}}{_AGAINST} {_LEAD}{{b:value}}",
        _two_rows,
        before=("hierarchy",),
        examples=(
            Example(
                "M0 in V0[1] vs V1[1]",
                "M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
        ),
    ),
    Rule(
        "side_by_side/side_by_side",
        rf"{_LEAD}{{a:value}}(?: and|,) {_LEAD}{{b:value}} side by side",
        _two_rows,
        before=("hierarchy",),
        examples=(
            Example(
                "M0 in V0[1] and V1[1] side by side",
                "M0 C0 G1",
                ("C0: M1 = V0 or M1 = V1", "group by M1"),
                schema={"shared V0 V1": 1},
            ),
        ),
    ),
    Rule(
        "side_by_side/counted",
        r"^{lead=(?:(?:show|list|compare|give|me|the|what|be) )*}{m}",
        _aggregated,
        guard=_only_named,
        before=("hierarchy",),
        examples=(
            Example("compare M0[table!] C0[M1 = V0] G1", "compare COUNT M0 C0 G1"),
            Example("compare M0[numeric!] C0[M1 = V0] G1", "compare SUM M0 C0 G1"),
            Example("compare M0[table!] in V0[1]", "compare M0 in V0"),
        ),
    ),
)
