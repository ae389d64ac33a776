"""Arithmetic between columns: 'population divided by area for each country', densities, 'per capita'.

Owns: quotients and differences of two columns; ratios are `shares`'. A line is rewritten before any other
rule looks at it.
"""

from __future__ import annotations

from typing import Final

from askwire.language.lexicon import SPREAD
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.linking.units import called

_OF_GROUP: Final = r"(?: (?:(?:for|of|in|by|per) )+(?:(?:each|every|all|the) )*{g})?(?= ?$| ?[?.,]| S| O)"


def _quotient(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 divided by M1 for each M2': M2 and the quotient, which is shown beside what both belong to."""
    quotient = context.oracle.combined(found.at("a"), "/", found.at("b"))
    if quotient is None:
        return None
    context.understood("divided")
    if found["g"] and "table!" in context.kinds(found.at("g")):
        return f"{found['g']} and M{quotient}"
    return f"M{quotient} per {found['g']}" if found["g"] else f"M{quotient}"


_PER_GROUP: Final = r"(?: (?:(?:for|of|in|per) (?:each|every|all)(?: the)?|by|per) {g}(?= ?$| ?[?.,]| S| O))?"
_MEASURE_UNIT: Final = (
    r"(?P<unit>(?:square|cubic) \w+|kilometer|kilometre|km|mile|meter|metre|foot|kilogram|kg|pound|ton|tonne|"
    r"gram|liter|litre|gallon|minute|second|hectare)"
)
_NO_AGGREGATE_BEFORE: Final = r"(?<!AVG )(?<!SUM )(?<!MAX )(?<!MIN )(?<!COUNT )"


def _worked_out(context: RuleContext, found: RuleMatch, number: int | None) -> str | None:
    """A number worked out of two columns, beside the rows that it is of, or of groups of them."""
    if number is None:
        return None
    context.consumed(found.text)
    if not found["g"]:
        return f"M{number}"
    if "table!" in context.kinds(found.at("g")):
        return f"{found['g']} and M{number}"
    return f"SUM M{number} per {found['g']}"


def _spread(context: RuleContext, found: RuleMatch) -> str | None:
    """'population density', 'output per capita': an amount by what it is spread over, of one table."""
    over = context.measure(found["over"])
    return None if over is None else _worked_out(context, found, _per(context, found.at("a"), over))


def _kept(context: RuleContext, found: RuleMatch) -> str | None:
    """'population density', where a column holds the density."""
    if context.word(found.at("b")) not in SPREAD:
        return None
    context.spend(found["a"])
    return found["b"]


def _per_unit(context: RuleContext, found: RuleMatch) -> str | None:
    """'price per square foot': by the column that holds such units."""
    over = context.measure(f"per {found['unit']}")
    return None if over is None else _worked_out(context, found, _per(context, found.at("a"), over))


def _per_many(context: RuleContext, found: RuleMatch) -> str | None:
    """'revenue per employee', where both are columns of one table; a unit is that of the column."""
    unit = _unit(context, found.at("b"))
    over = context.measure(f"per {unit}") if unit else found.at("b")
    if over is None or not context.oracle.related(found.at("a"), "same table", over):
        return None
    context.spend(found["b"])
    return _worked_out(context, found, _per(context, found.at("a"), over))


def _unit(context: RuleContext, mention: int) -> str:
    """The words of a mention where they are a unit: 'kg', 'square foot'."""
    said = context.encoded.mentions[mention]
    name = " ".join(token.lemma for token in context.encoded.tokens[said.start : said.end])
    return name if said.start >= 0 and called(name) is not None else ""


def _average_per_unit(context: RuleContext, found: RuleMatch) -> str | None:
    """'average price per kg': of what each comes to, and not by how many kilograms there are."""
    if not _unit(context, found.at("b")):
        return None
    quotient = _per_many(context, found)
    return quotient and f"AVG {quotient}"


def _per(context: RuleContext, amount: int, over: int) -> int | None:
    return context.oracle.combined(amount, "per", over)


def _apart(context: RuleContext, found: RuleMatch) -> str | None:
    """'how much higher is M0 than M1', 'difference between M0 and M1 of each M2'."""
    first, second = found.at("a"), found.at("b")
    if found["how"].startswith(("LT", "less")):
        first, second = second, first
    return _worked_out(context, found, context.oracle.combined(first, "-", second))


RULES: Final = in_order(
    Rule(
        "quotients/density_kept",
        r"{a:numeric,-table!} {b:numeric,-table!}",
        _kept,
        before=("quotients/density", "side_by_side"),
        examples=(
            Example("M0[numeric population] M1[numeric density]", "M1"),
            Example("M0[numeric population] M1[numeric year]", "M0 M1"),
        ),
    ),
    Rule(
        "quotients/density",
        rf"{{a:numeric,-table!}} {{over=density}}{_PER_GROUP}",
        _spread,
        before=("side_by_side",),
        examples=(
            Example("M0[numeric] density", "M2", schema={"measure density": 1, "M0 per M1": 2}),
            Example(
                "M0[numeric] density of each M1[table!]",
                "M1 and M3",
                schema={"measure density": 2, "M0 per M2": 3},
            ),
        ),
    ),
    Rule(
        "quotients/per_head",
        rf"{{a:numeric,-table!}} per {{over=capita|head|inhabitant|resident|citizen|person}}"
        rf"{_PER_GROUP}",
        _spread,
        before=("side_by_side",),
        examples=(
            Example("M0[numeric] per capita", "M2", schema={"measure capita": 1, "M0 per M1": 2}),
            Example("M0[numeric] per person", "M0 per person"),
        ),
    ),
    Rule(
        "quotients/per_unit",
        rf"{{a:numeric,-table!}} (?:per|for each|for every) {_MEASURE_UNIT}{_PER_GROUP}",
        _per_unit,
        before=("side_by_side",),
        examples=(
            Example(
                "M0[numeric] per square foot", "M2", schema={"measure per square foot": 1, "M0 per M1": 2}
            ),
        ),
    ),
    Rule(
        "quotients/per_many",
        rf"{_NO_AGGREGATE_BEFORE}{{a:numeric!,-table!}} per {{b:extent,-table!}}{_PER_GROUP}",
        _per_many,
        before=("side_by_side",),
        examples=(
            Example(
                "M0[numeric! revenue] per M1[extent employee] of each M2[table!]",
                "M2 and M3",
                schema={"M0 same table M1": True, "M0 per M1": 3},
            ),
            Example("M0[numeric!] per M1[numeric]", "M0 per M1"),
        ),
    ),
    Rule(
        "quotients/average_per_unit",
        r"AVG {a:numeric!,-table!} per {b:extent,-table!}{END}",
        _average_per_unit,
        before=("side_by_side",),
        examples=(
            Example(
                "AVG M0[numeric! price] per M1[extent kg]",
                "AVG M3",
                schema={"measure per kg": 2, "M0 same table M2": True, "M0 per M2": 3},
            ),
            Example("AVG M0[numeric! price] per M1[extent seats]", "AVG M0 per M1"),
        ),
    ),
    Rule(
        "quotients/higher_than",
        r"SUM {how=(?:GT|LT|more|less)(?:~\w+)?(?: expensive| than)?} (?:be|do) (?:(?:the|its|their) )*"
        r"{a:numeric,-table!} (?:than|over) (?:(?:the|its|their) )*{b:numeric,-table!}" + _PER_GROUP,
        _apart,
        before=("side_by_side",),
        examples=(
            Example(
                "SUM GT be M0[numeric] than M1[numeric] of each M2[table!]",
                "M2 and M3",
                schema={"M0 - M1": 3},
            ),
            Example("SUM LT be M0[numeric] than M1[numeric]", "M2", schema={"M1 - M0": 2}),
        ),
    ),
    Rule(
        "quotients/exceeded_by",
        r"SUM do (?:(?:the|its|their) )*{a:numeric,-table!} {how=GT|exceed} (?:(?:the|its|their) )*"
        r"{b:numeric,-table!}" + _PER_GROUP,
        _apart,
        before=("side_by_side",),
        examples=(Example("SUM do M0[numeric] GT M1[numeric]", "M2", schema={"M0 - M1": 2}),),
    ),
    Rule(
        "quotients/difference_of_each",
        r"difference (?:in \w+ )?between (?:(?:the|its|their) )*{a:numeric,-time,-table!} and "
        r"(?:(?:the|its|their) )*{b:numeric,-time,-table!} (?:for|of) (?:each|every) {g:table!}{END}",
        _apart,
        before=("side_by_side",),
        examples=(
            Example(
                "difference between M0[numeric] and M1[numeric] of each M2[table!]",
                "M2 and M3",
                schema={"M0 - M1": 3},
            ),
        ),
    ),
    Rule(
        "quotients/divided_by",
        r"{a:numeric} divided by (?:(?:the|its|their) )*{b:numeric}" + _OF_GROUP,
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
