"""The bench against the real proxy in front of a real server."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.bench.cli import main
from askwire.bench.failure import BenchFailure
from askwire.bench.proxy_process import ProxyProcess

if TYPE_CHECKING:
    from servers.databases import Database

pytestmark = pytest.mark.usefixtures("loaded_starts")

QUESTIONS: list[dict[str, Any]] = [
    {"id": "a", "db_id": "zoo", "question": "how many animals are there?"},
    {"id": "b", "db_id": "zoo", "question": "List the names of animals with more than 3 legs"},
    {"id": "c", "db_id": "zoo", "question": "who wrote the zookeeper's mandate on flurbs?"},
    {"id": "d", "db_id": "park", "question": "How many trees are there?", "evidence": "count them"},
]
GOLD = {
    "a": "SELECT count(*) FROM animals",
    "b": "SELECT name FROM animals WHERE legs > 3",
    "c": "SELECT 1",
    "d": "SELECT count(*) FROM trees",
}


@pytest.fixture(scope="module")
def dsn(make_database: Callable[[], Database]) -> str:
    database = make_database()
    with psycopg.connect(database.dsn()) as connection:
        connection.execute("CREATE SCHEMA zoo CREATE TABLE animals (name text PRIMARY KEY, legs int)")
        connection.execute("INSERT INTO zoo.animals VALUES ('ant', 6), ('bat', 2), ('cat', 4)")
        connection.execute("CREATE SCHEMA park CREATE TABLE trees (species text)")
        connection.execute("INSERT INTO park.trees VALUES ('oak')")
    return database.dsn()


def ask(dsn: str, folder: Path, name: str, gold: dict[str, str]) -> tuple[Path, Path]:
    """Run the command on the questions with this gold; the questions' file and the predictions'."""
    questions, out = folder / f"{name}.questions", folder / f"{name}.predictions"
    lines = (json.dumps(line | {"gold_sql": gold[line["id"]]}) + "\n" for line in QUESTIONS)
    questions.write_text("".join(lines))
    assert main(["answer", "--dsn", dsn, "--questions", str(questions), "--out", str(out)]) == 0
    return questions, out


def test_questions_go_through_the_wire_and_come_back_as_predictions(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, out = ask(dsn, tmp_path, "honest", GOLD)
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    lines = {line["id"]: line for line in map(json.loads, out.read_text().splitlines())}
    assert list(lines) == ["a", "b", "c", "d"]
    assert lines["c"]["sql"] is None
    assert lines["c"]["error"]["code"].startswith("NL")
    assert figures["asked"] == 4
    assert figures["p50_ms"] > 0
    if sys.platform == "linux":
        assert figures["proxy_cpu_ms"] > 0
    main(["score", "--dsn", dsn, "--questions", str(questions), "--predictions", str(out)])
    scored = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert scored["databases"]["park"]["top1"] == 100.0
    assert scored["databases"]["zoo"]["top1"] == 66.67


def test_corrupted_gold_changes_no_byte_of_the_predictions(dsn: str, tmp_path: Path) -> None:
    _, honest = ask(dsn, tmp_path, "honest", GOLD)
    _, corrupted = ask(dsn, tmp_path, "corrupted", dict.fromkeys(GOLD, "DROP TABLE animals"))
    assert honest.read_bytes() == corrupted.read_bytes()


def test_a_second_run_asks_nothing_again(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out = ask(dsn, tmp_path, "twice", GOLD)
    before = out.read_bytes()
    ask(dsn, tmp_path, "twice", GOLD)
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["kept"], figures["asked"]) == (4, 0)
    assert out.read_bytes() == before


@pytest.mark.slow
def test_a_server_that_is_not_there_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = tmp_path / "q"
    questions.write_text(json.dumps(QUESTIONS[0]) + "\n")
    dsn = "postgresql://postgres@127.0.0.1:1/nowhere"
    assert main(["answer", "--dsn", dsn, "--questions", str(questions), "--out", str(tmp_path / "o")]) == 1
    assert "could not connect to PostgreSQL at 127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.slow
def test_a_proxy_that_does_not_start_says_why() -> None:
    with pytest.raises(BenchFailure, match="sslmode"), ProxyProcess("host=127.0.0.1 sslmode=nonsense"):
        pass


def test_the_proxy_gets_no_password_and_ends_with_the_measurement(dsn: str) -> None:
    with ProxyProcess(f"{dsn}?password=s3cret") as proxy:
        assert proxy.alive
        assert "s3cret" in proxy.conninfo
        assert not any("s3cret" in word for word in proxy.command)
    assert not proxy.alive


def test_the_way_to_the_proxy_is_its_own(dsn: str) -> None:
    """The proxy has no certificate, whatever `dsn` says of the way to the server."""
    with ProxyProcess(f"{dsn}?sslmode=prefer&gssencmode=disable&application_name=me") as proxy:
        with psycopg.connect(proxy.conninfo) as connection:
            assert connection.info.parameter_status("application_name") == "me"
        assert "sslmode=disable" in proxy.conninfo
