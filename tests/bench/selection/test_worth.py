"""Made-up records of rulings, by which the worth of judges is measured."""

from __future__ import annotations

import pytest

from askwire.bench.selection.worth import FAVOURITE_RATES, record
from askwire.selector.judge import Ruling


@pytest.mark.parametrize("accuracy", [0.5, 0.8, 1.0])
def test_a_judge_is_as_accurate_as_its_record_says(accuracy: float) -> None:
    made = record(accuracy, 2000, 1, FAVOURITE_RATES, judged=True)
    right = sum((ruling is Ruling.FIRST) == bool(favourite) for favourite, ruling in made)
    assert right / len(made) == pytest.approx(accuracy, abs=0.04)
    assert {favourite for favourite, _ in record(accuracy, 200, 1, FAVOURITE_RATES)} == set(FAVOURITE_RATES)
    assert record(accuracy, 20, 1, FAVOURITE_RATES) == record(accuracy, 20, 1, FAVOURITE_RATES)
