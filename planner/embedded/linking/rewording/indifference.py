"""Riders by which a question says that something makes no difference: 'active or not', 'whatever their role'.

Owns: such riders, which restrict nothing and name nothing to show, so that they are left out.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens

_WORD: Final = r"[a-z][\w'-]*"
_THEY: Final = r"(?:they|it|he|she|this|that|these|those)"
_ARE: Final = r"(?:are|is|were|was|have|has|had|did|do|does)"
_OPPOSITE: Final = (
    rf"(?:not(?: (?:yet|any ?more|any longer|at all))?|(?:non|in|un|dis)-?{_WORD}|no longer|gone)"
)
_EITHER: Final = (
    rf"(?:whether (?:or not )?(?:(?:or )?{_THEY} (?:{_ARE} )?)?)?"
    rf"(?:still |already |now |currently |since |yet )?(?:{_WORD} ){{1,3}}?or {_OPPOSITE}"
)
_WHATEVER: Final = (
    r"(?:(?:and )?(?:in|of|for|at|on|by|with|from) )?"
    rf"(?:whatever|whichever|no matter (?:what|which|how|who|whose))(?: {_WORD}){{0,5}}"
    rf"|(?:regardless|irrespective|independent(?:ly)?) of (?:{_WORD} ){{0,4}}{_WORD}"
)
_LATER: Final = r"(?:later|since|already|afterwards|again|too|as well|in the meantime|meanwhile)"
_GONE: Final = (
    r"(?:including|counting|even|also)(?: also| even)? (?:all |any |the )?(?:those|ones|any|anyone|people) "
    rf"(?:(?:that|who|which) )?(?:(?:are|is|were|was|have|has|had|been|got|may have) )*"
    rf"(?:no longer )?(?:since )?(?:(?P<done>{_WORD}(?:ed|en|wn|ld|ft|ut|id))|left|gone)(?: {_LATER})*"
    r"|not even (?:one|1|those|any|the ones)(?: \S+){1,5}"
)
_TIED: Final = (
    r"(?:(?:please )?(?:and )?(?:list|show|give|return|include|including|with|keep) )?"
    r"(?:(?:them|all|both|every \w+|any) )*"
    r"(?:(?:of them|the ties) )?(?:in (?:the )?case of (?:a )?ties?|(?:if|where|when) (?:there (?:is|are) )?"
    r"(?:an? )?(?:ties?|tied|several tie)(?: tied)?)"
)
_ALIKE: Final = (
    rf"(?P<one>{_WORD}) (?:and|or|as well as) (?:non|in|un)-?(?:\s)?(?P=one)"
    r" (?:together|alike|combined|both|taken together)"
)
_RIDER: Final = re.compile(rf"(?:{_EITHER}|{_WHATEVER}|{_GONE}|{_TIED}|{_ALIKE})")
_UNMARKED: Final = re.compile(
    rf"(?<!\S)(?:whether (?:or not )?{_THEY} {_ARE} (?:still )?{_WORD}(?: or not)?"
    rf"|whether (?:still )?{_WORD} or (?:not|{_OPPOSITE}))(?= [.?,;)]|$)"
)
"""A rider that says of itself that it is one, though no mark stands before it."""
_OPENS: Final = frozenset({",", "(", ";", "-", "\u2013", "\u2014", ".", "?"})
_GOING_ON: Final = frozenset(
    listed("is are was were has have had do did does who that which in on by per for with")
)
"""Words by which a sentence goes on behind what was put between two commas."""
_CLOSES: Final = frozenset({",", ")", ";", "-", "\u2013", "\u2014", ".", "?", ":"})


def indifferent(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'How many clients, active or not, …' → 'How many clients …'; 'orders (paid or not)' → 'orders'."""
    place = _place_of(tokens)
    if place is None:
        return tokens
    start, end = place
    before, behind = tokens[:start], tokens[end:]
    opened, closes = before[-1].text, behind[0].text if behind else ""
    if opened == "(" and closes == ")":
        before, behind = before[:-1], behind[1:]
    elif opened == "," and closes in {",", ""}:
        before, behind = (
            before[:-1],
            behind[1:] if [t.lower in _GOING_ON for t in behind[1:2]] == [True] else behind,
        )
    elif opened in _OPENS - {"("} and closes in _CLOSES:
        before = before[:-1] if closes != "," else before
    elif opened == "(" and closes == ",":
        behind = behind[1:]
    return indifferent((*before, *behind))


def makes_no_difference(tokens: tuple[Token, ...]) -> bool:
    """Whether a rider says that rows count whatever is so of them."""
    return _place_of(tokens) is not None


def _place_of(tokens: tuple[Token, ...]) -> tuple[int, int] | None:
    """Where the first rider begins and ends, between two marks; the question itself stands before it."""
    marks = [at for at, t in enumerate(tokens) if t.text in _OPENS | _CLOSES]
    for number, start in enumerate(marks):
        end = marks[number + 1] if number + 1 < len(marks) else len(tokens)
        part = tokens[start + 1 : end]
        if (
            start
            and all(t.kind == "word" or t.lower == "one" for t in part)
            and _RIDER.fullmatch(new_tokens.line(part))
        ):
            return start + 1, end
    line = new_tokens.line(tokens)
    found = _UNMARKED.search(line)
    if found is not None and found.start():
        start = line.count(" ", 0, found.start())
        return start, start + found[0].count(" ") + 1
    return None
