"""Structure that executes and lies: one lint per file, with what a finding of each is worth.

Owns: the registry and the odds. A lint joins by standing in `LINTS`. The odds were measured on recorded
predictions, those of integer_division, text_order and literal_variants on queries made for them (`./ask bench
verify --pool` prints them; docs/evaluation.md tells from which data). Where a lint fired on fewer than two
questions there is nothing to say: 0.1 stands for a fault that keys prove, 0.5 for mere evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askwire.core.types import Check
from askwire.verifier.lints.bare_key import bare_key
from askwire.verifier.lints.cross_join import cross_join
from askwire.verifier.lints.denied_row import denied_row
from askwire.verifier.lints.fan_out import fan_out
from askwire.verifier.lints.integer_division import integer_division
from askwire.verifier.lints.linted import Lint, LintSubject
from askwire.verifier.lints.literals import literal_unknown, literal_variants
from askwire.verifier.lints.luck import luck
from askwire.verifier.lints.not_in_null import not_in_null
from askwire.verifier.lints.nulls_first import nulls_first
from askwire.verifier.lints.outer_join_undone import outer_join_undone
from askwire.verifier.lints.text_order import text_order
from askwire.verifier.lints.unused_join import unused_join
from askwire.verifier.lints.wide_pattern import wide_pattern
from askwire.verifier.subject import Subject

__all__ = ["LINTS", "LintRule"]


@dataclass(frozen=True, slots=True)
class LintRule:
    """A lint as a rule of the checklist (`verifier.subject.Rule`)."""

    lint: Lint
    odds: float

    @property
    def name(self) -> str:
        """The name its checks carry."""
        return self.lint.__name__  # type: ignore[attr-defined, no-any-return]

    def __call__(self, subject: Subject, /) -> Check | None:
        """The check; None where the statement has nothing that the lint looks at."""
        found = self.lint(LintSubject(subject))
        return None if found is None else Check(self.name, not found.message, found.message, self.odds)


LINTS: Final[tuple[LintRule, ...]] = (
    LintRule(fan_out, 0.1),
    LintRule(integer_division, 0.15),
    LintRule(not_in_null, 0.5),
    LintRule(outer_join_undone, 0.1),
    LintRule(nulls_first, 0.5),
    LintRule(text_order, 0.11),
    LintRule(unused_join, 0.5),
    LintRule(cross_join, 0.05),
    LintRule(luck, 0.1),
    LintRule(literal_variants, 0.14),
    LintRule(literal_unknown, 0.05),
    LintRule(wide_pattern, 0.06),
    LintRule(denied_row, 0.1),
    LintRule(bare_key, 0.05),
)
"""In the order their checks stand in a verdict, each with the odds of its findings."""
