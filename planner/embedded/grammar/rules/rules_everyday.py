"""Rules for what people ask first: best selling, new per year, sold last month, late, share refunded.

Owns: wordings that stand for a whole clause, rewritten before any other rule looks. Must not know: schemas,
except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import Comparison, Lacking, Operand, Superlative
from askwire.planner.embedded.grammar.scanning import Scan, each, number_of, word_of

_PARTICIPLE: Final = re.compile(r"\w+ed|sold|sent|bought|made|taken|given|written|paid|built|done|got")
_MEASURED: Final = re.compile(r"(?<!\S)(?:COUNT|SUM|AVG|MAX|MIN)(?!\S)")
_UNIT: Final = r"(?:hour|day|week|month|quarter|year)"
MANY: Final = 10
"""How many are shown of 'the best selling products', where no number is said."""


def everyday(scan: Scan) -> None:
    """'best selling M0', 'new M0 per year', 'by M0 and year', 'late M0', 'PERCENT M0 M1', 'M0 sold D0'."""
    _verbs_between(scan)
    _groups(scan)
    _new(scan)
    _best_selling(scan)
    _best_people(scan)
    _sold_most(scan)
    _late(scan)
    _shares_with(scan)
    _events(scan)


def _verbs_between(scan: Scan) -> None:
    """'which officer issued the most citations': a verb that is like a column's name is still the verb."""

    def dropped(match: re.Match[str]) -> str | None:
        verb = int(match.group("verb"))
        if not _PARTICIPLE.fullmatch(word_of(scan, verb)) or "table!" in scan.kind(verb):
            return None
        scan.encoded.spent.add(verb)
        return match.group("before")

    each(
        r"(?P<before>M\d+(?: (?:that|which|who|have))*) M(?P<verb>\d+)"
        r"(?= (?:the )?(?:MOST|LEAST|MAXCOUNT|MINCOUNT|(?:GT|GE|LT|LE|EQ) N\d+) (?:\w+ )?M\d)",
        scan,
        dropped,
    )
    each(r"(?P<before>(?:have )?(?:never|not)) M(?P<verb>\d+)(?= (?:a|an|any) (?:\w+ )?M\d)", scan, dropped)

    def denied(match: re.Match[str]) -> str | None:
        verb = int(match["verb"])
        if "table!" in scan.kind(verb) or "table!" not in scan.kind(int(match["m"])):
            return None
        scan.encoded.spent.add(verb)
        return "not"

    # behind 'do not', what stands before 'any station' is a verb
    each(r"not M(?P<verb>\d+)(?= any M(?P<m>\d+))", scan, denied)


def _groups(scan: Scan) -> None:
    """'by M0 and year', 'per month and M0', 'per product category'."""

    def behind(match: re.Match[str]) -> str:
        scan.unit_last = True
        return f"{'per' if _MEASURED.search(scan.line) else match['by']} {match['m']} per {match['unit']}"

    each(
        rf"(?P<by>by|per|for each|for every) (?P<m>(?:the )?M\d+) (?:and|,|, and)(?: by| per)? "
        rf"(?P<unit>{_UNIT})",
        scan,
        behind,
    )
    each(
        rf"(?:by|per|for each|for every) (?P<unit>{_UNIT}) (?:and|,|, and)(?: by| per)? (?P<m>(?:the )?M\d+)",
        scan,
        lambda m: f"per {m['m']} per {m['unit']}",
    )

    def compound(match: re.Match[str]) -> str | None:
        first, second = int(match["a"]), int(match["b"])
        if not all("table!" in scan.kind(m) for m in (first, second)):
            return None
        scan.encoded.spent.add(first)
        return f"{match['by']} M{second}"

    each(r"(?P<by>by|per|each|every) M(?P<a>\d+) M(?P<b>\d+)(?= ?(?:$|\?|\.|in |and ))", scan, compound)


def _new(scan: Scan) -> None:
    """'new customers per year', 'how many new customers in 2024': those that came then."""
    timed = re.search(rf"(?:per|each|every|by|for every) {_UNIT}|monthly|yearly|D\d|N\d", scan.line)
    if timed is None:
        return

    def came(match: re.Match[str]) -> str | None:
        if "table!" not in scan.kind(int(match["m"])):
            return None
        counted = re.search(r"(?<!\S)COUNT(?!\S)", scan.line) or not re.search(_UNIT, scan.line)
        return f"M{match['m']}" if counted else f"COUNT M{match['m']}"

    each(r"new M(?P<m>\d+)", scan, came)


