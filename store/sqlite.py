"""The default store: one SQLite file behind one thread of its own.

Owns: that no question ever waits for a disk. Changes go into a bounded queue and are written in batches;
while the file cannot be used they wait there, and what does not fit is lost, counted and logged.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from askwire.core.errors import StoreFailed
from askwire.core.failures import reason
from askwire.core.protocols import About, Change, R, StoreStatus
from askwire.core.records import Record
from askwire.store.retention import Retention
from askwire.store.sqlite_file import RECORD_ERRORS, NewerFile, SqliteFile

log = logging.getLogger("askwire.store")

T = TypeVar("T")

_Change: TypeAlias = "Record | tuple[type[Record], str]"
_Read: TypeAlias = "tuple[int, Future[Any], Callable[[SqliteFile], Any]]"
"""The number of the change that it follows, its answer, and what reads it."""
_Wish: TypeAlias = "tuple[Future[None], Sequence[_Change]]"

_CHANGES_PER_WRITE: Final = 500
_SWEEP_STEP_SECONDS: Final = 0.02
"""Seconds that old records are deleted for in a row."""
_TROUBLES: Final = (sqlite3.Error, OSError, NewerFile)
_NOT_WRITTEN: Final = "the store cannot be written"


_LOOK_INTERVAL_SECONDS: Final = 0.5
"""Seconds between two looks whether another process has written to the file."""


class SqliteStore:
    """`core.protocols.Store` over the file at `path`, which is opened (and made) when it is first needed.

    `capacity` bounds the changes that wait; `retry_after` is how many seconds a file that could not be used
    is left alone; `sweep_every` how often old records are looked for; `wall` tells the time of day. `close`
    waits `goodbye` seconds at most.
    """

    def __init__(
        self,
        path: Path,
        *,
        retention: Retention | None = None,
        capacity: int = 2000,
        retry_after: float = 2.0,
        sweep_every: float = 3600.0,
        goodbye: float = 3.0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._retention = retention or Retention()
        self._capacity = capacity
        self._retry_after = retry_after
        self._sweep_every = sweep_every
        self._goodbye = goodbye
        self._wall = wall
        self._changes: deque[_Change] = deque()
        self._reads: deque[_Read] = deque()
        self._wishes: deque[_Wish] = deque()
        self._work = threading.Condition()
        self._file: SqliteFile | None = None
        self._known = False
        self._blocked_until = 0.0
        self._swept_at: float | None = None
        self._sweeping: Iterator[int] | None = None
        self._written = self._lost = 0
        self._done = 0
        """The number of the last change that waits no more."""
        self._last: dict[type[Record], int] = {}
        """By kinds the number of the last change that was queued."""
        self._trouble = ""
        self._full = False
        self._closing = False
        self._watcher: tuple[asyncio.AbstractEventLoop, Callable[[Sequence[Change]], None]] | None = None
        self._version = 0
        self._missed = False
        self._thread = threading.Thread(target=self._run, name="askwire-store", daemon=True)
        self._thread.start()

    # -- what askers call ----------------------------------------------------------------------------------

    def put(self, *records: Record) -> None:
        """Keep records."""
        self._queue(records)

    def remove(self, kind: type[Record], key: str) -> None:
        """Forget one record."""
        self._queue(((kind, key),))

    def _queue(self, changes: Sequence[_Change]) -> None:
        with self._work:
            room = 0 if self._closing else max(0, self._capacity - len(self._changes))
            for change in changes[:room]:
                self._changes.append(change)
                kind = change[0] if isinstance(change, tuple) else type(change)
                self._last[kind] = self._done + len(self._changes)
            lost = len(changes) - min(room, len(changes))
            self._lost += lost
            warn = bool(lost) and not self._full
            self._full = self._full or bool(lost)
            self._work.notify()
        if warn:
            log.warning("the store %s falls behind: records are lost until it can be written", self.path)

    async def keep(
        self,
        *changes: _Change,
        timeout: float = 2.0,  # noqa: ASYNC109 - a bound on the thread's answer
    ) -> None:
        """Keep records and forget (kind, key) pairs, all of them; more as `core.protocols.Store` says."""
        future: Future[None] = Future()
        with self._work:
            if self._closing:
                raise StoreFailed(f"{_NOT_WRITTEN}: the store is closed")
            self._wishes.append((future, changes))
            # somebody waits: a file that was left alone for a while is tried
            self._blocked_until = 0.0
            self._work.notify()
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wrap_future(future)
        except TimeoutError:
            if future.cancelled():
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
        return await self._read(
            kind, lambda file: file.read(kind, wanted, limit, said, before, about), timeout
        )

    async def count(
        self,
        kind: type[Record],
        equal: Mapping[str, str | bool] | None = None,
        *,
        limit: int = 1000,
        timeout: float = 0.25,  # noqa: ASYNC109 - a bound on the thread's answer
    ) -> int:
        """How many records `find` would return."""
        wanted = dict(equal or {})
        return await self._read(kind, lambda file: file.count(kind, wanted, limit), timeout)

    async def _read(self, kind: type[Record], read: Callable[[SqliteFile], T], seconds: float) -> T:
        """What the thread reads of the file once all of its kind is written that was put before.

        Raises StoreFailed when it cannot, or not in time.
        """
        future: Future[T] = Future()
        with self._work:
            if self._closing:
                raise StoreFailed("the store cannot be read: the store is closed")
            self._reads.append((self._last.get(kind, 0), future, read))
            self._work.notify()
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise StoreFailed("the store cannot be read in time") from None

    def watch(self, seen: Callable[[Sequence[Change]], None]) -> None:
        """Have `seen` called on the running event loop after another process has written to the file."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # nothing runs yet that could hold a cache
        with self._work:
            self._watcher = (loop, seen)
            self._work.notify()

    @property
    def status(self) -> StoreStatus:
        """How it fares."""
        return StoreStatus(len(self._changes), self._written, self._lost, self._trouble, room=self._capacity)

    async def close(self) -> None:
        """Write what waits, for a bounded time, and let go of the file."""
        with self._work:
            self._closing = True
            self._blocked_until = 0.0
            self._work.notify()
        await asyncio.to_thread(self._thread.join, self._goodbye)

    # -- the thread ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(self._has_work, timeout=self._patience())
                changes = list(self._changes)[:_CHANGES_PER_WRITE]
                reads = len(self._reads)
                wishes = list(self._wishes)
                everything = len(changes) == len(self._changes)
                closing = self._closing
            usable = self._serve(changes, wanted=bool(changes or reads or wishes))
            if everything or not usable:
                # what was queued before a wish is written before it
                usable = self._grant(wishes, usable=usable)
            self._answer(self._ready(reads, usable=usable), usable=usable)
            self._look(usable=usable)
            if closing and (not usable or not self._changes):
                break
        self._end()

    def _ready(self, count: int, *, usable: bool) -> Sequence[_Read]:
        """Take those of the first `count` reads that wait for no change, or for none that can be written."""
        ready: list[_Read] = []
        with self._work:
            for one in [self._reads.popleft() for _ in range(count)]:
                (self._reads if usable and one[0] > self._done else ready).append(one)
        return ready

    def _has_work(self) -> bool:
        may_write = bool(self._changes) and time.monotonic() >= self._blocked_until
        return bool(self._reads or self._wishes) or may_write or self._closing

    def _patience(self) -> float:
        """Seconds until there is something to do without a request."""
        if self._sweeping is not None:
            return 0.0
        if self._changes and self._blocked_until:
            return max(0.01, self._blocked_until - time.monotonic())
        return min(_LOOK_INTERVAL_SECONDS, self._sweep_every) if self._watcher else self._sweep_every

    def _look(self, *, usable: bool) -> None:
        """Tell who watches that another process has written to the file, or may have while it was away."""
        if self._watcher is None or self._file is None or not usable or self._closing:
            return
        try:
            version = self._file.version()
        except _TROUBLES:
            return  # what is wanted of the file next will meet it, and say so
        missed, self._missed = self._missed, False
        before, self._version = self._version, version
        if missed or before not in (0, version):
            loop, seen = self._watcher
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(seen, (Change(),))

    def _serve(self, changes: Sequence[_Change], *, wanted: bool) -> bool:
        """Write changes; whether the file can be used. It is opened when somebody wants something of it."""
        if time.monotonic() < self._blocked_until:
            return False
        if self._file is None and not wanted:
            return True
        try:
            if self._file is None:
                self._file = SqliteFile(self.path)
                if self._known and self._file.was_empty:
                    log.warning("the store %s is empty now: somebody else emptied it", self.path)
                self._known = True
            elif wanted:
                self._file = self._in_place(self._file)
            if changes:
                refused = self._file.write(changes)
                self._taken(len(changes), refused)
            self._sweep(self._file)
        except _TROUBLES as error:
            self._fail(error)
            return False
        if self._trouble:
            log.warning("the store %s can be used again", self.path)
            self._trouble = ""
        return True

    def _in_place(self, file: SqliteFile) -> SqliteFile:
        """The file that its path leads to: made again with all it held where somebody removed it."""
        displaced = file.displaced
        if not displaced:
            return file
        self._missed, self._sweeping = True, None
        if displaced == "removed":
            again = file.made_again()
            log.warning(
                "the store %s was removed while in use; it is made again, with all it held", self.path
            )
        else:
            again = SqliteFile(self.path)
            log.warning("the store %s was replaced while in use; from now on the new file is used", self.path)
            with suppress(sqlite3.Error):
                file.close()
        return again

    def _grant(self, wishes: Sequence[_Wish], *, usable: bool) -> bool:
        """Write what somebody waits for, each wish whole or not at all; whether the file can be used."""
        for future, changes in wishes:
            with self._work:
                self._wishes.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if self._file is None or not usable:
                    raise StoreFailed(f"{_NOT_WRITTEN}: {self._trouble}")
                self._file.write(changes, whole=True)
            except StoreFailed as error:
                future.set_exception(error)
            except (*_TROUBLES, *RECORD_ERRORS) as error:
                if not isinstance(error, RECORD_ERRORS):
                    self._fail(error)
                    usable = False
                future.set_exception(StoreFailed(f"{_NOT_WRITTEN}: {reason(error)}"))
            else:
                with self._work:
                    self._written += len(changes)
                future.set_result(None)
        return usable

    def _taken(self, count: int, refused: int) -> None:
        with self._work:
            for _ in range(count):
                self._changes.popleft()
            self._done += count
            self._written += count - refused
            self._lost += refused
            self._full = False
        if refused:
            log.warning("%d records cannot be kept in the store %s", refused, self.path)

    def _sweep(self, file: SqliteFile) -> None:
        """Go on with a sweep that is due, for so long that who reads does not wait for the rest of it."""
        now = time.monotonic()
        if self._sweeping is None:
            if self._swept_at is not None and now - self._swept_at < self._sweep_every:
                return
            self._sweeping = file.sweeping(self._retention, self._wall())
        for _ in self._sweeping:
            if time.monotonic() - now > _SWEEP_STEP_SECONDS:
                return
        self._sweeping, self._swept_at = None, now

    def _answer(self, reads: Sequence[_Read], *, usable: bool) -> None:
        for _, future, read in reads:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                # a file that cannot be written may still be read
                if self._file is None:
                    raise StoreFailed(f"the store cannot be read: {self._trouble}")
                future.set_result(read(self._file))
            except StoreFailed as error:
                future.set_exception(error)
            except _TROUBLES as error:
                if usable:
                    self._fail(error)
                future.set_exception(StoreFailed(f"the store cannot be read: {reason(error)}"))
            except ValueError as error:
                future.set_exception(error)

    def _fail(self, error: Exception) -> None:
        """The file is left alone for a while; a locked one stays open."""
        trouble = reason(error)
        if not self._trouble:
            log.warning("the store %s cannot be used: %s", self.path, trouble)
        self._trouble, self._missed, self._sweeping = trouble, True, None
        self._blocked_until = time.monotonic() + self._retry_after
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        # a file that is gone from its place, and cannot be made again yet, is all there is of what it holds
        if self._file is not None and code not in _READABLE and not isinstance(error, OSError):
            with suppress(sqlite3.Error):
                self._file.close()
            self._file = None

    def _end(self) -> None:
        with self._work:
            self._lost += len(self._changes)
            lost = len(self._changes)
            self._changes.clear()
            reads = list(self._reads)
            self._reads.clear()
            wishes = list(self._wishes)
            self._wishes.clear()
        for wish, _ in wishes:
            if wish.set_running_or_notify_cancel():
                wish.set_exception(StoreFailed(f"{_NOT_WRITTEN}: the store is closed"))
        if lost:
            log.warning("%d records were not written to the store %s", lost, self.path)
        for _, future, _ in reads:
            if future.set_running_or_notify_cancel():
                future.set_exception(StoreFailed("the store cannot be read: the store is closed"))
        if self._file is not None:
            with suppress(sqlite3.Error):
                self._file.close()


_READABLE: Final = frozenset(
    (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
)
"""Errors after which what is in the file can still be read."""
