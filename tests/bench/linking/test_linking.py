"""`ask bench link` and `link-score`: what linking kept of a schema, held against gold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main
from askwire.bench.engine import cost
from askwire.bench.engine.large_catalog import large
from askwire.bench.linking.padding import padded
from askwire.bench.linking.score import LinkOutcome, figures
from askwire.sql.catalog import Catalog

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from servers.databases import Database

QUESTIONS: list[dict[str, Any]] = [
    {"id": "a", "db_id": "zoo", "question": "how many animals are there?"},
    {"id": "b", "db_id": "zoo", "question": "names of animals with more than 3 legs"},
    {"id": "c", "db_id": "zoo", "question": "the names of keepers of each animal"},
]
GOLD = {
    "a": "SELECT count(*) FROM animals",
    "b": "SELECT name FROM animals WHERE legs > 3",
    "c": "SELECT k.name, a.name FROM animals a JOIN keepers k ON k.id = a.keeper_id",
}


@pytest.fixture(scope="module")
def dsn(make_database: Callable[[], Database]) -> str:
    database = make_database()
    with psycopg.connect(database.dsn()) as connection:
        connection.execute("CREATE SCHEMA zoo CREATE TABLE keepers (id int PRIMARY KEY, name text)")
        connection.execute(
            "CREATE TABLE zoo.animals (name text PRIMARY KEY, legs int, keeper_id int REFERENCES zoo.keepers)"
        )
        connection.execute("CREATE SCHEMA park CREATE TABLE trees (species text, height int)")
    return database.dsn()


def linked(dsn: str, folder: Path, gold: dict[str, str], *options: str) -> tuple[Path, Path]:
    """Run `link` over questions with this gold; the questions' file and what was written."""
    questions, out = folder / "questions", folder / "links"
    lines = (json.dumps(line | {"gold_sql": gold[line["id"]]}) + "\n" for line in QUESTIONS)
    questions.write_text("".join(lines))
    assert main(["link", "--dsn", dsn, "--questions", str(questions), "--out", str(out), *options]) == 0
    return questions, out


def scored(dsn: str, questions: Path, links: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["link-score", "--dsn", dsn, "--questions", str(questions), "--links", str(links)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_a_small_schema_is_kept_whole(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = scored(dsn, *linked(dsn, tmp_path, GOLD), capsys)["shown"]
    assert (shown["srr"], shown["nsr"]) == (100.0, 100.0)
    assert shown["columns"] == 5.0
    # 0 + 2 + 4 columns are needed of 15 that are kept
    assert shown["nsp"] == 40.0


def test_a_large_schema_is_kept_in_part(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions, links = linked(dsn, tmp_path, GOLD, "--tables", "300", "--pad", dsn)
    lines = [json.loads(line) for line in links.read_text().splitlines()]
    assert [line["tables"] for line in lines] == [300, 300, 300]
    assert not any(line["whole"] for line in lines)
    assert all(line["tokens"] <= 2500 for line in lines)
    shown = scored(dsn, questions, links, capsys)["shown"]
    assert shown["srr"] == 100.0
    assert shown["relations"] < 150


def test_what_is_missing_counts(dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions, links = linked(dsn, tmp_path, GOLD)
    lines = [json.loads(line) for line in links.read_text().splitlines()]
    for line in lines:
        line["shown"] = [["zoo", "animals", ["legs", "name"]]]
    links.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shown = scored(dsn, questions, links, capsys)["shown"]
    assert shown["srr"] == 66.67
    assert shown["nsr"] == 50.0
    assert shown["relations"] == 1.0


def test_corrupted_gold_changes_no_byte_of_what_is_written(dsn: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    _, honest = linked(dsn, tmp_path, GOLD)
    _, corrupted = linked(dsn, tmp_path / "other", dict.fromkeys(GOLD, "DROP TABLE animals"))
    assert honest.read_bytes() == corrupted.read_bytes()


def test_padding_keeps_keys_within_what_they_belong_to() -> None:
    near = large(3)
    catalog = padded(near, [large(4)], 10)
    assert len(catalog.relations) == 10
    assert len(catalog.by_oid) == 10
    assert catalog.relations[:3] == near.relations
    for relation in catalog:
        assert all(key.target in catalog.by_oid for key in relation.foreign_keys)
        assert all(key.target < relation.oid for key in relation.foreign_keys)


def test_a_schema_larger_than_asked_for_stays_as_it_is() -> None:
    assert padded(Catalog(large(5).relations), [], 2).relations == large(5).relations


def test_recall_is_of_all_columns_together() -> None:
    one = LinkOutcome("a", needed=1, found=1, kept=4, relations=1, strict=True)
    other = LinkOutcome("b", needed=3, found=1, kept=4, relations=1, strict=False, missing=("t.c", "t.d"))
    told = figures({"shown": [one, other]})["shown"]
    assert (told["srr"], told["nsr"], told["nsp"], told["nsf"]) == (50.0, 50.0, 25.0, 33.33)


def test_the_cost_of_the_engine_is_told(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "MOST_REFRESHED", 20)
    questions, _ = linked(dsn, tmp_path, GOLD)
    told, growth = [], cost._growth
    for sizes in (((300, 12),), ()):
        monkeypatch.setattr(cost, "SIZES", sizes)
        if not sizes:
            monkeypatch.setattr(cost, "_growth", dict)
        assert main(["engine", "--dsn", dsn, "--questions", str(questions), "--limit", "2"]) == 0
        told.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert told[0]["questions"] == 2
    assert told[0]["cpu_ms_p95"] > 0
    assert told[0]["proposals"] == told[1]["proposals"]
    index = told[0]["indexes"]["300 tables of 12"]
    # megabytes, where a thousand tables may take tens of them
    assert index["peak_mb"] < 20
    # what changed is made again, and leaves nothing behind
    half, whole = told[0]["mb_after_alterations"].values()
    if whole >= half * 1.02:  # Python's table of interned names may just have doubled, by megabytes
        half, whole = growth().values()
    assert whole < half * 1.02


def test_how_many_questions_each_rule_fires_on_is_told(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, _ = linked(dsn, tmp_path, GOLD)
    capsys.readouterr()
    assert main(["engine", "--dsn", dsn, "--questions", str(questions), "--fired"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    told = json.loads(last)
    counts = {name: int(number) for number, name in (line.split() for line in lines)}
    assert told["questions"] == len(GOLD)
    assert told["rules"] == len(counts)
    assert set(told["silent"]) == {name for name, number in counts.items() if not number} != set(counts)


def test_one_question_is_traced_in_a_schema(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = "names of animals with more than 3 legs"
    assert main(["engine", "--dsn", dsn, "--schema", "zoo", "--trace", asked]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    told = json.loads(last)
    assert told["rules"]
    assert all(f"    {rule}" in lines for rule in told["rules"])
    assert any("SELECT name FROM animals WHERE legs > 3" in line for line in lines)


def test_of_a_schema_only_what_changed_is_made_anew() -> None:
    catalog = large(40, 6)
    made = cost._IndexedSchema()
    seen = []
    for one in (catalog, cost._wider(catalog, 1)):
        made.again(one)
        assert made._built is not None
        index = made._schemas._kept[0].index
        seen.append((made._built.catalog.relations, index.columns))
    (relations, columns), (altered, wider) = seen
    assert sum(new is not old for new, old in zip(altered, relations, strict=True)) == 1
    assert len(wider) == len(columns) + 1
    assert len({id(c) for c in wider} - {id(c) for c in columns}) <= len(columns) / 2 + 1
