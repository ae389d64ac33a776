"""Telling "you may not see it" from "it is not there"."""

from __future__ import annotations

import pytest

from askwire.planner.unreadable import passed_over, unreadable, withheld
from askwire.sql.catalog import Catalog, Column, Relation

HIDDEN = Catalog((), unreadable=("salaries", "order_lines", "people.homeAddress", "boxes", "ÄMTER", "___"))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what are the salaries?", ("salaries",)),
        ("the highest SALARY", ("salaries",)),
        ("lines per order", ("order_lines",)),
        ("orders", ()),
        ("home address of Ann", ("people.homeAddress",)),
        ("how many boxes and salaries", ("boxes", "salaries")),
        ("a box", ("boxes",)),
        ("ämter in the north", ("ÄMTER",)),
        ("unsalaried people", ()),
        ("", ()),
    ],
)
def test_names_whose_words_the_question_holds(question: str, names: tuple[str, ...]) -> None:
    assert unreadable(question, HIDDEN) == names


def relation(name: str, *columns: str, kind: str = "r") -> Relation:
    made = tuple(
        Column(name=c, type_name="text", type_oid=25, category="S", position=n)
        for n, c in enumerate(columns, 1)
    )
    return Relation(oid=1, schema="public", name=name, kind=kind, columns=made)


SHOP = Catalog(
    (
        relation("order_lines", "amount", "customer_id"),
        relation("products", "name", "reviewed"),
        relation("v_employees", "name", kind="v"),
    ),
    unreadable=("employees", "refunds", "customers", "total", "orders", "reviewed", "events"),
    withheld=("employees", "refunds", "customers", "total", "orders", "reviewed"),
)


@pytest.mark.parametrize(
    ("question", "evidence", "names"),
    [
        ("total amount of refunds", "", ("refunds",)),
        ("how many customers are there", "", ("customers",)),
        ("Customers with a refund", "", ("customers", "refunds")),
        # words that something readable has in its name
        ("how many order lines", "", ()),
        ("orders per month", "", ("orders",)),
        ("reviewed products", "", ()),
        ("how many employees", "", ()),
        # words that say how, a hint that says what is meant, and what the search_path does not reach
        ("total amount", "", ()),
        ("amount of refunds", "refunds are lines whose amount is negative", ()),
        ("how many events", "", ()),
        ("name of each product", "", ()),
    ],
)
def test_what_is_asked_about_and_may_not_be_read(
    question: str, evidence: str, names: tuple[str, ...]
) -> None:
    assert withheld(question, evidence, SHOP) == names


@pytest.mark.parametrize(
    ("unused", "names"),
    [
        (("addresses", "home"), ("people.homeAddress",)),
        (("home",), ()),
        (("boxes",), ()),
        ((), ()),
    ],
)
def test_an_answer_that_leaves_out_what_may_not_be_read_says_so(
    unused: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert passed_over(unused, HIDDEN) == names
