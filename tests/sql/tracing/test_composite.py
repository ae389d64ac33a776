"""Composite text, both ways, as PostgreSQL reads and writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.sql.tracing.composite import read_row, write_row

CELLS = st.lists(st.one_of(st.none(), st.text(st.characters(exclude_characters="\0"))), min_size=1)


@given(CELLS)
def test_what_is_written_is_read(cells: list[str | None]) -> None:
    assert read_row(write_row(cells)) == tuple(cells)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("(1,,x)", ("1", None, "x")),
        ('("",)', ("", None)),
        ('("a ""b"", \\\\c")', ('a "b", \\c',)),
        ('("{""{1,2}"",NULL}",2)', ('{"{1,2}",NULL}', "2")),
        ("()", (None,)),
        ("(a(b)", ("a(b",)),
    ],
)
def test_read(text: str, cells: tuple[str | None, ...]) -> None:
    assert read_row(text) == cells
