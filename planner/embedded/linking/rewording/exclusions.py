"""What an answer leaves out, and words around a question that leave nothing out.

Owns: rewritings of a question's tokens, as `paraphrases` has them: 'ignoring cancelled orders' and
'(cancelled orders left out)' are read as 'excluding cancelled orders', 'since the beginning of 2025' as
'since 2025'.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import ENDS
from askwire.language.text import GROUPING, PARTICIPLE, Token, listed
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.linking.rewording.indifference import indifferent, makes_no_difference

_EXCLUSION_PHRASES: Final = tuple(
    tuple(said.split())
    for said in (
        "please do not count",
        "do not include",
        "do not count",
        "don't include",
        "don't count",
        "not including",
        "without counting",
        "not counting",
        "leaving out",
        "leave out",
        "leaving aside",
        "disregarding",
        "disregard",
        "ignoring",
        "omitting",
        "ignore",
        "omit",
        "excl .",
        "excl",
    )
)
"""Words that say what does not count, the longest first."""
_EXCLUSION_VERBS: Final = frozenset({"skip", "exclude", "drop"})
"""Words that say so at the beginning of a sentence."""
_SPELLING_WORDS: Final = frozenset(listed("case capitalization spelling accents upper lower letter"))
_CLAUSE_BREAKS: Final = frozenset({",", ".", "?", ";", "(", "and", "but"})


_EXCLUDED: Final = (
    r"(?:(?:is|are|can be|should be|must be|to be|being) )?"
    r"(?:excluded|left (?:out|aside)|ignored|omitted|disregarded|skipped|out|not (?:counted|included)"
    r"|(?:don't|doesn't|do not|does not) count)"
)
_INCLUDED: Final = r"(?:(?:is|are|being) )?(?:also )?(?:included|counted)(?: too| as well)?"
_DETERMINER: Final = r"(?:(?:the|any|all) )?"
_PLURAL: Final = r"(?:\S+ ){1,4}?(?:ones|\S*[^s\W]s)"
_LACKING: Final = (
    r"(?:without|with no|(?:that |which |who )?(?:have|has) no|lacking|missing"
    r"|where (?:we|you|they) (?:do not|don't|did not|didn't) (?:know|have)"
    r"|where no|where there (?:is|was) no)"
)
_DENIED: Final = rf"(?:no|not|without) (?!counting|including|even|only|just){_DETERMINER}(?P<%s>{_PLURAL})"
_EXCLUSION: Final = re.compile(
    rf"{_DETERMINER}(?P<out>{_PLURAL}|(?:\S+s|those) {_LACKING} (?:\S+ ){{0,2}}?\S+) {_EXCLUDED}"
    rf"|{_DENIED % 'none'}"
    rf"|{_DETERMINER}(?P<too>{_PLURAL}) {_INCLUDED}"
    rf"|(?:also |even )?(?:including|incl \.|incl) {_DETERMINER}(?P<with>{_PLURAL})"
    rf"|(?:for |just )?{_DETERMINER}(?P<just>{_PLURAL}) only"
)
"""What a part of a question between two marks leaves out or takes in."""
_PUNCTUATION_MARKS: Final = frozenset({",", "(", ")", ";", ".", "?", "-", "\u2013", "\u2014", ":"})
_EMPTINESS_WORDS: Final = frozenset(listed("empty unused zero missing no none without"))
_CONTINUING: Final = frozenset(
    listed("is are was were has have had do does did who that which in on by per for")
)
_EXCLUDING_LACKING: Final = re.compile(
    rf"excluding (?:(?:the|any|all) )*(?:(?:those|ones|\S+s) )?{_LACKING} (?:(?:any|the|single) )*(?=\w)"
)
_RECORDED_BEHIND: Final = re.compile(
    r" (?:is|was|has been|were|are) (?:recorded|given|known|entered|set|stated)(?= [.?,]|$)"
)
_EMPTY_ONES: Final = (
    r"(?:(?:the|any|all) )?(?:[a-z]+s|those|ones) (?:with|(?:that|which|who) have) "
    r"(?:none|nobody|nothing|no one)"
)
_EMPTY_GROUPS: Final = re.compile(
    rf" (?:(?P<first>excluding {_EMPTY_ONES})|excluding .* (?P<more>(?:, )?and {_EMPTY_ONES}))(?= ?[.?]?$)"
)
_ONLY_SUCH_COUNT: Final = re.compile(
    r"(?<=[,;.(] )only (?:the )?(?P<such>(?:\S+ ){1,3}?)(?:counts?|are counted|is counted)(?= [,.?)]|$)"
)


def _said(tokens: tuple[Token, ...], at: int) -> tuple[str, ...]:
    return tuple(t.lower for t in tokens[at : at + max(map(len, _EXCLUSION_PHRASES))])


def riders(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders per year (void ones left out)' → 'orders per year excluding void ones'.

    'orders per year, paid orders only' → 'orders per year for paid orders'.
    'orders, cancelled ones included' → 'orders': that they count, too, restricts nothing.
    """
    for start, end, found in _riders_of(tokens):
        part = tokens[start + 1 : end]
        first = found.start(found.lastgroup or 0)
        skipped = found.string.count(" ", 0, first)
        many = (found[found.lastgroup or 0]).count(" ") + 1
        said = part[skipped : skipped + many]
        lead = (new_tokens.word("excluding", part[0]), *said) if found["out"] or found["none"] else ()
        if found["just"]:
            lead = (new_tokens.word("for", part[0]), *said)
        before, behind = tokens[:start], tokens[end:]
        if not lead and tokens[start].text == "," and [t.lower in _CONTINUING for t in behind[1:2]] == [True]:
            behind = behind[1:]  # 'all members, cancelled ones included, have …'
        opened = max((n for n in range(start + 1) if tokens[n].text == "("), default=0)
        if opened and ")" in {t.text for t in behind} and ")" not in {t.text for t in tokens[opened:start]}:
            inner = tokens[opened + 1 : start] + (behind if behind[0].text != "," else behind[1:])
            alone = inner[0].text == ")"
            rest = inner[1:] if alone else (tokens[opened], *inner)
            return riders((*tokens[:opened], *lead, *rest))
        if lead and tokens[start].text in {".", "?"} and behind and behind[0].text in {".", "?"}:
            behind = behind[1:]  # the question ends where the first sentence does
            return riders((*before, *lead, tokens[start], *behind))
        return riders((*before, *lead, *behind))
    return tokens


