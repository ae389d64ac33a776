"""A session on a standby that is lost, or stands in the way of its recovery, while it is asked."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from servers.standby_servers import Pair, replicated

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import Target, connected
from askwire.proxy.session.statements.standby import (
    AskerState,
    ProbingExecutor,
    StandbyAddress,
    StandbySession,
)

pytestmark = pytest.mark.slow

_CAPS = Caps(timeout_ms=20_000, longest_ms=0, lock_timeout_ms=1000, max_rows=100, max_bytes=1 << 20)
_STATE = AskerState("postgres", ())
_COUNT = "SELECT count(*) FROM t"


@pytest.fixture(scope="module")
def pair(module_folder: Path) -> Iterator[Pair]:
    """Return both servers, with a table."""
    with replicated(module_folder) as pair:
        pair.on_primary("CREATE TABLE t AS SELECT generate_series(1, 100) AS n")
        pair.caught_up()
        yield pair


@asynccontextmanager
async def _probing(
    pair: Pair, state: AskerState = _STATE
) -> AsyncIterator[tuple[ProbingExecutor, list[str]]]:
    """An executor on both servers that lets every statement pass, and what it says of the standby."""
    said: list[str] = []
    standby = StandbyAddress(BackendAddress("127.0.0.1", pair.standby.port))
    here = Target(BackendAddress("127.0.0.1", pair.primary.port), "postgres", "postgres")
    session = StandbySession({"user": "postgres"}, None)
    async with connected(here) as own:
        executor = own.executor(_CAPS)
        executor.admit(lambda sql: sql)
        await session.connect(standby)
        try:
            probing = ProbingExecutor(
                session.executor(_CAPS, state),
                executor,
                lambda words: said.append(session.last_words or words),
                session.abandon,
            )
            yield probing, said
            await probing.end()
        finally:
            session.leave()


async def _is_on_standby(batch: Batch) -> bool:
    rows = (await batch.read("SELECT pg_catalog.pg_is_in_recovery()::text")).rows
    return rows == (("true",),)


async def test_a_failing_statement_says_nothing_of_the_standby(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            with pytest.raises(DatabaseFailed, match="does not exist"):
                await batch.run("SELECT * FROM nowhere")
            assert await _is_on_standby(batch)
        assert said == []


async def test_what_waits_between_two_statements_is_ended_by_recovery(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            assert (await batch.read(_COUNT)).rows == (("100",),)
            assert await _is_on_standby(batch)
            pair.on_primary("ALTER TABLE t ADD COLUMN IF NOT EXISTS other int")
            pair.caught_up()
            assert (await batch.run(_COUNT)).rows == (("100",),)
            assert not await _is_on_standby(batch)
        assert len(said) == 1
        async with probing.batch() as batch:
            assert not await _is_on_standby(batch), "from now on it is the client's own"
        assert len(said) == 1


async def test_a_statement_that_recovery_cancels_is_asked_again(pair: Pair) -> None:
    slow = "SELECT count(*), pg_catalog.pg_sleep(2)::text FROM t"
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            asked = asyncio.create_task(batch.read(slow))
            await asyncio.sleep(0.3)
            await asyncio.to_thread(pair.on_primary, "ALTER TABLE t ADD COLUMN another int")
            assert (await asked).rows == (("100", ""),)
            assert not await _is_on_standby(batch)
        assert len(said) == 1
        assert "recovery" in said[0]


async def _interrupted(probing: ProbingExecutor) -> None:
    async with probing.batch() as batch:
        assert await _is_on_standby(batch)
        raise KeyError


async def test_a_batch_that_fails_for_another_reason_leaves_both_as_they_were(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        with pytest.raises(KeyError):
            await _interrupted(probing)
        async with probing.batch() as batch:
            assert await _is_on_standby(batch)
        assert said == []


async def test_a_cancellation_stops_what_runs_on_the_standby(pair: Pair) -> None:
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(19)%'"
    async with _probing(pair) as (probing, _):

        async def sleep() -> None:
            async with probing.batch() as batch:
                await batch.read("SELECT pg_catalog.pg_sleep(19)::text")

        task = asyncio.create_task(sleep())
        async with asyncio.timeout(60):
            while pair.on_standby(running) != [(2,)]:  # noqa: ASYNC110 - itself, and what it looks for
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait((task,), timeout=10)
        assert task.cancelled()
        assert pair.on_standby(running) == [(1,)]


async def test_a_standby_that_is_silent_is_given_up(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            pid = (await batch.read("SELECT pg_catalog.pg_backend_pid()::text")).rows[0][0]
            os.kill(int(pid or 0), signal.SIGSTOP)
            try:
                rows = (await batch.read("SELECT pg_catalog.pg_is_in_recovery()::text", timeout_ms=100)).rows
            finally:
                os.kill(int(pid or 0), signal.SIGCONT)
            assert rows == (("false",),)
        assert said == ["it does not answer"]


async def test_a_standby_that_is_silent_while_a_batch_ends_is_given_up(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            pid = int((await batch.read("SELECT pg_catalog.pg_backend_pid()::text")).rows[0][0] or 0)
            os.kill(pid, signal.SIGSTOP)
        try:
            assert len(said) == 1
            async with probing.batch() as batch:
                assert not await _is_on_standby(batch)
        finally:
            os.kill(pid, signal.SIGCONT)


async def test_a_cancellation_while_a_batch_ends_is_not_lost(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        stopped: list[int] = []
        entered = asyncio.Event()

        async def ends() -> None:
            async with probing.batch() as batch:
                stopped.append(
                    int((await batch.read("SELECT pg_catalog.pg_backend_pid()::text")).rows[0][0] or 0)
                )
                os.kill(stopped[0], signal.SIGSTOP)
                entered.set()
            async with probing.batch():
                raise AssertionError("it goes on")

        task = asyncio.create_task(ends())
        await entered.wait()
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait((task,), timeout=20)
        os.kill(stopped[0], signal.SIGCONT)
        assert task.cancelled()
        assert len(said) == 1


async def test_what_a_standby_lacks_is_asked_of_the_backend(pair: Pair) -> None:
    pair.on_primary("CREATE UNLOGGED TABLE seals AS SELECT generate_series(1, 9) AS n")
    pair.caught_up()
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            assert (await batch.run("SELECT count(*) FROM seals")).rows == (("9",),)
            assert not await _is_on_standby(batch)
        async with probing.batch() as batch:
            assert await _is_on_standby(batch), "the standby is not lost"
        assert said == []


async def test_a_role_that_is_gone_is_no_fault_of_a_statement(pair: Pair) -> None:
    pair.on_primary("CREATE ROLE passing")
    pair.caught_up()
    async with _probing(pair, AskerState("passing", ())) as (probing, _):
        async with probing.batch() as batch:
            assert await _is_on_standby(batch)
        pair.on_primary("DROP ROLE passing")
        pair.caught_up()
        async with probing.batch() as batch:
            assert (await batch.run(_COUNT)).rows == (("100",),)


async def test_the_standby_stops(pair: Pair) -> None:
    async with _probing(pair) as (probing, said):
        async with probing.batch() as batch:
            assert await _is_on_standby(batch)
            await asyncio.to_thread(pair.standby.stop)
            try:
                assert not await _is_on_standby(batch)
            finally:
                await asyncio.to_thread(pair.standby.start)
        async with probing.batch() as batch:
            assert not await _is_on_standby(batch)
        assert len(said) == 1
