"""Soft F1: what it forgives, what it counts, and that the matching behind it is the best there is."""

from __future__ import annotations

from itertools import permutations

import pytest
from data.selection_cases import INT4, TEXT, answer
from hypothesis import given
from hypothesis import strategies as st

from askwire.selector.soft_f1 import assign, soft_f1, soft_f1_of_rows

NUMERIC, TIMESTAMP = 1700, 1114


def test_types_row_order_and_spelling_of_nothing_make_no_difference() -> None:
    one = answer(("1.00004", "x "), ("2", "null"), oids=(NUMERIC, TEXT))
    other = answer(("2", None), ("1", "x"), oids=(INT4, TEXT))
    assert soft_f1(one, other) == 1
    assert (
        soft_f1(answer(("2020-01-02 03:04:05",), oids=(TIMESTAMP,)), answer(("2020-01-02",), oids=(TEXT,)))
        == 1
    )


@pytest.mark.parametrize(
    ("rows", "reference", "score"),
    [
        ([], [], 1.0),
        ([(1,)], [], 0.0),
        ([], [(1,)], 0.0),
        ([(1,)], [(2,)], 0.0),
        ([(1,), (2,)], [(1,)], 2 / 3),
        ([(1,)], [(1,), (2,)], 2 / 3),
        ([(1, 5)], [(1, 2)], 0.5),
        ([(1, 5)], [(1,)], 2 / 3),
        ([(1,)], [(1, 5)], 2 / 3),
        ([(5, 1)], [(1, 5)], 0.0),
        ([(1, 2), (3, 4)], [(3, 9), (1, 2)], 0.75),
    ],
)
def test_scores(rows: list[tuple[int, ...]], reference: list[tuple[int, ...]], score: float) -> None:
    assert soft_f1_of_rows(rows, reference) == pytest.approx(score)


@given(
    st.integers(1, 5).flatmap(
        lambda m: st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m), min_size=1, max_size=5)
    )
)
def test_no_assignment_is_cheaper(costs: list[list[int]]) -> None:
    found = assign(costs)
    rows, columns = len(costs), len(costs[0])
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found) == min(rows, columns)
    wide = costs if rows <= columns else [list(c) for c in zip(*costs, strict=True)]
    best = min(
        sum(r[j] for r, j in zip(wide, p, strict=True)) for p in permutations(range(len(wide[0])), len(wide))
    )
    assert sum(costs[i][j] for i, j in found) == best


def test_a_thousand_equal_rows_are_matched_at_once() -> None:
    rows = [(n, "x") for n in range(1000)]
    assert soft_f1_of_rows(rows, list(reversed(rows))) == 1
