"""Counts as bounds: more than two orders, at least three distinct products, more than once.

Owns: conditions on how many rows there are, and on aggregates of groups.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import PARTICIPLE, TIMES_WORDS
from askwire.planner.embedded.grammar.atoms import (
    AGGREGATES,
    COMPARE,
    WHEN,
    AbsenceCondition,
    Comparison,
    CountCondition,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.linking.implicit_columns import event_form

_NEAR_START_CHARACTERS: Final = 30
"""Characters of a line within which a greatest or least is asked for rather than bounded."""
_SYMBOL_OF_AGGREGATE: Final = {aggregate: symbol for symbol, aggregate in AGGREGATES.items()}
_MEASURE_KIND: Final = kind("numeric!,-table!")
_BOUNDED_MEASURE: Final = re.compile(r"(?<!\S)M(\d+) (?:(?:that|which|be|of) )*$")
"""What stands before a bound."""


def _number_of(context: RuleContext, mention: int | None, operator: str, number: int) -> str:
    """A bound on a number of rows; what has 0 of them has none."""
    if mention is not None and number == 0 and operator in {"=", "<="}:
        context.flags.add("lacking")
        return context.note(AbsenceCondition(mention))
    return context.note(CountCondition(mention, operator, number))


def _counted(context: RuleContext, found: RuleMatch) -> str | None:
    """'COUNT M0 GT N0'."""
    mention, operand = found.maybe("m"), found.operand("n")
    if found["adj"] or found["op"] in WHEN:
        return None
    if context.money(operand):
        return None  # 'how many claims are above $5,000': money counts no rows
    operator = COMPARE[found["op"] or "EQ"]
    kinds = frozenset() if mention is None else context.kinds(mention)
    if mention is not None and "table" not in kinds and "numeric!" in kinds:
        said = context.note(Comparison(mention, operator, operand))
        # 'how many drivers under 20': rows are asked for, not a number that a column holds
        return f"COUNT {said}" if found.start == 0 and found.text.startswith("COUNT") else said
    return _number_of(context, mention, operator, context.number(found.at("n")))


def _is_no_verb(context: RuleContext, found: RuleMatch) -> bool:
    """Whether there may be so many of it: 'bills over 50 issued in May' have no 50 of anything."""
    kinds = context.kinds(found.at("m"))
    return "time" not in kinds or "table" in kinds or not PARTICIPLE.fullmatch(context.word(found.at("m")))


def _so_many_times(context: RuleContext, found: RuleMatch) -> str | None:
    """'more than 10 times'; of 'sold more than 10 times' the rows that record it are counted."""
    if found["adj"] or found["op"] in WHEN:
        return None
    event, lead = _recording(context, found, "" if found["m"] else (found.before.split() or [""])[-1])
    if event is None:
        counted = _counted(context, found)
        return None if counted is None else f"{lead}{counted}"
    operator = COMPARE[found["op"] or "EQ"]
    return context.note(CountCondition(event, operator, context.number(found.at("n"))))


def _recording(context: RuleContext, found: RuleMatch, verb: str) -> tuple[int | None, str]:
    """What records that it was done so often, by a verb that names its table or the `verb` before.

    Behind it what of the match is left as it is.
    """
    event = found.maybe("event")
    if event is not None and "table" in context.kinds(event) and PARTICIPLE.fullmatch(context.word(event)):
        return event, ""
    event = context.oracle.event(event_form(verb)) if not found["event"] and event_form(verb) else None
    context.consumed(verb if event is not None else "")
    return event, f"{found['event']} " if found["event"] else ""


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    """'between N0 and N1 M0', or a number that a column holds."""
    if _MEASURE_KIND.holds(context.kinds(found.at("m"))):
        return context.note(Comparison(found.at("m"), "between", found.operand("n"), found.operand("n2")))
    measured = _BOUNDED_MEASURE.search(found.before)
    if measured and _MEASURE_KIND.holds(context.kinds(int(measured[1]))):
        return None  # 'with a price between 50 and 100 of customers from Spain'
    low, high = context.number(found.at("n")), context.number(found.at("n2"))
    return context.note(CountCondition(found.at("m"), "between", low, high))


def _aggregated(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG M0 GT N0': a condition on groups."""
    said, operand = found["op"], found.operand("n")
    if said in WHEN and context.year(operand):
        return None  # 'total revenue since 2025'
    near_start = found.start < _NEAR_START_CHARACTERS and "whose" not in context.symbols
    if found["agg"] in {"MAX", "MIN"} and near_start:
        return None
    of_each = context.bare(operand) or re.match(r" M\d", found.behind)
    if found["agg"] == "AVG" and of_each and context.numbered(found.at("m")):
        return None  # 'the average number of orders above 100', 'with over 20 lines' bounds each order
    aggregate, owner = AGGREGATES[found["agg"]], context.owner_behind(found.at("m"), found.behind)
    return context.note(Comparison(found.at("m"), COMPARE[said], operand, aggregate=aggregate, owner=owner))


