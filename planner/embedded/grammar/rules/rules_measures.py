"""Rules for what is measured: shares, averages of counts, differences, what was spent, counts left unsaid.

Owns: rewriting of measures before any clause is taken out. Must not know: schemas, except what the scan
tells of a mention.
"""

from __future__ import annotations

import re

from askwire.language.lexicon import ENDS, OVER
from askwire.language.text import ORDINALS
from askwire.planner.embedded.grammar.atoms import Comparison, IsNull, Operand, Output, Sorting, Superlative
from askwire.planner.embedded.grammar.scanning import COMPARE, DET, MEASURES, Scan, each, number_of

_LEAD = r"(?:(?:show|list|give|me|the|all|display|get|our|of|please) )*"
_SPENT = r"(?:spend|spent|pay|paid|cost)"


def measures(scan: Scan) -> None:
    """'PERCENT M0 …', 'AVG M0 per M1', 'difference between M0 and M1', 'M0 per month', 'count the M0'."""
    _shares(scan)
    _averages(scan)
    _differences(scan)
    _counts(scan)
    _spent(scan)
    _firsts(scan)
    _by_count(scan)
    _columns(scan)


def _shares(scan: Scan) -> None:
    def shared(match: re.Match[str]) -> str:
        scan.flags.add("percent" if match.group() == "PERCENT" else "share")
        return "COUNT"

    each(r"PERCENT|SHARE", scan, shared)


def _averages(scan: Scan) -> None:
    """'AVG lines per order' is the average of counts, not of a column."""

    def of_counts(match: re.Match[str]) -> str | None:
        what, group = int(match.group("a")), int(match.group("b"))
        if "table!" not in scan.kind(what) or "table" not in scan.kind(group):
            return None
        scan.flags.add("average_count")
        scan.groups.append(Output(group))
        return f"COUNT M{what} G{group}"

    each(
        rf"AVG {DET}M(?P<a>\d+) (?:(?:that|which|be|have|do|\w+ed|there|in|placed|made|sold|bought) )*?"
        r"(?:per|for each|for every|by each|in each|of each|on each|each|a) M(?P<b>\d+)(?: "
        r"(?:have|do|has|place|make))?",
        scan,
        of_counts,
    )

    def said_last(match: re.Match[str]) -> str | None:
        return of_counts(match)

    each(
        r"(?:on (?:average|AVG) ?,? )?COUNT M(?P<a>\d+) (?:(?:do|be|there|are|have) )*(?:a|"
        r"an|each|per|every|one) "
        r"M(?P<b>\d+)(?: \w+){0,2}?(?: on (?:average|AVG))",
        scan,
        said_last,
    )


def _differences(scan: Scan) -> None:
    def subtracted(match: re.Match[str]) -> str | None:
        first, second = int(match.group("a")), int(match.group("b"))
        turn = match.groupdict().get("between") is not None and "time" in scan.kind(first)
        found = scan.difference(second, first) if turn else scan.difference(first, second)
        return None if found is None else f"{match.groupdict().get('lead') or ''}M{found}"

    each(
        r"(?:the )?(?P<between>(?:difference|gap|time|days|day|duration|delay|COUNT day|"
        rf"COUNT M\d+)(?: in M\d+)?) between {DET}"
        rf"M(?P<a>\d+) and {DET}M(?P<b>\d+)",
        scan,
        subtracted,
    )
    each(
        r"(?P<lead>)(?:(?:the )?(?:margin|profit|difference|markup) (?:of|for|per) (?:each "
        r"|every |the |all )?(?P<of>M\d+) ,? ?)?"
        rf"{DET}M(?P<a>\d+) (?:minus|less|without) {DET}M(?P<b>\d+)",
        scan,
        lambda m: (
            (f"{subtracted(m)} of {m.group('of')}" if m.group("of") else subtracted(m))
            if _both_measured(scan, m)
            else None
        ),
    )


def _both_measured(scan: Scan, match: re.Match[str]) -> bool:
    kinds = [scan.kind(int(match.group(g))) for g in ("a", "b")]
    return all("numeric" in k and "table!" not in k for k in kinds)


