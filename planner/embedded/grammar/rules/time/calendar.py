"""The calendar and the clock: the busiest hour, by weekday, 2023 vs 2024, running totals, growth.

Owns: units of time that are ranked, compared with each other, or followed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import AMOUNT_WORDS, EVENTS, MEASURE_WORDS
from askwire.language.text import PARTICIPLE, singular
from askwire.planner.embedded.grammar.apart import grouped_as_well, ranked
from askwire.planner.embedded.grammar.atoms import (
    APART,
    WITHIN_YEAR,
    Comparison,
    Either,
    Operand,
    Output,
    Superlative,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import TIME_UNIT, RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Action, Example, Rule, rewrite
from askwire.planner.embedded.linking.blocked import ADVERBS, TIME_ADVERB

_UNIT_OF_SHORT_FORM: Final = {"yoy": "year", "mom": "month", "qoq": "quarter"}
_VERSUS: Final = r"(?:vs|versus|against|compared? (?:to|with)|and how many in)"
_BUSIEST_WORDS: Final = "busiest|quietest|slowest|MIN~slow|MAX~good|MIN~bad|MAX~bad|top|MAX~slow"
_AUXILIARIES: Final = (
    r"(?:(?:do|have|be|with|see|there|we|the|us|bring|brought|in|make|made|sell|sold|generate|generated|get"
    r"|got|happen|it|that|when|receive|received|which) )*"
)
_MEASURED_THING: Final = r"{kind=(?:not )?[VC]\d+ (?:or [VC]\d+ )?}?{m:table!,-numeric!|table!,named|numeric}"
_SUPERLATIVE: Final = r"(?:the )?{sup=MOST|LEAST|MAX|MIN|MAXCOUNT|MINCOUNT} (?:{agg=SUM|AVG|COUNT} )?(?:of )?"
_WHEN: Final = r"{when=(?:in|of) [ND]\d+ |of the year }?"
_UNIT_WITH_MOST: Final = (
    r"(?:(?:(?:in|on|at|during) )?(?:which|what|what be the|the|show the|find the) (?:{n:number} )?|^)"
    rf"{TIME_UNIT} {_WHEN}{_AUXILIARIES}{_SUPERLATIVE}"
)
_UNIT_OF_DAYS: Final = {1: "day", 7: "week"}
_GROWTH_WORDS: Final = r"(?:growth|grow|grew|change|increase)(?:s|d)?(?: (?:rate|percent))?"


def _recurring(flag: str, unit: str) -> Action:
    """'hour of the day' and 'day of the week' come again and again: of all Mondays one row."""

    def again(context: RuleContext, found: RuleMatch) -> str:
        context.flags.add(flag)
        context.consumed(found.text)
        return unit

    return again


def _by(context: RuleContext, unit: str) -> bool:
    """Groups by a unit of the time that is meant; False where nothing has a time."""
    moment = context.measure("time")
    if moment is None:
        return False
    context.unit = unit
    if not any(group.mention == moment for group in context.groups):
        context.groups.append(Output(moment))
    return True


def _of_each_year(context: RuleContext, found: RuleMatch) -> str:
    """'the busiest month in each year', 'for each year, the month with the most M0': the best of its own."""
    context.flags.add(WITHIN_YEAR)
    context.consumed(found.text)
    return f"the {found['sup']}{found['unit']} {found['behind']}"


def _is_best_of_year(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a part of the year is ranked, and not asked for as it is: 'orders per month in each year'."""
    del context
    ranked = found["sup"] or re.search(r"(?<!\S)(?:MOST|LEAST|MAX|MIN|MAXCOUNT|MINCOUNT)$", found["behind"])
    return bool(ranked) and bool(found["first"]) != bool(found["then"])


def _counts(context: RuleContext, mention: int) -> bool:
    """Whether there are so many of it, rather than so much."""
    kinds = context.kinds(mention)
    return "table!" in kinds and ("numeric!" not in kinds or "named" in kinds)


