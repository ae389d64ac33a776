"""How much of a question a statement says: names, constants, stems; general words do not count."""

from __future__ import annotations

import pytest

from askwire.selector.coverage import content_words, coverage

SQL = "SELECT s.name FROM singer AS s WHERE s.birth_year > 1980"


def test_content_words_are_stems_each_once_and_numbers() -> None:
    assert content_words("Show the names of all singers, singers in 2014") == ["sing", "2014"]
    assert content_words("How many are there?") == []


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("Which singers were born after 1980?", 2 / 3),
        ("singers by birth year", 1.0),
        ("How many are there?", 1.0),
        ("airports of Chicago", 0.0),
        ("singers of 1981", 0.5),
    ],
)
def test_coverage_is_the_share_of_content_words_that_a_statement_says(question: str, share: float) -> None:
    assert coverage(question, SQL) == pytest.approx(share)


def test_names_in_one_word_and_compounds_are_read() -> None:
    assert coverage("order details", 'SELECT * FROM "OrderDetails"') == 1.0
