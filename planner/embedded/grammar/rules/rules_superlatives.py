"""Rules for superlatives: the first few by a column, an aggregate or a count.

Owns: most, least, top, highest, oldest, most common.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from askwire.planner.embedded.grammar.atoms import Output, Superlative
from askwire.planner.embedded.grammar.scanning import (
    AGGREGATES,
    DET,
    Scan,
    each,
    mention_of,
    number_of,
    word_of,
)

_SIZES = frozenset({"big", "large", "small"})
_SURE: Final = 0.5
"""How well a column must fit an adjective that stands beside what is no number."""

_OF_THINGS: Final = frozenset(
    {"powerful", "fast", "slow", "heavy", "strong", "tall", "deep", "wide", "old", "young"}
)
"""Adjectives that say something of a thing, hardly of a number."""
_LIKELY: Final = 0.5


def _said_size(scan: Scan) -> bool:
    return bool({t.lower for t in scan.encoded.tokens} & {"largest", "biggest", "smallest"})


def superlatives(scan: Scan) -> None:
    """'MOST M0', 'top N0 M0 by M1', 'MAX~old M0', 'MIN M0', 'MOST common M0', 'N0 MAX M0'."""
    if "~recent" in scan.line:
        scan.understood("recently")

    def limit(groups: dict[str, str | None]) -> int:
        place = groups.get("n") or groups.get("n2")
        return max(1, number_of(scan, place)) if place else 1

    def note(item: Superlative) -> str:
        scan.superlatives.append(item)
        return "S"

    def common(match: re.Match[str]) -> str:
        groups = match.groupdict()
        down = groups["sup"] in {"MOST", "MAX", "MOST MAX"}
        scan.superlatives.append(
            Superlative(int(match.group("m")), down, limit(groups), counted=True, itself=True)
        )
        return f"M{match.group('m')} S"

    def counted(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        down = match.group("sup") in {"MOST", "MAXCOUNT", "MAX"}
        mention = mention_of(groups.get("m"))
        if mention is not None:
            kinds = scan.kind(mention)
            if "numeric" in kinds and "table!" not in kinds:
                if match.group("sup") == "MAXCOUNT" and _asked_for(scan.line[: match.start()]):
                    return f"MAX M{mention}"
                return note(Superlative(mention, down, limit(groups), summed=True))
        return note(Superlative(mention, down, limit(groups), counted=True))

    def aggregated(match: re.Match[str]) -> str:
        return note(
            Superlative(
                int(match.group("m")),
                match.group("sup") in {"MAX", "MOST"},
                limit(match.groupdict()),
                aggregate=AGGREGATES[match.group("agg")],
            )
        )

    def top(match: re.Match[str]) -> str:
        groups = match.groupdict()
        aggregate = AGGREGATES.get(groups.get("agg") or "", "")
        down = groups.get("sup") not in {"MIN", "LEAST", "bottom", "worst"}
        by = scan.kind(int(match.group("by")))
        scan.understood(groups.get("sup") or "")
        if aggregate == "count" and "numeric!" in by and "table!" not in by:
            aggregate = ""  # 'by number of beds', which a column holds
        counts = aggregate == "count" or (not aggregate and "table!" in by and _counted(scan, match))
        scan.superlatives.append(
            Superlative(
                int(match.group("by")),
                down,
                limit(groups),
                aggregate="" if aggregate == "count" else aggregate,
                counted=counts,
            )
        )
        return f"M{match.group('m')} S"

    def extreme(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        mention = int(match.group("m"))
        adjective = groups.get("adj") or ""
        lead = groups.get("with") or ""
        kinds = scan.kind(mention)
        if adjective in {"good", "bad"} and "time" in kinds:
            return None  # 'the worst year' is not the first
        down = match.group("sup") in {"MAX", "MOST", "top"}
        if (
            groups.get("with")
            and "numeric" in kinds
            and "table" in kinds
            and not scan.named_outright(mention)
        ):
            return note(Superlative(mention, down, limit(groups)))
        if adjective and ("column" not in kinds or "table!" in kinds):
            attribute = scan.attribute(adjective)
            if attribute is not None:
                owner = mention if "table!" in kinds else None
                scan.superlatives.append(
                    Superlative(attribute, down, limit(groups), adjective=adjective, owner=owner)
                )
                return f"{'of ' if lead.startswith('of ') else ''}M{mention} S"
        if adjective in _OF_THINGS and "table" in kinds and not scan.named_outright(mention):
            # 'the most powerful engine', where a table of engines and a number of them are called so alike
            attribute = scan.attribute(adjective)
            if attribute is not None and scan.encoded.mentions[attribute].best >= _LIKELY:
                scan.superlatives.append(
                    Superlative(attribute, down, limit(groups), adjective=adjective, owner=mention)
                )
                return f"M{mention} S"
        if adjective and not {"numeric", "time"} & kinds and not re.search(r"with|have", lead):
            # 'the oldest college', where colleges are a column of text
            attribute = scan.attribute(adjective)
            if attribute is not None and scan.encoded.mentions[attribute].best >= _SURE:
                scan.superlatives.append(Superlative(attribute, down, limit(groups), adjective=adjective))
                return f"{lead}M{mention} S"
        sized = adjective in _SIZES or (not adjective and _said_size(scan))
        if sized and not {"numeric", "time", "table!"} & kinds:
            attribute = scan.attribute(adjective or "large")
            if attribute is not None:
                scan.superlatives.append(Superlative(attribute, down, limit(groups), adjective=adjective))
                scan.encoded.spent.add(mention)
                return "S" if groups.get("with") else f"M{mention} S"
        if groups.get("with") and "column" not in kinds:
            total = scan.totalled(word_of(scan, mention))
            if total is None and not adjective:
                total = scan.amount(mention)
            if total is not None:
                scan.encoded.spent.add(mention)
                return note(Superlative(total, down, limit(groups)))
        if "column" not in kinds:
            attribute = scan.attribute(adjective) if adjective else scan.attribute("large")
            if attribute is None and not adjective:
                attribute = scan.amount(mention)
            if attribute is None and not adjective:
                attribute = scan.attribute("high")
            if attribute is None:
                return None
            scan.superlatives.append(
                Superlative(attribute, down, limit(groups), adjective=adjective or "high")
            )
            return f"M{mention} S"
        clipped = re.fullmatch(r"(?:the )?", scan.line[: match.start()]) and "numeric!" in kinds
        asked = clipped or _asked_for(scan.line[: match.start()])
        if asked and limit(groups) == 1 and not groups.get("with"):  # 'maximum capacity of the turbines'
            return f"{'MAX' if down else 'MIN'} M{mention}" if adjective else None
        return note(Superlative(mention, down, limit(groups), adjective=adjective))

    def both_ends(match: re.Match[str]) -> str | None:
        attribute = scan.attribute(match["adj"])
        asked = int(match["m"])
        if attribute is None or "numeric" not in scan.kind(asked):
            return None
        return f"{match['sup']} M{asked} and {match['sup2']} M{asked} of M{match['of']}"

    # 'the ages of the oldest and youngest students'
    each(
        r"M(?P<m>\d+) of (?:the )?(?P<sup>MAX|MIN)~(?P<adj>\w+) and (?:the )?(?P<sup2>MAX|MIN)~\w+ "
        r"M(?P<of>\d+)",
        scan,
        both_ends,
    )

    each(
        r"(?P<sup>MAXCOUNT|MINCOUNT) time",
        scan,
        lambda m: note(Superlative(None, m["sup"] == "MAXCOUNT", counted=True)),
    )
    each(
        r"COUNT (?P<m>M\d+) (?:(?:be|there|do|have) )*(?:in|of|for|from|at|under) (?:the )?M(?P<g>\d+) "
        r"(?P<rest>(?:with|that have|which have|have) (?:the )?(?:MOST|LEAST|MAXCOUNT|MINCOUNT) M\d+)"
        r"(?= ?$| [?.])",
        scan,
        lambda m: _in_the_largest(scan, m),
    )
    number = r"(?:(?<!in )(?<!during )(?<!year )N(?P<n>\d+) )?"
    number2 = r"(?:N(?P<n2>\d+) )?"
    each(
        (
            rf"(?:the )?(?P<sup>top|first|bottom|worst) {number}(?:most )?M(?P<m>\d+) "
            r"(?:(?:rank|ranked|sort|sorted|ordered|order|with) )?"
            r"(?:(?:by|in|on|in term of|with|base on|based on) )(?:the "
            r"|their )?(?:MAX |MOST |GT )?(?:(?P<agg>SUM|AVG|COUNT|MAX|MIN) )?(?:the )?M(?P<by>\d+)"
        ),
        scan,
        top,
    )
    each(
        r"(?:whose |with |that have )?(?:the |their |its )*(?:(?P<agg>SUM|AVG) )?M(?P<m>\d+) (?:that )?be "
        r"(?:the )?(?P<sup>MAX|MIN|MOST|LEAST)(?= |$)(?! (?:M|N|AVG|SUM|COUNT))",
        scan,
        lambda m: _stated(scan, m),
    )
    each(
        rf"(?:with|have|by|of) (?:the )?(?P<sup>top|bottom) {number}(?:(?:SUM|COUNT|total) )*M(?P<m>\d+)",
        scan,
        lambda m: (
            note(Superlative(int(m.group("m")), m.group("sup") == "top", limit(m.groupdict())))
            if "numeric!" in scan.kind(int(m.group("m")))
            else note(
                Superlative(int(m.group("m")), m.group("sup") == "top", limit(m.groupdict()), counted=True)
            )
            if "COUNT" in m.group() and "table!" in scan.kind(int(m.group("m")))
            else None
        ),
    )
    each(
        (
            rf"{number}(?P<sup>MOST|LEAST|MAX|MIN) {number2}(?:commonly |frequently |popularly "
            r")?(?:common|popular|frequent|frequently|commonly|used|often|prevalent|popularly)"
            rf"(?: used| played| occurring| seen| ordered| owned)? (?:type of |kind of )?{DET}M(?P<m>\d+)"
        ),
        scan,
        common,
    )
    each(
        rf"(?:the )?(?:top|first) {number}(?:rank |ranked |rated )?M(?P<m>\d+)(?= )",
        scan,
        lambda m: _topped(scan, m, limit(m.groupdict())),
    )
    each(
        (
            rf"{number}(?:(?:have|with|be|for|by|of|that) )*{number2}(?P<sup>MAX|MIN|MOST|LEAST)"
            r" (?P<agg>AVG|SUM) (?:of )?(?P<which>[VC]\d+ )?M(?P<m>\d+)"
        ),
        scan,
        lambda m: f"{aggregated(m)} {m.group('which') or ''}".strip(),
    )
    each(
        (
            rf"{number}(?P<sup>MOST|LEAST|MAXCOUNT|MINCOUNT) {number2}(?:of )?(?:different |distinct "
            rf"|kind of |type of |total )*{DET}M(?P<m>\d+)"
        ),
        scan,
        counted,
    )
    each(
        (
            r"(?:N(?P<n>\d+) )?(?P<with>(?:with|have|that have|who have|by|of|for|in|from|on|"
            r"at|which have) (?:the )?)?(?:top )?(?:N(?P<n2>\d+) )?(?P<sup>MAX|MIN)(?:~(?P<adj>\w+)"
            r")? (?:of )?M(?P<m>\d+)"
        ),
        scan,
        extreme,
    )

    def bare(match: re.Match[str]) -> str | None:
        adjective = match.groupdict().get("adj") or ""
        down = match.group("sup") in {"MAX", "MOST"}
        if adjective:
            attribute = scan.attribute(adjective)
            return (
                note(Superlative(attribute, down, limit(match.groupdict()), adjective=adjective))
                if attribute is not None
                else None
            )
        if match.group("sup") in {"MOST", "LEAST"}:
            return note(Superlative(None, down, limit(match.groupdict()), counted=True))
        return None

    each(
        (
            rf"{number}(?P<sup>MAX|MIN|MOST|LEAST)(?:~(?P<adj>\w+))?(?! M\d)(?: (?:one|often|"
            r"frequently|common|commonly|popular|frequent|time|N\d+))?"
        ),
        scan,
        bare,
    )
    _numbered_before(scan)


def _counted(scan: Scan, match: re.Match[str]) -> bool:
    """'by rentals' is by how many there are, though columns of numbers are called alike."""
    by = int(match.group("by"))
    return "numeric!" not in scan.kind(by) or scan.named_outright(by)


def _in_the_largest(scan: Scan, match: re.Match[str]) -> str | None:
    """'how many customers are in the type with the most customers': of groups, the largest."""
    group = int(match["g"])
    if "column!" not in scan.kind(group):
        return None
    scan.groups.append(Output(group))
    return f"COUNT {match['m']} G{group} {match['rest']}"


def _stated(scan: Scan, match: re.Match[str]) -> str | None:
    """'whose total cost is the lowest': the superlative behind what it measures."""
    mention = int(match.group("m"))
    if "numeric!" not in scan.kind(mention):
        return None
    aggregate = AGGREGATES.get(match.group("agg") or "", "")
    down = match.group("sup") in {"MAX", "MOST"}
    scan.superlatives.append(Superlative(mention, down, 1, aggregate=aggregate))
    return "S"


def _numbered_before(scan: Scan) -> None:
    """'which N0 M0 have MAX M1': the number before what is asked for limits the superlative."""
    match = re.search(
        r"(?:^|\s)(?:which|the|show|list|find|of|for|what be|these|those) N(\d+) M\d+", scan.line
    )
    if match is None or len(scan.superlatives) != 1 or scan.superlatives[0].limit != 1:
        return
    count = number_of(scan, match.group(1))
    if 1 < count <= 1000:
        scan.superlatives[0] = replace(scan.superlatives[0], limit=count)
        scan.line = re.sub(rf"(?<!\S)N{match.group(1)} ", "", scan.line, count=1)


def _asked_for(before: str) -> bool:
    """Whether what follows is asked for, not a restriction: 'what be MAX M0' against 'M1 with MAX M0'."""
    return bool(
        re.search(
            r"(?:^|(?<=\s))(?:what be|find|show|give me|give|return|list|tell me|compute|calculate|"
            r",|and|AVG|MIN|MAX|SUM)"
            r"(?: (?:the|AVG|MIN|MAX|SUM|and|or|me|M\d+ and))*\s*$",
            before,
        )
    )


def _topped(scan: Scan, match: re.Match[str], count: int) -> str | None:
    scan.limit = count
    return f"M{match.group('m')}"
