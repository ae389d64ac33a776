"""The first and the last time of each: last order date per customer, when each building was last inspected.

Owns: aggregates of times that a wording asks for by 'last' and 'first', and the rows of those times where
more of them is shown: last order date and status per customer. Rows alone are `measures`'.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.atoms import Superlative
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule

_REQUEST: Final = r"(?:(?:what|be|'s|the|our|show|list|give|me|when|in|on|do|we|have) )*"
_LATEST_WORDS: Final = "last|latest|MAX~late|MAX~recent|MAX~new"
_EARLIEST_WORDS: Final = "first|earliest|MIN~early|MAX~old|MAX~early"
_END_ASKED: Final = rf"(?P<which>{_LATEST_WORDS}|{_EARLIEST_WORDS})"
_OTHER_END: Final = rf"(?P<both> (?:and|or)(?: the)? (?:{_LATEST_WORDS}|{_EARLIEST_WORDS}))"
_FOR_EACH: Final = r"(?:(?:of|for|in|from|by|to|at) (?:each|every)|per|by)(?: of)?(?: the)?"
_EACH: Final = "(?:of|for|in|from|by|to|at) (?:each|every)"
_KIND: Final = r"(?P<kind>(?:[VMC]\d+ (?:(?:or|and) )?)*?)"
_TAKES_PLACE: Final = r"(?:M\d+|placed|made|created|happen|booked|held|received|opened|issued|scheduled)"
_SUCH_ROWS: Final = r"(?: (?!(?:per|each|every|and) |by (?:the )?M\d+(?: ?$| [?.]))\S+){0,16}?"
_DATE_WORDS: Final = frozenset({"date", "dates", "day", "time", "timestamp"})
_EARLIEST_SYMBOLS: Final = frozenset(_EARLIEST_WORDS.split("|"))


def _end(found: RuleMatch) -> str:
    return "MIN" if found["which"] in _EARLIEST_SYMBOLS else "MAX"


def _moment(context: RuleContext, thing: int | None, said: int | None) -> int | None:
    """The mention of a time: a column that is named, or the time of the rows of a thing; None of neither."""
    times = () if thing is None else context.oracle.times(thing)
    if said is None or context.word(said) in _DATE_WORDS:
        # 'the last order date': whatever date an order has, and not one of whom it is of
        context.spend(said if times else None)
        if times:
            return times[-1]
    if said is None:
        return None
    kinds = context.kinds(said)
    timed = "time" in kinds and "table!" not in kinds
    mine = thing is None or context.oracle.related(said, "column of", thing)
    return said if timed and mine else None


def _of_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'last order date per customer': the greatest of the times of what belongs to each, or both ends."""
    moment = _moment(context, found.maybe("t"), found.at("m"))
    if moment is None:
        return None
    context.consumed(found.text)
    end, other = _end(found), found["both"].rpartition(" ")[2]
    if other and (other in _EARLIEST_SYMBOLS) == (found["which"] in _EARLIEST_SYMBOLS):
        return None
    ends = f"{end} and {'MIN' if end == 'MAX' else 'MAX'}" if other else end
    which = f" of {found['such'].strip()}" if found["such"] else ""
    return f"what be {ends} M{moment}{which}" + (f" per {found['g']}" if found["g"] else "")


def _row_of_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'last order date and status per customer': of the row with the greatest time, both."""
    said = found.maybe("m")
    thing = found.at("of") if said is not None or "table!" in context.kinds(found.at("of")) else None
    if thing is not None and not {"table", "table!"} & context.kinds(thing):
        return None
    moment = _moment(context, thing, found.at("of") if thing is None else said)
    if moment is None and thing is not None and said is None:
        moment = next(iter(context.oracle.times(thing)), None)
    shown = context.mentions(found["more"])
    if moment is None or (thing is not None and not _belong(context, shown, thing)):
        return None
    context.consumed(found.text)
    context.rank(Superlative(moment, _end(found) == "MAX", owner=thing))
    columns = " and ".join(f"M{m}" for m in (moment, *shown))
    whose = "" if thing is None else f" of M{thing}"
    return f"{columns}{whose} S per {found['g']}"


def _belong(context: RuleContext, shown: Sequence[int], thing: int) -> bool:
    """Whether what is shown beside a time may be told by the same row: its columns, or what it belongs to."""
    return all("table!" in context.kinds(m) or context.oracle.related(m, "column of", thing) for m in shown)


def _is_participle(context: RuleContext, mention: str) -> bool:
    return PARTICIPLE.fullmatch(context.said(mention)) is not None


def _row_of_each_one(context: RuleContext, found: RuleMatch) -> str | None:
    """'each customer's most recent order': the last order of each customer; of 'order date' the time."""
    thing, named = found.at("t"), found["m"] if found["m"] and not _is_participle(context, found["m"]) else ""
    if context.oracle.related(thing, "column of", found.at("g")) or not context.oracle.times(thing):
        return None
    if not named:
        behind = f" {found['m']}" if found["m"] else ""
        return f"{found['lead']}{found['which']} {found['kind']}{found['t']} of each {found['g']}{behind}"
    moment = _moment(context, thing, found.at("m"))
    if moment is None:
        return None
    context.consumed(found.text)
    of = f" of {found['kind']}{found['t']}" if found["kind"] else ""
    return f"what be {_end(found)} M{moment}{of} per {found['g']}"


