"""Rules for groups: for each, per, by.

Owns: what rows are grouped by, calendar units among it.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re

from askwire.planner.embedded.grammar.atoms import Output
from askwire.planner.embedded.grammar.scanning import Scan, each


def grouping(scan: Scan) -> None:
    """'for each M0', 'per month', 'grouped by M0', 'by M0'; the placeholder keeps an owner: `G M1`."""

    def unit(match: re.Match[str]) -> str:
        return _unit(scan, match.group("unit"))

    def grouped(match: re.Match[str]) -> str | None:
        if re.search(r"(?:detail|details|information|info) $", match.string[: match.start()]):
            return None  # 'all details for each swimmer' asks for whole rows
        for name in ("a", "b"):
            if match.groupdict().get(name):
                mention = int(match.group(name))
                owner = match.groupdict().get("of")
                if name == "b" and re.search(r" (?:its|their) M\d+$", match.group()):
                    owner = match.group("a")
                scan.groups.append(Output(mention, owner=int(owner) if owner else None))
        return f"G{match.group('a')}"

    bare = re.fullmatch(
        r"(?:(?:show|list|give|me|the|all|display) )*(?P<what>M\d+) by (?:the )?(?P<by>M\d+)(?: [.?])?",
        scan.line,
    )
    if bare and "table!" in scan.kind(int(bare.group("what")[1:])):
        scan.line = f"COUNT {bare.group('what')} by {bare.group('by')}"
    units = r"(?P<unit>day|week|month|quarter|year|hour)"
    many = r"(?:(?:possible|different|distinct|unique|individual|single|particular|given|of|the) )*"
    if "M" in scan.line and re.search(r"COUNT|SUM|AVG|MAX|MIN|revenue|M\d+", scan.line):
        each(
            rf"(?:for |in |of |by |,? ?group by |grouped by )?(?:each |every |per |by )(?:calendar )?{units}",
            scan,
            unit,
        )
        each(r"(monthly|yearly|daily|weekly|quarterly|annual)", scan, lambda m: _adverb(scan, m.group(1)))
    measured = re.search(r"(?<!\S)(?:COUNT|SUM|AVG|MAX|MIN|MOST|LEAST)(?!\S)", scan.line)
    if measured:
        each(
            (
                r"(?:for|of|in|by|from|at|to|across|with|within|on|under|among|,)? ?(?:each|every|"
                rf"per) {many}M(?P<of>\d+) 's M(?P<a>\d+)"
            ),
            scan,
            grouped,
        )
    else:
        scan.line = re.sub(r"(?<!\S)(?:each|every) (M\d+ 's )", r"\1", scan.line)
    each(
        (
            r"(?:for|of|in|by|from|at|to|across|with|within|on|under|among|have|belong to)? ?(?:each|"
            rf"every|per) {many}M(?P<a>\d+)(?: (?:and|or) (?:(?:each|every|per|its|their) )?M(?P<b>\d+)"
            r"(?! (?:be|have|do|GT|LT)))?"
        ),
        scan,
        grouped,
    )
    each(rf"(?:and )?group(?:ed)? (?:\w+ )?by {many}M(?P<a>\d+)(?: and {many}M(?P<b>\d+))?", scan, grouped)
    if re.search(r"(?<!\S)(COUNT|SUM|AVG|MAX|MIN)(?!\S)", scan.line):
        each(
            (
                r"(?:for|of|in|by|across|from) (?:all )?(?:the )?(?:different|various|distinct|all "
                r"the different|all different) M(?P<a>\d+)"
            ),
            scan,
            grouped,
        )
        if not re.search(r"(?<!\S)G\d*(?!\S)", scan.line):
            each(
                r"(?:(?<=\d )|(?<=value )|(?<=amount )|(?<=size ))by (?:the )?M(?P<a>\d+)"
                r"(?: and M(?P<b>\d+))?",
                scan,
                grouped,
            )
    _in_order(scan)


def _in_order(scan: Scan) -> None:
    """'by M0 and year' shows the year behind."""
    times = [g for g in scan.groups if g.mention is not None and scan.encoded.mentions[g.mention].start < 0]
    if scan.unit_last and times:
        scan.groups = [*(g for g in scan.groups if g not in times), *times]


def _adverb(scan: Scan, word: str) -> str:
    return _unit(scan, {"daily": "day", "annual": "year"}.get(word, word.removesuffix("ly")))


def _unit(scan: Scan, unit: str) -> str:
    scan.unit = unit
    mention = scan.attribute("time")
    if mention is not None:
        scan.groups.append(Output(mention))
    return "G"
