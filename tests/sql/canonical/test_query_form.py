"""Which texts count as one query, and that what counts as one returns the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.sql.canonical.query_form import query_form

_CASES_FILE = Path(__file__).parent / "cases" / "query_forms.jsonl"
_CASES = [json.loads(line) for line in _CASES_FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: str(case["other"])[:60])
def test_texts_of_one_query_have_one_form(case: dict[str, object]) -> None:
    one, other = query_form(str(case["one"])), query_form(str(case["other"]).removesuffix(";"))
    assert (one == other) is case["same"]


def test_a_form_is_a_query_again_and_its_own_form() -> None:
    sql = "SELECT t.a, (SELECT max(u.b) FROM u WHERE u.t = t.id) FROM t ORDER BY t.a DESC NULLS LAST LIMIT 3"
    assert query_form(sql).count("_aw_1") == 3
    assert query_form("SELECT a.x FROM t a UNION SELECT a.x FROM u a").count("_aw_") == 0
