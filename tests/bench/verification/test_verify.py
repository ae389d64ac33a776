"""Constraints against gold SQL and checks against predictions, on a small database of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from pglast import parse_sql

from askwire.bench.cli import main
from askwire.bench.failure import BenchFailure
from askwire.bench.splits import REPORTING, TUNING, part_of
from askwire.bench.verification.constructs import constructs
from askwire.bench.verification.run import read_attempts
from askwire.bench.verification.tally import EVIDENCE, flags
from askwire.core.types import Check
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.verifier.constraints import PV_SQL
from askwire.verifier.live_facts import read_effects
from askwire.verifier.odds import ODDS

if TYPE_CHECKING:
    from servers.databases import Database

COUNT = "SELECT count(*) FROM pets"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "db_id": "zoo", "question": "How many pets are there?", "gold_sql": COUNT},
    {"id": "q2", "db_id": "zoo", "question": "Pets older than 3", "gold_sql": "SELECT name FROM pets"},
    {
        "id": "q3",
        "db_id": "zoo",
        "question": "Pets",
        "golds": ["SELECT nothing", "SELECT max(age) FROM pets"],
    },
    {
        "id": "q4",
        "db_id": "zoo",
        "question": "sabhi pets ke naam kya hain",
        "gold_sql": "SELECT name FROM pets",
    },
]
POOL: list[dict[str, Any]] = [
    {
        "id": "q1",
        "experts": {
            "a": {"pg": COUNT, "ok": True, "correct": True},
            "b": {"pg": "SELECT name FROM pets", "ok": True, "correct": False},
            "c": {"pg": f"{COUNT} WHERE age > 90", "ok": True, "correct": False},
            "d": {"pg": "SELECT nothing", "ok": False, "correct": False},
        },
    }
]


CATALOG = Catalog(
    (
        Relation(
            1,
            "public",
            "t",
            "r",
            tuple(Column(n, "integer", 23, "N", i) for i, n in enumerate(("a", "b", "year"))),
        ),
    )
)


@pytest.fixture
def dsn(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA zoo; CREATE TABLE zoo.pets (name text, age int);"
            "INSERT INTO zoo.pets VALUES ('Rex', 3), ('Tom', 5)"
        )
    return database.dsn()


def written(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path, *more: str) -> dict[str, Any]:
    questions = written(tmp_path / "questions.jsonl", QUESTIONS)
    assert main(["verify", "--dsn", dsn, "--questions", questions, *more]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return figures


def test_gold_is_held_against_what_is_extracted(
    capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    figures = run(capsys, dsn, tmp_path, "--out", str(out))
    assert (figures["questions"], figures["unreadable"]) == (3, 1)
    assert (figures["satisfied"], figures["carrying"]) == (66.67, 66.67)
    assert figures["kinds"]["counting"] == {
        "questions": 1,
        "violated": 0,
        "precision": 100.0,
        "constructs": 1,
        "recall": 100.0,
    }
    assert figures["kinds"]["comparison"]["violated"] == 1
    assert figures["kinds"]["extreme"] | {"recall": 0.0} == figures["kinds"]["extreme"]
    assert figures["detection"] is None
    (failure,) = map(json.loads, out.read_text("utf-8").splitlines())
    assert (failure["id"], failure["of"], failure["rule"]) == ("q2", "gold", "comparison")


def test_predictions_are_flagged_by_what_they_break(
    capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path
) -> None:
    pool = written(tmp_path / "pool.jsonl", POOL)
    found = run(capsys, dsn, tmp_path, "--pool", pool)["detection"]
    assert (found["right"], found["wrong"]) == (1, 2)
    assert (found["right_flagged"], found["wrong_flagged"]) == (0.0, 50.0)
    assert found["rules"]["counting"] == {
        "wrong_failed": 1,
        "right_failed": 0,
        "precision": 100.0,
        "odds": None,
    }
    assert found["rules"]["not_zero"]["wrong_failed"] == 1


def test_the_gold_of_a_question_changes_nothing_that_is_extracted(
    capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path
) -> None:
    before = {k: v["questions"] for k, v in run(capsys, dsn, tmp_path)["kinds"].items()}
    spoiled = [line | {"gold_sql": "SELECT 1 AS spoiled"} for line in QUESTIONS]
    questions = written(tmp_path / "spoiled.jsonl", spoiled)
    assert main(["verify", "--dsn", dsn, "--questions", questions]) == 0
    kinds = json.loads(capsys.readouterr().out.splitlines()[-1])["kinds"]
    assert {k: v["questions"] for k, v in kinds.items()} == before


def test_a_pool_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchFailure, match="cannot read"):
        read_attempts(tmp_path / "none.jsonl.gz")


def test_a_database_is_in_one_part() -> None:
    assert TUNING.isdisjoint(REPORTING)
    assert {part_of(name) for name in TUNING} == {"tuning"}
    assert {part_of(name) for name in REPORTING} == {"reporting"}
    assert part_of("department_management") == part_of("department_management")


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT DISTINCT a FROM t", {"distinct"}),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 3", {"top_k"}),
        ("SELECT a FROM t ORDER BY year LIMIT 1", {"extreme", "temporal"}),
        ("SELECT a, rank() OVER (ORDER BY b) FROM t", {"ranking"}),
        ("SELECT count(*), sum(a) / 2, avg(b) FROM t", {"counting", "summation", "average", "percentage"}),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 2", {"comparison"}),
        ("SELECT a FROM (SELECT a, count(*) FROM t GROUP BY 1) AS c", set()),
    ],
)
def test_what_a_gold_query_is_made_of(sql: str, kinds: set[str]) -> None:
    effects = read_effects(parse_sql(sql)[0].stmt, CATALOG)
    assert effects is not None
    assert constructs(effects) == kinds
    assert kinds <= set(PV_SQL)


def test_odds_are_shares() -> None:
    assert all(0 < odds <= 1 for odds in ODDS.values())


def test_evidence_does_not_flag_and_what_is_hardly_ever_wrong_does() -> None:
    failed = [Check(rule, False, "m", 0.05) for rule in sorted(EVIDENCE)]
    assert flags(failed) == []
    assert {"unused_join", "not_empty"} <= EVIDENCE
    proof = Check("literal_spelled", False, "m", 0.05)
    assert flags([*failed, proof, Check("luck", False, "m", 0.2), Check("fan_out", True, "", 0.05)]) == [
        proof
    ]


def test_gold_is_held_against_rules_and_lints_too(
    capsys: pytest.CaptureFixture[str], dsn: str, tmp_path: Path
) -> None:
    questions = written(
        tmp_path / "luck.jsonl",
        [
            {
                "id": "q1",
                "db_id": "zoo",
                "question": "a pet",
                "gold_sql": "SELECT name FROM pets LIMIT 1",
            },
            {"id": "q2", "db_id": "zoo", "question": "all pets", "gold_sql": "SELECT name FROM pets"},
        ],
    )
    out = tmp_path / "out.jsonl"
    assert main(["verify", "--dsn", dsn, "--questions", questions, "--out", str(out)]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["gold_rules"]["luck"] == [1, 1]
    assert figures["gold_rules"]["not_empty"] == [0, 2]
    assert figures["gold_flagged"] == 50.0
    assert json.loads(out.read_text("utf-8"))["rule"] == "luck"
