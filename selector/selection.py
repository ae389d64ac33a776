"""The decision: answer, ask back, or refuse.

Owns: when the evidence suffices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Final

from askwire.core.settings.table import AMBIGUITY_MARGIN, ANSWER_CONFIDENCE, ON_AMBIGUITY, Settings
from askwire.core.trace import Trace
from askwire.core.types import Choice, Cluster, Question, Verdict
from askwire.selector import confidence, explanation
from askwire.selector.calibration import ErrorRate
from askwire.selector.clusters import cluster, eligible, evidence, rivals
from askwire.selector.posterior import Posterior
from askwire.selector.strategy import ByMeaning, Case, RankedCluster, Separate, Strategy

DEFAULT: Final[Strategy] = Posterior()
UNBOUNDED: Final = ErrorRate()
_MAX_SHOWN_READINGS: Final = 3
_MIN_OFFERED_SHARE: Final = 0.25
"""A refusal offers readings that have at least this share of the best one's support."""
_MIN_UNDERSTOOD_SUPPORT: Final = 0.4
"""The support that rivals must have together for the question to be understood but for which is meant; and
the least confidence where no model voted and nothing was measured, as after a judge's ruling."""
MIN_VOTED_CONFIDENCE: Final = 0.15
"""The least confidence of an answer that models voted for beside the engine, where nothing else is set: of
recorded answers with less, five in six are wrong (`python -m askwire.bench.selection.beside`)."""


async def select(
    question: Question,
    verdicts: Sequence[Verdict],
    settings: Settings,
    trace: Trace,
    *,
    strategy: Strategy = DEFAULT,
    separate: Separate | None = None,
    by_meaning: ByMeaning | None = None,
    error_rate: ErrorRate = UNBOUNDED,
    ruling: bool = False,
) -> Choice:
    """The verdict to answer with.

    With `ruling` what the strategy puts first is the answer, whatever its support: nothing is asked back or
    refused for it. Its support is on no scale of answers' and is left out of the choice.

    Raises AmbiguousQuestion (NL001) when the support of two answers that differ is within
    `ambiguity_margin`, BeyondEngine (NL003) when the best one's confidence is below `answer_confidence`
    (`MIN_VOTED_CONFIDENCE` where models voted and no one set it), or what the error rate asks for, and when
    no candidate can be chosen RefusedByGate (NL006) or DatabaseFailed with the backend's SQLSTATE.
    """
    clusters = cluster(verdicts)
    if not clusters:
        raise explanation.nothing_ran(verdicts)
    _check_tried(verdicts)
    failed = [v for v in verdicts if not eligible(v)]
    ranking = await strategy.rank(Case(question, clusters, failed, separate, by_meaning))
    trace.record(
        "selector",
        "ranked",
        strategy=strategy.name,
        clusters=[
            {
                "support": round(s.support, 4),
                "terms": {kind: round(value, 3) for kind, value in s.terms.items()},
                "sql": [v.sql for v in s.cluster.verdicts],
            }
            for s in ranking
        ],
    )
    readings, answers = _by_rows(ranking)
    measured = confidence.applies(answers)
    if measured:
        found = confidence.signals(question.text, readings, answers[1:])
        sure = confidence.probability(found)
        trace.record("selector", "signals", confidence=round(sure, 4), of={**found})
        answers = [replace(answers[0], confidence=sure), *answers[1:]]
    best = answers[0]
    close = [best] if ruling else _close(answers, settings[AMBIGUITY_MARGIN])
    least = settings[ANSWER_CONFIDENCE]
    asks_back = len(close) > 1 and settings[ON_AMBIGUITY] == "error"
    # rivals share what speaks for the question being understood; which of them is meant is another matter
    if asks_back and sum(s.support for s in close) >= _MIN_UNDERSTOOD_SUPPORT:
        trace.record("selector", "ambiguous", readings=len(close))
        lenient = settings.for_session({ON_AMBIGUITY.name: "best"})
        raise explanation.ambiguous([s.cluster for s in close], may_have_best=lenient[ON_AMBIGUITY] == "best")
    alone = None if measured or ruling else await _alone(question, best, verdicts)
    if alone is not None:
        trace.record("selector", "alone", confidence=round(alone, 4))
        if alone < least:
            raise explanation.unsure(offered(answers))
    behind = best.confidence
    if not measured and not settings.stated(ANSWER_CONFIDENCE):
        behind, least = _behind(best, answers, decided=len(close) > 1 or bool(best.reason))
    if best.confidence is not None and (behind or 0.0) < least:
        trace.record("selector", "unsure", support=round(best.support, 4))
        raise explanation.unsure(offered(answers))
    required = error_rate.least(confidence.curve() if measured else None)
    likely = best.support if best.confidence is None else best.confidence
    if likely < required:
        trace.record("selector", "too likely wrong", confidence=round(likely, 4), least=_finite(required))
        raise explanation.too_likely_wrong(offered(answers), error_rate)
    verdict = best.cluster.representative
    assumptions = explanation.failed(verdict)
    if len(close) > 1:
        assumptions.append(explanation.assumed([s.cluster for s in close]))
    choice = Choice(
        verdict=verdict,
        reason=best.reason
        or explanation.reason([s.cluster for s in readings], [s.cluster for s in answers[1:]]),
        confidence=best.confidence,
        clusters=tuple(s.cluster for s in (*readings, *answers[1:])),
        alike_today=len(readings) - 1,
        assumptions=tuple(assumptions),
        support=None if ruling else best.support,
    )
    trace.record("selector", "chose", sql=verdict.sql, reason=choice.reason, confidence=choice.confidence)
    return choice