def takes_in(tokens: tuple[Token, ...]) -> bool:
    """Whether a rider says that some rows count as well: 'including deleted ones', 'deleted or not'."""
    return makes_no_difference(tokens) or any(
        found["too"] or found["with"] for _, _, found in _riders_of(tokens)
    )


def _riders_of(tokens: tuple[Token, ...]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """The riders between two marks, at `start` and `end`."""
    marks = [at for at, t in enumerate(tokens) if t.text in _PUNCTUATION_MARKS]
    for start, end in pairwise([*marks, len(tokens)]):
        part = tokens[start + 1 : end]
        found = _EXCLUSION.fullmatch(" ".join(t.lower for t in part)) if new_tokens.all_words(part) else None
        bracketed = tokens[start].text == "(" and end < len(tokens) and tokens[end].text == ")"
        if found is not None and start and _tells_which(found, bracketed=bracketed):
            yield start, end, found


def _tells_which(found: re.Match[str], *, bracketed: bool) -> bool:
    """Whether a part says of which rows it speaks: 'void ones', 'cancelled orders', not 'customer names'."""
    said = found[found.lastgroup or 0].split()
    if not (found["out"] or found["none"] or found["just"]) and _EMPTINESS_WORDS & {*said}:
        return False  # 'cities, empty ones included' asks for those that have no rows
    if said[-1] == "ones" or PARTICIPLE.fullmatch(said[0]) is not None or said[0] in ENDS:
        return True
    out = found["out"] is not None and not found.string.endswith(f"{said[-1]} out")
    return out or (found["none"] is not None and bracketed)


_RECORDED_DETAIL: Final = re.compile(
    r"(?<!\S)(?:no|without|any|a|an)"
    r"(?: (?!(?:who|that|which|is|was|are|were|has|have|had|be|been) )[a-z]+){1,3}?"
    r"(?P<done> (?:given|recorded|stated|specified|noted|entered|assigned|provided|known))"
    r"(?=$| [?.,;)]| and )"
)


def on_record(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders with no reason given' → 'orders with no reason'."""
    line = new_tokens.line(tokens)
    found = _RECORDED_DETAIL.search(line)
    if found is None:
        return tokens
    start, end = (line.count(" ", 0, found.start("done") + 1), line.count(" ", 0, found.end("done")))
    return (*tokens[:start], *tokens[end + 1 :])


def leaving_out(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders per year, leaving out cancelled ones' → 'orders per year excluding cancelled ones'."""
    found: list[Token] = []
    at = 0
    opened = False
    while at < len(tokens):
        said = _said(tokens, at)
        many = next((len(w) for w in _EXCLUSION_PHRASES if said[: len(w)] == w), 0)
        many = many or (said[0] in _EXCLUSION_VERBS and bool(found) and found[-1].lower in _CLAUSE_BREAKS)
        behind = [t for t in tokens[at + many : at + many + 2] if t.kind != "punct"]
        if many and found and behind and not _SPELLING_WORDS & {t.lower for t in behind}:
            while len(found) > 1 and found[-1].lower in _CLAUSE_BREAKS:
                opened = found.pop().text == "(" or opened
            found.append(new_tokens.word("excluding", tokens[at]))
            at += many
        else:
            if opened and tokens[at].text == ")":
                opened = False
            else:
                found.append(tokens[at])
            at += 1
    return tuple(found)


def not_without(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'excluding those without a reason', 'excluding orders that have no date' → ', only those with a …'."""
    line = new_tokens.line(tokens)
    found = _EXCLUDING_LACKING.search(line)
    if found is None or not found.start():
        return tokens
    start, end = line.count(" ", 0, found.start()), line.count(" ", 0, found.end())
    if "where" in found[0] and (told := _RECORDED_BEHIND.search(line, found.end())) is not None:
        cut, behind = (line.count(" ", 0, at) + 1 for at in (told.start(), told.end()))
        tokens = (*tokens[:cut], *tokens[behind:])
    one = tokens[end].lower == tokens[end].lemma and tokens[end].lower not in new_tokens.ARTICLES
    said = ("only", "those", "with", "a") if one else ("only", "those", "with")
    words = (new_tokens.word(w, tokens[start]) for w in said)
    return (*tokens[:start], new_tokens.mark(",", tokens[start]), *words, *tokens[end:])


def without_empty(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders per shop excluding shops with none' → 'orders per shop': those have no row to count."""
    found = _EMPTY_GROUPS.search(new_tokens.line(tokens))
    if found is None or not GROUPING & {t.lower for t in tokens}:
        return tokens
    start, end = (found.string.count(" ", 0, at) for at in found.span(found.lastgroup or 0))
    return (*tokens[:start], *tokens[end + 1 :])


def counts_alone(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'orders per shop, only paid orders count' → 'orders per shop for paid orders'."""
    found = _ONLY_SUCH_COUNT.search(new_tokens.line(tokens))
    if found is None:
        return tokens
    start, end = (found.string.count(" ", 0, at) for at in found.span())
    first, last = (found.string.count(" ", 0, at) for at in found.span("such"))
    behind = tokens[end + 1 :]
    if tokens[start - 1].text == "(" and behind and behind[0].text == ")":
        behind = behind[1:]
    lead = new_tokens.word("for", tokens[start])
    return (*tokens[: start - 1], lead, *tokens[first:last], *behind)


def over_all(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'the revenue over all orders' → 'the revenue across all orders'."""
    return tuple(
        new_tokens.word("across", t)
        if t.lower == "over" and 0 < at < len(tokens) - 2 and tokens[at + 1].lower == "all"
        else t
        for at, t in enumerate(tokens)
    )


def since_its_beginning(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """'since the beginning of 2025' → 'since 2025'."""
    for at in range(len(tokens) - 3):
        rest = [t.lower for t in tokens[at + 1 : at + 4]]
        start = 1 if rest[:1] == ["the"] else 0
        begins = rest[start : start + 1] in (["beginning"], ["start"]) and rest[start + 1 : start + 2] == [
            "of"
        ]
        behind = at + start + 3
        if tokens[at].lower == "since" and begins and behind < len(tokens):
            return (*tokens[: at + 1], *tokens[behind:])
    return tokens


EXCLUSIONS: Final[tuple[Callable[[tuple[Token, ...]], tuple[Token, ...]], ...]] = (
    indifferent,
    riders,
    on_record,
    leaving_out,
    without_empty,
    not_without,
    counts_alone,
    over_all,
    since_its_beginning,
)