def _best_selling(scan: Scan) -> None:
    """'best selling products', 'the 5 worst selling books': by what was sold of them together."""

    def sold(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        attribute = scan.sold()
        if attribute is None or "table" not in scan.kind(mention):
            return None
        place = match["n"] or match["n2"] or match["n3"]
        plural = scan.encoded.tokens[scan.encoded.mentions[mention].end - 1].lower.endswith("s")
        limit = number_of(scan, place) if place else MANY if plural else 1
        down = match["sup"] not in {"MIN~bad", "MAX~bad", "LEAST"}
        scan.superlatives.append(Superlative(attribute, down, max(1, limit), aggregate="sum"))
        return f"M{mention} S"

    each(
        r"(?:the )?(?:N(?P<n>\d+) )?(?P<sup>MAX~good|MIN~bad|MAX~bad|top|MOST|LEAST)(?: N(?P<n2>\d+))? "
        r"(?:selling|sold)(?: N(?P<n3>\d+))? M(?P<m>\d+)",
        scan,
        sold,
    )


def _best_people(scan: Scan) -> None:
    """'our best customers': by what they spent; by how often they came is the other reading."""

    def spending(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        if not {"person", "table!"} <= scan.kind(mention):
            return None
        good, spent = scan.attribute("good"), scan.attribute("spent")
        if (
            spent is None
            or scan.belongs(spent, mention)
            or (good is not None and scan.belongs(good, mention))
        ):
            return None
        place = match["n"] or match["n2"]
        plural = scan.encoded.tokens[scan.encoded.mentions[mention].end - 1].lower.endswith("s")
        limit = number_of(scan, place) if place else MANY if plural else 1
        scan.superlatives.append(
            Superlative(spent, match["sup"] == "MAX~good", max(1, limit), aggregate="sum")
        )
        event = scan.event("ordered")
        if event is not None:
            scan.flags.add(f"best_by{[*scan.steps(event)][-1]}")
        return f"M{mention} S"

    each(
        r"(?:the )?(?:N(?P<n>\d+) )?(?P<sup>MAX~good|MAX~bad|MIN~bad)(?: N(?P<n2>\d+))? M(?P<m>\d+)"
        r"(?= ?$| [?.])",
        scan,
        spending,
    )


def _sold_most(scan: Scan) -> None:
    """'which employee sold the most?': by what was sold together, where nothing says of what."""

    def sold(match: re.Match[str]) -> str | None:
        mention, verb = int(match["m"]), match["verb"]
        other = int(verb[1:]) if verb[1:].isdigit() else None
        if "table!" not in scan.kind(mention) or (other is not None and word_of(scan, other) != "sold"):
            return None
        attribute = scan.sold()
        if attribute is None:
            return None
        if other is not None:
            scan.encoded.spent.add(other)
        scan.superlatives.append(Superlative(attribute, match["sup"] == "MOST", 1, aggregate="sum"))
        return f"M{mention} S"

    each(
        r"M(?P<m>\d+) (?:(?:have|who|that) )*(?P<verb>M\d+|sold|sell) (?P<sup>MOST|LEAST)"
        r"(?= ?$| \?| (?:\w+ )?[DVN]\d)",
        scan,
        sold,
    )


def _late(scan: Scan) -> None:
    """'orders that were late', 'late orders': done after the day by which it was due."""

    def overdue(match: re.Match[str]) -> str | None:
        found = scan.overdue()
        if found is None:
            return None
        done, due = found
        operator = "<=" if "time" in match.group().split() else ">"
        rest = match.groupdict().get("m") or ""
        return f"{scan.note(Comparison(done, operator, Operand('M', due)))} {rest}".strip()

    each(r"(?:(?:that|which|who|be|have) )+(?:too )?(?:late|overdue|on time)(?= |$)(?! N\d)", scan, overdue)
    each(r"(?:late|overdue|delayed) (?P<m>M\d+)", scan, overdue)

    def done_late(match: re.Match[str]) -> str | None:
        verb = int(match["verb"])
        if not _PARTICIPLE.fullmatch(word_of(scan, verb)):
            return None
        found = overdue(match)
        if found is not None:
            scan.encoded.spent.add(verb)
        return found

    # 'which orders were shipped late?'
    each(
        r"(?:(?:that|which|who|be|have|get) )*M(?P<verb>\d+) (?:too )?(?:late|on time)(?= ?$| [?.])",
        scan,
        done_late,
    )
    each(r"(?:ship|ship|arrive|deliver|delivered|shipped|arrived) (?:late|on time)(?= |$)", scan, overdue)


def _shares_with(scan: Scan) -> None:
    """'percentage of orders refunded', 'share of customers who ordered': those to whom a row belongs."""

    def belonging(match: re.Match[str]) -> str | None:
        whole, part = int(match["a"]), int(match["m"])
        if "table!" not in scan.kind(whole) or "table" not in scan.kind(part):
            return None
        if {"moment", "flag"} & scan.kind(part):
            return None
        scan.flags.add("held")
        return f"{match['lead']} M{whole} {scan.note(Lacking(part, held=True))}"

    each(
        r"(?P<lead>PERCENT|SHARE) (?:the |our |all )*M(?P<a>\d+) (?:(?:that|which|who|be|have|get|with|a|at|"
        r"GE|N\d+|placed|made|any) )*M(?P<m>\d+)(?= ?(?:$|\?|\.))",
        scan,
        belonging,
    )


def _events(scan: Scan) -> None:
    """'products sold in 2025', 'customers who bought V0': the rows that record it take part."""
    named = {
        o.index
        for m in scan.encoded.mentions
        if m.start >= 0
        for o in m.options[:2]
        if o.table and o.score >= max(0.8, m.best - 0.05)
    }

    def recorded(match: re.Match[str]) -> str | None:
        verb = match["verb"]
        other = int(verb[1:]) if verb[1:].isdigit() else None
        if other is not None:
            if {"table!", "moment", "flag"} & scan.kind(other):
                return None
            verb = word_of(scan, other)
        if verb not in EVENTS or "table!" not in scan.kind(int(match["m"])):
            return None
        event = scan.event(verb)
        if event is None:
            return None
        first = scan.encoded.mentions[event].options[0].index
        own = {o.index for o in scan.encoded.mentions[int(match["m"])].options[:1] if o.table}
        if (named - own) & {o.index for o in scan.encoded.mentions[event].options} or first in own:
            return None
        if other is not None:
            scan.encoded.spent.add(other)
        return f"{match['before']}M{event}{match['behind']}"

    each(
        r"(?P<before>M(?P<m>\d+) (?:(?:that|which|who|be|have|do|we|ever) )*)(?P<verb>[a-z]+|M\d+)"
        r"(?P<behind>(?: (?:both|the|a|an|in|on|during|by|from|at|since|BEFORE|AFTER|SINCE|between)){0,3}"
        r" (?:V\d+|D\d+|N\d+)|(?= ?$)|(?= \?))",
        scan,
        recorded,
    )
