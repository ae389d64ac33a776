"""The store of several processes: a PostgreSQL database behind one thread with a loop of its own.

Owns: that an ASK never waits for the database longer than it says. Changes go into a bounded queue and are
written in batches; during an outage they wait there. What is asked to be kept is written again after a
connection was lost in its middle, because to put a record twice is to put it once.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar

import psycopg

from askwire.core.errors import StoreFailed
from askwire.core.protocols import About, Change, R, StoreStatus
from askwire.core.records import Record
from askwire.store.postgres import retention as retaining
from askwire.store.postgres import writing
from askwire.store.postgres.address import PostgresOptions, check_schema
from askwire.store.postgres.changes import Watcher
from askwire.store.postgres.gateway import FAILURES, Connection, Gateway, not_read
from askwire.store.postgres.queue import Change as Wanted
from askwire.store.postgres.queue import ChangeQueue, QueuedChange
from askwire.store.postgres.rows import Statements, Unkeepable, parameters, record
from askwire.store.postgres.trouble import Fault, fault, phrase
from askwire.store.retention import Retention
from askwire.store.tables import table, those_about

log = logging.getLogger("askwire.store")

T = TypeVar("T")

_RECORDS_PER_WRITE: Final = 500
_FETCH_ROWS: Final = 500
"""Rows that are made records before others get their turn."""
_NOT_WRITTEN: Final = "the store cannot be written"
_NOT_READ: Final = "the store cannot be read"
_WRITE_TIMEOUT_SECONDS: Final = 15.0
_SWEEP_TIMEOUT_SECONDS: Final = 300.0
_SWEEP_RETRY_SECONDS: Final = 5.0
"""Seconds until partitions are tried again that could not be made, because others held a lock, say."""
_PAUSE_SECONDS: Final = 0.05


@dataclass
class _Wish:
    """Changes that a session waits for, until `by`; they follow the change number `behind`."""

    changes: Sequence[Wanted]
    by: float
    behind: int
    future: Future[None] = field(default_factory=Future)
    begun: bool = False


class PostgresStore:
    """`core.protocols.Store` over the database of a URL, which is connected to at once, in a thread.

    `retry_after` is how many seconds a database that could not be used is left alone; `sweep_every` how often
    old records are looked for; `wall` tells the time of day. `close` waits `goodbye` seconds at most.
    Raises ConfigurationError for a URL that cannot be read, or without psycopg.
    """

    def __init__(
        self,
        url: str,
        *,
        options: PostgresOptions | None = None,
        retention: Retention | None = None,
        retry_after: float = 1.0,
        sweep_every: float = 3600.0,
        goodbye: float = 5.0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        options = options or PostgresOptions()
        self._schema = check_schema(options.schema)
        self._statements = Statements(self._schema)
        self._retention = retention or Retention()
        self._sweep_every = sweep_every
        self._goodbye = goodbye
        self._wall = wall
        self._room = options.queue
        self._queue = ChangeQueue(options.queue)
        self._wishes: deque[_Wish] = deque()
        self._written = self._lost = 0
        self._full = self._closing = False
        self._lock = threading.Lock()
        self._watching: tuple[asyncio.AbstractEventLoop, Callable[[Sequence[Change]], None]] | None = None
        self._work = asyncio.Event()
        self._progress = asyncio.Event()
        self._gateway = Gateway(url, options, retry_after=retry_after, usable=self._work.set)
        self._loop = asyncio.SelectorEventLoop()
        self._watcher = Watcher(self._gateway, self._seen)
        self._thread = threading.Thread(target=self._run, name="askwire-store", daemon=True)
        self._thread.start()

    # -- what askers call ----------------------------------------------------------------------------------

    def put(self, *records: Record) -> None:
        """Keep records."""
        self._wait(records)

    def remove(self, kind: type[Record], key: str) -> None:
        """Forget one record."""
        self._wait(((kind, key),))

    def _wait(self, changes: Sequence[Wanted]) -> None:
        lost = len(changes) if self._closing else self._queue.put(changes)
        with self._lock:
            self._lost += lost
            warn = bool(lost) and not self._full
            self._full = self._full or bool(lost)
        if warn:
            log.warning("the store %s falls behind: records are lost until it can be written", self.shown)
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._work.set)

    async def keep(
        self,
        *changes: Wanted,
        timeout: float = 2.0,  # noqa: ASYNC109 - a bound on the thread's answer
    ) -> None:
        """Keep records and forget (kind, key) pairs, all of them; more as `core.protocols.Store` says."""
        wish = _Wish(changes, time.monotonic() + timeout, self._queue.last)
        with self._lock:
            if self._closing:
                raise StoreFailed(f"{_NOT_WRITTEN}: the store is closed")
            self._wishes.append(wish)
        self._wake()
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wrap_future(wish.future)
        except TimeoutError:
            if wish.future.cancelled():
                raise StoreFailed(f"{_NOT_WRITTEN} in time") from None
            raise StoreFailed("the store did not confirm in time that this is written") from None

    async def find(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool] | None = None,
        *,
        about: About | None = None,
        words: str = "",
        before: tuple[float, str] | None = None,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - a bound on the thread's answer
    ) -> Sequence[R]:
        """Records whose fields equal the given values, latest first; more as `core.protocols.Store` says."""
        wanted, said = dict(equal or {}), words.split()
        select = self._statements.select(
            kind, tuple(wanted), about=about, words=len(said), before=before is not None
        )
        equal_to = (*([[*about.values, ""]] if about else ()), *wanted.values())
        given = parameters(equal_to, len(table(kind).searched), said, before, limit)

        async def read(connection: Connection) -> Sequence[R]:
            cursor = await connection.execute(select, given)
            found: list[R] = []
            while rows := await cursor.fetchmany(_FETCH_ROWS):
                found += [record(kind, values) for values in rows]
                await asyncio.sleep(0)
            return those_about(found, about)

        return await self._read(kind, read, timeout)

    async def count(
        self,
        kind: type[Record],
        equal: Mapping[str, str | bool] | None = None,
        *,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - a bound on the thread's answer
    ) -> int:
        """How many records `find` would return."""
        counting = self._statements.count(kind, tuple(equal or {}))

        async def read(connection: Connection) -> int:
            row = await (await connection.execute(counting, (*(equal or {}).values(), limit))).fetchone()
            return int(row[0]) if row else 0

        return await self._read(kind, read, timeout)

    async def _read(
        self, kind: type[Record], read: Callable[[Connection], Awaitable[T]], seconds: float
    ) -> T:
        if self._closing:
            raise StoreFailed(f"{_NOT_READ}: the store is closed")
        reading = asyncio.run_coroutine_threadsafe(self._reading(kind, read, self._queue.last), self._loop)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(reading)
        except TimeoutError:
            raise StoreFailed(f"{_NOT_READ} in time") from None

    def watch(self, seen: Callable[[Sequence[Change]], None]) -> None:
        """Call `seen` in the running loop with what other processes change."""
        self._watching = (asyncio.get_running_loop(), seen)

    @property
    def status(self) -> StoreStatus:
        """How it fares."""
        return StoreStatus(
            len(self._queue),
            self._written,
            self._lost,
            self._gateway.trouble,
            room=self._room,
            news=self._watcher.way,
        )

    @property
    def shown(self) -> str:
        """Its URL without a password."""
        return self._gateway.shown

    async def close(self) -> None:
        """Write what waits, for a bounded time, and let go of all connections."""
        with self._lock:
            self._closing = True
        self._watching = None
        self._wake()
        await asyncio.to_thread(self._thread.join, self._goodbye + 2.0)

    # -- the thread ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        finally:
            self._end()

    async def _serve(self) -> None:
        writing_on = asyncio.create_task(self._write())
        others = [asyncio.create_task(work()) for work in (self._gateway.run, self._watcher.run, self._sweep)]
        while not self._closing and not writing_on.done():
            await asyncio.wait([writing_on], timeout=_PAUSE_SECONDS)
        self._gateway.hurry()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._goodbye):
                await asyncio.shield(writing_on)
        for task in (writing_on, *others):
            task.cancel()
        await asyncio.gather(writing_on, *others, return_exceptions=True)
        await self._gateway.close()

    def _seen(self, changes: Sequence[Change]) -> None:
        watching = self._watching
        if watching is not None:
            loop, seen = watching
            with suppress(RuntimeError):  # that loop has ended
                loop.call_soon_threadsafe(seen, changes)

    async def _reading(
        self, kind: type[Record], read: Callable[[Connection], Awaitable[T]], behind: int
    ) -> T:
        """What is read once all of its kind is written that was put before, as far as anything can be."""
        while self._queue.oldest(kind) <= behind and not self._gateway.trouble:
            self._progress.clear()
            await self._progress.wait()
        for last in (False, True):
            try:
                async with self._gateway.connection() as connection:
                    return await read(connection)
            except FAILURES as error:
                lost = isinstance(error, psycopg.Error) and fault(error) in (Fault.LOST, Fault.POOLER)
                # a policy reads asked after trace, and who makes a partition locks them the other way round
                if last or not (lost or isinstance(error, psycopg.errors.DeadlockDetected)):
                    raise not_read(error) from None
        raise AssertionError

    async def _write(self) -> None:
        """Write what waits, until the store is closed and nothing does."""
        while not (self._closing and not self._queue and not self._wishes):
            if not self._queue and not self._wishes:
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await self._work.wait()
                self._work.clear()
                continue
            if not self._gateway.is_open:
                self._progress.set()
                if self._wishes:
                    self._gateway.hurry()
                await self._gateway.wait_usable(_PAUSE_SECONDS)
                self._refuse_late()
                continue
            wish = self._wishes[0] if self._wishes else None
            if self._queue and (wish is None or self._queue.oldest() <= wish.behind):
                await self._flush()
            elif wish is not None:
                await self._grant(wish)

    async def _flush(self) -> None:
        """Write a batch of what waits."""
        some = self._queue.some(_RECORDS_PER_WRITE)
        try:
            refused = await self._transact(lambda c: self._batch(c, some))
        except FAILURES as error:
            self._tried(error)
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            self._queue.done(some)
            with self._lock:
                self._written += len(some) - refused
                self._lost += refused
                self._full = False
            if refused:
                log.warning("%d records cannot be kept in the store %s", refused, self.shown)
        self._progress.set()

    async def _batch(self, connection: Connection, some: Sequence[QueuedChange]) -> int:
        changes = [entry.change for entry in some]
        return await writing.write(connection, self._statements, changes, self._watcher.origin)

    async def _transact(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with asyncio.timeout(_WRITE_TIMEOUT_SECONDS), self._gateway.connection() as connection:
            return await work(connection)

    def _tried(self, error: BaseException) -> None:
        """Note a failure that no connection noticed: a server that is too slow, or gone without a word."""
        if isinstance(error, TimeoutError):
            self._gateway.failed(error, at_once=False)

    async def _grant(self, wish: _Wish) -> None:
        """Write what somebody waits for, whole or not at all; it stays where it may help to try again."""
        if not wish.begun and not wish.future.set_running_or_notify_cancel():
            self._wishes.popleft()
            return
        wish.begun = True
        try:
            await self._transact(
                lambda c: writing.write_whole(c, self._statements, wish.changes, self._watcher.origin)
            )
        except Unkeepable as error:
            self._answer(wish, f"{_NOT_WRITTEN}: {error}")
        except FAILURES as error:
            self._tried(error)
            what = fault(error)
            if what in (Fault.RECORD, Fault.REFUSED):
                self._answer(wish, f"{_NOT_WRITTEN}: {phrase(error)}")
            else:
                await asyncio.sleep(_PAUSE_SECONDS / 5)
                self._refuse_late()
        else:
            with self._lock:
                self._written += len(wish.changes)
            self._answer(wish, "")

    def _answer(self, wish: _Wish, trouble: str) -> None:
        self._wishes.remove(wish)
        if trouble:
            wish.future.set_exception(StoreFailed(trouble))
        else:
            wish.future.set_result(None)

    def _refuse_late(self) -> None:
        """Drop changes that no session waits for, and refuse in time those that cannot be written."""
        now = time.monotonic()
        for wish in list(self._wishes):
            if wish.begun and now >= wish.by:
                self._answer(wish, "the store did not confirm in time that this is written")
            elif not wish.begun and (wish.future.cancelled() or self._closing or now >= wish.by - 0.25):
                # not begun: nothing of it is written, now or later
                if wish.future.set_running_or_notify_cancel():
                    self._answer(wish, f"{_NOT_WRITTEN}: {self._gateway.trouble or 'it is not connected'}")
                else:
                    self._wishes.remove(wish)

    async def _sweep(self) -> None:
        """Make partitions ahead of time and let old records go, now and then."""
        while True:
            await self._gateway.wait_usable(3600)
            pause = self._sweep_every
            try:
                async with asyncio.timeout(_SWEEP_TIMEOUT_SECONDS), self._gateway.connection() as connection:
                    await retaining.sweep(connection, self._schema, self._retention, self._wall())
            except FAILURES as error:
                log.debug("old records of the store %s stay for now: %s", self.shown, phrase(error))
                pause = min(pause, _SWEEP_RETRY_SECONDS)
            await asyncio.sleep(pause)

    def _end(self) -> None:
        self._closing = True
        lost = self._queue.clear()
        self._lost += lost
        for wish in list(self._wishes):
            if wish.begun or wish.future.set_running_or_notify_cancel():
                self._answer(wish, f"{_NOT_WRITTEN}: the store is closed")
        if lost:
            log.warning("%d records were not written to the store %s", lost, self.shown)
