"""What people did with things: so many times, on average, or not at all since then.

Owns: verbs that rows of another table record ('bought more than 10 products', 'not ordered in 2024'),
averages over units of time or over groups, and bounds on how long something took.
"""

from __future__ import annotations

from typing import Final

from askwire.language.lexicon import MEASURE_WORDS
from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    OVER_UNIT,
    WHEN,
    AbsenceCondition,
    Comparison,
    Output,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import TIME_UNIT, VERB, RuleMatch, kind
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite
from askwire.planner.embedded.linking.blocked import ADVERBS, TIME_ADVERB
from askwire.planner.embedded.linking.implicit_columns import event_form
from askwire.planner.embedded.logical_form.expressions import SPANS

_AMOUNT_WORDS: Final = frozenset({"total", "value", "amount"})
_ADDITIVE_KIND: Final = kind("numeric!,column!,-time,-rated,-held,-table!")
"""What rows have that adds up."""
_FLAG_OF_AGGREGATE: Final = {
    "AVG": "average_count",
    "": "average_count",
    "MAX": "maximum_count",
    "MOST": "maximum_count",
    "MIN": "minimum_count",
    "LEAST": "minimum_count",
}
"""How the units of time are taken together → the flag that says it."""
_LINKING: Final = r"(?:(?:that|which|who|have|do|be) )*"


def _event(context: RuleContext, symbol: str) -> int | None:
    """The mention of the tables that record what a verb says."""
    if is_mention(symbol) and {"table!", "moment", "flag"} & context.kinds(int(symbol[1:])):
        return None
    word = context.said(symbol)
    form = event_form(word)
    event = context.oracle.event(form) if form else None
    if event is not None:
        context.spend(symbol)
    return event


