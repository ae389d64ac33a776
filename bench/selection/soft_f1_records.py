"""Soft F1 against recorded scores: `python -m askwire.bench.selection.soft_f1_records DETAILS.json ...`.

Owns: reading the files that DPC's authors publish (`*_solver_reliability_details.json`: data frames, and the
score of one against the other, and the script that made a frame), and the comparison; the scripts are held
against the look that the sandbox takes at a text.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from askwire.selector.sandbox.static import refusal, unfenced
from askwire.selector.soft_f1 import soft_f1_of_rows
from askwire.sql.canonical.normal_form import Value

TOLERANCE: Final = 1e-6
_TIME_OF_DAY: Final = re.compile(r"^(\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d.*")
_NOTHING: Final = frozenset({"", "none", "nan", "null"})


def records(path: Path) -> Iterator[tuple[str, float, float]]:
    """For each scored record its id, the score recorded, and ours."""
    for record in json.loads(path.read_text("utf-8")).values():
        if record.get("status") == "ok" and record.get("proxy_bsf1") is not None:
            frames = [_rows(record[name]) for name in ("champion_answer", "python_answer")]
            yield record["qid"], float(record["proxy_bsf1"]), soft_f1_of_rows(frames[0], frames[1])


def scripts(path: Path) -> Iterator[tuple[str, str]]:
    """For each scored record its id, and why the sandbox would not run its script; '' where it would."""
    for record in json.loads(path.read_text("utf-8")).values():
        if record.get("status") == "ok" and record.get("proxy_bsf1") is not None:
            yield record["qid"], refusal(unfenced(record["python_script"]))


def _rows(frame: dict[str, Any]) -> list[tuple[Value, ...]]:
    return [tuple(map(_value, row)) for row in frame["rows"]]


def _value(cell: Any) -> Value:
    """An atomic value as in DPC's Table 1."""
    if cell is None or isinstance(cell, bool):
        return None if cell is None else int(cell)
    if isinstance(cell, int | float):
        return None if math.isnan(cell) else round(float(cell), 4) + 0.0
    text = str(cell).strip()
    return None if text.lower() in _NOTHING else _TIME_OF_DAY.sub(r"\1", text)


def main() -> int:
    """Print one JSON object; 1 when a score differs, or a script is refused."""
    parser = argparse.ArgumentParser(prog="soft_f1_records", description="Soft F1 against recorded scores.")
    parser.add_argument("details", nargs="+", type=Path)
    paths = parser.parse_args().details
    scores = [one for path in paths for one in records(path)]
    read = [one for path in paths for one in scripts(path)]
    refused = {str(i): why for i, why in read if why}
    differ = [i for i, recorded, ours in scores if abs(recorded - ours) > TOLERANCE]
    told = {"records": len(scores), "differ": differ, "scripts": len(read), "refused": refused}
    print(json.dumps(told))  # noqa: T201
    return 1 if differ or refused else 0


if __name__ == "__main__":
    sys.exit(main())
