"""The error tree: what its docstring draws is what the code says."""

from __future__ import annotations

import re

import pytest

from askwire.core import errors
from askwire.core.errors import AskError, AskwireError

CLASSES = sorted(
    (c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, AskwireError)),
    key=lambda c: c.__name__,
)
DRAWN = dict(re.findall(r"[├└]── (\w+) +(\w{5})\b", errors.__doc__ or ""))


def test_the_docstring_draws_every_class() -> None:
    drawn = set(re.findall(r"(?:[├└]── |^ {4})(\w+)", errors.__doc__ or "", re.MULTILINE))
    assert drawn == {c.__name__ for c in CLASSES}


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_the_drawn_sqlstate_is_the_class_s_own(name: str) -> None:
    assert getattr(errors, name).sqlstate == DRAWN[name]


@pytest.mark.parametrize("error", CLASSES, ids=lambda c: c.__name__)
def test_every_class_says_what_happened_and_whose_fault_it_is(error: type[AskwireError]) -> None:
    assert error.__doc__
    assert re.fullmatch(r"[0-9A-Z]{5}", error.sqlstate)
    assert isinstance(error.blame, errors.Blame)


def test_an_error_of_the_database_keeps_the_backend_s_sqlstate() -> None:
    error = errors.DatabaseFailed("division by zero", code="22012", hint="h")
    assert (error.code, error.hint, isinstance(error, AskError)) == ("22012", "h", True)
