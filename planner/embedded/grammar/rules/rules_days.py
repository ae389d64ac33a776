"""Rules for days of the week and times of the day: on weekends, on Mondays, after 6pm, between 8 and 10 am.

Owns: conditions on a moment that every week or every day has again. Must not know: schemas, except what the
scan tells of a mention.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import Comparison, Operand
from askwire.planner.embedded.grammar.scanning import Scan, each, word_of
from askwire.planner.embedded.logical_form.ir import AnyOf, Compare, Condition, Literal, Term
from askwire.planner.embedded.logical_form.reckoning import DAY_NUMBER, TIME_OF_DAY
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_DAYS: Final = {
    day: ("=", str(place))
    for place, day in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), start=1
    )
}
_DAYS.update(weekend=(">=", "6"), weekday=("<=", "5"))
_OPPOSITE: Final = {"=": "<>", ">=": "<", "<=": ">", ">": "<=", "<": ">="}
_ON: Final = r"(?:on|at|during|over|in) (?:the |a |an |every |each )?"
_CLOCK: Final = r"(?:\d{1,2}(?:am|pm)|N\d+(?: : (?:N\d+|\d\d(?:am|pm)))?(?: (?:am|pm))?)"
_WHEN: Final = r"(?:M(?P<when>\d+) |(?P<verb>[a-z]+) )?(?P<not>not )?"
_CLOSING: Final = frozenset({"BEFORE", "LT", "until"})
_SIDES: Final = {"AFTER": ">", "GT": ">", "SINCE": ">=", "GE": ">=", "BEFORE": "<", "LT": "<", "until": "<"}


def days(scan: Scan) -> None:
    """'on weekend', 'on monday', 'AFTER 6pm', 'BEFORE N0 am', 'between 8am and 10am'."""

    def on(match: re.Match[str]) -> str | None:
        said = match["day"]
        mention = int(said[1:]) if said[1:].isdigit() else None
        word = said if mention is None else word_of(scan, mention).removesuffix("s")
        time = _moment(scan, match["when"])
        if word not in _DAYS or time is None:
            return None
        if mention is not None:
            scan.encoded.spent.add(mention)
        scan.consumed(match.group())
        operator, number = _DAYS[word]
        negated = bool(match["not"])
        atom = Comparison(time, operator, scan.quote(number), negated=negated, unit=DAY_NUMBER)
        return _kept(scan, match, time) + scan.note(atom)

    def told(match: re.Match[str]) -> str | None:
        bounds = [_clock(scan, match[name]) for name in ("low", "high") if match.groupdict().get(name)]
        closing = len(bounds) > 1 or match["side"] in _CLOSING
        if closing and bounds[-1] == "00:00":
            bounds[-1] = "24:00"  # midnight ends the day
        if "" in bounds or bounds == ["24:00"]:
            return None
        mention = _moment(scan, match["when"])
        if mention is None:
            return None
        scan.consumed(match.group())
        for word in match.group().split():
            scan.understood(word)  # '6pm' is one word
        operands: Sequence[Operand] = [scan.quote(bound) for bound in bounds]
        operator = "between" if len(bounds) > 1 else _SIDES[match["side"]]
        high = operands[1] if len(bounds) > 1 else None
        negated = bool(match["not"])
        atom = Comparison(mention, operator, operands[0], high, negated=negated, unit=TIME_OF_DAY)
        return _kept(scan, match, mention) + scan.note(atom)

    each(rf"{_WHEN}{_ON}(?P<day>M\d+|{'|'.join(_DAYS)})", scan, on)
    each(rf"{_WHEN}(?:between|from) (?P<low>{_CLOCK}) (?:and|to) (?P<high>{_CLOCK})", scan, told)
    each(rf"{_WHEN}(?P<side>{'|'.join(_SIDES)}) (?P<low>{_CLOCK})(?: o'clock)?", scan, told)


def _moment(scan: Scan, named: str | None) -> int | None:
    """The time that is meant: what was said just before, if that is one, or whatever the thing has."""
    if named is not None and "time" in scan.kind(int(named)) and "table!" not in scan.kind(int(named)):
        return int(named)
    return scan.attribute("time")


def _kept(scan: Scan, match: re.Match[str], time: int) -> str:
    """What was said just before stays in the line unless the condition is about it.

    'who ordered on weekends' tells of orders, which the verb names.
    """
    named, verb = match["when"], match["verb"]
    if named is not None:
        return "" if int(named) == time else f"M{named} "
    event = scan.event(verb) if verb in EVENTS else None
    if event is None:
        return f"{verb} " if verb else ""
    scan.understood(verb)
    return f"M{event} "


def _clock(scan: Scan, text: str) -> str:
    """A time of the day as '18:00'; '' of what is none."""
    read = re.sub(r"N(\d+)", lambda m: scan.encoded.numbers[int(m[1])].lemma, text).replace(" ", "")
    match = re.fullmatch(r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?P<half>am|pm)?", read)
    if match is None or not (match["minute"] or match["half"]):
        return ""
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def recurring(index: SchemaIndex, number: int, atom: Comparison, bounds: Sequence[str]) -> list[Condition]:
    """The conditions of such a comparison; none where the column tells no day, or no time of the day."""
    column = index.columns[number].column
    fits = column.type_name.startswith("timestamp") or (
        column.type_name == "date" if atom.unit == DAY_NUMBER else column.type_name.startswith("time")
    )
    if not fits:
        return []
    term = Term(number, unit=atom.unit)
    kind = "number" if atom.unit == DAY_NUMBER else "text"
    if atom.operator == "between":
        return _span(term, bounds[0], bounds[1], negated=atom.negated)
    operator = _OPPOSITE[atom.operator] if atom.negated else atom.operator
    return [Compare(term, operator, Literal(bounds[0], kind))]


def _span(term: Term, low: str, high: str, *, negated: bool) -> list[Condition]:
    """The times from one to the other; through midnight where the day ends between them."""
    if negated:
        low, high = high, low
    after, before = Compare(term, ">=", Literal(low, "text")), Compare(term, "<", Literal(high, "text"))
    return [after, before] if low < high else [AnyOf(((after,), (before,)))]
