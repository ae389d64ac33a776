"""What people ask first: best selling, new per year, sold last month, late, share refunded.

Owns: wordings that stand for a whole clause. They are rewritten before the rules of single clauses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import (
    COMPARE,
    AbsenceCondition,
    Comparison,
    CountCondition,
    Operand,
    Superlative,
)
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule, rewrite

_PARTICIPLE: Final = re.compile(r"\w+ed|sold|sent|bought|made|taken|given|written|paid|built|done|got")
_TIME_UNIT: Final = r"(?:hour|day|week|month|quarter|year)"
_GRADE_SYMBOL: Final = r"{sup=MAX~good|MIN~bad|MAX~bad|top|MOST|LEAST}"
DEFAULT_LIMIT: Final = 10
"""How many are shown of 'the best selling products', where no number is said."""
MIN_NAMED_SCORE: Final = 0.8
"""The least score at which a mention names a table, so that no verb needs to."""
MAX_BEST_SCORE_GAP: Final = 0.05


def _is_verb(context: RuleContext, found: RuleMatch) -> bool:
    return _PARTICIPLE.fullmatch(context.word(found.at("verb"))) is not None


def _is_done(context: RuleContext, found: RuleMatch) -> bool:
    return _PARTICIPLE.fullmatch(context.words_of(found["verb"]).lower()) is not None


def _without_verb(context: RuleContext, found: RuleMatch) -> str:
    """'which officer issued the most citations': a verb that is like a column's name is still the verb."""
    context.spend(found["verb"])
    return found["before"]


def _unit_last(context: RuleContext, found: RuleMatch) -> str:
    """'by M0 and year' groups by both, and shows the year behind."""
    context.unit_last = True
    by = "per" if context.says("COUNT|SUM|AVG|MAX|MIN|split|break") else found["by"]
    return f"{by} {found['m']} per {found['unit']}"


def _one_name(context: RuleContext, found: RuleMatch) -> str:
    """'per product category': the second is the thing, the first only rounds it off."""
    context.spend(found["a"])
    return f"{found['by']} {found['b']}"


def _new(context: RuleContext, found: RuleMatch) -> str:
    """'new customers per year', 'how many new customers in 2024': those that came then."""
    counted = context.says("COUNT") or not re.search(_TIME_UNIT, context.symbols)
    return found["m"] if counted else f"COUNT {found['m']}"


_BY_UNIT: Final = re.compile(rf"(?:per|each|every|by|for every) {_TIME_UNIT}|monthly|yearly|D\d|N\d")


def _timed(context: RuleContext, found: RuleMatch) -> bool:
    del found
    return _BY_UNIT.search(context.symbols) is not None


def _so_many(context: RuleContext, found: RuleMatch) -> int:
    """How many are shown: the number that is said, `DEFAULT_LIMIT` of several, else one."""
    for place in ("n", "n2", "n3"):
        if found[place]:
            return context.limited(found.at(place))
    last = context.encoded.tokens[context.encoded.mentions[found.at("m")].end - 1]
    return DEFAULT_LIMIT if last.lower.endswith("s") else 1


def _best_selling(context: RuleContext, found: RuleMatch) -> str | None:
    """'best selling products', 'the 5 worst selling books': by what was sold of them together."""
    sold = context.measure("sold")
    if sold is None:
        return None
    for word in ("best", "worst", "top", "selling", "sold", "bought", "purchased"):
        context.understood(word)
    down = found["sup"] not in {"MIN~bad", "MAX~bad", "LEAST"}
    context.rank(Superlative(sold, down, _so_many(context, found), aggregate="sum"))
    return f"{found['m']} S"


def _best_rated(context: RuleContext, found: RuleMatch) -> str | None:
    """'which hotel has the worst reviews': by the average of what its reviews give."""
    good, owner = context.measure("good"), found.at("r")
    if good is None or not context.oracle.related(good, "column of", owner):
        return None
    thing = found.at("m")
    if context.oracle.related(thing, "same table", owner) or context.oracle.related(good, "column of", thing):
        return None
    context.consumed("on average")
    context.rank(Superlative(good, found["sup"] == "MAX~good", 1, aggregate="avg", owner=owner))
    return f"{found['m']} S"


