"""Riders by which a question says that something makes no difference: 'active or not', 'whatever their role'.

Owns: such riders, which restrict nothing and name nothing to show, so that they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens

_WORD: Final = r"[a-z][\w'-]*"
_PRONOUNS: Final = r"(?:they|it|he|she|this|that|these|those)"
_AUXILIARIES: Final = r"(?:are|is|were|was|have|has|had|did|do|does)"
_STATE_WORD: Final = rf"(?!(?:by|per|split|grouped|and|show|with|for|in|of) ){_WORD}"
_OPPOSITE_STATE: Final = (
    r"(?:not(?: (?:yet|any ?more|any longer|at all))?|(?:non|in|un|dis)-?(?P=base)|no longer|gone)"
)
"""Of 'furnished' unfurnished; in 'void or unpaid' nothing is the opposite of the other."""
_EITHER_STATE: Final = (
    rf"(?:whether (?:or not )?(?:(?:or )?{_PRONOUNS} (?:{_AUXILIARIES} )?)?)?"
    rf"(?:still |already |now |currently |since |yet )?"
    rf"(?:{_STATE_WORD} ){{0,2}}?(?P<base>{_STATE_WORD}) or {_OPPOSITE_STATE}"
)
_CONTENT_WORD: Final = (
    r"(?!(?:by|per|for|from|with|without|except|but|only|as|and|or|had|has|have|did|does|each|every) )"
    rf"{_WORD}"
)
_WHATEVER: Final = (
    r"(?:(?:and )?(?:in|of|for|at|on|by|with|from) )?"
    r"(?:whatever|whichever|no matter (?:what|which|how|who|whose))"
    rf"(?: (?:(?:has |had )?(?:become|became|happened) (?:of|to|with) {_WORD}"
    rf"|{_CONTENT_WORD}(?: {_CONTENT_WORD}){{0,3}}))?"
    rf"|(?:regardless|irrespective|independent(?:ly)?) of (?:{_CONTENT_WORD} ){{0,3}}{_CONTENT_WORD}"
)
"""It ends where the sentence goes on: 'regardless of status by channel' has a group."""
_LATER_WORDS: Final = r"(?:later|since|already|afterwards|again|too|as well|in the meantime|meanwhile)"
_THOSE_GONE: Final = (
    r"(?:including|counting|even|also)(?: also| even)? (?:all |any |the )?(?:those|ones|any|anyone|people) "
    rf"(?:(?:that|who|which) )?(?:(?:are|is|were|was|have|has|had|been|got|may have) )*"
    rf"(?:no longer )?(?:since )?(?:(?P<done>{_WORD}(?:ed|en|wn|ld|ft|ut|id))|left|gone)(?: {_LATER_WORDS})*"
    r"|not even (?:one|1|those|any|the ones)(?: \S+){1,5}"
)
_TIES_INCLUDED: Final = (
    r"(?:(?:please )?(?:and )?(?:list|show|give|return|include|including|with|keep) )?"
    r"(?:(?:them|all|both|every \w+|any) )*"
    r"(?:(?:of them|the ties) )?(?:in (?:the )?case of (?:a )?ties?|(?:if|where|when) (?:there (?:is|are) )?"
    rf"(?:an? )?(?:ties?|tied|(?!by |per ){_WORD} tie)(?: tied)?)"
    r"|(?:please )?(?:list|show|give) (?:me )?them all"
)
_ALL_ALIKE: Final = (
    rf"(?P<one>{_WORD}) (?:and|or|as well as) (?:non|in|un)-?(?:\s)?(?P=one)"
    r" (?:together|alike|combined|both|taken together)"
    rf"|(?:(?:for|over|across) )?all (?!by |per ){_WORD}(?: of (?:an?|the|one) {_WORD})?"
    r" (?:taken )?(?:together|combined)"
)
_RIDER: Final = re.compile(rf"(?:{_EITHER_STATE}|{_WHATEVER}|{_THOSE_GONE}|{_TIES_INCLUDED}|{_ALL_ALIKE})")
_UNMARKED_RIDER: Final = re.compile(
    rf"(?<!\S)(?:whether (?:or not )?{_PRONOUNS} {_AUXILIARIES} (?:still )?{_WORD}(?: or not)?"
    rf"|whether (?:still )?(?P<base>{_STATE_WORD}) or {_OPPOSITE_STATE})(?= [.?,;)]|$)"
)
"""A rider that says of itself that it is one, though no mark stands before it."""
_OPENING_MARKS: Final = frozenset({",", "(", ";", "-", "\u2013", "\u2014", ".", "?"})
_CONTINUING: Final = frozenset(
    listed("is are was were has have had do did does who that which in on by per for with")
)
"""Words by which a sentence goes on behind what was put between two commas."""
_END_MARKS: Final = frozenset({".", "?"})
_CLOSING_MARKS: Final = frozenset({",", ")", ";", "-", "\u2013", "\u2014", ".", "?", ":"})


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
            behind[1:] if [t.lower in _CONTINUING for t in behind[1:2]] == [True] else behind,
        )
    elif opened in _OPENING_MARKS - {"("} and closes in _CLOSING_MARKS:
        before = before[:-1] if closes != "," else before
        before = before[: len(before) - (closes in _END_MARKS and before[-1].text in _END_MARKS)]
    elif opened == "(" and closes == ",":
        behind = behind[1:]
    return indifferent((*before, *behind))


def makes_no_difference(tokens: tuple[Token, ...]) -> bool:
    """Whether a rider says that rows count whatever is so of them."""
    return _place_of(tokens) is not None


def _place_of(tokens: tuple[Token, ...]) -> tuple[int, int] | None:
    """Where the first rider begins and ends, between two marks; the question itself stands before it."""
    said = [t.lower for t in tokens]
    marks = [at for at, t in enumerate(tokens) if t.text in _OPENING_MARKS | _CLOSING_MARKS]
    for number, start in enumerate(marks):
        end = marks[number + 1] if number + 1 < len(marks) else len(tokens)
        part = tokens[start + 1 : end]
        words = start > 0 and all(t.kind == "word" or t.lower == "one" for t in part)
        if not words or not _RIDER.fullmatch(new_tokens.line(part)) or _is_shown(said, start, end):
            continue
        if said[start + 1 : start + 3] != ["not", "even"] or _DENIAL_WORDS & {*said[:start]}:
            return start + 1, end
    line = new_tokens.line(tokens)
    found = _UNMARKED_RIDER.search(line)
    if found is None or not found.start():
        return None
    start = line.count(" ", 0, found.start())
    if said[start - 1] in _ASKING_WORDS or _is_shown(said, start - 1, len(said)):
        return None
    return start, start + found[0].count(" ") + 1


_SHOWING_VERBS: Final = frozenset(listed("show list give return display with"))
_ASKING_WORDS: Final = _SHOWING_VERBS | {"by", "per", "and", "or", "of", "for"}
_DENIAL_WORDS: Final = frozenset(listed("no never none without not nothing nobody"))


def _is_shown(said: Sequence[str], start: int, end: int) -> bool:
    """Whether the last part is one of several things to show: 'show name, price, active or not'."""
    sentence = max((at for at in range(start) if said[at] in {".", "?"}), default=-1)
    before = said[sentence + 1 : start]
    shown = next((at for at, word in enumerate(before) if word in _SHOWING_VERBS), None)
    return end >= len(said) - 1 and shown is not None and bool({",", "and"} & {*before[shown:]})
