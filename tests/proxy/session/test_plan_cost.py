"""What a plan may cost is the executor's affair: anyone who wrote a statement, and anyone who runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from askwire.core.errors import DatabaseFailed, RefusedByGate, TooCostly
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import connected, read_target

if TYPE_CHECKING:
    from servers.databases import Database

CAPS = Caps(timeout_ms=5000, longest_ms=5000, lock_timeout_ms=1000, max_rows=0, max_bytes=0, max_cost=1000)
CHEAP = "SELECT 1"
COSTLY = "SELECT count(*) FROM pg_class a, pg_class b"


async def test_what_costs_too_much_is_not_run(database: Database) -> None:
    async with connected(read_target(database.dsn(), {})) as connection:
        executor = connection.executor(CAPS)
        executor.admit(str)
        async with executor.batch() as batch:
            with pytest.raises(TooCostly, match=r"more than 1000 \(probe_max_cost\)") as caught:
                await batch.run(COSTLY, max_rows=1)
            assert caught.value.code == "NL005"
            # askwire's own text is not planned, and nothing else is in the way of it
            assert (await batch.run(COSTLY, template=True)).rows
            assert (await batch.run(CHEAP)).rows == (("1",),)


async def test_what_was_planned_is_not_planned_again(database: Database) -> None:
    async with connected(read_target(database.dsn(), {})) as connection:
        executor = connection.executor(CAPS)
        executor.admit(lambda sql: f"{sql} -- passed")
        async with executor.batch() as batch:
            plan = await batch.explain(CHEAP)
            before = batch.statements
            await batch.run(CHEAP)
            ran = batch.statements - before
        assert plan.total_cost < 1
        async with executor.batch() as batch:
            await batch.read("SELECT 0")  # the batch is open
            before = batch.statements
            await batch.run(CHEAP)
            assert batch.statements - before == ran
            before = batch.statements
            await batch.run("SELECT 2")
            assert batch.statements - before > ran


async def test_the_gate_comes_first_and_an_error_of_planning_is_the_servers(database: Database) -> None:
    def gate(sql: str) -> str:
        raise RefusedByGate("never")

    async with connected(read_target(database.dsn(), {})) as connection:
        executor = connection.executor(CAPS)
        executor.admit(gate)
        async with executor.batch() as batch:
            before = batch.statements
            with pytest.raises(RefusedByGate):
                await batch.run(CHEAP)
            with pytest.raises(RefusedByGate):
                await batch.run(CHEAP, template=True)
            assert batch.statements == before
        executor.admit(str)
        async with executor.batch() as batch:
            with pytest.raises(DatabaseFailed) as caught:
                await batch.run("SELECT 1 FROM nowhere")
            assert caught.value.code == "42P01"
            assert (await batch.run(CHEAP)).rows == (("1",),)
