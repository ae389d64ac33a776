"""Rules for spans of time: days between order and shipment, time to close a ticket, days since the last one.

Owns: what lasts, from when to when, and in which unit. Must not know: schemas, except what the scan tells of
a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.scanning import Scan, each, word_of

_UNIT: Final = r"(?P<unit>day|hour|minute)"
_TIME: Final = (
    rf"(?:time|{_UNIT}|COUNT (?P<unit2>day|hour|minute)|COUNT M\d+|M\d+|gap|delay|duration|period|lag)"
)
_ANY: Final = r"(?:(?:the|a|an|our|each|every|all|their|its|of) )*"
_TAKE: Final = r"(?:take|took|takes|need|needs|require)"
_ON_AVERAGE: Final = r"(?: (?:on |in )?(?:AVG|average|general))?"
_TIMELY: Final = frozenset(
    {
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
    }
)


def spans(scan: Scan) -> None:
    """'AVG day between M0 and M1', 'how long do it take to M0 a M1', 'COUNT day SINCE the last M0'."""
    spoken = {t.lower for t in scan.encoded.tokens}
    if not spoken & _TIMELY and not spoken & {"long", "ago", "since"}:
        return
    _units(scan)
    _since(scan)
    _between(scan)
    _until(scan)
    _whole(scan)


def _unit(scan: Scan, match: re.Match[str]) -> None:
    groups = match.groupdict()
    unit = groups.get("unit") or groups.get("unit2") or ""
    counted = re.search(r"(?<!\S)(?:COUNT|AVG|SUM|MAX|MIN) M(\d+)", match.group())
    if not unit and counted and word_of(scan, int(counted[1])).rstrip("s") in {"day", "hour", "minute"}:
        unit = word_of(scan, int(counted[1])).rstrip("s")
    if unit:
        scan.flags.add(f"in_{unit}")
    scan.consumed(match.group())


def _units(scan: Scan) -> None:
    """'… in days' says in what a span is told."""

    def told(match: re.Match[str]) -> str:
        _unit(scan, match)
        return ""

    each(rf"in {_UNIT}(?= ?$| \?)", scan, told)


def _said(scan: Scan, symbol: str) -> str:
    """The word that a symbol or a plain word stands for."""
    return word_of(scan, int(symbol[1:])) if re.fullmatch(r"M\d+", symbol) else symbol


def _spent(scan: Scan, *symbols: str | None) -> None:
    for symbol in symbols:
        if symbol and re.fullmatch(r"M\d+", symbol):
            scan.encoded.spent.add(int(symbol[1:]))


def _since(scan: Scan) -> None:
    """'how many days since the last M0', 'how long ago be the last M0'."""

    def ago(match: re.Match[str]) -> str | None:
        thing = int(match["m"])
        if "table" not in scan.kind(thing):
            return None
        mention = scan.last_time(thing)
        if mention is None:
            return None
        counted = re.match(r"COUNT M(\d+)", match.group())
        if counted:
            if word_of(scan, int(counted[1])) not in {"day", "days"}:
                return None
            scan.encoded.spent.add(int(counted[1]))
        scan.consumed(match.group())
        scan.understood("since")
        first = match["which"] in {"first", "MIN~early", "MAX~old"}
        return f"what be {'AGOFIRST' if first else 'AGO'} M{mention} of M{thing}"

    last = r"(?P<which>last|first|MAX~recent|MAX~late|MIN~early|MAX~new|MAX~old) (?:recent )?M(?P<m>\d+)"
    lead = r"(?:what be |show |give )?(?:COUNT (?:day|M\d+)|how long|day)"
    passed = r"(?: (?:have|it|been|be|pass|passed|elapsed|gone by|do))*"
    each(rf"{lead}{passed} SINCE {_ANY}{last}(?: (?:be )?(?:placed|made|taken|happen))?", scan, ago)
    each(
        rf"(?:COUNT (?:day|M\d+) ago|how long ago) (?:be|do|have) {_ANY}{last}(?: (?:placed|made|happen))?",
        scan,
        ago,
    )


def _between(scan: Scan) -> None:
    """'AVG day between M0 and M1', 'time from M0 to M1'."""

    def lasted(match: re.Match[str]) -> str | None:
        symbols = (match["a"], match["b"])
        found = scan.between(*symbols)
        named = re.match(r"(?:AVG |COUNT |MAX |MIN |SUM )?M(\d+)", match.group())
        if found is None or (named and word_of(scan, int(named[1])) not in _TIMELY):
            return None
        _unit(scan, match)
        _spent(scan, *symbols, f"M{named[1]}" if named else None)
        things = [s for s in symbols if re.fullmatch(r"M\d+", s) and "table!" in scan.kind(int(s[1:]))]
        whose = f" of {things[0]}" if things else ""
        for thing in things[:1]:
            scan.encoded.spent.discard(int(thing[1:]))
        aggregate = match["agg"] or ("AVG" if " AVG" in match.group() else "")
        return f"{aggregate} M{found}{whose if not match['of'] else ' of ' + match['of']}".strip()

    of = r"(?: (?:of|for) (?:(?:a|an|the|each|all|our) )*(?P<of>M\d+))?"
    each(
        rf"(?:the )?(?:(?P<agg>AVG|MAX|MIN|SUM) )?(?:(?:COUNT|of) )?{_TIME}"
        rf"(?: (?:elapsed|passed|that pass|pass))? (?:between|from) {_ANY}(?P<a>M\d+|[a-z]+) "
        rf"(?:and|to|until|till) {_ANY}(?P<b>M\d+|[a-z]+){of}"
        rf"{_ON_AVERAGE}",
        scan,
        lasted,
    )


def _until(scan: Scan) -> None:
    """'how long do it take to ship a M0', 'AVG time to close a M0', 'AVG resolution time of M0'."""

    def lasted(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        thing, verb = int(match["m"]), _said(scan, match["verb"])
        if "table" not in scan.kind(thing) or not verb:
            return None
        found = scan.lasting(thing, verb)
        if found is None:
            return None
        named = re.search(r"(?:AVG|COUNT|MAX|MIN|SUM) M(\d+) (?:it|to|until|till|that)", match.group())
        if named and word_of(scan, int(named[1])) not in _TIMELY:
            return None
        _unit(scan, match)
        _spent(scan, match["verb"], f"M{named[1]}" if named else None, groups.get("it"))
        who = groups.get("who") or ""
        return f"{groups.get('agg') or 'AVG'} M{found} of M{thing}{' with ' + who if who else ''}"

    verb = r"(?P<verb>M\d+|[a-z]+)"
    thing = r"M(?P<m>\d+)"
    how = rf"(?:how long|COUNT {_UNIT}|COUNT M\d+)"
    each(
        rf"{how} (?:do|would|will|have) it {_TAKE}?{_ON_AVERAGE} (?:to|until|for us to) {verb}"
        rf" {_ANY}{thing}{_ON_AVERAGE}",
        scan,
        lasted,
    )
    each(
        rf"{how} (?:do|would|will) it {_TAKE}?{_ON_AVERAGE} (?:for|until) {_ANY}{thing} "
        rf"(?:to )?(?:be |get )*{verb}{_ON_AVERAGE}",
        scan,
        lasted,
    )
    each(
        rf"(?:(?P<agg>AVG|MAX|MIN) )?{_TIME} (?:it {_TAKE} )?(?:to|until|till) {verb} {_ANY}{thing}",
        scan,
        lasted,
    )
    each(
        rf"(?:(?P<agg>AVG|MAX|MIN) ){verb} (?:time|duration|delay) (?:of|for) {_ANY}{thing}",
        scan,
        lasted,
    )
    each(
        rf"(?:(?P<agg>AVG|MAX|MIN) ){thing} {verb} (?:time|duration)",
        scan,
        lasted,
    )
    # 'how long do learners take to complete a course': what is completed, or who does it
    each(
        rf"(?:how long|(?P<it>M\d+)) do (?P<who>M\d+|V\d+) {_TAKE} to {verb} {_ANY}{thing}{_ON_AVERAGE}",
        scan,
        lambda m: lasted(m) if m["it"] is None or m["it"] in _how_long(scan) else None,
    )


def _how_long(scan: Scan) -> set[str]:
    """The mentions that 'how long' was taken for."""
    return {
        f"M{n}" for n, m in enumerate(scan.encoded.mentions) if m.start < 0 and m.words[:1] == ("length",)
    }


def _whole(scan: Scan) -> None:
    """'AVG length of a M0', 'how long be M0 on average', where no column holds it."""

    def lasted(match: re.Match[str]) -> str | None:
        thing = int(match["m"])
        if "table!" not in scan.kind(thing):
            return None
        named = match.groupdict().get("it")
        if named is not None and named not in _how_long(scan) and _said(scan, named) not in _TIMELY:
            return None
        found = scan.lasting(thing, "")
        if found is None:
            return None
        _unit(scan, match)
        _spent(scan, named)
        return f"{match['agg'] or 'AVG'} M{found} of M{thing}"

    each(
        rf"(?P<agg>AVG|MAX|MIN|SUM) (?:(?:length|duration)|(?P<it>M\d+)) (?:of|for) {_ANY}M(?P<m>\d+)"
        rf"{_ON_AVERAGE}",
        scan,
        lambda m: lasted(m) if m["it"] is None or _unknown(scan, m["it"], int(m["m"])) else None,
    )
    each(
        r"(?P<agg>AVG|MAX|MIN|SUM) M(?P<m>\d+) (?:length|duration|(?P<it>M\d+))(?! of M)",
        scan,
        lambda m: lasted(m) if m["it"] is None or _unknown(scan, m["it"], int(m["m"])) else None,
    )
    each(
        rf"(?:how long|(?P<it>M\d+)) (?:be|do|have) {_ANY}(?P<agg>AVG )?M(?P<m>\d+)"
        rf"(?: (?:last|lasted|take|took|stay|remain|be|open|go on))*{_ON_AVERAGE}(?= ?$| \?)",
        scan,
        lambda m: lasted(m) if re.search(r"AVG|average", m.group()) else None,
    )


def _unknown(scan: Scan, symbol: str, thing: int) -> bool:
    """Whether a word like 'length' is but like the name of a column of something else."""
    mention = int(symbol[1:])
    return _said(scan, symbol) in {"length", "duration"} and not scan.belongs(mention, thing)
