"""Fits that have not seen the databases they are measured on.

Owns: the folds, the figures, and the pairs that confidence is fitted on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from askwire.bench.train_embedded.collect import Outcome, QuestionProposals
from askwire.bench.train_embedded.fit import fit
from askwire.planner.embedded.ranking.rank import score

FOLDS: Final = 5
_PASS_AT: Final = 5


def fold_of(db_id: str) -> int:
    """The fold of a database, by a hash of its name."""
    return int(hashlib.sha1(db_id.encode(), usedforsecurity=False).hexdigest(), 16) // 7 % FOLDS


def ranked(asking: QuestionProposals, weights: Mapping[str, float]) -> list[tuple[float, Outcome]]:
    """The proposals by another ranker: (score, outcome), best first; ties as the engine had them."""
    scored = [(score(o.features, weights), o) for o in asking.outcomes]
    return sorted(scored, key=lambda pair: -pair[0])


def left_out(
    askings: Sequence[QuestionProposals], prior: Mapping[str, float]
) -> list[list[tuple[float, Outcome]]]:
    """Every question ranked by weights fitted on the databases of the other folds, in the order given."""
    found: list[list[tuple[float, Outcome]]] = [[] for _ in askings]
    for number in range(FOLDS):
        others = [a.outcomes for a in askings if fold_of(a.db_id) != number]
        weights = fit(others, prior)
        for place, asking in enumerate(askings):
            if fold_of(asking.db_id) == number:
                found[place] = ranked(asking, weights)
    return found


def figures(rankings: Sequence[Sequence[tuple[float, Outcome]]]) -> dict[str, Any]:
    """Percentages of all questions: the best is right, one of the first five distinct is, any is."""
    best = passed = any_right = 0
    for ranking in rankings:
        best += bool(ranking) and ranking[0][1].right
        any_right += any(o.right for _, o in ranking)
        seen: set[str] = set()
        for _, outcome in ranking:
            if outcome.right:
                passed += 1
                break
            seen |= {outcome.result} - {""}
            if len(seen) == _PASS_AT:
                break
    total = max(1, len(rankings))
    return {
        "questions": len(rankings),
        "best1": round(100 * best / total, 2),
        "pass5": round(100 * passed / total, 2),
        "any": round(100 * any_right / total, 2),
    }
