"""A question cut into words."""

from __future__ import annotations

import pytest

from askwire.language.text import MAX_TOKENS, singular, stem, tokenize


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("cities", "city"), ("boxes", "box"), ("people", "person"), ("status", "status"), ("ids", "id")],
)
def test_singular(plural, expected):
    assert singular(plural) == expected


@pytest.mark.parametrize(
    ("text", "lemmas"),
    [
        ("3 million people", ["3000000", "person"]),
        ("thirty five orders", ["35", "order"]),
        ("$1,200.50 or 15%", ["1200.50", "or", "15"]),
        ("aren't “New York”", ["not", "New York"]),
        ("the customer's name", ["the", "customer", "'s", "name"]),
    ],
)
def test_tokens(text, lemmas):
    assert [t.lemma for t in tokenize(text)] == lemmas


def test_tokens_keep_their_place_and_are_bounded():
    text = "list all  orders"
    assert [text[t.start : t.end] for t in tokenize(text)] == ["list", "all", "orders"]
    assert len(tokenize("a " * 10_000)) <= MAX_TOKENS


@pytest.mark.parametrize(
    ("past", "verb"),
    [
        ("hired", "hire"),
        ("moved", "move"),
        ("filed", "file"),
        ("added", "add"),
        ("ended", "end"),
        ("owned", "own"),
    ],
)
def test_short_verbs_and_their_past_have_one_stem(past, verb):
    assert (stem(past) == stem(verb)) == (verb[-1] == "e")


def test_a_noun_in_ment_has_the_stem_of_its_verb():
    assert stem("settlement") == stem("settlements") == stem("settled")
    assert stem("shipment") == stem("shipments")
    assert stem("statement") != stem("state")
    assert stem("management") != stem("manager")


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("whose email is ann.lee@example.org?", [("whose", "word"), ("email", "word"), ("be", "word")]),
        ("they didnt' teach", [("they", "word"), ("not", "word"), ("teach", "word")]),
        ("who doesnt work, and isnt paid", [("who", "word"), ("not", "word"), ("work", "word")]),
    ],
)
def test_addresses_are_whole_and_apostrophes_may_be_missing(question, read):
    tokens = [(t.lemma, t.kind) for t in tokenize(question)]
    assert tokens[: len(read)] == read
    assert ("ann.lee@example.org", "quoted") in tokens or "@" not in question
