"""Each mend against its cases; a new case is a line in cases/mends.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from data.kennels_catalog import KENNELS

from askwire.sql.printing import to_sql
from askwire.sql.tracing.tree import parse_query
from askwire.verifier.repair.broken import BrokenStatement, nearest
from askwire.verifier.repair.mends import MENDS

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "mends.jsonl").read_text(encoding="utf-8").splitlines()
]
TREATMENTS = {t.name: t for t in MENDS}


def broken(case: dict[str, Any]) -> BrokenStatement:
    return BrokenStatement(case["sql"], KENNELS, case["sqlstate"], case.get("message", ""))


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['mend']}: {c['sql']}"[:90])
def test_mend(case: dict[str, Any]) -> None:
    treatment = TREATMENTS[case["mend"]]
    assert case["sqlstate"] in treatment.after
    assert treatment.mend(broken(case)) == case["to"]


@pytest.mark.parametrize("case", [c for c in CASES if c["to"]], ids=lambda c: c["to"][:90])
def test_a_mended_text_parses_and_is_not_mended_again(case: dict[str, Any]) -> None:
    to_sql(parse_query(case["to"]))
    again = TREATMENTS[case["mend"]].mend(BrokenStatement(case["to"], KENNELS, case["sqlstate"], ""))
    assert again in (None, case["to"])


def test_every_mend_has_a_case_that_it_mends_and_one_that_it_leaves_alone() -> None:
    for name in TREATMENTS:
        assert {bool(c["to"]) for c in CASES if c["mend"] == name} == {True, False}, name


def test_any_statement_can_be_given_to_any_mend() -> None:
    texts = [c["sql"] for c in CASES] + ["", "SELECT", "SELECT 1; SELECT 2", "DELETE FROM dogs", "VALUES (1)"]
    for text in texts:
        for treatment in MENDS:
            if treatment.name != "foreign_dialect":  # sqlglot takes long to load
                treatment.mend(BrokenStatement(text, KENNELS, "42703", "column does not exist"))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("Owner", "owners"), ("dogid", "dog_id"), ("treatmnts", "treatments"), ("planet", None), ("", None)],
)
def test_names_are_near_that_differ_in_case_underscore_plural_or_a_letter(
    wanted: str, found: str | None
) -> None:
    assert nearest(wanted, ["dog_id", "owners", "treatments"]) == found
