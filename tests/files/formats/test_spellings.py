"""How values are written, and what PostgreSQL reads then; decided over whole columns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from askwire.files.formats.csv_files import csv_relation
from askwire.files.formats.locked_duckdb import locked_duckdb
from askwire.files.formats.spellings import SPELLINGS
from askwire.files.inference import Column, infer_columns

duckdb = pytest.importorskip("duckdb")


def column(
    tmp_path: Path, values: Iterable[str], *, delimiter: str = "\t"
) -> tuple[Column, list[str | None]]:
    """The type found for one column of a file, and its values as PostgreSQL would read them."""
    path = tmp_path / "values.csv"
    lines = [f"name{delimiter}v", *(f"row {n}{delimiter}{value}" for n, value in enumerate(values))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    relation = csv_relation(path, "values", named="values.tsv" if delimiter == "\t" else "values.csv")
    with locked_duckdb([path], tmp_path) as connection:
        found = infer_columns(connection, relation)[1]
        rewritten = found.rewritten.replace("{v}", "x")
        query = f"SELECT {rewritten} FROM (SELECT {found.value} AS x FROM {relation.scan})"
        return found, [
            None if row[0] is None else str(row[0]) for row in connection.execute(query).fetchall()
        ]


COLUMNS: dict[str, tuple[list[str], str, list[str | None]]] = {
    "integers": (["1", "-20", ""], "integer", ["1", "-20", None]),
    "large integers": (["1", "3000000000"], "bigint", ["1", "3000000000"]),
    "more digits than bigint has": (["1", "9" * 25], "numeric", ["1", "9" * 25]),
    "codes with leading zeros": (["007", "123"], "text", ["007", "123"]),
    "decimals": (["1.50", ".5", "-2"], "numeric", ["1.50", ".5", "-2"]),
    "exponents": (["1e-7", "2.5"], "double precision", ["1e-7", "2.5"]),
    "groups": (["1,234", "12", "1,234,567.5"], "numeric", ["1234", "12", "1234567.5"]),
    "decimal commas": (["1.234,50", "0,5", "12"], "numeric", ["1234.50", "0.5", "12"]),
    "groups by blanks": (["1 234,5", "7,25"], "numeric", ["1234.5", "7.25"]),
    "groups by apostrophes": (["1'234.50", "7.25"], "numeric", ["1234.50", "7.25"]),
    "dollars": (["$1,234.50", "-$5", "($7.25)", ""], "numeric", ["1234.50", "-5", "-7.25", None]),
    "euros": (["1.234,50 €", "5,00 €"], "numeric", ["1234.50", "5.00"]),
    "two currencies": (["$5", "€5"], "text", ["$5", "€5"]),
    "percentages": (["12.5%", "3 %"], "numeric", ["12.5", "3"]),
    "yes and no": (["yes", "No", "YES"], "boolean", ["true", "false", "true"]),
    "true alone": (["true", "true"], "boolean", ["true", "true"]),
    "a lone letter": (["F", "F"], "text", ["F", "F"]),
    "t and f": (["T", "F"], "boolean", ["true", "false"]),
    "ISO dates": (["2024-12-31", "2024-01-01"], "date", ["2024-12-31", "2024-01-01"]),
    "a date that is none": (["2024-02-30", "2024-01-01"], "text", ["2024-02-30", "2024-01-01"]),
    "German dates": (["31.12.2024", "1.2.2024"], "date", ["2024-12-31", "2024-02-01"]),
    "American dates": (["1/2/2024", "12/31/2024"], "date", ["2024-01-02", "2024-12-31"]),
    "British dates": (["1/2/2024", "31/12/2024"], "date", ["2024-02-01", "2024-12-31"]),
    "dates in words": (["Jan 5, 2024", "Dec 31, 2023"], "date", ["2024-01-05", "2023-12-31"]),
    "dates of two digits": (["31.12.24", "01.02.99"], "date", ["2024-12-31", "1999-02-01"]),
    "times of day": (["9:30", "23:59:59"], "time", ["9:30", "23:59:59"]),
    "moments": (
        ["2024-01-31 12:30:00", "2024-01-31T08:00"],
        "timestamp",
        ["2024-01-31 12:30:00", "2024-01-31T08:00"],
    ),
    "American moments": (["1/31/2024 5:04 PM"], "timestamp", ["2024-01-31 17:04:00"]),
    "moments of a zone": (["2024-01-31T12:30:00Z"], "timestamp with time zone", ["2024-01-31T12:30:00Z"]),
    "NULL among numbers": (["N/A", "5", "-", "NULL"], "integer", [None, "5", None, None]),
    "NA among words": (["NA", "DE", "NULL"], "text", ["NA", "DE", None]),
    "blanks around": ([" 5 ", "6"], "integer", ["5", "6"]),
    "nothing at all": (["", ""], "text", [None, None]),
    "underscores": (["1_000", "2"], "text", ["1_000", "2"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_type_of_all_its_values(tmp_path: Path, name: str) -> None:
    values, type_, read = COLUMNS[name]
    found, got = column(tmp_path, values)
    assert (found.type, got) == (type_, read)


def test_one_value_in_the_last_line_decides(tmp_path: Path) -> None:
    found, got = column(tmp_path, [*map(str, range(5000)), "n/k"])
    assert found.type == "text"
    assert got[-1] == "n/k"
    assert found.note == "stays text: 1 of 5,001 values are written otherwise, as 'n/k'"
    found, got = column(tmp_path, [*["1"] * 5000, "2.5", "unknown"])
    assert (found.type, got[-2:]) == ("numeric", ["2.5", None])
    found, _ = column(tmp_path, [*[""] * 5000, "12"])
    assert found.type == "integer"


def test_what_can_be_read_two_ways_is_said(tmp_path: Path) -> None:
    found, got = column(tmp_path, ["1/2/2024", "3/4/2024"])
    assert got == ["2024-01-02", "2024-03-04"]
    assert found.note == "2 of 2 values could also be read with the day first"
    found, got = column(tmp_path, ["1/2/2024", "3/4/2024"], delimiter=";")
    assert got == ["2024-02-01", "2024-04-03"]
    found, _ = column(tmp_path, ["1/2/2024", "3/13/2024"])
    assert found.note == ""
    found, got = column(tmp_path, ["5%", "6%"])
    assert (found.note, found.unit) == ("", "%")


@pytest.mark.slow
def test_python_never_refuses_what_duckdb_accepts() -> None:
    values = [value for column, _, _ in COLUMNS.values() for value in column if value]
    conditions = ", ".join(one.condition("v") for one in SPELLINGS)
    with duckdb.connect() as connection:
        for value in values:
            row = connection.execute(f"SELECT {conditions} FROM (SELECT ?::VARCHAR AS v)", [value]).fetchone()
            for one, fits in zip(SPELLINGS, row, strict=True):
                assert one.looks.match(value) or not fits, (one.name, value)