def _ranked(context: RuleContext, found: RuleMatch) -> str | None:
    """'which month had the most orders', 'busiest hour for orders', 'the month with the highest revenue'."""
    mention = found.at("m")
    down = found["sup"] in {"MOST", "MAX", "MAXCOUNT", "busiest", "MAX~good", "top"}
    counted = _counts(context, mention)
    if counted and found["agg"] in {"SUM", "AVG"} and singular(context.word(mention)) in AMOUNT_WORDS:
        amount = context.oracle.total(mention)
        mention, counted = (mention, counted) if amount is None else (amount, False)
    aggregate = "" if counted else "avg" if found["agg"] == "AVG" else "sum"
    if not _by(context, found["unit"]):
        return None
    limit = context.limited(found.maybe("n"))
    context.rank(Superlative(mention, down, limit, aggregate, counted))
    context.consumed(found.text)
    return found.filled("G S {when} of {marked} {kind} {m}" if counted else "G S {when} {kind}")


def _is_day(context: RuleContext, found: RuleMatch) -> bool:
    """'from 1 March 2024' begins there; 'orders from March 2024' are of that month."""
    span = context.encoded.times[found.at("d")]
    return (span.high - span.low).days == 1 and not span.relative


def _span_unit(context: RuleContext, operand: Operand) -> str:
    """The unit that a time is: 'year' of 2024, 'month' of March 2024; '' of other spans."""
    if operand.kind == "N":
        return "year" if context.year(operand) else ""
    span = context.encoded.times[operand.number]
    days = (span.high - span.low).days
    if days in _UNIT_OF_DAYS:
        return _UNIT_OF_DAYS[days]
    return "month" if 28 <= days <= 31 else "quarter" if 90 <= days <= 92 else "year" if days > 364 else ""


def _of_one_year(context: RuleContext, one: Operand, other: Operand) -> tuple[Operand, Operand]:
    """Two times; the first of 'May vs July 2005' is of the year that is said behind the second.

    December is before the January that is said behind it.
    """
    if one.kind != "D" or other.kind != "D":
        return one, other
    first, second = (context.encoded.times[operand.number] for operand in (one, other))
    if not first.month or second.yearless:
        return one, other
    later = second.low.year - first.low.year - (first.low.month > second.low.month)
    low, high = (day.replace(year=day.year + later) for day in (first.low, first.high))
    context.encoded.times.append(replace(first, low=low, high=high, month=0, yearless=False))
    return Operand("D", len(context.encoded.times) - 1), other


def _two_times(context: RuleContext, found: RuleMatch) -> str | None:
    """'revenue 2023 vs 2024': a row for each of them, or 'by region' a column for each."""
    operands = _of_one_year(context, found.operand("one"), found.operand("other"))
    units = {_span_unit(context, operand) for operand in operands}
    if len(units) > 1 or "" in units:
        return None
    apart = grouped_as_well(context.symbols)
    unit = _GROUPING_UNIT.search(context.symbols)
    if unit and (units != {"year"} or unit.group() not in _UNITS_OF_A_YEAR):
        return None  # days of two months or weeks of two years are none together
    said = found.maybe("m")
    timely = said is not None and "time" in context.kinds(said) and "table!" not in context.kinds(said)
    moment = said if timely else context.measure("time")
    if moment is None:
        return None
    context.consumed(found.text)
    parts = tuple(Comparison(moment, "=", operand) for operand in operands)
    if context.encoded.line.startswith("compare"):
        context.understood("compare")
    lead = "" if timely else found["m"]
    either = f"{lead} {context.note(Either(parts, both=False))}"
    if not apart:
        return f"{either} per {units.pop()}"
    context.flags.add(APART)
    return either


def _figure_first(context: RuleContext, found: RuleMatch) -> bool:
    """Whether two times of one unit stand before what is compared in them."""
    units = {_span_unit(context, found.operand(name)) for name in ("one", "other")}
    against = found["how"].strip() not in {"and", "with", "to"}
    return len(units) == 1 and "" not in units and (against or _compares(context, found))


