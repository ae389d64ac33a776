"""Question and prediction files, JSON Lines.

Owns: what of a line may be seen by whom. `read_asked` gives the four fields that what is measured may know;
`read_gold` gives what only the scorer may know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwire.bench.failure import BenchFailure


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question as the product sees it; `db_id` names the schema, `evidence` is '' when there is none."""

    id: str
    db_id: str
    question: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Gold:
    """A question as the scorer sees it: every acceptable query, and whether the order of rows counts."""

    id: str
    db_id: str
    golds: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Prediction:
    """A prediction as the scorer sees it.

    `sql` is what would have been run, or the best candidate's where `refused` is true (None: there is none),
    `best_sql` the best candidate's in any case, and
    `candidates` all of them, best first.
    """

    id: str
    sql: str | None
    best_sql: str | None
    confidence: float | None
    candidates: tuple[str, ...]
    refused: bool = False


def read_asked(path: Path) -> list[BenchQuestion]:
    """Id, db_id, question and evidence of every line; nothing else of the file is kept."""
    return [
        BenchQuestion(
            _text(line, "id", path),
            _text(line, "db_id", path),
            _text(line, "question", path),
            line.get("evidence") or "",
        )
        for line in read_lines(path)
    ]


def read_gold(path: Path) -> list[Gold]:
    """What the scorer needs of every line: `golds` where present, else `gold_sql`."""
    return [
        Gold(
            _text(line, "id", path),
            _text(line, "db_id", path),
            tuple(line.get("golds") or [_text(line, "gold_sql", path)]),
            bool(line.get("ordered")),
        )
        for line in read_lines(path)
    ]


def read_predicted(path: Path) -> dict[str, Prediction]:
    """Predictions by id; only `id` and `sql` must be there."""
    return {
        line["id"]: Prediction(
            _text(line, "id", path),
            line.get("sql"),
            line.get("best_sql") or line.get("sql"),
            line.get("confidence"),
            tuple(candidate["sql"] for candidate in line.get("candidates") or ()),
            bool(line.get("error")),
        )
        for line in read_lines(path)
    }


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; raises BenchFailure for a file or line that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BenchFailure(f"cannot read {path}: {error}") from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise BenchFailure(f"{path}, line {number}: {error}") from None
        if not isinstance(value, dict):
            raise BenchFailure(f"{path}, line {number}: expected an object")
        yield value


def _text(line: dict[str, Any], name: str, path: Path) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise BenchFailure(f"{path}: a line has no {name}")
    return value
