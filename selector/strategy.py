"""The seam of selection: one case in, its clusters by support out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol, TypeAlias

from askwire.core.types import Cluster, Question, Verdict
from askwire.selector.instances import Separation

Separate: TypeAlias = Callable[[str, str], Awaitable[Separation]]
"""Finds a few rows on which two statements give different answers."""


ByMeaning: TypeAlias = Callable[[Sequence[Verdict]], Awaitable[Sequence[Sequence[Verdict]]]]
"""Verdicts with the same rows today, in groups of which made-up rows tell no two members apart."""


@dataclass(frozen=True, slots=True)
class Case:
    """What there is to decide: clusters in the order of their first candidates, and what cannot be chosen.

    `separate` and `by_meaning` are None where no rows can be looked at.
    """

    question: Question
    clusters: Sequence[Cluster]
    failed: Sequence[Verdict] = ()
    separate: Separate | None = None
    by_meaning: ByMeaning | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts, those that cannot be chosen last."""
        return (*(v for c in self.clusters for v in c.verdicts), *self.failed)


@dataclass(frozen=True, slots=True)
class RankedCluster:
    """One cluster and the support it has, between 0 and 1; comparable within one ranking.

    `confidence` is the probability that its answer is right, where calibrated confidences back one. `terms`
    are what each kind of evidence says for it, by the kind's name, where a strategy adds such up: logarithms,
    of which the differences between clusters count; or the numbers a paper's rule counts (votes, points).
    `reason` is a phrase that says why the first stands first; '' where the agreement of readings says it.
    `alike_today`: it is one of several readings with the same rows today, which share the support and the
    confidence of these rows.
    """

    cluster: Cluster
    support: float
    confidence: float | None = None
    terms: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    reason: str = field(default="", compare=False)
    alike_today: bool = False


class Strategy(Protocol):
    """One way to decide between clusters."""

    @property
    def name(self) -> str:
        """The name it is chosen by and recorded under."""

    async def rank(self, case: Case) -> list[RankedCluster]:
        """All clusters, the best supported first; equal support keeps the order given."""


def ranked(clusters: Sequence[Cluster], support: Sequence[float], unit: str = "votes") -> list[RankedCluster]:
    """Standings by support, scaled to sum to 1; equal support keeps the order given.

    `unit` names what `support` counts; each standing has it in its terms.
    """
    total = sum(support)
    standings = [
        RankedCluster(cluster, value / total if total else 0.0, terms={unit: value})
        for cluster, value in zip(clusters, support, strict=True)
    ]
    return sorted(standings, key=lambda s: s.support, reverse=True)


def because(standings: list[RankedCluster], reason: str) -> list[RankedCluster]:
    """The ranking with the reason for its first."""
    return [replace(standings[0], reason=reason), *standings[1:]] if standings else standings
