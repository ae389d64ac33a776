"""Rules for numbers with a unit: longer than 12 metres, a 5 % discount, between 2 and 3 hours.

Owns: `U0`, a number whose unit says what is compared. Must not know: schemas, except what the scan tells of a
mention. What no rule here takes is a number (`N0`) again, with the word behind it.
"""

from __future__ import annotations

import re

from askwire.planner.embedded.grammar.atoms import Comparison, Operand
from askwire.planner.embedded.grammar.scanning import (
    AGGREGATES,
    COMPARE,
    DET,
    FILL,
    MEASURES,
    OP,
    Scan,
    each,
    mention_of,
)

_SPOKEN_OF = r"(?: (?:of|in|of a|of the) M(?P<after>\d+)| (?:a |an |the )?M(?P<behind>\d+))?"


def measured(scan: Scan) -> None:
    """'GT~long U0', 'M0 be GT U0', 'U0 M0' and others become conditions on what is measured in the unit."""
    if "U" not in scan.line:
        return

    def column(match: re.Match[str], number: int, adjective: str) -> tuple[str, int | None, str]:
        """(what stays in front, the mention that is compared, what stays behind)."""
        groups = match.groupdict()
        lead = tail = ""
        found = None
        for name in ("m", "after", "behind"):
            mention = mention_of(groups.get(name))
            if mention is None:
                continue
            if found is None and "column" in scan.kind(mention) and scan.fits_unit(mention, number):
                found = mention
            elif name == "m":
                lead = f"M{mention} "
            else:
                tail = f" M{mention}"
        if found is None:
            found = scan.in_unit(number, adjective)
        return lead, found, tail

    def compared(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        number = int(match.group("n"))
        adjective = groups.get("adj") or groups.get("long") or ""
        if groups.get("verb"):
            adjective = MEASURES[groups["verb"]]
        lead, mention, tail = column(match, number, adjective)
        if mention is None:
            return None
        operator = COMPARE[groups.get("op") or "EQ"]
        if groups.get("way"):
            operator = "<=" if groups["way"] in {"less", "fewer", "LT", "under", "short"} else ">="
        aggregate = AGGREGATES[groups["agg"]] if groups.get("agg") else ""
        atom = Comparison(
            mention, operator, Operand("N", number), aggregate=aggregate, negated=bool(groups.get("not"))
        )
        return lead + scan.note(atom) + tail

    def between(match: re.Match[str]) -> str | None:
        low, high = int(match.group("n")), int(match.group("n2"))
        lead, mention, tail = column(match, high, "")
        if mention is None:
            return None
        operands = Operand("N", low), Operand("N", high)
        negated = bool(match.group("not"))
        return lead + scan.note(Comparison(mention, "between", *operands, negated=negated)) + tail

    verb = rf"(?:(?P<verb>{'|'.join(MEASURES)}) (?:for |in |at )?)?"
    each(
        rf"(?P<agg>AVG|SUM|MAX|MIN) (?:of )?{DET}M(?P<m>\d+) {FILL}{OP} (?:than )?U(?P<n>\d+)", scan, compared
    )
    each(
        rf"(?:M(?P<m>\d+) )?{FILL}(?P<not>not )?(?:between|from|range from) U(?P<n>\d+) "
        rf"(?:and|to) U(?P<n2>\d+){_SPOKEN_OF}",
        scan,
        between,
    )
    each(
        rf"(?:M(?P<m>\d+) (?:(?:that|which|who) )?)?{FILL}(?P<not>not )?{verb}U(?P<n>\d+)(?: or|and) "
        rf"(?P<way>more|GT|GE|long|less|fewer|LT|short|under)(?:~(?P<adj>\w+))?",
        scan,
        compared,
    )
    each(
        rf"(?:M(?P<m>\d+) (?:(?:that|which|who) )?)?{FILL}(?P<not>not )?{verb}{FILL}{OP} {FILL}U(?P<n>\d+)"
        rf"(?: (?:in )?(?P<long>long|wide|tall|high|deep|heavy)| in M(?P<in>\d+))?{_SPOKEN_OF}",
        scan,
        compared,
    )
    each(
        rf"(?<!top )(?<!first )(?<!MAX )(?<!MIN )(?:M(?P<m>\d+) )?(?:(?:of|be|with|have|a|an|EQ|at|get) )*"
        rf"(?P<not>not )?{verb}U(?P<n>\d+)"
        rf"(?: (?P<long>long|wide|tall|high|deep|heavy))?{_SPOKEN_OF}",
        scan,
        compared,
    )
    for number, unit in scan.encoded.measured.items():
        scan.line = re.sub(rf"(?<!\S)U{number}(?!\S)", f"N{number} {unit.name.rstrip('s')}", scan.line)
