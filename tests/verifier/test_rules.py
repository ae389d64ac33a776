"""Each rule of the checklist against its cases; a new case is a line in cases/rules.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pglast import parse_sql

from askwire.core.types import Question, ResultColumn, ResultSet
from askwire.sql.catalog import Catalog, Relation
from askwire.verifier.rules import RULES
from askwire.verifier.rules.not_too_large import not_too_large
from askwire.verifier.subject import Subject

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "rules.jsonl").read_text(encoding="utf-8").splitlines()
]


SIZED = Catalog(
    (
        Relation(1, "public", "small", "r", (), estimated_rows=20),
        Relation(2, "public", "large", "r", (), estimated_rows=2000),
    )
)


def subject(question: str, sql: str, columns: list[int] | None = None, rows: Any = ()) -> Subject:
    result = None
    if columns is not None:
        result = ResultSet(tuple(ResultColumn("c", oid) for oid in columns), tuple(map(tuple, rows)))
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    return Subject(Question(question), SIZED, sql, statement, result)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['rule']}: {c['question']} | {c['sql']}"[:90])
def test_rule(case: dict[str, Any]) -> None:
    rules = {rule.__name__: rule for rule in RULES}  # type: ignore[attr-defined]
    check = rules[case["rule"]](
        subject(
            case["question"], case["sql"], case.get("columns"), case.get("rows", []) * case.get("times", 1)
        )
    )
    assert (None if check is None else check.held) is case["held"]
    if check is not None:
        assert check.rule == case["rule"]
        assert bool(check.message) is not check.held
        assert 0 <= check.odds < 1


def test_every_rule_has_a_case_that_holds_one_that_does_not_and_one_it_leaves_alone() -> None:
    seen = {(case["rule"], case["held"]) for case in CASES}
    for rule in RULES:
        name = rule.__name__  # type: ignore[attr-defined]
        assert {held for r, held in seen if r == name} == {True, False, None}, name


@given(st.text(max_size=200))
def test_any_question_can_be_checked(text: str) -> None:
    for rule in RULES:
        rule(subject(text, "SELECT a, 1, 'x' FROM t WHERE b = 2.5", [20], [["1"]]))


@pytest.mark.parametrize(
    ("planned", "truncated", "held"), [(5e6, True, False), (9e3, True, True), (5e6, False, True)]
)
def test_of_an_answer_that_was_cut_off_the_plan_tells_the_size(
    planned: float, truncated: bool, held: bool
) -> None:
    sql = "SELECT 1 FROM small, large"
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    result = ResultSet((ResultColumn("c", 20),), (("1",),) * 1000, truncated)
    check = not_too_large(Subject(Question("q"), SIZED, sql, statement, result, planned))
    assert check is not None
    assert check.held is held
