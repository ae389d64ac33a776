"""What a question demands of an answer on a few rows, and the grain: what breaks them, and what does not."""

from __future__ import annotations

import pytest

from askwire.core.types import Cell, Question, ResultColumn, ResultSet
from askwire.selector.instances import Identity, Instance, InstanceRow, InstanceTable
from askwire.selector.row_demands import demands, grain

TEXT, INT, COUNT = 25, 23, 20
Rows = tuple[tuple[Cell, ...], ...]


def answer(*columns: int, rows: Rows) -> ResultSet:
    return ResultSet(tuple(ResultColumn(f"c{n}", oid) for n, oid in enumerate(columns)), rows)


def names(*cells: str) -> ResultSet:
    return answer(TEXT, rows=tuple((cell,) for cell in cells))


def number(*cells: str | None) -> ResultSet:
    return answer(COUNT, rows=tuple((cell,) for cell in cells))


def table(
    name: str, *columns: tuple[str, int], rows: tuple[tuple[tuple[Cell, ...], tuple[int, ...]], ...]
) -> InstanceTable:
    return InstanceTable(
        oid=1,
        schema="public",
        name=name,
        identity=Identity.PRIMARY_KEY,
        key_columns=(columns[0][0],),
        columns=tuple(ResultColumn(column, oid) for column, oid in columns),
        used=frozenset(column for column, _ in columns),
        rows=tuple(InstanceRow(cells[:1], cells, counted) for cells, counted in rows),
    )


SONGS = table(
    "songs",
    ("title", TEXT),
    ("sales", INT),
    rows=((("a", "100"), (0,)), (("b", "300"), (1,)), (("c", "500"), (0, 1))),
)
VISITS = table(
    "visits",
    ("id", INT),
    ("dog_id", INT),
    rows=((("1", "7"), (0, 1)), (("2", "7"), (0, 1)), (("3", None), (1,))),
)


def says(rule: str, question: str, first: ResultSet, second: ResultSet, *tables: InstanceTable) -> int:
    """What a rule says, which is the contrary when the two change places."""
    by = {"demands": demands, "grain": grain}[rule]
    said = by(Question(question), Instance(tables, (first, second)))
    swapped = tuple(
        table(
            t.name,
            *((c.name, c.type_oid) for c in t.columns),
            rows=tuple((r.cells, tuple(1 - n for n in r.counted_by)) for r in t.rows),
        )
        for t in tables
    )
    assert by(Question(question), Instance(swapped, (second, first))) == -said
    return said


@pytest.mark.parametrize(
    "question",
    [
        "How many people live in Gelderland district?",
        "What is the total surface area of the continents Asia and Europe?",
        "Count the songs.",
        "Return the number of songs",
        "What is the average age of all dogs?",
    ],
)
def test_one_number_is_one_row(question: str) -> None:
    assert says("demands", question, number("3"), number("1", "2")) == 1
    assert says("demands", question, number("3"), number()) == 1
    assert says("demands", question, number("3"), number("4")) == 0


@pytest.mark.parametrize(
    "question",
    [
        "How many songs does each singer have?",
        "Which African countries have a smaller population than any country in Asia?",
        "What is the number of songs per singer?",
        "Which songs are there?",
        "Show the singers and how many songs they have by country",
    ],
)
def test_other_questions_may_have_several(question: str) -> None:
    assert says("demands", question, number("3"), number("1", "2")) == 0


def test_the_first_few_are_no_more() -> None:
    three, four = names("a", "b", "c"), names("a", "b", "c", "d")
    assert says("demands", "the nations with the 3 lowest populations", three, four) == 1
    assert says("demands", "the top three nations", three, four) == 1
    assert says("demands", "the 3 nations of the top league", three, four) == 0
    assert says("demands", "the top 5 nations", three, four) == 0


def test_different_things_are_not_repeated() -> None:
    assert says("demands", "the different names of singers", names("a"), names("a", "a")) == 1
    assert says("demands", "the names of singers", names("a"), names("a", "a")) == 0


def test_each_group_stands_once() -> None:
    once = answer(TEXT, COUNT, rows=(("dog", "2"), ("cat", "1")))
    twice = answer(TEXT, COUNT, rows=(("dog", "1"), ("dog", "1"), ("cat", "1")))
    asked = "For each kind, how many pets are there?"
    kinds = table("kinds", ("kind", TEXT), rows=((("dog",), (0, 1)), (("cat",), (0, 1))))
    pets = table("pets", ("id", INT), ("kind", TEXT), rows=tuple(((n, "dog"), (0, 1)) for n in "123"))
    assert says("demands", asked, once, twice, kinds, pets) == 1
    assert says("demands", "The kinds and ages of pets", once, twice, kinds) == 0
    # two things of one name are two groups
    namesakes = table("kinds", ("kind", TEXT), rows=((("dog",), (0,)), (("dog",), (1,))))
    assert says("demands", asked, once, twice, namesakes, pets) == 0
    # numbers alone name no group
    assert says("demands", "For each kind, how many pets?", number("1"), number("1", "1")) == 0


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("songs with sales above 200", -1),
        ("songs whose sales are more than 200", -1),
        ("songs with sales below 200", 1),
        ("songs with at most 200 in sales", 0),
        ("songs whose sales are at least 300", -1),
        ("songs that did not have sales above 200", 0),
        ("songs with sales no more than 200", 1),
        # any of several comparisons is enough
        ("songs with sales below 200 and sales above 250", 0),
        # a count of things is no value of a column
        ("songs of a sale with more than 200 visitors", 0),
        ("songs with a length above 200", 0),
    ],
)
def test_a_row_that_one_alone_counts_meets_the_comparison(question: str, said: int) -> None:
    """The first alone counts a song that sold 100, the second one that sold 300."""
    assert says("demands", question, names("a", "c"), names("b", "c"), SONGS) == said


def test_more_rows_for_the_same_things_are_another_grain() -> None:
    regions = "What are the regions that use English or Dutch?"
    assert says("grain", regions, names("a", "b"), names("a", "b", "b")) == 1
    # with what tells the rows apart
    per_language = answer(TEXT, TEXT, rows=(("a", "Dutch"), ("b", "Dutch"), ("b", "English")))
    assert says("grain", regions, names("a", "b"), per_language) == 1
    assert says("grain", "List all regions", names("a", "b"), names("a", "b", "b")) == 0
    assert says("grain", regions, names("a", "b"), names("a", "c", "c")) == 0
    # numbers name nothing
    ages = answer(INT, rows=(("3",), ("4",)))
    assert says("grain", "the ages of dogs", ages, answer(INT, rows=(("3",), ("4",), ("4",)))) == 0


def test_no_more_is_counted_than_there_is() -> None:
    asked = "How many dogs went through any treatments?"
    assert says("grain", asked, number("1"), number("2"), VISITS) == 1
    assert says("grain", asked, number("0"), number("1"), VISITS) == 0
    assert says("grain", "How many visits are there?", number("3"), number("4"), VISITS) == 1
    assert says("grain", "How many cats are there?", number("3"), number("9"), VISITS) == 0
    assert says("grain", "How many dogs does each owner have?", number("1"), number("9"), VISITS) == 0
