"""Parts as bounds: more than half of their orders cancelled, at least 10 % of its seats empty.

Owns: conditions on which part of the rows of a group is so.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    Atom,
    CountCondition,
    FlagCondition,
    IsNull,
    IsValue,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_FRACTIONS: Final = {
    "half": "50",
    "quarter": "25",
    "third": "33.3333333333333333",
    "fifth": "20",
    "tenth": "10",
}
"""Parts in percent; a third has the digits that PostgreSQL gives to one of three."""
_MOSTLY: Final = "50"
"""More than which part of them is most of them, in percent."""
_PART: Final = (
    r"{op=GT|GE|LT|LE} (?:than )?(?:a |one |an )?"
    rf"(?:{{part={'|'.join(_FRACTIONS)}|M\d+}}|{{n:amount}}) of (?:(?:the|their|its|his|her|all) )*"
)
_SUCH: Final = r"(?P<not>not |non )?(?:{v:value}|{flag:moment|flag|optional,time})"


def _part(context: RuleContext, found: RuleMatch) -> str | None:
    """'GT half of their M0 V0': how many of the rows that belong to each are so."""
    percent = _percent(context, found)
    if not percent:
        return None
    things, negated = found.at("t"), bool(found["not"])
    such: Atom
    if found["v"]:
        such = IsValue(found.at("v"), negated=negated, holder=things)
    elif not context.oracle.related(found.at("flag"), "column of", things):
        return None
    elif "flag" in context.kinds(found.at("flag")):
        such = FlagCondition(found.at("flag"), negated=negated)
    else:
        such = IsNull(found.at("flag"), negated=not negated, moment=True)
    context.consumed(f"{found['part']} {found['not']} percent")
    context.spend(found["part"] if found["part"][:1] == "M" else None)
    bound = CountCondition(things, COMPARE[found["op"] or "GT"], 0, percent=percent, part=(such,))
    return f"with {context.note(bound)}"


def _percent(context: RuleContext, found: RuleMatch) -> str:
    """The part in percent, '' of what is none."""
    if not found["n"]:
        return _MOSTLY if found["part"] == "mostly" else _FRACTIONS.get(context.said(found["part"]), "")
    unit = context.encoded.measured.get(found.at("n"))
    return context.encoded.numbers[found.at("n")].lemma if unit and unit.kind == "part" else ""


RULES: Final = in_order(
    Rule(
        "parts/of_theirs",
        rf"(?:(?:with|have|where|for whom|for which|of whom|of which) )?{_PART}{{t:table!}} "
        rf"(?:(?:that|which|be|have|being) )*{_SUCH}",
        _part,
        before=("units",),
        examples=(
            Example(
                "M0[table!] with GT half of their M1[table!] V0[1]",
                "M0 with C0",
                ("C0: percent of M1 with ? = V0 of M1 > 50",),
            ),
            Example(
                "M0[table!] with GT third of their M1[table!] V0[1]",
                "M0 with C0",
                ("C0: percent of M1 with ? = V0 of M1 > 33.3333333333333333",),
            ),
            Example(
                "M0[table!] with GT mostly of their M1[table!] V0[1]",
                "M0 with GT mostly of their M1 V0",
            ),
            Example(
                "M0[table!] with GT half of their M1[table!] with V0", "M0 with GT half of their M1 with V0"
            ),
        ),
    ),
    Rule(
        "parts/done_to_theirs",
        rf"(?:who |that |which |have )*{_SUCH} {_PART}{{t:table!}}",
        _part,
        before=("units",),
        examples=(
            Example(
                "M0[table!] who V0[1] GE quarter of their M1[table!]",
                "M0 with C0",
                ("C0: percent of M1 with ? = V0 of M1 >= 25",),
            ),
        ),
    ),
    Rule(
        "parts/mostly",
        rf"whose {{t:table!}} (?:be|have) {{part=mostly}} {_SUCH}",
        _part,
        before=("units",),
        examples=(
            Example(
                "M0[table!] whose M1[table!] be mostly V0[1]",
                "M0 with C0",
                ("C0: percent of M1 with ? = V0 of M1 > 50",),
            ),
        ),
    ),
    after=("ordinals",),
)
