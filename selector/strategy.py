"""The seam of selection: clusters in, clusters by support out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from askwire.core.types import Cluster, Question, Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """One cluster and the support it has, between 0 and 1; comparable within one ranking.

    `confidence` is the probability that its answer is right, where calibrated confidences back one.
    """

    cluster: Cluster
    support: float
    confidence: float | None = None


class Strategy(Protocol):
    """One way to decide between clusters."""

    @property
    def name(self) -> str:
        """The name it is chosen by and recorded under."""

    def rank(
        self, question: Question, clusters: Sequence[Cluster], failed: Sequence[Verdict]
    ) -> list[Standing]:
        """All clusters, the best supported first; `failed` are the verdicts that cannot be chosen."""