def _counts(scan: Scan) -> None:
    """Counts that are meant though not said: 'orders per month', 'count the orders'."""
    scan.line = re.sub(r"^(?:please )?count (?:the |all |of |our )*(?=(?:\w+ ){0,2}M\d)", "COUNT ", scan.line)
    bare = re.match(
        rf"^{_LEAD}(?P<kind>(?:V\d+ (?:and )?)*)(?P<what>M\d+)(?: (?:placed|taken|made|received|created|"
        r"opened|signed|sold|take|there|be))*"
        r"(?P<when>(?: (?:(?:in|on|for|during|since|from|SINCE|BEFORE|AFTER) (?:the )?[VND]|C)\d+)*)"
        r" (?=(?:per|by|each|for each|in each) (?:M\d|(?:hour|day|week|month|quarter|year)\b))",
        scan.line,
    )
    if bare and "table!" in scan.kind(int(bare.group("what")[1:])):
        what = f"{bare.group('kind')}{bare.group('what')}{bare.group('when')}"
        scan.line = f"COUNT {what} {scan.line[bare.end() :]}"
    summed = re.match(
        rf"^{_LEAD}(?P<what>M\d+) (?:per|by|for each|in each) (?:the )?(?=M(?P<by>\d+)(?= |$))", scan.line
    )
    if summed and not _is_listed(scan, summed):
        scan.line = f"SUM {summed.group('what')} per {scan.line[summed.end() :]}"
    if bare:
        scan.line = re.sub(
            r"^(COUNT (?:[VM]\d+ (?:and )?)+(?:\w+ (?:the )?[VND]\d+ )*)by (?=M)", r"\1per ", scan.line
        )


def _is_listed(scan: Scan, match: re.Match[str]) -> bool:
    """Whether 'M0 by M1' is anything but a measure per something that is none."""
    what, by = scan.kind(int(match.group("what")[1:])), scan.kind(int(match.group("by")))
    measured = "numeric" in what and "column!" in what and "time" not in what
    return not measured or ("numeric" in by and "table!" not in by)


def _spent(scan: Scan) -> None:
    """'customers who spent the most', 'how much did Ann spend'."""

    def earned(match: re.Match[str]) -> str | None:
        attribute = scan.attribute("paid")
        if attribute is None or scan.encoded.mentions[attribute].best < 0.5:
            return None
        down = match.group("sup") in {"MOST", "MAX"}
        scan.superlatives.append(Superlative(attribute, down, 1, adjective="paid"))
        return "S"

    # 'the employees who get paid the least': by what they are paid
    each(r"(?:(?:who|that|which) )?(?:get|got|be) paid (?:the )?(?P<sup>MOST|LEAST|MAX|MIN)", scan, earned)

    def most(match: re.Match[str]) -> str | None:
        attribute = scan.attribute("spent")
        if attribute is None:
            return None
        down = match.group("sup") in {"MOST", "MAX"}
        count = number_of(scan, match.group("n")) if match.group("n") else 1
        scan.superlatives.append(Superlative(attribute, down, max(1, count), aggregate="sum"))
        return "S"

    each(
        (
            rf"{_SPENT} (?:us )?(?:the )?(?P<sup>MOST|LEAST|MAX|MIN)(?: N(?P<n>\d+))?(?: money|"
            r" amount| in total)*"
        ),
        scan,
        most,
    )

    def much(match: re.Match[str]) -> str | None:
        attribute = scan.attribute("spent")
        return None if attribute is None else f"SUM M{attribute} of {match.group('who')}"

    each(
        (
            rf"^SUM (?:money )?(?:do|have) (?P<who>(?:(?!do |have )[\w~]+ ){{1,6}}?){_SPENT}(?: "
            r"(?:in total|altogether))?"
        ),
        scan,
        much,
    )


