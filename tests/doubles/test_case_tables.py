"""All cases of a table are checked, and every one that fails is named."""

from __future__ import annotations

import inspect

import pytest
from doubles.case_tables import every

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}


def test_every_case_that_fails_is_named() -> None:
    seen = []

    @every("number", NUMBERS)
    def check(number: int, least: int) -> None:
        seen.append(number)
        assert number > least

    assert list(inspect.signature(check).parameters) == ["least"]
    check(least=0)
    with pytest.raises(ExceptionGroup, match="2 of 4 cases: one, two") as caught:
        check(least=2)
    assert seen == [1, 2, 3, 4] * 2
    assert [error.__notes__ for error in caught.value.exceptions] == [["case one"], ["case two"]]


def test_cases_are_chosen_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    @every("number", NUMBERS)
    def check(number: int) -> None:
        seen.append(number)

    monkeypatch.setenv("ASKWIRE_CASE", "o")
    check()
    assert seen == [1, 2, 4]
    monkeypatch.setenv("ASKWIRE_CASE", "five")
    with pytest.raises(pytest.skip.Exception, match="no case has 'five' in its name"):
        check()
    assert seen == [1, 2, 4]


def test_an_error_that_does_not_come_fails_its_case() -> None:
    @every("number", NUMBERS)
    def check(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            assert 1 / (number - 1)

    with pytest.raises(BaseExceptionGroup, match="3 of 4 cases: two, three, four"):
        check()


def test_a_table_has_cases_and_its_test_their_argument() -> None:
    with pytest.raises(AssertionError):
        every("number", {})(lambda number: None)()
    with pytest.raises(AssertionError, match="no argument number"):
        every("number", NUMBERS)(lambda other: None)
