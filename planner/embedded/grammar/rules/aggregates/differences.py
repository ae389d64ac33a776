"""Differences of two figures of one kind: how many more orders in 2025 than in 2024, by how much it rose.

Owns: which of two is taken away from the other, and what is shown in percent of the earlier. Differences of
two columns are taken by `measures`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from askwire.language.text import listed, singular
from askwire.planner.embedded.grammar.atoms import (
    AbsenceCondition,
    Atom,
    Comparison,
    Either,
    FlagCondition,
    IsValue,
    Operand,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Action, Example, Rule

_REQUEST: Final = r"(?:(?:what|be|the|show|give|me|please|calculate|our) )*"
_FIGURE: Final = r"(?:(?P<agg>AVG|SUM|COUNT|MAX|MIN) )?(?:(?:of|the|our) )*(?P<before>(?:[VM]\d+ )??){m}"
_DOING: Final = (
    r"(?: (?:do|have|be|we|they|there|get|got|make|made|sell|sold|pay|paid|earn|earned|receive|received|"
    r"place|placed|take|took|taken|see|had|record|recorded|come in|it|our|M\d+))*?"
)
_PREPOSITIONS: Final = r"(?:(?:in|of|for|from|during|by|the|year|a|an|our|among|with|to|on|at) )*"
_COMPARED_SYMBOL: Final = r"(?:V\d+|[ND]\d+|(?:(?:non|not|non-) )?M\d+)"
_MORE: Final = "more|GT|MOST|MAX~more|MAX~high"
_FEWER: Final = "fewer|less|LT|LEAST|MIN~few|MIN~low"
_FIRST_SIDE: Final = rf"{_PREPOSITIONS}(?P<first>{_COMPARED_SYMBOL})(?P<of>(?: M\d+)?)"
_SECOND_SIDE: Final = rf"(?:(?:that|those|it be|it) )*{_PREPOSITIONS}(?P<second>{_COMPARED_SYMBOL})(?: M\d+)?"
_END: Final = r"(?= ?$| ?[?.(])"
_ROSE: Final = (
    "increased|increase|grown|grew|grow|risen|rose|rise|changed|change|went up|gone up|go up|improved"
)
_FELL: Final = (
    "decreased|decrease|dropped|drop|fallen|fell|fall|declined|decline|shrunk|shrank|shrink|went down|gone "
    "down|go down"
)
_FALLING: Final = frozenset(listed(_FELL.replace("|", " ").replace(" down", ""))) - {"go", "gone", "went"} | {
    "reduction"
}
_TOTALS: Final = frozenset(listed("total totals amount amounts value worth"))
_MONEY_THINGS: Final = frozenset(
    listed("payment refund sale invoice bill charge donation expense fee fine deposit payout tip loan")
)
"""Things of which there is so much: 'by how much did payments fall'."""
_PIECE_WORDS: Final = frozenset({"unit", "item", "piece", "copy"})
_SELLING_WORDS: Final = frozenset({"sold", "sell", "sells", "selling"})
_NEGATION_PREFIX: Final = re.compile(r"(?:non|not|non-) ")
_PERCENT: Final = r"(?:PERCENT|percent|percentage|%)"
_IN_PERCENT: Final = rf"(?: (?:in|as a|as) (?:a )?{_PERCENT})?"
_GROWTH_IN_PERCENT: Final = re.compile(rf"(?<!\S)(?:{_PERCENT}|growth|rate)(?!\S)")
"""What asks for a difference in percent of the earlier."""


def _sides(context: RuleContext, first: str, second: str) -> tuple[Atom, Atom] | None:
    """What tells the two sides: years or times, two values, or a column of yes and no; None of others."""
    if first[0] == second[0] == "V":
        one, other = int(first[1:]), int(second[1:])
        column = context.oracle.shared(one, other)
        return IsValue(one, column), IsValue(other, column)
    parts = [_side(context, said) for said in (first, second)]
    if parts[0] is None or parts[1] is None or type(parts[0]) is not type(parts[1]):
        return None
    return parts[0], parts[1]


def _side(context: RuleContext, said: str) -> Atom | None:
    number = int(re.sub(r"\D", "", said))
    bare = _NEGATION_PREFIX.sub("", said)
    if bare[0] == "M" and "flag" in context.kinds(number):
        return FlagCondition(number, negated=bare != said)
    operand = Operand(bare[0], number)
    if bare[0] not in "ND" or (bare[0] == "N" and not context.year(operand)):
        return None
    moment = context.measure("time")
    return None if moment is None else Comparison(moment, "=", operand)


def _figure(context: RuleContext, found: RuleMatch) -> str:
    """The figure of both sides: that which is said, else amounts are added up and things counted.

    '' where it is none: 'how many more M0' counts no prices.
    """
    noun = f"{found['before']}{found['m']}"
    said, mention, many = found["agg"], found.at("m"), re.match(r"COUNT ", found.text)
    kinds, word = context.kinds(mention), singular(context.word(mention))
    if word in _PIECE_WORDS and context.spoken(*_SELLING_WORDS) and said in {"", "SUM", "COUNT"}:
        sold = context.measure("units sold")
        if sold is None:
            return ""
        context.spend(mention)
        return f"SUM M{sold} {found['before']}".rstrip()
    if said and said != "SUM":
        return f"{said} {noun}"
    if "numeric" in kinds and "table!" not in kinds:
        rated = not said and "rated" in kinds
        return "" if rated and many else f"{'AVG' if rated else 'SUM'} {noun}"
    much = re.search(rf"(?<!\S)(?:SUM|{_PERCENT}) ", found.text) is not None and word in _MONEY_THINGS
    whole = context.oracle.total(mention) if "table" in kinds and (much or context.spoken(*_TOTALS)) else None
    if whole is not None:
        return f"SUM M{whole} of {noun}"
    return f"COUNT {noun}" if "table" in kinds else ""


def _difference(less: Callable[[RuleContext, RuleMatch], bool]) -> Action:
    """'more M0 in N0 than in N1': the one less the other; the other way round where `less` says so."""

    def taken(context: RuleContext, found: RuleMatch) -> str | None:
        relative = _GROWTH_IN_PERCENT.search(found.text) is not None
        fell = relative and (_falls(found) or _says_fewer(context, found))
        first, second = found["first"], found["second"]
        figure = _figure(context, found)
        sides = _sides(context, first, second) if figure else None
        if sides is None:
            return None
        parts = sides[::-1] if less(context, found) else sides
        context.flags.update({"difference", "relative"} if relative else {"difference"})
        context.flags.update({"falling"} if fell else ())  # in percent of what it had been
        again = re.findall(r"M(\d+)", found.text[found.text.rindex(second) + len(second) :])
        context.spend(*(int(n) for n in again))
        context.consumed(found.text)
        whose = found["of"].strip()
        both = context.note(Either(parts, both=False))
        return " ".join(f"{figure} {whose and f'of {whose}'} {both}".split())

    return taken


def _with_and_without(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG M0 of M1 with M2 GT that of those without': of those that have one, less those that have none."""
    one, thing = found["first"] != "without", found.at("x")
    figure = _figure(context, found)
    how = found["how"].strip() or found["than"]
    if not figure or one == (found["second"] != "without") or how == "than":
        return None
    flag = "flag" in context.kinds(thing)
    having: tuple[Atom, Atom] = (
        (FlagCondition(thing), FlagCondition(thing, negated=True))
        if flag
        else (AbsenceCondition(thing, held=True), AbsenceCondition(thing))
    )
    parts = having if one != (re.fullmatch(_FEWER, how) is not None) else having[::-1]
    context.flags.add("difference")
    again = re.findall(r"M(\d+)|N\d+", found.text[found.text.rindex(found["x"]) + len(found["x"]) :])
    context.spend(*(int(n) for n in again if n))
    context.consumed(found.text)
    return f"{figure}{found['of']} {context.note(Either(parts, both=False))}"


