"""Question and prediction files: who sees what, and how a bad file is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import BenchQuestion, read_asked, read_gold, read_predicted

LINE = {
    "id": "a",
    "db_id": "s",
    "question": "how many?",
    "gold_sql": "SELECT 1",
    "golds": ["SELECT 1", "SELECT 2"],
    "ordered": True,
}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_what_is_asked_holds_nothing_of_the_gold(tmp_path: Path) -> None:
    [asked] = read_asked(write(tmp_path / "q", LINE))
    assert asked == BenchQuestion("a", "s", "how many?", "")
    assert "SELECT" not in repr(asked)


def test_evidence_is_passed_on(tmp_path: Path) -> None:
    [asked] = read_asked(write(tmp_path / "q", LINE | {"evidence": "many = more than 3"}))
    assert asked.evidence == "many = more than 3"


def test_golds_win_over_gold_sql(tmp_path: Path) -> None:
    with_alternatives, alone = read_gold(write(tmp_path / "q", LINE, LINE | {"golds": None}))
    assert with_alternatives.golds == ("SELECT 1", "SELECT 2")
    assert alone.golds == ("SELECT 1",)
    assert with_alternatives.ordered


def test_a_prediction_needs_only_id_and_sql(tmp_path: Path) -> None:
    predicted = read_predicted(write(tmp_path / "p", {"id": "a", "sql": "SELECT 1"}))["a"]
    assert (predicted.sql, predicted.best_sql, predicted.candidates) == ("SELECT 1", "SELECT 1", ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a"}\n', "a line has no db_id"),
        ('{"id": "a", "db_id": "s", "question": "q"}\n{"id"\n', "line 2"),
        ("[]\n", "line 1: expected an object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "q"
    path.write_text(text)
    with pytest.raises(BenchFailure, match=said):
        read_asked(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchFailure, match="nowhere"):
        read_asked(tmp_path / "nowhere")


def test_a_line_separator_inside_a_question_does_not_end_the_line(tmp_path: Path) -> None:
    path = tmp_path / "q"
    line = LINE | {"question": "how\u2028many?"}
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_asked(path)[0].question == "how\u2028many?"
