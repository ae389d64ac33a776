"""What wording says of statements, and what a statement's traits are."""

from __future__ import annotations

import pytest
from data.selection_cases import INT4, TEXT, answer

from askwire.selector.phrasing import PhrasingModel, Trait, phrases, shipped, words
from askwire.selector.profile import profile

PROFILES = {
    "SELECT name, age FROM t": {"columns": "2", "names": "yes", "order": "none-none", "distinct": "no"},
    "SELECT * FROM t": {"columns": "star"},
    "SELECT DISTINCT a FROM t ORDER BY b DESC LIMIT 1": {
        "distinct": "yes",
        "order": "desc-1",
        "key": "column",
    },
    "SELECT a FROM t GROUP BY a ORDER BY count(*) LIMIT 3": {"order": "asc-n", "key": "aggregate"},
    "SELECT count(DISTINCT a), max(b) FROM t": {
        "counts distinct": "yes",
        "shows count": "yes",
        "shows max": "yes",
        "shows min": "no",
    },
    "SELECT a FROM t LEFT JOIN u USING (b) WHERE c >= 3": {
        "outer join": "yes",
        "says >=": "yes",
        "says >": "no",
    },
    "SELECT a, b FROM t EXCEPT SELECT a, b FROM u": {"columns": "2"},
}


@pytest.mark.parametrize("sql", PROFILES)
def test_traits_of(sql: str) -> None:
    found = profile(sql)
    assert {name: found[name] for name in PROFILES[sql]} == PROFILES[sql]


def test_the_types_of_an_answer_are_traits_too() -> None:
    found = profile("SELECT a, b FROM t", answer(("x", "1"), oids=(TEXT, INT4)))
    assert (found["types"], found["texts"], found["numbers"]) == ("tn", "1", "1")


@pytest.mark.parametrize("sql", ["SELECT (((", "", "DELETE FROM t", "SELECT 1; SELECT 2"])
def test_what_is_no_single_select_has_no_traits(sql: str) -> None:
    assert profile(sql) == {}


def test_values_and_numbers_are_words_of_their_own_and_unknown_words_are_alike() -> None:
    assert words("Songs of 'Ada Lovelace', 3 or more?") == [
        "songs",
        "of",
        "VALUE",
        ",",
        "NUMBER",
        "or",
        "more",
        "?",
    ]
    assert words("each dog's owner's name")[:3] == ["each", "dog", "s"]
    found = phrases("list songs of dogs", frozenset({"list", "of"}))
    assert {"list _ of", "^ list", "list * of", "_ $"} <= set(found)


def test_a_trait_without_known_phrases_says_what_its_bias_says() -> None:
    trait = Trait("t", ("no", "yes"), {"": (0.0, 2.0), "how many": (3.0, -3.0)})
    blind, told = trait.likelihood(["x"]), trait.likelihood(["how many"])
    assert blind["yes"] == pytest.approx(0.97 * 0.8808 + 0.015, abs=1e-3)
    assert told["no"] > 0.9
    assert sum(told.values()) == pytest.approx(1)
    assert min(trait.likelihood(["how many"] * 400).values()) >= 0.015
    assert PhrasingModel(frozenset(), [trait]).likelihoods("x").keys() == {"t"}


@pytest.mark.parametrize(
    ("question", "trait", "value"),
    [
        ("How many gadgets are there?", "types", "n"),
        ("What are the name and age of each gadget?", "columns", "2"),
        ("Which gadget has the highest price?", "order", "desc-1"),
        ("Show all gadget names in alphabetical order.", "order", "asc-none"),
        ("How many different gadgets are sold?", "counts distinct", "yes"),
        ("What is the average price of gadgets?", "shows avg", "yes"),
    ],
)
def test_the_shipped_model_reads(question: str, trait: str, value: str) -> None:
    found = shipped().likelihoods(question)[trait]
    assert found[value] > (0.4 if trait == "order" else 0.5)
