"""What says how an answer is to be made is no part of what is asked for."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording.manner import Manner, without_manner
from askwire.planner.embedded.logical_form.ir import Query, Term


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (
            "cars without sales, by doing a left join from the cars to the sales table.",
            "cars without sales .",
        ),
        ("Using a left join between cars and sales, list the cars", "list the cars"),
        ("customers who bought, based on joining the customers and sales tables", "customers who bought"),
        ("artists without albums? Do this with a left join.", "artists without albums ?"),
        ("which customers are in Paris? Use exact string matching.", "which customers are in Paris ?"),
        ("names that contain 'gift', ignoring case", "names that contain 'gift'"),
        ("the altitude of Everest? Match strings exactly", "the altitude of Everest ?"),
        ("composers, case-insensitive, by name", "composers , by name"),
        ("between 1 May and 3 May (inclusive of start and end dates)?", "between 1 May and 3 May ?"),
        ("orders from 2004 to 2006, both inclusive", "orders from 2004 to 2006"),
        ("in the past 30 days, inclusive of 30 days ago?", "in the past 30 days ?"),
        ("share of returns per shop (not rounded)", "share of returns per shop"),
        ("the month with the most orders, as a date", "the month with the most orders"),
    ],
)
def test_the_manner_is_left_out(asked: str, left: str) -> None:
    tokens, _ = without_manner(tokenize(asked), frozenset())
    assert " ".join(t.text for t in tokens) == left


@pytest.mark.parametrize(
    "asked",
    [
        "customers by joining date",
        "who joined the left wing",
        "in the past 7 days, inclusive of today",
        "hotels with all inclusive rooms",
        "which teams match the names of cities",
        "how many cases are sensitive",
        "classes limited to 5 students",
        "the round of the match",
        "the top 5 customers",
        "List the customers using a left join with orders where country is Germany",
        "orders after joining tables and keeping only those with freight above 100",
        "By using an inner join of customers in Germany and orders, list the order dates",
        "Using the orders table, how many are there?",
        "orders limited to 1997",
        "customers with a credit limit limited to 0",
        "films with a rental rate limited to 3",
        "customers whose name contains 'an', case sensitive",
        "top 5 inclusive tours",
        "cheapest 3 all inclusive hotels",
    ],
)
def test_what_is_asked_for_stays(asked: str) -> None:
    tokens = tokenize(asked)
    assert without_manner(tokens, frozenset()) == (tokens, Manner())


def test_words_of_the_schema_stay() -> None:
    tokens = tokenize("matches with match titles exactly")
    assert without_manner(tokens, {"match"}) == (tokens, Manner())


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("rounded to 2 decimal places", 2),
        ("rounded to two decimals", 2),
        ("rounded off to one decimal place", 1),
        ("round the average to 3 digits", 3),
        ("to 2 decimal places", 2),
        ("with 2 decimals", 2),
        ("rounded to the nearest integer", 0),
        ("rounded to the nearest cent", 2),
        ("as an integer", 0),
        ("rounded to 99 decimals", 15),
        ("2 decimals", 2),
        ("one decimal", 1),
    ],
)
def test_digits_that_numbers_are_rounded_to(said: str, places: int) -> None:
    tokens, manner = without_manner(tokenize(f"the average price, {said}"), frozenset())
    assert (" ".join(t.text for t in tokens), manner.places) == ("the average price", places)


@pytest.mark.parametrize(
    "said",
    [
        ", and limit the result to 5 rows.",
        "? limit to 5",
        ". Limit the output to the top 5 results",
        "? Return only the first 5 rows.",
        "? Show the top 5.",
    ],
)
def test_rows_that_are_wanted_at_most(said: str) -> None:
    tokens, manner = without_manner(tokenize(f"payments per customer{said}"), frozenset())
    assert " ".join(t.text for t in tokens).rstrip(" ?.") == "payments per customer"
    assert manner.rows == 5


def test_a_query_that_has_a_limit_keeps_it() -> None:
    query = Query((Term(1),), limit=3)
    assert Manner(rows=5).of(query) == query
    assert Manner(rows=5).of(query.with_(limit=None)) == query.with_(limit=5)
    assert Manner().of(query) is query


def test_a_limit_that_is_said_besides_is_the_lower_one() -> None:
    query = Query((Term(1),), limit=10)
    limited = Manner(rows=3).of(query)
    assert limited is not None
    assert limited.limit == 3
    assert Manner(rows=3).of(query.with_(partition=(Term(1),))) is None, "of each group there may be so many"
