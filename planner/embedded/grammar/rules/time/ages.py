"""Ages: older than two years, aged over 60, patients under 18, the average age.

Owns: how old something is, said by a number, and the age of people who have a date of birth alone.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import listed
from askwire.planner.embedded.grammar.atoms import COMPARE, WHEN, Comparison, Operand
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.logical_form.expressions import AGE, MONTH_NUMBER

_AGE_UNIT: Final = r"{unit=day|week|month|year}"
_LINKING: Final = r"(?:(?:that|which|who|whose|be|have) )*"
_NOT: Final = r"{not=not }?"
MAX_AGE: Final = 130
"""Years that a person may count."""
MIN_BIRTH_SCORE: Final = 0.5
"""The least score at which a column tells how old people are, where only the number says so."""
_SIGNS: Final = {"old": ">=", "more": ">=", "GT~old": ">=", "up": ">=", "young": "<=", "GT": ">="}
_SIGNS.update(dict.fromkeys(("LT~young", "less", "LT", "below", "under"), "<="))


def _aged(
    context: RuleContext, found: RuleMatch, operator: str, *, unit: str = AGE, high: str = ""
) -> str | None:
    """The condition as a placeholder, None where nothing tells how old a thing is."""
    operand = found.operand("n")
    if unit == AGE and (context.year(operand) or context.money(operand)):
        return None
    mention = _from_when(context, found.start, unit)
    if mention is None:
        return None
    context.consumed(found.text)
    other = Operand("N", int(high[1:])) if high else None
    negated = bool(found["not"])
    return context.note(
        Comparison(mention, operator, operand, other, adjective="old", negated=negated, unit=unit)
    )


def _from_when(context: RuleContext, start: int, unit: str) -> int | None:
    """The mention of the time from which it is old: of birth, or when what was said before `start` came.

    A number without a unit tells years, of what has a birth.
    """
    born = context.measure("old")
    things = [n for n in context.mentions(context.symbols[: start + 4]) if "table!" in context.kinds(n)]
    if born is not None and (not things or context.oracle.related(born, "column of", things[-1])):
        return born
    return None if unit == AGE else context.measure("time")


def _ago(context: RuleContext, found: RuleMatch) -> str | None:
    """'launched GT N0 year ago', 'for more than five years': when it was, told from today."""
    verb = found.maybe("m")
    timely = verb is not None and "time" in context.kinds(verb)
    moment = verb if timely else context.measure("time")
    if moment is None:
        return None
    context.consumed(found.text)
    operand = found.operand("n") if found["n"] else context.figure("1")  # 'a year' is one
    atom = Comparison(moment, COMPARE[found["op"]], operand, unit=found["unit"])
    return ("" if timely else f"{found['m']} ") + context.note(atom)


def _compared(context: RuleContext, found: RuleMatch) -> str | None:
    return _aged(context, found, COMPARE[found["op"] or "EQ"], unit=found["unit"] or AGE)


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    return _aged(context, found, "between", high=found["n2"])


def _or_more(context: RuleContext, found: RuleMatch) -> str | None:
    return _aged(context, found, _SIGNS[found["more"]])


_BIRTHDAY_WORDS: Final = frozenset(listed("birthday birthdays"))
_AGED_WORD: Final = re.compile(r"(?<!\S)aged? ")
_AGE_WORDS: Final = re.compile(r"~|(?<!\S)(?:old|aged?|year)(?!\S)")


_PEOPLE: Final = frozenset(listed("women men girls boys females males ladies gentlemen adults children"))


def _of_people(context: RuleContext, found: RuleMatch) -> str | None:
    """'patients under 18': of people a small number that measures nothing else is their age."""
    if found["op"] in WHEN or "have" in found.text.split():
        return None
    born = context.measure("old")
    if born is None or not context.spoken("under", "over", "above", "below"):
        return None
    if found["m"] and not context.oracle.related(born, "column of", found.at("m")):
        return None
    if found["v"] and context.encoded.values[found.at("v")].text.lower() not in _PEOPLE:
        return None
    if (
        context.encoded.mentions[born].best < MIN_BIRTH_SCORE
        or not 0 < context.number(found.at("n")) < MAX_AGE
    ):
        return None
    said = _aged(context, found, COMPARE[found["op"]])
    return None if said is None else f"{found['m'] or found['v']} {found['by']}{said}"


def _age(context: RuleContext, found: RuleMatch) -> int | None:
    """The mention of a birth, where an age is asked for and no column holds it."""
    mention = context.measure("old")
    if mention is None or context.encoded.mentions[mention].best < MIN_BIRTH_SCORE:
        return None
    context.consumed(found.text)
    context.flags.add("age")
    return mention


def _how_old(context: RuleContext, found: RuleMatch) -> str | None:
    mention = _age(context, found)
    return None if mention is None else f"what be M{mention} of"


def _age_itself(context: RuleContext, found: RuleMatch) -> str | None:
    mention = _age(context, found)
    return None if mention is None else f"{found['lead']}M{mention}"


def _birthday(context: RuleContext, found: RuleMatch) -> str | None:
    """'birthday in May', 'born in May': the month of a birth, of whatever year."""
    span = context.encoded.times[found.at("d")]
    born = context.measure("old")
    if born is None or (found["born"] and not span.month):
        return None
    if found["m"] and not _BIRTHDAY_WORDS & set(context.encoded.mentions[found.at("m")].words):
        return None
    if context.encoded.mentions[born].best < MIN_BIRTH_SCORE:
        return None
    context.spend(found["m"])
    context.consumed(found.text)
    negated = bool(found["not"])
    return context.note(Comparison(born, "=", found.operand("d"), negated=negated, unit=MONTH_NUMBER))


RULES: Final = in_order(
    Rule(
        "ages/birthday",
        r"(?:(?:with|have|celebrate|whose|who|that|be|do|on|a|the|their) )*"
        rf"(?:{{m:time}}|birthday|{{born=born}}) (?:(?:be|fall|come|date) )*{_NOT}"
        r"(?:(?:in|on|during) )?{d:date}",
        _birthday,
        examples=(
            Example(
                "M0[table!] with M1[time birthday] in D0[2024-05]",
                "M0 C0",
                ("C0: M2 = D0 month numbers",),
                schema={"measure old": 2},
            ),
            Example("M0[table!] with M1[time arrival] in D0[2024-05]", "M0 with M1 in D0"),
        ),
    ),
    Rule(
        "ages/so_long_ago",
        rf"(?:{_LINKING}{{m}} )?(?:from )?{{op=GT|GE|LT|LE}} (?:{{n:number}}|an?) {_AGE_UNIT} ago",
        _ago,
        examples=(Example("M0[time] GT N0[5] year ago", "C0", ("C0: M0 > N0 years",)),),
    ),
    Rule(
        "ages/for_so_long",
        rf"(?:{_LINKING}{{m}} )?for {{op=GT|GE|LT|LE}}(?:~long)? (?:{{n:number}}|an?) {_AGE_UNIT}(?= ?$| \?"
        rf"| C\d)",
        _ago,
        examples=(Example("for GT N0[5] year", "C0", ("C0: M0 > N0 years",), schema={"measure time": 0}),),
    ),
    Rule(
        "ages/older_than",
        rf"{_LINKING}{_NOT}{{op=GT|GE|LT|LE|EQ}}~(?:old|young|senior) {{n:number}}"
        rf"(?: {_AGE_UNIT}(?: of age| old)?)?",
        _compared,
        examples=(Example("GT~old N0[40]", "C0", ("C0: M0 (old) > N0 ages",), schema={"measure old": 0}),),
    ),
    Rule(
        "ages/aged_between",
        rf"{_LINKING}(?:aged? )?{_NOT}(?:between|from) {{n:number}} (?:and|to) {{n2:number}}(?: year)?"
        r"{end= old| of age}?",
        _between,
        guard=lambda context, found: bool(found["end"] or _AGED_WORD.search(found.text)),
        examples=(
            Example(
                "between N0[30] and N1[40] old",
                "C0",
                ("C0: M0 (old) between N0 ages and N1",),
                schema={"measure old": 0},
            ),
            Example("between N0[30] and N1[40]", "between N0 and N1"),
        ),
    ),
    Rule(
        "ages/or_older",
        rf"{_LINKING}(?:aged? )?{{n:number}}(?: year)?(?: old| of age)? (?:or|and) "
        r"{more=GT~old|LT~young|more|GT|up|less|LT}",
        _or_more,
        guard=lambda context, found: _AGE_WORDS.search(found.text) is not None,
        examples=(
            Example("N0[25] or GT~old", "C0", ("C0: M0 (old) >= N0 ages",), schema={"measure old": 0}),
            Example("N0[65] or LT~young", "C0", ("C0: M0 (old) <= N0 ages",), schema={"measure old": 0}),
            Example("N0[3] or more", "N0 or more"),
        ),
    ),
    Rule(
        "ages/years_old",
        rf"{_LINKING}{_NOT}(?:{{op=GT|GE|LT|LE|EQ}} )?{{n:number}} (?:{_AGE_UNIT} )?(?:old|of age)",
        _compared,
        examples=(
            Example("not N0[20] old", "C0", ("C0: not M0 (old) = N0 ages",), schema={"measure old": 0}),
            Example("N0[18] year old", "C0", ("C0: M0 (old) = N0 years",), schema={"measure old": 0}),
        ),
    ),
    Rule(
        "ages/aged",
        rf"{_LINKING}(?:with )?(?:an )?aged? (?:of )?{_NOT}(?:be )?(?:{{op=GT|GE|LT|LE|EQ}} )?{{n:number}}"
        r"(?: year)?",
        _compared,
        examples=(Example("age GT N0[60]", "C0", ("C0: M0 (old) > N0 ages",), schema={"measure old": 0}),),
    ),
    Rule(
        "ages/people_under",
        r"(?:{m:person,table!}|{v:value}) "
        r"{by=(?:(?:in|of|from) (?:the )?(?:[CV]\d+|(?:first|second|third) M\d+) )*}"
        rf"{_LINKING}{_NOT}{{op=GT|GE|LT|LE}} {{n:number}}"
        r"(?= ?$| [?.]| (?:(?:by|per|in|from|with|for|who|that|be|do|have) |M\d))",
        _of_people,
        examples=(
            Example(
                "M0[person table!] LT N0[18]",
                "M0 C0",
                ("C0: M1 (old) < N0 ages",),
                schema={"measure old": 1, "M1 column of M0": True},
                said="under",
            ),
            Example("M0[table!] LT N0[18]", "M0 LT N0", said="under"),
            Example("M0[person table!] have GT N0[2] M1[table!]", "M0 have GT N0 M1", said="over"),
            Example(
                "M0[person table!] in V0[1] LT N0[18]",
                "M0 in V0 C0",
                ("C0: M1 (old) < N0 ages",),
                schema={"measure old": 1, "M1 column of M0": True},
                said="under",
            ),
        ),
    ),
    Rule(
        "ages/how_old",
        r"how old be(?= (?:(?:the|all|each|every|our) )*(?:M\d|MAX|MIN))",
        _how_old,
        examples=(
            Example("how old be MAX~old", "what be M0 of MAX~old", ("flag age",), schema={"measure old": 0}),
        ),
    ),
    Rule(
        "ages/age_itself",
        r"(?<!by )(?<!per )(?<!each )"
        r"{lead=(?:AVG|MAX|MIN|and|the|their|name|MEDIAN|show|list|,|M\d+|be|or|what) }age"
        r"(?= (?:of|and|for|in|per|by|[?.])| ?$)",
        _age_itself,
        examples=(Example("AVG age", "AVG M0", ("flag age",), schema={"measure old": 0}),),
    ),
    after=("events",),
)
