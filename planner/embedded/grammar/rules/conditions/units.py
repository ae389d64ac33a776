"""Numbers with a unit: longer than 12 metres, a 5 % discount, between 2 and 3 hours.

Owns: `U0`, a number whose unit says what is compared.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.atoms import COMPARE, IN_MONEY, MEASURES, Comparison, Operand
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_MEASURED_MENTION: Final = r"(?: (?:of|in|of a|of the) {after}| (?:a |an |the )?{behind})?"
_MEASURE_VERB: Final = rf"{{verb={'|'.join(MEASURES)}}} (?:for |in |at )?"
_CURRENCIES: Final = ("dollar", "usd", "euro", "eur", "pound", "gbp")
_CURRENCY_WORD: Final = rf"(?:{'|'.join(_CURRENCIES)})"
_EXTENT_ADJECTIVE: Final = r"{long=long|wide|tall|high|deep|heavy}"


def _column(
    context: RuleContext, found: RuleMatch, number: int, adjective: str
) -> tuple[str, int | None, str]:
    """(what stays in front, the mention that is compared, what stays behind)."""
    lead = tail = ""
    column = None
    for name in ("m", "after", "behind"):
        mention = found.maybe(name)
        if mention is None:
            continue
        counts = context.oracle.related(mention, "in unit of", number)
        if column is None and "column" in context.kinds(mention) and counts:
            column = mention
        elif name == "m":
            lead = f"M{mention} "
        else:
            tail = f" M{mention}"
    if column is None:
        column = context.oracle.measure(adjective, number)
    return lead, column, tail


def _compared(context: RuleContext, found: RuleMatch) -> str | None:
    """'GT~long U0', 'M0 be GT U0', 'U0 M0'."""
    number = found.at("n")
    adjective = MEASURES[found["verb"]] if found["verb"] else found["adj"] or found["long"]
    lead, mention, tail = _column(context, found, number, adjective)
    if mention is None:
        return None
    operator = COMPARE[found["op"] or "EQ"]
    if found["way"]:
        operator = "<=" if found["way"] in {"less", "fewer", "LT", "under", "short"} else ">="
    atom = Comparison(mention, operator, Operand("N", number), negated=bool(found["not"]))
    return lead + context.note(atom) + tail


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    """'between U0 and U1'."""
    lead, mention, tail = _column(context, found, found.at("n2"), "")
    if mention is None:
        return None
    operands = Operand("N", found.at("n")), Operand("N", found.at("n2"))
    negated = bool(found["not"])
    return lead + context.note(Comparison(mention, "between", *operands, negated=negated)) + tail


def _in_money(context: RuleContext, found: RuleMatch) -> str | None:
    """'total price, in dollars': so it is shown, where it is kept in cents."""
    if found["m"] and context.word(found.at("m")) not in _CURRENCIES:
        return None
    if "COUNT" in found.before.split():
        return None  # 'how many payments were made in pounds' asks for no amount
    context.flags.add(IN_MONEY)
    context.spend(found["m"])
    context.consumed(found.text)
    return ""


RULES: Final = in_order(
    Rule(
        "units/in_money",
        rf"(?:,? ?in (?:us )?(?:{{m}}|{_CURRENCY_WORD})|(?<!N\d )(?:,? )?{_CURRENCY_WORD})"
        r"(?= ?$| [?.,]| do | of )",
        _in_money,
        examples=(
            Example("SUM M0 , in dollar ?", "SUM M0 ?", ("flag in_money",)),
            Example("M0 GT N0[20] dollar", "M0 GT N0 dollar"),
        ),
    ),
    Rule(
        "units/between",
        rf"(?:{{m}} )?{{FILL}}{{not=not }}?(?:between|from|range from) {{n:amount}} "
        rf"(?:and|to) {{n2:amount}}{_MEASURED_MENTION}",
        _between,
        examples=(
            Example(
                "between U0[100 hours time] and U1[300 hours time]",
                "C0",
                ("C0: M0 between N0 and N1",),
                schema={"measure in U1": 0},
            ),
        ),
    ),
    Rule(
        "units/compared",
        rf"(?:{{m}} {{WHO}})?{{FILL}}(?:{{not=not }}{{FILL}})?(?:{_MEASURE_VERB}{{FILL}})?{{OP}} "
        rf"{{FILL}}{{n:amount}}(?: (?:in )?{_EXTENT_ADJECTIVE}| in M\d+)?{_MEASURED_MENTION}",
        _compared,
        examples=(
            Example("GT U0[3 hours time]", "C0", ("C0: M0 > N0",), schema={"measure in U0": 0}),
            Example(
                "LT~light U0[60 kilograms mass]", "C0", ("C0: M0 < N0",), schema={"measure light in U0": 0}
            ),
        ),
    ),
    Rule(
        "units/equal",
        rf"(?<!top )(?<!first )(?<!MAX )(?<!MIN )(?:{{m}} )?(?:(?:of|be|with|have|a|an|EQ|at|get) )*"
        rf"{{not=not }}?(?:{_MEASURE_VERB})?{{n:amount}}(?: {_EXTENT_ADJECTIVE})?{_MEASURED_MENTION}",
        _compared,
        examples=(Example("U0[3 hours time]", "C0", ("C0: M0 = N0",), schema={"measure in U0": 0}),),
    ),
    after=("ordinals",),
)
