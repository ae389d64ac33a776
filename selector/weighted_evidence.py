"""Confidence of the experts, corrected by what the verifier saw."""

from __future__ import annotations

from collections import defaultdict
from math import log
from typing import Final

from askwire.core.types import Verdict
from askwire.selector.clusters import evidence
from askwire.selector.strategy import Case, Standing

_INSUFFICIENT_PRIVILEGE: Final = "42501"


class WeightedEvidence:
    """Bayes' rule over one expert's candidates, then the mean over experts.

    An expert's calibrated confidences say how likely each of its candidates is right, and what they lack to 1
    that none is. A failed check multiplies the odds of its candidate, an error of its own making rules it
    out. Candidates of an expert without confidences share 1 equally; then nothing backs a probability, and
    support is a vote.
    """

    name = "evidence"

    async def rank(self, case: Case) -> list[Standing]:
        """All clusters by support; equal support keeps the order given."""
        experts: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in case.verdicts:
            experts[verdict.candidate.expert].append(verdict)
        shares: dict[int, float] = {}
        priors: dict[int, float] = {}
        calibrated = True
        for verdicts in experts.values():
            backed = all(v.candidate.confidence is not None for v in verdicts)
            calibrated &= backed
            prior = [v.candidate.confidence or 0.0 if backed else 1 / len(verdicts) for v in verdicts]
            weights = [
                0.0 if _ruled_out(v) else p * evidence(v) for p, v in zip(prior, verdicts, strict=True)
            ]
            total = sum(weights) + max(0.0, 1 - sum(prior))
            for verdict, weight in zip(verdicts, weights, strict=True):
                shares[id(verdict)] = weight / total / len(experts) if total else 0.0
            priors.update((id(v), p / len(experts)) for v, p in zip(verdicts, prior, strict=True))
        standings = []
        for cluster in case.clusters:
            support = min(1.0, sum(shares[id(v)] for v in cluster.verdicts))
            before = sum(priors[id(v)] for v in cluster.verdicts)
            kind = "confidence" if calibrated else "votes"
            terms = {kind: log(before), "checks": log(support / before)} if before and support else {}
            standings.append(Standing(cluster, support, support if calibrated else None, terms))
        return sorted(standings, key=lambda s: s.support, reverse=True)


def _ruled_out(verdict: Verdict) -> bool:
    """Whether the backend's error shows the SQL to be wrong: neither the gate nor a privilege says so."""
    return verdict.sqlstate.startswith(("22", "42")) and verdict.sqlstate != _INSUFFICIENT_PRIVILEGE
