"""Charts: which results have one, and that what is drawn is what the rows say."""

from __future__ import annotations

import pytest

from askwire.core.types import ResultColumn, Row
from askwire.proxy.console.questions.answers import kind
from askwire.proxy.console.questions.drawing import MOST_BARS, Bars, Chart, Plot, drawn

TEXT, INT, NUMERIC, DATE, STAMP, INTERVAL, BOOL = 25, 23, 1700, 1082, 1184, 1186, 16


def chart(columns: dict[str, int], *rows: Row, more: bool = False) -> Chart | None:
    described = [ResultColumn(name, oid) for name, oid in columns.items()]
    return drawn(described, [kind(column) for column in described], rows, more=more)


def test_a_label_and_a_number_are_bars() -> None:
    found = chart({"name": TEXT, "total": NUMERIC}, ("a", "10"), ("b", "5"), ("c", "-5"))
    assert isinstance(found, Bars)
    assert found.title == "total by name"
    assert [(bar.label, bar.text, bar.width, bar.below) for bar in found.bars] == [
        ("a", "10", 66.67, False),
        ("b", "5", 33.33, False),
        ("c", "-5", 33.33, True),
    ]
    assert [bar.x for bar in found.bars] == [33.33, 33.33, 0.0]


def test_a_time_and_a_number_are_a_line_in_the_order_of_time() -> None:
    rows = (("2024-03-01", "3"), ("2024-01-01", "1"), ("2024-02-01", "2"))
    found = chart({"month": DATE, "n": INT}, *rows)
    assert isinstance(found, Plot)
    assert (found.name, found.title) == ("line", "n over month")
    assert found.ends == ("2024-01-01", "2024-03-01")
    assert found.path.startswith("M0.0 ")
    assert found.path.count("L") == 2


def test_two_numbers_are_points() -> None:
    found = chart({"price": NUMERIC, "stock": INT}, ("1", "2"), ("3", "4"), ("3", "4"))
    assert isinstance(found, Plot)
    assert found.name == "points"
    assert found.path.count("M") == 2, "a point on a point is one"


@pytest.mark.parametrize("name", ["year", "order_year", "month", "quarter"])
def test_a_number_that_counts_time_makes_a_line(name: str) -> None:
    found = chart({name: NUMERIC, "n": INT}, ("1998", "4"), ("1996", "2"), ("1997", "9"))
    assert isinstance(found, Plot)
    assert (found.name, found.ends) == ("line", ("1996", "1998"))


def test_several_values_at_one_time_are_points() -> None:
    found = chart({"at": STAMP, "n": INT}, ("2024-01-01 10:00:00+00", "1"), ("2024-01-01 10:00:00+00", "2"))
    assert isinstance(found, Plot)
    assert found.name == "points"


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ({"n": INT}, ("1",)),
        ({"name": TEXT, "kind": TEXT}, ("a", "b")),
        ({"name": TEXT, "a": INT, "b": INT}, ("a", "1", "2")),
        ({"name": TEXT, "took": INTERVAL}, ("a", "1 day")),
        ({"a": INT, "b": INT, "c": INT}, ("1", "2", "3")),
        ({"at": DATE, "name": TEXT, "n": INT}, ("2024-01-01", "a", "1")),
    ],
)
def test_other_results_have_none(columns: dict[str, int], row: Row) -> None:
    assert chart(columns, row, row) is None


def test_a_key_beside_a_label_and_a_number_is_not_drawn() -> None:
    found = chart({"customer_id": INT, "name": TEXT, "total": INT}, ("1", "a", "5"), ("2", "b", "6"))
    assert isinstance(found, Bars)
    assert found.title == "total by name"


@pytest.mark.parametrize("value", [None, "NaN", "Infinity", "-Infinity"])
def test_what_has_no_value_is_counted_and_not_drawn(value: str | None) -> None:
    found = chart({"name": TEXT, "n": NUMERIC}, ("a", "1"), ("b", value), ("c", "2"))
    assert isinstance(found, Bars)
    assert [bar.label for bar in found.bars] == ["a", "c"]
    assert found.note == "1 row has no value to draw."


def test_one_row_is_no_chart() -> None:
    assert chart({"name": TEXT, "n": INT}, ("a", "1")) is None
    assert chart({"name": TEXT, "n": INT}, ("a", None), ("b", "1")) is None


def test_many_bars_are_cut_and_it_says_so() -> None:
    rows = [(str(n), str(n)) for n in range(100)]
    found = chart({"name": TEXT, "n": INT}, *rows, more=True)
    assert isinstance(found, Bars)
    assert len(found.bars) == MOST_BARS
    assert found.note == "The first 24 of 100 rows are drawn. Rows that are not shown below are not drawn."


@pytest.mark.parametrize(
    "values",
    [("0", "0"), ("5", "5"), ("-3", "-1"), ("1e308", "-1e308"), ("1e-300", "2e-300"), ("123456789", "9")],
)
def test_any_numbers_stay_in_the_picture(values: tuple[str, str]) -> None:
    for columns in ({"name": TEXT, "n": NUMERIC}, {"day": INT, "n": NUMERIC}):
        found = chart(columns, ("1", values[0]), ("2", values[1]))
        if isinstance(found, Bars):
            assert all(bar.x >= 0 and bar.x + bar.width <= 100.1 for bar in found.bars)
        elif isinstance(found, Plot):
            places = found.path.replace("M", " ").replace("L", " ").split()
            assert all(-0.1 <= float(place) <= 100.1 for place in places)
            assert all(0 <= tick.at <= 100 for tick in found.ticks)


def test_times_that_python_does_not_know_are_left_out() -> None:
    rows = (("0044-03-15 BC", "1"), ("infinity", "2"), ("2024-01-01", "3"), ("2024-01-02", "4"))
    found = chart({"day": DATE, "n": INT}, *rows)
    assert isinstance(found, Plot)
    assert found.note == "2 rows have no value to draw."
