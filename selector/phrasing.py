"""What a question's wording says of the statement that answers it.

Owns: the words and short phrases a question is made of, and a linear model per trait (`profile`) that says
how likely each value of the trait is for such wording: 'how many' shows one number, 'name and age' a text and
a number, 'from youngest to oldest' an ascending order. The model knows general words only, none of any
schema; `phrasing.json` holds it, fitted by `python -m askwire.bench.selection.train_phrasing`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_TOKEN: Final = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?|[?.,]")
_MIN_PROBABILITY: Final = 0.03
"""Of each trait's probability, shared by all its values: wording never rules a value out."""
_VALUE, _NUMBER, _OTHER = "VALUE", "NUMBER", "_"

Weights = Mapping[str, Sequence[float]]


def words(text: str) -> list[str]:
    """The words of a question in lower case; quoted texts and numbers only as such."""
    tokens = _TOKEN.findall(_QUOTED.sub(" VALUE ", text))
    return [_NUMBER if t[0].isdigit() else t if t == _VALUE else t.lower() for t in tokens]


def phrases(text: str, known: frozenset[str]) -> list[str]:
    """One, two and three words in a row, and two with any one between; words not known count as '_'."""
    return list(dict.fromkeys(_phrases(["^", *(_known(word, known) for word in words(text)), "$"])))


def _known(word: str, known: frozenset[str]) -> str:
    return word if word in known or word in (_VALUE, _NUMBER) or not word.isalpha() else _OTHER


def _phrases(tokens: Sequence[str]) -> Iterator[str]:
    for length in (1, 2, 3):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])
    for first, third in zip(tokens, tokens[2:], strict=False):
        yield f"{first} * {third}"


@dataclass(frozen=True, slots=True)
class Trait:
    """One trait's model: its values, and per phrase one weight for each value. '' is the bias."""

    name: str
    values: tuple[str, ...]
    weights: Weights

    def likelihood(self, found: Sequence[str]) -> dict[str, float]:
        """The probability of each value for a question with these phrases; they sum to 1."""
        scores = [0.0] * len(self.values)
        known = [weights for phrase in found if (weights := self.weights.get(phrase)) is not None]
        scale = 1 / math.sqrt(len(found)) if found else 0.0
        for weights in known:
            scores = [score + scale * weight for score, weight in zip(scores, weights, strict=True)]
        bias = self.weights.get("", scores)
        scores = [score + b for score, b in zip(scores, bias, strict=True)]
        most = max(scores)
        shares = [math.exp(score - most) for score in scores]
        total = sum(shares)
        even = _MIN_PROBABILITY / len(shares)
        return {
            v: (1 - _MIN_PROBABILITY) * s / total + even for v, s in zip(self.values, shares, strict=True)
        }


class PhrasingModel:
    """The model over all traits."""

    def __init__(self, known: frozenset[str], traits: Sequence[Trait]) -> None:
        self._known = known
        self._traits = tuple(traits)

    def likelihoods(self, question: str) -> dict[str, dict[str, float]]:
        """For each trait the probability of each of its values, given the question's wording."""
        found = phrases(question, self._known)
        return {trait.name: trait.likelihood(found) for trait in self._traits}


@cache
def shipped() -> PhrasingModel:
    """The model that comes with askwire."""
    told = json.loads(Path(__file__).with_name("phrasing.json").read_text("utf-8"))
    scale = told["scale"]
    traits = [
        Trait(
            name,
            tuple(trait["values"]),
            {phrase: tuple(w / scale for w in weights) for phrase, weights in trait["weights"].items()},
        )
        for name, trait in told["traits"].items()
    ]
    return PhrasingModel(frozenset(told["words"]), traits)
