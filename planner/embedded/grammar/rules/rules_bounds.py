"""Rules for bounds on what belongs together: spent more than 5000, more than 5 urgent tickets.

Owns: totals as bounds, values among what is counted, amounts that are there or not.
Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import MEASURE_WORDS
from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import Comparison, Either, IsValue, Operand, Together
from askwire.planner.embedded.grammar.scanning import COMPARE, Scan, each, word_of

_SPEND: Final = r"spent|spend|spends|paid|pay|generated|generate|brought in|bring in|made|make|earned|earn"
_GAIN: Final = frozenset({"made", "make", "earned", "earn", "generated", "generate"})
_OP: Final = r"(?P<op>GT|GE|LT|LE)"


def bounds(scan: Scan) -> None:
    """'spent GT N0', 'GT N0 in M0', 'GT N0 V0 M0', 'with a M0', 'M0 opened in D0', 'both V0 V1 and V2 V3'."""
    _done_then(scan)
    _both(scan)
    _spent(scan)
    _measured(scan)
    _of_a_kind(scan)
    _amounts(scan)


def _subject(scan: Scan, start: int) -> int | None:
    """The table said last before a place in the line."""
    things = [int(n) for n in re.findall(r"(?<!\S)M(\d+)", scan.line[:start])]
    return next((n for n in reversed(things) if "table!" in scan.kind(n)), None)


def _total(scan: Scan, mention: int, match: re.Match[str]) -> str:
    scan.consumed(match.group())
    return scan.note(
        Comparison(mention, COMPARE[match["op"]], Operand("N", int(match["n"])), aggregate="sum")
    )


def _spent(scan: Scan) -> None:
    """'customers who spent more than 5000': all that they spent together, unless each has a column of it."""

    def together(match: re.Match[str]) -> str | None:
        who = _subject(scan, match.start())
        measure = scan.attribute("spent")
        if who is None or measure is None or scan.belongs(measure, who):
            return None
        said = match["in"]
        if said is not None and singular(word_of(scan, int(said))) in MEASURE_WORDS:
            measure = int(said)
        elif said is not None or (match["verb"] in _GAIN and "person" in scan.kind(who)):
            return None
        return _total(scan, measure, match)

    each(
        rf"(?:(?:that|which|who|have) )*(?P<verb>{_SPEND})(?: (?:us|a|SUM|total|of))* {_OP} N(?P<n>\d+)"
        r"(?: (?:dollar|euro|altogether|SUM|total))*(?: (?:in|of) M(?P<in>\d+))?(?! M\d)",
        scan,
        together,
    )


def _measured(scan: Scan) -> None:
    """'categories with more than 50000 in revenue', 'with a revenue above 50000'."""

    def together(match: re.Match[str]) -> str | None:
        measure = int(match["m"])
        who = _subject(scan, match.start())
        if singular(word_of(scan, measure)) not in MEASURE_WORDS or who is None:
            return None
        return None if scan.belongs(measure, who) else _total(scan, measure, match)

    lead = r"(?:(?:that|which|who|have|with|a|an|made|make|of|generated|SUM) )*"
    each(rf"{lead}{_OP} N(?P<n>\d+) (?:in|of) (?:SUM )?M(?P<m>\d+)", scan, together)
    each(rf"{lead}M(?P<m>\d+) (?:(?:be|of|that|which) )*{_OP} N(?P<n>\d+)(?! M\d)", scan, together)


_PARTICIPLE: Final = re.compile(r"\w+ed|sold|sent|paid|born|built|made|taken|given|written|done|bought|left")


def _done_then(scan: Scan) -> None:
    """'tickets opened in the past two weeks': a verb behind what it was done with says which time."""

    def then(match: re.Match[str]) -> str | None:
        thing, verb = int(match["t"]), int(match["m"])
        operand = Operand(match["k"], int(match["n"]))
        if "table!" not in scan.kind(thing) or "time" not in scan.kind(verb) or "table!" in scan.kind(verb):
            return None
        if not _PARTICIPLE.fullmatch(word_of(scan, verb)) or (operand.kind == "N" and not scan.year(operand)):
            return None
        return f"M{thing} {scan.note(Comparison(verb, '=', operand))}"

    each(
        r"M(?P<t>\d+) (?:(?:that|which|who|be|have) )*M(?P<m>\d+) "
        r"(?:(?:in|during|on|within|over|at|the|for|year) )+(?P<k>D|N)(?P<n>\d+)"
        r"(?! (?:and|to|or|until|,|vs|versus|compared|M\d))",
        scan,
        then,
    )


def _both(scan: Scan) -> None:
    """'both V0 V1 and V2 V3': two whose names are two values each."""

    def together(match: re.Match[str]) -> str:
        parts = tuple(
            Together(tuple(IsValue(int(n)) for n in re.findall(r"V(\d+)", match[g]))) for g in ("a", "b")
        )
        return scan.note(Either(parts, both=match["how"] == "both"))

    each(r"(?P<how>both|either) (?P<a>V\d+ V\d+) (?:and|or) (?P<b>V\d+ V\d+)", scan, together)


def _of_a_kind(scan: Scan) -> None:
    """'more than 5 urgent tickets': the value says which of them are counted; 'at least 3 no-shows'."""
    each(
        r"(?P<op>GT|GE|LT|LE|EQ) N(?P<n>\d+) (?P<v>V\d+(?: (?:(?:and|or|,) )?V\d+)*) M(?P<m>\d+)(?! 's)",
        scan,
        lambda m: (
            f"{m['op']} N{m['n']} M{m['m']} {m['v']}"
            if "table" in scan.kind(int(m["m"])) and "numeric!" not in scan.kind(int(m["m"]))
            else None
        ),
    )

    def rows(match: re.Match[str]) -> str | None:
        holder = scan.holder(int(match["v"]))
        who = _subject(scan, match.start())
        if holder is None or who is None or scan.same(holder, who):
            return None
        return f"{match['op']} N{match['n']} M{holder} V{match['v']}"

    each(r"(?P<op>GT|GE|LT|LE|EQ) N(?P<n>\d+) V(?P<v>\d+)(?! (?:M\d|V\d|and|or|,))", scan, rows)


def _amounts(scan: Scan) -> None:
    """'order lines with a discount', where all have a column of it: more than nothing; 'without' is none."""

    def there(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        kinds = scan.kind(mention)
        if singular(word_of(scan, mention)) in MEASURE_WORDS:
            return None
        if not {"numeric!", "column!"} <= kinds or {"optional", "table", "time", "flag"} & kinds:
            return None
        scan.encoded.numbers.append(scan.number("0"))
        operator = "=" if match["no"] else ">"
        return scan.note(Comparison(mention, operator, Operand("N", len(scan.encoded.numbers) - 1)))

    each(
        r"(?:that |which |who )?(?:(?P<no>without|have no|with no)|with|have)(?: (?:a|an|any))? M(?P<m>\d+)"
        r"(?= ?$| [?.]| (?:in|by|per|from|on|since) )(?! (?:of|that|GT|LT|GE|LE|be|[CNVQ]\d|with|EQ))",
        scan,
        lambda m: there(m) if m["no"] or re.search(r" (?:a|an|any) ", m.group()) else None,
    )
