"""Whether two answers differ only by how ties fall."""

from __future__ import annotations

import pytest

from askwire.bench.separation.ties import may_coincide, with_ties

TOP = "SELECT a FROM t ORDER BY b LIMIT 1"
ANY = "SELECT a FROM t LIMIT 1"
ALL = "SELECT a FROM t"
IN = "SELECT a FROM t WHERE b = (SELECT b FROM u ORDER BY c LIMIT 1)"


def test_ties_pass_a_limit() -> None:
    assert (
        " ".join((with_ties(TOP) or "").split()) == "SELECT a FROM t ORDER BY b FETCH FIRST 1 ROWS WITH TIES"
    )
    assert with_ties(ANY) == ALL
    assert with_ties(ALL) is None


@pytest.mark.parametrize(
    ("first", "second", "answers", "kept", "expected"),
    [
        (TOP, ALL, ("x", "y"), "x", False),  # nothing ties
        (TOP, ALL, ("x", "y"), "xy", True),
        (TOP, ALL, ("x", "xy"), "xy", False),  # one row is never two
        (TOP, ALL, ("x", "z"), "xy", False),
        (TOP, IN, ("x", "y"), "xy", True),
        (IN, ALL, ("x", "y"), None, True),  # several rows in a scalar subquery
        (IN, ALL, ("x", "zz"), "xy", False),
        (ALL, "SELECT b FROM t", ("x", "y"), None, False),
    ],
)
def test_answers_may_coincide(
    first: str, second: str, answers: tuple[str, str], kept: str | None, expected: bool
) -> None:
    rows = tuple([(value,) for value in answer] for answer in answers)

    def run(query: str) -> list[tuple[str, ...]] | None:
        assert query not in (first, second)
        return None if kept is None else [(value,) for value in kept]

    assert may_coincide(first, second, (rows[0], rows[1]), run) is expected  # type: ignore[arg-type]
