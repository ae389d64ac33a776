"""Of the values that words were found in, those are told that the question names."""

from __future__ import annotations

import pytest

from askwire.bench.linking.values import constants
from askwire.language.text import tokenize
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.models.entities import PER_PHRASE, entities


def told(question: str, *found: tuple[str, str, float], schema: tuple[str, ...] = ()) -> list[str]:
    """The stored values told; `found` are words, the value they were found in, and the quality of that."""
    tokens = tokenize(question)
    lowers = [token.lower for token in tokens]

    def place(words: str) -> tuple[int, int]:
        parts = [token.lower for token in tokenize(words)]
        at = next(n for n in range(len(lowers)) if lowers[n : n + len(parts)] == parts)
        return at, at + len(parts)

    hits = [
        Hit(*place(words), number, stored, quality) for number, (words, stored, quality) in enumerate(found)
    ]
    mentions = [Mention(*place(word), (Option(table=True, index=0, score=1.0),), (word,)) for word in schema]
    return [hit.stored for hit in entities(hits, mentions, tokens)]


@pytest.mark.parametrize(
    ("question", "found", "schema", "expected"),
    [
        # the words are the value, whatever their case and number
        ("orders from new york", [("new york", "New York", 1.0)], (), ["New York"]),
        ("sales of stocks", [("stocks", "stock", 0.9)], (), ["stock"]),
        # a part of a value counts where it is written as a name, and is one of few
        ("flights of jet Blue", [("Blue", "JetBlue Airways", 0.6)], (), ["JetBlue Airways"]),
        ("flights with a blue tail", [("blue", "JetBlue Airways", 0.6)], (), []),
        ("what did Martin write", [("Martin", f"Martin {n}", 0.6) for n in range(PER_PHRASE + 1)], (), []),
        # words that name a relation or a column are no values, and no text that holds them is one
        ("how many countries", [("countries", "Nordic Countries", 0.6)], ("countries",), []),
        ("list the date of birth", [("date", "Date", 1.0)], ("date",), []),
        ("about Courses", [("Courses", f"This course covers {'much ' * 20}", 0.5)], (), []),
        # numbers say where they stand by themselves
        ("more than 20 orders", [("20", "20", 1.0)], (), []),
        # a longer name takes its words with it
        (
            "people in New York City",
            [("New York City", "New York City", 1.0), ("York", "York", 1.0)],
            (),
            ["New York City"],
        ),
        # what says it whole comes before what is only near
        ("is English spoken", [("English", "England", 0.7), ("English", "English", 1.0)], (), ["English"]),
        ("people who are French", [("French", "France", 0.7)], (), ["France"]),
        # one value in many columns is told of two
        ("orders of Ada", [("Ada", "Ada", 1.0)] * 4, (), ["Ada", "Ada"]),
    ],
)
def test_entities_are_told(
    question: str, found: list[tuple[str, str, float]], schema: tuple[str, ...], expected: list[str]
) -> None:
    assert told(question, *found, schema=schema) == expected


def test_what_gold_compares_with_is_read_off_it() -> None:
    sql = "SELECT 1 FROM t WHERE a = 'New York' AND b IN ('x1', 'yes') AND c <> '2' AND d > 'abc'"
    assert list(constants(sql)) == ["New York", "yes"]
    assert list(constants("SELECT FROM WHERE")) == []
