"""Identifiers → the words they are made of."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.schema import identifiers


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("cust_addr", ("customer", "address")),
        ("unitPrice", ("unit", "price")),
        ("roomname", ("room", "name")),
        ("num_of_shops", ("number", "shop")),
        ("dob", ("birth", "date")),
        ("resname", ("res", "name")),
    ],
)
def test_words_of_identifiers(identifier, words):
    assert identifiers.words(identifier) == words
