"""With a server that is 30 ms away: few statements, and all of them within the budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import Database
from servers.delaying_relay import delaying_relay

from askwire.selector.instances import Budget, Outcome, separate

HERE = Path(__file__).parent / "cases"
CASES: list[dict[str, Any]] = [
    case
    for case in map(json.loads, (HERE / "pairs.jsonl").read_text("utf-8").splitlines())
    if case["outcome"] == Outcome.SEPARATED
]
ONE_WAY = 0.015
"""Seconds."""
DISTANT = CASES[::8]


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA sep; SET search_path TO sep")
        conn.execute((HERE / "schema.sql").read_bytes())
    return database


async def test_few_statements_for_each_pair(filled: Database) -> None:
    sent = []
    async with session(filled.dsn(), "SET search_path TO sep") as asker:
        for case in CASES:
            before = asker.executor.statements
            told = await separate(case["first"], case["second"], asker.catalog, asker.executor)
            sent.append(asker.executor.statements - before)
            # views cost one more, and so does beginning again with the columns that may be read
            assert told.statistics.statements <= sent[-1]
    assert median(sent) <= 6
    assert quantiles(sent, n=20)[-1] <= 12


async def test_a_distant_server_is_no_reason_to_give_up(filled: Database) -> None:
    host, port = psycopg.conninfo.conninfo_to_dict(filled.dsn())["host"], filled.port
    async with delaying_relay(str(host), port, ONE_WAY) as relay:
        dsn = psycopg.conninfo.make_conninfo(filled.dsn(), port=relay)
        async with session(dsn, "SET search_path TO sep") as asker:
            for case in DISTANT:
                told = await separate(case["first"], case["second"], asker.catalog, asker.executor)
                assert told.outcome is Outcome.SEPARATED, (case, told.reason)
                assert told.statistics.milliseconds >= told.statistics.statements * ONE_WAY * 2000
                assert told.statistics.milliseconds < Budget().milliseconds / 2
