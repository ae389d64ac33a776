"""Rules for what people did with things, so many times, on average, or not at all since then.

Owns: verbs that rows of another table record ('bought more than 10 products', 'not ordered in 2024'), and
averages over units of time or over groups. Must not know: schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import EVENTS, MEASURE_WORDS
from askwire.language.text import singular
from askwire.planner.embedded.grammar.atoms import Comparison, Lacking, Operand, Output
from askwire.planner.embedded.grammar.scanning import COMPARE, WHEN, Scan, each, word_of
from askwire.planner.embedded.logical_form.reckoning import SPANS

_AMOUNTS: Final = frozenset({"total", "value", "amount"})
_UNIT: Final = r"(?P<unit>hour|day|week|month|quarter|year)"
_WHO: Final = r"(?:(?:that|which|who|have|do|be) )*"
_VERB: Final = r"(?P<verb>[a-z]+|M\d+)"


def dealings(scan: Scan) -> None:
    """'bought GT N0 M0', 'not ordered in D0', 'with no sales', 'AVG COUNT M0 per month'."""
    _so_many(scan)
    _no_sales(scan)
    _not_then(scan)
    _averages(scan)
    _took(scan)


def _event(scan: Scan, symbol: str) -> int | None:
    """The mention of the tables that record what a verb says."""
    linked = re.fullmatch(r"M\d+", symbol) is not None
    if linked and {"table!", "moment", "flag"} & scan.kind(int(symbol[1:])):
        return None
    word = word_of(scan, int(symbol[1:])) if linked else symbol
    form = next((f for f in (word, f"{word}ed", f"{word}d") if f in EVENTS), "")
    event = scan.event(form) if form else None
    if event is not None and linked:
        scan.encoded.spent.add(int(symbol[1:]))
    return event


def _so_many(scan: Scan) -> None:
    """'customers who bought more than 10 products': through what records it."""

    def dealt(match: re.Match[str]) -> str | None:
        who, thing = int(match["m"]), int(match["t"])
        if not all("table!" in scan.kind(m) for m in (who, thing)):
            return None
        event = _event(scan, match["verb"])
        if event is None or scan.same(event, who) or scan.same(event, thing):
            return None
        return f"M{who} with {match['op']} N{match['n']} M{event} M{thing}"

    each(
        rf"M(?P<m>\d+) {_WHO}{_VERB} (?P<op>GT|GE|LT|LE|EQ) N(?P<n>\d+) (?:different |distinct )?M(?P<t>\d+)",
        scan,
        dealt,
    )


def _not_then(scan: Scan) -> None:
    """'customers who have not ordered in the past 6 months': no row of what they did is of that time."""

    def never(match: re.Match[str]) -> str | None:
        who = int(match["m"])
        operand = Operand(match["k"], int(match["n"]))
        if "table!" not in scan.kind(who) or (operand.kind == "N" and not scan.year(operand)):
            return None
        event = _event(scan, match["verb"])
        if event is None or scan.same(event, who):
            return None
        for step in (*reversed(list(scan.steps(event))), event):
            moment = scan.last_time(step)
            if moment is not None:
                break
        else:
            return None
        said = match["when"]
        inner = Comparison(moment, COMPARE[said] if said in WHEN else "=", operand)
        scan.consumed(match.group())
        return f"M{who} {scan.note(Lacking(step, (inner,)))}"

    each(
        rf"M(?P<m>\d+) {_WHO}(?:not|never) (?:(?:be|been|ever) )*{_VERB}"
        r"(?: (?:anything|something|with us|us))* (?P<when>in|during|within|SINCE|AFTER|BEFORE|on|for|over) "
        r"(?:(?:the|at|year) )*(?P<k>[DN])(?P<n>\d+)"
        r"(?! (?:and|or|to|but) )",
        scan,
        never,
    )


def _no_sales(scan: Scan) -> None:
    """'products with no sales' were never sold."""

    def never(match: re.Match[str]) -> str | None:
        if singular(word_of(scan, int(match["m"]))) != "sale":
            return None
        event = scan.event("sold")
        if event is None:
            return None
        scan.encoded.spent.add(int(match["m"]))
        return "never sold"

    each(
        r"(?:(?:that|which|who) )?(?:(?:with|have|made|had) no|without(?: any)?) M(?P<m>\d+)"
        r"(?= ?$| [?.]| in | since | SINCE )",
        scan,
        never,
    )


def _averages(scan: Scan) -> None:
    """'average number of orders per month': the average of the months' counts; of revenue, of their sums."""

    def per_unit(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        asked = _followed(scan, int(match["m"]))
        unit = groups.get("unit") or _unit_of(groups.get("adv") or "")
        if asked is None or not unit:
            return None
        scan.flags.add("average_count")
        scan.consumed(match.group())
        return f"{asked} M{match['m']} per {unit}"

    done = r"(?: (?:be|placed|made|sold|taken|opened|created|there|do|we|get|got|have|issued))*"
    end = r"(?= ?$| [?.]| (?:in|since|SINCE|for) )"
    each(rf"AVG M(?P<m>\d+){done} (?:per|a|an|each|every) {_UNIT}{end}", scan, per_unit)
    each(
        rf"(?:on (?:AVG|average) )?COUNT M(?P<m>\d+){done} (?:per|a|an|each|every) {_UNIT} "
        r"on (?:AVG|average)",
        scan,
        per_unit,
    )
    each(rf"AVG (?P<adv>daily|weekly|monthly|quarterly|yearly|annual) M(?P<m>\d+){end}", scan, per_unit)

    def of_one(match: re.Match[str]) -> str | None:
        said = {token.lemma for token in scan.encoded.tokens}
        return (
            f"AVG M{match['m']} value" if said & _AMOUNTS and "table!" in scan.kind(int(match["m"])) else None
        )

    # 'average value of an order', 'average total per invoice'
    each(r"AVG (?:an?|per|each) M(?P<m>\d+)(?= ?$| [?.]| (?:by|per|in|for|since|SINCE) )", scan, of_one)

    def per_thing(match: re.Match[str]) -> str | None:
        measure, thing = int(match["m"]), int(match["t"])
        if _numbered(scan, measure):
            if "table!" not in scan.kind(measure) or "table!" not in scan.kind(thing):
                return None
            scan.flags.add("average_count")
            scan.groups.append(Output(thing))
            return f"COUNT M{measure} G{thing}"
        if singular(word_of(scan, measure)) not in MEASURE_WORDS or "table!" not in scan.kind(thing):
            return None
        scan.flags.add("average_count")
        scan.groups.append(Output(thing))
        return f"SUM M{measure} G{thing}"

    of_each = r"(?:per|of each|for each|of a|by each|from each)"
    each(rf"AVG M(?P<m>\d+) {of_each} M(?P<t>\d+)(?= ?$| [?.])", scan, per_thing)


def _followed(scan: Scan, mention: int) -> str | None:
    """What of a mention is averaged over time: how many there are, or the sum of money taken in."""
    kinds = scan.kind(mention)
    if _amount(scan, mention):
        return None
    if singular(word_of(scan, mention)) in MEASURE_WORDS:
        return "COUNT" if _numbered(scan, mention) else "SUM"
    counted = "table!" in kinds and ("numeric!" not in kinds or scan.named_outright(mention))
    return "COUNT" if counted else None


def _numbered(scan: Scan, mention: int) -> bool:
    """Whether a mention is what there is a number of: 'average number of sales' is of rows, not of money."""
    start = scan.encoded.mentions[mention].start
    before = [token.lemma for token in scan.encoded.tokens[max(0, start - 3) : max(0, start)]]
    return bool({"number", "count"} & set(before))


def _amount(scan: Scan, mention: int) -> bool:
    """Whether what one comes to is meant, not how many there are: 'average invoice total per month'."""
    end = scan.encoded.mentions[mention].end
    behind = scan.encoded.tokens[end : end + 1]
    return bool(behind) and behind[0].lemma in _AMOUNTS


def _unit_of(adverb: str) -> str:
    return {"daily": "day", "annual": "year"}.get(adverb, adverb.removesuffix("ly"))


def _took(scan: Scan) -> None:
    """'orders that took more than 5 days to ship': a bound on how long it lasted."""

    def longer(match: re.Match[str]) -> str | None:
        thing, verb = int(match["m"]), match.groupdict().get("verb", "")
        word = word_of(scan, int(verb[1:])) if re.fullmatch(r"M\d+", verb) else verb
        unit = match["unit"] or _said_in(scan, int(match["n"]))
        if "table" not in scan.kind(thing) or (verb and not word) or unit not in SPANS:
            return None
        lasted = scan.lasting(thing, word) if word else None
        if lasted is None:
            lasted = scan.lasting(thing, "")
        if lasted is None:
            return None
        if re.fullmatch(r"M\d+", verb):
            scan.encoded.spent.add(int(verb[1:]))
        scan.consumed(match.group())
        operand = Operand("N", int(match["n"]))
        return f"M{thing} {scan.note(Comparison(lasted, COMPARE[match['op']], operand, unit=unit))}"

    bound = r"(?P<op>GT|GE|LT|LE)"
    amount = rf"{bound}(?:~long)? [NU](?P<n>\d+)(?: (?P<unit>day|hour|minute))?"
    took = r"(?:take|took|taking|need|needed)"
    each(rf"M(?P<m>\d+) {_WHO}{took} {amount} (?:to|until) (?:be |get )*{_VERB}", scan, longer)
    each(rf"M(?P<m>\d+) (?:where|whose|for which) (?:the )?{_VERB} {took} {amount}", scan, longer)
    # 'trips that lasted GT N0 minute', 'trips GT~long N0': no column says how long they were
    number = r"N(?P<n>\d+)(?: (?P<unit>day|hour|minute))?"
    end = r"(?= ?$| [?.]| (?:by|per|in|from|with|for|on|at|to|and) )"
    took = rf"(?:{took}|last|lasted|lasting)(?: for)?"
    each(
        rf"M(?P<m>\d+) {_WHO}{took} {bound}(?:~(?:long|short))? {number}{end}",
        scan,
        longer,
    )
    each(
        rf"M(?P<m>\d+) {_WHO}{bound}~(?:long|short) {number}{end}",
        scan,
        longer,
    )


def _said_in(scan: Scan, number: int) -> str:
    """The unit of time that a number is told in, '' of others."""
    unit = scan.encoded.measured.get(number)
    return unit.name.removesuffix("s") if unit is not None and unit.kind == "time" else ""
