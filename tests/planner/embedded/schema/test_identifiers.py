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
        ("bdate", ("birth", "date")),
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


@pytest.mark.parametrize(
    ("table", "key", "column", "words"),
    [
        ("apartments", "apt_id", "apt_number", ("apartment", "number")),
        ("faculty", "facid", "facid", ("faculty", "id")),
        ("apartments", "adp_id", "apt_number", ("apt", "number")),
        ("personfriend", "person_id", "person_id", ("person", "id")),
        ("apartments", "apt_name", "apt_number", ("apt", "number")),
    ],
)
def test_a_key_tells_how_the_word_of_its_table_is_cut_short(table, key, column, words):
    read = identifiers.readings([(table, (key, column))])
    assert identifiers.words(column, identifiers.Vocabulary(identifiers.COMMON_PARTS, read)) == words
