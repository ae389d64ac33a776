"""Every case of cases/difference.jsonl: the rows on which two queries' conditions differ."""

import json
from pathlib import Path
from typing import Any

import pytest
from data.tracing_catalog import CATALOG

from askwire.sql.tracing.difference import difference, either
from askwire.sql.tracing.traced import trace_query

CASES = [
    pytest.param(case, id=case["name"])
    for case in map(
        json.loads, (Path(__file__).parent / "cases" / "difference.jsonl").read_text("utf-8").splitlines()
    )
]


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    first, second = (trace_query(case[q], CATALOG) for q in ("first", "second"))
    found = difference(first.scopes, second.scopes, {**first.sources, **second.sources})
    assert [text.replace("pg_catalog.", "") for text in found] == case["rows"]
    text = either(first.scopes, second.scopes, {**first.sources, **second.sources})
    assert text.replace("pg_catalog.", "") == case.get("either", "")
