"""Queries in words: each case shows what a reader is shown about a query that a model wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.sql.presentation.in_words import MAX_CHARACTERS, in_words

CASES = [json.loads(line) for line in (Path(__file__).parent / "in_words.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["sql"][:60] for case in CASES])
def test_a_query_is_told_by_what_it_does(case: dict[str, str]) -> None:
    assert in_words(case["sql"]) == case["words"]


@pytest.mark.parametrize("sql", ["", "no SQL (", "SELECT 1; SELECT 2", "DELETE FROM t"])
def test_what_is_no_single_query_has_no_words(sql: str) -> None:
    assert in_words(sql) == ""


def test_a_long_query_is_cut_short() -> None:
    columns = ", ".join(f"column_number_{n}" for n in range(100))
    assert len(in_words(f"SELECT {columns} FROM t")) == MAX_CHARACTERS
