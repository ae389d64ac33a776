"""A judge without a model: checks, wording, and rules on the rows on which two statements differ.

Owns: what each of them is worth in a duel, and when together they suffice for a ruling. Must not know: votes,
or how rows are found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from askwire.core.types import Cluster, Question, Verdict
from askwire.selector.instances import Instance
from askwire.selector.judge import Ruling
from askwire.selector.phrasing import Phrasing, shipped
from askwire.selector.posterior import CAP, Posterior
from askwire.selector.row_rules import ROW_RULES
from askwire.selector.strategy import Case

RELIABILITY: Final[Mapping[str, float]] = MappingProxyType(
    {
        "grain": 0.76,
        "repeated rows": 0.74,
        "nulls shown": 0.72,
        "value rows": 0.64,
        "nothing shown": 0.53,
    }
)
"""How often a rule on rows is right when it speaks, measured on recorded duels of any two readings of which
one is right (`bench.selection.sources --tuning --rows --every`); those right less often than `LEAST` stay
out, today all. `demands` spoke too seldom to be measured: ten duels."""
LEAST: Final = 0.8
SUFFICES: Final = 1.0
"""Log-odds between two statements from which on one is ruled to be right."""


class RuleJudge:
    """Rules by evidence alone; a draw where it does not suffice. Works without rows, with less to go by."""

    name = "rules"

    def __init__(
        self,
        reliability: Mapping[str, float] = RELIABILITY,
        *,
        suffices: float = SUFFICES,
        phrasing: Callable[[], Phrasing] = shipped,
    ) -> None:
        self._reliability = {r: rate for r, rate in reliability.items() if rate >= LEAST}
        self._suffices = suffices
        self._wording = Posterior(phrasing=phrasing)

    async def rule(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> Ruling:
        """By the sum of the log-odds of everything that speaks."""
        total = self.log_odds(question, first, second, instance)
        if abs(total) < self._suffices:
            return Ruling.DRAW
        return Ruling.FIRST if total > 0 else Ruling.SECOND

    def log_odds(
        self, question: Question, first: Verdict, second: Verdict, instance: Instance | None
    ) -> float:
        """What speaks for the first against the second."""
        scored, _ = self._wording.score(Case(question, (Cluster((first,)), Cluster((second,)))))
        one, other = (sum(parts.values()) for _, parts in scored)
        return one - other + (self._on_rows(question, instance) if instance is not None else 0.0)

    def _on_rows(self, question: Question, instance: Instance) -> float:
        said = 0.0
        for name, rate in self._reliability.items():
            said += ROW_RULES[name](question, instance) * math.log(rate / (1 - rate))
        return max(-CAP, min(CAP, said))


class RuleChooser:
    """`selector.judge.Chooser` by the same evidence: what fits best of all, without votes or rows."""

    def __init__(self, phrasing: Callable[[], Phrasing] = shipped) -> None:
        self._wording = Posterior(phrasing=phrasing)

    async def choose(self, question: Question, verdicts: Sequence[Verdict]) -> int | None:
        """The one that most speaks for; None where two have as much."""
        scored, _ = self._wording.score(Case(question, [Cluster((verdict,)) for verdict in verdicts]))
        sums = [sum(parts.values()) for _, parts in scored]
        best = max(sums)
        return sums.index(best) if sums.count(best) == 1 else None
