"""Readings and names of outputs are what a person would write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine

CASES = [json.loads(line) for line in Path(__file__).with_name("readings.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[c["question"] for c in CASES])
async def test_a_reading_says_it_in_plain_words(case, plan):
    first, *_ = await EmbeddedEngine().propose(plan(case["question"]))
    assert (first.reading, first.sql) == (case["reading"], case["sql"])
