"""An answer has rows."""

from __future__ import annotations

from askwire.core.types import Check
from askwire.verifier.odds import EVIDENCE_ODDS, odds_of
from askwire.verifier.subject import Subject


def not_empty(subject: Subject) -> Check | None:
    """Evidence, not proof: nothing may be the right answer, but people ask for what they think is there."""
    if subject.result is None:
        return None
    held = bool(subject.result.rows)
    return Check(
        "not_empty", held, "" if held else "it returns no rows", odds=odds_of("not_empty", EVIDENCE_ODDS)
    )