def _best_people(context: RuleContext, found: RuleMatch) -> str | None:
    """'our best customers': by what they spent; by how often they came is the other reading."""
    mention = found.at("m")
    good, spent = context.measure("good"), context.measure("spent")
    own = context.oracle.related
    if spent is None or own(spent, "column of", mention):
        return None
    if good is not None and own(good, "column of", mention):
        return None
    limit = _so_many(context, found)
    context.consumed(found["sup"])
    context.rank(Superlative(spent, found["sup"] in {"MAX~good", "top"}, limit, aggregate="sum"))
    of_each = re.match(r" (?:in|of|for|per|from|within|among) (?:each |every )?", found.behind)
    event = None if found["sup"] == "top" or of_each else context.oracle.event("ordered")
    if event is not None:
        context.flags.add(f"best_by{[*context.oracle.steps(event)][-1]}")
    return f"{found['m']} S"


def _sold_most(context: RuleContext, found: RuleMatch) -> str | None:
    """'which employee sold the most?': by what was sold together, where nothing says of what."""
    if is_mention(found["verb"]) and context.said(found["verb"]) != "sold":
        return None
    sold = context.measure("sold")
    if sold is None:
        return None
    context.spend(found["verb"])
    context.rank(Superlative(sold, found["sup"] == "MOST", _so_many(context, found), aggregate="sum"))
    return f"{found['m']} S"


def _done_most_often(context: RuleContext, found: RuleMatch) -> str | None:
    """'which customer ordered most often': who has the most of the rows that record it."""
    verb, word = found["verb"], context.said(found["verb"])
    said = is_mention(verb) and "table!" in context.kinds(int(verb[1:]))
    event = int(verb[1:]) if said else context.oracle.event(word) if word in EVENTS else None
    if event is None or context.oracle.related(event, "same table", found.at("m")):
        return None
    context.spend(None if said else verb)
    context.consumed(f"often frequently {verb}")
    return f"{found['m']} {found['sup']} M{event}"


def _late(context: RuleContext, found: RuleMatch) -> str | None:
    """'orders that were late', 'late orders': done after the day by which it was due."""
    times = context.oracle.times("late")
    if not times:
        return None
    done, due = times
    operator = "<=" if "time" in found.text.split() else ">"
    context.spend(found["verb"])
    context.consumed(found["verb"])
    return f"{context.note(Comparison(done, operator, Operand('M', due)))} {found['m']}"


def _with_row(context: RuleContext, found: RuleMatch) -> str:
    """'percentage of orders refunded', 'share of customers who ordered': those to whom a row belongs."""
    context.flags.add("held")
    held = context.note(AbsenceCondition(found.at("m"), held=True))
    return f"{found['lead']} {found['a']}{found['of']} {held}"


_REPEATED_EVENTS: Final = ("ordered", "booked", "visited", "rented", "bought")


def _again(context: RuleContext, found: RuleMatch) -> str | None:
    """'repeat customers': who came more than once, by the rows that record it."""
    events = (context.oracle.event(verb) for verb in _REPEATED_EVENTS)
    event = next((e for e in events if e is not None), None)
    each = context.says(r"per|by|each|every|across|MOST|LEAST") or re.search(r"(?<!\S)M\d", found.before)
    if event is None or each:
        return None  # how often somebody came is no bound on countries
    head = next(iter(context.oracle.steps(event)[::-1]), event)
    context.consumed(found["word"])
    return f"{found['m']} {context.note(CountCondition(head, '>', 1))}"


