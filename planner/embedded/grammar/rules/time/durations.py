"""Durations: days between order and shipment, time to close a ticket, days since the last one.

Owns: what lasts, from when to when, and in which unit.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    AbsenceCondition,
    Comparison,
    Either,
    IsNull,
    Superlative,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.linking.implicit_columns import DUE

_SPAN_UNIT: Final = r"{unit=day|hour|minute}"
_SPAN_UNITS: Final = frozenset({"day", "hour", "minute", "week"})
_END: Final = r"(?= ?$| [?.]| (?:in|by|per|for|of|each|every|since|SINCE|during) |$)"
_DURATION_NOUN: Final = (
    rf"(?:time|{_SPAN_UNIT}|COUNT {{unit2=day|hour|minute}}|COUNT M\d+|M\d+|gap|delay|duration|period|lag)"
)
_ARTICLES: Final = r"(?:(?:the|a|an|our|each|every|all|their|its|of) )*"
_TAKING: Final = r"(?:take|took|takes|need|needed|needs|require)"
_ON_AVERAGE: Final = r"(?:(?: ,)? (?:on |in )?(?:AVG|average|general))?"
_VERB: Final = r"{verb=M\d+|[a-z]+}"
_SUCH_VALUE: Final = r"{such=(?:V\d+ )?}"
_ATTRIBUTE: Final = r"{kind=(?:(?:not )?[VCM]\d+ )?}"
"""What a thing is like, right before it: 'repair orders', 'unplanned outages'."""
_PASSING_WORDS: Final = r"(?: (?:have|it|been|be|pass|passed|elapsed|gone by|do))*"
_LAST_EVENT: Final = r"{which=last|first|MAX~recent|MAX~late|MIN~early|MAX~new|MAX~old} (?:recent )?{m:table}"
_COUNTED_UNITS: Final = frozenset({"day", "hour", "minute"})
_OPPOSITE_OPERATOR: Final = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_BEGINNING_WORDS: Final = frozenset({"placed", "made", "created", "issued", "opened"})
"""Words of a beginning that may be no column's."""
_UPPER_BOUND_OPERATORS: Final = frozenset({"<", "<="})
"""Bounds that what has not happened yet does not keep."""
_VERB_AND_TIME_WORDS: Final = 2
"""Words of 'shipping time'."""
_WHOSE_BEFORE: Final = re.compile(r"^(?:which|what) (?:M\d+ ){1,2}(?:have|with) (?:the )?$")
"""Before 'the shortest delivery time': that of all that is theirs, on average."""
_DURATION_NAME: Final = re.compile(r"(?!any|some|life|over)[a-z]{2,}time")
_GROUPED_BEHIND: Final = re.compile(r" (?:per|by|each|(?:for|of|in) (?:each|every))(?!\S)")
_END_BEHIND: Final = re.compile(
    r" ?$| [?.]| (?:per|by|each|every|for|of|in|on|at|from|do|have|be|since|SINCE)(?!\S)"
)
_COUNT_BEFORE: Final = re.compile(r"(?<!\S)COUNT (?:\S+ ){0,3}$")
"""What is counted is no time, even where it is called so."""
_WITH_BEFORE: Final = re.compile(r"(?:with|have|by)(?: the)? $")
_TIME_WORDS: Final = frozenset(
    [
        "time",
        "times",
        "day",
        "days",
        "hour",
        "hours",
        "minute",
        "minutes",
        "duration",
        "length",
        "gap",
        "delay",
    ]
)


def _timely(context: RuleContext, found: RuleMatch) -> bool:
    """Whether the question speaks of a duration at all."""
    del found
    return context.spoken(*_TIME_WORDS, "long", "ago", "since")


def _told_in(context: RuleContext, found: RuleMatch) -> None:
    """Note the unit in which a duration is asked for."""
    unit = found["unit"] or found["unit2"]
    counted = re.search(r"(?<!\S)(?:COUNT|AVG|SUM|MAX|MIN) M(\d+)", found.text)
    if not unit and counted and context.word(int(counted[1])).rstrip("s") in _COUNTED_UNITS:
        unit = context.word(int(counted[1])).rstrip("s")
    if unit:
        context.flags.add(f"in_{unit}")
    context.consumed(found.text)


def _in_unit(context: RuleContext, found: RuleMatch) -> str:
    """'… in days' names the unit of a duration."""
    _told_in(context, found)
    return ""


