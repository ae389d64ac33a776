"""The paper's rule for separating rows: how many terms of which side a draw has."""

from __future__ import annotations

import pytest

from askwire.selector.instances.provenance.drawing_terms import MAX_DRAWS, drawn_terms
from askwire.selector.instances.provenance.suggesting import Terms
from askwire.selector.instances.references import RowSet

OWN: list[RowSet] = [((1, n),) for n in range(1, 11)]
OTHER: list[RowSet] = [((2, n),) for n in range(1, 11)]
BOTH: list[RowSet] = [((3, n),) for n in range(1, 11)]
PLAIN = "SELECT a FROM t"


@pytest.mark.parametrize(
    ("second", "sizes"),
    [
        (PLAIN, (1, 1)),
        ("SELECT COUNT(*) FROM t", (1, 2)),
        ("SELECT sum(CASE WHEN a THEN 1 END) FROM t", (3, 4)),
        ("SELECT sum(a) FROM t", (1, 1)),
    ],
)
def test_m_terms_of_the_first_alone_and_n_of_the_second(second: str, sizes: tuple[int, int]) -> None:
    draws = drawn_terms(Terms(first=[*OWN, *BOTH], second=[*OTHER, *BOTH]), (PLAIN, second))
    assert len(draws) == MAX_DRAWS
    for draw in draws:
        assert (sum(t in OWN for t in draw), sum(t in OTHER for t in draw)) == sizes
        assert len(set(draw)) == sum(sizes)
    assert len(set(map(tuple, draws))) > 10, "they are drawn"


def test_two_terms_where_both_have_the_same_and_all_where_there_are_fewer() -> None:
    alike = drawn_terms(Terms(first=BOTH, second=list(reversed(BOTH))), (PLAIN, PLAIN))
    assert all(len(draw) == 2 and set(draw) <= set(BOTH) for draw in alike)
    few = drawn_terms(Terms(first=[], second=OTHER[:1]), (PLAIN, "SELECT count(*) FROM t"))
    assert few == [OTHER[:1]] * MAX_DRAWS
    assert drawn_terms(Terms(), (PLAIN, PLAIN)) == [[]] * MAX_DRAWS
