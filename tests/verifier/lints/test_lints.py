"""Each lint against its cases; a new case is a line in cases/lints.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from data.kennels_catalog import KENNELS
from doubles.case_tables import every, numbered
from pglast import parse_sql

from askwire.core.types import Question, ResultColumn, ResultSet
from askwire.verifier.lints import LINTS
from askwire.verifier.subject import Subject

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "lints.jsonl").read_text(encoding="utf-8").splitlines()
]


def subject(sql: str, rows: list[list[str | None]] | None = None, question: str = "") -> Subject:
    result = None
    if rows is not None:
        result = ResultSet((ResultColumn("c", 25),) * len(rows[0]), tuple(map(tuple, rows)))
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    return Subject(Question(question), KENNELS, sql, statement, result)


@every("case", numbered(CASES, lambda c: f"{c['lint']}: {c.get('question', '')} {c['sql']}"))
def test_lint(case: dict[str, Any]) -> None:
    (rule,) = (r for r in LINTS if r.name == case["lint"])
    check = rule(subject(case["sql"], case.get("rows"), case.get("question", "")))
    assert (None if check is None else not check.held) is case["finds"]
    if check is not None:
        assert check.rule == case["lint"]
        assert bool(check.message) is case["finds"]
        assert 0 < check.odds < 1


def test_every_lint_has_a_case_where_it_fires_one_where_all_is_right_and_one_without_its_subject() -> None:
    seen = {(case["lint"], case["finds"]) for case in CASES}
    for rule in LINTS:
        assert {finds for name, finds in seen if name == rule.name} == {True, False, None}, rule.name


def test_no_lint_changes_the_statement() -> None:
    for case in CASES:
        one = subject(case["sql"])
        before = repr(one.statement)
        for rule in LINTS:
            rule(one)
        assert repr(one.statement) == before