def _since(context: RuleContext, found: RuleMatch) -> str | None:
    """'how many days since the last M0', 'how long ago be the last M0'."""
    last = context.oracle.times(found.at("m"))
    counted = re.match(r"COUNT M(\d+)", found.text)
    if not last or (counted and context.word(int(counted[1])) not in {"day", "days"}):
        return None
    if counted:
        context.spend(int(counted[1]))
    context.consumed(found.text)
    context.understood("since")
    first = found["which"] in {"first", "MIN~early", "MAX~old"}
    return f"what be {'AGOFIRST' if first else 'AGO'} M{last[0]} of {found['m']}"


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG day between M0 and M1', 'time from M0 to M1'."""
    symbols = tuple(s if is_mention(s) else _word_of(context, s) for s in (found["a"], found["b"]))
    lasted = context.oracle.duration(*symbols) if all(symbols) else None
    named = re.match(r"(?:AVG |COUNT |MAX |MIN |SUM )?M(\d+)", found.text)
    if lasted is None or (named and context.word(int(named[1])) not in _TIME_WORDS):
        return None
    _told_in(context, found)
    context.spend(*symbols, int(named[1]) if named else None, found["thing"])
    things = [s for s in symbols if is_mention(s) and "table!" in context.kinds(int(s[1:]))]
    for thing in things[:1]:
        context.encoded.spent.discard(int(thing[1:]))
    whose = found["of"] or found["whose"] or next(iter(things), "")
    aggregate = found["agg"] or ("AVG" if " AVG" in found.text else "")
    each = found["of"] and " each " in found.text
    each = each and not context.oracle.related(lasted, "column of", found.at("of"))
    if found["thing"] and re.search(rf" (?:each|every) {found['thing']} ", found.text):
        context.encoded.spent.discard(found.at("thing"))
        return f"{aggregate} M{lasted} per {found['thing']}"
    return f"{aggregate} M{lasted}" + (f" {'per' if each else 'of'} {whose}" if whose else "")


def _until(context: RuleContext, found: RuleMatch) -> str | None:
    """'how long do it take to ship a M0', 'AVG time to close a M0'.

    With 'AFTER it be M1' from that time on.
    """
    verb = context.said(found["verb"])
    lasted = context.oracle.duration(found["start"] or found.at("m"), verb) if verb else None
    if lasted is None:
        return None
    named = re.search(r"(?:AVG|COUNT|MAX|MIN|SUM) M(\d+) (?:it|to|until|till|that)", found.text)
    if named and context.word(int(named[1])) not in _TIME_WORDS:
        return None
    _told_in(context, found)
    context.spend(found["verb"], int(named[1]) if named else None, found["it"], found["start"])
    whose = f"{found['agg'] or 'AVG'} M{lasted} of {found['kind']}{found['m']}"
    return f"{whose} with {found['who']}" if found["who"] else whose


def _open_for(context: RuleContext, found: RuleMatch) -> str | None:
    """'how long were closed accounts open on average': from their beginning to their end."""
    lasted = context.oracle.duration(found.at("m"), "")
    if lasted is None:
        return None
    context.spend(found["it"], found["open"])
    _told_in(context, found)
    which = re.sub(r" (?:now|already)(?= )", "", found["which"])
    return f"AVG M{lasted} of {found['kind']}{found['m']}{which}"


def _from_to(context: RuleContext, found: RuleMatch) -> str | None:
    """'how long be a M0 on AVG , in minute from M1 to M2': between two of its times."""
    symbols = tuple(s if is_mention(s) else _word_of(context, s) for s in (found["a"], found["b"]))
    lasted = context.oracle.duration(*symbols) if all(symbols) else None
    unit = context.word(found.at("told")).rstrip("s") if found["told"] else found["unit"]
    if lasted is None or (found["told"] and unit not in _COUNTED_UNITS):
        return None
    if unit:
        context.flags.add(f"in_{unit}")
    context.spend(found["it"], found["told"], *symbols)
    context.consumed(found.text)
    each = re.match(r".*? (?:be|do|have) (?:each|every) ", found.text)
    return f"AVG M{lasted} {'per' if each else 'of'} {found['kind']}{found['m']}"


def _later_than_due(context: RuleContext, found: RuleMatch) -> str | None:
    """'COUNT minute GT~late than planned do M0 start on AVG': from when it was due until it was done."""
    due = _word_of(context, found["due"]) if found["due"] else "due"
    pair = context.oracle.times("late") if due in DUE and " AVG" in found.text else ()
    if not pair or not context.oracle.related(pair[0], "same table", found.at("m")):
        return None
    if found["it"] and context.word(found.at("it")).rstrip("s") not in _COUNTED_UNITS:
        return None
    lasted = context.oracle.duration(f"M{pair[1]}", f"M{pair[0]}")
    if lasted is None:
        return None
    _told_in(context, found)
    context.spend(found["it"], found["due"], found["verb"], found["m"])
    context.understood("later")
    context.understood("late")
    if "table!" not in context.kinds(found.at("m")):
        return f"AVG M{lasted}"
    context.encoded.spent.discard(found.at("m"))
    return f"AVG M{lasted} of {found['m']}"


