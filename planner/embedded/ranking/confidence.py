"""How likely the best proposals are right.

Owns: the confidence of ranked proposals.

A logistic model of a few signals: how much of the ranking's mass the best proposal holds (log-odds), how well
its words fit what they were linked to, which words it leaves out, by kind. Its weights (`weights.json`, by
`bench/train_embedded`) come from rankings by weights that had not seen the question's database; the rivals
get their share of what the best leaves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Protocol

from askwire.planner.embedded.ranking.uncovered_words import KINDS

RIVAL_RIGHT_SHARE: Final = 0.3
"""How often one of the others is right where the best is not; else none is. On databases kept aside the best
was right for 64 of a hundred questions, and one of the first five for 75."""
MAX_PARTIAL_CONFIDENCE: Final = 0.3
"""The most that an answer to part of the question can be sure of, however well the rest fits."""
MAX_MASS_LOG_ODDS: Final = 2.5
"""From these log-odds on a ranking says no more: where there is one proposal alone nothing was compared."""
_LEFT_TO_RIVALS_SHARE: Final = 0.04
"""What the others share where the best and they leave out such a word: that they agree adds nothing."""
SIGNALS: Final = (
    "mass",
    "assignment",
    "nothing_named",
    "words_unplaced",
    "output_unlike",
    "merged",
    "lost_symbols",
    "guessed",
    "unnamed_tables",
    "encoding",
    "repaired",
    "keys_undecided",
    "role_idle",
    "unit_assumed",
    *(f"left:{kind}" for kind in KINDS),
)


class RankedProposal(Protocol):
    """What confidence reads of a proposal."""

    @property
    def score(self) -> float:
        """The ranking score."""

    @property
    def features(self) -> Mapping[str, float]:
        """The ranking features."""


def signals(ranked: Sequence[RankedProposal], place: int = 0) -> dict[str, float]:
    """The signals of one of the ranked proposals (best first)."""
    weights = [math.exp(max(-30.0, min(30.0, r.score - ranked[0].score))) for r in ranked]
    mass = weights[place] / sum(weights)
    of = ranked[place].features
    return {
        "mass": min(MAX_MASS_LOG_ODDS, math.log(mass / (1.0 - mass + 1e-3))),
        "assignment": max(of.get("assignment", 0.0), -4.0),
        "nothing_named": of.get("nothing_named", 0.0),
        "words_unplaced": min(of.get("words_unplaced", 0.0), 4.0),
        "output_unlike": min(of.get("output_unlike", 0.0), 2.0),
        "merged": min(of.get("outputs_merged", 0.0) + of.get("options_shared", 0.0), 2.0),
        "lost_symbols": min(of.get("lost_symbols", 0.0), 2.0),
        "guessed": min(of.get("guessed", 0.0), 2.0),
        "unnamed_tables": min(of.get("unnamed_tables", 0.0), 3.0),
        "encoding": min(of.get("encoding", 0.0), 2.0),
        "repaired": of.get("f:repaired", 0.0),
        "keys_undecided": min(of.get("keys_undecided", 0.0), 2.0),
        "role_idle": of.get("role_idle", 0.0),
        "unit_assumed": of.get("f:unit_assumed", 0.0),
        **{f"left:{kind}": min(of.get(f"left:{kind}", 0.0), 2.0) for kind in KINDS},
    }


def confidences(ranked: Sequence[RankedProposal]) -> list[float]:
    """One confidence in 0..1 per proposal, in the order given (best first)."""
    if not ranked:
        return []
    weights = [math.exp(max(-30.0, r.score - ranked[0].score)) for r in ranked]
    total = sum(weights)
    best = _held_back(ranked[0], _confidence(signals(ranked)))
    found = [best]
    for place, weight in enumerate(weights[1:], 1):
        # a rival is right only where the best is not, and by its share of what is left
        share = weight / (total - weights[0])
        left = (
            _LEFT_TO_RIVALS_SHARE
            if _bears(ranked[0]) and _bears(ranked[place])
            else (1.0 - best) * RIVAL_RIGHT_SHARE
        )
        rival = min(best, left * share, _confidence(signals(ranked, place)))
        found.append(_held_back(ranked[place], rival))
    return [round(c, 4) for c in found]


def _held_back(ranked: RankedProposal, confidence: float) -> float:
    """At most `MAX_PARTIAL_CONFIDENCE` for what leaves out a word that bears on what is asked for."""
    return min(confidence, MAX_PARTIAL_CONFIDENCE) if _bears(ranked) else confidence


def _bears(ranked: RankedProposal) -> bool:
    return bool(ranked.features.get("bearing"))


@cache
def _weights() -> Mapping[str, float]:
    text = files("askwire.planner.embedded.ranking").joinpath("weights.json").read_text("utf-8")
    weights: dict[str, float] = json.loads(text)["confidence"]
    return weights


def _confidence(found: Mapping[str, float]) -> float:
    table = _weights()
    odds = table["bias"] + sum(value * table[name] for name, value in found.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
