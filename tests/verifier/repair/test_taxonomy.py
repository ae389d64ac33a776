"""SQLSTATEs fall into the classes of the taxonomy, and every class has a hint."""

from __future__ import annotations

import pytest

from askwire.verifier.repair.taxonomy import HINTS, Trouble, trouble


@pytest.mark.parametrize(
    ("sqlstate", "expected"),
    [
        ("42601", Trouble.SYNTAX),
        ("42P01", Trouble.TABLE),
        ("42703", Trouble.COLUMN),
        ("42702", Trouble.AMBIGUOUS),
        ("42883", Trouble.FUNCTION),
        ("42804", Trouble.TYPES),
        ("42803", Trouble.GROUPING),
        ("21000", Trouble.SEVERAL_ROWS),
        ("22P02", Trouble.VALUE),
        ("22012", Trouble.VALUE),
        ("42501", Trouble.PRIVILEGE),
        ("57014", Trouble.TIMEOUT),
        ("NL005", Trouble.TIMEOUT),
        ("NL006", Trouble.REFUSED),
        ("42999", Trouble.SYNTAX),
        ("XX000", Trouble.OTHER),
    ],
)
def test_an_error_has_a_class(sqlstate: str, expected: Trouble) -> None:
    assert trouble(sqlstate, empty=True, violated=True) is expected


def test_what_ran_is_in_trouble_only_when_it_is_empty_or_breaks_a_constraint() -> None:
    assert trouble("") is None
    assert trouble("", empty=True) is Trouble.NO_RESULT
    assert trouble("", empty=True, violated=True) is Trouble.VIOLATION


def test_every_class_has_a_hint() -> None:
    assert set(HINTS) == set(Trouble)