def _so_many(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers who bought more than 10 products': through what records it."""
    event = _event(context, found["verb"])
    related = context.oracle.related
    if event is None or any(related(event, "same table", found.at(m)) for m in ("m", "t")):
        return None
    whole = context.oracle.party("whole", of=[found.at("t")])
    if whole is not None and related(whole, "same table", event):
        return None  # 'customers who bought more than 10 tickets', several of an order
    return f"{found['m']} with {found['op']} {found['n']} M{event} {found['t']}"


def _no_sales(context: RuleContext, found: RuleMatch) -> str | None:
    """'products with no sales' were never sold."""
    if context.oracle.event("sold") is None:
        return None
    context.spend(found["m"])
    return "never sold"


def _not_then(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers who have not ordered in the past 6 months': no row of what they did is of that time."""
    operand = found.operand("x")
    if operand.kind == "N" and not context.year(operand):
        return None
    event = _event(context, found["verb"])
    if event is None or context.oracle.related(event, "same table", found.at("m")):
        return None
    for step in (*reversed(list(context.oracle.steps(event))), event):
        moments = context.oracle.times(step)
        if moments:
            break
    else:
        return None
    operator = COMPARE[found["when"]] if found["when"] in WHEN else "="
    context.consumed(found.text)
    return (
        f"{found['m']} {context.note(AbsenceCondition(step, (Comparison(moments[0], operator, operand),)))}"
    )


def _numbered(context: RuleContext, mention: int) -> bool:
    """Whether a mention is what there is a number of: 'average number of sales' is of rows, not of money."""
    start = context.encoded.mentions[mention].start
    before = [token.lemma for token in context.encoded.tokens[max(0, start - 3) : max(0, start)]]
    return bool({"number", "count"} & set(before))


def _averaged(context: RuleContext, mention: int) -> str | None:
    """What of a mention is averaged over time: how many there are, or the sum of money taken in.

    None of 'average invoice total per month', where what one comes to is meant.
    """
    end = context.encoded.mentions[mention].end
    if any(token.lemma in _AMOUNT_WORDS for token in context.encoded.tokens[end : end + 1]):
        return None
    if singular(context.word(mention)) in MEASURE_WORDS:
        return "COUNT" if _numbered(context, mention) else "SUM"
    kinds = context.kinds(mention)
    if "happening" in kinds and context.counts(mention):
        return "COUNT"
    return "COUNT" if "table!" in kinds and ("numeric!" not in kinds or "named" in kinds) else None


def _per_unit(context: RuleContext, found: RuleMatch) -> str | None:
    """'average number of orders per month': the average of the months' counts; of revenue, of their sums.

    So is the highest monthly revenue the highest of the months' sums, for each of what is said behind 'by'.
    """
    if context.symbols.startswith("compare "):
        return None  # 'compare average payment of 2003 and 2004' averages within each
    asked = _averaged(context, found.at("m"))
    if found["how"] == "AVG":
        asked = "AVG" if "numeric" in context.kinds(found.at("m")) else None
    elif asked is None and found["adverb"] and _ADDITIVE_KIND.holds(context.kinds(found.at("m"))):
        asked = "SUM"
    counted = found["how"] == "COUNT" or found["agg"].endswith("COUNT")
    if asked is None or (counted and asked != "COUNT"):
        return None
    context.flags.update({_FLAG_OF_AGGREGATE[found["agg"].removesuffix("COUNT")], OVER_UNIT})
    context.consumed(found.text)
    each = f" per {found['t']}" if found["t"] else ""
    of = f"{found['which']}{found['flag']} {found['m']}{found['of']}"
    return f"{asked} {of}{found['then']}{each} per {found['unit'] or ADVERBS[found['adverb']]}"


def _month_first(context: RuleContext, found: RuleMatch) -> str | None:
    """'monthly average revenue' is the average monthly revenue; of a rating each month has its own."""
    if _averaged(context, found.at("m")) is None:
        return None
    return f"AVG {found['adverb']} {found['which']}{found['flag']} {found['m']}"


def _says_amount(context: RuleContext, found: RuleMatch) -> bool:
    del found
    return any(token.lemma in _AMOUNT_WORDS for token in context.encoded.tokens)


def _size_of_one(context: RuleContext, found: RuleMatch) -> str | None:
    """'average deal size': what one comes to, where it has no size of its own."""
    size = found.maybe("s")
    if size is not None and (
        context.word(size) != "size" or context.oracle.related(size, "column of", found.at("m"))
    ):
        return None
    if context.oracle.total(found.at("m")) is None:
        return None
    context.spend(size)
    context.understood("size")
    return f"AVG {found['m']} value"


def _per_thing(context: RuleContext, found: RuleMatch) -> str | None:
    """'average number of orders per customer', 'average revenue per customer': of the groups."""
    measure = found.at("m")
    if _numbered(context, measure):
        if "table!" not in context.kinds(measure):
            return None
        asked = "COUNT"
    elif singular(context.word(measure)) in MEASURE_WORDS:
        asked = "SUM"
    else:
        return None
    context.flags.add("average_count")
    context.groups.append(Output(found.at("t")))
    return f"{asked} {found['m']}{found['then']} G{found.at('t')}"


def _took(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders that took more than 5 days to ship': a bound on how long it lasted."""
    thing, verb = found.at("m"), found["verb"]
    word = context.said(verb) if verb else ""
    unit = found["unit"] or _unit_said(context, found.at("n"))
    if (verb and not word) or unit not in {*SPANS, "week"}:
        return None
    lasted = context.oracle.duration(thing, word) if word else None
    if lasted is None:
        lasted = context.oracle.duration(thing, "")
    if lasted is None:
        return None
    context.spend(verb)
    context.consumed(found.text)
    operand, unit = context.lasting(found.at("n"), unit)
    return f"{found['m']} {context.note(Comparison(lasted, COMPARE[found['op']], operand, unit=unit))}"


def _unit_said(context: RuleContext, number: int) -> str:
    """The unit of time of a number, '' of others."""
    unit = context.encoded.measured.get(number)
    return unit.name.removesuffix("s") if unit is not None and unit.kind == "time" else ""


_END: Final = r"(?= ?$| [?.]| (?:in|since|SINCE|for) )"
_WHEN: Final = r"(?P<then>(?: (?:in|during|for) [ND]\d+)?)"
_WHICH_ROWS: Final = r"(?P<which>(?:(?:the|our|all|V\d+|C\d+) )*)(?:{flag:flag,-table,-numeric} )?"
_PREPOSITION: Final = r"(?:of|from|in|for|through|via|at|on|with|by)(?: (?:the|our|all))*"
_OF_ROWS: Final = (
    rf"(?P<of>(?: of(?: (?:the|our|all))* M\d+(?! (?:and|or|,)(?!\S))"
    rf"|(?: (?:from|for|by)(?: (?:the|our|all))* M\d+(?= (?:{_PREPOSITION}|V\d+)(?!\S))))?"
    rf"(?: (?:in|during|for) [ND]\d+"
    rf"|(?: {_PREPOSITION})?(?: M\d+)? [VC]\d+(?: M\d+)?(?! (?:and|or|,)(?!\S))){{0,3}})"
)
"""Of which rows a figure is taken: 'from Germany', 'of customers from Berlin', 'from web orders in 2024'."""
_PER_GROUP: Final = (
    r"(?: (?:per|by|across|(?:for|of|in|from) (?:each|every))(?: the)? {t}(?! (?:and|or|,)(?!\S)))?"
)
_DOING: Final = (
    r"(?: (?:be|placed|made|sold|taken|opened|created|there|do|we|get|got|make|ever|have|issued))*"
)
_DURATION_NUMBER: Final = (
    r"{n:number}(?: {unit=day|hour|minute|week})?(?= ?$| [?.]| (?:by|per|in|from|with|for|on|at|to|and) )"
)
_TAKING: Final = r"(?:take|took|taking|need|needed)"

RULES: Final = in_order(
    Rule(
        "events/so_many",
        rf"{{m:table!}} {_LINKING}{VERB} {{op=GT|GE|LT|LE|EQ}} {{n:number}} "
        r"(?:different |distinct )?{t:table!}",
        _so_many,
        examples=(
            Example(
                "M0[table!] attended GE N0[1] M1[table!]", "M0 with GE N0 M2 M1", schema={"event attended": 2}
            ),
        ),
    ),
    Rule(
        "events/no_sales",
        r"(?:(?:that|which|who) )?(?:(?:with|have|made|had) no|without(?: any)?) {m}"
        r"(?= ?$| [?.]| in | since | SINCE )",
        _no_sales,
        guard=lambda context, found: singular(context.word(found.at("m"))) == "sale",
        examples=(
            Example("M0[table!] with no M1[sales]", "M0 never sold", schema={"event sold": 2}),
            Example("M0[table!] with no M1[friends]", "M0 with no M1"),
        ),
    ),
    Rule(
        "events/not_then",
        rf"{{m:table!}} {_LINKING}(?:not|never) (?:(?:be|been|ever) )*{VERB}"
        r"(?: (?:anything|something|with us|us))* {when=in|during|within|SINCE|AFTER|BEFORE|on|for|over} "
        r"(?:(?:the|at|year) )*{x:number|date}(?! (?:and|or|to|but) )",
        _not_then,
        examples=(
            Example(
                "M0[table!] not sold in N0[2025]",
                "M0 C0",
                ("C0: has no M3 where M4 = N0",),
                schema={"event sold": 1, "steps M1": (2, 3), "times M3": (4,)},
            ),
        ),
    ),
    Rule(
        "events/average_per_unit",
        rf"AVG {_WHICH_ROWS}{{m}}{_DOING}{_OF_ROWS} (?:per|a|an|each|every) "
        rf"{TIME_UNIT}{_WHEN}{_PER_GROUP}{_END}",
        _per_unit,
        examples=(
            Example("AVG M0[sales] per month", "SUM M0 per month", ("flag average_count", "flag over_unit")),
            Example(
                "AVG V0[1] M0[sales] from V1[2] per month",
                "SUM V0 M0 from V1 per month",
                ("flag average_count", "flag over_unit"),
            ),
            Example(
                "AVG M0[sales] per month by M1",
                "SUM M0 per M1 per month",
                ("flag average_count", "flag over_unit"),
            ),
            Example(
                "AVG M0[sales] per month in N0[2024] by M1",
                "SUM M0 in N0 per M1 per month",
                ("flag average_count", "flag over_unit"),
            ),
        ),
    ),
    Rule(
        "events/month_first",
        rf"{{adverb={TIME_ADVERB}}} AVG {_WHICH_ROWS}{{m}}",
        _month_first,
        examples=(
            Example("monthly AVG V0[1] M0[revenue]", "AVG monthly V0 M0"),
            Example("monthly AVG M0[numeric rating]", "monthly AVG M0"),
        ),
    ),
    Rule(
        "events/monthly_extreme",
        rf"{{agg=AVG|MAX|MIN}}(?:~(?:high|low|large|small|good|bad))? {{adverb={TIME_ADVERB}}} "
        rf"(?:(?:{{how=COUNT|AVG}}|SUM) "
        rf"(?:of )?)?{_WHICH_ROWS}{{m}}{_DOING}{_OF_ROWS}{_WHEN}{_PER_GROUP}{_END}",
        _per_unit,
        examples=(
            Example("AVG monthly M0[revenue]", "SUM M0 per month", ("flag average_count", "flag over_unit")),
            Example(
                "MIN monthly V0[1] M0[revenue] of M1[table!] from V1[2] in N0[2024]",
                "SUM V0 M0 of M1 from V1 in N0 per month",
                ("flag minimum_count", "flag over_unit"),
            ),
            Example(
                "AVG monthly M1[flag] M0[revenue] from V0[1] M2[table!]",
                "SUM M1 M0 from V0 M2 per month",
                ("flag average_count", "flag over_unit"),
            ),
            Example(
                "AVG daily COUNT M0[table! order] by M1",
                "COUNT M0 per M1 per day",
                ("flag average_count", "flag over_unit"),
            ),
            Example(
                "MAX monthly M0[numeric! column! freight]",
                "SUM M0 per month",
                ("flag maximum_count", "flag over_unit"),
            ),
            Example(
                "MAX monthly AVG M0[numeric rating]",
                "AVG M0 per month",
                ("flag maximum_count", "flag over_unit"),
            ),
            Example("MAX monthly M0[numeric! column! held salary]", "MAX monthly M0"),
        ),
    ),
    Rule(
        "events/most_in_a_unit",
        rf"{{agg=MAX|MIN|MAXCOUNT|MINCOUNT|MOST|LEAST}} (?:{{how=COUNT}} )?{{m}}{_DOING} (?:in|on|during"
        rf"|for) (?:a|any|one|a single|any single|any one|a given) {TIME_UNIT}{_WHEN}{_PER_GROUP}{_END}",
        _per_unit,
        examples=(
            Example(
                "MAXCOUNT M0[table! order] in a month",
                "COUNT M0 per month",
                ("flag maximum_count", "flag over_unit"),
            ),
            Example(
                "MOST M0[revenue] we make in a single day",
                "SUM M0 per day",
                ("flag maximum_count", "flag over_unit"),
            ),
            Example("MAX M0[price] in a month", "MAX M0 in a month"),
        ),
    ),
    Rule(
        "events/best_unit_s",
        rf"(?:(?:the|our) )*{{agg=MAX|MIN}}~(?:good|bad|high|low|large|small|slow) {TIME_UNIT} 's "
        rf"(?:(?:{{how=COUNT}}|SUM) (?:of )?)?{{m}}{_END}",
        _per_unit,
        examples=(
            Example(
                "MAX~good month 's M0[revenue]",
                "SUM M0 per month",
                ("flag maximum_count", "flag over_unit"),
            ),
        ),
    ),
    Rule(
        "events/average_value_of_one",
        r"AVG (?:an?|per|each) {m:table!}(?= ?$| [?.]| (?:by|per|in|for|since|SINCE) )",
        rewrite("AVG {m} value"),
        guard=_says_amount,
        examples=(
            Example("AVG an M0[table!]", "AVG M0 value", said="average value of an order"),
            Example("AVG an M0[table!]", "AVG an M0", said="average of an order"),
        ),
    ),
    Rule(
        "events/average_size_of_one",
        r"AVG {m:table!} (?:size|{s:-table!})(?= ?$| [?.]| (?:by|per|in|of|for|from|since|SINCE|each) )",
        _size_of_one,
        examples=(
            Example("AVG M0[table!] size", "AVG M0 value", schema={"total M0": 1}),
            Example("AVG M0[table!] M1[size] per M2", "AVG M0 value per M2", schema={"total M0": 3}),
            Example("AVG M0[table!] M1[size]", "AVG M0 M1", schema={"M1 column of M0": True}),
            Example("AVG M0[table!] M1[weight]", "AVG M0 M1"),
        ),
    ),
    Rule(
        "events/average_per_thing",
        rf"AVG {{m}}{_WHEN} (?:per|of each|for each|of a|by each|from each) {{t:table!}}{_END}",
        _per_thing,
        examples=(
            Example("AVG M0[sales] per M1[table!]", "SUM M0 G1", ("group by M1", "flag average_count")),
            Example(
                "AVG M0[sales] in N0[2024] per M1[table!]",
                "SUM M0 in N0 G1",
                ("group by M1", "flag average_count"),
            ),
        ),
    ),
    Rule(
        "events/took_to",
        rf"{{m:table}} {_LINKING}{_TAKING} {{op=GT|GE|LT|LE}}(?:~long)? {{n:number|amount}}"
        rf"(?: {{unit=day|hour|minute|week}})? (?:to|until) (?:be |get )*{VERB}",
        _took,
        examples=(
            Example(
                "M0[table] took GT N0[2] week to complete",
                "M0 C0",
                ("C0: M1 > N1 days",),
                schema={"duration M0": 1},
            ),
            Example(
                "M0[table] took GT N0[5] hour to complete",
                "M0 C0",
                ("C0: M1 > N0 hours",),
                schema={"duration M0": 1},
            ),
        ),
    ),
    Rule(
        "events/lasted",
        rf"{{m:table}} {_LINKING}{{took=(?:{_TAKING}|last|lasted|lasting)(?: for)? }}?"
        rf"{{op=GT|GE|LT|LE}}{{long=~(?:long|short)}}? {_DURATION_NUMBER}",
        _took,
        guard=lambda context, found: bool(found["took"] or found["long"]),
        examples=(
            Example(
                "M0[table] took GT N0[90] minute",
                "M0 C0",
                ("C0: M1 > N0 minutes",),
                schema={"duration M0": 1},
            ),
            Example(
                "M0[table] GT~long N0[30] minute",
                "M0 C0",
                ("C0: M1 > N0 minutes",),
                schema={"duration M0": 1},
            ),
            Example("M0[table] GT N0[30] minute", "M0 GT N0 minute"),
        ),
    ),
    after=("calendar",),
)
