"""Times in other places and wordings: 'In May, orders per shop' → 'orders per shop in May'.

Owns: rewritings of a question's tokens, as `paraphrases` has them, that move a time or put its bound in
another word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    rf"|(?:starting|beginning) (?:from|with) (?P<with>(?:the )?{_TIME})(?! (?:to|and|until|through|till) )"
    rf"|(?:(?:in|from|on) )?(?P<or>(?:the )?{_TIME}) (?:or|and) (?:later|onwards?|after){_NEXT})"
)
_UNTIL: Final = re.compile(
    r"(?<!\S)(?P<thing>[a-z]+)(?: (?:back|in|out|off))? "
    r"(?P<until>(?P<by>by (?P<end>(?:the )?end of )?|until |till |through |as of )(?:the )?(?:end of )?"
    rf"(?:the )?){_TIME}(?! (?:vs|versus|and|or|to|against) )"
)
_LASTING: Final = frozenset(
    listed(
        "booked reserved extended leased rented employed suspended postponed delayed enrolled insured covered"
    )
)
"""Verbs of what lasts: 'booked until May' says how long."""
_IN_ORDER: Final = frozenset({"sorted", "grouped", "ranked", "split", "filtered"})
_FIRST: Final = re.compile(
    r"(?:(?:(?P<in>in|during|for|since|before|after|on or (?:after|before)|on|over|within) "
    rf"(?:(?:the|year|month|whole|all|of) )*{_TIME}"
    rf"|between {_TIME} and {_TIME}|from {_TIME} (?:to|until|through) {_TIME}) (?P<mark>, )?)"
)
_ASKED: Final = re.compile(r"(?:how|what|which|who|whose|when|list|show|give|count|find)(?!\S)")
_MORE: Final = re.compile(
    r" [?.;:](?!\S)"
    r"| (?:, )?and (?:what|how|which|who|where|when|their|its|the|show|list)(?!\S)"
    r"| , (?:and|with|including|sorted|ordered|sort|order|show|showing|along|only|but|as|from|in)(?!\S)"
)
"""What begins another part of a question, of which a time before the first is not said."""
_TOLD_APART: Final = re.compile(r"(?<!\S)(?:no|without|never|lacking|lack|and how many)(?!\S)")
"""Words of questions in which a time said first may be of either of two things: rules decide of which."""


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


def since_then(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'from May 2024 on', 'starting from May 2024', 'in May 2024 or later' → 'on or after May 2024'."""
    line, starts = _line(tokens)
    found = _SINCE.search(line)
    if found is None:
        return tokens
    said = next(name for name in ("from", "with", "or") if found[name])
    places = (line.count(" ", 0, at) for at in (found.start(), *found.span(said), found.end()))
    start, low, high, end = places
    when = tokens[starts[low] : starts[high + 1]]
    lead = (new_tokens.word(word, tokens[starts[start]]) for word in ("on", "or", "after"))
    return (*tokens[: starts[start]], *lead, *when, *tokens[starts[end + 1] :])


def not_later(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'delivered by 31 May 2024', 'orders by the end of 2024', 'orders through May' → '… on or before …'.

    What is valid until then has a time that says so.
    """
    line, starts = _line(tokens)
    for found in _UNTIL.finditer(line):
        thing = tokens[starts[line.count(" ", 0, found.start())]]
        done = PARTICIPLE.fullmatch(thing.lower) is not None and thing.lower not in _IN_ORDER
        if found["by"].startswith("by "):
            fits = done or thing.lower in {"due", "ready"} or (found["end"] and thing.lower != thing.lemma)
        else:
            fits = (done or thing.lower != thing.lemma) and thing.lower not in _LASTING
        if fits:
            low, high = (starts[line.count(" ", 0, at)] for at in found.span("until"))
            said = (new_tokens.word(word, tokens[low]) for word in ("on", "or", "before"))
            return (*tokens[:low], *said, *tokens[high:])
    return tokens


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
    begin = line.count(" ", 0, found.end())
    lead = tokens[: starts[begin - bool(found["mark"])]]
    lead = (new_tokens.word(lead[0].lower, lead[0]), *lead[1:])
    end = starts[begin + first.count(" ") + 1]
    return (*tokens[starts[begin] : end], *lead, *tokens[end:])


TIME_PHRASES: Final = (since_then, not_later, said_behind)
"""The rewritings, in their order."""
