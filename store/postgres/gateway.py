"""The connections to the store's database: opened, checked, and opened again after an outage.

Owns: the pool, whether the database can be used at the moment and why not, and what a pooler in between
changes. Used in one event loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeAlias

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from askwire.core.errors import StoreFailed
from askwire.store.postgres import schema as schemas
from askwire.store.postgres.address import PostgresOptions, conninfo, without_password
from askwire.store.postgres.trouble import Fault, StoreUnusable, fault, phrase

log = logging.getLogger("askwire.store")

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"
Pool: TypeAlias = "AsyncConnectionPool[Connection]"

FAILURES: Final = (psycopg.Error, OSError, TimeoutError, PoolTimeout, PoolClosed, StoreUnusable)
"""What a connection's use raises where the database, or the way to it, is to blame."""

_OPEN_TIMEOUT_SECONDS: Final = 10.0
_JUST_OPENED_SECONDS: Final = 1.0
"""Seconds in which connections that were opened should not fail."""


class Gateway:
    """Connections of one URL; `run` keeps them open, `told` is called when that begins and ends to be so."""

    def __init__(
        self, url: str, options: PostgresOptions, *, retry_after: float, usable: Callable[[], None]
    ) -> None:
        self.shown = without_password(url)
        self.schema = options.schema
        self.conninfo = conninfo(url)
        self._connections = options.connections
        self._retry_after = retry_after
        self._told = usable
        self._pool: Pool | None = None
        self._open = asyncio.Event()
        self._again = asyncio.Event()
        self._opened = 0.0
        self._failure: BaseException | None = None
        self.trouble = ""
        self.pooled = False
        """Whether a pooler stands in between, which gives a session to many."""

    async def run(self) -> None:
        """Open connections, and again whenever they fail."""
        while True:
            try:
                async with asyncio.timeout(_OPEN_TIMEOUT_SECONDS):
                    await self._connect()
            except FAILURES as error:
                self._note(phrase(error))
                await self._pause()
                continue
            if self.trouble:
                log.warning("the store %s can be used again", self.shown)
            self.trouble = ""
            self._again.clear()
            self._opened = time.monotonic()
            self._open.set()
            self._told()
            await self._again.wait()
            self._again.clear()
            await self._let_go()
            if self._failure is not None:
                self._note(phrase(self._failure))
                self._failure = None
                await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._retry_after):
                await self._again.wait()
        self._again.clear()

    async def connect(self, *, autocommit: bool = True) -> Connection:
        """A connection beside the pool; raises one of FAILURES."""
        return await psycopg.AsyncConnection.connect(
            self.conninfo, autocommit=autocommit, prepare_threshold=None if self.pooled else 5
        )

    async def _connect(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            self.conninfo, autocommit=True, prepare_threshold=None
        )
        async with connection:
            found = await (await connection.execute(b"SELECT pg_backend_pid()")).fetchone()
            # a pooler gives its client a number of its own
            self.pooled = found is not None and found[0] != connection.info.backend_pid
            if await schemas.prepare(connection, self.schema):
                log.info("the schema %s of the store %s was made or moved forward", self.schema, self.shown)
        pool: Pool = AsyncConnectionPool(
            self.conninfo,
            min_size=1,
            max_size=self._connections,
            open=False,
            kwargs={"autocommit": True, "prepare_threshold": None if self.pooled else 5},
            max_idle=60.0,
            reconnect_timeout=_OPEN_TIMEOUT_SECONDS,
            name="askwire-store",
        )
        try:
            await pool.open(wait=True, timeout=_OPEN_TIMEOUT_SECONDS)
        except BaseException:
            await pool.close(timeout=2.0)
            raise
        self._pool = pool

    @asynccontextmanager
    async def connection(self, *, patience: float = 5.0) -> AsyncIterator[Connection]:
        """A connection for one piece of work, in autocommit mode.

        What fails in it for want of the server has all of them opened again. Raises StoreUnusable at once
        while the database is known to be in trouble, and what the work raises.
        """
        if not self._open.is_set():
            if self.trouble:
                raise StoreUnusable(self.trouble)
            async with asyncio.timeout(patience):
                await self._open.wait()
        pool = self._pool
        if pool is None:
            raise StoreUnusable(self.trouble or "it is not connected yet")
        try:
            async with pool.connection(timeout=patience) as connection:
                yield connection
        except psycopg.Error as error:
            what = fault(error)
            self.pooled = self.pooled or what is Fault.POOLER
            if what not in (Fault.RECORD, Fault.AGAIN):
                self.failed(error, pool, at_once=what is not Fault.REFUSED)
            raise

    def failed(self, error: BaseException, pool: Pool | None = None, *, at_once: bool = True) -> None:
        """Have all connections opened again, where they are those that failed.

        `at_once` where that may help; when it just did not, or else, it is left alone for a while.
        """
        if not self._open.is_set() or (pool is not None and pool is not self._pool):
            return
        log.debug("a connection to the store %s failed: %s", self.shown, phrase(error))
        if not at_once or time.monotonic() - self._opened < _JUST_OPENED_SECONDS:
            self._failure = error
        self._open.clear()
        self._again.set()

    def hurry(self) -> None:
        """Try at once: somebody waits."""
        if not self._open.is_set():
            self._again.set()

    async def wait_usable(self, seconds: float) -> bool:
        """Whether it can be used within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._open.wait()
        return self._open.is_set()

    @property
    def is_open(self) -> bool:
        """Whether it can be used, as far as is known."""
        return self._open.is_set()

    def _note(self, trouble: str) -> None:
        if not self.trouble:
            log.warning("the store %s cannot be used: %s", self.shown, trouble)
        self.trouble = trouble

    async def _let_go(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            with suppress(*FAILURES):
                await pool.close(timeout=2.0)

    async def close(self) -> None:
        """Let go of all connections."""
        self._open.clear()
        await self._let_go()


def not_read(error: BaseException) -> StoreFailed:
    """The error of a reader."""
    return StoreFailed(f"the store cannot be read: {phrase(error)}")