def _behind(
    best: RankedCluster, answers: Sequence[RankedCluster], *, decided: bool
) -> tuple[float | None, float]:
    """What speaks for an answer that was not measured, and the least that must.

    Beside a calibrated expert that is the confidence of votes, which was measured so. Models alone may
    disagree with themselves, which no record shows: their support counts. Of readings that fit alike one is
    wanted all the same, and so is what a judge named among votes (`decided`).
    """
    if not any("votes" in s.terms for s in answers):
        return best.confidence, _MIN_UNDERSTOOD_SUPPORT
    if any(v.candidate.confidence is not None for s in answers for v in s.cluster.verdicts):
        return best.confidence, 0.0 if decided and "votes" in best.terms else MIN_VOTED_CONFIDENCE
    return best.support, _MIN_UNDERSTOOD_SUPPORT


async def _alone(question: Question, best: RankedCluster, verdicts: Sequence[Verdict]) -> float | None:
    """How sure calibrated experts are of an answer that is theirs alone, others left out of account.

    That others answer something else speaks little for it, and not at all where they answer at random.
    None where somebody else gives the same answer, or a judge has ruled for it.
    """
    if best.reason or not all(v.candidate.signals for v in best.cluster.verdicts):
        return None
    own = cluster([v for v in verdicts if v.candidate.signals])
    readings, answers = _by_rows(await DEFAULT.rank(Case(question, own)))
    if not confidence.applies(answers) or rivals(answers[0].cluster, best.cluster):
        return None
    return confidence.probability(confidence.signals(question.text, readings, answers[1:]))


def _by_rows(ranking: Sequence[RankedCluster]) -> tuple[list[RankedCluster], list[RankedCluster]]:
    """The readings of the best answer, and all answers, the best first.

    Readings with the same rows today are one answer: its support is what they have together, whichever of
    them is meant, and its text is that of the best one.
    """
    alike = [s for s in ranking if s.alike_today]
    if not alike:
        return [ranking[0]], list(ranking)
    confidences = [s.confidence for s in alike]
    together = replace(
        alike[0],
        support=sum(s.support for s in alike),
        confidence=None if None in confidences else sum(c or 0.0 for c in confidences),
    )
    answers = sorted(
        [together, *(s for s in ranking if not s.alike_today)], key=lambda s: s.support, reverse=True
    )
    return alike if answers[0] is together else [answers[0]], answers


def offered(answers: Sequence[RankedCluster]) -> list[Cluster]:
    """The readings that a refusal offers: the best one, and others with a good part of its support."""
    best, *others = answers
    found = [best.cluster]
    for other in others:
        likely = other.support >= best.support * _MIN_OFFERED_SHARE
        if likely and len(found) < _MAX_SHOWN_READINGS and all(rivals(one, other.cluster) for one in found):
            found.append(other.cluster)
    return found


def _finite(value: float) -> float | None:
    return round(value, 4) if isfinite(value) else None


def _check_tried(verdicts: Sequence[Verdict]) -> None:
    """Raise what kept the most confident reading from being tried, if that was no fault of its own.

    A lock, a limit or a lack of room is no evidence against it, and a lesser reading is no answer instead.
    """
    best = max(verdicts, key=lambda v: v.candidate.confidence or 0.0, default=None)
    if best is not None and best.candidate.confidence and best.sqlstate.startswith(("53", "55", "58")):
        raise explanation.database_failed(best)


def _close(ranking: Sequence[RankedCluster], margin: float) -> list[RankedCluster]:
    """The best standing, and those whose answers are its rivals with nearly its support.

    Asking back is for readings that fit: one with more against it than the best is no rival. A best that
    failed a check itself has rivals only if it was voted for: a calibrated confidence has taken that into
    account.
    """
    best, *others = ranking
    close = [best]
    least = evidence(best.cluster.representative)
    if least == 1 or "votes" in best.terms:
        for other in others:
            both = best.support + other.support
            if (
                best.support - other.support < margin * both
                and evidence(other.cluster.representative) >= least
                and all(rivals(s.cluster, other.cluster) for s in close)
            ):
                close.append(other)
    return close[:_MAX_SHOWN_READINGS]
