"""Words that change what is meant are never dropped in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.losses import kind_of
from askwire.planner.expert import Planning

Plans = Callable[..., Planning]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("orders shipped late", "late"),
        ("how many late orders are there?", "late"),
        ("which customers or suppliers live in Paris?", "or"),
        ("how many non-delayed things do customers have?", "non-delayed"),
    ],
)
async def test_a_word_without_a_place_is_told_as_uncovered(question: str, word: str, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question)):
        assert word in candidate.uncovered or word in candidate.sql.lower().split()


@pytest.mark.parametrize(
    ("symbol", "kind"),
    [("GT~old", "compare"), ("MAX", "extreme"), ("N0", "number"), ("V1", "value"), ("not", "negation")],
)
def test_what_was_lost_has_a_kind(symbol: str, kind: str) -> None:
    assert kind_of(symbol) == kind
