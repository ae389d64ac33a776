"""Of the values that words were found in, those are shown that the question names."""

from __future__ import annotations

import pytest

from askwire.bench.linking.values import constants
from askwire.language.text import tokenize
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.models.entities import MAX_VALUES_PER_PHRASE, entities, parts_of_name


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
    return [
        hit.stored for hit in entities(hits, mentions, tokens, lambda n, table: (0, "" if table else str(n)))
    ]


@pytest.mark.parametrize(
    ("question", "found", "schema", "expected"),
    [
        # the words are the value, whatever their case and number
        ("orders from new york", [("new york", "New York", 1.0)], (), ["New York"]),
        ("sales of stocks", [("stocks", "stock", 0.9)], (), ["stock"]),
        # a part of a value counts where it is written as a name, and is one of few
        ("flights of jet Blue", [("Blue", "JetBlue Airways", 0.6)], (), ["JetBlue Airways"]),
        ("flights with a blue tail", [("blue", "JetBlue Airways", 0.6)], (), []),
        (
            "what did Martin write",
            [("Martin", f"Martin {n}", 0.6) for n in range(MAX_VALUES_PER_PHRASE + 1)],
            (),
            [],
        ),
        # words that name a relation or a column are no values, and no text that holds them is one
        ("how many countries", [("countries", "Nordic Countries", 0.6)], ("countries",), []),
        ("list the date of birth", [("date", "Date", 1.0)], ("date",), []),
        ("about Courses", [("Courses", f"This course covers {'much ' * 20}", 0.5)], (), []),
        # another spelling of a value is that value, whatever else holds its letters
        (
            "routes to a Canadian airport",
            [("Canadian", "Canada", 0.9), *(("Canadian", f"Canadian {n}", 0.6) for n in range(5))],
            (),
            ["Canada"],
        ),
        ("who speaks English", [("English", "English", 1.0), ("English", "England", 0.9)], (), ["English"]),
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
        # a code that only means the words is none of them where these name something else
        ("sales orders of May", [("sales", "S", 1.0)], ("sales",), []),
        ("people in sales", [("sales", "S", 1.0)], (), ["S"]),
        # three columns of one value, two of one among several values
        ("orders of Ada", [("Ada", "Ada", 1.0)] * 4, (), ["Ada"] * 3),
        ("in Ada", [("Ada", "Ada", 1.0)] * 3 + [("Ada", "ADA", 1.0)], (), ["Ada"] * 3),
    ],
)
def test_entities_are_told(
    question: str, found: list[tuple[str, str, float]], schema: tuple[str, ...], expected: list[str]
) -> None:
    assert told(question, *found, schema=schema) == expected


def test_of_a_plain_word_only_columns_that_the_question_names_are_told() -> None:
    """Canceled orders are no canceled contracts; a name may stand anywhere."""
    tables = ("orders", "contracts")
    for word, expected in (("canceled", ["orders"]), ("Canceled", ["orders", "contracts"])):
        tokens = tokenize(f"which orders were {word}")
        hits = [Hit(3, 4, number, "CANCELED", 1.0) for number in range(2)]
        mentions = [Mention(1, 2, (Option(table=True, index=0, score=1.0),), ("orders",))]
        found = entities(hits, mentions, tokens, lambda n, table: (n, "" if table else "stat"))
        assert [tables[hit.column] for hit in found] == expected


TABLES = ("course", "program", "student", "area")


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        ("students in the Physics program", ("student", "program"), ["program", "student", "course"]),
        ("courses of the area Physics", ("course", "area"), ["area", "course", "program"]),
        ("who studies Physics", (), ["course", "program", "student"]),
    ],
)
def test_columns_that_hold_a_value_are_told_by_how_near_their_table_is_said(
    question: str, said: tuple[str, ...], expected: list[str]
) -> None:
    """Each table has one column that holds the value; a relation in two roles counts once."""
    tokens = tokenize(question)
    at = next(n for n, token in enumerate(tokens) if token.text == "Physics")
    roles = len(TABLES)
    hits = [Hit(at, at + 1, number, "Physics", 1.0) for number in range(2 * roles)]
    mentions = [
        Mention(n, n + 1, (Option(table=True, index=TABLES.index(name), score=1.0),), (name,))
        for n, token in enumerate(tokens)
        for name in said
        if token.lemma == name
    ]
    assert len(mentions) == len(said)
    found = entities(hits, mentions, tokens, lambda n, table: (n % roles, "" if table else "name"))
    assert [TABLES[hit.column % roles] for hit in found] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("drivers of France", ["France", "French"]),
        ("airports of France", ["France"]),
        ("towns of France", ["France"]),
    ],
)
def test_another_spelling_counts_where_the_words_stand_in_nothing_that_is_named(
    question: str, expected: list[str]
) -> None:
    """Airports have 'France', and drivers are 'French'."""
    tokens = tokenize(question)
    tables = ("airports", "drivers")
    hits = [Hit(2, 3, 0, "France", 1.0), Hit(2, 3, 1, "French", 0.9)]
    mentions = [
        Mention(0, 1, (Option(table=True, index=n, score=1.0),), (name,))
        for n, name in enumerate(tables)
        if tokens[0].text == name
    ]
    found = entities(hits, mentions, tokens, lambda n, table: (n, "" if table else "place"))
    assert [hit.stored for hit in found] == expected


@pytest.mark.parametrize(
    ("name", "held", "expected"),
    [
        ("Ada Berg", [("Ada", "person"), ("Berg", "person")], ["Ada", "Berg"]),
        ("Ada Berg", [("Ada", "person"), ("Ada", "boat"), ("Berg", "person")], ["Ada", "Berg"]),
        ("Ada Berg", [("Ada", "boat"), ("Berg", "person")], []),
        ("Ada Berg", [("Ada", "person")], []),
        ("the fast", [("the", "word"), ("fast", "word")], []),
        ("Ada", [("Ada", "person")], []),
    ],
)
def test_a_name_is_told_in_the_parts_that_one_table_holds(
    name: str, held: list[tuple[str, str]], expected: list[str]
) -> None:
    tokens = tokenize(name)
    words = [token.text for token in tokens]
    hits = [Hit(words.index(w), words.index(w) + 1, n, w, 1.0) for n, (w, _) in enumerate(held)]
    found = parts_of_name(hits, tokens, lambda n, _: (len(held[n][1]), f"column {n}"))
    assert [hit.stored for hit in found] == expected


def test_what_gold_compares_with_is_read_off_it() -> None:
    sql = "SELECT 1 FROM t WHERE a = 'New York' AND b IN ('x1', 'yes') AND c <> '2' AND d > 'abc'"
    assert list(constants(sql)) == ["New York", "yes"]
    assert list(constants("SELECT FROM WHERE")) == []
