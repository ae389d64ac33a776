"""What a run of the verifier's bench has seen: the values that are counted, and the words for them.

Owns: those.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.bench.question_files import BenchQuestion
from askwire.core.types import Check
from askwire.verifier.constraints import CONSTRAINTS, Constraint

QUESTION_CHECKS: Final = frozenset(rule.kind for rule in CONSTRAINTS) | {"one_number"}
EVIDENCE: Final = frozenset(
    {"not_empty", "not_all_null", "not_zero", "not_too_large", "literal_occurs", "unused_join"}
)
"""Checks that are evidence and no proof: their failure alone does not flag a statement."""
LOOKED_UP: Final = frozenset({"literal_occurs", "literal_spelled"})
FLAG_ODDS: Final = 0.1
"""A failed check flags a statement when its odds are no greater."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What extraction found in one question, and in how many milliseconds; `english`: it can be read."""

    asked: BenchQuestion
    constraints: tuple[Constraint, ...]
    ms: float
    english: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One recorded prediction that runs: who made it, its SQL, whether its answer is right."""

    expert: str
    sql: str
    right: bool


@dataclass
class Tally:
    """What was seen so far; `failures` has an object for every constraint gold breaks and every flag.

    Of `satisfied_paper` questions gold SQL breaks none of PV-SQL's ten kinds. `gold_checked` and
    `gold_failed` count what the rules and lints say of gold queries.
    """

    questions: int = 0
    carrying: int = 0
    satisfied: int = 0
    satisfied_paper: int = 0
    unreadable: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    violated: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    recalled: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    attempts: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    flagged: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    unmet: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    checked: Counter[str] = field(default_factory=Counter)
    answered: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    shares: dict[bool, defaultdict[str, float]] = field(
        default_factory=lambda: {True: defaultdict(float), False: defaultdict(float)}
    )
    failed: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter(), False: Counter()})
    gold_checked: Counter[str] = field(default_factory=Counter)
    gold_failed: Counter[str] = field(default_factory=Counter)
    gold_flagged: int = 0
    costs: list[float] = field(default_factory=list)
    extraction: list[float] = field(default_factory=list)


def flags(checks: Iterable[Check]) -> list[Check]:
    """The failed checks that say by themselves that a statement is wrong."""
    return [c for c in checks if not c.held and c.rule not in EVIDENCE and c.odds <= FLAG_ODDS]
