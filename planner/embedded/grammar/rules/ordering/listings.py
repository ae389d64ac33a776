"""Lists by a measure: departments by budget, biggest first; units sold per category.

Owns: things listed with the column that puts them in order, and what was sold of them as a number of units.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import MEASURE_WORDS
from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import SortKey
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_REQUEST: Final = r"(?:(?:show|list|give|rank|what|be|me|us|all|the|our|every) )*"
_SIZE_WORDS: Final = MEASURE_WORDS | {
    "budget",
    "price",
    "cost",
    "salary",
    "balance",
    "area",
    "population",
    "length",
    "height",
    "weight",
    "size",
}
"""What is different of almost each thing, so that nothing is counted by it."""
_PIECE_WORDS: Final = frozenset({"unit", "item", "copy", "piece", "quantity"})


def _by_own_measure(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 by M1', where M1 is a number that each M0 has: each with it, the greatest first."""
    if not context.oracle.related(found.at("m"), "column of", found.at("t")):
        return None
    sized = {singular(word) for word in context.encoded.mentions[found.at("m")].words} & _SIZE_WORDS
    if not (sized or "O_COUNT" in found.text):
        return None  # 'cars by doors' counts those with two, with four
    context.sorts.append(SortKey(found.at("m"), found["way"] != "UP"))
    return f"{found['t']} and {found['m']} O"


def _units_sold(context: RuleContext, found: RuleMatch) -> str | None:
    """'units sold', 'the most products sold': how many, by the lines that record it."""
    said = found["what"]
    most = (
        _MOST_BEFORE.search(found.before) and is_mention(said) and "table!" in context.kinds(found.at("what"))
    )
    if singular(context.said(said)) not in _PIECE_WORDS and not most:
        return None
    sold = context.measure("units sold")
    if sold is None or (most and context.oracle.related(sold, "column of", found.at("what"))):
        return None
    if most:
        context.consumed("sold")
        return f"M{sold} of {said}"
    context.spend(said)
    context.consumed(f"{said} sold")
    return f"SUM M{sold}"


_MOST_BEFORE: Final = re.compile(r"(?<!\S)(?:MOST|LEAST) (?:the )?$")


RULES: Final = in_order(
    Rule(
        "listings/by_own_measure",
        rf"^{_REQUEST}{{t:table!}} (?:rank |ranked |sorted |listed )?by (?:(?:the|their|its) )*"
        r"{m:numeric!,column!,-table!,-time,-key}(?: ?,? O_COUNT_{way=DOWN|UP})?(?= ?$| ?[?.]$)",
        _by_own_measure,
        before=("side_by_side",),
        examples=(
            Example(
                "M0[table!] by M1[numeric! column! column] O_COUNT_DOWN",
                "M0 and M1 O",
                ("sort by M1 down",),
                schema={"M1 column of M0": True},
            ),
            Example(
                "M0[table!] by M1[numeric! column! column] O_COUNT_UP",
                "M0 and M1 O",
                ("sort by M1 up",),
                schema={"M1 column of M0": True},
            ),
            Example("M0[table!] by M1[numeric! column! column]", "M0 by M1"),
        ),
    ),
    Rule(
        "listings/units_sold",
        r"(?:(?:COUNT|SUM|the) )*{what=unit|item|copy|piece|quantity|M\d+} (?:(?:be|we|that) )*sold(?! M\d)",
        _units_sold,
        before=("side_by_side",),
        examples=(
            Example("COUNT M0[units] sold per M1", "SUM M2 per M1", schema={"measure units sold": 2}),
            Example("unit sold", "SUM M0", schema={"measure units sold": 0}),
            Example("M0[tickets] sold", "M0 sold"),
            Example(
                "M0 with MOST M1[table! products] sold",
                "M0 with MOST M2 of M1",
                schema={"measure units sold": 2},
            ),
        ),
    ),
    after=("quotients",),
)
