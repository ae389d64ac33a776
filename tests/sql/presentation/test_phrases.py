"""Comparisons, spans of time and the first few of an order are said as people say them."""

from __future__ import annotations

import pytest

from askwire.sql.presentation import phrases


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ("1997-01-01", "1998-01-01", "in 1997"),
        ("2023-01-01", "2025-01-01", "from 2023 to 2024"),
        ("2024-03-01", "2024-04-01", "in March 2024"),
        ("2024-12-01", "2025-01-01", "in December 2024"),
        ("2024-10-01", "2025-01-01", "in the fourth quarter of 2024"),
        ("2024-02-29", "2024-03-01", "on 29 February 2024"),
        ("2024-03-01 00:00:00", "2024-03-16 00:00:00", "between 1 and 15 March 2024"),
        ("2024-03-05", "2024-05-01", "between 5 March and 30 April 2024"),
        ("2023-12-05", "2024-05-01", "between 5 December 2023 and 30 April 2024"),
        ("2024-03-05 08:00", "2024-05-01", ""),
        ("2024-05-01", "2024-03-05", ""),
        ("2024-13-01", "2025-01-01", ""),
        ("soon", "later", ""),
    ],
)
def test_a_span_has_the_name_that_people_give_it(low: str, high: str, said: str) -> None:
    assert phrases.within(low, high) == said


def test_both_ends_belong_to_an_inclusive_span() -> None:
    assert phrases.within("2024-03-01", "2024-03-31", inclusive=True) == "in March 2024"


@pytest.mark.parametrize(
    ("operator", "moment", "said"),
    [
        (">", "2024-01-02", "d is later than 2 January 2024"),
        ("<=", "2024-01-02 10:30", "d is on or before 2 January 2024 10:30"),
        ("=", "2024-01-02", "d is on 2 January 2024"),
        ("=", "2024-01-02 10:30", "d is 2 January 2024 10:30"),
        (">", "B-17", "d is above x"),
        (">", None, "d is above x"),
        ("@>", None, "d @> x"),
    ],
)
def test_times_are_later_and_earlier_and_numbers_above_and_below(
    operator: str, moment: str | None, said: str
) -> None:
    assert phrases.compared("d", operator, "x", moment=moment) == said


@pytest.mark.parametrize(
    ("many", "descending", "kind", "place", "said"),
    [
        (5, True, "", 1, "Top 5 products by price"),
        (5, False, "", 1, "Bottom 5 products by price"),
        (5, True, "time", 1, "Latest 5 products by price"),
        (5, False, "time", 1, "Earliest 5 products by price"),
        (5, False, "text", 1, "First 5 products by price"),
        (1, True, "", 1, "products with the largest price"),
        (1, False, "time", 1, "products with the earliest price"),
        (1, True, "", 2, "products, number 2 by price, largest first"),
    ],
)
def test_the_first_few_are_said_first(many: int, descending: bool, kind: str, place: int, said: str) -> None:
    phrase = phrases.first_of(many, "products", "price", descending=descending, kind=kind, place=place)
    assert phrase == said
