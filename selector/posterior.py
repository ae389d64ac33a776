"""The default strategy: the probability that each answer is right, from all evidence there is.

Owns: what each kind of evidence is worth, and the sum. The answers, and one more hypothesis, that none of
them is right, share one probability. A calibrated expert's confidences say what it was before anybody voted;
votes add the log-odds of their authors' reliability; checks, empty answers, the question's wording and what
a statement leaves unsaid count against the answers that were voted for. Failed candidates are no evidence.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from askwire.core.beside import beside
from askwire.core.types import EMPTY_RULES, EXPLAINED_EMPTY_ODDS, Cluster, Verdict
from askwire.selector.calibration import with_votes
from askwire.selector.clusters import evidence
from askwire.selector.coverage import coverage
from askwire.selector.phrasing import PhrasingModel, shipped
from askwire.selector.profile import profile
from askwire.selector.reliability import Ballot, Option, Reliability, shares
from askwire.selector.strategy import Case, RankedCluster

MAX_LOG_ODDS_AGAINST: Final = 2.5
"""The most that one check or trait says against an answer, in log-odds: none alone is beyond doubt."""

TRAIT_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "types": 1.0,
        **dict.fromkeys(("says <=", "says >="), 0.5),
        **dict.fromkeys(("names", "order", "key", "says >"), 0.2),
        **dict.fromkeys(("columns", "texts", "numbers"), 0.13),
        **dict.fromkeys(("shows avg", "shows count", "shows min", "shows sum"), 0.13),
    }
)
"""What a trait's log-likelihood counts; mostly below 1, because traits repeat each other. Traits that were
right in less than three of five recorded duels are left out."""
_SHAPE: Final = ("types", "columns", "texts", "numbers")
"""Traits that see of an answer's columns what the check `columns` sees."""
_INSUFFICIENT_PRIVILEGE: Final = "42501"
_RULED_OUT_LOG_ODDS: Final = -30.0
"""Log-odds of what is ruled out."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What each kind of evidence is worth.

    `novel`: how likely, given that none of the calibrated candidates is right, a voted answer is, before its
    votes. `doubt`: the least probability that none of the calibrated candidates is right, beside votes.
    `checks` and `traits` are factors on log-odds. `empty` is taken off an answer that has no rows, or shows a
    single zero or NULL, beside one that has something to show; `unsaid` for each part of the question's
    content words by which a voted statement says less than `enough` of them.
    """

    novel: float = 0.2
    doubt: float = 0.03
    checks: float = 1.2
    empty: float = 3.0
    unsaid: float = 4.0
    enough: float = 0.3
    traits: Mapping[str, float] = field(default_factory=lambda: TRAIT_WEIGHTS)


SHIPPED_WORTH: Final = Worth()
MIN_SETTLED_SHARE: Final = 0.9
"""The share of its answer's support from which on a text has it whatever the others mean."""


