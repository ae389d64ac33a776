"""What repair is worth: the figures, and a run over a small pool."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from servers.databases import Database

from askwire.bench.efficiency import valid_efficiency
from askwire.bench.verification import repair as verify_repair
from askwire.bench.verification.repair import RepairOutcome, figures
from askwire.bench.verification.scripted import Prediction


def judged(before: bool | None, after: bool | None, *mends: str) -> RepairOutcome:
    return RepairOutcome(Prediction("q", "s", "e", "SELECT 1"), before, after, mends)


def test_figures_tell_what_failed_what_was_made_right_and_what_was_made_wrong() -> None:
    told = figures(
        [
            judged(None, True, "casts"),
            judged(None, False, "casts"),
            judged(None, None),
            judged(None, True, "group_by"),
            judged(True, True),
            judged(True, False, "nulls_last"),
            judged(False, True, "nulls_last"),
            judged(False, False),
        ]
    )
    assert (told["failing"], told["made_running"], told["made_right"]) == (4, 75.0, 50.0)
    assert (told["ran_right"], told["made_wrong"], told["regressions"]) == (2, 1, 50.0)
    assert (told["ran_wrong"], told["wrong_made_right"]) == (2, 1)
    assert (told["ex_before"], told["ex_after"]) == (25.0, 50.0)
    assert told["mends"] == {"casts": [2, 1], "nulls_last": [2, 1], "group_by": [1, 1]}


@pytest.mark.parametrize(
    ("timed", "score"),
    [
        ([(True, 4.0, 4.0), (False, 4.0, 1.0)], 50.0),
        ([(True, 4.0, 1.0)], 200.0),
        ([(True, 1.0, 4.0)], 50.0),
        ([(True, None, None)], 100.0),
        ([], None),
    ],
)
def test_valid_efficiency_is_the_root_of_how_much_faster_right_predictions_are(
    timed: list[tuple[bool, float | None, float | None]], score: float | None
) -> None:
    assert valid_efficiency(timed) == score


async def test_a_pool_is_mended_and_judged_by_its_answers(database: Database, tmp_path: Path) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA zoo")
        connection.execute("CREATE TABLE zoo.animals (id int PRIMARY KEY, name text, kind text)")
        connection.execute("INSERT INTO zoo.animals VALUES (1, 'Rex', 'dog'), (2, 'Tom', 'cat')")
    questions, pool = tmp_path / "questions.jsonl", tmp_path / "pool.jsonl"
    gold = "SELECT name FROM animals WHERE kind = 'dog'"
    asked = {"id": "a", "db_id": "zoo", "question": "names of dogs", "gold_sql": gold}
    questions.write_text(json.dumps(asked), encoding="utf-8")
    texts = {
        "quotes": 'SELECT name FROM animals WHERE kind = "dog"',
        "wrong": 'SELECT name FROM animals WHERE kind = "cat"',
        "right": gold + ";",
        "hopeless": "SELECT (",
    }
    experts = {name: {"sqlite": text} for name, text in texts.items()}
    pool.write_text(json.dumps({"id": "a", "db_id": "zoo", "experts": experts}), encoding="utf-8")
    told = await verify_repair.run(database.dsn(), pool, questions, efficiency=True)
    assert (told["predictions"], told["failing"]) == (4, 3)
    assert (told["made_running"], told["made_right"]) == (66.67, 33.33)
    assert (told["ran_right"], told["regressions"]) == (1, 0.0)
    assert told["ves_after"] > 0
    assert "scenarios" not in told
