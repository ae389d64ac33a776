"""Rules for the calendar and the clock: the busiest hour, by weekday, 2023 vs 2024, running totals, growth.

Owns: units of time that are ranked, set side by side, or followed. Must not know: schemas, except what the
scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import Comparison, Either, Operand, Output, Superlative
from askwire.planner.embedded.grammar.scanning import Scan, each, number_of

_UNIT: Final = r"(?P<unit>hour|day|week|month|quarter|year)"
_SHORT: Final = {"yoy": "year", "mom": "month", "qoq": "quarter"}
_VERSUS: Final = r"(?:vs|versus|against|compared? (?:to|with)|and how many in)"
_AUX: Final = (
    r"(?:(?:do|have|be|with|see|there|we|the|us|bring|brought|in|make|made|sell|sold|generate|generated|get"
    r"|got|happen|it|that|when|receive|received|which) )*"
)
_DAYS: Final = {1: "day", 7: "week"}


def clock(scan: Scan) -> None:
    """'which month have MOST M0', 'by weekday', 'N0 vs N1', 'running total of M0', 'M0 growth per year'."""
    _recurring(scan)
    _ranked(scan)
    _from_then(scan)
    _side_by_side(scan)
    _so_far(scan)
    _growing(scan)
    _median(scan)


def _recurring(scan: Scan) -> None:
    """'hour of the day' and 'day of the week' come again and again: of all Mondays one row."""

    def again(match: re.Match[str]) -> str:
        weekday = "week" in match.group()
        scan.flags.add("weekday" if weekday else "hour_of_day")
        scan.consumed(match.group())
        return "day" if weekday else "hour"

    each(r"(?:hour|time) of (?:the |each )?day", scan, again)
    each(r"day of (?:the |each )?week|weekday", scan, again)


def _by(scan: Scan, unit: str) -> bool:
    """Groups by a unit of the time that is meant; False where nothing has a time."""
    mention = scan.attribute("time")
    if mention is None:
        return False
    scan.unit = unit
    if not any(g.mention == mention for g in scan.groups):
        scan.groups.append(Output(mention))
    return True


def _ranked(scan: Scan) -> None:
    """'which month had the most orders', 'busiest hour for orders', 'the month with the highest revenue'."""

    def most(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        kinds = scan.kind(mention)
        down = match["sup"] in {"MOST", "MAX", "MAXCOUNT", "busiest", "MAX~good", "top"}
        if "table!" in kinds and ("numeric!" not in kinds or scan.named_outright(mention)):
            item = Superlative(mention, down, 1, counted=True)
        elif "numeric" in kinds:
            average = match.groupdict().get("agg") == "AVG"
            item = Superlative(mention, down, 1, aggregate="avg" if average else "sum")
        else:
            return None
        if not _by(scan, match["unit"]):
            return None
        count = match.groupdict().get("n")
        if count:
            item = Superlative(mention, down, max(1, number_of(scan, count)), item.aggregate, item.counted)
        scan.superlatives.append(item)
        scan.consumed(match.group())
        return f"G S {match.groupdict().get('when') or ''} {match.groupdict().get('kind') or ''}".strip()

    what = r"(?P<kind>V\d+ )?M(?P<m>\d+)"
    sup = r"(?:the )?(?P<sup>MOST|LEAST|MAX|MIN|MAXCOUNT|MINCOUNT) (?:(?P<agg>SUM|AVG|COUNT) )?(?:of )?"
    when = r"(?P<when>(?:in|of) [ND]\d+ |of the year )?"
    each(
        rf"(?:(?:in|on|at|during) )?(?:which|what|what be the|the|show the|find the) "
        rf"(?:N(?P<n>\d+) )?{_UNIT} {when}{_AUX}{sup}{what}",
        scan,
        most,
    )
    each(rf"^{_UNIT} {when}{_AUX}{sup}{what}", scan, most)
    each(
        r"(?:(?:what|which|when|be|the|our|in|on|at|show) )*"
        r"(?P<sup>busiest|quietest|slowest|MIN~slow|MAX~good|MIN~bad|MAX~bad|top|MAX~slow) "
        rf"{_UNIT} {when}(?:(?:for|in|by|of|in term of|with|be) (?:the )?"
        rf"(?:(?P<agg>SUM|COUNT|AVG) )?){what}",
        scan,
        most,
    )
    # 'in which month were the most orders placed'
    each(
        rf"(?:in|on|at|during) (?:which|what) {_UNIT} {when}{_AUX}(?P<sup>MOST|LEAST) {what}(?: \w+ed)?",
        scan,
        most,
    )


def _from_then(scan: Scan) -> None:
    """'orders from March 2024' are of that month; 'from 1 March 2024', a day, begins there."""

    def begins(match: re.Match[str]) -> str:
        span = scan.encoded.times[int(match["n"])]
        day = (span.high - span.low).days == 1 and not span.relative
        return f"{'SINCE' if day else 'in'} D{match['n']}"

    each(r"from (?:the )?D(?P<n>\d+)(?= ?$| \?)", scan, begins)


def _span_unit(scan: Scan, operand: Operand) -> str:
    """The unit that a time is: 'year' of 2024, 'month' of March 2024; '' of other spans."""
    if operand.kind == "N":
        return "year" if scan.year(operand) else ""
    span = scan.encoded.times[operand.number]
    days = (span.high - span.low).days
    if days in _DAYS:
        return _DAYS[days]
    return "month" if 28 <= days <= 31 else "quarter" if 90 <= days <= 92 else "year" if days > 364 else ""


def _side_by_side(scan: Scan) -> None:
    """'revenue 2023 vs 2024', 'compare orders in 2024 and 2025': a row for each of them."""

    def times(match: re.Match[str]) -> str | None:
        operands = [Operand(match[k], int(match[n])) for k, n in (("k", "n"), ("k2", "n2"))]
        units = {_span_unit(scan, o) for o in operands}
        if len(units) > 1 or "" in units:
            return None
        said = int(match["m"]) if match["m"] else None
        timely = said is not None and "time" in scan.kind(said) and "table!" not in scan.kind(said)
        moment = said if timely else scan.attribute("time")
        if moment is None:
            return None
        lead = f"M{said} " if said is not None and not timely else ""
        scan.consumed(match.group())
        parts = tuple(Comparison(moment, "=", o) for o in operands)
        if scan.encoded.line.startswith("compare"):
            scan.understood("compare")
        return f"{lead}{scan.note(Either(parts, both=False))} per {units.pop()}"

    side = r"(?:M(?P<m>\d+) )?(?:(?:in|for|of|from|during|between|the|year) )*(?P<k>[ND])(?P<n>\d+)"
    each(rf"{side} ,? ?{_VERSUS} (?:(?:in|the|year|that of) )*(?P<k2>[ND])(?P<n2>\d+)", scan, times)
    if scan.line.startswith(("compare ", "what be the difference")):
        each(rf"{side} (?:and|with|to) (?:(?:in|the|year) )*(?P<k2>[ND])(?P<n2>\d+)", scan, times)
        if " per " in scan.line:
            scan.line = re.sub(r"^compare (?:the |our )*", "", scan.line)

    def columns(match: re.Match[str]) -> str | None:
        pair = [int(match[g]) for g in ("a", "b")]
        if not all("numeric" in scan.kind(m) for m in pair):
            return None
        scan.consumed(match.group())
        grouped = re.search(r"(?<!\S)(?:per|by|each|every)(?!\S)", scan.line)
        return " and ".join(f"{'SUM ' if grouped else ''}M{m}" for m in pair)

    each(rf"(?:SUM )?M(?P<a>\d+) {_VERSUS} (?:SUM )?M(?P<b>\d+)", scan, columns)


def _aggregated(scan: Scan, mention: int) -> str:
    """What is followed from unit to unit: how many of a thing, or the sum of a measure; '' of others."""
    kinds = scan.kind(mention)
    if "table!" in kinds and ("numeric!" not in kinds or scan.named_outright(mention)):
        return "COUNT "
    return "SUM " if "numeric" in kinds else ""


def _so_far(scan: Scan) -> None:
    """'running total of M0 by month': what there was up to then."""

    def total(match: re.Match[str]) -> str | None:
        said = re.search(r"(?<!\S)(?:COUNT|AVG)(?!\S)", match.group())
        lead = f"{said.group()} " if said else _aggregated(scan, int(match["m"]))
        if not lead:
            return None
        scan.flags.add("running")
        scan.consumed(match.group())
        return f"{lead}M{match['m']}"

    each(
        r"(?:the )?(?:running|cumulative)(?: (?:total|sum|count|number|amount|SUM|COUNT|AVG))*(?: of)?"
        r"(?: (?:the|all|our|COUNT|SUM|of|new))* M(?P<m>\d+)",
        scan,
        total,
    )


def _growing(scan: Scan) -> None:
    """'year over year M0 growth', 'growth of M0 per month', 'monthly change in M0'."""
    over = re.search(
        rf"(?<!\S)(?:{_UNIT} (?:over|GT|on|to|by|-) (?P=unit)|(?P<short>yoy|mom|qoq))(?!\S)", scan.line
    )
    adverb = re.search(r"(?<!\S)(?P<adv>monthly|yearly|annual|quarterly|weekly|daily)(?!\S)", scan.line)
    grouped = re.search(rf"(?<!\S)(?:per|by|each|every) {_UNIT}(?!\S)", scan.line)
    change = re.search(
        r"(?<!\S)(?:growth|grow|grew|change|increase)(?:s|d)?(?: (?:rate|percent))?(?!\S)", scan.line
    )
    if over is None and (change is None or not (adverb or grouped)):
        return
    measured = re.search(r"(?<!\S)(?:(?P<agg>COUNT|SUM|AVG) (?:of |the )*)?M(?P<m>\d+)(?!\S)", scan.line)
    if measured is None:
        return
    lead = f"{measured['agg']} " if measured["agg"] else _aggregated(scan, int(measured["m"]))
    if not lead:
        return
    line = scan.line
    unit = ""
    if over is not None:
        unit = over["unit"] or _SHORT[over["short"]]
    elif adverb is not None:
        unit = {"annual": "year", "daily": "day"}.get(adverb["adv"], adverb["adv"].removesuffix("ly"))
    elif grouped is not None:
        unit = grouped["unit"]
    percent = change is None or "gr" in change.group() or "percent" in change.group() or "PERCENT" in line
    scan.flags.add("growth" if percent else "change")
    for found in (over, adverb, change, grouped):
        if found is not None:
            scan.consumed(found.group())
            line = line.replace(found.group(), " ", 1)
    line = re.sub(
        r"(?<!\S)(?:PERCENT|percentage|in|of|the|rate|what be|show|give|me|how do|how have)(?!\S)(?=.* M\d)",
        " ",
        line,
    )
    line = line.replace(measured.group(), f"{lead}M{measured['m']}", 1)
    scan.line = " ".join(f"{line} per {unit}".split())


def _median(scan: Scan) -> None:
    """'median M0' is an average of another kind."""

    def middle(match: re.Match[str]) -> str:
        scan.flags.add("median")
        scan.understood("median")
        return "AVG"

    each(
        r"(?:the )?median(?: value)?(?: of)?(?: the)?(?= (?:M\d|age|time|day|hour|[a-z]+ time))", scan, middle
    )
