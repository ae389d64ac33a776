"""Rules for shares, rates and ratios: the no-show rate, completed to cancelled, the share of revenue of each.

Owns: which rows are the part and which the whole. Must not know: schemas, except what the scan tells of a
mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.grammar.atoms import Either, Flagged, IsNull, IsValue, Lacking
from askwire.planner.embedded.grammar.scanning import Scan, each

_LEAD: Final = r"(?:(?:what|show|give|me|be|the|our|SUM|AVG|overall|please|list|calculate) )*"
_BY: Final = r"(?= ?$| [?.]| (?:by|per|for|in|of|each|over|since|from|during|across|G\d*|[CDN]\d) ?)"


def shares(scan: Scan) -> None:
    """'V0 rate by M0', 'ratio of V0 to V1', 'SHARE M0 by M1', 'PERCENT M0 with a V0 M1'."""
    _rates(scan)
    _ratios(scan)
    _of_the_whole(scan)
    _with_such(scan)


def _rates(scan: Scan) -> None:
    """'no-show rate', 'refund rate', 'completion rate': of all such rows, in percent."""

    def rate(match: re.Match[str]) -> str | None:
        named = match["of"]
        if named is not None and "table!" not in scan.kind(int(named)):
            return None
        if match["v"]:
            whole = int(named) if named else scan.holder(int(match["v"]))
            part = f"V{match['v']}"
        else:
            part_of = int(match["m"])
            kinds = scan.kind(part_of)
            whole = int(named) if named else scan.whole(part_of)
            if "table!" in kinds and ("numeric!" not in kinds or scan.named_outright(part_of)):
                if whole is None or scan.same(whole, part_of):
                    return None
                scan.flags.add("held")
                part = scan.note(Lacking(part_of, held=True))
            elif "moment" in kinds or ("optional" in kinds and "time" in kinds):
                part = scan.note(IsNull(part_of, negated=True, moment=True))
            elif "flag" in kinds:
                part = scan.note(Flagged(part_of))
            else:
                return None
        if whole is None:
            return None
        scan.understood("rate")
        scan.flags.add("rate")
        return f"{match['lead'] or ''}PERCENT M{whole} {part}"

    each(
        rf"(?P<lead>{_LEAD})(?:V(?P<v>\d+)|M(?P<m>\d+)) rate"
        rf"(?: (?:of|for|among) (?:(?:the|all|our) )*M(?P<of>\d+))?{_BY}",
        scan,
        rate,
    )


def _ratios(scan: Scan) -> None:
    """'ratio of V0 to V1 M0': rows of the one for each of the other; of two columns, of their sums."""

    def counted(match: re.Match[str]) -> str | None:
        parts = tuple(IsValue(int(match[g])) for g in ("a", "b"))
        whole = int(match["m"] or match["m2"] or 0) if match["m"] or match["m2"] else None
        if whole is None:
            whole = scan.holder(int(match["a"]))
        if whole is None or "table" not in scan.kind(whole):
            return None
        scan.flags.add("ratio")
        scan.understood("ratio")
        return f"COUNT M{whole} {scan.note(Either(parts, both=False))}"

    each(
        rf"{_LEAD}ratio (?:of|between) (?:the )?(?:COUNT )?V(?P<a>\d+)(?: M(?P<m2>\d+))? "
        r"(?:to|and|versus|vs|over|against) (?:the )?(?:COUNT )?V(?P<b>\d+)(?: M(?P<m>\d+))?",
        scan,
        counted,
    )

    def summed(match: re.Match[str]) -> str | None:
        first, second = int(match["a"]), int(match["b"])
        if not all("numeric" in scan.kind(m) for m in (first, second)):
            return None
        found = scan.quotient(first, second)
        if found is None:
            return None
        scan.understood("ratio")
        return f"SUM M{found}"

    each(
        rf"{_LEAD}ratio (?:of|between) (?:(?:the|SUM) )*M(?P<a>\d+) "
        r"(?:to|and|versus|vs|over) (?:(?:the|SUM) )*M(?P<b>\d+)",
        scan,
        summed,
    )


def _of_the_whole(scan: Scan) -> None:
    """'share of revenue by category', 'percentage of orders per channel': each group's part of all."""

    def part(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        kinds = scan.kind(mention)
        measured = "numeric!" in kinds and "table!" not in kinds
        if not measured and "table!" not in kinds:
            return None
        scan.flags.add("whole" if match["share"] == "PERCENT" else "part")
        scan.consumed("share percentage percent proportion fraction pct come from")
        asked = "SUM" if measured else "COUNT"
        return f"{asked} M{mention}{match['when'] or ''} per M{match['g']}"

    each(
        r"(?P<share>PERCENT|SHARE) (?:SUM )?M(?P<m>\d+)(?P<when>(?: (?:in|since|during) [DN]\d+)*)"
        r"(?: (?:come|contributed|made|generated|be|do|placed|from|that))*"
        r" (?:by|per|from each|for each|of each|in each|each) (?:the )?M(?P<g>\d+)"
        r"(?= ?$| [?.]| (?:in|since|during) | (?:contribute|make|have|generate|account))",
        scan,
        part,
    )


def _with_such(scan: Scan) -> None:
    """'share of accounts with an urgent ticket': those of whose tickets one is; each account counts once."""

    def belonging(match: re.Match[str]) -> str | None:
        whole, part = int(match["a"]), int(match["m"])
        if "table!" not in scan.kind(whole) or "table!" not in scan.kind(part) or scan.same(whole, part):
            return None
        inner = tuple(IsValue(int(n)) for n in re.findall(r"V(\d+)", match["v"]))
        scan.flags.add("held")
        return f"{match['share']} M{whole} {scan.note(Lacking(part, inner, held=True))}"

    each(
        r"(?P<share>PERCENT|SHARE) (?:the |our |all )*M(?P<a>\d+) (?:that |which |who )?(?:have|with|has)"
        r"(?: (?:GE N\d+|a|an|any|at least one|one))? (?P<v>V\d+(?: V\d+)*) M(?P<m>\d+)(?= ?(?:$|\?|\.))",
        scan,
        belonging,
    )
