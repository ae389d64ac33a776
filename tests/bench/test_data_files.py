"""Question sets that come with files: `bench answer --data` and `score --data`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main

if TYPE_CHECKING:
    from servers.databases import Database

pytestmark = pytest.mark.usefixtures("loaded_starts")

ANIMALS = "name,legs\nant,6\nbat,2\ncat,4\n"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    write(path, [("zoo", "how many animals are there?", "SELECT count(*) FROM animals")])
    return path


def write(path: Path, asked: list[tuple[str, str, str]]) -> None:
    lines = [
        {"id": str(n), "db_id": db_id, "question": question, "gold_sql": gold}
        for n, (db_id, question, gold) in enumerate(asked)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def bench(dsn: str, questions: Path, *data: Path) -> tuple[int, int]:
    """The exit status of `answer` and `score`."""
    given = ["--dsn", dsn, "--questions", str(questions)]
    given += [word for path in data for word in ("--data", str(path))]
    out = str(questions.with_suffix(".out"))
    return main(["answer", *given, "--out", out]), main(["score", *given, "--predictions", out])


def databases(dsn: str) -> set[Any]:
    with psycopg.connect(dsn) as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall()}


def test_questions_are_asked_of_files_and_nothing_is_left(
    database: Database, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (questions.parent / "animals.csv").write_text(ANIMALS)
    before = databases(database.dsn())
    assert bench(database.dsn(), questions, questions.parent / "animals.csv") == (0, 0)
    told = capsys.readouterr()
    figures = json.loads(told.out.splitlines()[-1])
    assert (figures["questions"], figures["top1"]) == (1, 100.0)
    assert "animals: 3 rows, 2 columns" in told.err
    assert databases(database.dsn()) == before


def test_each_of_several_folders_is_a_schema(database: Database, questions: Path) -> None:
    for db_id, name, text in (("zoo", "animals", ANIMALS), ("park", "trees", "species\noak\n")):
        (questions.parent / db_id).mkdir()
        (questions.parent / db_id / f"{name}.csv").write_text(text)
    gold = [("zoo", "how many animals?", "SELECT count(*) FROM animals")]
    write(questions, [*gold, ("park", "how many trees?", "SELECT count(*) FROM trees")])
    assert bench(database.dsn(), questions, questions.parent / "zoo", questions.parent / "park") == (0, 0)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "data.sql",
            "CREATE TABLE animals ()",
            "data.sql is a script; load it yourself, and leave out --data",
        ),
        ("away.csv", "", "away.csv"),
    ],
)
def test_files_that_cannot_be_loaded_are_one_line_and_leave_nothing(
    name: str,
    text: str,
    problem: str,
    database: Database,
    questions: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = databases(database.dsn())
    if text:
        (questions.parent / name).write_text(text)
    assert bench(database.dsn(), questions, questions.parent / name)[0] == 1
    assert problem in capsys.readouterr().err
    assert databases(database.dsn()) == before


def test_a_db_id_without_a_schema_is_named(
    database: Database, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (questions.parent / "animals.csv").write_text(ANIMALS)
    write(questions, [("zoo", "how many?", "SELECT 1"), ("park", "how many?", "SELECT 1")])
    assert bench(database.dsn(), questions, questions.parent / "animals.csv")[0] == 1
    assert "the files make no schema 'park' (a db_id); they make public" in capsys.readouterr().err
