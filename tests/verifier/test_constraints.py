"""Each kind of constraint against its cases; a new case is a line in cases/constraints/<kind>.jsonl."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from data.shop_statements import subject
from doubles.case_tables import every, numbered
from hypothesis import given
from hypothesis import strategies as st

from askwire.core.types import Question
from askwire.verifier.checklist import as_json, demanded, hold
from askwire.verifier.constraints import CONSTRAINTS

FOLDER = Path(__file__).parent / "cases" / "constraints"
CASES = [
    {"kind": path.stem} | json.loads(line)
    for path in sorted(FOLDER.glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
"""`held` null: nothing is extracted; `columns` and `rows`: the result that was seen."""


@every("case", numbered(CASES, lambda c: f"{c['kind']}: {c['question']} | {c['sql']}"))
def test_constraint(case: dict[str, Any]) -> None:
    question = Question(case["question"], case.get("evidence", ""))
    constraints = [c for c in demanded(question) if c.kind == case["kind"]]
    assert bool(constraints) is (case["held"] is not None)
    shown = subject(case["question"], case["sql"], case.get("columns", 1), case.get("rows"))
    for check in hold(shown, constraints):
        assert check.rule == case["kind"]
        assert check.held is case["held"]
        assert bool(check.message) is not check.held
        assert 0 <= check.odds < 1


def test_every_kind_has_a_case_that_holds_one_that_does_not_and_one_it_leaves_alone() -> None:
    seen = {(case["kind"], case["held"]) for case in CASES}
    for rule in CONSTRAINTS:
        assert {held for kind, held in seen if kind == rule.kind} == {True, False, None}, rule.kind


def test_spans_are_the_words_of_the_question() -> None:
    text = "Show the “Top 3” names of the five cheapest rooms, sorted by price."
    for constraint in demanded(Question(text)):
        for span in constraint.spans:
            assert text[span.start : span.end] == span.text
    kinds = {c.kind: c for c in demanded(Question(text))}
    assert (kinds["top_k"].k, kinds["top_k"].spans[0].text) == (5, "the five cheapest")
    assert as_json(kinds["top_k"]) == {"kind": "top_k", "words": ["the five cheapest"], "k": 5}


def test_a_number_is_demanded_once() -> None:
    kinds = [c.kind for c in demanded(Question("members older than 30 who came in 2014"))]
    assert kinds.count("numbers") == 1
    assert kinds.count("comparison") == 1


def test_what_cannot_be_followed_is_not_checked() -> None:
    constraints = demanded(Question("How many members are there?"))
    assert constraints
    assert hold(subject("", "SELECT name FROM member FOR UPDATE"), constraints) == ()


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_question_can_be_read(text: str, evidence: str) -> None:
    constraints = demanded(Question(text, evidence))
    assert demanded(Question(text, evidence)) == constraints
    hold(subject(text, "SELECT name, 1, 'x' FROM member WHERE age = 2.5"), constraints)


@pytest.mark.parametrize("phrase", ["5 6 7 8 9 ", "a, ", "31 may ", "no more than 3 and ", "for each "])
def test_what_a_long_question_costs_grows_with_its_length(phrase: str) -> None:
    """Numbers and lists once cost the square of their number: seconds for a question of a page."""

    def cost(length: int) -> float:
        question = Question("list " + phrase * (length // len(phrase)))
        began = time.process_time()
        demanded(question)
        return time.process_time() - began

    assert min(cost(4000) for _ in range(3)) < 0.25