def _recorded(context: RuleContext, found: RuleMatch) -> str | None:
    """'products sold in 2025', 'customers who bought V0': the rows that record it take part."""
    verb, behind = found["verb"], found["behind"]
    word = context.said(verb)
    kinds = context.kinds(int(verb[1:])) if is_mention(verb) else frozenset()
    if "table!" in kinds and word in EVENTS:
        # 'customers who rented in 2025', where rentals are called like it
        when = _when(context, [int(verb[1:])], behind)
        done = "" if found["before"].count(" ") > 1 else "be "  # 'films rented in May' are no rentals
        return f"{found['before']}{done}{verb} {when}" if when else None
    if {"table!", "moment", "flag"} & kinds:
        return None
    event = context.oracle.event(word) if word in EVENTS else None
    if event is None:
        return None
    mentions = context.encoded.mentions
    named = {
        o.index
        for m in mentions
        if m.start >= 0
        for o in m.options[:2]
        if o.table and o.score >= max(MIN_NAMED_SCORE, m.best - MAX_BEST_SCORE_GAP)
    }
    own = {o.index for o in mentions[found.at("m")].options[:1] if o.table}
    recording = {o.index for o in mentions[event].options}
    if (named - own) & recording:
        return None
    if recording & own:
        # 'invoices paid in 2025' have payments, which say so rather than invoices do
        others = tuple(o for o in mentions[event].options if o.index not in own)
        if not others or mentions[event].options[0].index in own:
            return None
        mentions[event] = replace(mentions[event], options=others)
    steps = context.oracle.steps(event)
    when = _when(context, steps[::-1] or (event,), behind)
    if not when and re.match(r" [LG]E ", behind):
        return None  # 'orders shipped on or before 1 May': shippers have no time
    context.spend(verb)
    held = re.search(r"(?<!\S)V\d", behind) is not None
    through = " ".join(f"M{m}" for m in (steps if held else ()) or (event,))
    return f"{found['before']}{through}{f' {when}' if when else behind}"


def _when(context: RuleContext, events: Sequence[int], behind: str) -> str:
    """The condition of 'in 2025' behind what was done: by the time of its rows; '' where they have none."""
    span = re.fullmatch(
        r"(?P<both> both)? (?:in|on|during|(?P<op>LE|GE)) (?:the )?(?P<kind>[DN])(?P<number>\d+)", behind
    )
    if span is None:
        return ""
    operand = Operand(span["kind"], int(span["number"]))
    if operand.kind == "N" and not context.year(operand):
        return ""
    times = next((t for t in map(context.oracle.times, events) if t), ())
    if not times:
        return ""
    when = context.note(Comparison(times[-1], COMPARE[span["op"] or "EQ"], operand))
    return f"both {when}" if span["both"] else when


