"""Recorded scores: ours are held against them, and DPC's own where a path to its records is given."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from askwire.bench.selection import soft_f1_records

PUBLISHED = [
    *(
        Path(folder).rglob("*_solver_reliability_details.json")
        if (folder := os.environ.get("DPC_RECORDS"))
        else ()
    )
]
"""The files that DPC's authors publish, below the folder of that variable; they are no part of askwire."""
SCRIPT = "```python\nimport pandas as pd\nresult = pd.DataFrame({'n': [len(t)]})\n```"


def frame(*rows: tuple[object, ...]) -> dict[str, Any]:
    return {"columns": [f"c{n}" for n in range(len(rows[0]))], "rows": [list(row) for row in rows]}


def record(score: float, **more: Any) -> dict[str, Any]:
    told = {"qid": "1", "status": "ok", "proxy_bsf1": score, "python_script": SCRIPT}
    frames = {"champion_answer": frame((1, "a"), (2, "b")), "python_answer": frame((1, "a"), (3, "b"))}
    return {**told, **frames, **more}


def told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *records: dict[str, Any],
) -> tuple[int, dict[str, Any]]:
    file = tmp_path / "x_solver_reliability_details.json"
    file.write_text(json.dumps({str(n): one for n, one in enumerate(records)}))
    monkeypatch.setattr("sys.argv", ["soft_f1_records", str(file)])
    code = soft_f1_records.main()
    return code, json.loads(capsys.readouterr().out)


def test_a_score_that_is_ours_and_one_that_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two rows one is right, and half of the other: 3 of 4 cells on either side."""
    right, failed = record(0.75), record(0.1, status="error")
    assert told(tmp_path, capsys, monkeypatch, right, failed) == (
        0,
        {"records": 1, "differ": [], "scripts": 1, "refused": {}},
    )
    code, found = told(tmp_path, capsys, monkeypatch, record(0.75 + 1e-5, qid="off"))
    assert (code, found["differ"]) == (1, ["off"])


def test_a_script_that_the_sandbox_would_not_run_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = told(tmp_path, capsys, monkeypatch, record(0.75, python_script="import os\nresult = 1"))
    assert code == 1
    assert list(found["refused"]) == ["1"]


@pytest.mark.skipif(not PUBLISHED, reason="DPC_RECORDS names no folder with the published records")
def test_the_published_scores_are_ours_and_their_scripts_pass() -> None:
    scores = [one for path in PUBLISHED for one in soft_f1_records.records(path)]
    assert len(scores) >= 310
    assert [i for i, recorded, ours in scores if abs(recorded - ours) > soft_f1_records.TOLERANCE] == []
    assert [i for path in PUBLISHED for i, why in soft_f1_records.scripts(path) if why] == []
