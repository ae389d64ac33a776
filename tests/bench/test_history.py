"""What people write, for the bench of habits: it runs, habits are read of it, and every answer exists."""

from __future__ import annotations

import asyncio
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import askwire.bench.cli
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.engine import workload
from askwire.bench.execution import Runner
from askwire.bench.question_files import read_gold
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.sql.catalog import Catalog
from askwire.sql.query_patterns.extraction import observed

if TYPE_CHECKING:
    from servers.databases import Database

pytestmark = pytest.mark.usefixtures("loaded_starts")

BENCH = Path(askwire.bench.cli.__file__).parent
HISTORY = BENCH / "questions" / "history"


async def catalog(dsn: str, name: str) -> Catalog:
    async with connected(dsn, name) as connection:
        return await read_catalog(DirectExecutor(connection))


@pytest.mark.parametrize("name", ["saas", "clinic"])
def test_a_house_and_its_questions(
    name: str, postgres_server: EmbeddedPostgres, make_database: Callable[[], Database]
) -> None:
    database = make_database()
    options = ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "--dbname", database.dsn()]
    subprocess.run(
        [
            *(postgres_server.binaries.program("psql"), *options),
            *("--file", str(BENCH / "schemas" / f"{name}.sql")),
        ],
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    seen = asyncio.run(catalog(database.dsn(), name))
    told = workload._statements(HISTORY / f"{name}.sql")
    assert len(told) > 30
    with Runner(database.dsn(), name, timeout=10) as runner:
        for sql in told:
            runner.run(sql)
            assert observed(sql, seen), sql
        for gold in read_gold(HISTORY / "questions.jsonl"):
            if gold.db_id == name:
                assert all(runner.run(sql) for sql in gold.golds), gold.id


def test_the_shares_are_of_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {("keys", "best"): 3, ("keys", "top1"): 2, ("no_keys_history", "wrong"): 1}

    async def counted(*_: object) -> Counter[tuple[str, str]]:
        return Counter(found)

    monkeypatch.setattr(workload, "_database", counted)
    told = workload.measure("", HISTORY / "questions.jsonl", ["saas", "clinic"], HISTORY)
    assert told["questions"] == 45
    assert told["keys"] == {"best": 13.3, "top1": 8.9, "wrong": 0.0, "sure_wrong": 0.0}
    assert told["databases"]["saas"] == {"questions": 25, "keys": 3} | dict.fromkeys(workload.WAYS[1:], 0)
