"""Short looks at data: what is read once, what a failure costs, and how many rows are gone through."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Executor
from askwire.core.types import Cell, ResultSet
from askwire.planner.embedded.schema.looks import Look, look
from askwire.planner.embedded.schemas import Schemas
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


class RecordingExecutor:
    """An executor that notes which tables are read; those of a statement that reads `slow` take too long."""

    def __init__(self, slow: str = "") -> None:
        self.slow = slow
        self.read_of: list[str] = []

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[RecordingExecutor]:
        yield self

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        assert timeout_ms
        tables = re.findall(r"FROM public\.(\w+)", sql)
        self.read_of += tables
        if self.slow in tables:
            raise DatabaseFailed("canceled", code="57014")
        return ResultSet((), tuple((str(place), "2026-01-02") for place in range(len(tables))))


@pytest.fixture
def tickets(make_table: Callable[..., Relation]) -> Catalog:
    names = [make_table(n, f"tickets_{n}", "id:id issue_dt:text make:text") for n in range(1, 4)]
    codes = make_table(9, "mdl_ref", "code:text maker:text mdl:text")
    keyed = tuple(replace(c, distinct=-1.0 if c.name == "code" else 2.0) for c in codes.columns)
    return Catalog((*names, replace(codes, columns=keyed, primary_key=())))


async def test_only_what_changed_is_read_again(
    plan: Callable[..., ExpertContext], tickets: Catalog, make_table: Callable[..., Relation]
) -> None:
    schemas, noted = Schemas(), RecordingExecutor()
    planning = replace(plan("how many?", tickets), executor=cast(Executor, noted))
    first = await schemas.prepared(planning, whole=True)
    assert sorted(noted.read_of) == ["mdl_ref", "tickets_1", "tickets_2", "tickets_3"]
    assert first.told.dates[2, "issue_dt"] == "YYYY-MM-DD"
    noted.read_of.clear()
    added = make_table(4, "tickets_4", "id:id issue_dt:text make:text")
    relations = (tickets.relations[0], replace(tickets.relations[1]), tickets.relations[3], added)
    altered = replace(tickets, relations=relations)
    second = await schemas.prepared(replace(planning, catalog=altered), whole=True)
    assert sorted(noted.read_of) == ["tickets_2", "tickets_4"]
    assert {oid for oid, _ in second.told.dates} == {1, 2, 4}
    assert second.told.lookups.keys == first.told.lookups.keys
    assert first.told.lookups.keys


async def test_what_could_not_be_read_is_read_with_the_next_catalog(
    plan: Callable[..., ExpertContext], tickets: Catalog
) -> None:
    schemas, noted = Schemas(), RecordingExecutor(slow="tickets_3")
    planning = replace(plan("how many?", tickets), executor=cast(Executor, noted))
    await schemas.prepared(planning, whole=True)
    noted.slow = ""
    noted.read_of.clear()
    found = await schemas.prepared(replace(planning, catalog=replace(tickets)), whole=True)
    assert {oid for oid, _ in found.told.dates} == {1, 2, 3}
    assert noted.read_of == ["tickets_1", "tickets_2", "tickets_3"]


async def test_a_look_that_fails_costs_those_of_its_statement() -> None:
    looks = [Look(f"SELECT a FROM public.t{n}", (n,)) for n in range(45)]
    seen = await look(cast(Executor, RecordingExecutor(slow="t21")), looks, max_rows=1)
    assert seen.missed == set(range(20, 40))
    assert [n for n, rows in enumerate(seen.rows) if rows is None] == list(range(20, 40))