def _is_when(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a number before an amount is the year of it: 'the 2024 revenue', 'percentage of 2024 sales'."""
    said = context.encoded.mentions[found.at("m")]
    if said.start < 0 or _BOUND_OR_LIST_BEFORE.search(found.before):
        return False
    noun = context.encoded.tokens[said.end - 1]
    return noun.lower == noun.lemma or singular(noun.lower) in MEASURE_WORDS


def _compares(context: RuleContext, found: RuleMatch) -> bool:
    del found
    return context.symbols.startswith(("compare ", "what be the difference"))


def _in_both(context: RuleContext, found: RuleMatch) -> str | None:
    """'how many orders in 2021 and 2023': of each of the two; 'orders in 2021 or 2023': of either."""
    operands = [found.operand("one"), found.operand("other")]
    if not all(map(context.year, operands)):
        return None
    said = found.maybe("m")
    timely = said is not None and {"time", "column!"} <= context.kinds(said)
    moment = said if timely else context.measure("time")
    if moment is None:
        return None
    either = context.note(Either(tuple(Comparison(moment, "=", o) for o in operands), both=False))
    either = either if timely else f"{found['m']} {either}"
    named = (m for m in context.mentions(f"{found.before} {found['m']}") if "numeric!" in context.kinds(m))
    figure = _AGGREGATE_BEFORE.search(found.before) or next(named, None) is not None
    apart = figure and found["how"] == "and" and not ranked(context.symbols)
    return f"{either} per year" if apart else either


_LINKING: Final = frozenset({"who", "that", "which", "with", "have"})
"""Words between somebody and what they did or have."""


def _done_in_both(context: RuleContext, found: RuleMatch) -> bool:
    """Whether two times are those of what somebody did, who may have done it in each of them."""
    operands = [found.operand("one"), found.operand("other")]
    units = {_span_unit(context, operand) for operand in operands}
    if len(units) > 1 or "" in units:
        return False
    done, verb = context.mentions(found["did"]), found["did"].split()[0]
    if any(context.oracle.related(m, "column of", found.at("m")) for m in done):
        return False
    if verb in _LINKING:
        return True
    # 'customers billed in 2023 and in 2024', and not 'customers orders'
    known = "table" in context.kinds(done[0]) if done else verb in EVENTS
    return known and PARTICIPLE.fullmatch(context.said(verb)) is not None


def _and_the_change(context: RuleContext, found: RuleMatch) -> str:
    """'2023 vs 2024 per shop and the change in percent': what the later comes to more than the earlier."""
    context.flags.add("difference")
    if found["m"] or re.search("percent|PERCENT|growth|rate", found["change"]):
        context.flags.add("relative")
    context.spend(found["m"])
    context.consumed(found["change"])
    return found.filled("{one} {how} {in} {other} {rest}")


def _compared_columns(context: RuleContext, found: RuleMatch) -> str:
    """'revenue vs cost': both."""
    context.consumed(found.text)
    lead = "SUM " if context.says("per|by|each|every") else ""
    return f"{lead}{found['a']} and {lead}{found['b']}"


def _aggregated(context: RuleContext, mention: int) -> str:
    """What is followed from unit to unit: how many of a thing, or the sum of a measure; '' of others."""
    if _counts(context, mention):
        return "COUNT "
    return "SUM " if "numeric" in context.kinds(mention) else ""


def _running(context: RuleContext, found: RuleMatch) -> str | None:
    """'running total of M0 by month': what there was up to then."""
    said = re.search(r"(?<!\S)(?:COUNT|AVG)(?!\S)", found.text)
    paid = singular(context.word(found.at("m"))) in AMOUNT_WORDS and "table!" in context.kinds(found.at("m"))
    added = said is None and re.search("total|SUM", found.text) is not None
    amount = context.oracle.total(found.at("m")) if paid and added else None
    if amount is not None:
        context.flags.add("running")
        context.consumed(found.text)
        return f"SUM M{amount} of {found['m']}"
    lead = f"{said.group()} " if said else _aggregated(context, found.at("m"))
    if not lead:
        return None
    context.flags.add("running")
    context.consumed(found.text)
    return f"{lead}{found['m']}"


_UNIT_OVER_UNIT: Final = re.compile(
    r"(?<!\S)(?:(?P<unit>hour|day|week|month|quarter|year) (?:over|GT|on|to|by|-) (?P=unit)"
    r"|(?P<short>yoy|mom|qoq))(?!\S)"
)
_BY_UNIT: Final = re.compile(r"(?<!\S)(?:per|by|each|every) (?P<unit>hour|day|week|month|quarter|year)(?!\S)")
_GROUPING_UNIT: Final = re.compile(
    rf"(?<!\S)(?:(?<=per )|(?<=by )|(?<=each )|(?<=every ))(?:hour|day|week|month|quarter|year)(?!\S)"
    rf"|(?<!\S)(?:{TIME_ADVERB})(?!\S)"
)
_UNITS_OF_A_YEAR: Final = frozenset({"month", "quarter", "monthly", "quarterly"})
_UNASKED_WORDS: Final = re.compile(
    r"(?<!\S)(?:PERCENT|percentage|in|of|the|rate|what be|show|give|me|how do|how have)(?!\S)(?=.* M\d)"
)


def _growth(context: RuleContext, found: RuleMatch) -> str | None:
    """'year over year M0 growth', 'growth of M0 per month', 'monthly change in M0'.

    'M0 month by month' asks for no more than each of them.
    """
    line = found.text
    over, grouped = _UNIT_OVER_UNIT.search(line), _BY_UNIT.search(line)
    adverb = re.search(rf"(?<!\S)(?:{TIME_ADVERB})(?!\S)", line)
    change = re.search(rf"(?<!\S){_GROWTH_WORDS}(?!\S)", line)
    measured = re.search(r"(?<!\S)(?:(?P<agg>COUNT|SUM|AVG) (?:of |the )*)?M(?P<m>\d+)(?!\S)", line)
    if measured is None or (over is None and (change is None or not (adverb or grouped))):
        return None
    lead = f"{measured['agg']} " if measured["agg"] else _aggregated(context, int(measured["m"]))
    if not lead:
        return None
    if over is not None:
        unit = over["unit"] or _UNIT_OF_SHORT_FORM[over["short"]]
    else:
        unit = ADVERBS[adverb.group()] if adverb is not None else grouped["unit"] if grouped else ""
    percent = change is None or "gr" in change.group() or "percent" in change.group() or "PERCENT" in line
    if change is not None or over is None or " by " not in over.group():
        context.flags.add("growth" if percent else "change")
    for part in (over, adverb, change, grouped):
        if part is not None:
            context.consumed(part.group())
            line = line.replace(part.group(), " ", 1)
    line = _UNASKED_WORDS.sub(" ", line).replace(measured.group(), f"{lead}M{measured['m']}", 1)
    return f"{line} per {unit}"


def _median(context: RuleContext, found: RuleMatch) -> str:
    """'median M0' is an average of another kind."""
    del found
    context.flags.add("median")
    context.understood("median")
    return "AVG"


_AGGREGATE_BEFORE: Final = re.compile(r"(?<!\S)(?:COUNT|SUM|AVG)(?!\S)")
_BOUND_OR_LIST_BEFORE: Final = re.compile(
    r"(?<!\S)(?:GT\S*|GE|LT\S*|LE|EQ|NE|BEFORE|AFTER|SINCE|than|with|have|be|top|bottom|first|last|to|in|on|from|"
    r"between|and|or|until|vs|versus|against|[MNDVC]\d+) $"
)
"""Words and symbols before a number of which the number is not the year of what follows."""
_COMPARED_PERIOD: Final = r"(?:{m} )?(?:(?:in|for|of|from|during|between|the|year) )*{one:number|date}"

RULES: Final = in_order(
    Rule(
        "calendar/hour_of_day",
        r"(?:hour|time) of (?:the |each )?day",
        _recurring("hour_of_day", "hour"),
        examples=(Example("hour of day", "hour", ("flag hour_of_day",)),),
    ),
    Rule(
        "calendar/weekday",
        r"day of (?:the |each )?week|weekday",
        _recurring("weekday", "day"),
        examples=(Example("weekday", "day", ("flag weekday",)),),
    ),
    Rule(
        "calendar/best_of_each_year",
        r"{first=(?:for|in|of) (?:each|every) (?:calendar )?year (?:, )?}?"
        r"(?:(?:what|which|be|the|our|show) )*"
        rf"{{sup=(?:{_BUSIEST_WORDS}) }}?{{unit=day|week|month|quarter}}"
        r"{then= (?:(?:for|in|of) (?:each|every)|per) (?:calendar )?year(?: ,)?}? "
        r"{behind=\S+(?: the)?(?: \S+)?}",
        _of_each_year,
        guard=_is_best_of_year,
        before=("calendar/unit_with_most", "calendar/busiest_unit"),
        examples=(
            Example(
                "what be our busiest month in each year , by COUNT M0",
                "the busiest month by COUNT M0",
                ("flag within_year",),
            ),
            Example(
                "for each year , the month with MOST M0", "the month with MOST M0", ("flag within_year",)
            ),
            Example("month in each year with M0", "month in each year with M0"),
        ),
    ),
    Rule(
        "calendar/unit_with_most_marked",
        rf"{_UNIT_WITH_MOST}(?P<marked>(?:not )?{{is:flag|moment,-table!}} ){{m:table!}}",
        _ranked,
        before=("calendar/unit_with_most",),
        examples=(
            Example(
                "which month MOST not M0[flag] M1[table!]",
                "G S of not M0 M1",
                ("group by M2", "group by month", "top 1 by count of M1"),
                schema={"measure time": 2},
            ),
        ),
    ),
    Rule(
        "calendar/unit_with_most",
        rf"{_UNIT_WITH_MOST}{_MEASURED_THING}",
        _ranked,
        examples=(
            Example(
                "which day MOST M0[table!]",
                "G S of M0",
                ("group by M1", "group by day", "top 1 by count of M0"),
                schema={"measure time": 1},
            ),
            Example(
                "month with MAX M0[numeric]",
                "G S",
                ("group by M1", "group by month", "top 1 by sum M0"),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "calendar/busiest_unit",
        r"(?:(?:what|which|when|be|the|our|in|on|at|show) )*"
        rf"{{sup={_BUSIEST_WORDS}}} {TIME_UNIT} {_WHEN}(?:(?:for|in|by|of|in term of|with|be) (?:the )?"
        rf"(?:{{agg=SUM|COUNT|AVG}} )?){_MEASURED_THING}",
        _ranked,
        examples=(
            Example(
                "busiest hour for M0[table!]",
                "G S of M0",
                ("group by M1", "group by hour", "top 1 by count of M0"),
                schema={"measure time": 1},
            ),
        ),
    ),
    Rule(
        "calendar/year_of_amount",
        r"{n:year} {m:numeric!,-table!,-named,-flag}",
        rewrite("{m} in {n}"),
        guard=_is_when,
        examples=(
            Example("PERCENT N0[2024] M0[numeric! revenue] from V0[1]", "PERCENT M0 in N0 from V0"),
            Example("N0[2024] M0[numeric! sales] by M1", "M0 in N0 by M1"),
            Example("N0[2000] M0[numeric! points]", "N0 M0"),
            Example("M0 with N0[2000] M1[numeric! stock]", "M0 with N0 M1"),
            Example("N0[2024] vs N1[2025] M0[numeric! revenue]", "N0 vs N1 M0"),
        ),
    ),
    Rule(
        "calendar/from_day",
        r"from (?:the )?{d:date}(?= ?$| \?)",
        rewrite("SINCE {d}"),
        guard=_is_day,
        examples=(
            Example("M0 from D0[2024-03-01]", "M0 SINCE D0"),
            Example("M0 from D0[2024-03]", "M0 from D0"),
        ),
    ),
    Rule(
        "calendar/figure_behind_times",
        r"^{lead=(?:(?:compare|show|list|give|me|the|our|please) )*}"
        rf"{{one:number|date}}{{how= ,? ?{_VERSUS} | (?:and|with|to) }}(?:(?:in|the|year) )*"
        r"{other:number|date} "
        r"{what=(?:(?:the|total|COUNT|SUM|AVG|of|V\d+) )*}{m:table!|numeric|time}(?! (?:GT|GE|LT|LE|EQ|NE))",
        rewrite("{lead} {what} {m} in {one} {how} {other}"),
        guard=_figure_first,
        examples=(
            Example("N0[2024] vs N1[2025] M0[table!] by M1", "M0 in N0 vs N1 by M1"),
            Example(
                "compare N0[2024] and N1[2025] M0[numeric] for every M1",
                "compare M0 in N0 and N1 for every M1",
            ),
            Example("N0[2024] and N1[2025] M0[numeric]", "N0 and N1 M0"),
            Example("N0[20] vs N1[2025] M0[table!]", "N0 vs N1 M0"),
        ),
    ),
    Rule(
        "calendar/and_the_change",
        rf"{{one:number|date}}{{how= ,? ?{_VERSUS} | (?:and|with|to) }}{{in=(?:(?:in|the|year) )*}}"
        r"{other:number|date}(?P<rest>(?: (?!and |, )\S+){0,12}?) (?:(?:,|and|with|plus|by|also) )+(?:the )?"
        r"{change=(?:(?:percent|percentage|PERCENT) )?(?:change|growth|difference)"
        r"(?: (?:rate|in|as|a|of|percent|percentage|PERCENT|%))*}(?: {m:percent})?(?= ?$| [?.])",
        _and_the_change,
        guard=lambda context, found: _figure_first(context, found) and grouped_as_well(context.symbols),
        before=("calendar/one_versus_other",),
        examples=(
            Example(
                "M0 in N0[2023] vs N1[2024] per M1 and the change in M2[percent]",
                "M0 in N0 vs N1 per M1",
                ("flag difference", "flag relative"),
            ),
            Example(
                "N0[2023] vs N1[2024] per M1 and the difference", "N0 vs N1 per M1", ("flag difference",)
            ),
            Example("N0[2023] and N1[2024] per M1 and the change", "N0 and N1 per M1 and the change"),
        ),
    ),
    Rule(
        "calendar/one_versus_other",
        rf"{_COMPARED_PERIOD} ,? ?{_VERSUS} (?:(?:in|the|year|that of) )*{{other:number|date}}",
        _two_times,
        examples=(
            Example("M0[time] N0[2024] vs N1[2025]", "C0 per year", ("C0: M0 = N0 or M0 = N1",)),
            Example(
                "M0[table!] in N0[2024] vs N1[2025] by M1",
                "M0 C0 by M1",
                ("C0: M2 = N0 or M2 = N1", "flag apart"),
                schema={"measure time": 2},
            ),
            Example("M0[table!] in N0[2024] vs N1[2025] by week", "M0 in N0 vs N1 by week"),
        ),
    ),
    Rule(
        "calendar/compare_times",
        rf"{_COMPARED_PERIOD} (?:and|with|to) (?:(?:in|the|year) )*{{other:number|date}}",
        _two_times,
        guard=_compares,
        examples=(
            Example(
                "compare N0[2024] and N1[2025]",
                "compare C0 per year",
                ("C0: M0 = N0 or M0 = N1",),
                schema={"measure time": 0},
            ),
            Example("N0[2024] and N1[2025]", "N0 and N1"),
        ),
    ),
    Rule(
        "calendar/done_in_both",
        r"{m:table!}{did= (?:M\d+|[a-z]+(?:ed|ld|ght)"
        r"|(?:who|that|which) (?:(?:have|do|be) )*(?:M\d+|[a-z]+)|(?:with|have) (?:an? )?M\d+)"
        r"(?: (?:M\d+|something|anything|an?|from|us))*} (?:(?:in|during|for) )?(?:both )?"
        r"(?:(?:in|during|for|the|year) )*{one:number|date} and "
        r"(?:(?:also|again|in|during|for|the|year) )*{other:number|date}",
        rewrite("{m} {did} both in {one} and in {other}"),
        guard=_done_in_both,
        examples=(
            Example(
                "M0[table!] who ordered in N0[2024] and in N1[2025]",
                "M0 who ordered both in N0 and in N1",
                said="customers who ordered in 2024 as well as in 2025",
            ),
            Example(
                "M0[table!] who M1[time joined] in N0[2024] and N1[2025]",
                "M0 who M1 in N0 and N1",
                schema={"M1 column of M0": True},
            ),
            Example("M0[table!] with M1 in N0[20] and N1[2025]", "M0 with M1 in N0 and N1"),
        ),
    ),
    Rule(
        "calendar/in_both",
        r"(?:{m} )?(?<!both )(?:in|for|during) (?:(?:the|year) )*{one:number} {how=and|or} "
        r"(?:(?:in|for|the|year) )*{other:number}",
        _in_both,
        examples=(
            Example(
                "COUNT M0 in N0[2021] and N1[2023]",
                "COUNT M0 C0 per year",
                ("C0: M1 = N0 or M1 = N1",),
                schema={"measure time": 1},
            ),
            Example(
                "M0 in N0[2021] or N1[2023]", "M0 C0", ("C0: M1 = N0 or M1 = N1",), schema={"measure time": 1}
            ),
            Example(
                "M0[table!] M1[time column!] in N0[2021] and N1[2023]",
                "M0 C0",
                ("C0: M1 = N0 or M1 = N1",),
                said="employees hired in 2021 and 2023",
            ),
            Example("M0 in N0[21] and N1[23]", "M0 in N0 and N1"),
        ),
    ),
    Rule(
        "calendar/column_versus_other",
        rf"(?:SUM )?{{a:numeric}} {_VERSUS} (?:SUM )?{{b:numeric}}",
        _compared_columns,
        examples=(Example("M0[numeric] versus M1[numeric]", "M0 and M1"),),
    ),
    Rule(
        "calendar/running_total",
        r"(?:the )?(?:running|cumulative)(?: (?:total|sum|count|number|amount|SUM|COUNT|AVG))*(?: of)?"
        r"(?: (?:the|all|our|COUNT|SUM|of|new))* {m}",
        _running,
        examples=(
            Example("running M0[table!]", "COUNT M0", ("flag running",)),
            Example(
                "running total of M0[table! payments]",
                "SUM M1 of M0",
                ("flag running",),
                schema={"total M0": 1},
            ),
        ),
    ),
    Rule(
        "calendar/growth",
        rf"^(?:.* )?(?:{_GROWTH_WORDS}|over|GT|on|to|by|-|yoy|mom|qoq)(?!\S).*$",
        _growth,
        examples=(
            Example("M0[table!] mom", "COUNT M0 per month", ("flag growth",)),
            Example("monthly change M0[numeric]", "SUM M0 per month", ("flag change",)),
            Example("M0[table!] month by month", "COUNT M0 per month"),
        ),
    ),
    Rule(
        "calendar/median",
        r"(?:the )?median(?: value)?(?: of)?(?: the)?(?= (?:M\d|age|time|day|hour|[a-z]+ time))",
        _median,
        examples=(Example("median M0", "AVG M0", ("flag median",)),),
    ),
    after=("times_of_day",),
)
