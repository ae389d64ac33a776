"""A model that answers from a file, beside the engine, through the wire."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main
from askwire.bench.models.file_model import made
from askwire.bench.question_files import Gold

if TYPE_CHECKING:
    from servers.databases import Database

pytestmark = pytest.mark.usefixtures("loaded_starts")

QUESTIONS: list[dict[str, Any]] = [
    {"id": "a", "question": "how many animals are there?", "gold_sql": "SELECT count(*) FROM animals"},
    {
        "id": "b",
        "question": "names of animals with 4 legs",
        "gold_sql": "SELECT name FROM animals WHERE legs = 4",
    },
    {
        "id": "c",
        "question": "for each species, its name beside the name of the next heavier one",
        "gold_sql": "SELECT name, lead(name) OVER (ORDER BY weight) FROM animals",
    },
]


@pytest.fixture(scope="module")
def dsn(make_database: Callable[[], Database]) -> str:
    database = make_database()
    with psycopg.connect(database.dsn()) as connection:
        connection.execute("CREATE SCHEMA zoo")
        connection.execute("CREATE TABLE zoo.animals (name text PRIMARY KEY, legs int, weight float)")
        connection.execute("INSERT INTO zoo.animals VALUES ('ant', 6, 0), ('bat', 2, 0.1), ('cat', 4, 4)")
    return database.dsn()


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path) -> Path:
    """The file of questions in a folder."""
    file = folder / "questions"
    file.write_text("".join(json.dumps(line | {"db_id": "zoo"}) + "\n" for line in QUESTIONS))
    return file


def asked(dsn: str, questions: Path, *options: str) -> dict[str, Mapping[str, Any]]:
    """The predictions by id."""
    out = questions.with_name("-".join(["out", *(o.strip("-/").replace("/", "-") for o in options)]))
    assert main(["answer", "--dsn", dsn, "--questions", str(questions), "--out", str(out), *options]) == 0
    return {line["id"]: line for line in map(json.loads, out.read_text().splitlines())}


@pytest.fixture(scope="module")
def alone(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Mapping[str, Any]]:
    """What the engine answers without a model."""
    return asked(dsn, written(tmp_path_factory.mktemp("alone")))


@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_what_a_right_model_says_is_the_answer(
    dsn: str, questions: Path, alone: Mapping[str, Mapping[str, Any]], effort: str
) -> None:
    assert alone["c"]["error"]
    found = asked(dsn, questions, "--expert", "gold", "--set", f"effort={effort}")
    assert [found[q["id"]]["error"] for q in QUESTIONS] == [None] * 3
    assert found["c"]["sql"] == QUESTIONS[2]["gold_sql"]


def test_a_model_whose_queries_fail_changes_no_answer_and_no_refusal(
    dsn: str, questions: Path, alone: Mapping[str, Mapping[str, Any]]
) -> None:
    def said(lines: Mapping[str, Mapping[str, Any]]) -> list[tuple[object, ...]]:
        return [(line["error"] and line["error"]["code"], line["sql"]) for line in lines.values()]

    assert said(asked(dsn, questions, "--expert", "broken")) == said(alone)


def test_a_recorded_system_answers_and_an_unknown_one_is_named(
    dsn: str, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = questions.with_name("pool.jsonl.gz")
    lines = [{"id": q["id"], "experts": {"system": {"pg": q["gold_sql"]}}} for q in QUESTIONS]
    pool.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    found = asked(dsn, questions, "--expert", "system", "--pool", str(pool))
    assert found["c"]["sql"] == QUESTIONS[2]["gold_sql"]
    out = str(questions.with_name("none"))
    options = ["--dsn", dsn, "--questions", str(questions), "--out", out, "--pool", str(pool)]
    assert main(["answer", *options, "--expert", "sytem"]) == 1
    assert "has no system 'sytem'; it has system" in capsys.readouterr().err


def test_experts_that_no_system_is_answer_as_their_names_say() -> None:
    golds: Sequence[Gold] = [
        Gold(name, "one" if name < "d" else "two", (f"SELECT '{name}'",), ordered=False) for name in "abcde"
    ]
    assert made("gold", golds) == {name: f"SELECT '{name}'" for name in "abcde"}
    assert made("same", golds) == dict.fromkeys("abc", "SELECT 'a'") | dict.fromkeys("de", "SELECT 'd'")
    other = made("other", golds)
    assert all(other[name] != f"SELECT '{name}'" for name in "abcde")
    assert {other[name] for name in "abc"} == {f"SELECT '{name}'" for name in "abc"}
