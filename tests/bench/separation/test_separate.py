"""A run over pairs of queries: which pairs there are, what is written, and that it can be continued."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main
from askwire.bench.failure import BenchFailure
from askwire.bench.progress import Progress
from askwire.bench.separation.pairs import Answers, pool_pairs, read_pool
from askwire.bench.separation.run import SeparationTask, figures, run
from askwire.bench.separation.thresholds import counts_to_a_number

if TYPE_CHECKING:
    from servers.databases import Database

ALL, LATE, PAID = ("SELECT id FROM orders", *(f"SELECT id FROM orders WHERE {c}" for c in ("late", "paid")))
POOL = [
    {
        "id": "q1",
        "db_id": "shop",
        "gold_pg": "never read",
        "experts": {
            "a": {"pg": ALL, "ok": True},
            "b": {"pg": LATE, "ok": True},
            "c": {"pg": LATE, "ok": True},
            "d": {"pg": "SELECT nothing", "ok": False},
            "e": {"pg": "SELECT id FROM nowhere", "ok": True},
            "f": {"pg": "SELECT id FROM orders ORDER BY id", "ok": True},
        },
    },
    {"id": "q2", "db_id": "shop", "experts": {"a": {"pg": LATE, "ok": True}, "b": {"pg": ALL, "ok": True}}},
]
GOLD = [{"id": "q1", "gold_sql": PAID}]


@pytest.fixture
def dsn(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA shop; CREATE TABLE shop.orders (id int PRIMARY KEY, late bool, paid bool);"
            "INSERT INTO shop.orders SELECT n, n % 3 = 0, n % 2 = 0 FROM generate_series(1, 20) n"
        )
    return database.dsn()


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in POOL).encode()))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in GOLD))
    return path


def quiet(label: str, total: int) -> Progress:
    return Progress(label, total, StringIO())


def test_pairs_are_distinct_predictions_that_run_and_differ(dsn: str, pool: Path, questions: Path) -> None:
    answers = Answers(dsn, "shop")
    try:
        found = pool_pairs(read_pool(pool, questions), answers, "shop")
    finally:
        answers.close()
    ordered = "SELECT id FROM orders ORDER BY id"
    assert [(p.first, p.second) for p in found] == [
        (PAID, ALL),
        (PAID, LATE),
        (PAID, ordered),
        (ALL, LATE),
        (LATE, ordered),
    ]
    assert all(p.differ and p.own_ms for p in found)


def test_gold_comes_from_the_questions_alone(pool: Path, questions: Path) -> None:
    assert PAID in read_pool(pool, questions)[0].queries
    assert not {PAID, "never read"} & set(read_pool(pool, None)[0].queries)


def test_a_pool_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08")
    for name in ("cut.gz", "missing"):
        with pytest.raises(BenchFailure, match="cannot read"):
            read_pool(tmp_path / name, None)


async def test_every_pair_is_separated_and_audited(dsn: str, pool: Path) -> None:
    told = await run(dsn, SeparationTask(read_pool(pool, None), mutants=4), progress=quiet)
    assert told["pool"]["pairs"] == 2
    assert told["pool"]["separated"] == 100.0
    assert told["pool"]["false"] == 0
    assert told["pool"]["audited"] == 2
    assert told["mutants"]["pairs"] + told["mutants"].get("equal_pairs", 0) > 0
    assert told["mutants"]["false"] == 0


async def test_the_same_command_continues_and_gives_the_same_figures(
    dsn: str, pool: Path, tmp_path: Path
) -> None:
    out, asked = tmp_path / "out.jsonl", SeparationTask(read_pool(pool, None), mutants=4)
    whole = await run(dsn, asked, out, progress=quiet)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:3]) + lines[3][:10])
    again = await run(dsn, asked, out, progress=quiet)
    assert out.read_text().splitlines(keepends=True)[:3] == lines[:3]
    keys = [json.loads(line)["key"] for line in out.read_text().splitlines()]
    assert keys == [json.loads(line)["key"] for line in lines]
    assert [again["pool"][k] for k in ("pairs", "separated")] == [
        whole["pool"][k] for k in ("pairs", "separated")
    ]


def line(**given: Any) -> dict[str, Any]:
    usual = {"origin": "pool", "kind": "", "differ": True, "own_ms": 1.0, "outcome": "separated", "step": "p"}
    usual |= {"tied": False, "first": ALL, "second": LATE}
    cost = {"ms": 4.0, "cpu_ms": 3.0, "statements": 3, "longest_ms": 2.0}
    shown = {"rows": 2, "holds": True, "reported": True, "minimal": True, "claims_minimal": True}
    shown |= {"open_answers": False}
    return usual | cost | shown | given


def test_figures_count_what_failed_against_all_pairs() -> None:
    failed = {k: v for k, v in line(outcome="not separated").items() if k not in ("rows", "holds", "minimal")}
    lines = [line(), line(rows=9, holds=False), line(minimal=False), failed, failed | {"outcome": "error"}]
    told = figures(lines)["pool"]
    assert (told["pairs"], told["separated"], told["attempted"]) == (5, 60.0, 80.0)
    assert (told["false"], told["audited"], told["not_minimal"]) == (1, 3, 1)
    assert told["within_8"] == 66.67
    assert (told["rows_p50"], told["cpu_ms_p95"]) == (2, 3.0)


def test_instances_of_pairs_that_count_to_a_number_are_told_apart_from_the_rest() -> None:
    counted = f"{ALL} GROUP BY id HAVING count(*) > 12"
    told = figures([line(), line(), line(rows=13, first=counted), line(rows=9)])["pool"]
    assert (told["within_8"], told["within_8_uncounted"]) == (50.0, 66.67)


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        ("SELECT a FROM t GROUP BY a HAVING count(*) > 12", True),
        ("SELECT a FROM t WHERE 2 <= (SELECT count(b) FROM u)", True),
        ("SELECT a FROM t GROUP BY a HAVING count(DISTINCT b) BETWEEN 3 AND 5", True),
        ("SELECT a FROM t GROUP BY a HAVING count(*) > 1", False),
        ("SELECT count(*) FROM t WHERE b > 12", False),
        ("SELECT a FROM t GROUP BY a ORDER BY count(*) DESC LIMIT 12", False),
    ],
)
def test_what_counts_to_a_number(query: str, counts: bool) -> None:
    assert counts_to_a_number(query) is counts


def test_answers_that_are_open_and_wrong_claims_are_counted() -> None:
    lines = [line(claims_minimal=False), line(), line(reported=False), line(open_answers=True)]
    told = figures(lines)["pool"]
    assert (told["other_answers"], told["open_answers"]) == (1, 1)
    assert told["claims_minimal"] == 75.0


def test_differences_that_hang_on_ties_are_counted_apart() -> None:
    told = figures([line(), line(tied=True, outcome="tie order")])["pool"]
    assert (told["pairs"], told["separated"]) == (1, 100.0)
    assert (told["tied_pairs"], told["tied_separated"]) == (1, 0)


def test_mutants_that_are_equal_on_the_data_are_counted_apart() -> None:
    equal = line(origin="mutants", kind="null", differ=False, outcome="equal", step="synthetic")
    without = {k: v for k, v in equal.items() if k not in ("rows", "holds", "minimal")}
    told = figures([line(origin="mutants", kind="join kind"), equal, without])["mutants"]
    assert (told["pairs"], told["equal_pairs"], told["witnessed"], told["told_apart"]) == (1, 2, 50.0, 50.0)
    assert told["by_kind"] == {"join kind": "1/1"}


def test_the_command_ends_with_one_json_object(
    dsn: str, pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["separate", "--dsn", dsn, "--pool", str(pool), "--out", str(tmp_path / "out"), "--limit", "1"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["pool"]["pairs"] == 1
    assert Counter((tmp_path / "out").read_text())["\n"] == 1


def test_a_sample_takes_as_many_pairs_of_each_schema(dsn: str, tmp_path: Path) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA twin; CREATE TABLE twin.orders AS TABLE shop.orders")
    path, out = tmp_path / "pool.jsonl", tmp_path / "out.jsonl"
    queries = {"a": ALL, "b": LATE, "c": PAID}
    experts = {name: {"pg": query, "ok": True} for name, query in queries.items()}
    told = [{"id": schema, "db_id": schema, "experts": experts} for schema in ("shop", "twin")]
    path.write_text("".join(json.dumps(line) + "\n" for line in told))
    command = ["separate", "--dsn", dsn, "--pool", str(path), "--out", str(out), "--sample", "4"]
    assert main(command) == 0
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert Counter(line["schema"] for line in written) == {"shop": 2, "twin": 2}


def test_nothing_to_separate_is_said(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["separate", "--dsn", dsn]) == 1
    assert "nothing to separate" in capsys.readouterr().err
