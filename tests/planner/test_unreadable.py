"""Telling "you may not see it" from "it is not there"."""

from __future__ import annotations

import pytest

from askwire.planner.unreadable import unreadable
from askwire.sql.catalog import Catalog

HIDDEN = Catalog((), unreadable=("salaries", "order_lines", "people.homeAddress", "boxes", "ÄMTER", "___"))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what are the salaries?", ("salaries",)),
        ("the highest SALARY", ("salaries",)),
        ("lines per order", ("order_lines",)),
        ("orders", ()),
        ("home address of Ann", ("people.homeAddress",)),
        ("how many boxes and salaries", ("boxes", "salaries")),
        ("a box", ("boxes",)),
        ("ämter in the north", ("ÄMTER",)),
        ("unsalaried people", ()),
        ("", ()),
    ],
)
def test_names_whose_words_the_question_holds(question: str, names: tuple[str, ...]) -> None:
    assert unreadable(question, HIDDEN) == names
