"""The cache of catalogs on a real PostgreSQL: what is kept, for whom, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from data.catalog_askers import Asker, Ticks, role
from doubles.postgres_executor import PostgresBatch, session_state

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultSet
from askwire.planner.catalogs import Catalogs, _size
from askwire.sql.introspection.queries import STATISTICS


async def test_a_catalog_is_kept_though_its_question_has_run_out_of_time(owner: Asker) -> None:
    cache = Catalogs(Ticks())
    session = await session_state(owner.conn)
    async with owner.executor.batch() as batch:
        found = await cache.read(batch, session, "here")
    finishing = asyncio.create_task(cache.finish(found))
    await asyncio.sleep(0)
    finishing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await finishing
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others)
    before = owner.executor.statements
    assert (await owner.load(cache)).find("customers") is not None
    assert owner.executor.statements == before + 1


async def test_an_unchanged_database_costs_one_statement(owner: Asker) -> None:
    cache = Catalogs(Ticks())
    first = await owner.load(cache)
    assert owner.executor.statements == 4
    assert await owner.load(cache) is first
    assert owner.executor.statements == 5
    await owner.run("CREATE TABLE fresh (a int)")
    assert (await owner.load(cache)).find("fresh") is not None


async def test_catalogs_are_shared_between_sessions_but_never_between_roles_paths_or_servers(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    cache = Catalogs(Ticks())
    first = await owner.load(cache)
    other = await connect()
    assert await other.load(cache) is first
    assert await other.load(cache, "elsewhere") is not first
    await other.run("SET search_path = pg_catalog")
    moved = await other.load(cache)
    assert moved.find("orders") is None
    assert not any(r.on_path for r in moved)
    await other.run("RESET search_path", "SET row_security = off")
    assert await other.load(cache) is not first
    async with role(owner, "clerk"):
        first = await owner.load(cache)
        await other.run("RESET row_security", "SET ROLE clerk")
        assert (await other.load(cache)).relations == ()
        await other.run("RESET ROLE")


async def test_statistics_are_read_again_after_a_while(owner: Asker) -> None:
    clock = Ticks()
    cache = Catalogs(clock, statistics_after=900, first_statistics_after=30)
    first = await owner.load(cache)
    await owner.run("INSERT INTO orders SELECT g, g FROM generate_series(1, 100) g", "ANALYZE orders")
    assert await owner.load(cache) is first
    clock.now = 31  # orders had no statistics before
    second = await owner.load(cache)
    orders = second.find("orders")
    assert orders is not None
    assert orders.estimated_rows == 100
    clock.now = 800
    assert await owner.load(cache) is second
    clock.now = 931
    assert await owner.load(cache) is not second


async def test_the_least_recently_used_catalog_leaves_first(owner: Asker) -> None:
    first = await owner.load(Catalogs(Ticks()))
    cache = Catalogs(Ticks(), max_columns=2 * _size(first))
    kept = await owner.load(cache, "a")
    await owner.load(cache, "b")
    assert await owner.load(cache, "a") is kept
    await owner.load(cache, "c")
    assert len(cache) == 2
    assert await owner.load(cache, "a") is kept


async def test_a_catalog_that_is_too_old_to_serve_leaves(owner: Asker) -> None:
    """Every session with temporary tables has a catalog of its own; no one asks for it when it ended."""
    clock = Ticks()
    cache = Catalogs(clock, statistics_after=900)
    for session in "abc":
        await owner.load(cache, session)
        clock.now += 400
    await owner.load(cache, "d")
    assert len(cache) == 3
    clock.now += 900
    await owner.load(cache, "e")
    assert len(cache) == 1


async def test_names_of_functions_and_types_count_as_well(owner: Asker) -> None:
    first = await owner.load(Catalogs(Ticks()))
    many = frozenset(f"type_{number}" for number in range(1000))
    assert _size(replace(first, objects=replace(first.objects, types=many))) >= _size(first) + 450


class _SlowStatistics:
    """A batch whose statistics never come."""

    def __init__(self, batch: PostgresBatch, code: str) -> None:
        self._batch = batch
        self._code = code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        if sql == STATISTICS:
            raise DatabaseFailed("canceling statement due to statement timeout", code=self._code)
        return await self._batch.read(sql, parameters, max_rows=max_rows, timeout_ms=timeout_ms)


async def test_a_catalog_serves_without_statistics_when_they_take_too_long(owner: Asker) -> None:
    session = replace(await session_state(owner.conn), server_version=0)
    async with owner.executor.batch() as batch:
        made = await Catalogs(Ticks()).load(_SlowStatistics(batch, "57014"), session, "here")
        assert made.find("customers") is not None
        with pytest.raises(DatabaseFailed) as failed:
            await Catalogs(Ticks()).load(_SlowStatistics(batch, "53200"), session, "here")
    assert failed.value.code == "53200"
