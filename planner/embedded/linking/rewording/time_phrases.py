"""Times in other places and wordings: 'In May, orders per shop' → 'orders per shop in May'.

Owns: rewritings of a question's tokens, as `paraphrases` has them, that move a time or put its bound in
another word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import PARTICIPLE, YEAR, Token, listed
from askwire.language.times import time_spans
from askwire.planner.embedded.linking.rewording import new_tokens

_TIME: Final = "TIME"
"""What stands for a time in a line; words are in small letters."""
_NEXT: Final = (
    r"(?= ?$| [?.,;:]| (?:per|by|for|in|of|with|without|that|which|who|whose|has|have|had|is|are|was|were|"
    r"does|do|did|and|or|sorted|ordered)(?!\S))"
)
_SINCE: Final = re.compile(
    rf"(?<!\S)(?:(?:starting |beginning )?from (?P<from>(?:the )?{_TIME}) (?:on|onwards?|forward){_NEXT}"
    rf"|(?:(?:in|from|on) )?(?P<or>(?:the )?{_TIME}) (?:or|and) (?:later|onwards?|after){_NEXT})"
)
_THE_WHOLE: Final = r"(?:the )?(?:(?:whole|entire|full) )?"
_PLAIN: Final = (
    (
        rf"(?:over|in|during|through|throughout|within|for) {_THE_WHOLE}(?:course|whole|month|duration) of",
        "in",
    ),
    (rf"(?:throughout|all through|(?:in )?all of|all across)(?: {_THE_WHOLE}(?:year|month))?(?: of)?", "in"),
    (
        r"(?:prior to|earlier than)(?: the (?:start|beginning) of)?|before the (?:start|beginning) of",
        "before",
    ),
    (r"(?<!no )(?<!not )later than(?: the end of)?|after the end of", "after"),
    (r"since the (?:start|beginning) of", "since"),
    (r"(?:starting|beginning)(?: from| with)?", "since"),
)
"""Words before a time → the plain ones."""
_BEFORE_TIME: Final = re.compile(
    r"(?<!\S)(?:"
    + "|".join(f"({said})" for said, _ in _PLAIN)
    + rf") (?=(?:the )?{_TIME}(?! (?:to|until|through|till) ))"
)
_YEARS: Final = re.compile(
    rf"(?<!\S)(?P<in>in|over|during|across|for|within) (?:the years? )?(?P<either>either )?"
    rf"{_TIME} (?P<or>and|or) {_TIME}{_NEXT}"
)
_EACH_YEAR: Final = re.compile(
    r"(?<!\S)(?:both|compare\S*|vs|versus|respectively|against|growth|change|difference|side by side|who"
    r"|(?:each|per|every|one) (?:column|row|line)s?|(?:column|row|line)s? (?:per|each|for))(?!\S)"
    r"|(?<!\S)(?:with|have|has|had|having) \S+ in TIME and"
)
_UNTIL: Final = re.compile(
    r"(?:^|(?<!\S)(?P<thing>[^\sA-Z]+) (?:(?:back|in|out|off) )?)"
    r"(?P<until>(?P<by>by|until|till|through|as of|up (?:to|until|till)(?: and including)?) (?:the )?"
    rf"(?P<end>end of (?:the )?)?){_TIME}(?! (?:vs|versus|and|or|to|against) (?:in )?{_TIME})"
    rf"(?P<next>{_NEXT})?"
)
_LASTING: Final = frozenset(
    listed(
        """
        booked reserved extended leased rented employed suspended postponed delayed enrolled insured covered
        valid open active available good halfway
        """
    )
)
"""What lasts: 'booked until May' says how long."""
_IN_ORDER: Final = frozenset({"sorted", "grouped", "ranked", "split", "filtered"})
_FIRST: Final = re.compile(
    r"(?:(?:(?P<in>in|during|for|since|before|after|(?:in|on) or (?:after|before)|on|over|within) "
    rf"(?:(?:the|year|month|whole|all|of) )*{_TIME}"
    rf"|between {_TIME} and {_TIME}|from {_TIME} (?:to|until|through) {_TIME}) (?P<mark>, )?)"
)
_EXTREME_LAST: Final = re.compile(
    r"^(?P<lead>(?:in|on|at|for) (?:which|what) \S+(?: \S+)?) (?:was|were|is|are) "
    r"(?P<what>(?:the )?(?:total|sum|average|mean|combined|number|count|amount|\S+ total)(?!\S).*?)"
    r" (?:the )?(?P<how>highest|lowest|largest|biggest|smallest|greatest|most|least)"
    r"(?= ?$| [?.]| (?:in|on|before|after|since|from|between|during|for) )"
)
_SAW: Final = re.compile(
    r"(?<!\S)(?:(?P<unit>(?:(?:what|which) (?:is|was|'s) )?the (?:hour|day|week|month|quarter|year))"
    r" (?:that|which) )?(?P<saw>saw|sees|seen|witnessed|(?(unit)had|witnessed)) "
    r"(?=the (?:most|least|fewest|highest|lowest|largest|biggest|greatest|smallest)(?!\S))"
)
_END_OF_THINGS: Final = r"(?:first|last|latest|earliest|oldest|newest|(?:most|least) recent)"
_WE_HAD: Final = re.compile(
    r"when (?:did|do|have) (?:we|you|they) (?:have|get|see|receive|record) "
    rf"(?=(?:the|our) {_END_OF_THINGS}(?!\S))"
)
_FALL_ON: Final = re.compile(
    r"(?<!\S)(?:fall|falls|occur|happen|happened|take place) (?:on|in) (?:each|every) "
    r"(?=(?:weekday|day|month|quarter|year)(?!\S))"
)
_VERY: Final = re.compile(rf"(?<!\S)very (?={_END_OF_THINGS}(?!\S))")
_ASKED: Final = re.compile(r"(?:how|what|which|who|whose|when|list|show|give|count|find)(?!\S)")
_MORE: Final = re.compile(
    r" [?.;:](?!\S)"
    r"| (?:, )?and (?:what|how|which|who|where|when|their|its|the|show|list)(?!\S)"
    r"| , (?:and|with|including|sorted|ordered|sort|order|show|showing|along|only|but|as|from|in)(?!\S)"
)
"""What begins another part of a question, of which a time before the first is not said."""
_TOLD_APART: Final = re.compile(r"(?<!\S)(?:no|without|never|lacking|lack|and how many)(?!\S)")
"""Words of questions in which a time said first may be of either of two things: rules decide of which."""
_OF_ALL: Final = re.compile(r"(?<!\S)(?:not|percentage|percent|%|share|proportion|fraction)(?!\S)")
"""Words of questions that compare rows with all of a time."""


def _line(tokens: Sequence[Token]) -> tuple[str, list[int]]:
    """The tokens as a line in which each time is one word, and where each word begins, the end as well."""
    spans = {span.start: span.end for span in time_spans(tokens, "")}
    words: list[str] = []
    starts: list[int] = []
    at = 0
    while at < len(tokens):
        starts.append(at)
        year = tokens[at].kind == "number" and YEAR.fullmatch(tokens[at].text)
        words.append(_TIME if year or at in spans else new_tokens.line(tokens[at : at + 1]))
        at = spans.get(at, at + 1)
    return " ".join(words), [*starts, len(tokens)]


def plain_bounds(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'over the course of 2024', 'prior to May', 'starting May' → 'in 2024', 'before May', 'since May'."""
    line, starts = _line(tokens)
    found = _BEFORE_TIME.search(line)
    if found is None or found.lastindex is None:
        return tokens
    start, end = (starts[line.count(" ", 0, at)] for at in found.span())
    plain = (new_tokens.word(word, tokens[start]) for word in _PLAIN[found.lastindex - 1][1].split())
    return (*tokens[:start], *plain, *tokens[end:])


