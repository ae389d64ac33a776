"""What the first rows of a table tell, in the form and the terms of PostgreSQL's statistics."""

from __future__ import annotations

import json

import pytest

from askwire.sql.introspection.samples import SampledTable, readable

COLUMNS = [
    [1, "id", "integer", 23, "N", True, None],
    [2, "name", "text", 25, "S", False, "askwire: no values"],
    [3, "mood", "mood", 20_000, "E", False, None],
    [4, "open", "boolean", 16, "B", False, None],
    [5, "shape", "point", 600, "G", False, None],
]


def row(kind="r", reltuples="-1", secured="f", partition_of=None, schema="public"):
    return ("1", schema, "t", kind, reltuples, None, "t", secured, partition_of, "[]", "1", "1")


def told(values):
    (column,) = json.loads(SampledTable(1, "s", "t", ("c",)).statistics([(v,) for v in values]))
    return column


def test_only_plain_columns_whose_values_may_be_read_are_read():
    table = readable(1, row(), COLUMNS)
    assert table is not None
    assert table.columns == ("id", "open")
    off = readable(1, row(), COLUMNS, {"public.t.open"})
    assert off is not None
    assert off.columns == ("id",)


@pytest.mark.parametrize(
    "other",
    [
        row(kind="v"),
        row(kind="f"),
        row(kind="p"),
        row(reltuples="0"),
        row(secured="t"),
        row(partition_of="7"),
        row(schema="pg_temp_3"),
    ],
)
def test_no_other_relation_is_read(other):
    assert readable(1, other, COLUMNS) is None


def test_names_are_quoted():
    sql = SampledTable(1, 'a"b', "T", ("select",)).sql
    assert 'FROM "a""b"."T" LIMIT' in sql
    assert '"select"::pg_catalog.text' in sql


def test_few_values_are_counted_and_told_the_most_frequent_first():
    assert told(["Y"] * 8 + ["N"] * 22) == ["c", False, 2.0, ["N", "Y"], 0.0, False, None]


def test_of_a_small_table_a_value_that_stands_on_one_row_is_told_as_well():
    assert told(["Y"] * 7 + ["N"]) == ["c", False, -0.25, ["Y", "N"], 0.0, False, None]


def test_values_that_are_all_different_are_no_common_ones():
    assert told(["a", "b", None, "c"]) == ["c", False, -0.75, None, 0.25, False, None]


def test_of_many_values_those_that_repeat_are_told():
    assert told([*(f"v{n}" for n in range(20)), "v1"])[3] == ["v1"]


def test_wide_values_count_and_none_is_told():
    assert told(["\x01", "\x01", "a", "a"]) == ["c", False, -0.75, None, 0.0, False, None]


def test_texts_of_numbers_are_known_as_such():
    assert told(["1", "22", "-3.5", ""])[5] is True
    assert told(["1", "007", "3"])[5] is False
    assert told(["1", "22"])[5] is False


def test_the_first_and_the_last_day_are_told_where_all_rows_are_known():
    days = [f"2024-01-{day:02} 10:00:00" for day in range(1, 20)]
    assert told([*days, None])[6] == ["2024-01-01 10:00:00", "2024-01-19 10:00:00"]
    assert told(["2024-01-02"] * 1000)[6] is None
    assert told(["a", "10:00:00"])[6] is None


def test_nothing_is_told_of_a_column_without_values():
    assert told([None, None]) == ["c", False, 0.0, None, 1.0, False, None]
    assert told([]) == ["c", False, 0.0, None, -1.0, False, None]
