"""How much is done about one text beside running it: everything, or what the paper does that wrote it.

Owns: that choice, by the setting `model_strategy` and by who proposed a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.settings.models import AUTO, STRATEGY
from askwire.core.settings.table import CHECKS, Settings
from askwire.core.types import Candidate, Question
from askwire.verifier.checklist import demanded
from askwire.verifier.constraints import PV_SQL, Constraint
from askwire.verifier.subject import Rule

_PV_SQL_HOLDS: Final = frozenset({*PV_SQL, "numbers"})
"""The ten kinds of its Tables 2 and 9; "2023 must appear in SQL" is of its Figure 5."""
_EMPTIES: Final = frozenset({"ssev", "recap"})
"""Strategies that refine a query which fails or finds nothing."""


@dataclass(frozen=True, slots=True)
class Extent:
    """What a text is held against, whether it is mended, and whether to find nothing is a fault."""

    constraints: tuple[Constraint, ...]
    rules: tuple[Rule, ...]
    mends: bool
    empties: bool = False


class Extents:
    """The extent of each text of one ASK.

    With a strategy a model's text gets what that paper has and no more: PV-SQL its ten kinds of constraint
    and the question's numbers, SSEV and ReCAP a repair of what finds nothing. A calibrated expert's text is
    checked as always.
    """

    def __init__(
        self, question: Question, candidates: Sequence[Candidate], settings: Settings, rules: Sequence[Rule]
    ) -> None:
        by_rules = settings[CHECKS] == "rules"
        constraints = demanded(question) if by_rules else ()
        self.whole = Extent(constraints, tuple(rules) if by_rules else (), mends=True)
        strategy = settings[STRATEGY]
        self._calibrated = {c.sql for c in candidates if c.confidence is not None}
        own = tuple(c for c in constraints if c.kind in _PV_SQL_HOLDS) if strategy == "pv-sql" else ()
        self._paper = (
            self.whole if strategy == AUTO else Extent(own, (), mends=False, empties=strategy in _EMPTIES)
        )

    def of(self, sql: str) -> Extent:
        """What is done about a text."""
        return self.whole if sql in self._calibrated else self._paper