def _both_ends(context: RuleContext, found: RuleMatch) -> str | None:
    """'when were the first and the last order placed', 'earliest and latest visit in May': both times."""
    moment = _moment(context, found.at("t"), None)
    other = found["both"].rpartition(" ")[2]
    if moment is None or (other in _EARLIEST_SYMBOLS) == (found["which"] in _EARLIEST_SYMBOLS):
        return None
    such, done = found["such"], found["done"]
    behind = (f"{such}{done}".split() or [""])[0]
    if is_mention(behind) and not _is_participle(context, behind):
        return None  # 'the first and last order date of delivered orders' names a column
    said_of = such.endswith((" be", " not", " that", " who")) or (
        is_mention(done.strip()) and not _is_participle(context, done.strip())
    )
    if said_of:  # 'that are paid' says which
        such, done = f"{such}{done}", ""
    such = re.sub(r" by (?=(?:the )?(?:[VC]\d+ )*M\d)", " of ", such)  # whose they are, no groups
    context.consumed(f"{found['lead']} {found['which']} {found['both']} {done}")
    context.spend(*context.mentions(found["lead"]), done.strip() or None)
    end = _end(found)
    ends = f"{end} and {'MIN' if end == 'MAX' else 'MAX'}"
    return f"what be {ends} M{moment} of {found['kind']}{found['t']}{such}"


def _date_of_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'date of the last order of each customer', 'for each customer, when was the last order in May'."""
    moment = _moment(context, found.at("t"), None)
    if moment is None or (found["m"] and context.word(found.at("m")) not in _DATE_WORDS):
        return None
    if found["each"] == " by " and context.said(found["g"]).endswith("s"):
        return None  # 'the date of the first order by members of the club'
    for part in ("lead", "which", "each", "each2", "had"):
        context.consumed(found[part])
    context.spend(found["m"])
    which = f"of {found['kind']}{found['t']}{found['such']} " if found["kind"] or found["such"] else ""
    first = f" {found['first'].rstrip(' ,')}" if found["first"] else ""
    return f"what be {_end(found)} M{moment} {which}per {found['g']}{found['whose']}{first}"


def _done_of_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'when was each M0 last inspected': the greatest time at which it was done."""
    said = found.at("m")
    table = "table" in context.kinds(said)
    moment = _moment(context, said, None) if table else None
    moment = moment if moment is not None else _moment(context, None, said)
    if moment is None:
        return None
    if moment != said:
        context.spend(said)
    context.consumed(found.text)
    return f"what be {_end(found)} M{moment} per {found['g']}{found['such']}"


def _beside_each(context: RuleContext, found: RuleMatch) -> str | None:
    """'customers with the date of their last order': each of them, and the greatest of its times."""
    said, thing = found.at("m"), found.maybe("t")
    one = thing is None and not found["d"] and re.search(r" with the (?!.* the )", found.text)
    if one and context.oracle.related(said, "column of", found.at("g")):
        return None  # 'the shop with the latest opening year': each has one
    if found["d"] and context.word(found.at("d")) not in _DATE_WORDS:
        return None
    moment = _moment(context, thing, said)
    if moment is None and thing is None and "table!" in context.kinds(said):
        moment = _moment(context, said, None)
        context.spend(said if moment is not None else None)
    if moment is None:
        return None
    context.consumed(found.text)
    context.spend(found["d"])
    return f"{found['g']} and {_end(found)} M{moment}"


