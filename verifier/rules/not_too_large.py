"""An answer is not larger than what it is made from."""

from __future__ import annotations

from typing import Final

from askwire.core.types import Check
from askwire.verifier.odds import EVIDENCE_ODDS, odds_of
from askwire.verifier.subject import Subject

_MAX_HARMLESS_ROWS: Final = 100
_TABLE_ESTIMATE_FACTOR: Final = 1.5
"""The size of a table is an estimate."""
_PLAN_ESTIMATE_FACTOR: Final = 20.0
"""So is the planner's number of rows, and a worse one."""


def not_too_large(subject: Subject) -> Check | None:
    """Evidence, not proof: a join without its condition returns more rows than the largest table has.

    Silent where a table's size is not known, and for answers of up to 100 rows. Where a cap cut the rows off,
    the planner's estimate stands for them, if it is beyond all doubt.
    """
    effects = subject.effects
    if subject.result is None or effects is None or len(effects.sizes) < 2 or min(effects.sizes) < 0:
        return None
    largest = max(effects.sizes)
    rows = len(subject.result.rows)
    planned = subject.planned_rows or 0.0
    if subject.result.truncated and planned > largest * _PLAN_ESTIMATE_FACTOR:
        rows = round(planned)
    held = rows <= _MAX_HARMLESS_ROWS or rows <= largest * _TABLE_ESTIMATE_FACTOR
    message = (
        ""
        if held
        else f"it returns {rows} rows or more, and the largest table it reads has about {largest:.0f}"
    )
    return Check("not_too_large", held, message, odds_of("not_too_large", EVIDENCE_ODDS))
