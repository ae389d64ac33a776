"""Names that are not there, linked to those that are by their words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.planner.embedded.linking.naming import linked_name

KNOWN = ("customer_id", "customer_income", "birth_date", "city", "ship_addr", "qty", "unit_price")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("cust_salary", "customer_income"),
        ("dob", "birth_date"),
        ("town", "city"),
        ("shippingAddress", "ship_addr"),
        ("quantity", "qty"),
        ("price", "unit_price"),
        ("surname", None),
        ("x", None),
        ("", None),
    ],
)
def test_a_name_is_linked_by_what_it_says(wanted: str, meant: str | None) -> None:
    assert linked_name(wanted, KNOWN) == meant


def test_of_two_that_fit_alike_none_is_taken() -> None:
    assert linked_name("total", ("total_price", "total_weight")) is None


def test_without_names_and_with_too_many_there_is_no_answer() -> None:
    assert linked_name("town", ()) is None
    assert linked_name("town", ["city", *(f"c{n}" for n in range(2000))]) is None


@given(st.text(max_size=20), st.lists(st.text(max_size=12), max_size=5))
def test_any_name_is_one_of_the_known_or_none(wanted: str, known: list[str]) -> None:
    found = linked_name(wanted, known)
    assert found is None or found in known
