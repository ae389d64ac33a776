"""Comparisons with an aggregate of all rows, or of those alike: above the average, or that of their team.

Owns: what is compared with the average, the greatest or the least of all.
"""

from __future__ import annotations

from typing import Final

from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import AGGREGATES, COMPARE, MEASURES, Beyond
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule


def _beyond(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 above the average', 'older than the average age of all M1', 'GT MAX M1'."""
    mention = _compared(context, found)
    if mention is None:
        return None
    after = _measure_behind(context, found)
    if after is None:
        context.spend(found.maybe("after"))  # 'the average of products of the same brand'
    if after is not None and after != mention and _called_alike(context, mention, after):
        context.spend(after)  # 'checking balances below the average checking balance'
    aggregate = AGGREGATES[found["agg"]]
    within = found.maybe("g") if found["g"] else found.maybe("same")
    if within is not None:
        context.understood("same")
    text = context.note(Beyond(mention, COMPARE[found["op"]], aggregate, found["adj"], within=within))
    return f"{found['m']} {text}" if found["m"] and mention != found.at("m") else text


def _group_beyond(context: RuleContext, found: RuleMatch) -> str:
    """'whose AVG M0 be GT AVG M1 of all M2': the average of each against that of all."""
    after, mention = found.maybe("after"), found.at("m")
    if after is not None and after != mention:
        context.spend(after)
    return context.note(Beyond(mention, COMPARE[found["op"]], "avg", own="avg"))


def _same_measure(context: RuleContext, found: RuleMatch) -> bool:
    """Whether both averages are of the same, as far as the question says."""
    after = found.maybe("after")
    return after is None or after == found.at("m") or _called_alike(context, found.at("m"), after)


def _called_alike(context: RuleContext, one: int, other: int) -> bool:
    """Whether two mentions say the same, but for the number, or one a little more: 'area' and 'city area'."""
    said = (context.encoded.mentions[n] for n in (one, other))
    first, second = ({singular(w) for w in m.words} for m in said)
    return first <= second or second <= first


def _measure_behind(context: RuleContext, found: RuleMatch) -> int | None:
    """The column behind 'the average', which may as well stand before those whose average it is."""
    after = found.maybe("after")
    others = after is not None and found["same"] and "table!" in context.kinds(after)
    return None if others else after


def _compared(context: RuleContext, found: RuleMatch) -> int | None:
    """The column that is compared: beside the comparison, by its adjective, or the last number before."""
    if found["of"]:
        return found.at("of")
    after = _measure_behind(context, found)
    mention = found.maybe("m") if found["m"] else after
    if mention is not None and "column" not in context.kinds(mention):
        mention = after
    if mention is None and found["adj"]:
        mention = context.measure(found["adj"])
    if mention is None and found["verb"]:
        mention = context.measure(MEASURES[found["verb"]])
    if mention is None:
        named = context.mentions(found.before)
        mention = next((m for m in reversed(named) if "numeric" in context.kinds(m)), None)
    if mention is None and found["m"] and found["same"]:
        return context.oracle.total(found.at("m"))  # 'bills above the average': by what they come to
    return mention


_COMPARED: Final = (
    rf"(?:{{m}} (?:(?:be|have|of|with|a) )*|{{verb={'|'.join(MEASURES)}}} )?"
    "{OP} (?:{of:numeric,-table!} )?(?:than |as [a-z]+ as )?"
)
_HAVING_WORDS: Final = r"(?:whose|where|with|(?:that |which |who )?have) (?:(?:a|an|the|their) )*"
_OVERALL_AVERAGE: Final = (
    r"(?:(?:that of|the|total|whole|company|general) )*AVG(?: (?:(?:of|the|for) )*{after:numeric,-table!})?"
    r"(?: overall)?(?: (?:of|for|in|across|among) (?:(?:all|the|any|other) )*M\d+"
    r"(?! (?:GT|LT|with|that|in|who)))?"
)
_SAME_OR_OWN: Final = r"(?:the same|(?:their|its|his|her)(?: own)?)"

_PREPOSITION: Final = r"(?: (?:of|for|in|within|among|by|with|have|from|at|on))?"

_OF_ALL_ROWS: Final = (
    r"(?: (?:of|for|in|across|among) (?:(?:all|the|any|other) )*M\d+"
    r"(?! (?:GT|LT|with|that|in|who|C\d|\S+ (?:AFTER|BEFORE|SINCE|GT|LT|GE|LE|EQ|by [VQ]\d))))?"
)
"""Of what the average is, where no condition says of which of them."""

RULES: Final = in_order(
    Rule(
        "above_average/of_the_same",
        _COMPARED + r"(?:(?:that of|the) )*{agg=AVG|MAX|MIN}(?: (?:(?:of|for|the|all|other) )*{after})?"
        r"(?: (?:of|for|among) (?:(?:all|the|other) )*M\d+)?"
        rf"{_PREPOSITION}(?: that)? the same (?:COUNT (?:of )?)?{{same:column|table}}",
        _beyond,
        examples=(
            Example(
                "M0[table!] GT AVG M1[numeric] of M2[table!] with the same COUNT M3[column numeric]",
                "M0 C0",
                ("C0: M1 > avg of all within M3",),
                said="units above the average area of units with the same number of bedrooms",
            ),
            Example(
                "M0[column numeric] GT AVG of M1[table!] of the same M2[column]",
                "C0",
                ("C0: M0 > avg of all within M2",),
            ),
            Example(
                "M0[table!] GT AVG of M1[table!] with the same M2[column]",
                "M0 C0",
                ("C0: M3 > avg of all within M2",),
                schema={"total M0": 3},
            ),
        ),
    ),
    Rule(
        "above_average/of_their_own",
        _COMPARED + r"(?:(?:that of|the) )*{agg=AVG|MAX|MIN}(?: (?:(?:of|the) )*{after:numeric,-table!})?"
        r"(?: (?:of|for|among) (?:(?:all|the|other) )*M\d+)?"
        rf"{_PREPOSITION} "
        rf"{_SAME_OR_OWN} {{g:-numeric|table!}}",
        _beyond,
        examples=(
            Example("GT AVG M0[numeric] their M1[table!]", "C0", ("C0: M0 > avg of all within M1",)),
            Example(
                "GT~old AVG in its M0[table!]",
                "C0",
                ("C0: M1 > avg of all (old) within M0",),
                schema={"measure old": 1},
            ),
        ),
    ),
    Rule(
        "above_average/of_each",
        _HAVING_WORDS + r"AVG {m:numeric,-table!} (?:be )?{OP} (?:than )?" + _OVERALL_AVERAGE,
        _group_beyond,
        guard=_same_measure,
        examples=(
            Example(
                "M0 whose AVG M1[numeric salary] be GT AVG M2[numeric salary] of all M3",
                "M0 C0",
                ("C0: avg M1 > avg of all",),
            ),
            Example("M0 have a AVG M1[numeric] GT the AVG ?", "M0 C0 ?", ("C0: avg M1 > avg of all",)),
            Example("whose AVG M0[numeric age] be GT AVG M1[numeric pay]", "whose AVG M0 be GT AVG M1"),
        ),
    ),
    Rule(
        "above_average/higher_of_each",
        _HAVING_WORDS + r"{OP} AVG {m:numeric,-table!} than " + _OVERALL_AVERAGE,
        _group_beyond,
        guard=_same_measure,
        examples=(
            Example("M0 have a GT AVG M1[numeric] than the AVG", "M0 C0", ("C0: avg M1 > avg of all",)),
            Example("have GT AVG M0[numeric age] than AVG M1[numeric pay]", "have GT AVG M0 than AVG M1"),
        ),
    ),
    Rule(
        "above_average/of_all",
        _COMPARED
        + r"(?:(?:that of|the|its|their) )*{agg=AVG|MAX|MIN}(?: (?:(?:of|the|for) )*{after})?"
        + _OF_ALL_ROWS,
        _beyond,
        examples=(
            Example("GT AVG M0", "C0", ("C0: M0 > avg of all",)),
            Example("GT AVG M0 of all M1 M2 AFTER N0", "C0 of all M1 M2 AFTER N0", ("C0: M0 > avg of all",)),
            Example("M0[table!] with GT M1[numeric] than AVG", "M0 C0", ("C0: M1 > avg of all",)),
            Example("GE as long as AVG M0", "C0", ("C0: M0 >= avg of all",)),
            Example("LT~young AVG M0", "C0", ("C0: M0 < avg of all (young)",)),
        ),
    ),
    after=("sorting",),
)