def _firsts(scan: Scan) -> None:
    """'when was the first order placed' asks for the least time."""

    def when(match: re.Match[str]) -> str | None:
        attribute = scan.attribute("time")
        if attribute is None:
            return None
        least = match.group("which") in {"first", "MIN~early", "MIN~old", "MAX~old"}
        return f"what be {'MIN' if least else 'MAX'} M{attribute} of M{match.group('m')}"

    each(
        r"when (?:be|do|have) (?:the |our |their )*(?P<which>first|last|MAX~recent|MAX~late|"
        r"MAX~new|MIN~early|MAX~old) "
        r"M(?P<m>\d+)(?: (?:be|placed|made|happen|created|come in|come))?",
        scan,
        when,
    )
    each(
        (
            r"(?P<the>the )?(?P<n>N\d+ )?(?P<which>MAX~new|MAX~late|MAX~recent|MIN~early|MAX~old|"
            r"MIN~old|last|first)(?P<n2> N\d+)? (?:ever )?"
            r"M(?P<m>\d+)(?: (?:be )?(?:placed|made|added|created|hired|joined|launched))?(?= "
            r"(?:in |on |by |of |from |to |with |\?|\.)|$)"
        ),
        scan,
        lambda m: _first_rows(scan, m),
    )


def _first_rows(scan: Scan, match: re.Match[str]) -> str | None:
    """'newest 3 products', 'the last 5 orders': rows in the order of their time."""
    which, place = match.group("which"), (match.group("n") or match.group("n2") or "").strip()
    of_each = re.match(r" (?:of|for|in|by) (?:each|every) ", match.string[match.end() :])
    said = place or of_each or match.group("the") or which not in {"last", "first"}
    if "table!" not in scan.kind(int(match.group("m"))) or not said:
        return None
    attribute = scan.attribute(
        {"first": "time", "last": "time"}.get(which, "time" if "old" not in which else "old")
    )
    if attribute is None or scan.superlatives:
        return None
    descending = which in {"MAX~new", "MAX~late", "MAX~recent", "last", "MAX~old"}
    count = number_of(scan, place[1:]) if place else 1
    adjective = "old" if "old" in which else ""
    owner = int(match.group("m"))
    scan.superlatives.append(
        Superlative(attribute, descending, max(1, count), adjective=adjective, owner=owner)
    )
    return f"M{owner} S"


def _by_count(scan: Scan) -> None:
    """', most first' sorts; it limits nothing."""

    def sorted_by(match: re.Match[str]) -> str:
        counted = bool(re.search(r"(?<!\S)COUNT(?!\S)", scan.line))
        scan.sorts.append(Sorting(None, match.group().endswith("DOWN"), counted=counted))
        return "O"

    each(r"O_COUNT_(?:DOWN|UP)", scan, sorted_by)


