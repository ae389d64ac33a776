"""Masked values keep their shape and what equals what, and nothing else."""

import pytest

from askwire.core.masking import ValueMask, shape_of


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("Anna Berg", "Xxxx Xxxx"),
        ("2024-03-01", "9999-99-99"),
        ("-12.50", "-99.99"),
        ("Zoë, ÅSA", "Xxx, XXX"),
        ("日本", "xx"),
        ("a@b.example", "x@x.xxxxxxx"),
        ("٣", "9"),
    ],
)
def test_a_shape(value: str, shape: str) -> None:
    assert shape_of(value) == shape
    assert ValueMask().value(value) == shape


def test_equal_values_stay_equal_and_others_differ() -> None:
    mask = ValueMask().value
    assert [mask(v) for v in ("Anna", "Emma", "Anna", "Ida", "7", "8")] == [
        "Xxxx",
        "Xxxx#2",
        "Xxxx",
        "Xxx",
        "9",
        "9#2",
    ]


def test_nothing_stays_nothing() -> None:
    mask = ValueMask().value
    assert mask(None) is None
    assert mask("") == ""


def test_a_value_that_looks_like_a_mask_is_no_other_value() -> None:
    mask = ValueMask().value
    values = ["Z#2", *"ABCDEFGHIJKL", "X#2", "C#10"]
    assert len({mask(v) for v in values}) == len(values)
