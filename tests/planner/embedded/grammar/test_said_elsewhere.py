"""A value that another column holds as it is said is no code of the column beside it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from askwire.planner.embedded.grammar.rules.conditions.values import _is_said_elsewhere

CODE, LANGUAGE, NAME = 1, 2, 3


@pytest.mark.parametrize(
    ("hits", "elsewhere"),
    [
        ([(CODE, "ESP"), (LANGUAGE, "Spanish")], True),
        ([(CODE, "ESP")], False),
        ([(CODE, "Spanish"), (LANGUAGE, "Spanish")], False),
        ([(NAME, "Spanish")], False),
    ],
)
def test_a_code_gives_way_to_what_is_said(hits, elsewhere):
    found = [SimpleNamespace(column=column, stored=stored) for column, stored in hits]
    option = SimpleNamespace(table=False, index=CODE)
    encoded = SimpleNamespace(
        values=[SimpleNamespace(text="Spanish", hits=found)], mentions=[SimpleNamespace(options=[option])]
    )
    assert _is_said_elsewhere(SimpleNamespace(encoded=encoded), 0, 0) is elsewhere
