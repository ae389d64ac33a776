"""How likely the best proposals are right."""

from __future__ import annotations

from askwire.planner.embedded.ranking.confidence import confidences


def test_confidence_falls_with_words_left_over():
    class RankedProposal:
        def __init__(self, score, features=None):
            self.score, self.features = score, features or {}

    clear = confidences([RankedProposal(5.0), RankedProposal(0.0)])
    tied = confidences([RankedProposal(5.0), RankedProposal(5.0)])
    lost = confidences([RankedProposal(5.0, {"left:word": 2.0}), RankedProposal(0.0)])
    assert clear[0] > tied[0] > tied[1] - 1e-9
    assert clear[0] > lost[0]
    assert confidences([]) == []
