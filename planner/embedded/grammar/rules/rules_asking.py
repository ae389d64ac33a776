"""Rules for the question words: who did it, what did somebody do last, what is the highest and which has it.

Owns: wordings that ask for a thing without naming it, rewritten before any other rule looks. Must not know:
schemas, except what the scan tells of a mention.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.planner.embedded.grammar.atoms import Beyond, IsValue, Superlative
from askwire.planner.embedded.grammar.scanning import Scan, each, word_of

_LATEST: Final = {"last": "max", "MAX~recent": "max", "MAX~late": "max", "first": "min", "MIN~early": "min"}
_WHEN: Final = r"(?P<when>last|first|MAX~recent|MAX~late|MIN~early)(?: time)?"
_DEALT: Final = frozenset({"sold", "sell", "bought", "buy", "purchased", "ordered"})
_SPENDING: Final = frozenset({"spent", "spend", "pay", "paid"})
_HAS_IT: Final = (
    r"(?:(?:have|be|do|with|it|that|this|earn|get|got|make|made|charge|hold|reach|achieve|give|gave|pay|paid|left|wrote|"
    r"placed|set) ?){1,4}"
)
_KINDS_OF: Final = frozenset({"type", "types", "kind", "kinds", "category", "categories", "class", "status"})
_SHOWN: Final = r"(?:(?:what be|which be|show|give|find|tell|list|return|me|us|the) )*"


def asking(scan: Scan) -> None:
    """'who placed MOST M0', 'what do V0 order last', 'what be MAX M0 and which M1 have it'."""
    _who(scan)
    _what_somebody_did(scan)
    _when_somebody_did(scan)
    _and_which(scan)
    _dealt_most(scan)
    _nothing(scan)
    _kind_of(scan)
    _number_of(scan)
    _absorbed(scan)
    _totalled(scan)
    _scored(scan)


def _who(scan: Scan) -> None:
    """'who placed the most orders', 'who reports to the director': whoever it is must be named."""
    match = re.match(r"(?:(?:find|show|list|tell|me|us|out) )*who (?:do )?(?P<rest>.+)", scan.line)
    if match is None:
        return
    rest = match["rest"]
    below = re.match(r"(?:be )?(?:report(?:ing)? to|managed by|supervised by|MAX~\w+ to) ", rest)
    if below:
        mention = scan.reporting()
        if mention is not None:
            scan.line = f"M{mention} who {rest}"
        return
    moment = re.fullmatch(r"be M(?P<what>\d+) (?P<when>last|first|MAX~recent|MIN~early)(?: [.?])?", rest)
    if moment and "time" in scan.kind(int(moment["what"])):
        # 'who was hired last'
        whoever = scan.people([int(moment["what"])], [], "")
        if whoever is not None:
            extreme = _LATEST[moment["when"]].upper()
            scan.line = f"which M{whoever} have {extreme} M{moment['what']}"
        return
    named = [int(n) for n in re.findall(r"(?<!\S)M(\d+)", rest)]
    if any("person" in scan.kind(m) for m in named) or re.match(r"be (?:the )?M\d", rest):
        return
    verb = rest.removeprefix("have ").split(" ", 1)[0]
    if verb[1:].isdigit() and verb[0] == "M":
        verb = word_of(scan, int(verb[1:]))
    events = [m for m in named if "table!" in scan.kind(m)]
    if not events and _event_word(verb):
        event = scan.event(_event_word(verb))
        if event is not None:
            events = [event]
            steps = scan.steps(event)
            through = steps if re.search(r"(?<!\S)[VQ]\d", rest) else steps[-1:]
            rest = " ".join([*(f"M{m}" for m in through), *rest.removeprefix("have ").split(" ")[1:]])
    elif not events and verb in _SPENDING:
        measure = scan.attribute("spent")
        events = [measure] if measure is not None else []
    values = [int(n) for n in re.findall(r"(?<!\S)V(\d+)", rest)]
    mention = scan.people(events or named, values, verb)
    if mention is not None:
        scan.understood(verb)
        scan.line = f"which M{mention} {rest}"


def _event_word(verb: str) -> str:
    """The form under which an event is known: 'order' → ordered; '' of other words."""
    return next((form for form in (verb, f"{verb}ed", f"{verb}d") if form in EVENTS), "")


def _said_event(scan: Scan, verb: str) -> int | None:
    """The mention of what a verb records, said as a word or as the name of a table."""
    other = int(verb[1:]) if verb[:1] == "M" and verb[1:].isdigit() else None
    word = word_of(scan, other) if other is not None else verb
    event = scan.event(_event_word(word)) if _event_word(word) else None
    if event is not None and other is not None:
        scan.encoded.spent.add(other)
    return event


def _nothing(scan: Scan) -> None:
    """'customers who ordered nothing': who never did."""

    def never(match: re.Match[str]) -> str | None:
        verb = match["verb"]
        word = word_of(scan, int(verb[1:])) if verb[1:].isdigit() else verb
        return f"never {verb}" if _event_word(word) else None

    each(r"(?P<verb>M\d+|[a-z]+) nothing", scan, never)


def _of_whom(who: str) -> tuple[IsValue, ...]:
    return tuple(IsValue(int(n)) for n in re.findall(r"(?<!\S)V(\d+)", who))


def _what_somebody_did(scan: Scan) -> None:
    """'what did Ann order last': the things of her last order; 'what did Ann buy': all of them."""

    def things(match: re.Match[str]) -> str | None:
        event = _said_event(scan, match["verb"])
        if event is None:
            return None
        thing = int(match["m"]) if match["m"] else scan.thing(event)
        if thing is None or "table!" not in scan.kind(thing):
            return None
        through = " ".join(f"M{m}" for m in scan.steps(event))
        asked = f"which M{thing} {through} {match['who']}"
        when = match["when"] or match["when2"]
        if when is None:
            return asked
        moment = scan.attribute("time")
        if moment is None:
            return None
        last = Beyond(moment, "=", _LATEST[when], "", _of_whom(match["who"]))
        return f"{asked} {scan.note(last)}"

    each(
        rf"(?:what|which) (?:M(?P<m>\d+) )?(?:do|have) (?:the )?(?P<who>(?:M\d+ )?V\d+) (?:{_WHEN} )?"
        rf"(?P<verb>[a-z]+|M\d+)(?: {_WHEN.replace('<when>', '<when2>')})?(?= ?$| \?)",
        scan,
        things,
    )


def _when_somebody_did(scan: Scan) -> None:
    """'when did Ann last order': the greatest time of what she did."""

    def moment(match: re.Match[str]) -> str | None:
        event = _said_event(scan, match["verb"])
        attribute = scan.attribute("time") if event is not None else None
        if attribute is None:
            return None
        end = "MAX" if _LATEST[match["when"]] == "max" else "MIN"
        return f"what be {end} M{attribute} of M{event} {match['who']}"

    who = r"when (?:do|have|be) (?:the )?(?P<who>(?:M\d+ )?V\d+)"
    each(rf"{who} {_WHEN} (?P<verb>[a-z]+|M\d+)(?= ?$| \?)", scan, moment)
    each(rf"{who} (?P<verb>[a-z]+|M\d+) {_WHEN}(?= ?$| \?)", scan, moment)


def _and_which(scan: Scan) -> None:
    """'what be MAX M0 and which M1 have it': the row that has it, with both."""
    match = re.fullmatch(
        rf"(?P<lead>{_SHOWN})(?P<sup>MAX|MIN)(?:~(?P<adj>\w+))? M(?P<a>\d+)(?P<rest>(?: (?!and)\S+)*?),? "
        rf"and (?:which|what|who|whose) (?:M(?P<b>\d+) )?{_HAS_IT}(?P<stop> ?[?.])?",
        scan.line,
    )
    if match is not None and "table!" not in scan.kind(int(match["a"])):
        whose = int(match["b"]) if match["b"] else scan.people([int(match["a"])], (), "")
        if whose is not None and "numeric" in scan.kind(int(match["a"])):
            scan.superlatives.append(Superlative(int(match["a"]), match["sup"] == "MAX"))
            scan.line = f"what be M{match['a']} and M{whose} S{match['rest']}{match['stop'] or ''}"
            return
    # '… and which M1 be it in', '… and what be its M1': one thing more to show of the same
    each(
        r",? ?and (?:which|what) (?:M(?P<m>\d+) (?:be|do|have) (?:it|they|he|she|that)(?: [a-z]+){0,2}|"
        r"be (?:its|their|his|her) M(?P<n>\d+)|M(?P<k>\d+) it [a-z]+ (?:to|in|from))(?= ?$| [?.])",
        scan,
        lambda m: f"and its M{m['n']}" if m["n"] else f"and M{m['m'] or m['k']}",
    )


def _dealt_most(scan: Scan) -> None:
    """'which M0 bought MOST M1': through what records it, and by how many of them together."""

    def dealt(match: re.Match[str]) -> str | None:
        mention, things = int(match["m"]), int(match["o"])
        if not all("table!" in scan.kind(m) for m in (mention, things)):
            return None
        verb = match["verb"]
        if verb[1:].isdigit() and "table!" in scan.kind(int(verb[1:])):
            return None
        event = _said_event(scan, verb)
        if event is None:
            return None
        recorded = {o.index for o in scan.encoded.mentions[event].options}
        if any(o.table and o.index in recorded for o in scan.encoded.mentions[things].options[:1]):
            return None
        word = word_of(scan, int(verb[1:])) if verb[1:].isdigit() else verb
        attribute = scan.sold() if word in _DEALT else None
        if attribute is None:
            return f"M{mention} M{event} {match['sup']} M{things}"
        down = match["sup"] in {"MOST", "MAXCOUNT"}
        scan.superlatives.append(Superlative(attribute, down, 1, aggregate="sum"))
        if re.fullmatch(r" ?[?.]?", match.string[match.end() :]):
            # nothing is said of them: what was sold of them is where it is recorded
            scan.encoded.spent.add(things)
            return f"M{mention} M{event} S"
        return f"M{mention} M{event} S M{things}"

    each(
        r"M(?P<m>\d+) (?:(?:have|who|that) )*(?P<verb>[a-z]+|M\d+) (?P<sup>MOST|LEAST|MAXCOUNT|MINCOUNT) "
        r"(?:(?:different|unit|of) )*M(?P<o>\d+)",
        scan,
        dealt,
    )


_WHATS: Final = rf"^(?P<lead>{_SHOWN}|what (?:be )?(?:the )*)(?:the )*"


def _kind_of(scan: Scan) -> None:
    """'what type of M0': the type of it, where the schema says both words together."""

    def whole(match: re.Match[str]) -> str | None:
        kind, of = int(match["k"]), int(match["m"])
        if word_of(scan, kind) not in _KINDS_OF:
            return None
        found = scan.compound(of, kind)
        return None if found is None else f"M{found}"

    each(r"M(?P<k>\d+) of (?:(?:the|a) )*M(?P<m>\d+)", scan, whole)


def _number_of(scan: Scan) -> None:
    """'the total number of M0', where a total of something else sounds like it."""

    def counted(match: re.Match[str]) -> str | None:
        said = scan.encoded.mentions[int(match["t"])]
        if said.words not in {("total", "number"), ("total",)}:
            return None
        scan.encoded.spent.add(int(match["t"]))
        return "COUNT"

    each(r"M(?P<t>\d+) of(?= (?:(?:the|all) )*M\d)", scan, counted)
    each(
        r"M(?P<t>\d+) COUNT(?= (?:(?:of|the|all) )*M\d)",
        scan,
        lambda m: counted(m) if word_of(scan, int(m["t"])) == "total" else None,
    )
    # 'list the property id and resident count'
    each(
        r"M(?P<m>\d+) count(?= ?$| [.?,]| and )",
        scan,
        lambda m: f"COUNT M{m['m']}" if "table!" in scan.kind(int(m["m"])) else None,
    )


def _absorbed(scan: Scan) -> None:
    """'the average salary by M1' of a column that is called average salary: the average of its rows."""

    def aggregated(match: re.Match[str]) -> str | None:
        said = scan.absorbed(int(match["m"]))
        return None if not said else f"{match['lead']}{said} M{match['m']}"

    each(rf"{_WHATS}M(?P<m>\d+)(?! (?:and|,|be|of each|M\d))", scan, aggregated)


def _totalled(scan: Scan) -> None:
    """'how many students were enrolled', where a column holds how many were: their sum."""

    def summed(match: re.Match[str]) -> str | None:
        verb, who = match["verb"], match["who"]
        word = word_of(scan, int(verb[1:])) if verb[1:].isdigit() else verb
        linked = who[1:].isdigit()
        if linked and who[0] == "M" and scan.named_outright(int(who[1:])):
            return None
        found = scan.totalled(word) if word else None
        if found is None:
            return None
        scan.understood(word)
        if not linked:
            scan.understood(who)
        scan.encoded.spent.update(int(m[1:]) for m in (who, verb) if m[0] == "M" and m[1:].isdigit())
        return f"SUM M{found}" + (f" {who}" if who[0] == "V" else "")

    each(
        r"COUNT (?P<who>[MV]\d+|person|victim) (?:(?:be|have|that|who|do|get) )*(?P<verb>[a-z]+|M\d+)(?= |$)",
        scan,
        summed,
    )

    def percent(match: re.Match[str]) -> str | None:
        mention = int(match["m"])
        if "percent" not in scan.kind(mention):
            return None
        lead = match["lead"] or ""
        grouped = re.search(r" (?:by|per|each) ", scan.line)
        return f"what be {'AVG ' if grouped else ''}M{mention} {lead}".strip()

    each(
        r"(?:what )?(?:PERCENT|SHARE) (?:M\d+ |V\d+ )?(?:(?:be|have|that|who) )*(?P<lead>)M(?P<m>\d+)",
        scan,
        percent,
    )


def _scored(scan: Scan) -> None:
    """'which M0 do V0 score highest in': by the average of what is measured."""

    def best(match: re.Match[str]) -> str | None:
        if "numeric" not in scan.kind(int(match["m"])):
            return None
        return f"{match['who']} with {match['sup']} AVG M{match['m']}"

    each(
        r"(?:pay|give|charge|offer|provide)s? (?:(?:its|their|his|her|the) )?M(?P<of>\d+) (?P<sup>MAX|MIN) "
        r"M(?P<m>\d+)",
        scan,
        lambda m: f"with {m['sup']} M{m['m']}" if "numeric!" in scan.kind(int(m["m"])) else None,
    )
    each(
        r"(?:do )?(?P<who>[MV]\d+) M(?P<m>\d+) (?:the )?(?P<sup>MAX|MIN)(?: (?:in|on|at|for))?(?= ?$| \?)",
        scan,
        best,
    )
