"""Ranking texts by the words they share with another: Okapi BM25 over stems.

Owns: what a word is for that purpose, and the scores.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from askwire.language.text import listed, singular, stem

_K1: Final = 1.2
_B: Final = 0.75
_WORD_PARTS: Final = re.compile(r"[0-9]+|[^\W\d_]+?(?=[A-Z][a-z])(?<![A-Z])|[^\W\d_]+")
SILENT: Final = frozenset(
    listed(
        """
    a an the this that these those there here it its they them their he she his her him we us our you your
    i me my be is are was were been being am do does did done have has had can could will would shall should
    may might must of in on at by for from to with without into onto as than then and or but nor not no if so
    when where who whom whose which what why how each all any some such same other also too only just both
    either please show list give find tell
    """
    )
)
"""Words that do not say what a text is about."""
_MAX_WORDS: Final = 4000
_MAX_WORD_LENGTH: Final = 40
_MAX_KEPT_CHARACTERS: Final = 300
"""Characters of texts that come again, questions and names: their words are kept."""


def words(text: str) -> tuple[str, ...]:
    """The stems of a text's words that say what it is about; `order_lines` and `OrderLines` are two words."""
    return _known(text) if len(text) <= _MAX_KEPT_CHARACTERS else _words(text)


def _words(text: str) -> tuple[str, ...]:
    found = (part.lower() for part in _WORD_PARTS.findall(text))
    kept = (stem(singular(word)) for word in found if len(word) <= _MAX_WORD_LENGTH and word not in SILENT)
    return tuple(islice(kept, _MAX_WORDS))


_known = lru_cache(maxsize=4096)(_words)


class Index:
    """Texts by the words in them; `scores` costs no more than the words asked for."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        # pairs of a text's number and how often it has the word, one after the other
        self._holding: dict[str, array[int]] = defaultdict(lambda: array("L"))
        self._lengths = array("L")
        for number, found in enumerate(texts):
            self._lengths.append(len(found))
            for word, times in Counter(found).items():
                self._holding[word].extend((number, times))
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 0.0

    def scores(self, asked: Iterable[str]) -> dict[int, float]:
        """The score of each text that shares a word, by its number."""
        scores: dict[int, float] = defaultdict(float)
        count = len(self._lengths)
        for word in dict.fromkeys(asked):
            holding = self._holding.get(word, ())
            having = len(holding) // 2
            rare = math.log(1 + (count - having + 0.5) / (having + 0.5))
            for number, times in zip(holding[::2], holding[1::2], strict=True):
                long = 1 - _B + _B * self._lengths[number] / (self._mean or 1.0)
                scores[number] += rare * times * (_K1 + 1) / (times + _K1 * long)
        return scores

    def best(self, asked: Iterable[str], least: float) -> list[tuple[int, float]]:
        """Texts by score, the best first; none below `least` (0 to 1) of the best score."""
        scores = self.scores(asked)
        top = max(scores.values(), default=0.0)
        ranked = sorted(scores.items(), key=lambda found: (-found[1], found[0]))
        return [found for found in ranked if found[1] >= least * top]