def _says_fewer(context: RuleContext, found: RuleMatch) -> bool:
    del context
    return re.fullmatch(_FEWER, found["how"]) is not None


def _falls(found: RuleMatch) -> bool:
    return bool(_FALLING & {*found["how"].split()}) or found["how"].endswith("down")


def _rises(context: RuleContext, found: RuleMatch) -> bool:
    """'rose from N0 to N1' is the second less the first."""
    del context
    return not _falls(found)


def _is_later(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the second is to be less the first: from one to the other, and of two times the later."""
    if re.search(rf"(?<!\S)from {_PREPOSITIONS}{found['first']}(?!\S)", found.text):
        return True
    first, second = found["first"], found["second"]
    if first[0] == second[0] == "N":
        numbers = context.encoded.numbers
        return int(numbers[int(first[1:])].text) < int(numbers[int(second[1:])].text)
    if first[0] == second[0] == "D":
        times = context.encoded.times
        return times[int(first[1:])].low < times[int(second[1:])].low
    return False


def _grew(context: RuleContext, found: RuleMatch) -> bool:
    """'growth from N0 to N1' is the later less the earlier, 'decrease' the earlier less the later."""
    return _is_later(context, found) != _falls(found)


RULES: Final = in_order(
    Rule(
        "differences/more_than",
        rf"^{_REQUEST}(?:by )?(?:(?:SUM|COUNT) )?(?:{_PERCENT} )?(?P<how>{_MORE}|{_FEWER}) "
        rf"(?:(?:be|do|have) )*{_FIGURE}{_DOING} {_FIRST_SIDE}{_DOING} than {_SECOND_SIDE}{_DOING}{_END}",
        _difference(_says_fewer),
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "COUNT more M0[table! table] do we get in N0[2025] than in N1[2024]",
                "COUNT M0 C0",
                ("C0: M1 = N0 or M1 = N1", "flag difference"),
                schema={"measure time": 1},
            ),
            Example(
                "SUM LT be AVG M0[numeric] of V0[1] M1[table!] than that of V1[1] M1[table!]",
                "AVG M0 of M1 C0",
                ("C0: M2 = V1 or M2 = V0", "flag difference"),
                schema={"shared V0 V1": 2},
            ),
            Example("more M0[table! table] in N0[20] than in N1[2024]", "more M0 in N0 than in N1"),
        ),
    ),
    Rule(
        "differences/exceeds",
        rf"^by SUM (?:(?:be|do|have) )*{_FIGURE}{_DOING} {_FIRST_SIDE}{_DOING} (?P<how>{_MORE}|{_FEWER}"
        rf"|differ) (?:(?:than|from) )?{_SECOND_SIDE}{_DOING}{_END}",
        _difference(_says_fewer),
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "by SUM do SUM M0[numeric] in N0[2025] GT that of N1[2024] ?",
                "SUM M0 C0 ?",
                ("C0: M1 = N0 or M1 = N1", "flag difference"),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "differences/with_and_without",
        rf"^(?:by )?SUM (?P<how>(?:{_MORE}|{_FEWER}) )?(?:(?:be|do|have) )*{_FIGURE}"
        rf"(?P<of>(?: of (?:the |our )?M\d+)?)(?: (?:that|which))? (?P<first>with|without|have) "
        rf"(?:(?:a|an|any|the) )?{{x}} (?P<than>than|{_MORE}|{_FEWER}) "
        rf"(?:(?:than|that|those|of|for|the|M\d+) )*(?P<second>with|without|have)"
        rf"(?: (?:N\d+|a|an|any|one|M\d+))*{_END}",
        _with_and_without,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "by SUM be AVG M0[numeric] of M1[table!] without a M2[table!] GT that with N0[1] ?",
                "AVG M0 of M1 C0 ?",
                ("C0: has no M2 or has M2", "flag difference"),
            ),
            Example(
                "SUM LT be AVG M0[numeric] of M1[table!] with M2[flag] than of those without ?",
                "AVG M0 of M1 C0 ?",
                ("C0: not M2 is true or M2 is true", "flag difference"),
            ),
        ),
    ),
    Rule(
        "differences/between",
        rf"^{_REQUEST}(?:{_PERCENT} )?(?:difference|gap) (?:(?:in|of|between) )*{_FIGURE}{_DOING} "
        rf"(?:between )?{_FIRST_SIDE}{_DOING} (?:and|to|versus|vs) {_SECOND_SIDE}{_DOING}{_END}",
        _difference(_is_later),
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "difference in M0[numeric] between N0[2023] and N1[2024]",
                "SUM M0 C0",
                ("C0: M1 = N1 or M1 = N0", "flag difference"),
                schema={"measure time": 1},
            ),
            Example(
                "difference in M0[numeric] between N0[20] and N1[24]", "difference in M0 between N0 and N1"
            ),
        ),
    ),
    Rule(
        "differences/rose",
        rf"^(?:by )?(?:what )?(?:SUM|{_PERCENT}) (?:(?:be|do|have) )*{_FIGURE}{_DOING} "
        rf"(?P<how>{_ROSE}|{_FELL}) from {_FIRST_SIDE} to {_SECOND_SIDE}{_DOING}{_IN_PERCENT}{_END}",
        _difference(_rises),
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "SUM have M0[numeric] increased from N0[2023] to N1[2024] ?",
                "SUM M0 C0 ?",
                ("C0: M1 = N1 or M1 = N0", "flag difference"),
                schema={"measure time": 1},
            ),
            Example(
                "SUM do M0[numeric] drop from N0[2023] to N1[2024] ?",
                "SUM M0 C0 ?",
                ("C0: M1 = N0 or M1 = N1", "flag difference"),
                schema={"measure time": 1},
            ),
            Example(
                "by PERCENT do M0[numeric] grow from N0[2023] to N1[2024] ?",
                "SUM M0 C0 ?",
                ("C0: M1 = N1 or M1 = N0", "flag difference", "flag relative"),
                schema={"measure time": 1},
            ),
            Example(
                "by PERCENT do M0[numeric] fall from N0[2023] to N1[2024] ?",
                "SUM M0 C0 ?",
                ("C0: M1 = N0 or M1 = N1", "flag difference", "flag falling", "flag relative"),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "differences/growth",
        rf"^{_REQUEST}(?:(?:total|overall|{_PERCENT}) )*(?P<how>growth|increase|change|decrease|drop|fall|"
        rf"decline|reduction)(?: rate)? (?:in|of) {_FIGURE}"
        rf"{_DOING} (?:from|between) {_FIRST_SIDE} (?:to|and) {_SECOND_SIDE}{_DOING}{_IN_PERCENT}{_END}",
        _difference(_grew),
        before=("listings", "side_by_side", "measures/share"),
        examples=(
            Example(
                "PERCENT decrease in M0[numeric] from N0[2023] to N1[2024]",
                "SUM M0 C0",
                ("C0: M1 = N0 or M1 = N1", "flag difference", "flag falling", "flag relative"),
                schema={"measure time": 1},
            ),
            Example(
                "PERCENT change in M0[numeric] from N0[2023] to N1[2024]",
                "SUM M0 C0",
                ("C0: M1 = N1 or M1 = N0", "flag difference", "flag relative"),
                schema={"measure time": 1},
            ),
            Example(
                "change in COUNT M0[table! table] between N0[2023] and N1[2024]",
                "COUNT M0 C0",
                ("C0: M1 = N1 or M1 = N0", "flag difference"),
                schema={"measure time": 1},
            ),
            Example(
                "PERCENT change in M0[numeric] from N0[20] to N1[24]", "PERCENT change in M0 from N0 to N1"
            ),
        ),
    ),
    Rule(
        "differences/growth_behind",
        rf"^{_REQUEST}{_FIGURE} (?:(?:{_PERCENT}|growth|change|increase)(?: rate)?) (?:from|between) "
        rf"{_FIRST_SIDE} (?:to|and) {_SECOND_SIDE}{_DOING}{_IN_PERCENT}{_END}",
        _difference(_is_later),
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "M0[numeric] growth from N0[2023] to N1[2024]",
                "SUM M0 C0",
                ("C0: M1 = N1 or M1 = N0", "flag difference", "flag relative"),
                schema={"measure time": 1},
            ),
        ),
    ),
    after=("quotients",),
)
