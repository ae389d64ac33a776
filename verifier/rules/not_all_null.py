"""An answer holds something."""

from __future__ import annotations

from askwire.core.types import Check
from askwire.verifier.odds import EVIDENCE_ODDS, odds_of
from askwire.verifier.subject import Subject


def not_all_null(subject: Subject) -> Check | None:
    """Evidence, not proof: rows without any value are what an aggregate over nothing returns."""
    if subject.result is None or not subject.result.rows:
        return None
    held = any(cell is not None for row in subject.result.rows for cell in row)
    return Check(
        "not_all_null",
        held,
        "" if held else "it returns only NULL",
        odds=odds_of("not_all_null", EVIDENCE_ODDS),
    )