class Posterior:
    """The probability of each answer; see the module.

    Support is what evidence adds up to, as if experts erred independently; confidence is how often recorded
    answers of such support were right. Without votes they are the same.
    """

    name = "posterior"

    def __init__(
        self,
        reliability: Reliability | None = None,
        worth: Worth = SHIPPED_WORTH,
        phrasing: Callable[[], PhrasingModel] = shipped,
        noted: Callable[[Ballot], None] | None = None,
        calibrated: Callable[[float, int, bool], float] = with_votes,
        settled: float = MIN_SETTLED_SHARE,
    ) -> None:
        """`noted` gets the ballot of each case with several experts: what reliability is learnt from.

        `calibrated` says how often answers were right to which votes gave a probability, by the number of
        models and whether a calibrated expert proposed something too. Texts of the best
        answer are compared in meaning unless one of them has the share `settled` of its support.
        """
        self._settled = settled
        self._noted = noted
        self._calibrated = calibrated
        self._reliability = reliability or Reliability()
        self._worth = worth
        self._phrasing = phrasing

    async def rank(self, case: Case) -> list[RankedCluster]:
        """The clusters by their probability; each is represented by its best supported reading."""
        if not case.clusters:
            return []
        scored, none = await beside(self.score, case)
        ballot = _ballot(scored, none)
        if self._noted is not None and len({v.candidate.expert for v in case.verdicts}) > 1:
            self._noted(ballot)
        found = shares(ballot, self._reliability)
        voters = list(_voters(case))
        worth = self._reliability.worth(voters)
        votes = [sum(worth[expert] * part for expert, part in o.voters.items()) for o in ballot]
        best = max(range(len(found)), key=found.__getitem__)
        # experts err alike: where votes speak for the best answer it is right less often than they say
        likely = found[best]
        if votes[best] > 0:
            likely = self._calibrated(likely, len(voters), any(map(_calibrated, case.verdicts)))
        scale = min(1.0, likely / found[best])
        standings = [
            RankedCluster(
                self._ordered(cluster, worth),
                share,
                share * scale,
                _terms({"votes": voted, **parts}),
            )
            for (cluster, parts), voted, share in zip(scored, votes, found, strict=True)
        ]
        first, *others = sorted(standings, key=lambda s: s.support, reverse=True)
        return [*await self._by_meaning(case, first, worth), *others]

    async def _by_meaning(
        self, case: Case, first: RankedCluster, worth: Mapping[str, float]
    ) -> list[RankedCluster]:
        """The best answer's readings: texts that give these rows today and mean different things.

        They share its support as if they were all answers there are; one where there is no other, or nothing
        to look at.
        """
        texts: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in first.cluster.verdicts:
            texts[verdict.sql].append(verdict)
        if case.by_meaning is None or len(texts) < 2:
            return [first]
        each = await beside(self._divided, case, list(texts.values()))
        if max(share for _, share, _ in each) >= self._settled:
            return [first]
        groups = await case.by_meaning(first.cluster.verdicts)
        if len(groups) < 2:
            return [first]
        found = await beside(self._divided, case, groups)
        readings = [
            replace(
                first,
                cluster=self._ordered(cluster, worth),
                support=first.support * share,
                confidence=None if first.confidence is None else first.confidence * share,
                terms=terms,
                alike_today=True,
            )
            for cluster, share, terms in found
        ]
        return sorted(readings, key=lambda s: s.support, reverse=True)

    def _divided(
        self, case: Case, groups: Sequence[Sequence[Verdict]]
    ) -> list[tuple[Cluster, float, dict[str, float]]]:
        """Groups of verdicts as answers, the share of each in what they have together, and its terms."""
        scored, none = self.score(replace(case, clusters=[Cluster(tuple(group)) for group in groups]))
        ballot = _ballot(scored, none)
        found = shares(ballot, self._reliability)
        worth = self._reliability.worth(list({e: None for o in ballot for e in o.voters}))
        total = sum(found) or 1.0
        return [
            (
                cluster,
                share / total,
                _terms({"votes": sum(worth[e] * part for e, part in option.voters.items()), **parts}),
            )
            for (cluster, parts), option, share in zip(scored, ballot, found, strict=True)
        ]

    def ballot(self, case: Case) -> Ballot:
        """Who voted for which answer, and what all other evidence says of it."""
        return _ballot(*self.score(case)) if case.clusters else ()

    def score(self, case: Case) -> tuple[list[tuple[Cluster, dict[str, float]]], float]:
        """For each cluster what every kind of evidence but votes says for it, and for none of them."""
        worth = self._worth
        prior, left = _priors(case)
        voters = _voters(case)
        left = max(left, worth.doubt) if voters else left
        wording = self._wording(case) if voters else {}
        empty = [_is_empty(c.representative) for c in case.clusters]
        said_of = [self._said(cluster, wording) for cluster in case.clusters]
        # wording and emptiness are relative: the best calibrated answer, or else the best of all, has 0
        lead = max(range(len(prior)), key=lambda n: prior[n][1])
        leads = prior[lead][1] > 0
        base = {t: said_of[lead][t] if leads else max(said[t] for said in said_of) for t in worth.traits}
        scored = []
        for n, cluster in enumerate(case.clusters):
            voted = [v for v in cluster.verdicts if not _calibrated(v)]
            before, checked = prior[n]
            if voted:
                before, checked = before + left * worth.novel, checked + left * worth.novel
            parts = {"checks": _log(checked) - _log(before)}
            if voted:
                parts["checks"] += worth.checks * _mean(
                    cluster, voted, lambda v: max(-MAX_LOG_ODDS_AGAINST, _log(evidence(v)))
                )
                said = max(coverage(case.question.text, v.sql) for v in voted)
                parts["unsaid"] = -worth.unsaid * max(0.0, worth.enough - said)
            if voters:
                parts["empty"] = worth.empty * (((leads and empty[lead]) or all(empty)) - empty[n])
                fits = {trait: said_of[n][trait] - least for trait, least in base.items()}
                parts |= fits
            if voted:
                parts["checks"] += self._said_twice(cluster, voted, fits)
            scored.append((cluster, {"confidence": _log(before), **parts}))
        return scored, _log(left)

    def _said_twice(self, cluster: Cluster, voted: Sequence[Verdict], fits: Mapping[str, float]) -> float:
        """What a failed check `columns` and the wording both say against an answer, to be given back.

        Both see columns that the question does not ask for: only the one that says more counts.
        """
        checked = self._worth.checks * _mean(
            cluster,
            voted,
            lambda v: (
                max(-MAX_LOG_ODDS_AGAINST, _log(evidence(v)))
                - max(-MAX_LOG_ODDS_AGAINST, _log(evidence(v, ("columns",))))
            ),
        )
        worded = sum(fits.get(trait, 0.0) for trait in _SHAPE)
        return max(0.0, min(-checked, -worded))

    def _said(self, cluster: Cluster, wording: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
        """What each trait says of a cluster: the mean over its statements."""
        said = [wording.get(id(v), {}) for v in cluster.verdicts]
        return {trait: sum(one.get(trait, 0.0) for one in said) / len(said) for trait in self._worth.traits}

    def _wording(self, case: Case) -> dict[int, dict[str, float]]:
        """For each verdict what each trait of its statement says, 0 for the value that fits best."""
        verdicts = [v for c in case.clusters for v in c.verdicts]
        said: dict[int, dict[str, float]] = {id(v): {} for v in verdicts}
        if len({v.sql for v in verdicts}) == 1:
            return said
        likelihoods = self._phrasing().likelihoods(case.question.text)
        seen: dict[str, Mapping[str, str]] = {}
        for verdict in verdicts:
            if verdict.sql not in seen:
                seen[verdict.sql] = profile(verdict.sql, verdict.result)
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
                said[id(verdict)][trait] = factor * max(
                    -MAX_LOG_ODDS_AGAINST, logs.get(verdict.sql, most) - most
                )
        return said

    def _ordered(self, cluster: Cluster, worth: Mapping[str, float]) -> Cluster:
        """The cluster with the text first whose author has the most behind it.

        Authors count by the worth of their vote, calibrated ones by their confidence in this text; of texts
        with the rows in the same order the authors count together.
        """
        own = {
            id(v): _log(v.candidate.confidence or 0.0) - _log(1 - (v.candidate.confidence or 0.0))
            if _calibrated(v)
            else worth[v.candidate.expert]
            for v in cluster.verdicts
        }
        orders: dict[object, float] = defaultdict(float)
        for verdict in cluster.verdicts:
            if verdict.result is not None:
                orders[verdict.result.rows] += max(0.0, own[id(verdict)])

        def merit(verdict: Verdict) -> tuple[float, float]:
            together = orders[verdict.result.rows] if verdict.result is not None else 0.0
            checked = max(-MAX_LOG_ODDS_AGAINST, _log(evidence(verdict)))
            return own[id(verdict)] + together + checked, verdict.candidate.score

        return replace(cluster, verdicts=tuple(sorted(cluster.verdicts, key=merit, reverse=True)))


_OWN_TERMS: Final = ("votes", "confidence", "checks", "unsaid", "empty")


def _terms(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts by kind: all traits are the wording's."""
    terms = {kind: value for kind, value in parts.items() if kind in _OWN_TERMS}
    terms["wording"] = sum(value for kind, value in parts.items() if kind not in _OWN_TERMS)
    return {kind: value for kind, value in terms.items() if value}


def _ballot(scored: Sequence[tuple[Cluster, Mapping[str, float]]], none: float) -> Ballot:
    proposed = Counter(v.candidate.expert for cluster, _ in scored for v in cluster.verdicts)
    options = []
    for cluster, parts in scored:
        votes = Counter(v.candidate.expert for v in cluster.verdicts if not _calibrated(v))
        voters = {expert: count / proposed[expert] for expert, count in votes.items()}
        options.append(Option(sum(parts.values()) - none, voters))
    return tuple(options)


def _priors(case: Case) -> tuple[list[tuple[float, float]], float]:
    """For each cluster its calibrated candidates' confidence, before and after checks; what is left for none.

    After the checks all of it sums to 1. A failed check multiplies the odds of its candidate, an error of its
    own making rules it out; one that may not run keeps its share, which is then no answer's. Several
    calibrated experts count alike.
    """
    experts: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in case.verdicts:
        if _calibrated(verdict):
            experts[verdict.candidate.expert].append(verdict)
    if not experts:
        return [(0.0, 0.0)] * len(case.clusters), 1.0
    before: dict[int, float] = {}
    after: dict[int, float] = {}
    left = 0.0
    for verdicts in experts.values():
        weights = {id(v): 0.0 if _ruled_out(v) else _confidence(v) * evidence(v) for v in verdicts}
        rest = max(0.0, 1 - sum(map(_confidence, verdicts)))
        total = (sum(weights.values()) + rest) * len(experts)
        for verdict in verdicts:
            before[id(verdict)] = _confidence(verdict) / len(experts)
            after[id(verdict)] = weights[id(verdict)] / total if total else 0.0
        left += rest / total if total else 0.0
    left += sum(after[id(v)] for v in case.failed if id(v) in after)
    found = [
        tuple(sum(of.get(id(v), 0.0) for v in cluster.verdicts) for of in (before, after))
        for cluster in case.clusters
    ]
    return [(one, other) for one, other in found], left


def _voters(case: Case) -> dict[str, None]:
    """The experts that vote, each once: those whose candidates come without a calibrated confidence."""
    return dict.fromkeys(v.candidate.expert for c in case.clusters for v in c.verdicts if not _calibrated(v))


def _calibrated(verdict: Verdict) -> bool:
    return verdict.candidate.confidence is not None


def _confidence(verdict: Verdict) -> float:
    return verdict.candidate.confidence or 0.0


def _ruled_out(verdict: Verdict) -> bool:
    """Whether the backend's error shows the SQL to be wrong: neither the gate nor a privilege says so."""
    return verdict.sqlstate.startswith(("22", "42")) and verdict.sqlstate != _INSUFFICIENT_PRIVILEGE


def _log(value: float) -> float:
    return math.log(value) if value > 0 else _RULED_OUT_LOG_ODDS


def _mean(cluster: Cluster, verdicts: Sequence[Verdict], of: Callable[[Verdict], float]) -> float:
    return sum(map(of, verdicts)) / len(cluster.verdicts)


def _is_empty(verdict: Verdict) -> bool:
    result = verdict.result
    if result is None or any(
        c.rule in EMPTY_RULES and not c.held and c.odds >= EXPLAINED_EMPTY_ODDS for c in verdict.checks
    ):
        # a zero whose reason the data show is a finding
        return False
    single = len(result.rows) == 1 and len(result.columns) == 1
    return not result.rows or (single and result.rows[0][0] in (None, "0"))
