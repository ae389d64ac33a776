"""A zero with its reason counts little against a candidate, one without it as much as before."""

from __future__ import annotations

from askwire.core.types import Candidate, Check, ResultColumn, ResultSet, Verdict
from askwire.selector.posterior import _shows_nothing
from askwire.verifier.odds import EXPLAINED, odds_of


def _zero(odds: float) -> Verdict:
    checks = (Check("not_zero", False, "why", odds),)
    return Verdict(Candidate("q", "e"), "q", checks, ResultSet((ResultColumn("n", 20),), (("0",),)))


def test_an_explained_zero_is_no_missing_answer() -> None:
    assert _shows_nothing(_zero(odds_of("not_zero")))
    assert not _shows_nothing(_zero(EXPLAINED))
