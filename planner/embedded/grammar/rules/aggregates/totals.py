"""Totals and parts as bounds: spent more than 5000, more than 5 urgent tickets, with a discount.

Owns: totals that a thing's rows come to, values among what is counted, amounts that are there or not.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import MEASURE_WORDS
from askwire.language.text import listed, singular
from askwire.planner.embedded.grammar.apart import grouped_as_well
from askwire.planner.embedded.grammar.atoms import (
    AGGREGATES,
    APART,
    COMPARE,
    Comparison,
    Either,
    IsNull,
    IsValue,
    Operand,
    Output,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite
from askwire.planner.embedded.linking.implicit_columns import PLANNED

_MONEY_VERB: Final = (
    r"spent|spend|spends|paid|pay|generated|generate|brought in|bring in|made|make|earned|earn"
)
_EARNING_VERBS: Final = frozenset({"made", "make", "earned", "earn", "generated", "generate"})
_BOUND_NUMBER: Final = r"{op=GT|GE|LT|LE} {n:number}"
_THAN_NUMBER: Final = r"{op=GT|GE|LT|LE} (?:than )?{n:number}"
_PARTICIPLE: Final = re.compile(r"\w+ed|sold|sent|paid|born|built|made|taken|given|written|done|bought|left")
_COMING: Final = frozenset(listed("joined registered signed subscribed onboarded enlisted"))
"""What people did once, when they came."""
_LINKING: Final = r"(?:(?:that|which|who|have|with|a|an|made|make|of|generated|SUM) )*"


def _subject(context: RuleContext, start: int) -> int | None:
    """The table said last before a place in the line."""
    things = context.mentions(context.symbols[:start])
    return next((n for n in reversed(things) if "table!" in context.kinds(n)), None)


def _total(context: RuleContext, found: RuleMatch, measure: int) -> str:
    context.consumed(found.text)
    return context.note(Comparison(measure, COMPARE[found["op"]], found.operand("n"), aggregate="sum"))


_NOTHING_NAMED_BEFORE: Final = re.compile(
    r"(?:(?:show|list|find|give|get|display|return|me|which|all|the|COUNT|[VCD]\d+|(?:in )?(?P<year>N\d+)) )*"
)
"""What may stand before things without naming others: 'all web orders', '2024 orders'."""
_MONEY_THINGS: Final = frozenset(
    listed(
        "order payment sale invoice bill purchase transaction donation claim expense loan fee fine booking"
    )
)


def _amount_of_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'payment total by customer': what the payments come to; 'freight total by shipper'.

    Of what has no amount the total is how many there are: 'customer total by country'.
    """
    mention = found.at("m")
    if "table!" not in context.kinds(mention):
        return f"SUM {found['m']}"
    amount = context.oracle.total(mention) if singular(context.word(mention)) in _MONEY_THINGS else None
    return f"COUNT {found['m']}" if amount is None else f"SUM M{amount} of {found['m']}"


_MONEY_WORDS: Final = re.compile(r"(?<!\S)(?:income|revenue|amount|value|volume)(?!\S)")


def _of_kind(context: RuleContext, found: RuleMatch) -> str | None:
    """'total deposits', 'commission income': what the rows that hold the value come to, or how many they are.

    'total deposits and total withdrawals per year' has a column for each.
    """
    values = [int(n) for n in re.findall(r"V(\d+)", found.text)]
    holder = context.oracle.party("holder", values=values[:1])
    if holder is None:
        return None
    amount = context.oracle.total(holder)
    money = _MONEY_WORDS.search(f"{found.text} {found.behind}") is not None
    if "person" in context.kinds(holder) or (amount is None and money):
        return None
    context.consumed("income revenue amount value volume")
    of = "COUNT" if amount is None else f"SUM M{amount} of"
    if len(values) == 1:
        return f"{of} {found['v']}"
    column = context.oracle.shared(*values)
    if column is None or not grouped_as_well(context.symbols):
        return None
    context.flags.add(APART)
    parts = tuple(IsValue(value, column) for value in values)
    return f"{of} {context.note(Either(parts, both=False))}"


def _value_of(context: RuleContext, found: RuleMatch) -> str | None:
    """'the value of the orders on hold': what they come to."""
    amount = context.oracle.total(found.at("m"))
    if amount is None or re.search(r"AVG M\d+ $", found.before):
        return None  # 'the average order value of paid orders'
    return f"SUM M{amount} of {found['which']}{found['m']}"


