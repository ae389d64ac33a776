"""The default strategy: one sum of log-odds over everything that speaks for or against an answer.

Owns: what each kind of evidence is worth, and the sum. Votes count by their experts' reliability and
independence; what the checks found, how well the question's wording fits the statement, and a calibrated
expert's confidence are added; no kind alone is worth more than `CAP`. Must not know: how experts' reliability
is learnt, how rows are found, or what follows from the ranking.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from askwire.core.beside import beside
from askwire.core.types import Cluster, Verdict
from askwire.selector.clusters import evidence
from askwire.selector.phrasing import Phrasing, shipped
from askwire.selector.profile import profile
from askwire.selector.reliability import Reliability
from askwire.selector.strategy import Case, Standing
from askwire.selector.weighted_evidence import WeightedEvidence

CAP: Final = 2.5
"""The most one kind of evidence says against an answer, in log-odds: no source alone is beyond doubt."""

TRAITS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "types": 1.0,
        "names": 0.4,
        "order": 0.4,
        "key": 0.4,
        **dict.fromkeys(("says <=", "says >", "says >="), 0.4),
        **dict.fromkeys(("columns", "texts", "numbers"), 0.1),
        **dict.fromkeys(("shows avg", "shows count", "shows min", "shows sum"), 0.1),
    }
)
"""What a trait's log-likelihood counts; mostly below 1, because traits repeat each other. Traits that were
right in less than three of five recorded duels are left out."""
WEAK_CHECKS: Final = frozenset({"literal_unknown"})
WEAK: Final = frozenset({"key", "order", "says >", "names", "shows sum", "weak checks"})
"""Evidence, and checks, that were right in less than four of five recorded duels (`bench.selection.sources`):
they overturn nothing by themselves."""
_BACKED: Final = 0.1
"""Log-odds of other evidence than WEAK that must stand behind an answer which is not the votes' own."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What each kind of evidence is worth, as factors on its log-odds.

    `votes` are the log-odds of all experts together; `empty` is taken off an answer that has no rows, or
    shows a single zero or NULL, beside one that has something to show; `confidence` counts calibrated
    confidences beside votes.
    """

    votes: float = 6.0
    checks: float = 1.3
    empty: float = 0.7
    confidence: float = 0.3
    traits: Mapping[str, float] = field(default_factory=lambda: TRAITS)


SHIPPED: Final = Worth()


class Posterior:
    """One log-odds sum; see the module.

    Where every candidate comes with a calibrated confidence there are no votes to weigh, and Bayes' rule over
    the confidences decides (`WeightedEvidence`).
    """

    name = "posterior"

    def __init__(
        self,
        reliability: Reliability | None = None,
        worth: Worth = SHIPPED,
        phrasing: Callable[[], Phrasing] = shipped,
    ) -> None:
        self._reliability = reliability or Reliability()
        self._worth = worth
        self._phrasing = phrasing

    async def rank(self, case: Case) -> list[Standing]:
        """The clusters by their share of the posterior; each is represented by its best reading."""
        confident = WeightedEvidence()
        if all(v.candidate.confidence is not None for v in case.verdicts):
            return await confident.rank(case)
        if len(case.clusters) == 1 and len({v.sql for v in case.clusters[0].verdicts}) == 1:
            return [Standing(case.clusters[0], 1.0)]
        scored = await beside(self.score, case)
        odds = _backed([parts for _, parts in scored])
        shares = [math.exp(value - max(odds)) for value in odds]
        total = sum(shares)
        standings = [
            Standing(cluster, share / total, terms=_terms(parts, value))
            for (cluster, parts), share, value in zip(scored, shares, odds, strict=True)
        ]
        return sorted(standings, key=lambda s: s.support, reverse=True)

    def score(self, case: Case) -> list[tuple[Cluster, dict[str, float]]]:
        """For each cluster what every kind of evidence says for it, in log-odds."""
        worth = self._worth
        wording = self._wording(case)
        fits = {id(v): sum(wording[id(v)].values()) for v in case.verdicts if id(v) in wording}
        clusters = [_best_first(cluster, fits) for cluster in case.clusters]
        votes = self._votes(case)
        empty = [_shows_nothing(c.representative) for c in clusters]
        scored = []
        for n, cluster in enumerate(clusters):
            checked = _mean(cluster, lambda v: max(-CAP, _log(evidence(v))))
            without = _mean(cluster, lambda v: max(-CAP, _log(evidence(v, WEAK_CHECKS))))
            parts = {
                "votes": votes[n],
                "checks": worth.checks * without,
                "weak checks": worth.checks * (checked - without),
                "empty": -worth.empty if empty[n] else 0.0,
            }
            for trait in worth.traits:
                said = [wording[id(v)].get(trait, 0.0) for v in cluster.verdicts]
                parts[trait] = sum(said) / len(said)
            scored.append((cluster, parts))
        return scored

    def _votes(self, case: Case) -> list[float]:
        """Log-odds of the votes; an expert with several candidates shares its vote among them."""
        weights = self._reliability.weights(
            sorted({v.candidate.expert for v in case.verdicts if not _sure(v)})
        )
        proposed = Counter(v.candidate.expert for v in case.verdicts)

        def of(cluster: Cluster) -> float:
            voted = sum(
                weights[v.candidate.expert] / proposed[v.candidate.expert]
                for v in cluster.verdicts
                if not _sure(v)
            )
            sure = sum(v.candidate.confidence or 0.0 for v in cluster.verdicts if _sure(v))
            said = math.log(0.04 + 0.96 * min(1.0, sure)) if any(map(_sure, case.verdicts)) else 0.0
            return self._worth.votes * voted + self._worth.confidence * said

        return [of(cluster) for cluster in case.clusters]

    def _wording(self, case: Case) -> dict[int, dict[str, float]]:
        """For each verdict what each trait of its statement says, 0 for the value that fits best."""
        likelihoods = self._phrasing().likelihoods(case.question.text)
        verdicts = [v for c in case.clusters for v in c.verdicts]
        seen: dict[str, Mapping[str, str]] = {}
        for verdict in verdicts:
            if verdict.sql not in seen:
                seen[verdict.sql] = profile(verdict.sql, verdict.result)
        said: dict[int, dict[str, float]] = {id(v): {} for v in verdicts}
        for trait, factor in self._worth.traits.items():
            values = likelihoods.get(trait)
            if not values:
                continue
            logs = {
                sql: _log(values.get(traits[trait], values.get("other", 0.0)))
                for sql, traits in seen.items()
                if trait in traits
            }
            most = max(logs.values(), default=0.0)
            for verdict in verdicts:
                said[id(verdict)][trait] = factor * max(-CAP, logs.get(verdict.sql, most) - most)
        return said


def _backed(scored: Sequence[Mapping[str, float]]) -> list[float]:
    """The sums; what only weak evidence lifts above the answer with the most votes stays just below it."""
    sums = [sum(parts.values()) for parts in scored]
    strong = [sum(v for kind, v in p.items() if kind != "votes" and kind not in WEAK) for p in scored]
    leader = max(range(len(scored)), key=lambda n: scored[n]["votes"])
    return [
        value if strong[n] > strong[leader] + _BACKED else min(value, sums[leader] - (n != leader) * 1e-6)
        for n, value in enumerate(sums)
    ]


_OWN: Final = ("votes", "checks", "empty")


def _terms(parts: Mapping[str, float], counted: float) -> dict[str, float]:
    """The parts by kind: all traits are the wording's; `counted` is what was made of their sum."""
    terms = {kind: parts[kind] for kind in _OWN}
    terms["wording"] = sum(value for kind, value in parts.items() if kind not in _OWN)
    terms["held back"] = counted - sum(parts.values())
    return {kind: value for kind, value in terms.items() if value}


def _sure(verdict: Verdict) -> bool:
    return verdict.candidate.confidence is not None


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -10.0


def _mean(cluster: Cluster, of: Callable[[Verdict], float]) -> float:
    return sum(map(of, cluster.verdicts)) / len(cluster.verdicts)


def _best_first(cluster: Cluster, fits: Mapping[int, float]) -> Cluster:
    """The cluster with the reading first that fits the question's wording best, rows in an order included.

    Candidates of one cluster have the same rows, not always in the same order: how many give the order of a
    reading counts as well.
    """
    orders = Counter(v.result.rows for v in cluster.verdicts if v.result is not None)

    def merit(verdict: Verdict) -> float:
        same = orders[verdict.result.rows] if verdict.result is not None else 0
        return fits.get(id(verdict), 0.0) + 0.5 * same + min(0.0, _log(evidence(verdict)))

    return replace(cluster, verdicts=tuple(sorted(cluster.verdicts, key=merit, reverse=True)))


def _shows_nothing(verdict: Verdict) -> bool:
    result = verdict.result
    if result is None:
        return False
    single = len(result.rows) == 1 and len(result.columns) == 1
    return not result.rows or (single and result.rows[0][0] in (None, "0"))
