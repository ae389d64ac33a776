"""Ranked proposals with and without the filters that people use, and how sure each is.

Owns: their order and their confidences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.query_log_filters import QueryLogFilters

_OFFERED_WEIGHT: Final = 0.3
"""What part of how usual a filter is speaks for it, where it is not usual enough to be meant unsaid."""
_MAX_DOUBTED_CONFIDENCE: Final = 0.35
"""The most that is said for a reading that sorts by what people leave out."""
_MIN_SCORE_GAP: Final = 0.0001
"""What is next has so much less of score and confidence, at least, than what stands before it."""


@dataclass(frozen=True)
class FilterVariant:
    """A proposal, how sure it is, and what is said of the filters it has by habit."""

    proposal: Proposal
    confidence: float
    filters: tuple[str, ...] = ()

    def told(self, reading: str) -> str:
        """A reading that says which rows are left out because people leave them out."""
        return "; ".join((reading, *self.filters))


def as_usual(given: Sequence[FilterVariant], filters: QueryLogFilters) -> list[FilterVariant]:
    """The proposals (best first) with the filters that are usual, each before or behind itself without them.

    What is asked for and what is usual share the confidence that there was. The best reading without its
    filters stands next to the one with them, whatever else may be meant.
    """
    found: list[FilterVariant] = []
    behind: list[FilterVariant] = []
    for place, one in enumerate(given):
        filtered = filters.applied(one.proposal)
        if filtered is None:
            found.append(one)
            continue
        if filtered.against:
            behind.append(replace(one, confidence=min(one.confidence, _MAX_DOUBTED_CONFIDENCE)))
            continue
        usual = FilterVariant(filtered.proposal, one.confidence * filtered.likely, filtered.cited)
        plain = replace(one, confidence=one.confidence * (1 - filtered.likely))
        if not filtered.first:
            # it may be meant: the more people filter so, the less sure is the one without
            meant = _OFFERED_WEIGHT * filtered.likely
            usual = replace(usual, confidence=one.confidence * meant)
            plain = replace(one, confidence=one.confidence * (1 - meant))
            usual, plain = plain, usual
        found.append(usual)
        (found if place == 0 else behind).append(plain)
    if len(found) > 1 and found[0].filters:
        rest = max((u.confidence for u in found[2:]), default=0.0)
        least = min(rest + _MIN_SCORE_GAP, max(0.0, found[0].confidence - _MIN_SCORE_GAP))
        found[1] = replace(found[1], confidence=max(found[1].confidence, least))
    return _in_order([*found, *behind])


def _in_order(found: Sequence[FilterVariant]) -> list[FilterVariant]:
    """The same with scores that fall, so that they stay in this order."""
    ordered: list[FilterVariant] = []
    for one in found:
        score = one.proposal.score
        if ordered:
            score = min(score, ordered[-1].proposal.score - _MIN_SCORE_GAP)
        ordered.append(replace(one, proposal=replace(one.proposal, score=score)))
    return ordered
