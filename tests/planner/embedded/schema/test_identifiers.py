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
        ("lifeexpectancy", ("life", "expectancy")),
        ("governmentform", ("government", "form")),
        ("maxoccupancy", ("maxoccupancy",)),
        ("capacity", ("capacity",)),
    ],
)
def test_words_of_identifiers(identifier, words):
    assert identifiers.words(identifier) == words


@pytest.mark.parametrize(
    ("names", "beginning"),
    [
        (("sbtxid", "sbtxtype", "sbtxdate"), "sbtx"),
        (("l_orderkey", "l_quantity", "l_shipdate"), "l_"),
        (("sbtxid", "sbtxtype", "amount"), ""),
        (("sbtxid", "sbtxtype"), ""),
        (("name", "nameplate", "namespace"), ""),
        (("stadium_id", "stadium_name", "stadium_city"), ""),
        (("qxzzk", "qxvbn", "qxplw"), ""),
    ],
)
def test_what_all_names_begin_with_is_silent_unless_it_is_a_word(names, beginning):
    assert identifiers.shared_beginning(names, identifiers.COMMON_PARTS) == beginning
