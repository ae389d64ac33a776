"""Rules for ages: older than two years, aged over 60, patients under 18, the average age.

Owns: how old something is, said by a number; the age of people who have a date of birth alone.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import Comparison, Operand
from askwire.planner.embedded.grammar.scanning import COMPARE, WHEN, Scan, each, number_of
from askwire.planner.embedded.logical_form.reckoning import AGE

_UNIT: Final = r"(?P<unit>day|week|month|year)"
_BE: Final = r"(?:(?:that|which|who|whose|be|have) )*"
_NOT: Final = r"(?P<not>not )?"
_OLDEST: Final = 130
"""Years that a person may count."""
_LIKELY: Final = 0.5
_OR_MORE: Final = {"old": ">=", "more": ">=", "GT~old": ">=", "up": ">=", "young": "<=", "GT": ">="}
_OR_MORE.update(dict.fromkeys(("LT~young", "less", "LT", "below", "under"), "<="))
_MORE: Final = r"(?P<more>GT~old|LT~young|more|GT|up|less|LT)"


def ages(scan: Scan) -> None:
    """'GT~old N0 year', 'N0 year old', 'age GT N0', 'M0 LT N0' of people, 'AVG age of M0'."""
    _ago(scan)
    _said_old(scan)
    _of_people(scan)
    _age_itself(scan)


def _noted(scan: Scan, match: re.Match[str], operator: str, unit: str, high: str | None = None) -> str | None:
    """The condition as a placeholder, None where nothing tells how old a thing is."""
    operand = Operand("N", int(match["n"]))
    if unit == AGE and (scan.year(operand) or scan.money(operand)):
        return None
    mention = _from_when(scan, match.start(), unit)
    if mention is None:
        return None
    scan.consumed(match.group())
    other = Operand("N", int(high)) if high else None
    negated = bool(match.groupdict().get("not"))
    return scan.note(
        Comparison(mention, operator, operand, other, adjective="old", negated=negated, unit=unit)
    )


def _from_when(scan: Scan, start: int, unit: str) -> int | None:
    """The mention of the time from which it is old: of birth, or when what was said before `start` came.

    A number without a unit tells years, of what has a birth.
    """
    born = scan.attribute("old")
    things = [int(n) for n in re.findall(r"(?<!\S)M(\d+)", scan.line[: start + 4])]
    things = [n for n in things if "table!" in scan.kind(n)]
    if born is not None and (not things or scan.belongs(born, things[-1])):
        return born
    return None if unit == AGE else scan.attribute("time")


def _ago(scan: Scan) -> None:
    """'launched GT N0 year ago', 'for more than five years': when it was, told from today."""

    def past(match: re.Match[str]) -> str | None:
        verb = match["m"]
        mention = int(verb) if verb and "time" in scan.kind(int(verb)) else scan.attribute("time")
        if mention is None:
            return None
        scan.consumed(match.group())
        operand = Operand("N", _count(scan, match["n"]))
        operator = COMPARE[match["op"] or "GE"]
        lead = f"M{verb} " if verb and mention != int(verb) else ""
        return lead + scan.note(Comparison(mention, operator, operand, unit=match["unit"]))

    each(
        rf"(?:{_BE}M(?P<m>\d+) )?(?:from )?(?P<op>GT|GE|LT|LE) (?:N(?P<n>\d+)|an?) {_UNIT} ago",
        scan,
        past,
    )
    each(
        rf"(?:{_BE}M(?P<m>\d+) )?for (?P<op>GT|GE|LT|LE)(?:~long)? (?:N(?P<n>\d+)|an?) {_UNIT}"
        r"(?= ?$| \?| C\d)",
        scan,
        past,
    )


def _count(scan: Scan, place: str | None) -> int:
    """The place of a number of units; 'a year' is one."""
    if place is not None:
        return int(place)
    scan.encoded.numbers.append(scan.number("1"))
    return len(scan.encoded.numbers) - 1


def _said_old(scan: Scan) -> None:
    """'older than N0 years', 'N0 years old', 'N0 or older', 'between N0 and N1 years old'."""
    each(
        rf"{_BE}{_NOT}(?P<op>GT|GE|LT|LE|EQ)~(?:old|young|senior) N(?P<n>\d+)(?: {_UNIT}(?: of age| old)?)?",
        scan,
        lambda m: _noted(scan, m, COMPARE[m["op"]], m["unit"] or AGE),
    )
    each(
        rf"{_BE}(?:aged? )?{_NOT}(?:between|from) N(?P<n>\d+) (?:and|to) N(?P<n2>\d+)(?: year)?"
        r"(?P<end> old| of age)?",
        scan,
        lambda m: (
            _noted(scan, m, "between", AGE, m["n2"])
            if m["end"] or re.search(r"(?<!\S)aged? ", m.group())
            else None
        ),
    )
    each(
        rf"{_BE}(?:aged? )?N(?P<n>\d+)(?: year)?(?: old| of age)? (?:or|and) {_MORE}",
        scan,
        lambda m: (
            _noted(scan, m, _OR_MORE[m["more"]], AGE)
            if re.search(r"~|(?<!\S)(?:old|aged?|year)(?!\S)", m.group())
            else None
        ),
    )
    each(
        rf"{_BE}{_NOT}(?:(?P<op>GT|GE|LT|LE|EQ) )?N(?P<n>\d+) (?:(?P<unit>day|week|month|year) )?"
        r"(?:old|of age)",
        scan,
        lambda m: _noted(scan, m, COMPARE[m["op"] or "EQ"], m["unit"] or AGE),
    )
    each(
        rf"{_BE}(?:with )?(?:an )?aged? (?:of )?{_NOT}(?:be )?(?:(?P<op>GT|GE|LT|LE|EQ) )?N(?P<n>\d+)"
        r"(?: year)?",
        scan,
        lambda m: _noted(scan, m, COMPARE[m["op"] or "EQ"], AGE),
    )


def _of_people(scan: Scan) -> None:
    """'patients under 18': of people a small number that measures nothing else is their age."""

    def small(match: re.Match[str]) -> str | None:
        person = int(match["m"])
        if not {"person", "table!"} <= scan.kind(person) or match["op"] in WHEN:
            return None
        spoken = {t.lower for t in scan.encoded.tokens}
        mention = scan.attribute("old")
        if mention is None or not {"under", "over", "above", "below"} & spoken:
            return None
        if not scan.belongs(mention, person) or scan.encoded.mentions[mention].best < _LIKELY:
            return None
        if not 0 < number_of(scan, match["n"]) < _OLDEST:
            return None
        said = _noted(scan, match, COMPARE[match["op"]], AGE)
        return None if said is None else f"M{person} {said}"

    each(
        rf"M(?P<m>\d+) {_BE}{_NOT}(?P<op>GT|GE|LT|LE) N(?P<n>\d+)(?= ?$| [?.]| (?:by|per|in|from|with|for) )",
        scan,
        small,
    )


def _age_itself(scan: Scan) -> None:
    """'AVG age of M0', 'the age of each M0', where there is no column of ages."""

    def itself(match: re.Match[str]) -> str | None:
        mention = scan.attribute("old")
        if mention is None or scan.encoded.mentions[mention].best < _LIKELY:
            return None
        scan.consumed(match.group())
        scan.flags.add("age")
        return f"{match['lead']}M{mention}"

    def asked(match: re.Match[str]) -> str | None:
        said = itself(match)
        return None if said is None else f"what be {said} of"

    each(r"how old be(?P<lead>)(?= (?:(?:the|all|each|every|our) )*(?:M\d|MAX|MIN))", scan, asked)
    each(
        r"(?<!by )(?<!per )(?<!each )"
        r"(?P<lead>(?:AVG|MAX|MIN|and|the|their|name|MEDIAN|show|list|,|M\d+|be|or|what) )age"
        r"(?= (?:of|and|for|in|per|by|[?.])| ?$)",
        scan,
        itself,
    )
