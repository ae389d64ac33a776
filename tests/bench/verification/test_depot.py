"""The queries made for lints that recorded predictions never set off: what is said of each is true."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import askwire.bench.cli
from askwire.bench.cli import main
from askwire.bench.execution import Runner, comparable
from askwire.bench.question_files import read_gold
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from servers.databases import Database

BENCH = Path(askwire.bench.cli.__file__).parent
QUESTIONS = BENCH / "questions" / "depot.jsonl"
POOL = BENCH / "questions" / "depot_pool.jsonl"


@pytest.fixture(scope="module")
def dsn(postgres_server: EmbeddedPostgres, make_database: Callable[[], Database]) -> str:
    database = make_database()
    options = ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "--dbname", database.dsn()]
    subprocess.run(
        [
            postgres_server.binaries.program("psql"),
            *options,
            "--file",
            str(BENCH / "schemas" / "depot.sql"),
        ],
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    return database.dsn()


def test_what_the_pool_says_of_each_query_is_so(dsn: str) -> None:
    golds = {gold.id: gold for gold in read_gold(QUESTIONS)}
    lines = [json.loads(line) for line in POOL.read_text("utf-8").splitlines()]
    assert {line["id"] for line in lines} == set(golds)
    with Runner(dsn, "depot", timeout=10) as runner:
        for line in lines:
            gold = golds[line["id"]]
            (right,) = (comparable(runner.run(sql), ordered=gold.ordered) for sql in gold.golds)
            for made in line["experts"].values():
                found = comparable(runner.run(made["pg"]), ordered=gold.ordered)
                assert (found == right) is made["correct"], made["pg"]


def test_each_lint_that_predictions_never_set_off_fires_here(
    capsys: pytest.CaptureFixture[str], dsn: str
) -> None:
    given = ["verify", "--dsn", dsn, "--questions", str(QUESTIONS), "--pool", str(POOL)]
    assert main(given) == 0
    rules = json.loads(capsys.readouterr().out.splitlines()[-1])["detection"]["rules"]
    for name in ("integer_division", "text_order", "literal_variants"):
        assert rules[name]["wrong_failed"] >= 5, name
        assert rules[name]["precision"] >= 80, name
