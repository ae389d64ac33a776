"""The strategies that a run can be asked for, by name.

Owns: how each is made for a pool, and whether the embedded engine's candidates take part. Must not know:
gold SQL.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.selector.posterior import Posterior
from askwire.selector.reliability import Ballot, Reliability, estimate
from askwire.selector.rule_judge import RuleJudge
from askwire.selector.strategy import Case, Standing, Strategy
from askwire.selector.tournament import ChampionChallenger, SiTournament
from askwire.selector.voting import ExecutionGuided, Majority, RandomChoice
from askwire.selector.weighted_majority import WeightedMajority, votes


@dataclass(frozen=True, slots=True)
class Offered:
    """One strategy; `make` gets what the agreement of a pool says of its experts.

    `engine`: the embedded engine takes part as one more expert. `verified`: what the verifier found out
    counts, checks and mended texts; without, a proposal counts as it runs by itself. `rows`: duels look for
    rows in the database.
    """

    make: Callable[[Reliability], Strategy]
    engine: bool = False
    verified: bool = False
    rows: bool = False


def ballots(cases: Sequence[Case]) -> list[Ballot]:
    """Who gave which answer, question by question; candidates with a confidence of their own stay out."""
    return [
        [
            [v.candidate.expert for v in cluster.verdicts if v.candidate.confidence is None]
            for cluster in case.clusters
        ]
        for case in cases
    ]


def learn(cases: Sequence[Case]) -> Reliability:
    """The experts' reliability, from their agreement over a pool."""
    return estimate([[g for g in ballot if g] for ballot in ballots(cases)])


class RandomizedMajority:
    """One expert drawn by its weight: RWMA, for benches only. Deterministic for a seed and a question."""

    name = "rwma"

    def __init__(self, weights: Mapping[str, float], seed: int = 0) -> None:
        self._weights = dict(weights)
        self._seed = seed

    async def rank(self, case: Case) -> list[Standing]:
        """The cluster of the drawn expert first, then the others by weight."""
        support = votes(case, self._weights)
        drawn = random.Random(f"{self._seed}\0{case.question.text}").choices(  # noqa: S311 - no secret
            range(len(support)), support
        )[0]
        order = sorted(range(len(support)), key=lambda n: (n != drawn, -support[n]))
        total = sum(support)
        return [Standing(case.clusters[n], support[n] / total) for n in order]


STRATEGIES: Final[Mapping[str, Offered]] = {
    "random": Offered(lambda _: RandomChoice()),
    "execution-guided": Offered(lambda _: ExecutionGuided()),
    "majority": Offered(lambda _: Majority()),
    "wma": Offered(lambda known: WeightedMajority(known.rates)),
    "rwma": Offered(lambda known: RandomizedMajority(known.rates)),
    "si-tournament": Offered(lambda _: SiTournament(RuleJudge()), verified=True, rows=True),
    "dpc": Offered(lambda _: ChampionChallenger(RuleJudge()), verified=True, rows=True),
    "posterior": Offered(Posterior, engine=True, verified=True),
    "posterior-alone": Offered(Posterior, verified=True),
}
"""`multiple-choice` and `apex-select` need someone who chooses, and wait for a model."""
