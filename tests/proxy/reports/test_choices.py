"""Rival readings side by side, with the rows of the asker's own on which they differ."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import psycopg
import pytest
from doubles.asked import AskedServer, asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.core.types import Candidate
from askwire.planner.expert import ExpertContext
from askwire.sql.presentation.layout import folded

SHIPPED = "SELECT count(*) FROM orders WHERE shipped > required"
DELAYED = "SELECT count(*) FROM orders WHERE status = 'delayed'"

TABLES = """
CREATE TABLE orders (id int PRIMARY KEY, status text, required date, shipped date);
INSERT INTO orders SELECT n, 'shipped', '2025-03-01', '2025-02-01' FROM generate_series(1, 20) n;
INSERT INTO orders VALUES (8812, 'shipped', '2025-03-01', '2025-03-09'),
    (8813, 'shipped', '2025-03-01', '2025-03-10'), (9120, 'delayed', '2025-04-02', NULL);
"""


class TwoMinds:
    name = "undecided"

    def __init__(self, *more: Candidate, confidence: float = 0.45) -> None:
        self.more = more
        self.confidence = confidence

    async def propose(self, planning: ExpertContext) -> Sequence[Candidate]:
        return [
            Candidate(SHIPPED, self.name, 0, self.confidence, "late = shipped after the required date"),
            Candidate(DELAYED, self.name, -1, 0.45, "late = status is 'delayed'"),
            *self.more,
        ]


@pytest.fixture
def orders(empty_database: OwnDatabase) -> OwnDatabase:
    with empty_database.owner() as connection:
        connection.execute(TABLES)
    return empty_database


@pytest.fixture
async def asked(orders: OwnDatabase) -> AsyncIterator[AskedServer]:
    async with asked_server(orders) as running:
        running.experts = (TwoMinds(),)
        yield running


async def test_an_ambiguous_question_shows_rows_on_which_its_readings_differ(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.Error) as failed:
            await rows(connection, "ASK 'late orders'")
        assert failed.value.sqlstate == "NL001"
        detail = failed.value.diag.message_detail or ""
        readings, _, shown = detail.partition("\nThis row gives different results:\n")
        assert readings.startswith("1  late = shipped after the required date  (2)\n")
        name, header, _, row, answers = shown.splitlines()
        assert name == "  orders"
        assert header.split(" | ")[0].strip() == "id"
        assert answers in (
            "  reading 1 returns 1, reading 2 returns 0",
            "  reading 1 returns 0, reading 2 returns 1",
        )
        assert ("shipped" in row) == (answers == "  reading 1 returns 1, reading 2 returns 0")
        # nothing of it is left behind
        assert await rows(connection, "ASK CHOOSE 2") == [(1,)]


async def test_choices_are_rows_under_the_numbers_of_choose(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        query = (
            "SELECT n, chosen, reading, sql, rows, differs FROM (ASK (CHOICES) 'late orders') AS c ORDER BY n"
        )
        first, second = await rows(connection, query)
        assert first == (1, False, "late = shipped after the required date", folded(SHIPPED, 56), 1, None)
        assert second[:5] == (2, False, "late = status is 'delayed'", folded(DELAYED, 56), 1)
        assert second[5].startswith("orders\n")
        assert "reading 1 returns " in second[5]
        assert await rows(connection, "ASK CHOOSE 1") == [(2,)]
        chosen = await rows(connection, "SELECT n, chosen FROM (ASK (CHOICES) 'late orders') AS c")
        assert chosen == [(1, True), (2, False)]
        ((support,), *_) = await rows(
            connection, "SELECT support FROM (ASK (CHOICES, FRESH) 'late orders') AS c"
        )
        assert 0 < support <= 1


async def test_readings_with_other_columns_show_what_each_returns(asked: AskedServer) -> None:
    others = [
        f"SELECT {columns} FROM orders WHERE shipped > required"
        for columns in ("id", "id, status", "id, required, shipped", "required", "shipped", "status, id")
    ]
    late = (Candidate(sql, "undecided", -2.0 - n, 0.01, "late orders") for n, sql in enumerate(others))
    asked.experts = (TwoMinds(*late, confidence=0.95),)
    async with asked.connection() as connection:
        shown = await rows(
            connection, "SELECT sql, differs FROM (ASK (CHOICES) 'late orders') AS c ORDER BY n"
        )
    told = {sql.replace("\n", " "): differs for sql, differs in shown}
    assert "both count it" not in str(told)
    assert told[others[0]].endswith("\nreading 1 returns 1, reading 3 returns 8812")
    assert told[others[1]].splitlines()[-3:] == ["  id  | status", "------+---------", " 8812 | shipped"]
    assert told[others[-1]] == "not compared: too many readings"


async def test_the_way_of_reporting_is_one(asked: AskedServer) -> None:
    async with asked.connection() as connection:
        with pytest.raises(psycopg.Error) as failed:
            await rows(connection, "ASK (CHOICES, SQL) 'late orders'")
        assert failed.value.diag.message_primary == "ASK options SQL and CHOICES cannot be used together"
