"""How likely it is that a word of a question means a word of a schema.

Owns: the signals of a pair of words and the weights that make odds of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Final

from askwire.bench.lexical.vectors import Vectors
from askwire.bench.lexical.wordnet import WordNet

SIGNALS: Final = (
    "cosine",
    "nearness",
    "same",
    "broader",
    "narrower",
    "much_broader",
    "much_narrower",
    "explained_by",
    "explains",
    "siblings",
    "unknown",
)
DERIVED: Final = 2.5
OPPOSITE: Final = -4.0
"""Set by hand: the pairs to learn from hold too few of either."""


@cache
def apart() -> Mapping[str, frozenset[str]]:
    """Word → words of the same kind that it never stands for: months are no years, heights no widths."""
    text = Path(__file__).with_name("apart.txt").read_text("utf-8")
    found: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        words = frozenset(line.split())
        for word in words:
            found[word] = found.get(word, frozenset()) | (words - {word})
    return found


class Likeness:
    """Odds of pairs by WordNet and vectors, whose densities are known."""

    def __init__(self, net: WordNet, vectors: Vectors, weights: Mapping[str, float]) -> None:
        """`weights` by signal, and `bias`."""
        self._net = net
        self._vectors = vectors
        self._weights = [weights.get(name, 0.0) for name in SIGNALS]
        self._bias = weights.get("bias", 0.0)

    def signals(self, said: str, named: str) -> list[float]:
        """The signals of one pair, in the order of `SIGNALS`; all but the first two within 0..1."""
        cosine, nearness = self._vectors.like(said, named)
        mine, other = self._net.relations(said), self._net.relations(named)
        shared = (sqrt(w * other.families[s]) for s, w in mine.families.items() if s in other.families)
        return [
            cosine,
            nearness,
            sqrt(mine.same.get(named, 0.0)),
            sqrt(mine.broader.get(named, 0.0)),
            sqrt(other.broader.get(said, 0.0)),
            sqrt(mine.much_broader.get(named, 0.0)),
            sqrt(other.much_broader.get(said, 0.0)),
            sqrt(mine.explained_by.get(named, 0.0)),
            sqrt(other.explained_by.get(said, 0.0)),
            sqrt(max(shared, default=0.0)),
            float(nearness == -1.0),
        ]

    def odds(self, said: str, named: str) -> float:
        """Log-odds that `said` means `named` in a schema that holds `named` and not `said`."""
        if named in apart().get(said, ()):
            return -9.0
        total = self._bias + sum(w * s for w, s in zip(self._weights, self.signals(said, named), strict=True))
        mine, other = self._net.relations(said), self._net.relations(named)
        if named in mine.derived or said in other.derived:
            total += DERIVED
        return total + (OPPOSITE if named in mine.opposite or said in other.opposite else 0.0)


def shipped_weights() -> dict[str, float]:
    """The weights that `fit` wrote."""
    weights: dict[str, float] = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return weights
