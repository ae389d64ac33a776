"""Texts of other dialects as PostgreSQL's; a new case is a line in cases/dialect.jsonl."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from doubles.time_bounds import ProcessorTime

from askwire.sql.dialect import BIGQUERY, DIALECTS, MAX_CHARACTERS, MYSQL, SQLITE, dialects, translated

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "dialect.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["sql"][:90])
def test_translated(case: dict[str, Any]) -> None:
    assert translated(case["sql"], case["dialect"]) == case["to"]


@pytest.mark.parametrize("case", [c for c in CASES if c.get("marked", True)], ids=lambda c: c["sql"][:90])
def test_the_dialect_is_told_by_what_only_it_has(case: dict[str, Any]) -> None:
    assert dialects(case["sql"])[0] == case["dialect"]


def test_a_text_without_marks_may_be_of_any_dialect() -> None:
    assert dialects("SELECT `a` FROM t LIMIT 1, 2") == (SQLITE, MYSQL, BIGQUERY)


@pytest.mark.parametrize("sql", ["", "SELECT (", "SELECT 1; SELECT 2", "not sql at all", "(" * 500])
def test_what_is_no_query_of_the_dialect_has_no_translation(sql: str) -> None:
    assert translated(sql, SQLITE) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT `a` FROM t" + " JOIN t" * 16,
        "SELECT `a` FROM t" + " JOIN t" * 60,
        "SELECT `a` FROM " + "(t JOIN " * 60 + "t" + ")" * 60,
        "SELECT " + "ifnull(" * 60 + "1" + ", 1)" * 60,
        "SELECT `a` FROM t WHERE " + " AND ".join(["a = 1"] * 2400),
        "SELECT " + ",".join(["`a`"] * 100_000),
    ],
    ids=[
        "few joins without conditions",
        "joins without conditions",
        "joins in parentheses",
        "calls",
        "conditions",
        "columns",
    ],
)
def test_a_translation_takes_bounded_time(sql: str, dialect: str) -> None:
    translated("SELECT `a`", dialect)
    taken = ProcessorTime()
    translated(sql, dialect)
    assert taken.within(1.5)


def test_a_long_query_of_usual_shape_is_translated() -> None:
    columns = ", ".join(f"ifnull(`t`.`c{number}`, {number})" for number in range(400))
    assert translated(f"SELECT {columns} FROM t WHERE `a` = 1", MYSQL) is not None


def test_the_longest_text_that_is_translated() -> None:
    text = "SELECT `a`" + " " * (MAX_CHARACTERS - 10)
    assert translated(text, SQLITE) == 'SELECT "a"'
    assert translated(text + " ", SQLITE) is None


def test_a_text_does_not_get_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for dialect in DIALECTS:
            translated("REPLACE INTO t VALUES ('a value')", dialect)
            translated("SHOW a value", dialect)
            translated("SELECT `a` FROM t PROCEDURE 'a value'", dialect)
    assert not caplog.records