RULES: Final = in_order(
    Rule(
        "wordings/than_at_least_one",
        r"(?P<than>(?:GT|LT)(?:~\w+)?(?: M\d+)? (?:than )?(?:(?:that|those) of )?)(?:some ,? ?)?"
        r"GE {n:number}(?= [VM]\d)",
        lambda _, found: f"{found['than']}some",
        guard=lambda context, found: context.number(found.at("n")) == 1,
        examples=(
            Example("GT~large than GE N0[1] M0 in V0", "GT~large than some M0 in V0"),
            Example("M0 GT than that of some , GE N0[1] M1", "M0 GT than that of some M1"),
            Example("GT than GE N0[2] M0", "GT than GE N0 M0"),
        ),
    ),
    Rule(
        "wordings/verb_before_bound",
        r"(?P<before>M\d+(?: (?:that|which|who|have))*) {verb:-table!}"
        r"(?= (?:the )?(?:MOST|LEAST|MAXCOUNT|MINCOUNT|(?:GT|GE|LT|LE|EQ) N\d+) (?:(?!and |or )\w+ )?M\d)",
        _without_verb,
        guard=_is_verb,
        examples=(
            Example("M0 M1[built] MOST M2", "M0 MOST M2"),
            Example("M0 M1[requested] GT N0 and M2", "M0 M1 GT N0 and M2"),
            Example("M0 M1[genre] MOST M2", "M0 M1 MOST M2"),
        ),
    ),
    Rule(
        "wordings/not_any",  # behind 'do not', what stands before 'any station' is a verb
        r"(?P<before>not) {verb:-table!}(?= any {m:table!})",
        _without_verb,
        examples=(Example("not M0 any M1[table!]", "not any M1"),),
    ),
    Rule(
        "wordings/by_thing_and_unit",
        rf"{{by=by|per|for each|for every}} {{m=(?:the )?M\d+}} (?:(?:and|,|, and)(?: by| per)?|by) "
        rf"{{unit={_TIME_UNIT}}}",
        _unit_last,
        examples=(Example("by M0 and year", "by M0 per year"), Example("by M0 by year", "by M0 per year")),
    ),
    Rule(
        "wordings/by_unit_and_thing",
        rf"{{by=by|per|for each|for every}} {{unit={_TIME_UNIT}}} (?:and|,|, and)(?: by| per)? "
        r"{m=(?:the )?M\d+}(?= ?$| ?[?.]| (?:in|on|from|between|SINCE|BEFORE|AFTER|LE|GE) )",
        rewrite("per {unit} per {m}"),
        examples=(Example("per year and M0", "per year per M0"),),
    ),
    Rule(
        "wordings/by_compound",
        r"{by=by|per|each|every} {a:table!} {b:table!}(?= ?(?:$|\?|\.|in |and ))",
        _one_name,
        examples=(Example("per M0[table!] M1[table!]", "per M1"),),
    ),
    Rule(
        "wordings/new_then",
        r"new {m:table!}",
        _new,
        guard=_timed,
        examples=(
            Example("new M0[table!] per year", "COUNT M0 per year"),
            Example("new M0[table!]", "new M0"),
        ),
    ),
    Rule(
        "wordings/best_selling",
        rf"(?:the )?(?:{{n:number}} )?{_GRADE_SYMBOL}(?: {{n2:number}})? "
        r"(?:selling|sold|bought|purchased)(?: {n3:number})? "
        r"{m:table|column!,-numeric!,-time,-flag}(?! M\d)",
        _best_selling,
        examples=(
            Example("MAX~good selling M0[table]", "M0 S", ("top 1 by sum M1",), schema={"measure sold": 1}),
            Example("MAX~good selling M0[column!]", "M0 S", ("top 1 by sum M1",), schema={"measure sold": 1}),
            Example("MAX~good selling M0[column! time]", "MAX~good selling M0"),
            Example("MAX~good selling M0[column! flag] M1[table!]", "MAX~good selling M0 M1"),
        ),
    ),
    Rule(
        "wordings/best_rated",
        r"{m:table!} (?:(?:that|which|who|with|have|get|got|receive|the) )*{sup=MAX~good|MIN~bad|MAX~bad} "
        r"{r:table!}(?: (?:on |in )?(?:AVG|average))?",
        _best_rated,
        examples=(
            Example(
                "M0[table!] have MAX~good M1[table!] on AVG",
                "M0 S",
                ("top 1 by avg M2 (of M1)",),
                schema={"measure good": 2, "M2 column of M1": True},
            ),
        ),
    ),
    Rule(
        "wordings/best_people",
        r"(?:the )?(?:{n:number} )?{sup=MAX~good|MAX~bad|MIN~bad|top}(?: {n2:number})? {m:person,table!}"
        r"(?= ?$| [?.]| (?:in|of|for|per|from|within|among) )",
        _best_people,
        examples=(
            Example(
                "MAX~good M0[person table! customers]",
                "M0 S",
                ("top 10 by sum M1", "flag best_by2"),
                schema={"measure spent": 1, "event ordered": 2, "steps M2": (2,)},
            ),
            Example("MAX~good M0[table! movies]", "MAX~good M0"),
        ),
    ),
    Rule(
        "wordings/sold_most",
        r"{m:table!|column!,-numeric!,-time,-flag} (?:(?:have|who|that|be) )*{verb=M\d+|sold|sell} (?:the )?"
        r"{sup=MOST|LEAST}"
        r"(?= ?$| \?| (?:\w+ )?[DVN]\d)",
        _sold_most,
        examples=(
            Example("M0[table!] sold MOST", "M0 S", ("top 1 by sum M1",), schema={"measure sold": 1}),
            Example("M0[column!] be sold LEAST", "M0 S", ("bottom 1 by sum M1",), schema={"measure sold": 1}),
            Example("M0[column! numeric!] be sold MOST", "M0 be sold MOST"),
        ),
    ),
    Rule(
        "wordings/done_most_often",
        r"{m:table!} (?:(?:have|who|that) )*{verb=M\d+|[a-z]+} (?:the )?{sup=MOST|LEAST} "
        r"(?:often|frequently)",
        _done_most_often,
        examples=(
            Example("M0[table!] ordered MOST often", "M0 MOST M1", schema={"event ordered": 1}),
            Example("M0[table!] M1[table! rented] LEAST often", "M0 LEAST M1"),
            Example("M0[table!] sang MOST often", "M0 sang MOST often"),
        ),
    ),
    Rule(
        "wordings/was_late",
        r"(?:(?:that|which|who|be|have) )+(?:too )?(?:late|overdue|on time)(?= |$)(?! N\d)",
        _late,
        examples=(Example("be late", "C0", ("C0: M0 > M1",), schema={"times late": (0, 1)}),),
    ),
    Rule(
        "wordings/late_thing",
        r"(?:late|overdue|delayed) {m}",
        _late,
        examples=(Example("late M0", "C0 M0", ("C0: M1 > M2",), schema={"times late": (1, 2)}),),
    ),
    Rule(
        "wordings/shipped_late",
        r"(?:(?:that|which|who|be|have|get) )*{verb=M\d+|V\d+|[a-z]+ed} (?:too )?(?:late|on time)"
        r"(?= ?$| [?.,]| (?:by|per|for|in|of|each|every|from)(?!\S))",
        _late,
        guard=_is_done,
        examples=(
            Example("arrived late , by M0", "C0 , by M0", ("C0: M1 > M2",), schema={"times late": (1, 2)}),
            Example("M0[shipped] late", "C0", ("C0: M1 > M2",), schema={"times late": (1, 2)}),
            Example("M0[station] late", "M0 late"),
        ),
    ),
    Rule(
        "wordings/share_with_row",
        r"{lead=PERCENT|SHARE} (?:the |our |all )*{a:table!}(?P<of>(?: (?:in|from|of) (?:the )?V\d+)?) "
        r"(?:(?:that|which|who|be|have|get|with|a|an|at|GE|N\d+|placed|made|any|used|use|got|received) )*"
        r"{m:table,-moment,-flag}(?: (?:applied|attached|assigned))?(?= ?(?:$|\?|\.))",
        _with_row,
        examples=(
            Example("SHARE M0[table!] M1[table]", "SHARE M0 C0", ("C0: has M1", "flag held")),
            Example(
                "SHARE M0[table!] in V0[1] have M1[table]", "SHARE M0 in V0 C0", ("C0: has M1", "flag held")
            ),
        ),
    ),
    Rule(
        "wordings/again",
        r"{word=repeat|returning|recurring} {m:person}",
        _again,
        examples=(
            Example(
                "repeat M0[person]",
                "M0 C0",
                ("C0: count of M2 > 1",),
                schema={"event ordered": 1, "steps M1": (1, 2)},
            ),
            Example("repeat M0", "repeat M0"),
            Example(
                "repeat M0[person] per M3",
                "repeat M0 per M3",
                schema={"event ordered": 1},
            ),
        ),
    ),
    Rule(
        "wordings/recorded",
        r"(?P<before>{m:table!} (?:(?:that|which|who|be|have|do|we|ever) )*){verb=[a-z]+|M\d+}"
        r"(?P<behind>(?: (?:both|the|a|an|in|on|during|by|with|via|using|through|from|at|since|BEFORE|AFTER"
        r"|SINCE|between)){0,3}"
        r" (?:V\d+|D\d+|N\d+)| (?:LE|GE) [DN]\d+|(?= ?$)|(?= \?))",
        _recorded,
        examples=(
            Example("M0[table!] buy", "M0 M1", schema={"event buy": 1}),
            Example(
                "M0[table!] who M1[table! rented] in N0[2025]",
                "M0 who M1 C0",
                ("C0: M2 = N0",),
                schema={"times M1": 2},
            ),
            Example(
                "M0[table!] M1[table! rented] in N0[2025]",
                "M0 be M1 C0",
                ("C0: M2 = N0",),
                schema={"times M1": 2},
            ),
            Example(
                "M0[table!] who ordered in N0[2025]",
                "M0 who M1 C0",
                ("C0: M2 = N0",),
                schema={"event ordered": 1, "times M1": 2},
            ),
            Example(
                "M0[table!] who ordered both in N0[2024] and in N1[2025]",
                "M0 who M1 both C0 and in N1",
                ("C0: M2 = N0",),
                schema={"event ordered": 1, "times M1": 2},
            ),
            Example(
                "M0[table!] paid LE D0[2024-05-31]",
                "M0 M1 C0",
                ("C0: M2 <= D0",),
                schema={"event paid": 1, "times M1": (2,)},
            ),
            Example("M0[table!] paid LE D0[2024-05-31]", "M0 paid LE D0", schema={"event paid": 1}),
            Example("M0[table!] paid with V0", "M0 M1 with V0", schema={"event paid": 1, "steps M1": (1,)}),
        ),
    ),
    after=("totals",),
)
