"""The figures of a run of the verifier's bench, from what was counted; see docs/evaluation.md."""

from __future__ import annotations

from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.verification.tally import Tally
from askwire.verifier.constraints import CONSTRAINTS, PV_SQL

LEAST_ODDS: Final = 0.05
FEW_QUESTIONS: Final = 2.0


def figures(tally: Tally) -> dict[str, Any]:
    """All of them; `gold_rules` has by rule how many gold queries fail it, and how many it looked at."""
    kinds = {
        rule.kind: {
            "questions": tally.kinds[rule.kind],
            "violated": tally.violated[rule.kind],
            "precision": _percent(tally.kinds[rule.kind] - tally.violated[rule.kind], tally.kinds[rule.kind]),
        }
        | (
            {
                "constructs": tally.constructs[rule.kind],
                "recall": _percent(tally.recalled[rule.kind], tally.constructs[rule.kind]),
            }
            if rule.kind in PV_SQL
            else {}
        )
        for rule in CONSTRAINTS
    }
    return {
        "questions": tally.questions,
        "unreadable": tally.unreadable,
        "satisfied": _percent(tally.satisfied, tally.questions),
        "satisfied_paper": _percent(tally.satisfied_paper, tally.questions),
        "carrying": _percent(tally.carrying, tally.questions),
        "extraction_ms_p50": _rounded(percentile([ms * 100 for ms in tally.extraction], 50)),
        "candidate_ms_p50": _rounded(percentile([ms * 100 for ms in tally.costs], 50)),
        "candidate_ms_p95": _rounded(percentile([ms * 100 for ms in tally.costs], 95)),
        "kinds": kinds,
        "gold_flagged": _percent(tally.gold_flagged, tally.questions),
        "gold_rules": {
            name: [tally.gold_failed[name], checked] for name, checked in sorted(tally.gold_checked.items())
        },
        "detection": _detection(tally) if sum(tally.attempts.values()) else None,
    }


def _detection(tally: Tally) -> dict[str, Any]:
    right, wrong = tally.attempts[True], tally.attempts[False]
    names = sorted(tally.checked)
    rules = {
        name: {
            "wrong_failed": tally.failed[False][name],
            "right_failed": tally.failed[True][name],
            "precision": _percent(
                tally.failed[False][name], tally.failed[False][name] + tally.failed[True][name]
            ),
            "odds": _odds(tally, name),
        }
        for name in names
    }
    return {
        "wrong": wrong,
        "right": right,
        "wrong_flagged": _percent(tally.flagged[False], wrong),
        "right_flagged": _percent(tally.flagged[True], right),
        "wrong_unmet": _percent(tally.unmet[False], wrong),
        "right_unmet": _percent(tally.unmet[True], right),
        "rules": rules,
    }


def _odds(tally: Tally, name: str) -> float | None:
    """How much more often right predictions fail a check than wrong ones.

    The predictions of one question resemble each other, so that each question counts once: with the share of
    its right, and of its wrong predictions that fail. Half a question is added to each side; None below two
    questions, which are too few to say.
    """
    if tally.shares[True][name] + tally.shares[False][name] < FEW_QUESTIONS:
        return None
    right, wrong = (
        (tally.shares[outcome][name] + 0.5) / (tally.answered[outcome] + 1) for outcome in (True, False)
    )
    return round(min(1.0, max(LEAST_ODDS, right / wrong)), 3)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _rounded(hundredths: float | None) -> float | None:
    return None if hundredths is None else round(hundredths / 100, 2)
