"""The schemas made for the benches, and the questions about them: they load, and every answer exists."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doubles.case_tables import every

import askwire.bench.cli
from askwire.bench.execution import Runner
from askwire.bench.question_files import read_asked, read_gold
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from servers.databases import Database

MADE = [
    "academy",
    "admissions",
    "adventure",
    "airmon",
    "airreg",
    "assessments",
    "bank",
    "bikes",
    "campus",
    "citations",
    "claims",
    "clinic",
    "crashes",
    "crm",
    "elearn",
    "erp",
    "events",
    "fitclub",
    "fleet",
    "flix",
    "freight",
    "haulage",
    "helpdesk",
    "hospital",
    "hotel",
    "inspections",
    "league",
    "lettings",
    "library",
    "mfg",
    "payhr",
    "permits",
    "plants",
    "pos",
    "retail",
    "saas",
    "sightings",
    "staff",
    "teamdesk",
    "telco",
    "transfers",
    "tunes",
    "utility",
    "webshop",
]
BENCH = Path(askwire.bench.cli.__file__).parent


@pytest.fixture(scope="module")
def database(make_database: Callable[[], Database]) -> Database:
    """One for all schemas, each of which has a name of its own."""
    return make_database()


@pytest.mark.parametrize("name", MADE)
def test_every_gold_query_finds_something(
    name: str, postgres_server: EmbeddedPostgres, database: Database
) -> None:
    script = BENCH / "schemas" / f"{name}.sql"
    options = ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "--dbname", database.dsn()]
    subprocess.run(
        [postgres_server.binaries.program("psql"), *options, "--file", str(script)],
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    with Runner(database.dsn(), name, timeout=10) as runner:
        for gold in read_gold(BENCH / "questions" / f"{name}.jsonl"):
            assert gold.db_id == name
            assert all(runner.run(sql) for sql in gold.golds), gold.id


@every("name", {name: name for name in MADE})
def test_there_are_twenty_different_questions_or_more(name: str) -> None:
    asked = read_asked(BENCH / "questions" / f"{name}.jsonl")
    assert len({a.question.casefold() for a in asked}) == len(asked) >= 20
