"""Which texts are one question, and which are only alike."""

from __future__ import annotations

import random

import pytest

from askwire.language.same_question import normal_question, paraphrase

ONE_QUESTION = [
    ("how many dogs", "How Many Dogs?"),
    ("how many dogs", "  how   many\n\tdogs  "),
    ("how many dogs", "HOW MANY DOGS?!"),
    ("how many dogs", "how many dogs ?"),
    ("how many dogs", "how many dogs…"),
    ("how many dogs", "how many dogs;"),
    ("dogs, cats", "dogs , cats."),
    ("pets called 'Rex'", 'pets called "Rex"'),
    ("pets called 'Rex'", "pets called “Rex”?"),
    ("pets called 'Rex'", "Pets called ‘Rex’."),
    ("pets called ''Rex''", "pets called `Rex`"),
    ("the dog's name", "the dog’s name"),
    ("2020-2021", "2020\u20132021"),
    ("caf\u00e9s", "cafe\u0301s"),
    ("orders in may", "Orders in May?"),
    ("customers in us", "CUSTOMERS IN US"),
]
TWO_QUESTIONS = [
    ("pets called 'Rex'", "pets called 'rex'"),
    ("pets called 'Rex'", "pets called Rex"),
    ("pets called 'a  b'", "pets called 'a b'"),
    ("pets called 'Who?'", "pets called 'Who'"),
    ("customers in US", "customers in us"),
    ("how many dogs", "how many cats"),
    ("orders > 1.5", "orders > 15"),
    ("dogs not in Berlin", "dogs in Berlin"),
    ("?", "!"),
]


@pytest.mark.parametrize(("one", "other"), ONE_QUESTION)
def test_spelling_makes_no_other_question(one: str, other: str) -> None:
    assert normal_question(one) == normal_question(other)


@pytest.mark.parametrize(("one", "other"), TWO_QUESTIONS)
def test_what_may_change_the_meaning_does(one: str, other: str) -> None:
    assert normal_question(one) != normal_question(other)


def test_blanks_around_and_marks_behind_never_matter() -> None:
    dice = random.Random(7)
    pieces = [
        "US",
        "us",
        "'a  B'",
        '"x"',
        "``",
        " ",
        "\n",
        "?",
        ".",
        ",",
        "It’s",
        "''b''",
        "é",
        "ẞ",
        "'",
        "…",
    ]
    for _ in range(2_000):
        text = "dogs" + "".join(dice.choice(pieces) for _ in range(dice.randrange(9)))
        assert normal_question(text) == normal_question(f"\n {text} ?! "), text


def test_plain_paraphrases_are_alike() -> None:
    assert (
        paraphrase("how many dogs are there?")
        == paraphrase("Number of dogs")
        == paraphrase("please count the dogs")
    )
    assert paraphrase("show me all dogs") != paraphrase("how many dogs")
    assert paraphrase("dogs from Berlin") != paraphrase("dogs not from Berlin")
    assert paraphrase("customers in US") != paraphrase("customers in DE")
    assert paraphrase("how many") == ()
