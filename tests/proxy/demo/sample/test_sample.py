"""The sample shop: always the same text, loads in one go, and holds what docs/sample.md promises."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.demo.sample import write_sql
from askwire.proxy.demo.sample.shop import build

if TYPE_CHECKING:
    from servers.databases import Database

DIGEST = "8c28bff6dbd896254c2ceaacdce831501e559688b6f813ccd45802dc9f6f8b17"
TRAPS = [json.loads(line) for line in Path(__file__).with_name("traps.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def shop(postgres_server: EmbeddedPostgres, make_database: Callable[[], Database]) -> str:
    """The DSN of a database with the sample in it, loaded as a user would: by psql."""
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
    return database.dsn()


def test_the_script_is_the_same_on_every_python() -> None:
    """If a change of the sample is intended, the digest and the answers in bench/questions change with it."""
    script = io.StringIO()
    write_sql(script)
    assert hashlib.sha256(script.getvalue().encode()).hexdigest() == DIGEST


def test_about_fifteen_thousand_rows_in_thirteen_tables() -> None:
    tables = build().tables
    assert len(tables) == 13
    assert 14_000 < sum(map(len, tables.values())) < 16_000


@pytest.mark.parametrize("case", TRAPS, ids=[case["trap"] for case in TRAPS])
def test_planted(shop: str, case: dict[str, object]) -> None:
    with psycopg.connect(shop, options="-c timezone=UTC") as connection:
        cursor = psycopg.RawCursor(connection)
        cursor.execute(str(case["sql"]))
        assert cursor.pgresult is not None
        result = cursor.pgresult
        rows = [
            [
                value.decode() if (value := result.get_value(r, c)) is not None else None
                for c in range(result.nfields)
            ]
            for r in range(result.ntuples)
        ]
    assert rows == case["rows"]


def test_every_table_is_described_and_every_foreign_key_holds(shop: str) -> None:
    with psycopg.connect(shop) as connection:
        undescribed = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            " AND obj_description(oid, 'pg_class') IS NULL"
        ).fetchall()
        unchecked = connection.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
        ).fetchall()
    assert undescribed == []
    assert unchecked == []