def one_period(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'in 2023 or 2024', 'over 2023 and 2024' → 'from 2023 to 2024', where the years are not told apart."""
    line, starts = _line(tokens)
    found = _YEARS.search(line)
    if found is None or (found["or"] == "and" and found["in"] != "over" and _EACH_YEAR.search(line)):
        return tokens
    start, joined = (starts[line.count(" ", 0, at)] for at in (found.start(), found.start("or")))
    one, other = tokens[joined - 1], tokens[joined + 1]
    if not (one.text.isdigit() and other.text.isdigit() and int(other.text) == int(one.text) + 1):
        return tokens
    said = (new_tokens.word("from", one), one, new_tokens.word("to", one))
    return (*tokens[:start], *said, *tokens[joined + 1 :])


def since_then(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'from May 2024 on', 'starting from May 2024', 'in May 2024 or later' → 'since May 2024'."""
    line, starts = _line(tokens)
    found = _SINCE.search(line)
    if found is None:
        return tokens
    said = next(name for name in ("from", "or") if found[name])
    places = (line.count(" ", 0, at) for at in (found.start(), *found.span(said), found.end()))
    start, low, high, end = places
    when = tokens[starts[low] : starts[high + 1]]
    since = new_tokens.word("since", tokens[starts[start]])
    return (*tokens[: starts[start]], since, *when, *tokens[starts[end + 1] :])


def not_later(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'delivered by 31 May 2024', 'orders up to the end of 2024', 'through May' → '… in or before …'.

    The end of a year is the beginning of the next, with 'before': no amount is before one.

    What is valid until then has a time that says so.
    """
    line, starts = _line(tokens)
    for found in _UNTIL.finditer(line):
        thing = tokens[starts[line.count(" ", 0, found.start())]] if found["thing"] else None
        low, high = (starts[line.count(" ", 0, at)] for at in found.span("until"))
        if _says_until(found, thing, tokens[high]):
            if YEAR.fullmatch(tokens[high].text):  # of a year a word that no amount has
                before = replace(new_tokens.word("before", tokens[low]), text="until")
                end = new_tokens.number(int(tokens[high].lemma) + 1, tokens[high])
                return (*tokens[:low], before, end, *tokens[high + 1 :])
            said = (new_tokens.word(word, tokens[low]) for word in ("in", "or", "before"))
            return (*tokens[:low], *said, *tokens[high:])
    return tokens


def _says_until(found: re.Match[str], thing: Token | None, when: Token) -> bool:
    """Whether a time, behind `thing` or first in a question, is the last of what is asked for."""
    if thing is None or thing.lower == ",":
        return found["next"] is not None
    done = PARTICIPLE.fullmatch(thing.lower) is not None and thing.lower not in _IN_ORDER
    many = thing.lower != thing.lemma
    if found["by"] == "by":
        return done or thing.lower in {"due", "ready"} or bool(found["end"] and many)
    if thing.lower in _LASTING:
        return False
    year = YEAR.fullmatch(when.text) and not found["end"]  # 'up to 2000 people'
    return done or many or not year or found["next"] is not None


def said_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'In May 2024, which shop has the most orders?' → 'which shop has the most orders in May 2024?'.

    A question that speaks of another time as well, or lists several things, stays as it is.
    """
    line, starts = _line(tokens)
    found = _FIRST.match(line)
    if found is None or not (found["mark"] or _ASKED.match(line, found.end())):
        return tokens
    rest = line[found.end() :]
    if _TOLD_APART.search(rest):
        return tokens
    more = _MORE.search(rest)
    first = rest[: more.start()] if more else rest
    if not first or _TIME in rest.split() or "," in first.split() or first.split()[-1] in {"not", "no"}:
        return tokens
    if _OF_ALL.search(first) and PARTICIPLE.fullmatch(first.rstrip(" ?.").split()[-1]):
        return tokens  # 'in May, how many orders were not shipped' are not those shipped at other times
    begin = line.count(" ", 0, found.end())
    lead = tokens[: starts[begin - bool(found["mark"])]]
    said = "in" if lead[0].lower in {"over", "within"} else lead[0].lower
    lead = (new_tokens.word(said, lead[0]), *lead[1:])
    end = starts[begin + first.count(" ") + 1]
    return (*tokens[starts[begin] : end], *lead, *tokens[end:])


def extreme_first(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'in which month was the total of refunds the highest' → 'which month had the highest total …'."""
    line = new_tokens.line(tokens)
    found = _EXTREME_LAST.match(line)
    if found is None:
        return tokens
    lead, low, what, end = (
        line.count(" ", 0, at) for at in (found.end("lead"), *found.span("what"), found.end("how"))
    )
    low += tokens[low].lower == "the"
    words = [new_tokens.word(word, tokens[lead]) for word in ("have", "the", found["how"])]
    return (*tokens[1 : lead + 1], *words, *tokens[low : what + 1], *tokens[end + 1 :])


def plain_ends(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the month that saw the most', 'the very first', 'when did we have the last order' in plain words.

    They are 'which month had the most', 'the first' and 'date of the last order'. 'How many orders fall on
    each weekday' is 'how many orders per weekday'.
    """
    line = new_tokens.line(tokens)
    if found := _SAW.search(line):
        saw = line.count(" ", 0, found.start("saw"))
        before = tokens[:saw]
        if found["unit"]:
            low = line.count(" ", 0, found.start("unit"))
            before = (*tokens[:low], new_tokens.word("which", tokens[saw]), tokens[saw - 2])
        tokens = (*before, new_tokens.word("have", tokens[saw]), *tokens[saw + 1 :])
    if found := _VERY.search(new_tokens.line(tokens)):
        at = new_tokens.line(tokens).count(" ", 0, found.start())
        tokens = (*tokens[:at], *tokens[at + 1 :])
    if found := _FALL_ON.search(new_tokens.line(tokens)):
        start, end = (new_tokens.line(tokens).count(" ", 0, at) for at in found.span())
        tokens = (*tokens[:start], new_tokens.word("per", tokens[start]), *tokens[end:])
    if found := _WE_HAD.match(new_tokens.line(tokens)):
        date = (new_tokens.word(word, tokens[0]) for word in ("date", "of"))
        tokens = (*date, *tokens[found[0].count(" ") :])
    return tokens


TIME_PHRASES: Final = (
    plain_bounds,
    one_period,
    since_then,
    not_later,
    said_behind,
    extreme_first,
    plain_ends,
)
"""The rewritings, in their order."""