def _takes_longest(context: RuleContext, found: RuleMatch) -> str | None:
    """'which carrier takes the longest from shipping to delivery': by the average of it."""
    counted = found["sup"] in {"LEAST", "MOST"}
    timely = found["it"] and context.word(found.at("it")).rstrip("s") in _COUNTED_UNITS | {"time"}
    if (found["it"] and not timely) or (counted and not (timely or found["unit"])):
        return None
    lasted = context.oracle.duration(found["a"], found["b"])
    if lasted is None:
        return None
    context.spend(found["a"], found["b"], found["it"])
    context.consumed(found.text)
    way = "MIN" if found["sup"] == "LEAST" else "MAX" if counted else found["sup"].partition("~")[0]
    return f"have {way} AVG M{lasted}"


def _until_any(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG time to M0', 'how long do M0 take': of whatever has a time at which it was done."""
    verb = _word_of(context, found["verb"])
    timely = _how_long(context, found) or context.word(found.at("it")) in _TIME_WORDS
    if not verb or verb in _COUNTED_UNITS or not timely:
        return None
    lasted = context.oracle.duration("", verb)
    if lasted is None:
        return None
    _told_in(context, found)
    if found["it"] and (unit := context.word(found.at("it")).rstrip("s")) in _COUNTED_UNITS:
        context.flags.add(f"in_{unit}")
    context.spend(found["verb"], found["it"])
    return f"{found['agg'].partition('~')[0] or 'AVG'} M{lasted}"


def _named_time(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG M0' of a 'shipping time' that is like the name of a date: how long it took, not when it was."""
    said = context.words_of(found["m"]).lower().split()
    if len(said) != _VERB_AND_TIME_WORDS or said[-1] not in {"time", "times", "duration", "delay"}:
        return None
    lasted = context.oracle.duration("", said[0])
    if lasted is None:
        return None
    context.spend(found["m"])
    each = "AVG " if "AVG" not in found["agg"] and _WHOSE_BEFORE.search(found.before) else ""
    return f"{found['agg'].partition('~')[0]} {each}M{lasted}"


def _done_within(context: RuleContext, found: RuleMatch) -> str | None:
    """'M0 paid within N0 day', 'M0 paid GT N0 day AFTER they be issued': a bound on how long it took.

    What is 'not paid within N0 day' took longer, or is not paid: 'in N1' is then when it began.
    """
    verb = _word_of(context, found["verb"])
    number = found.at("n")
    unit = found["unit"] or _unit_of(context, number)
    operator = COMPARE[found["op"]] if found["op"] else "<="
    if not verb or unit not in _SPAN_UNITS or not (found["within"] or (found["op"] and found["start"])):
        return None
    if found["start"]:
        start = _word_of(context, found["start"]) if found["start"][0] == "V" else found["start"]
        lasted = context.oracle.duration(start, verb)
    else:
        lasted = context.oracle.duration(found.at("m"), verb)
    if lasted is None and found["start"] in _BEGINNING_WORDS:
        lasted = context.oracle.duration(found.at("m"), verb)
    if lasted is None:
        return None
    context.spend(found["verb"], found["start"])
    context.encoded.spent.discard(found.at("m"))
    context.consumed(found.text)
    if not {"not", "never"} & {*found["not"].split()}:
        return f"{found['m']} {_lasting(context, lasted, operator, number, unit)}{found['then']}"
    beyond = _bound(context, lasted, _OPPOSITE_OPERATOR[operator], number, unit)
    if operator not in _UPPER_BOUND_OPERATORS:
        return f"{found['m']} {context.note(beyond)}{found['then']}"
    undone = context.note(
        _never_within(context, found, verb, lasted) or Either((beyond, IsNull(lasted)), both=False)
    )
    began = context.oracle.times(found.at("m")) if found["x"] else ()
    if not began or (found["x"][0] == "N" and not context.year(found.operand("x"))):
        return f"{found['m']} {undone}{found['then']}"
    return f"{found['m']} {undone} {context.note(Comparison(began[0], '=', found.operand('x')))}"


def _never_within(context: RuleContext, found: RuleMatch, verb: str, lasted: int) -> AbsenceCondition | None:
    """Those without a row that says it was done in time, where other rows say it: some have none at all."""
    event = context.oracle.event(verb)
    related = context.oracle.related
    if event is None or related(event, "same table", found.at("m")):
        return None
    if not related(event, "same table", lasted):
        return None
    unit = found["unit"] or _unit_of(context, found.at("n"))
    operator = COMPARE[found["op"]] if found["op"] else "<="
    return AbsenceCondition(event, (_bound(context, lasted, operator, found.at("n"), unit),))


def _apart_by(context: RuleContext, found: RuleMatch) -> str | None:
    """'GT N0 day between M1 and M2': how far two times of one row lie apart."""
    lasted = context.oracle.duration(found["a"], found["b"])
    number = found.at("n")
    unit = found["unit"] or _unit_of(context, number)
    if lasted is None or unit not in _SPAN_UNITS:
        return None
    context.spend(found["a"], found["b"])
    context.consumed(found.text)
    return _lasting(context, lasted, COMPARE[found["op"]], number, unit)


def _lasting(context: RuleContext, lasted: int, operator: str, number: int, unit: str) -> str:
    """The placeholder of a condition on how long something took."""
    return context.note(_bound(context, lasted, operator, number, unit))


def _bound(context: RuleContext, lasted: int, operator: str, number: int, unit: str) -> Comparison:
    """The condition on how long something took."""
    operand, unit = context.lasting(number, unit)
    return Comparison(lasted, operator, operand, unit=unit)


def _word_of(context: RuleContext, symbol: str) -> str:
    """The word behind a symbol, also of a value ('V0')."""
    if symbol[:1] == "V" and symbol[1:].isdigit():
        text = context.encoded.values[int(symbol[1:])].text
        return text.lower() if text.isalpha() else ""
    if is_mention(symbol):
        words = context.encoded.mentions[int(symbol[1:])].words
        return words[-1] if words else ""
    return symbol


def _unit_of(context: RuleContext, number: int) -> str:
    """The unit of time of a number, '' of others."""
    unit = context.encoded.measured.get(number)
    return unit.name.removesuffix("s") if unit is not None and unit.kind == "time" else ""


def _how_long(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a mention is what 'how long' was taken for."""
    if not found["it"]:
        return True
    mention = context.encoded.mentions[found.at("it")]
    return mention.start < 0 and mention.words[:1] == ("length",)


def _whole(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG length of a M0', 'how long be M0 on average', where no column holds it."""
    if found["it"] and not _how_long(context, found) and context.said(found["it"]) not in _TIME_WORDS:
        return None
    lasted = context.oracle.duration(found.at("m"), "")
    if lasted is None:
        return None
    _told_in(context, found)
    context.spend(found["it"])
    return f"{found['agg'] or 'AVG'} M{lasted} of {found['such']}{found['kind']}{found['m']}"


def _whole_in_unit(context: RuleContext, found: RuleMatch) -> str | None:
    """'AVG stay in days per ward': how long the stays were, not how many."""
    lasted = context.oracle.duration(found.at("m"), "")
    if lasted is None:
        return None
    _told_in(context, found)
    return f"{found['agg']} M{lasted} of {found['m']}"


def _time_itself(context: RuleContext, found: RuleMatch) -> str | None:
    """'downtime per machine', where a table holds when each began and ended: how long, not how many.

    Of 'the most downtime' the sum; 'the longest' is of a single row.
    """
    if not _DURATION_NAME.fullmatch(context.word(found.at("m"))):
        return None
    if not (_END_BEHIND if found["agg"] else _GROUPED_BEHIND).match(found.behind) or _COUNT_BEFORE.search(
        found.before
    ):
        return None
    lasted = context.oracle.duration(found.at("m"), "")
    if lasted is None:
        return None
    context.spend(found.at("m"))
    context.consumed(found["agg"])
    way = found["agg"].partition("~")[0]
    if way in {"MOST", "LEAST"} or (way in {"MAX", "MIN"} and _WITH_BEFORE.search(found.before)):
        return context.rank(Superlative(lasted, way in {"MOST", "MAX"}, 1, aggregate="sum"))
    return f"{way or 'SUM'} M{lasted}"


def _unknown(context: RuleContext, found: RuleMatch) -> bool:
    """Whether a word like 'length' only resembles the name of another thing's column, or that of a moment."""
    if not found["it"]:
        return True
    if context.said(found["it"]) not in {"length", "duration"}:
        return False
    kinds = context.kinds(found.at("it"))
    if "time" in kinds and "numeric!" not in kinds:
        return True
    return not context.oracle.related(found.at("it"), "column of", found.at("m"))


RULES: Final = in_order(
    Rule(
        "durations/time_itself",
        r"(?:{agg=(?:SUM|AVG|MAX|MIN|MOST|LEAST)(?:~\w+)?} )?{m:table!}",
        _time_itself,
        before=("measures",),
        examples=(
            Example("M0[table! downtime] per M1", "SUM M2 per M1", schema={"duration M0": 2}),
            Example("AVG M0[table! downtime] per M1", "AVG M2 per M1", schema={"duration M0": 2}),
            Example(
                "M1 with MOST M0[table! downtime]",
                "M1 with S",
                ("top 1 by sum M2",),
                schema={"duration M0": 2},
            ),
            Example("COUNT M0[table! downtime] per M1", "COUNT M0 per M1"),
            Example("M0[table! order] per M1", "M0 per M1"),
        ),
    ),
    Rule(
        "durations/table_in_unit",
        rf"{{agg=AVG|MAX|MIN|SUM}} {{m:table!}} in {_SPAN_UNIT}(?= ?$| [?.]| (?:per|by|for|of|in|from) )",
        _whole_in_unit,
        examples=(
            Example(
                "AVG M0[table! stay] in day per M1",
                "AVG M2 of M0 per M1",
                ("flag in_day",),
                schema={"duration M0": 2},
            ),
            Example("AVG M0[table! price] in day per M1", "AVG M0 in day per M1"),
        ),
    ),
    Rule(
        "durations/in_unit",
        r"in {unit=day|hour|minute|second}(?= ?$| [?.]| (?:by|per|for|of|each) )",
        _in_unit,
        examples=(Example("in day", "", ("flag in_day",)), Example("in day .", ".", ("flag in_day",))),
    ),
    Rule(
        "durations/apart_by",
        r"(?:(?:where|with|that|which|it|do|be|take|took|there|have|us|we|a|gap|of) )*{op=GT|GE|LT|LE} "
        r"{n:number|amount}(?: {unit=day|hour|minute|week})?(?: (?:passed|lie|elapsed|be))* (?:between|from) "
        rf"{_ARTICLES}{{a:time,-table!}} (?:and|to|until|till) {_ARTICLES}{{b:time,-table!}}",
        _apart_by,
        before=("units", "values", "columns", "comparisons"),
        examples=(
            Example(
                "M0 where GT N0[7] day between M1[time] and M2[time]",
                "M0 C0",
                ("C0: M3 > N0 days",),
                schema={"duration M1 M2": 3},
            ),
        ),
    ),
    Rule(
        "durations/done_within",
        r"{m:table} (?:(?:that|which|who|be|have|get|do) )*"
        r"{not=(?:(?:not|never)(?: ever)?(?: (?:be|get))? )?}"
        r"{verb=M\d+|V\d+|[a-z]+}(?: {within=within|in})?(?: (?:a|the))?"
        r"(?: {op=GT|GE|LT|LE}(?:~late|~long)?)? {n:number|amount}"
        r"(?: {unit=day|hour|minute|week})?"
        r"(?: (?:of|AFTER|after|from|SINCE|since) (?:(?:the|their|its|they|it|be|have|being|a|an|date) )*"
        r"{start=M\d+|V\d+|[a-z]+})?"
        r"(?P<then> (?:in|during|for) (?:(?:the|year) )*(?P<x>[ND]\d+)(?= ?[?.]?$))?",
        _done_within,
        before=("units", "values", "columns", "comparisons"),
        examples=(
            Example(
                "M0[table] be M1[paid] within N0[14] day",
                "M0 C0",
                ("C0: M2 <= N0 days",),
                schema={"duration M0 paid": 2},
            ),
            Example(
                "M0[table] be M1[paid] within N0[2] week",
                "M0 C0",
                ("C0: M2 <= N1 days",),
                schema={"duration M0 paid": 2},
            ),
            Example(
                "M0[table] M1[paid] GT N0[30] day AFTER they be M2[issued]",
                "M0 C0",
                ("C0: M3 > N0 days",),
                schema={"duration M2 paid": 3},
            ),
            Example(
                "M0[table] M1[paid] GT~late N0[30] day AFTER they be M2[issued]",
                "M0 C0",
                ("C0: M3 > N0 days",),
                schema={"duration M2 paid": 3},
            ),
            Example(
                "M0[table] not M1[paid] within N0[14] day",
                "M0 C0",
                ("C0: M2 > N0 days or M2 is null",),
                schema={"duration M0 paid": 2},
            ),
            Example(
                "M0[table] not M1[delivered] within N0[7] day",
                "M0 C0",
                ("C0: has no M3 where M2 <= N0 days",),
                schema={
                    "duration M0 delivered": 2,
                    "event delivered": 3,
                    "M3 same table M2": True,
                },
            ),
            Example(
                "M0[table] not M1[paid] within N0[14] day in N1[2024]",
                "M0 C0 C1",
                ("C0: M2 > N0 days or M2 is null", "C1: M3 = N1"),
                schema={"duration M0 paid": 2, "times M0": (3,)},
            ),
            Example(
                "M0[table] M1[paid] GT N0[3] day AFTER be placed",
                "M0 C0",
                ("C0: M2 > N0 days",),
                schema={"duration M0 paid": 2},
            ),
            Example(
                "M0[table] be never M1[paid] GT N0[30] day AFTER they be M2[issued]",
                "M0 C0",
                ("C0: M3 <= N0 days",),
                schema={"duration M2 paid": 3},
            ),
            Example("M0[table] in N0[2023]", "M0 in N0"),
        ),
    ),
    Rule(
        "durations/since_the_last",
        rf"(?:what be |show |give )?(?:COUNT (?:day|M\d+)|how long|day){_PASSING_WORDS} SINCE "
        rf"{_ARTICLES}{_LAST_EVENT}(?: (?:be )?(?:placed|made|taken|happen))?",
        _since,
        examples=(Example("day SINCE last M0[table]", "what be AGO M1 of M0", schema={"times M0": (1,)}),),
    ),
    Rule(
        "durations/how_long_ago",
        rf"(?:COUNT (?:day|M\d+) ago|how long ago) (?:be|do|have) {_ARTICLES}{_LAST_EVENT}"
        r"(?: (?:placed|made|happen))?",
        _since,
        examples=(
            Example("COUNT day ago be last M0[table]", "what be AGO M1 of M0", schema={"times M0": (1,)}),
        ),
    ),
    Rule(
        "durations/from_to",
        rf"(?:how long|{{it}}) (?:be|do|have) {_ARTICLES}(?P<kind>(?:[VM]\d+ )?){{m:table!}}"
        r"(?: (?:last|stay|run|take))?"
        rf"{_ON_AVERAGE}(?: ,)?(?: in (?:{_SPAN_UNIT}|{{told=M\d+}}))?(?: ,)? (?:between|from) "
        rf"{_ARTICLES}{{a=M\d+|V\d+|[a-z]+}} (?:and|to|until|till) "
        rf"{_ARTICLES}{{b=M\d+|V\d+|[a-z]+}}{_ON_AVERAGE}",
        _from_to,
        guard=_how_long,
        examples=(
            Example(
                "how long be a V0[1] M0[table!] on AVG , in M1[minutes] from M2 to M3 , per M4",
                "AVG M5 of V0 M0 , per M4",
                ("flag in_minute",),
                schema={"duration M2 M3": 5},
            ),
            Example(
                "how long do each M0[table!] take on AVG from M1 to M2",
                "AVG M3 per M0",
                schema={"duration M1 M2": 3},
            ),
            Example("how long be M0[table!] from M1 to M2", "how long be M0 from M1 to M2"),
            Example("M0[people] be M1[table!] from M2 to M3", "M0 be M1 from M2 to M3"),
        ),
    ),
    Rule(
        "durations/later_than_due",
        rf"(?:COUNT (?:{_SPAN_UNIT}|{{it=M\d+}}) |how )(?:GT~late (?:than )?(?:the )?{{due=M\d+|V\d+|[a-z]+}}"
        rf"(?: (?:time|date))?|late) (?:do|be|have) {_ARTICLES}{{m}}(?: (?:be )?{{verb=M\d+|V\d+|[a-z]+}})?"
        rf"{_ON_AVERAGE}(?: ,)?{_END}",
        _later_than_due,
        examples=(
            Example(
                "COUNT M0[minutes] GT~late M1[planned] do M2[table!] start on AVG ?",
                "AVG M5 of M2 ?",
                ("flag in_minute",),
                schema={"times late": (3, 4), "M3 same table M2": True, "duration M4 M3": 5},
            ),
            Example(
                "COUNT day GT~late than planned do M0[table!] start",
                "COUNT day GT~late than planned do M0 start",
            ),
        ),
    ),
    Rule(
        "durations/between",
        rf"(?<!LEAST )(?<!MOST )(?:the )?(?:{{agg=AVG|MAX|MIN|SUM}} )?(?:(?:COUNT|of) )?{_DURATION_NOUN}"
        rf"(?: (?:elapsed|passed|that pass|pass|(?:do|have) it {_TAKING}))?"
        rf"(?: do {_ARTICLES}{{thing=M\d+}} (?:last|stay|run|take|remain))?{_ON_AVERAGE} (?:between|from) "
        rf"{_ARTICLES}{{a=M\d+|V\d+|[a-z]+}} (?:and|to|until|till) {_ARTICLES}(?:{{whose=M\d+}} (?:be|get"
        rf"|have been) )?{{b=M\d+|V\d+|[a-z]+}}"
        rf"(?: (?:of|for) (?:(?:a|an|the|each|all|our) )*{{of=M\d+}})?{_ON_AVERAGE}",
        _between,
        guard=_timely,
        examples=(
            Example("day between M0 and M1", "M2", ("flag in_day",), schema={"duration M0 M1": 2}),
            Example(
                "day between M0 and M1 for each M2[column!]",
                "M3 per M2",
                ("flag in_day",),
                schema={"duration M0 M1": 3},
            ),
            Example("M0 from low to high", "M0 from low to high"),
            Example(
                "COUNT day do it take on AVG from the M0 until a M1 be M2 , by M3",
                "AVG M4 of M1 , by M3",
                ("flag in_day",),
                schema={"duration M0 M2": 4},
            ),
        ),
    ),
    Rule(
        "durations/how_long_to",
        rf"(?:how long|COUNT {_SPAN_UNIT}|COUNT M\d+|{{it}}) (?:do|would|will|have) it "
        rf"{_TAKING}?{_ON_AVERAGE} (?:to|until|for us to) {_VERB} {_ARTICLES}{_ATTRIBUTE}{{m:table}}"
        r"(?: (?:AFTER|SINCE|after|since|once) (?:it|they) (?:(?:be|have|get) )+{start=M\d+|V\d+|[a-z]+})?"
        rf"{_ON_AVERAGE}",
        _until,
        guard=lambda context, found: _timely(context, found) and _how_long(context, found),
        examples=(
            Example(
                "how long do it take to M0[ship] M1[table]", "AVG M2 of M1", schema={"duration M1 ship": 2}
            ),
            Example("COUNT M0[weeks] do it take to M1[ship] M2[table]", "COUNT M0 do it take to M1 M2"),
            Example(
                "how long do it take to M0[close] a M1[table] AFTER it be M2[reported] , on AVG",
                "AVG M3 of M1",
                schema={"duration M2 close": 3},
            ),
            Example("M0[people] do it take to M1[ship] M2[table]", "M0 do it take to M1 M2"),
        ),
    ),
    Rule(
        "durations/until_it_is_done",
        rf"(?:how long|COUNT {_SPAN_UNIT}|COUNT {{it=M\d+}}) (?:do|would|will|have) it "
        rf"{_TAKING}?{_ON_AVERAGE} (?:until|till|before|for) {_ARTICLES}{{m:table}} (?:(?:to|be|get|have"
        rf"|been) )*{_VERB}{_ON_AVERAGE}{_END}",
        _until,
        guard=_timely,
        examples=(
            Example(
                "COUNT day do it take on AVG until a M0[table] get M1[paid] ?",
                "AVG M2 of M0 ?",
                ("flag in_day",),
                schema={"duration M0 paid": 2},
            ),
            Example("COUNT M0 do it take until a M1[table] get M2", "COUNT M0 do it take until a M1 get M2"),
        ),
    ),
    Rule(
        "durations/open_for",
        rf"(?:how long|{{it}}) (?:be|do|have) {_ARTICLES}(?P<kind>(?:[VM]\d+ )?){{m:table!}}"
        r"{which=(?: (?:that|which|who) (?:(?:be|have|now|already) )+(?:[VM]\d+|[a-z]+ed))?} "
        rf"(?:(?:stay|remain|last|be) )?{{open=M\d+|open|active|running|last}}{_ON_AVERAGE}",
        _open_for,
        guard=_how_long,
        examples=(
            Example("how long be V0[1] M0[table!] open on AVG", "AVG M1 of V0 M0", schema={"duration M0": 1}),
            Example(
                "how long do M0[table!] that be now V0[1] stay open , on AVG",
                "AVG M1 of M0 that be V0",
                schema={"duration M0": 1},
            ),
            Example("M0[people] be M1[table!] open", "M0 be M1 open"),
        ),
    ),
    Rule(
        "durations/takes_longest",
        rf"{_TAKING} (?:the )?{{sup=MAX~long|MIN~short|MIN~long|MAX~slow|MIN~slow|LEAST|MOST}}"
        rf"(?: {{unit=time|day|hour|minute}})?(?: {{it=M\d+}})?{_ON_AVERAGE} "
        rf"(?:between|from) {_ARTICLES}{{a=M\d+|[a-z]+}} (?:and|to|until|till) {_ARTICLES}{{b=M\d+|[a-z]+}}",
        _takes_longest,
        before=("superlatives",),
        examples=(
            Example(
                "which M0 take the MAX~long on AVG from M1 to M2",
                "which M0 have MAX AVG M3",
                schema={"duration M1 M2": 3},
            ),
            Example("take MAX~long from M1 to M2", "take MAX~long from M1 to M2"),
            Example("take LEAST M3[days] from M1 to M2", "have MIN AVG M4", schema={"duration M1 M2": 4}),
            Example(
                "take LEAST M3[money] from M1 to M2",
                "take LEAST M3 from M1 to M2",
            ),
        ),
    ),
    Rule(
        "durations/time_to",
        rf"(?:{{agg=AVG|MAX|MIN}} )?{_DURATION_NOUN} (?:it {_TAKING} )?(?:to|until|till) {_VERB} "
        rf"{_ARTICLES}{_ATTRIBUTE}"
        r"{m:table}",
        _until,
        guard=_timely,
        examples=(
            Example("time to M0[close] V0 M1[table]", "AVG M2 of V0 M1", schema={"duration M1 close": 2}),
            Example("time to M0[close] M1[table]", "AVG M2 of M1", schema={"duration M1 close": 2}),
            Example("M0 to close M1[table]", "M0 to close M1"),
        ),
    ),
    Rule(
        "durations/time_to_done",
        rf"(?:{{agg=AVG|MAX|MIN}} )(?:time|{_SPAN_UNIT}|COUNT {{unit2=day|hour|minute}}"
        rf"|(?:COUNT )?{{it=M\d+}}) (?:it {_TAKING} )?(?:to|until|till) (?:(?:the|a|be|get|first"
        rf"|their) )*{_VERB}{_END}",
        _until_any,
        examples=(
            Example("AVG time to M0[reply]", "AVG M1", schema={"duration  reply": 1}),
            Example("AVG M0[days] to M1[ship]", "AVG M2", ("flag in_day",), schema={"duration  ship": 2}),
            Example("AVG M0[price] to M1[ship]", "AVG M0 to M1"),
        ),
    ),
    Rule(
        "durations/doing_time",
        rf"{{agg=AVG|MAX|MIN|MAX~long|MIN~short}} {_VERB} (?:time|duration|delay|{{it=M\d+}}){_END}",
        _until_any,
        before=("superlatives",),
        examples=(
            Example("AVG resolution time", "AVG M0", schema={"duration  resolution": 0}),
            Example("MAX~long M0[shipping] M1[times]", "MAX M2", schema={"duration  shipping": 2}),
            Example("AVG day time", "AVG day time"),
        ),
    ),
    Rule(
        "durations/named_time",
        rf"{{agg=AVG|MAX|MIN|MAX~long|MIN~short}} {{m:time,-table!}}{_END}",
        _named_time,
        before=("superlatives",),
        examples=(
            Example("AVG M0[time shipping delay]", "AVG M1", schema={"duration  shipping": 1}),
            Example("MAX M0[time shipping date]", "MAX M0"),
            Example(
                "which M0 have the MIN~short M1[time shipping delay]",
                "which M0 have the MIN AVG M2",
                schema={"duration  shipping": 2},
            ),
        ),
    ),
    Rule(
        "durations/how_long_it_takes",
        rf"(?:{{agg=AVG|MAX|MIN}} )?(?:how long|{{it=M\d+}}) (?:of |do )*(?:the )?{_VERB} {_TAKING}"
        rf"{_ON_AVERAGE}{_END}",
        _until_any,
        guard=_how_long,
        before=("values",),
        examples=(
            Example("how long do M0[shipping] take", "AVG M1", schema={"duration  shipping": 1}),
            Example("AVG M0[people] of M1[shipping] take", "AVG M0 of M1 take"),
        ),
    ),
    Rule(
        "durations/how_long_they_take",
        rf"(?:how long|{{it}}) do {{who=M\d+|V\d+}} {_TAKING} to {_VERB} {_ARTICLES}{{m:table}}{_ON_AVERAGE}",
        _until,
        guard=_how_long,
        examples=(
            Example(
                "how long do M0 take to M1[complete] a M2[table]",
                "AVG M3 of M2 with M0",
                schema={"duration M2 complete": 3},
            ),
            Example("M0[people] do V0[1] take to M1[complete] M2[table]", "M0 do V0 take to M1 M2"),
        ),
    ),
    Rule(
        "durations/length_of",
        rf"{{agg=AVG|MAX|MIN|SUM}} {_SUCH_VALUE}(?:(?:length|duration)|{{it}}) (?:of|for) "
        rf"{_ARTICLES}{_ATTRIBUTE}{{m:table!}}{_ON_AVERAGE}",
        _whole,
        guard=_unknown,
        examples=(
            Example("AVG length of M0[table!]", "AVG M1 of M0", schema={"duration M0": 1}),
            Example("AVG V0 length of M0[table!]", "AVG M1 of V0 M0", schema={"duration M0": 1}),
            Example(
                "AVG length of not M1[flag] M0[table!]", "AVG M2 of not M1 M0", schema={"duration M0": 2}
            ),
            Example("AVG M0 of M1[table!]", "AVG M0 of M1"),
            Example(
                "AVG M0[duration numeric! time] of M1[table!]",
                "AVG M0 of M1",
                schema={"M0 column of M1": True},
            ),
        ),
    ),
    Rule(
        "durations/length_behind",
        r"{agg=AVG|MAX|MIN|SUM} {m:table!} (?:length|duration|{it})(?! of M)",
        _whole,
        guard=_unknown,
        examples=(
            Example("AVG M0[table!] length", "AVG M1 of M0", schema={"duration M0": 1}),
            Example("AVG M0[table!] M1", "AVG M0 M1"),
        ),
    ),
    after=("ages",),
)
