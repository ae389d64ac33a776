"""The strategies that a run can be asked for, by name.

Owns: how each is made for a pool, and whether the embedded engine's candidates take part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from askwire.bench.selection.baselines import ExecutionGuided, MultipleChoice, RandomChoice
from askwire.bench.selection.by_model import Duels
from askwire.selector.duels.judges import Parts
from askwire.selector.posterior import Posterior
from askwire.selector.reliability import Reliability, estimate
from askwire.selector.strategy import Case, Strategy
from askwire.selector.tournament import ChampionChallenger, SiTournament
from askwire.selector.voting import ApexSelect, Majority
from askwire.selector.weighted_majority import RandomizedMajority, WeightedMajority


@dataclass(frozen=True, slots=True)
class StrategyEntry:
    """One strategy; `make` gets what the agreement of a pool says of its experts.

    `engine`: the embedded engine takes part as one more expert. `verified`: what the verifier found out
    counts, checks and mended texts; without, a proposal counts as it runs by itself. `rows`: duels look for
    rows in the database. `by_model` makes it with a model as judge or chooser (`--judge`).
    """

    make: Callable[[Reliability], Strategy] | None = None
    engine: bool = False
    verified: bool = False
    rows: bool = False
    by_model: Callable[[Duels], Strategy] | None = None


def learn(cases: Sequence[Case]) -> Reliability:
    """The experts' reliability, from their agreement over a pool."""
    posterior = Posterior()
    return estimate([posterior.ballot(case) for case in cases])


def _dpc(**parts: Any) -> Callable[[Duels], Strategy]:
    return lambda duels: ChampionChallenger(duels.by_code(Parts(**parts)), needs_rows=False)


def _dpc_on_real_rows(duels: Duels) -> Strategy:
    return ChampionChallenger(duels.by_code(Parts(tester=False)))


STRATEGIES: Final[Mapping[str, StrategyEntry]] = {
    "random": StrategyEntry(lambda _: RandomChoice()),
    "execution-guided": StrategyEntry(lambda _: ExecutionGuided()),
    "majority": StrategyEntry(lambda _: Majority()),
    "wma": StrategyEntry(lambda known: WeightedMajority(known.rates)),
    "rwma": StrategyEntry(lambda known: RandomizedMajority(known.rates)),
    "multiple-choice": StrategyEntry(verified=True, by_model=lambda duels: MultipleChoice(duels.chooser())),
    "apex": StrategyEntry(verified=True, by_model=lambda duels: ApexSelect(duels.chooser())),
    "si-tournament": StrategyEntry(
        verified=True, rows=True, by_model=lambda duels: SiTournament(duels.on_rows())
    ),
    "dpc": StrategyEntry(verified=True, by_model=_dpc()),
    "dpc-without-tester": StrategyEntry(verified=True, rows=True, by_model=_dpc_on_real_rows),
    "dpc-without-slicer": StrategyEntry(verified=True, by_model=_dpc(slicer=False)),
    "dpc-without-python": StrategyEntry(verified=True, by_model=_dpc(python=False)),
    "dpc-without-soft-f1": StrategyEntry(verified=True, by_model=_dpc(soft_f1=False)),
    "dpc-without-self-correction": StrategyEntry(verified=True, by_model=_dpc(corrections=0)),
    "posterior": StrategyEntry(Posterior, engine=True, verified=True),
    "posterior-alone": StrategyEntry(Posterior, verified=True),
}
"""Every strategy by its name; those without `make` need a model."""
