"""Days of the week and times of the day: on weekends, on Mondays, after 6pm, between 8 and 10 am.

Owns: conditions on a moment that every week or every day has again.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import Comparison, Either, Together
from askwire.planner.embedded.grammar.context import RuleContext, is_mention
from askwire.planner.embedded.grammar.notation import RuleMatch
from askwire.planner.embedded.grammar.order import in_order
from askwire.planner.embedded.grammar.rule import Example, Rule
from askwire.planner.embedded.logical_form.expressions import DAY_NUMBER, TIME_OF_DAY

_DAY_OF_WEEK_BOUNDS: Final = {
    day: ("=", str(place))
    for place, day in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), start=1
    )
}
_DAY_OF_WEEK_BOUNDS.update(weekend=(">=", "6"), weekday=("<=", "5"))
_CLOCK_TIME: Final = r"(?:\d{1,2}(?:am|pm)|N\d+(?: : (?:N\d+|\d\d(?:am|pm)))?(?: (?:am|pm))?)"
_DAY_WORD: Final = rf"M\d+|{'|'.join(_DAY_OF_WEEK_BOUNDS)}"
_DAY_SEPARATOR: Final = r"(?: ,)? (?:or|and|,) (?:on )?(?:a )?"
_TIME_SUBJECT: Final = r"(?:{when} |{verb=[a-z]+} )?{not=not }?"
_UPPER_BOUND_WORDS: Final = frozenset({"BEFORE", "LT", "until"})
_SIGNS: Final = {"AFTER": ">", "GT": ">", "SINCE": ">=", "GE": ">=", "BEFORE": "<", "LT": "<", "until": "<"}


def _on_day(context: RuleContext, found: RuleMatch) -> str | None:
    """'on weekend', 'on monday', 'on saturday or sunday'."""
    more = re.split(rf"({_DAY_SEPARATOR})", found["more"])
    days = [_day(context, said) for said in (found["day"], *more[2::2])]
    known = days.index("") if "" in days else len(days)  # 'on monday and in 2024'
    moment = _moment(context, found.maybe("when"))
    if not known or moment is None:
        return None
    context.spend(found["day"], *more[2 : 2 * known : 2])
    context.consumed(found.text)
    negated = bool(found["not"])
    parts = tuple(
        Comparison(moment, operator, context.quote(number), negated=negated, unit=DAY_NUMBER)
        for operator, number in (_DAY_OF_WEEK_BOUNDS[day] for day in days[:known])
    )
    several = Together(parts) if negated else Either(parts, both=False)  # not on one, nor on another
    place = context.note(parts[0] if known == 1 else several)
    return f"{_kept(context, found, moment)}{place}{''.join(more[2 * known - 1 :])}"


def _day(context: RuleContext, said: str) -> str:
    """The day of the week that a symbol is, '' of none."""
    word = context.word(int(said[1:])) if is_mention(said) else said
    return next((day for day in (word, word.removesuffix("s")) if day in _DAY_OF_WEEK_BOUNDS), "")


def _between(context: RuleContext, found: RuleMatch) -> str | None:
    """'between 8am and 10am'."""
    low, high = _clock(context, found["low"]), _clock(context, found["high"])
    if high == "00:00":
        high = "24:00"  # midnight ends the day
    moment = _moment(context, found.maybe("when")) if low and high else None
    if moment is None:
        return None
    _said(context, found)
    bounds = context.quote(low), context.quote(high)
    atom = Comparison(moment, "between", *bounds, negated=bool(found["not"]), unit=TIME_OF_DAY)
    return _kept(context, found, moment) + context.note(atom)


def _on_side(context: RuleContext, found: RuleMatch) -> str | None:
    """'AFTER 6pm', 'BEFORE N0 am'."""
    bound = _clock(context, found["low"])
    midnight = bound == "00:00" and found["side"] in _UPPER_BOUND_WORDS
    moment = _moment(context, found.maybe("when")) if bound and not midnight else None
    if moment is None:
        return None
    _said(context, found)
    operator, negated = _SIGNS[found["side"]], bool(found["not"])
    atom = Comparison(moment, operator, context.quote(bound), negated=negated, unit=TIME_OF_DAY)
    return _kept(context, found, moment) + context.note(atom)


def _said(context: RuleContext, found: RuleMatch) -> None:
    context.consumed(found.text)
    for word in found.text.split():
        context.understood(word)  # '6pm' is one word


def _moment(context: RuleContext, named: int | None) -> int | None:
    """The time that is meant: what was said just before, if that is one, or whatever the thing has."""
    if named is not None and "time" in context.kinds(named) and "table!" not in context.kinds(named):
        return named
    return context.measure("time")


def _kept(context: RuleContext, found: RuleMatch, moment: int) -> str:
    """What was said just before stays in the line unless the condition is about it.

    'who ordered on weekends' tells of orders, which the verb names.
    """
    if found["when"]:
        return "" if found.at("when") == moment else f"{found['when']} "
    verb = found["verb"]
    event = context.oracle.event(verb) if verb in EVENTS else None
    if event is None:
        return f"{verb} " if verb else ""
    context.understood(verb)
    return f"M{event} "


def _clock(context: RuleContext, text: str) -> str:
    """A time of the day as '18:00'; '' of what is none."""
    read = re.sub(r"N(\d+)", lambda m: context.encoded.numbers[int(m[1])].lemma, text).replace(" ", "")
    match = re.fullmatch(r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?P<half>am|pm)?", read)
    if match is None or not (match["minute"] or match["half"]):
        return ""
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


RULES: Final = in_order(
    Rule(
        "times_of_day/on_day",
        rf"{_TIME_SUBJECT}(?:on|at|during|over|in) (?:the |a |an |every |each )?{{day={_DAY_WORD}}}"
        rf"(?P<more>(?:{_DAY_SEPARATOR}(?:{_DAY_WORD})){{0,6}})",
        _on_day,
        examples=(
            Example("M0[time] on weekend", "C0", ("C0: M0 >= Q0 weekday numbers",)),
            Example("M0[time] on M1[mondays]", "C0", ("C0: M0 = Q0 weekday numbers",)),
            Example(
                "M0[time] on saturday or sunday and M1",
                "C0 and M1",
                ("C0: M0 = Q0 weekday numbers or M0 = Q1 weekday numbers",),
            ),
        ),
    ),
    Rule(
        "times_of_day/between",
        rf"{_TIME_SUBJECT}(?:between|from) (?P<low>{_CLOCK_TIME}) (?:and|to) (?P<high>{_CLOCK_TIME})",
        _between,
        examples=(
            Example("M0[time] between 10pm and 6am", "C0", ("C0: M0 between Q0 time of days and Q1",)),
            Example(
                "M0[time] not between 8am and 10am", "C0", ("C0: not M0 between Q0 time of days and Q1",)
            ),
        ),
    ),
    Rule(
        "times_of_day/on_side",
        rf"{_TIME_SUBJECT}{{side={'|'.join(_SIGNS)}}} (?P<low>{_CLOCK_TIME})(?: o'clock)?",
        _on_side,
        examples=(
            Example("M0[time] AFTER 6pm", "C0", ("C0: M0 > Q0 time of days",)),
            Example("M0[time] BEFORE N0[9] am", "C0", ("C0: M0 < Q0 time of days",)),
        ),
    ),
    after=("compounds",),
)
