"""What a question demands, in words for anyone who writes the SQL."""

from __future__ import annotations

import pytest

from askwire.core.types import Question
from askwire.verifier.constraints import PV_SQL
from askwire.verifier.requirements import demands

_COUNTED = "a count, or a sum where a column holds the quantity"
_SORTED = "a sort, by itself no limit"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("top 3 members by age", ('"top 3": rows in order, 3 of them',)),
        (
            "how many copies did they order?",
            (f'"how many": {_COUNTED}',),
        ),
        (
            "total number of copies",
            (f'"total number of copies": {_COUNTED}',),
        ),
        ("members older than 30", ('"older than 30": a comparison: > 30',)),
        ("the latest visit", ('"latest": the latest by date or time',)),
        ("the lowest price", ('"lowest": the lower end of an order: max or min, or ORDER BY with LIMIT',)),
        ("the fastest lap", ('"fastest": the right end of an order: max or min, or ORDER BY with LIMIT',)),
        ("the different cities", ('"different": no value more than once',)),
        ("members by age, longest delay first", (f'"longest delay first": {_SORTED}',)),
        ("price by genre, dearest genre on top", (f'"dearest genre on top": {_SORTED}',)),
        ("visits, the latest first", (f'"latest first": {_SORTED}',)),
        (
            "cities with the most members at the top",
            (f'"most members at the top": {_SORTED}',),
        ),
        (
            "top 3 members by age, worst first",
            ('"top 3": rows in order, 3 of them', f'"worst first": {_SORTED}'),
        ),
        ("who has an interest first", ()),
        ("members who never came", ()),
        ("members", ()),
    ],
)
def test_each_demand_is_a_line(question: str, lines: tuple[str, ...]) -> None:
    assert demands(Question(question)) == lines


def test_every_kind_has_words() -> None:
    asked = [
        "the different cities",
        "top 3 members",
        "rank the members by age",
        "how many members?",
        "what percentage of members is from Rome?",
        "the total paid by members",
        "the average age",
        "the highest age",
        "the latest visit",
        "members between 20 and 30",
    ]
    assert len(asked) == len(PV_SQL)
    for question in asked:
        (line,) = demands(Question(question))
        assert "{" not in line
        assert not line.endswith(": ")