def _columns(scan: Scan) -> None:
    """Two columns compared: 'shipped after the required date', 'price below the cost'; 'out of stock'."""

    def compared(match: re.Match[str]) -> str | None:
        other = int(match.group("o"))
        kinds = scan.kind(other)
        operator = COMPARE[match.group("op")]
        timely = match.group("op") in {"BEFORE", "AFTER"}
        if timely and "time" in kinds and "table!" not in kinds:
            first = scan.moment(match.start(), other)
        elif not timely and match.group("m") and "numeric" in kinds and "table!" not in kinds:
            first = int(match.group("m")) if "numeric" in scan.kind(int(match.group("m"))) else None
        else:
            return None
        return None if first is None else scan.note(Comparison(first, operator, Operand("M", other)))

    each(
        rf"(?:(?:M(?P<m>\d+)|V\d+|\w+ed|be|have|too) )*(?P<op>BEFORE|AFTER|GT|LT) (?:than )?{DET}M(?P<o>\d+)"
        r"(?! (?:GT|LT|GE|LE|be|between|BEFORE|AFTER|N\d|D\d|V\d|(?:of|in) [ND]\d|of (?:any|all|every)))",
        scan,
        compared,
    )

    def nothing(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if "numeric" not in scan.kind(mention):
            return None
        scan.encoded.numbers.append(scan.number("0"))
        return scan.note(Comparison(mention, "=", Operand("N", len(scan.encoded.numbers) - 1)))

    def outdone(match: re.Match[str]) -> str | None:
        player = int(match.group("o"))
        attribute = int(match.group("m")) if match.group("m") else None
        if "table" not in scan.kind(player):
            return None
        if attribute is None:
            attribute = scan.attribute(
                MEASURES[match.group("verb")] if match.group("verb") else match.group("adj") or ""
            )
        if attribute is None:
            return None
        return scan.note(
            Comparison(
                attribute,
                COMPARE[match.group("op")],
                Operand("R", player),
                adjective=match.group("adj") or "",
            )
        )

    each(
        (
            rf"(?:(?:M(?P<m>\d+)|(?P<verb>{'|'.join(MEASURES)})) )?(?:(?:be|have|a) )*(?P<op>GT|"
            r"LT|GE|LE)(?:~(?P<adj>\w+))? "
            r"(?:than )?(?:that of )?(?:their|its|his|her|the) (?:own )?M(?P<o>\d+)(?= |$)(?! "
            r"(?:be|have|with|in))"
        ),
        scan,
        outdone,
    )

    def numbered(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if "numeric" not in scan.kind(mention) or "table!" in scan.kind(mention):
            return None
        scan.encoded.numbers.append(scan.number(str(ORDINALS[match.group("nth")])))
        return scan.note(Comparison(mention, "=", Operand("N", len(scan.encoded.numbers) - 1)))

    each(rf"(?:the )?(?P<nth>{'|'.join(ORDINALS)}) M(?P<m>\d+)", scan, numbered)
    each(
        r"(?:that |which |be )*(?:out of|sold out|no) M(?P<m>\d+)(?= |$)",
        scan,
        lambda m: nothing(m) if " of M" in m.group() else None,
    )

    def had(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        kinds = scan.kind(mention)
        return (
            scan.note(IsNull(mention, negated=True))
            if "optional" in kinds and "table!" not in kinds
            else None
        )

    each(
        (
            r"(?<!not )(?<!never )(?:that |which |who )?(?:still )?(?:have|with|has) (?:a|an|any) M(?P<m>\d+)"
            r"(?= |$)(?! (?:of|that|in|GT|LT|GE|LE|be|[CDNVQ]\d|with|BEFORE|AFTER|between|EQ))"
        ),
        scan,
        had,
    )

    def going_on(match: re.Match[str]) -> str | None:
        mention = scan.ended(match.group("word"))
        if mention is None:
            return None
        return scan.note(IsNull(mention)) + (" " + match.group("m") if match.group("m") else "")

    each(
        (
            rf"(?:(?:that|which|who) )?(?:(?:be|still|currently) )*(?P<word>{'|'.join(ENDS)})"
            r"(?: (?P<m>M\d+))?(?= |$)"
        ),
        scan,
        going_on,
    )

    def over(match: re.Match[str]) -> str | None:
        mention = scan.ended(match.group("word"))
        if mention is None:
            return None
        noted = scan.note(IsNull(mention, negated=not match.group("not")))
        return noted + (" " + match.group("m") if match.group("m") else "")

    each(
        (
            r"(?:(?:that|which|who) )?(?:(?:be|have|already|now|get) )*(?P<not>(?:not|never) )?"
            rf"(?:(?:be|been|yet) )*(?P<word>{'|'.join(OVER)})(?: (?:down|yet|already))?"
            r"(?: (?P<m>M\d+))?(?= |$)(?! (?:in|on|since|by|BEFORE|AFTER|SINCE))"
        ),
        scan,
        over,
    )

    def happened(match: re.Match[str]) -> str | None:
        mention = int(match.group("m"))
        if "moment" not in scan.kind(mention):
            return None
        return scan.note(IsNull(mention, negated=not match.group("not"), moment=True))

    each(
        r"(?:(?:that|which|who|whose|be|have|already|still|get|got) )*(?P<not>(?:not|never) )?"
        r"(?:(?:be|been|yet|already|get) )*M(?P<m>\d+)(?: yet)?(?! (?:in|on|from|at|to|BEFORE|AFTER|"
        r"SINCE|between|during|GT|LT|GE|LE|[CDN]\d|by|be|M\d|of|and|,))",
        scan,
        lambda m: (
            happened(m)
            if re.match(r"(?:(?:that|which|who|whose|have|be|not|never|already)(?= ))", m.group())
            else None
        ),
    )
