"""A count finds something."""

from __future__ import annotations

import re
from typing import Final

from askwire.core.types import Check
from askwire.verifier.odds import EVIDENCE_ODDS, odds_of
from askwire.verifier.subject import Subject

_ZERO: Final = re.compile(r"-?0*(\.0*)?\Z")
_NUMBERS: Final = frozenset({20, 21, 23, 700, 701, 1700})


def not_zero(subject: Subject) -> Check | None:
    """Evidence, not proof: a single zero is what a count over a wrong filter returns."""
    result = subject.result
    if result is None or len(result.rows) != 1 or len(result.columns) != 1:
        return None
    cell = result.rows[0][0]
    if cell is None or result.columns[0].type_oid not in _NUMBERS:
        return None
    held = not _ZERO.match(cell)
    return Check(
        "not_zero", held, "" if held else "it returns a single zero", odds=odds_of("not_zero", EVIDENCE_ODDS)
    )
