"""Symbols that no rule took → the words of the question they stand for.

Owns: the way back from a symbol of the encoded line to a word. A word that changes what is meant must not
vanish: what is lost here is told as uncovered, and weighs in the ranking.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from askwire.language.text import TIMES_WORDS, listed
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.linking.blocked import degree

_SAID: Final = {
    symbol: frozenset(listed(words))
    for symbol, words in {
        "GT": "more greater larger higher bigger over above exceed exceeds exceeding exceeded beyond surpass "
        "beat beats",
        "LT": "less fewer smaller lower under below",
        "GE": "least more greater",
        "LE": "most up fewer less before later",
        "NE": "not different other",
        "MOST": "most",
        "LEAST": "least fewest fewer rarest",
        "BEFORE": "before prior earlier",
        "AFTER": "after later",
        "SINCE": "since after from earlier",
        "not": "no non never none longer without",
        "MAX": "maximum max highest largest biggest greatest most",
        "MIN": "minimum min lowest smallest least",
        "AVG": "average mean avg typical",
        "SUM": "total sum overall combined",
        "MAXCOUNT": "largest highest greatest maximum most",
        "MINCOUNT": "smallest lowest minimum least",
    }.items()
}
SAID_BY_SYMBOLS: Final = frozenset[str]().union(
    *(words for symbol, words in _SAID.items() if symbol != "not")
)
"""Words that became a symbol where the line no longer says them; a lost symbol counts by itself."""
_KINDS: Final = (
    ("compare", frozenset({"GT", "LT", "GE", "LE", "NE", "BEFORE", "AFTER", "SINCE", "same"})),
    ("extreme", frozenset({"MAX", "MIN", "MOST", "LEAST", "MAXCOUNT", "MINCOUNT"})),
    ("aggregate", frozenset({"AVG", "SUM"})),
    ("negation", frozenset(listed("not no never without neither nor except exclude excluding"))),
    ("both", frozenset({"both"})),
    ("or", frozenset({"or"})),
    ("first", frozenset({"first", "last", "top", *TIMES_WORDS})),
)


def kind_of(symbol: str) -> str:
    """What kind of meaning a lost symbol has: 'compare', 'extreme', 'number', 'negation' and so on."""
    if symbol[0] in "NDQVK" and symbol[1:].isdigit():
        return "value" if symbol[0] in "QVK" else "number"
    head = symbol.partition("~")[0]
    return next((kind for kind, symbols in _KINDS if head in symbols), "other")


def lost_senses(words: Set[str]) -> bool:
    """Whether one of these words compares."""
    compared = frozenset[str]().union(*(_SAID.get(symbol, frozenset()) for symbol in _KINDS[0][1]))
    return bool({word.lower() for word in words} & compared)


def lost_words(encoded: EncodedQuestion, lost: Sequence[str]) -> list[tuple[int, str]]:
    """(place in the question, word) of every lost symbol whose word is known."""
    found: list[tuple[int, str]] = []
    for symbol in lost:
        kind, rest = symbol[0], symbol[1:]
        if rest.isdigit() and kind in "NDQVK":
            place = int(rest)
            if kind == "D":
                first = encoded.tokens[encoded.times[place].start]
                found.append((first.start, first.text))
            elif kind == "K":
                first = encoded.tokens[encoded.given[place].start]
                found.append((first.start, first.text))
            elif kind == "V":
                found.append((encoded.tokens[encoded.values[place].start].start, encoded.values[place].text))
            else:
                token = (encoded.numbers if kind == "N" else encoded.quotes)[place]
                found.append((token.start, token.text))
            continue
        head, _, adjective = symbol.partition("~")
        for at in encoded.plain:
            token = encoded.tokens[at]
            graded = degree(token)
            if (
                symbol in {token.lower, token.lemma}
                or (adjective and graded is not None and graded[0] == adjective)
                or (adjective and token.lower == adjective)
                or (not adjective and token.lower in _SAID.get(head, ()))
            ):
                found.append((token.start, token.text))
                break
    return found
