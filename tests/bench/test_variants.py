"""Questions in other words: what is swapped, what may be dropped, and that the rest stays."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from askwire.bench.variants.__main__ import main
from askwire.bench.variants.derive import dropped, swapped


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("How many songs are there?", "How many tunes are there?"),
        ("Students in 'The Country Song'", "Pupils in 'The Country Song'"),
        ("What is it?", "What is it?"),
    ],
)
def test_words_are_swapped_outside_quotes(question: str, other: str) -> None:
    assert swapped(question) == other


@pytest.mark.parametrize(
    ("question", "gold", "other"),
    [
        (
            "How many cities have the country code NLD?",
            "SELECT count(*) FROM city WHERE CountryCode = 'NLD'",
            "How many cities have the NLD?",
        ),
        (
            "Airlines with abbreviation 'UAL'",
            "SELECT x FROM a WHERE Abbreviation = 'UAL'",
            "Airlines with 'UAL'",
        ),
        ("How many cities?", "SELECT count(*) FROM city", "How many cities?"),
        ("People of Rome", "SELECT name FROM people WHERE city = 'Rome'", "People of Rome"),
    ],
)
def test_a_column_beside_its_value_is_dropped(question: str, gold: str, other: str) -> None:
    assert dropped(question, gold) == other


def test_both_files_hold_the_same_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {"id": "1", "question": "All songs", "gold_sql": "SELECT 1"},
        {"id": "2", "question": "All", "gold_sql": "SELECT 1"},
    ]
    (tmp_path / "q").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    places = {name: str(tmp_path / name) for name in ("q", "out", "same")}
    arguments = [
        "--questions",
        places["q"],
        "--way",
        "synonyms",
        "--out",
        places["out"],
        "--same",
        places["same"],
    ]
    monkeypatch.setattr(sys, "argv", ["variants", *arguments])
    assert main() == 0
    told = [json.loads(Path(places[name]).read_text("utf-8"))["question"] for name in ("out", "same")]
    assert told == ["All tunes", "All songs"]
