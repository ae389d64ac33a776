"""How near one word is to another: names cut short."""

from __future__ import annotations

import pytest

from askwire.language.closeness import abbreviates, likeness, spells_out


@pytest.mark.parametrize(
    ("short", "word", "so"),
    [
        ("pwr", "power", True),
        ("rgn", "region", True),
        ("gls", "goal", True),
        ("nm", "name", True),
        ("id", "idea", False),
        ("res", "restaurant", False),
        ("power", "power", False),
    ],
)
def test_a_name_without_its_vowels(short, word, so):
    assert spells_out(short, word) is so


def test_the_more_of_a_word_a_name_keeps_the_likelier_it_means_it():
    assert likeness("insp", "inspector") < likeness("insptr", "inspector") <= 0.87


@pytest.mark.parametrize(
    ("short", "word", "so"),
    [
        ("matl", "material", True),
        ("buyr", "buyer", True),
        ("recvd", "received", True),
        ("stad", "stud", False),
        ("cart", "carat", False),
        ("mats", "material", False),
        ("ghouse", "greenhouse", True),
        ("mouse", "muggyhouse", False),
    ],
)
def test_a_name_may_keep_how_a_word_begins_and_ends(short, word, so):
    assert abbreviates(short, word) is so