def _value_behind(context: RuleContext, found: RuleMatch) -> str | None:
    """'products by order value': by what the orders come to."""
    amount = context.oracle.total(found.at("m"))
    if amount is None:
        return None
    context.spend(found.at("m"))
    context.understood("value")
    context.understood("worth")
    who = _subject(context, found.start)
    several = who is not None and not context.oracle.related(amount, "column of", who)
    return f"SUM M{amount}" if several and found.before.endswith("by ") else f"M{amount}"


def _value_by(context: RuleContext, found: RuleMatch) -> str | None:
    """'trade value by sector': what the trades of each come to."""
    amount = context.oracle.total(found.at("m"))
    if amount is None:
        return None
    context.consumed("value worth")
    context.spend(found.at("m"))
    return found.filled(f"{{lead}} SUM M{amount}")


def _over(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders over 1000': those that come to more."""
    if context.dated(found.operand("n")):
        return None  # 'orders on or before 2023' are of that time
    mention = found.at("m")
    counts_money = singular(context.word(mention)) in _MONEY_THINGS and not context.encoded.measured
    counts_money = counts_money and context.bare(found.operand("n"))
    amount = context.oracle.total(mention) if counts_money else None
    if amount is None:
        return None
    own = context.oracle.related(amount, "column of", mention)
    numbered = found["agg"] == "AVG" and context.numbered(mention)
    if found["agg"] and not (own and numbered):  # 'customers with an average bill above 300'
        aggregate = AGGREGATES[found["agg"]]
        of_each = Comparison(amount, COMPARE[found["op"]], found.operand("n"), aggregate=aggregate)
        return f"{context.note(of_each)} {found['m']}"
    if own:
        bound = context.note(Comparison(amount, COMPARE[found["op"]], found.operand("n")))
        return f"{found['agg']} {found['m']} {bound}"
    # 'customers with orders over 1000' are not those whose orders together come to more
    grouped = re.search(r"(?:^| )(?:per|by|each|G\d*)(?: |$)", found.behind)
    alone = _NOTHING_NAMED_BEFORE.fullmatch(found.before)
    if grouped or alone is None:
        return None
    if alone["year"] and not context.year(Operand("N", int(alone["year"][1:]))):
        return None
    return f"{found['m']} {_total(context, found, amount)}"


def _total_value(context: RuleContext, found: RuleMatch) -> str:
    """'the total value of orders', 'total order value': what they come to, or the sum of a column."""
    mention = found.at("m")
    context.consumed("value worth")
    amount = context.oracle.total(mention) if "table!" in context.kinds(mention) else None
    return f"SUM {found['m']}" if amount is None else f"SUM M{amount} of {found['which']}{found['m']}"


def _worth(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders worth more than 5000': by their amount, or by what their lines come to."""
    who = _subject(context, found.start)
    amount = None if who is None else context.oracle.total(who)
    if who is None or amount is None:
        return None
    if context.oracle.related(amount, "column of", who):
        return context.note(Comparison(amount, COMPARE[found["op"]], found.operand("n")))
    return _total(context, found, amount)


def _is_measure(context: RuleContext, mention: int) -> bool:
    return singular(context.word(mention)) in MEASURE_WORDS


def _recorded_by(context: RuleContext, thing: int, done: str, moment: int) -> str:
    """' be M3', the rows that record what was done at a time which things do not keep themselves; else ''."""
    if context.oracle.related(moment, "column of", thing):
        return ""
    event = context.oracle.event(done)
    return (
        f" be M{event}" if event is not None and context.oracle.related(event, "same table", moment) else ""
    )


def _opened_then(context: RuleContext, found: RuleMatch) -> str | None:
    """'tickets opened in the past two weeks': a verb behind what it was done with says which time."""
    operand, moment = found.operand("x"), found.at("m")
    came = _came(context, found.at("t"), f"M{moment}")
    if came is not None:
        context.spend(moment)
        moment = came
    elif not _PARTICIPLE.fullmatch(context.word(moment)) and not context.word(moment).endswith("ing"):
        return None
    planned = came is None and context.word(moment) in PLANNED
    if planned and (begins := context.oracle.times(context.word(moment))):
        context.spend(moment)
        moment = begins[0]
    if operand.kind == "N" and not context.year(operand):
        return None
    recorded = _recorded_by(context, found.at("t"), context.word(moment), moment)
    return f"{found['t']}{recorded} {context.note(Comparison(moment, '=', operand))}"


def _said(context: RuleContext, symbol: str) -> str:
    """The words of a state, a mention or a word."""
    return context.words_of(symbol).lower() if symbol[0] == "V" else context.said(symbol)


def _came(context: RuleContext, thing: int, symbol: str) -> int | None:
    """When people 'joined' or 'registered', where no record of it is kept: the time of their own rows."""
    if _said(context, symbol) not in _COMING or "person" not in context.kinds(thing):
        return None
    related = context.oracle.related
    timed = is_mention(symbol) and "time" in context.kinds(int(symbol[1:]))
    if timed and any(related(int(symbol[1:]), how, thing) for how in ("column of", "recorded of")):
        return None
    times = context.oracle.times(thing)
    return times[0] if times else None


def _done_when(context: RuleContext, found: RuleMatch) -> int | None:
    """The time at which was done what a state, a name or a word says; None where rows keep none of it."""
    if (came := _came(context, found.at("t"), found["v"])) is not None:
        return came
    done = _said(context, found["v"])
    times = context.oracle.times(done) if _PARTICIPLE.fullmatch(done) else ()
    return times[0] if times else None


def _done_then(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders shipped in 2024' are those that left in that year, whatever their state is now.

    Where other rows keep the time a name or a word is left to them: 'customers who ordered'.
    """
    operand, said = found.operand("x"), found["v"]
    last = found.operand("y") if found["y"] else None
    if any(o.kind == "N" and not context.year(o) for o in (operand, last or operand)):
        return None
    moment = _done_when(context, found)
    if moment is None or _told_by_state(context, found, moment):
        return None
    state = said[0] == "V"
    own = context.oracle.related(moment, "column of", found.at("t"))
    if not own and not state:
        if not is_mention(said) or not context.oracle.related(moment, "same table", int(said[1:])):
            return None
        recorded = f" be {said}"
    else:
        done = _said(context, said)
        recorded = _recorded_by(context, found.at("t"), done, moment)
        if own and said[0] == "M" and done not in PLANNED and "time" in context.kinds(int(said[1:])):
            moment = int(said[1:])
        else:
            context.spend(said)
            context.understood(done)
    operator = "between" if last else COMPARE[found["when"] or "EQ"]
    return f"{found['t']}{found['of']}{recorded} {context.note(Comparison(moment, operator, operand, last))}"


def _told_by_state(context: RuleContext, found: RuleMatch, moment: int) -> bool:
    """Whether a thing's own state says what was done, and other rows keep a time that is called so.

    'flights cancelled in May' are told by their state, though bookings have a `cancelled_at`.
    """
    said, thing = found["v"], found.at("t")
    if said[0] != "V" or context.oracle.related(moment, "column of", thing):
        return False
    recorded = _recorded_by(context, thing, _said(context, said), moment)
    return not recorded and context.oracle.related(thing, "has value", int(said[1:]))


def _done_per_unit(context: RuleContext, found: RuleMatch) -> str | None:
    """'COUNT orders shipped per month': by when they left."""
    operand = found.operand("x") if found["x"] else None
    if operand is not None and operand.kind == "N" and not context.year(operand):
        return None
    moment = _done_when(context, found)
    if moment is None or (
        found["v"][0] != "V" and not context.oracle.related(moment, "column of", found.at("t"))
    ):
        return None
    if _told_by_state(context, found, moment):
        return None
    context.spend(found["v"])
    context.unit = found["unit"]
    context.groups.append(Output(moment))
    done = IsNull(moment, negated=True) if operand is None else Comparison(moment, "=", operand)
    return f"COUNT {found['t']} G {context.note(done)}"


def _spent(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers who spent more than 5000': all that they spent together, unless each has a column of it."""
    who, measure = _subject(context, found.start), context.measure("spent")
    if who is None or measure is None or context.oracle.related(measure, "column of", who):
        return None
    if context.dated(found.operand("n")):
        return None
    if found["in"]:
        return _total(context, found, found.at("in")) if _is_measure(context, found.at("in")) else None
    if found["verb"] in _EARNING_VERBS and "person" in context.kinds(who):
        return None
    return _total(context, found, measure)


def _comes_to(context: RuleContext, found: RuleMatch) -> str | None:
    """'categories with more than 50000 in revenue', 'with a revenue above 50000'."""
    measure, who = found.at("m"), _subject(context, found.start)
    if not _is_measure(context, measure) or who is None:
        return None
    own = context.oracle.related(measure, "column of", who)
    return None if own else _total(context, found, measure)


def _of_their_rows(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers with a total amount above 50 of orders': what the orders of each come to, not one of them.

    So it is though a column of orders is called `total_amount`: customers have none.
    """
    measure, who = found.at("m"), _subject(context, found.start)
    if not found["agg"] and context.encoded.mentions[measure].words[:1] != ("total",):
        return None
    owner = context.owner_behind(measure, f" of {found['which']}{found['t']}")
    if who is None or owner is None or context.oracle.related(measure, "column of", who):
        return None
    if found["op"] in COMPARE and context.dated(found.operand("n")):
        return None
    operator, operand = COMPARE[found["op"]], found.operand("n")
    bound = context.note(Comparison(measure, operator, operand, aggregate="sum", owner=owner))
    return f"with {bound} for {found['which']}{found['t']}{found['such']}"


def _rows_of_value(context: RuleContext, found: RuleMatch) -> str | None:
    """'at least 3 no-shows': rows that hold the value are counted."""
    holder = context.oracle.party("holder", values=[found.at("v")])
    who = _subject(context, found.start)
    if holder is None or who is None or context.oracle.related(holder, "same table", who):
        return None
    return f"{found['op']} {found['n']} M{holder} {found['v']}"


def _amount_there(context: RuleContext, found: RuleMatch) -> str | None:
    """'order lines with a discount', where all have a column of it: more than nothing; 'without' is none."""
    if _is_measure(context, found.at("m")):
        return None
    return context.note(Comparison(found.at("m"), "=" if found["no"] else ">", context.figure("0")))


_DONE_WORD: Final = r"(?P<v>[VM]\d+|[a-z]+)"
"""What was done: a state that rows are in, a name of the time, or a plain word."""

_OF_TIME: Final = (
    r"(?!GT|GE|LT|LE|(?:and|or) (?![DN]\d)|"
    r"M\d+ (?!(?:in|on|during|BEFORE|AFTER|SINCE|between|from) ))\S+"
)
"""A word that tells of a time or a kind, and bounds nothing."""
_OF_ROWS: Final = r"(?:of|for|from|across) (?P<which>(?:(?:the|their|all|not|[VC]\d+) )*){t:table!}"

RULES: Final = in_order(
    Rule(
        "totals/bound_of_rows",
        rf"(?:(?:with|have|a|an|the) )*{{agg=SUM }}?{{m:numeric!,-table!}} (?:of )?{{op=GT|GE|LT|LE}} "
        rf"(?:than )?{{n:number}} {_OF_ROWS}(?P<such>)",
        _of_their_rows,
        examples=(
            Example(
                "M0[table!] have a M1[numeric! total amount] of GT N0[50] for V0[1] M2[table!] in D0",
                "M0 with C0 for V0 M2 in D0",
                ("C0: sum M1 > N0",),
                schema={"M1 column of M2": True},
            ),
            Example(
                "M0[table!] have a M1[numeric! total amount] of GT N0[50] for M2[table!]",
                "M0 have a M1 of GT N0 for M2",
                schema={"M1 column of M2": True, "M1 column of M0": True},
            ),
        ),
    ),
    Rule(
        "totals/value_of",
        r"(?:(?:the|SUM) )*(?:value|worth) of "
        r"{which=(?:(?:the|all|our|each|every|their|its|[VC]\d+) )*}{m:table!,named}",
        _value_of,
        examples=(
            Example("value of V0[1] M0[table! named]", "SUM M1 of V0 M0", schema={"total M0": 1}),
            Example("value of M0[table! named]", "value of M0"),
            Example(
                "AVG M1[table!] value of V0[1] M0[table! named]",
                "AVG M1 value of V0 M0",
                schema={"total M0": 2},
            ),
        ),
    ),
    Rule(
        "totals/of_rows_bound",
        rf"(?:(?:with|have|a|an|the) )*{{agg=SUM }}?{{m:numeric!,-table!}} {_OF_ROWS}"
        rf"(?P<such>(?: {_OF_TIME}){{0,8}}?) {{op=GT|GE|LT|LE}} (?:than )?{{n:number}}",
        _of_their_rows,
        examples=(
            Example(
                "M0[table!] with a SUM M1[numeric!] of M2[table!] during N0[1997] GT N1[200]",
                "M0 with C0 for M2 during N0",
                ("C0: sum M1 > N1",),
                schema={"M1 column of M2": True},
            ),
            Example(
                "M0[table!] with a M1[numeric! freight] of M2[table!] GT N1[200]", "M0 with a M1 of M2 GT N1"
            ),
        ),
    ),
    Rule(
        "totals/rows_have_bound",
        rf"whose (?P<which>(?:[VC]\d+ )*){{t:table!}}(?P<such>(?: {_OF_TIME}){{0,8}}?) "
        r"have (?:a|the) {agg=SUM }?{m:numeric!,-table!} (?:of )?{op=GT|GE|LT|LE} (?:than )?{n:number}",
        _of_their_rows,
        examples=(
            Example(
                "M0[table!] whose M2[table!] from D0 to D1 have a M1[numeric! total amount] GT N0[50]",
                "M0 with C0 for M2 from D0 to D1",
                ("C0: sum M1 > N0",),
                schema={"M1 column of M2": True},
            ),
        ),
    ),
    Rule(
        "totals/amount_of_each",
        r"{m:numeric|table!} SUM(?= (?:by|per|for each|in each|for every) )",
        _amount_of_each,
        guard=lambda _, found: re.search(r"(?:AVG|SUM|MAX|MIN|COUNT) $", found.before) is None,
        examples=(
            Example("M0[table! order] SUM by M1", "SUM M2 of M0 by M1", schema={"total M0": 2}),
            Example("M0[numeric] SUM by M1", "SUM M0 by M1"),
            Example("M0[table! customer] SUM by M1", "COUNT M0 by M1"),
            Example("AVG M0[numeric] SUM per M1", "AVG M0 SUM per M1"),
        ),
    ),
    Rule(
        "totals/of_kind",
        r"SUM {v:value}(?: (?:and|,) SUM V\d+)?(?! ?(?:,|and|or)? ?[MV]\d)",
        _of_kind,
        examples=(
            Example(
                "SUM V0[deposits] in N0", "SUM M1 of V0 in N0", schema={"party holder V0": 0, "total M0": 1}
            ),
            Example(
                "SUM V0[in] and SUM V1[out] per year",
                "SUM M1 of C0 per year",
                ("C0: M2 = V0 or M2 = V1", "flag apart"),
                schema={"party holder V0": 0, "total M0": 1, "shared V0 V1": 2},
            ),
        ),
    ),
    Rule(
        "totals/income_of_kind",
        r"{v:value} (?:income|revenue|amount|volume)(?= (?:by|per|for each|in each|for every|in) )",
        _of_kind,
        examples=(
            Example(
                "V0[commission] income per year",
                "SUM M1 of V0 per year",
                schema={"party holder V0": 0, "total M0": 1},
            ),
            Example("V0[council] income per area", "V0 income per area", schema={"party holder V0": 0}),
        ),
    ),
    Rule(
        "totals/total_value_of",
        r"(?:the )?(?:total|overall|combined|SUM) (?:value|worth) of "
        r"{which=(?:(?:the|all|our|each|every|[VC]\d+) )*}{m}",
        _total_value,
        examples=(
            Example("total value of M0[table!]", "SUM M1 of M0", schema={"total M0": 1}),
            Example("total value of the M0[numeric]", "SUM M0"),
        ),
    ),
    Rule(
        "totals/total_value",
        r"(?:the )?(?:total|overall|combined|SUM) {which=|(?:[VC]\d+ )}{m:table!} (?:value|worth)(?! of)",
        _total_value,
        examples=(Example("SUM M0[table!] value", "SUM M1 of M0", schema={"total M0": 1}),),
    ),
    Rule(
        "totals/value_behind",
        r"(?:(?<=by )|(?<=MAX )|(?<=MIN )){m:table!} (?:value|worth)(?! of)",
        _value_behind,
        examples=(
            Example("M0[table!] by M1[table!] value in N0", "M0 by SUM M2 in N0", schema={"total M1": 2}),
            Example(
                "M0[table!] by M1[table!] value",
                "M0 by M2",
                schema={"total M1": 2, "M2 column of M0": True},
            ),
            Example("M0 by M1[table!] value", "M0 by M1 value"),
        ),
    ),
    Rule(
        "totals/value_by",
        r"^{lead=(?:(?:compare|show|list|give|me|the|our|what|be) )*}{m:table!} (?:value|worth)"
        r"(?= (?:(?:in|for|of) )?[NDC]\d| (?:by|per|for each|in each|for every) )",
        _value_by,
        examples=(
            Example(
                "compare M0[table!] value N0 vs N1 by M1",
                "compare SUM M2 N0 vs N1 by M1",
                schema={"total M0": 2},
            ),
            Example("M0[table!] value by M1", "M0 value by M1"),
        ),
    ),
    Rule(
        "totals/over",
        r"(?:{agg=AVG|SUM} (?:of )?)?{m:table!} (?:of |for |be )?{op=GT|GE|LT|LE} (?:than )?{n:number}"
        r"(?: (?:dollar|euro))?"
        r"(?! (?:M|%|percent|second|minute|hour|day|week|month|quarter|year|time|item|unit|kg|km|old"
        r"|in(?! [ND]\d)))",
        _over,
        examples=(
            Example("M0[table! order] GT N0[1000]", "M0 C0", ("C0: sum M1 > N0",), schema={"total M0": 1}),
            Example("AVG M0[table! bill] GT N0[300]", "C0 M0", ("C0: avg M1 > N0",), schema={"total M0": 1}),
            Example(
                "M0[table! invoice] GT N0[10]",
                "M0 C0",
                ("C0: M1 > N0",),
                schema={"total M0": 1, "M1 column of M0": True},
            ),
            Example("M0[table! town] GT N0[1000]", "M0 GT N0"),
            Example(
                "N0[2024] V0[1] M0[table! order] GT N1[500] in N2[2024]",
                "N0 V0 M0 C0 in N2",
                ("C0: sum M1 > N1",),
                schema={"total M0": 1},
            ),
        ),
    ),
    Rule(
        "totals/worth",
        r"(?:(?:that|which|who|be|have|with|a|an|the|SUM) )*(?:worth|value)(?: (?:of|be))* "
        rf"{_THAN_NUMBER}(?: (?:dollar|euro))?(?! M\d)",
        _worth,
        examples=(
            Example("M0[table!] worth GT N0[40]", "M0 C0", ("C0: sum M1 > N0",), schema={"total M0": 1}),
            Example(
                "M0[table!] have a value GT N0[40]",
                "M0 C0",
                ("C0: M1 > N0",),
                schema={"total M0": 1, "M1 column of M0": True},
            ),
            Example("M0[table!] worth GT N0[40]", "M0 worth GT N0"),
        ),
    ),
    Rule(
        "totals/opened_then",
        r"{t:table!} (?:(?:that|which|who|be|have) )*{m:time,-table!} "
        r"(?:(?:in|during|on|within|over|at|the|for|year) )+{x:number|date}"
        r"(?! (?:and(?! their )|to [DN]\d|or|until|,|vs|versus|compared|M\d))",
        _opened_then,
        examples=(Example("M0[table!] M1[time issued] in N0[2021]", "M0 C0", ("C0: M1 = N0",)),),
    ),
    Rule(
        "totals/done_then",
        rf"{{t:table!}}{{of=(?: (?:that|be|not|in|from|of|with|at|for|by|to))+(?: M\d+)? [VC]\d+}}? "
        rf"(?:(?:that|which|who|be|have|do|we|get) )*(?!(?:in|on|at|of|during|between|from) ){_DONE_WORD} "
        r"(?:up )?(?:{when=SINCE|BEFORE|AFTER|LE|GE} )?"
        r"(?:(?:in|during|on|within|over|at|the|for|year|between|from) )*"
        r"{x:number|date}(?: (?:and|to|until|through) {y:number|date})?"
        r"(?! (?:and(?! their )|to [DN]\d|or|until|,|vs|versus|compared|M\d))",
        _done_then,
        examples=(
            Example(
                "M0[table!] be V0[1 shipped] in N0[2024]",
                "M0 C0",
                ("C0: M1 = N0",),
                schema={"times shipped": (1,)},
            ),
            Example(
                "M0[table!] M1[table! shipped] in N0[2024]",
                "M0 C0",
                ("C0: M2 = N0",),
                schema={"times shipped": (2,), "M2 column of M0": True},
            ),
            Example(
                "M0[table!] shipped SINCE N0[2024]",
                "M0 C0",
                ("C0: M1 >= N0",),
                schema={"times shipped": (1,), "M1 column of M0": True},
            ),
            Example(
                "M0[table!] from V0[2] V1[1 shipped] between D0[2024-03] and D1[2024-05]",
                "M0 from V0 C0",
                ("C0: M1 between D0 and D1",),
                schema={"times shipped": (1,), "M1 column of M0": True},
            ),
            Example(
                "M0[table! person] who joined in N0[2024]",
                "M0 C0",
                ("C0: M1 = N0",),
                schema={"times M0": (1,), "M1 column of M0": True},
            ),
            Example(
                "M0[table!] who ordered in N0[2024]",
                "M0 who ordered in N0",
                schema={"times ordered": (1,)},
            ),
        ),
    ),
    Rule(
        "totals/done_per_unit",
        rf"COUNT {{t:table!}} (?:(?:that|which|who|be) )*{_DONE_WORD}(?: up)? (?:per|by|each|every|in each) "
        r"{unit=day|week|month|quarter|year}(?: (?:(?:in|during|for) )+{x:number|date})?(?= ?[?.]?$)",
        _done_per_unit,
        examples=(
            Example(
                "COUNT M0[table!] V0[1 shipped] per month in N0[2024]",
                "COUNT M0 G C0",
                ("C0: M1 = N0", "group by M1", "group by month"),
                schema={"times shipped": (1,)},
            ),
            Example(
                "COUNT M0[table!] V0[1 shipped] per month",
                "COUNT M0 G C0",
                ("C0: M1 is no null", "group by M1", "group by month"),
                schema={"times shipped": (1,)},
            ),
        ),
    ),
    Rule(
        "totals/spent",
        rf"(?:(?:that|which|who|have) )*{{verb={_MONEY_VERB}}}(?: (?:us|a|SUM|total|of))* {_BOUND_NUMBER}"
        r"(?: (?:dollar|euro|altogether|SUM|total))*(?: (?:in|of) {in})?(?! M\d)",
        _spent,
        examples=(
            Example("M0[table!] spent GT N0[40]", "M0 C0", ("C0: sum M1 > N0",), schema={"measure spent": 1}),
            Example(
                "M0[table!] spent GT N0[40]",
                "M0 spent GT N0",
                schema={"measure spent": 1, "M1 column of M0": True},
            ),
        ),
    ),
    Rule(
        "totals/so_much_in",
        rf"{_LINKING}{_BOUND_NUMBER} (?:in|of) (?:SUM )?{{m}}",
        _comes_to,
        examples=(Example("M0[table!] GT N0[1000] in M1[revenue]", "M0 C0", ("C0: sum M1 > N0",)),),
    ),
    Rule(
        "totals/measure_above",
        rf"{_LINKING}{{m}} (?:(?:be|of|that|which) )*{_BOUND_NUMBER}(?! M\d)",
        _comes_to,
        examples=(Example("M0[table!] M1[sales] GT N0[300000]", "M0 C0", ("C0: sum M1 > N0",)),),
    ),
    Rule(
        "totals/of_a_kind",  # 'more than 5 urgent tickets': the value says which of them are counted
        r"{op=GT|GE|LT|LE|EQ} {n:number} {v=V\d+(?: (?:(?:and|or|,) )?V\d+)*} {m:table,-numeric!}(?! 's)",
        rewrite("{op} {n} {m} {v}"),
        examples=(Example("GT N0[3] V0[1] M0[table]", "GT N0 M0 V0"),),
    ),
    Rule(
        "totals/rows_of_value",
        r"{op=GT|GE|LT|LE|EQ} {n:number} {v:value}(?! (?:M\d|V\d|and|or|,))",
        _rows_of_value,
        examples=(Example("M0[table!] GE N0[3] V0[1]", "M0 GE N0 M1 V0", schema={"party holder V0": 1}),),
    ),
    Rule(
        "totals/amount_there",
        r"(?:that |which |who )?(?:{no=without|have no|with no}|with|have)(?: {an=a|an|any})? "
        r"{m:numeric!,column!,-optional,-table,-time,-flag}"
        r"(?= ?$| [?.]| (?:in|by|per|from|on|since) )(?! (?:of|that|GT|LT|GE|LE|be|[CNVQ]\d|with|EQ))",
        _amount_there,
        guard=lambda context, found: bool(found["no"] or found["an"]),
        examples=(
            Example("with a M0[column! numeric!]", "C0", ("C0: M0 > N0",)),
            Example("with M0[column! numeric!]", "with M0"),
        ),
    ),
    after=("shares",),
)
