"""Two prediction files held against each other: every part counts, and no line goes missing unseen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from askwire.bench.cli import main
from askwire.bench.failure import BenchFailure
from askwire.bench.same import compare

CANDIDATE = {"sql": "SELECT 1", "score": 1.5, "confidence": 0.75, "expert": "embedded"}
LINE: dict[str, Any] = {
    "id": "a",
    "sql": "SELECT 1",
    "best_sql": "SELECT 1",
    "confidence": 0.75,
    "error": None,
    "candidates": [CANDIDATE],
}


def written(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("sql", "SELECT 2"),
        ("best_sql", None),
        ("confidence", 0.7501),
        ("error", {"code": "NL003", "message": "beyond"}),
        ("candidates", [{**CANDIDATE, "score": 1.5001}]),
        ("candidates", []),
    ],
)
def test_a_difference_in_any_part_is_counted_by_its_part(part: str, value: Any, tmp_path: Path) -> None:
    before = written(tmp_path / "before", [LINE, {**LINE, "id": "b"}])
    after = written(tmp_path / "after", [LINE, {**LINE, "id": "b", part: value}])
    found = compare(before, after)
    assert (found["same"], found["identical"], found["different"]) == (False, 1, 1)
    assert (found["parts"], found["different_ids"]) == ({part: 1}, ["b"])


def test_the_order_of_lines_and_what_is_timed_do_not_count(tmp_path: Path) -> None:
    before = written(tmp_path / "before", [LINE, {**LINE, "id": "b"}])
    after = written(tmp_path / "after", [{**LINE, "id": "b", "ms": 4}, {**LINE, "ms": 3}])
    assert compare(before, after) == {
        "same": True,
        "compared": 2,
        "identical": 2,
        "different": 0,
        "missing": 0,
        "added": 0,
        "parts": {},
        "different_ids": [],
    }


def test_lines_of_one_file_alone_are_a_difference_unless_only_common_ones_are_asked_for(
    tmp_path: Path,
) -> None:
    one = written(tmp_path / "one", [LINE])
    two = written(tmp_path / "two", [LINE, {**LINE, "id": "b"}])
    assert compare(two, one)["missing"] == 1
    assert compare(one, two)["added"] == 1
    assert not compare(two, one)["same"]
    assert not compare(one, two)["same"]
    assert compare(two, one, common=True)["same"]


def test_files_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [LINE])
    with pytest.raises(BenchFailure, match="no prediction in common"):
        compare(one, written(tmp_path / "other", [{**LINE, "id": "b"}]))
    with pytest.raises(BenchFailure, match="a stands there twice"):
        compare(one, written(tmp_path / "twice", [LINE, LINE]))
    with pytest.raises(BenchFailure, match="a line has no id"):
        compare(one, written(tmp_path / "nameless", [{"sql": "SELECT 1"}]))


def test_the_command_prints_one_object_and_fails_on_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(tmp_path / "before", [LINE])
    after = written(tmp_path / "after", [{**LINE, "sql": None}])
    assert main(["same", str(before), str(before)]) == 0
    assert json.loads(capsys.readouterr().out)["same"] is True
    assert main(["same", str(before), str(after)]) == 1
    assert json.loads(capsys.readouterr().out)["parts"] == {"sql": 1}
