"""The questions about the sample shop: their answers exist, and the two of the demo are hand-checked."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import askwire.bench.cli
from askwire.bench.execution import Rows, Runner
from askwire.bench.question_files import Gold, read_asked, read_gold
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.demo.sample import write_sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from servers.databases import Database

QUESTIONS = Path(askwire.bench.cli.__file__).parent / "questions" / "shop.jsonl"
GOLDS = {gold.id: gold for gold in read_gold(QUESTIONS)}


@pytest.fixture(scope="module")
def shop(postgres_server: EmbeddedPostgres, make_database: Callable[[], Database]) -> Iterator[Runner]:
    database = make_database()
    script = io.StringIO()
    write_sql(script)
    subprocess.run(
        [postgres_server.binaries.program("psql"), "--no-psqlrc", "--quiet", "--dbname", database.dsn()],
        input=script.getvalue().encode(),
        env=postgres_server.environment(),
        check=True,
        timeout=60,
    )
    with Runner(database.dsn(), "public", timeout=10) as runner:
        yield runner


def test_at_least_forty_different_questions() -> None:
    questions = {asked.question.casefold() for asked in read_asked(QUESTIONS)}
    assert len(questions) == len(GOLDS) >= 40


@pytest.mark.parametrize("gold", GOLDS.values(), ids=GOLDS)
def test_every_gold_query_finds_something(shop: Runner, gold: Gold) -> None:
    for sql in gold.golds:
        rows = shop.run(sql)
        assert rows
        assert any(cell is not None for row in rows for cell in row)


def test_orders_of_each_customer_in_2024(shop: Runner) -> None:
    rows = shop.run(GOLDS["shop-001"].golds[0])
    assert len(rows) == 374
    assert sum(row[1] for row in rows if isinstance(row[1], float)) == 1130
    assert ("Harbor & Sons", 23.0) in rows


def test_top_five_products_by_revenue(shop: Runner) -> None:
    expected: Rows = [
        ("Stainless Stock Pot 8 Liter", 59156.72),
        ("Cotton Sheet Set", 54262.68),
        ("Cooler Box 25 Liter", 50667.49),
        ("Compost Bin", 49728.41),
        ("Hammock", 44605.6),
    ]
    assert shop.run(GOLDS["shop-002"].golds[0]) == expected