def _total_of_theirs(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers with a total over N0', which orders have: what theirs come to together."""
    total, things = found.at("m"), found.at("t")
    if context.word(total) != "total" or context.oracle.related(total, "column of", things):
        return None
    bound = Comparison(total, COMPARE[found["op"]], found.operand("n"), aggregate="sum")
    return f"{found['t']} {context.note(bound)}"


def _on_average(context: RuleContext, found: RuleMatch) -> str:
    """'GT N0 M0 on average'."""
    operator, operand = COMPARE[found["op"]], found.operand("n")
    return context.note(Comparison(found.at("m"), operator, operand, aggregate="avg"))


def _so_often(context: RuleContext, found: RuleMatch) -> str:
    """'more than once'; of 'ordered only once' the rows that record it are counted."""
    context.understood(found["once"])
    event, lead = _recording(context, found, (found.before.split() or [""])[-1])
    often = CountCondition(event, COMPARE[found["op"]], TIMES_WORDS[found["once"]])
    return f"{lead}{context.note(often)}"


def _than_one(context: RuleContext, found: RuleMatch) -> str:
    """'more than one M0'."""
    return context.note(CountCondition(found.at("m"), COMPARE[found["op"]], 1))


def _bounded(context: RuleContext, found: RuleMatch) -> str | None:
    """'GT N0 M0': a number that a column holds, or how many there are."""
    measured = _BOUNDED_MEASURE.search(found.before)
    if measured and _MEASURE_KIND.holds(context.kinds(int(measured[1]))):
        return None  # 'with a price above 50 created in 2024' bounds the price
    mention, operator = found.at("m"), COMPARE[found["op"]]
    if _MEASURE_KIND.holds(context.kinds(mention)):
        return context.note(Comparison(mention, operator, found.operand("n")))
    return _number_of(context, mention, operator, context.number(found.at("n")))


def _of_such(context: RuleContext, found: RuleMatch) -> str:
    """'GT N0 M0 M1', 'GT N0 non V0 M1': what they are is said behind them."""
    del context
    such = found["such"] or f"{found['no'] or ''}{found['flag']}"
    return f"{found['op']} {found['n']} {found['m']} {such}"


def _of_kind(context: RuleContext, found: RuleMatch) -> str | None:
    """'GE N0 V0': how many rows there are of a kind that a value tells, as 'ten professors'."""
    value = context.encoded.values[found.at("v")]
    said = context.encoded.tokens[value.end - 1]
    if said.kind != "word" or not said.text.islower() or said.lower == said.lemma:
        return None
    bound = CountCondition(None, COMPARE[found["op"]], context.number(found.at("n")))
    return f"{context.note(bound)} {found['v']}"


def _exactly(context: RuleContext, found: RuleMatch) -> str:
    """'with N0 M0'."""
    mention = found.at("m")
    if _MEASURE_KIND.holds(context.kinds(mention)):
        return context.note(Comparison(mention, "=", found.operand("n")))
    return "with " + _number_of(context, mention, "=", context.number(found.at("n")))


def _bound_shown(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 with C0 and the AVG', 'M0 with C0 , with count': the figure that is bounded is shown as well."""
    for atom in context.atoms[::-1]:
        if isinstance(atom, CountCondition) and found["count"] and found.text.count(" ") > 1:
            context.consumed(found.text)
            return f"{found['more']}and COUNT"
        if not isinstance(atom, Comparison) or not atom.aggregate or atom.mention is None:
            continue
        said, mentions = found.maybe("m"), context.encoded.mentions
        same = said is None or mentions[said].words == mentions[atom.mention].words
        if same and not found["count"] and AGGREGATES.get(found["agg"], atom.aggregate) == atom.aggregate:
            context.spend(said)
            return f"{found['more']}and {_SYMBOL_OF_AGGREGATE[atom.aggregate]} M{atom.mention}"
    return None


RULES: Final = in_order(
    Rule(
        "counts/count_beyond",
        r"COUNT (?:of )?{DET}{m} {FILL}{OP} (?:than )?{n:number}(?! (?:(?:[VC]\d+|not|non) )*M\d)",
        _counted,
        examples=(
            Example("COUNT M0[table] GT N0[10]", "C0", ("C0: count of M0 > 10",)),
            Example("COUNT M0[table] GT N0[$5000]", "COUNT M0 GT N0"),
            Example("COUNT M0[table] with GT N0[3] C0[M2 = V0] M1", "COUNT M0 with GT N0 C0 M1"),
        ),
    ),
    Rule(
        "counts/beyond_count",
        r"{OP} {n:number} COUNT (?:of )?{DET}{m}",
        _counted,
        examples=(Example("GT N0[5000] COUNT M0[numeric!]", "C0", ("C0: M0 > N0",)),),
    ),
    Rule(
        "counts/between",
        r"(?:between )?{n:number} (?:to|and) {n2:number} (?:COUNT (?:of )?)?{DET}{m:table,-numeric!}",
        _between,
        examples=(
            Example("N0[2] to N1[4] M0[table]", "C0", ("C0: count of M0 between 2 and 4",)),
            Example(
                "with a M1[numeric!] between N0[2] and N1[4] of M0[table]",
                "with a M1 between N0 and N1 of M0",
            ),
        ),
    ),
    Rule(
        "counts/count_between",
        r"COUNT (?:of )?{DET}{m} (?:be )?between {n:number} and {n2:number}",
        _between,
        examples=(
            Example("COUNT M0 between N0[1] and N1[3]", "C0", ("C0: count of M0 between 1 and 3",)),
            Example("COUNT M0[numeric!] between N0[1] and N1[3]", "C0", ("C0: M0 between N0 and N1",)),
        ),
    ),
    Rule(
        "counts/aggregate_beyond",
        r"{agg=AVG|SUM|MAX|MIN} (?:of )?{DET}{m} (?:(?:be|of|have|that be|in|with|a) )*{OP} "
        r"(?:than )?{n:number}",
        _aggregated,
        examples=(Example("AVG M0 GT N0[4]", "C0", ("C0: avg M0 > N0",)),),
    ),
    Rule(
        "counts/total_of_theirs",
        r"{t:table!} (?:(?:with|whose|have|who|that|a|the|their) )+{m:numeric!,-table!} "
        r"(?:(?:be|of|come to) )*{op=GT|GE|LT|LE} (?:than )?{n:number}",
        _total_of_theirs,
        examples=(
            Example("M0[table!] with a M1[numeric! total] GT N0[1000]", "M0 C0", ("C0: sum M1 > N0",)),
            Example(
                "M0[table!] with a M1[numeric! total] GT N0[1000]",
                "M0 with a M1 GT N0",
                schema={"M1 column of M0": True},
            ),
        ),
    ),
    Rule(
        "counts/on_average",
        r"{OP} {n:number} {DET}{m} (?:on|in) (?:average|AVG)",
        _on_average,
        examples=(Example("GT N0[14] M0 on AVG", "C0", ("C0: avg M0 > N0",)),),
    ),
    Rule(
        "counts/so_many_times",
        r"(?:{event} )?{OP} {n:number} (?:time|occasion|{DET}(?:kind|type|sort) of)(?: {m})?",
        _so_many_times,
        examples=(
            Example("M0 M1[table rented] GT N0[30] time", "M0 C0", ("C0: count of M1 > 30",)),
            Example("M0 M1[column! rented] GT N0[30] time", "M0 M1 C0", ("C0: count of ? > 30",)),
            Example("GT N0[2] time", "C0", ("C0: count of ? > 2",)),
            Example("GT N0[1] kind of M0", "C0", ("C0: count of M0 > 1",)),
        ),
    ),
    Rule(
        "counts/once_or_twice",
        r"(?:{event} )?{OP} {once=" + "|".join(TIMES_WORDS) + "}",
        _so_often,
        examples=(
            Example("LE once", "C0", ("C0: count of ? <= 1",)),
            Example("GT thrice", "C0", ("C0: count of ? > 3",)),
            Example(
                "M0 ordered EQ once", "M0 ordered C0", ("C0: count of M1 = 1",), schema={"event ordered": 1}
            ),
            Example("M0 M1[table rented] EQ once", "M0 C0", ("C0: count of M1 = 1",)),
            Example("M0 M1[table rentals] EQ once", "M0 M1 C0", ("C0: count of ? = 1",)),
        ),
    ),
    Rule(
        "counts/beyond_one",
        r"{OP} (?:a|one) {m:table}",
        _than_one,
        examples=(Example("GE a M0[table]", "C0", ("C0: count of M0 >= 1",)),),
    ),
    Rule(
        "counts/beyond_such",
        r"{op=GT|GE|LT|LE|EQ} {n:number} {DET}"
        r"(?:{such=(?:(?:not|non) )?[VC]\d+}|(?P<no>not )?{flag:flag,-table!|moment,-table!}) "
        r"{m:table!}",
        _of_such,
        examples=(
            Example("GT N0[3] M0[flag] M1[table!]", "GT N0 M1 M0"),
            Example("GT N0[3] not M0[flag] M1[table!]", "GT N0 M1 not M0"),
            Example("GT N0[3] non V0[1] M1[table!]", "GT N0 M1 non V0"),
            Example("GT N0[3] C0[M0 = V0] M1[table!]", "GT N0 M1 C0"),
            Example("GT N0[3] M0[column] M1[table!]", "GT N0 M0 M1"),
        ),
    ),
    Rule(
        "counts/beyond",
        r"{op=GT|GE|LT|LE|EQ} {n:number} (?:different |distinct |of )?{DET}"
        r"{m:numeric!,-table!|table|column}(?! (?:GT|LT))(?! (?:and|or) [VCM]\d+ M\d)",
        _bounded,
        guard=_is_no_verb,
        examples=(
            Example("GT N0[3] M0[table]", "C0", ("C0: count of M0 > 3",)),
            Example("GT N0[3] M0[numeric!]", "C0", ("C0: M0 > N0",)),
            Example("GT N0[3] M0[column] or V0[1] M1[table!]", "GT N0 M0 or V0 M1"),
            Example("with M1[numeric!] of GT N0[3] M0[column]", "with M1 of GT N0 M0"),
            Example("GE N0[50] M0[time column created] SINCE D0", "GE N0 M0 SINCE D0"),
        ),
    ),
    Rule(
        "counts/of_kind",
        r"{op=GT|GE|LT|LE|EQ} {n:number} {DET}{v=V\d+}(?! M\d)",
        _of_kind,
        before=("comparisons",),
        examples=(
            Example("GE N0[10] V0[professors]", "C0 V0", ("C0: count of ? >= 10",)),
            Example("GE N0[10] V0[professor]", "GE N0 V0"),
        ),
    ),
    Rule(
        "counts/exactly",
        r"(?:have|with|own|take|use|play|hold|win|won|has|contain) {n:number} {DET}"
        r"{m:numeric!,-table!|table}",
        _exactly,
        examples=(
            Example("with N0[5] M0[table]", "with C0", ("C0: count of M0 = 5",)),
            Example("with N0[5] M0[numeric!]", "C0", ("C0: M0 = N0",)),
            Example("with N0[0] M0[table]", "with C0", ("C0: has no M0", "flag lacking")),
        ),
    ),
    Rule(
        "counts/bound_shown",
        r"{more=(?:show (?:the )?M\d+ )?}(?:and|with|,|show|give|list)"
        r"(?: (?:the|their|its|and|also|show|with|be))* "
        r"(?:{agg=AVG|SUM}(?: (?:value|amount))?|{count=counts?}|{m:numeric,-table!}){END}",
        _bound_shown,
        examples=(
            Example("M0 with C0[avg M1 > N0] and the AVG", "M0 with C0 and AVG M1"),
            Example("M0 with C0[count of M1 > 3] , with count", "M0 with C0 and COUNT"),
            Example("M0 with C0[count of M1 > 3] , count", "M0 with C0 , count"),
            Example("M0 with C0[avg M1 > N0] and the M2[numeric]", "M0 with C0 and the M2"),
        ),
    ),
    after=("above_average",),
)
