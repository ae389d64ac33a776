"""Expressions of time."""

from __future__ import annotations

import datetime as dt

import pytest

from askwire.language.text import tokenize
from askwire.language.times import time_spans


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("in March 2024", "2024-03-01", "2024-04-01"),
        ("on March 3, 2024", "2024-03-03", "2024-03-04"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("past 30 days", "2026-10-22", "2026-11-22"),
        ("since December", "2025-12-01", "2026-01-01"),
        ("yesterday", "2026-11-20", "2026-11-21"),
        ("on 2024-02-29", "2024-02-29", "2024-03-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("in Q2 2023", "2023-04-01", "2023-07-01"),
        ("in 2023 Q2", "2023-04-01", "2023-07-01"),
        ("in Q2 of 2023", "2023-04-01", "2023-07-01"),
        ("in the 1st quarter of 2023", "2023-01-01", "2023-04-01"),
        ("in 2023's second quarter", "2023-04-01", "2023-07-01"),
        ("in the 4th quarter of last year", "2025-10-01", "2026-01-01"),
        ("the last quarter of 2022", "2022-10-01", "2023-01-01"),
        ("in the second half of 2022", "2022-07-01", "2023-01-01"),
        ("in H1 2022", "2022-01-01", "2022-07-01"),
        ("in quarter 3", "2026-07-01", "2026-10-01"),
        ("in the first three months of 2023", "2023-01-01", "2023-04-01"),
        ("in the last 2 months of last year", "2025-11-01", "2026-01-01"),
        ("the final two quarters of 2023", "2023-07-01", "2024-01-01"),
        ("in the last 3 months", "2026-08-21", "2026-11-22"),
        ("in h1", "2026-01-01", "2026-07-01"),
    ],
)
def test_times(text, low, high):
    span = time_spans(tokenize(text), "2026-11-21")[0]
    assert (span.low, span.high) == (dt.date.fromisoformat(low), dt.date.fromisoformat(high))


def test_a_time_that_takes_in_today_ends_behind_its_date():
    tokens = tokenize("sales in the past 30 days, inclusive of today's date, per region")
    (span,) = time_spans(tokens, "2026-11-21")
    assert [t.lower for t in tokens[span.end :]] == [",", "per", "region"]


@pytest.mark.parametrize("text", ["on 2024-13-45", '"0000-00-00"', "February 30 2024", "99/99/2024"])
def test_impossible_dates_are_no_times(text):
    assert time_spans(tokenize(text), "not a date") == ()


@pytest.mark.parametrize("text", ["sales in Q1 yesterday", "revenue for Q1, yesterday", "Q2 of today"])
def test_a_quarter_before_a_day_at_the_end_is_read(text):
    assert time_spans(tokenize(text), "2026-11-21")


@pytest.mark.parametrize(
    ("text", "today", "lows"),
    [
        ("sales in Q1 and Q2 2023", "2026-11-21", ["2023-01-01", "2023-04-01"]),
        ("from Q4 to Q1 2023", "2026-11-21", ["2022-10-01", "2023-01-01"]),
        ("from H1 to H2 2024", "2026-11-21", ["2024-01-01", "2024-07-01"]),
        ("between March and May 2024", "2026-11-21", ["2024-03-01", "2024-05-01"]),
        ("orders in may 2024", "2026-11-21", ["2024-05-01"]),
        ("april and may 2024", "2026-11-21", ["2024-04-01", "2024-05-01"]),
        ("orders that may be late", "2026-11-21", []),
        ("in 2022, Q1 and Q2", "2026-11-21", ["2022-01-01", "2026-04-01"]),
        ("sales in Q4", "2026-03-02", ["2025-10-01"]),
    ],
)
def test_a_part_of_a_year_without_one_is_the_last_or_takes_that_behind_it(text, today, lows):
    assert [str(span.low) for span in time_spans(tokenize(text), today)] == lows


@pytest.mark.parametrize("text", ["average of h1", "products with h1 above 5", "h2 per product"])
def test_what_is_called_as_half_a_year_is_none(text):
    assert time_spans(tokenize(text), "2026-11-21") == ()


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2018-03-17 07:13:53", "2018-03-17 07:13:53"),
        ("2018-03-17T07:13", "2018-03-17 07:13"),
        ("2018-03-17", ""),
    ],
)
def test_a_date_with_a_time_of_day_is_a_moment(said, moment):
    (span,) = time_spans(tokenize(f"orders before {said}"), "2026-11-21")
    assert (span.low.isoformat(), span.moment) == ("2018-03-17", moment)


@pytest.mark.parametrize("said", ["2018-03-17 27:13", "2018-03-17 10:61:00", "2018-02-30 10:00"])
def test_a_time_that_there_is_not_is_none(said):
    assert time_spans(tokenize(f"orders before {said}"), "2026-11-21") == ()


def test_days_take_the_year_behind_the_second() -> None:
    first, second = time_spans(tokenize("between March 3 and March 10, 2024"), "2026-11-21")
    assert (first.low, second.low) == (dt.date(2024, 3, 3), dt.date(2024, 3, 10))


def test_a_day_without_a_year_may_be_of_another() -> None:
    (day,) = time_spans(tokenize("on July 4"), "2026-11-21")
    assert day.yearless
    moved = day.in_year(2013)
    assert moved is not None
    assert (moved.low, moved.high) == (dt.date(2013, 7, 4), dt.date(2013, 7, 5))
    (leap,) = time_spans(tokenize("on February 29, 2024"), "2026-11-21")
    assert leap.in_year(2013) is None