RULES: Final = in_order(
    Rule(
        "ends_of_each/row_of_each",
        rf"^{_REQUEST}{_END_ASKED} {{of}}(?: {{m}})?"
        rf"(?P<more>(?: (?:and|,|with)(?: (?:its|their|the))* M\d+)+) {_FOR_EACH} {{g:table!|-numeric}}",
        _row_of_each,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "last M0[table!] M1[date] and M2 per M3[table!]",
                "M4 and M2 of M0 S per M3",
                ("top 1 by M4 (of M0)",),
                said="last order date and status per customer",
                schema={"times M0": 4, "M2 column of M0": True},
            ),
            Example(
                "MAX~late M0[time column] and M1 for each M2[table!]",
                "M0 and M1 S per M2",
                ("top 1 by M0",),
            ),
            Example(
                "last M0[table! table] and M1 per M2[table!]",
                "M3 and M1 of M0 S per M2",
                ("top 1 by M3 (of M0)",),
                said="last login and device per user",
                schema={"times M0": 3, "M1 column of M0": True},
            ),
            Example("last M0[price numeric] and M1 per M2[table!]", "last M0 and M1 per M2"),
        ),
    ),
    Rule(
        "ends_of_each/of_each",
        rf"^{_REQUEST}{_END_ASKED}{_OTHER_END}? (?P<such>(?:[VC]\d+ )*)(?:{{t:table!}} )?{{m}}"
        rf"(?: {_FOR_EACH} {{g}}|(?(both)(?={{END}}| (?:of|for|in|from|since|SINCE|BEFORE|AFTER) )|(?!)))",
        _of_each,
        before=("listings", "side_by_side"),
        examples=(
            Example("last M0[time column] of each M1[table!]", "what be MAX M0 per M1"),
            Example("last V0[1] M0[time column] by M1[table!]", "what be MAX M0 of V0 per M1"),
            Example(
                "MAX~late M0[table!] M1[date] per M2[table!]",
                "what be MAX M3 per M2",
                said="latest order date per customer",
                schema={"times M0": 3},
            ),
            Example(
                "first and last M0[table!] M1[date] per M2[table!]",
                "what be MIN and MAX M3 per M2",
                said="first and last order date per customer",
                schema={"times M0": 3},
            ),
            Example("MIN~early and MAX~late M0[time column]", "what be MIN and MAX M0"),
            Example("MIN~early M0[time column]", "MIN~early M0"),
            Example("last M0[table!] M1[name] of each M2[table!]", "last M0 M1 of each M2"),
        ),
    ),
    Rule(
        "ends_of_each/both_ends",
        rf"^(?P<lead>(?:(?:date|time|{{d}}) of )?{_REQUEST}(?:(?:date|time|{{d2}}) of )?(?:the |our )*)"
        rf"{_END_ASKED}(?P<both> and(?: when (?:be|do))?(?: the| our| date of)* "
        rf"(?:{_LATEST_WORDS}|{_EARLIEST_WORDS}))"
        rf" {_KIND}{{t:table!}}(?P<such>{_SUCH_ROWS})(?P<done>(?: {_TAKES_PLACE})?)(?= ?$| [?.])",
        _both_ends,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "when be the first and when be the last V0 M0[table!] placed ?",
                "what be MIN and MAX M1 of V0 M0 ?",
                schema={"times M0": 1},
            ),
            Example(
                "MIN~early and MAX~late M0[table!] with a M1 GT N0",
                "what be MIN and MAX M2 of M0 with a M1 GT N0",
                schema={"times M0": 2},
            ),
            Example(
                "M0[date] of the first and the last M1[table!]",
                "what be MIN and MAX M2 of M1",
                schema={"times M1": 2},
            ),
            Example("the first and the last M0[table!] per M1", "the first and the last M0 per M1"),
        ),
    ),
    Rule(
        "ends_of_each/row_of_each_one",
        rf"^(?P<lead>{_REQUEST}(?:for )?)(?:each|every) {{g:table!}} 's {_END_ASKED} {_KIND}{{t:table!}}"
        r"(?: {m})?",
        _row_of_each_one,
        before=("listings", "side_by_side", "grouping"),
        examples=(
            Example(
                "each M0[table!] 's MAX~recent V0 M1[table!] in N0",
                "MAX~recent V0 M1 of each M0 in N0",
                schema={"times M1": 2},
            ),
            Example("each M0[table!] 's last M1[table!]", "each M0 's last M1"),
            Example(
                "each M0[table!] 's first V0 M1[table!] M2[date]",
                "what be MIN M3 of V0 M1 per M0",
                said="each customer's first open order date",
                schema={"times M1": 3},
            ),
            Example(
                "each M0[table!] 's first M1[table!] M2[status]",
                "each M0 's first M1 M2",
                schema={"times M1": 3},
            ),
        ),
    ),
    Rule(
        "ends_of_each/date_of_each",
        rf"^(?P<lead>{_REQUEST}(?:date|time|{{m}}) of (?:the |their |its )?){_END_ASKED} {_KIND}{{t:table!}}"
        rf"(?:(?P<each> {_FOR_EACH} )|(?P<such>(?: \S+){{0,16}}?)(?P<each2> (?:{_EACH}|per) )){{g}}",
        _date_of_each,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "the M0[date] of the last M1[table!] of each M2[table!]",
                "what be MAX M3 per M2",
                said="date of the last order of each customer",
                schema={"times M1": 3},
            ),
            Example("the M0[name] of the last M1[table!] of each M2", "the M0 of the last M1 of each M2"),
        ),
    ),
    Rule(
        "ends_of_each/each_and_date",
        r"^(?P<first>(?:(?:[a-z]+|[A-Z]+|[DN]\d+) ){2,6}, )?"
        r"(?P<each>(?:for|of) (?:each|every) ){g:table!}(?P<whose>(?: \S+){0,8}?) , "
        rf"(?P<lead>{_REQUEST}(?:(?:date|time|{{m}}) of )?(?:the )?){_END_ASKED} {_KIND}{{t:table!}}",
        _date_of_each,
        guard=lambda context, found: (
            bool(found["m"]) or re.search("date|time|when", found["lead"]) is not None
        ),
        before=("listings", "side_by_side", "grouping"),
        examples=(
            Example(
                "for each M0[table!] in V0 , when be the first V1 M1[table!] in N0 ?",
                "what be MIN M2 of V1 M1 per M0 in V0 in N0 ?",
                schema={"times M1": 2},
            ),
            Example(
                "AFTER D0 , for each M0[table!] , when be the first C0[? = V0] M1[table!]",
                "what be MIN M2 of C0 M1 per M0 AFTER D0",
                schema={"times M1": 2},
            ),
            Example("for each M0[table!] , the last M1[table!]", "for each M0 , the last M1"),
        ),
    ),
    Rule(
        "ends_of_each/had_of_each",
        rf"^(?P<lead>when (?:do|have) )(?P<each>(?:each|every) ){{g:table!}}(?P<whose>(?: \S+){{0,8}}?) "
        rf"{_END_ASKED} (?P<had>(?:have|get|make|place) (?:an?|any|the) ){_KIND}{{t:table!}}",
        _date_of_each,
        before=("listings", "side_by_side", "grouping"),
        examples=(
            Example(
                "when do each M0[table!] last have a M1[table!] in N0 ?",
                "what be MAX M2 per M0 in N0 ?",
                schema={"times M1": 2},
            ),
        ),
    ),
    Rule(
        "ends_of_each/done_of_each",
        rf"^when (?:be|do|have) (?:(?:each|every|all|our|the) )+{{g:table!}}"
        rf"(?P<such>(?: (?:in |of |from |with |at )?(?:the )?[VC]\d+)*) {_END_ASKED} {{m}}"
        r"(?: (?:something|anything))?{END}",
        _done_of_each,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "when be each M0[table!] in V0[1] last M1[time moment] ?", "what be MAX M1 per M0 in V0 ?"
            ),
            Example(
                "when do each M0[table!] first M1[table] ?", "what be MIN M2 per M0 ?", schema={"times M1": 2}
            ),
        ),
    ),
    Rule(
        "ends_of_each/beside_each",
        rf"{{g:table!}} (?:(?:,|and|with|along with|together with) )+"
        rf"(?:(?:the )?(?:{{d}}|date|time) of )?(?:(?:the|their|its|his|her) )+{_END_ASKED} "
        r"(?:{t:table!} )?{m}{END}",
        _beside_each,
        before=("listings", "side_by_side"),
        examples=(
            Example(
                "M0[table!] with the date of their last M1[table!]", "M0 and MAX M2", schema={"times M1": 2}
            ),
            Example("M0[table!] and their first M1[time column]", "M0 and MIN M1"),
            Example(
                "M0[table!] and their latest M1[time column]",
                "M0 and MAX M1",
            ),
            Example(
                "M0[table!] with the latest M1[time column]",
                "M0 with the latest M1",
                schema={"M1 column of M0": True},
            ),
        ),
    ),
    after=("differences",),
)
