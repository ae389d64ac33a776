"""Joins that nothing declares are held against the data before a model hears of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest
from data.shop_catalog import CUSTOMERS, ORDERS

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Batch
from askwire.core.types import Cell, Plan, ResultColumn, ResultSet
from askwire.planner.models.join_support import support
from askwire.planner.models.possible_joins import Join

JOIN = Join(ORDERS, "customer_id", CUSTOMERS, "id")


class CountedDatabase:
    """A database that answers the look with so many values seen and met, or fails."""

    def __init__(self, outcome: tuple[int, ...] | Exception) -> None:
        self.outcome = outcome
        self.ran: list[str] = []

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield cast(Batch, self)

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        self.ran.append(sql)
        assert 0 < timeout_ms <= 250
        if isinstance(self.outcome, Exception):
            raise self.outcome
        row = tuple(map(str, self.outcome))
        return ResultSet(tuple(ResultColumn(name, 20) for name in ("seen", "met", "values")), (row,))

    async def read(
        self, sql: str, parameters: tuple[Cell, ...] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        raise AssertionError("looks are run, not read")

    async def explain(self, sql: str) -> Plan:
        raise AssertionError("looks are run, not explained")


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ((50, 50, 50), True),
        ((50, 25, 9), True),
        ((50, 24, 9), False),
        ((50, 0, 9), False),
        ((0, 0, 0), None),
        (RefusedByGate("no"), None),
        (DatabaseFailed("canceling statement due to statement timeout", code="57014"), None),
        (DatabaseFailed("operator does not exist: integer = text", code="42883"), None),
    ],
)
async def test_values_support_a_join_or_speak_against_it_or_say_nothing(
    outcome: tuple[int, ...] | Exception, expected: bool | None
) -> None:
    database = CountedDatabase(outcome)
    assert await support(database, [JOIN, JOIN]) == [expected] * 2
    assert len(database.ran) == 2


async def test_nothing_is_looked_at_where_no_join_is_guessed() -> None:
    database = CountedDatabase((1, 1, 1))
    assert await support(database, []) == []
    assert database.ran == []


async def test_a_lost_session_is_no_answer() -> None:
    with pytest.raises(DatabaseFailed):
        await support(CountedDatabase(DatabaseFailed("gone", code="57P01")), [JOIN])


@pytest.mark.parametrize(
    ("outcome", "expected"), [((50, 50, 5), False), ((50, 50, 8), True), ((50, 40, 40), False)]
)
async def test_a_join_that_is_only_possible_needs_different_values_nearly_all_of_them_there(
    outcome: tuple[int, ...], expected: bool
) -> None:
    possible = replace(JOIN, possible=True, other=replace(JOIN.other, estimated_rows=1000.0))
    assert await support(CountedDatabase(outcome), [possible]) == [expected]
