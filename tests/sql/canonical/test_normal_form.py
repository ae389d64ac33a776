"""Two results have equal normal forms exactly when they are the same answer under the options."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.types import Cell, ResultColumn, ResultSet, Row
from askwire.sql.canonical.normal_form import (
    DPC_VALUES,
    SEPARATING,
    STRICT,
    Normalization,
    normal_value,
    normalize,
    same,
)

BOOL, INT8, INT4, TEXT, JSON, FLOAT4, FLOAT8, BPCHAR, DATE, TIMESTAMP, TIMESTAMPTZ, NUMERIC = (
    16, 20, 23, 25, 114, 700, 701, 1042, 1082, 1114, 1184, 1700,
)  # fmt: skip


def result(oids: tuple[int, ...], *rows: Row, truncated: bool = False) -> ResultSet:
    return ResultSet(tuple(ResultColumn(f"c{i}", oid) for i, oid in enumerate(oids)), rows, truncated)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("3", INT4), ("3", INT8)),
        (("3", INT4), ("3.000", NUMERIC)),
        (("3", INT4), ("3", FLOAT8)),
        (("0", INT4), ("-0", FLOAT8)),
        (("3.3333333333333333", NUMERIC), ("3.3333333", FLOAT4)),
        (("1e+17", FLOAT8), ("100000000000000000", INT8)),
        (("2.99999999", FLOAT8), ("3", INT4)),
        (("NaN", FLOAT8), ("NaN", NUMERIC)),
        (("Infinity", FLOAT8), ("Infinity", NUMERIC)),
        (("t", BOOL), ("1", INT4)),
        (("ab  ", BPCHAR), ("ab", TEXT)),
        (("2024-05-01 00:00:00", TIMESTAMP), ("2024-05-01", DATE)),
        (("2024-05-01 00:00:00+05:30", TIMESTAMPTZ), ("2024-05-01", DATE)),
        (("01/05/2024 00:00:00 CET", TIMESTAMPTZ), ("01/05/2024", DATE)),
        ((None, INT4), (None, TEXT)),
    ],
)
def test_cells_that_mean_the_same(a: tuple[Cell, int], b: tuple[Cell, int]) -> None:
    assert normal_value(*a) == normal_value(*b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("3", INT4), ("3", TEXT)),
        (("9007199254740993", INT8), ("9007199254740992", INT8)),
        (("12345678901234567891.00", NUMERIC), ("12345678901234567890", NUMERIC)),
        (("0.1", NUMERIC), ("0.1002", NUMERIC)),
        (("ab  ", TEXT), ("ab", TEXT)),
        (("2024-05-01 00:00:01", TIMESTAMP), ("2024-05-01", DATE)),
        (("2024-05-01 00:00:00.5", TIMESTAMP), ("2024-05-01", DATE)),
        (("f", BOOL), (None, BOOL)),
        (("", TEXT), (None, TEXT)),
        (("NaN", FLOAT8), (None, FLOAT8)),
        (("Infinity", FLOAT8), ("-Infinity", FLOAT8)),
    ],
)
def test_cells_that_differ(a: tuple[Cell, int], b: tuple[Cell, int]) -> None:
    assert normal_value(*a) != normal_value(*b)


@pytest.mark.parametrize(
    ("cell", "oid", "expected"),
    [
        ("3.14159", NUMERIC, 3.1416),
        ("2024-05-01 12:30:00", TIMESTAMP, "2024-05-01"),
        ("2024-05-01 12:30:00.25+02", TIMESTAMPTZ, "2024-05-01"),
        ("NULL", TEXT, None),
        ("NaN", FLOAT8, None),
        ("  a b ", TEXT, "a b"),
    ],
)
def test_the_value_table_of_dpc(cell: str, oid: int, expected: object) -> None:
    assert normal_value(cell, oid, DPC_VALUES) == expected


AB = result((INT4, TEXT), ("1", "a"), ("2", "b"))
OPTIONS = [
    (STRICT, result((INT4, TEXT), ("2", "b"), ("1", "a")), True),
    (Normalization(ordered=True), result((INT4, TEXT), ("2", "b"), ("1", "a")), False),
    (Normalization(ordered=True), AB, True),
    (STRICT, result((TEXT, INT4), ("a", "1"), ("b", "2")), False),
    (Normalization(column_order=False), result((TEXT, INT4), ("b", "2"), ("a", "1")), True),
    (Normalization(column_order=False), result((TEXT, INT4), ("b", "1"), ("a", "2")), False),
    (Normalization(ordered=True, column_order=False), result((TEXT, INT4), ("a", "1"), ("b", "2")), True),
    (Normalization(ordered=True, column_order=False), result((TEXT, INT4), ("b", "2"), ("a", "1")), False),
    (STRICT, result((INT4, TEXT), ("1", "a"), ("1", "a"), ("2", "b")), False),
    (Normalization(drop_duplicates=True), result((INT4, TEXT), ("1", "a"), ("1", "a"), ("2", "b")), True),
    (STRICT, result((INT4, TEXT), ("1", "a"), (None, None), ("2", "b")), False),
    (Normalization(drop_null_rows=True), result((INT4, TEXT), ("1", "a"), (None, None), ("2", "b")), True),
    (Normalization(drop_null_rows=True), result((INT4, TEXT), ("1", "a"), (None, "c"), ("2", "b")), False),
    (SEPARATING, result((TEXT, INT4), ("b", "2"), (None, None), ("a", "1"), ("a", "1")), True),
    (STRICT, result((INT4, TEXT), ("1", "a"), ("2", "b"), truncated=True), False),
    (STRICT, result((INT4,), ("1",), ("2",)), False),
]


@pytest.mark.parametrize(("options", "other", "expected"), OPTIONS)
def test_options(options: Normalization, other: ResultSet, expected: bool) -> None:
    assert same(AB, other, options) is expected
    assert same(other, AB, options) is expected


def test_columns_of_equal_content_are_told_apart_by_their_rows() -> None:
    a = result((INT4, INT4, TEXT), ("1", "2", "x"), ("2", "1", "y"))
    swapped = result((INT4, INT4, TEXT), ("2", "1", "x"), ("1", "2", "y"))
    paired = result((INT4, INT4, TEXT), ("1", "1", "x"), ("2", "2", "y"))
    loose = Normalization(column_order=False)
    assert same(a, swapped, loose)
    assert not same(a, paired, loose)


def test_a_number_of_any_length_has_a_value() -> None:
    assert normal_value("9" * 100_000, NUMERIC) == float("inf")
    assert normal_value("0." + "3" * 16_000, NUMERIC) == 0.3333


def test_many_equal_columns_stay_cheap() -> None:
    wide = result((INT4,) * 40, *[("1",) * 40] * 50)
    assert same(wide, wide, SEPARATING)


CELLS = st.sampled_from([None, "0", "1", "2", "10"])
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), max_size=6).map(
        lambda rows: result((INT4,) * width, *rows)
    )
)


@given(TABLES, st.randoms(use_true_random=False))
def test_any_permutation_of_rows_and_columns_has_the_same_form(table: ResultSet, rng: random.Random) -> None:
    order = list(range(len(table.columns)))
    rng.shuffle(order)
    rows = [tuple(row[i] for i in order) for row in table.rows]
    rng.shuffle(rows)
    shuffled = result((INT4,) * len(order), *rows)
    for options in (SEPARATING, Normalization(column_order=False)):
        assert normalize(table, options) == normalize(shuffled, options)
        assert hash(normalize(table, options)) == hash(normalize(shuffled, options))


@given(TABLES, TABLES)
def test_strict_forms_are_equal_exactly_for_equal_multisets(a: ResultSet, b: ResultSet) -> None:
    assert same(a, b) == (len(a.columns) == len(b.columns) and Counter(a.rows) == Counter(b.rows))


@given(st.text(), st.sampled_from([BOOL, TEXT, JSON, BPCHAR, DATE, TIMESTAMP, TIMESTAMPTZ]))
def test_any_text_has_a_normal_value(text: str, oid: int) -> None:
    for options in (STRICT, DPC_VALUES):
        hash(normal_value(text, oid, options))
