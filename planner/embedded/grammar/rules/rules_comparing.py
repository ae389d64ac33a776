"""Rules for comparisons with numbers and times.

Owns: greater, between, before, since, in 2024.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re

from askwire.planner.embedded.grammar.atoms import Comparison, Either, Operand
from askwire.planner.embedded.grammar.scanning import (
    COMPARE,
    DET,
    FILL,
    MEASURES,
    OP,
    WHEN,
    Scan,
    each,
    mention_of,
)
from askwire.planner.embedded.linking.blocked import UNITS


def comparisons(scan: Scan) -> None:
    """'M0 be GT N0', 'GT~old N0', 'M0 between N0 and N1', 'in N0', 'since D0', 'M0 N0'."""

    def compared(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        operator = COMPARE[groups.get("op") or "EQ"]
        adjective = groups.get("adj") or ""
        mention = mention_of(groups.get("m"))
        lead = ""
        kinds = frozenset() if mention is None else scan.kind(mention)
        operand = Operand(match.group("k"), int(match.group("n")))
        apart = "column" not in kinds or (adjective and "table!" in kinds)
        # 'revenue since March' says when, 'orders above $500' how much: neither speaks of the word in front
        when = operand.kind == "D" or (scan.year(operand) and groups.get("op") in WHEN)
        apart = apart or (when and "numeric" in kinds and "time" not in kinds)
        apart = apart or (scan.money(operand) and "numeric" not in kinds)
        if mention is not None and apart:
            lead, mention = f"M{mention} ", None
        if mention is None and adjective:
            mention = scan.attribute(adjective)
        if mention is None and groups.get("verb"):
            mention = scan.attribute(MEASURES[groups["verb"]])
        # 'longer than 3300 or higher than 100' are two columns, 'after 1961 or before 1959' is one
        joined = "and|but|or|," if operand.kind == "D" or scan.year(operand) else "and|but|,"
        again = re.search(rf"(?<!\S)C(\d+) (?:{joined}) $", scan.line[: match.start()])
        if mention is None and again and not adjective:
            said = scan.atoms[int(again.group(1))]
            mention = said.mention if isinstance(said, Comparison) else None
        if mention is None and operand.kind == "N" and not scan.year(operand):
            before = [
                m
                for m in re.findall(r"(?<!\S)M(\d+)", scan.line[: match.start()])
                if "numeric" in scan.kind(int(m))
            ]
            mention = int(before[-1]) if before else None
            if mention is None and groups.get("op") in {"GT", "GE", "LT", "LE"} and not adjective:
                # 'invoices over 1,500' speaks of money, 'mountains higher than 5,000' of height
                high = {t.lower for t in scan.encoded.tokens} & {"higher", "lower", "taller", "shorter"}
                for measured in ("high", "large", "spent") if high else ("spent", "large", "high"):
                    mention = scan.attribute(measured) if mention is None else mention
        if mention is None and (operand.kind == "D" or scan.year(operand)):
            mention = scan.attribute("time")
        negated = bool(groups.get("not"))
        atom = Comparison(mention, operator, operand, adjective=adjective, negated=negated)
        return lead + scan.note(atom)

    def between(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        mention = mention_of(groups.get("m"))
        lead = ""
        kinds = frozenset() if mention is None else scan.kind(mention)
        when = match.group("k") == "D" and "numeric" in kinds and "time" not in kinds
        if mention is not None and ("column" not in kinds or when):
            lead, mention = f"M{mention} ", None
        if mention is None:
            mention = mention_of(groups.get("after"))
            if mention is not None and "column" not in scan.kind(mention):
                return None
        operands = (
            Operand(match.group("k"), int(match.group("n"))),
            Operand(match.group("k2"), int(match.group("n2"))),
        )
        if mention is None and (operands[0].kind == "D" or scan.year(operands[0])):
            mention = scan.attribute("time")
        return lead + scan.note(
            Comparison(mention, "between", operands[0], operands[1], negated=bool(groups.get("not")))
        )

    each(
        (
            r"(?:M(?P<m>\d+) )?(?:(?:that|which|who|be|have|a|in|the|range|range|ranging|of|"
            r"with|value) )*(?P<not>not )?(?:between|from|range from) (?:the year )?(?P<k>[NDQ])"
            r"(?P<n>\d+) (?:and|to|through|until) (?P<k2>[NDQ])(?P<n2>\d+)(?: (?:in )?M(?P<after>\d+)"
            r")?"
        ),
        scan,
        between,
    )

    def or_beyond(match: re.Match[str]) -> str | None:
        operand = Operand("N", int(match.group("n")))
        mention = mention_of(match.group("m"))
        if mention is not None and "column" not in scan.kind(mention):
            return None
        if mention is None:
            mention = scan.attribute("time") if scan.year(operand) else None
        operator = "<=" if match.group("way") in {"BEFORE", "early", "LT"} else ">="
        return None if mention is None else scan.note(Comparison(mention, operator, operand))

    way = r"(?P<way>BEFORE|AFTER|SINCE|early|late|GT|LT)(?:~\w+)?"
    each(rf"(?:M(?P<m>\d+) )?(?:(?:in|be|of|the|year|on) )*N(?P<n>\d+) or {way}(?! N\d)", scan, or_beyond)
    each(rf"(?:M(?P<m>\d+) )?(?:(?:in|be|on) )*or {way} (?:(?:the|year) )*N(?P<n>\d+)", scan, or_beyond)

    def named(match: re.Match[str]) -> bool:
        """Whether the mention before a number is its column; 'revenue in N0' says when, not how much."""
        kinds = scan.kind(int(match.group("m")))
        when = re.search(r" (?:in|during|of|for) N\d+$", match.group())
        operand = Operand("N", int(match.group("n")))
        timely = "time" in kinds and "table!" not in kinds
        if when and scan.year(operand) and not timely and " be " not in match.group():
            return False
        return "column" in kinds

    def alternatives(match: re.Match[str]) -> str | None:
        mention = mention_of(match.group("m"))
        if mention is not None and "column" not in scan.kind(mention):
            return None
        places = re.findall(r"N(\d+)", match.group())
        if mention is None and any(len(scan.encoded.numbers[int(p)].lemma) != 4 for p in places):
            return None
        if mention is None:
            mention = scan.attribute("time")
        parts = tuple(Comparison(mention, "=", Operand("N", int(p))) for p in places)
        return scan.note(Either(parts, match.group("both") is not None))

    each(
        (
            r"(?:M(?P<m>\d+) )?(?:(?:be|of|in|equal|year|for|during|the|as) )*(?:either )?(?P<both>both "
            r")?N\d+(?: , N\d+)* (?:or|and) (?:in )?N\d+(?! M\d)"
        ),
        scan,
        lambda m: alternatives(m) if " or " in m.group() or m.group("both") else None,
    )
    # 'movies that received 3 or 4 stars'
    each(
        r"N\d+ or N\d+ M(?P<m>\d+)(?P<both>X)?",
        scan,
        lambda m: alternatives(m) if "numeric!" in scan.kind(int(m["m"])) else None,
    )
    each(
        rf"(?:(?:that|which|be) )*{OP} (?:than )?(?P<k>N)(?P<n>\d+) M(?P<m>\d+)"
        r"(?! (?:GT|LT|be(?! there)|old|V\d))",
        scan,
        lambda m: compared(m) if m.group("adj") and _counted_by(scan, int(m.group("m"))) else None,
    )
    each(
        rf"M(?P<m>\d+) (?:(?:that|which|who) )?{FILL}(?P<not>not )?{OP} {FILL}(?P<k>[ND])(?P<n>\d+)",
        scan,
        compared,
    )
    each(
        rf"{OP} (?:than )?(?P<k>N)(?P<n>\d+) in (?:(?:the|total|their|its) )*M(?P<m>\d+)",
        scan,
        lambda m: (
            compared(m)
            if {"numeric!", "column!"} <= scan.kind(int(m.group("m")))
            and "time" not in scan.kind(int(m["m"]))
            else None
        ),
    )
    each(
        rf"{OP} (?:than |the |year )*(?P<k>[ND])(?P<n>\d+) (?:{DET})M(?P<m>\d+)(?! (?:GT|LT|be|V\d))",
        scan,
        lambda m: (
            compared(m)
            if "numeric" in scan.kind(int(m.group("m")))
            and not m.group("adj")
            and m.group("op") not in {"BEFORE", "AFTER", "SINCE"}
            else None
        ),
    )

    # 'the rank 1 coach', 'the order with invoice number 10 placed'
    each(
        r"(?P<lead>the |with |have |whose )(?:the |an? )?M(?P<m>\d+) (?P<k>N)(?P<n>\d+)(?= M(?P<o>\d+))",
        scan,
        lambda m: (
            f"{m['lead']}{compared(m)}"
            if "column!" in scan.kind(int(m["m"]))
            and (
                m["lead"] != "the "
                or ("numeric!" in scan.kind(int(m["m"])) and "table!" in scan.kind(int(m["o"])))
            )
            else None
        ),
    )

    def aged(match: re.Match[str]) -> str | None:
        mention = scan.attribute("old")
        if mention is None:
            return None
        operator = COMPARE[match.group("op") or "EQ"]
        if match.group("not"):
            operator = "<>"
        return scan.note(Comparison(mention, operator, Operand("N", int(match.group("n"))), adjective="old"))

    each(r"(?P<not>not )?(?:(?P<op>GT|GE|LT|LE|EQ)(?:~\w+)? )?N(?P<n>\d+) (?:year )?old", scan, aged)
    measured = "|".join(MEASURES)
    each(rf"(?P<verb>{measured}) (?:for |at |a |an )?{OP} (?:than |a )*(?P<k>N)(?P<n>\d+)", scan, compared)
    each(rf"{OP} (?:than |the |year |in |be |a )*(?P<k>[ND])(?P<n>\d+)(?: year)?", scan, compared)
    each(r"(?:(?:in|of|during|for|on|within|at|over|the|year) )*(?P<k>D)(?P<n>\d+)", scan, compared)
    each(
        rf"{OP} (?:the |a )?M(?P<m>\d+) (?:of |be )?(?P<k>[ND])(?P<n>\d+)(?! M\d)",
        scan,
        lambda m: compared(m) if "column" in scan.kind(int(m.group("m"))) else None,
    )
    each(
        (
            r"M(?P<m>\d+) (?:(?:be|of|=|EQ|as|with|value|have|to|in|a|numbered) )*(?P<not>not )?(?:(?:be|"
            r"of|=|EQ|as|value|in|number|id|code|no) )*(?P<k>N)(?P<n>\d+)(?! M\d)"
        ),
        scan,
        lambda m: compared(m) if named(m) else _numbered(scan, m),
    )
    each(
        r"(?:in|during|of|for) (?:the )?(?:year )?(?P<k>N)(?P<n>\d+)",
        scan,
        lambda m: compared(m) if len(scan.encoded.numbers[int(m.group("n"))].lemma) == 4 else None,
    )
    each(
        r"(?P<k>N)(?P<n>\d+) (?:dollar |year old |in )?M(?P<m>\d+)",
        scan,
        lambda m: (
            compared(m)
            if "numeric" in scan.kind(int(m.group("m")))
            and "top" not in scan.line[max(0, m.start() - 6) : m.start()]
            and "first" not in scan.line[max(0, m.start() - 7) : m.start()]
            and "MA" not in scan.line[max(0, m.start() - 6) : m.start()]
            and "MI" not in scan.line[max(0, m.start() - 6) : m.start()]
            else None
        ),
    )


def _counted_by(scan: Scan, mention: int) -> bool:
    """'taller than 10 stories': whether what stands behind the number is a column of numbers, no unit."""
    return "numeric!" in scan.kind(mention) and scan.encoded.mentions[mention].words[-1] not in UNITS


def _numbered(scan: Scan, match: re.Match[str]) -> str | None:
    """'department 80': the key of a table named before a number."""
    if "key" not in scan.kind(int(match.group("m"))) or scan.year(Operand("N", int(match.group("n")))):
        return None
    text = re.sub(r"^M\d+ ?", "", match.group())
    if any(w in text.split() for w in ("have", "with", "to")):
        return None
    negated = bool(match.group("not"))
    return scan.note(
        Comparison(int(match.group("m")), "=", Operand("N", int(match.group("n"))), negated=negated)
    )


def years(scan: Scan) -> None:
    """A year that stands alone: 'the Spring N0 semester'."""

    def bare(match: re.Match[str]) -> str | None:
        operand = Operand("N", int(match.group(1)))
        mention = scan.attribute("time") if scan.year(operand) else None
        return None if mention is None else scan.note(Comparison(mention, "=", operand))

    each(r"(?:in |of |the year |year )*N(\d+)(?! M\d+ by)", scan, bare)
