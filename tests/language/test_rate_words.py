"""'Rate' behind what is done is a part of all rows, unless a column is called so."""

from __future__ import annotations

import pytest

from askwire.language.rate_words import rates
from askwire.language.text import tokenize

BASE_RATE = ("base", "rate")


@pytest.mark.parametrize("question", ["cancelled rate by channel", "cancellation rate by channel"])
def test_rate_behind_what_is_done_names_no_other_rate(question):
    assert rates(tokenize(question), [BASE_RATE]) == {1}


def test_a_column_that_is_called_so_keeps_its_name():
    assert rates(tokenize("cancelled rate by channel"), [("cancellation", "rate")]) == frozenset()


def test_rate_behind_another_word_is_a_name():
    assert rates(tokenize("average base rate"), [BASE_RATE]) == frozenset()
