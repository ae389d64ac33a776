"""Work on text that a machine wrote, beside the event loop and with an end.

All such work goes through here: the loop that relays other sessions' bytes never runs it. It runs in one of
a few threads: Python gives the loop its turn every `SWITCH_SECONDS`, and the limits of `sql.safety` keep
each single call into C short. A worker process could be killed, but would need the asker's catalog and every
parse tree sent to it; a thread needs neither, and what it runs is ended by an exception raised in it.

`beside` runs one function. `stepwise` runs a coroutine whose steps are such work, the verifier's or the
selector's: each step between two awaits runs in a thread, and what the coroutine waits for (`on_loop`) runs
on the loop. So code that mixes thought and statements needs no thread of its own at each place.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import inspect
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from functools import cache, partial
from typing import Any, Final, TypeVar, cast

from askwire.core.errors import TookTooLong

MAX_STEP_SECONDS: Final = 2.0
"""Seconds of its own processor time that one piece of work may take; the largest admitted text takes a
fraction of one."""
_BUSY_MACHINE_FACTOR: Final = 5
"""How many times as long it may take on a machine whose processors are busy with other work."""
SWITCH_SECONDS: Final = 0.0005
"""How long a thread holds the interpreter while another waits: relaying one message waits a few times."""
_MAX_THREADS: Final = 4
"""Pieces of work at a time; more would share the same interpreter."""
_RETRY_SECONDS: Final = 0.05
"""Seconds after which work that has caught its end is ended once more."""
_EXCEPTION_DELIVERY_TURNS: Final = 100
"""Turns of a loop within which an exception that was set for a thread is raised in it: the first, so far."""

_T = TypeVar("_T")
_in_step: ContextVar[bool] = ContextVar("askwire_in_step", default=False)
_turn: ContextVar[asyncio.Lock | None] = ContextVar("askwire_turn", default=None)
"""Of one coroutine and all that it starts a single step runs at a time: what they share needs no lock."""


def give_way() -> None:
    """Have threads give the interpreter back sooner; for the process that serves."""
    sys.setswitchinterval(SWITCH_SECONDS)


async def beside(work: Callable[..., _T], *args: Any, seconds: float = MAX_STEP_SECONDS, **named: Any) -> _T:
    """What a function returns or raises, run beside the event loop.

    Raises TookTooLong where it takes more than `seconds` of processor time, or several times as long by the
    clock. It has ended when this returns or is cancelled.
    In a step of `stepwise` it runs at once: the step is beside the loop already.
    """
    call = partial(work, *args, **named)
    if _in_step.get():
        return call()
    context = copy_context()
    context.run(_in_step.set, True)
    piece = _Piece(call, context)
    if await piece.ended(seconds):
        raise asyncio.CancelledError
    return cast(_T, piece.result())


async def stepwise(work: Coroutine[Any, Any, _T], *, seconds: float = MAX_STEP_SECONDS) -> _T:
    """What a coroutine returns or raises, each of its steps run beside the event loop.

    It may wait for nothing but `on_loop`, and for coroutines that do so. A step that takes longer than
    `seconds` meets TookTooLong, and may go on from there.
    """
    if _in_step.get():
        return await work
    turn = _turn.get() or asyncio.Lock()
    outer = _turn.set(turn)
    try:
        return await _in_steps(work, turn, seconds)
    finally:
        _turn.reset(outer)
        if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
            work.close()  # canceled while another had the turn: it was never begun


async def _in_steps(work: Coroutine[Any, Any, _T], turn: asyncio.Lock, seconds: float) -> _T:
    context = copy_context()
    context.run(_in_step.set, True)
    advance: Callable[[], Any] = partial(work.send, None)
    while True:
        async with turn:
            piece = _Piece(partial(_step, advance), context)
            cancelled = await piece.ended(seconds)
        wanted, finished = piece.result()
        if finished:
            if cancelled:
                raise asyncio.CancelledError
            return cast(_T, wanted)
        try:
            if cancelled and not piece.interrupted:
                wanted.close()
                raise asyncio.CancelledError
            # where the step met the cancellation, this is part of how it cleans up
            advance = partial(work.send, await wanted.coroutine)
        except BaseException as error:  # noqa: BLE001 - thrown into the coroutine, which deals with it
            advance = partial(work.throw, error)


async def on_loop(work: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine returns or raises, run on the event loop, from a step of `stepwise` or elsewhere."""
    return cast(_T, await _StepWait(work)) if _in_step.get() else await work


def _step(advance: Callable[[], Any]) -> tuple[Any, bool]:
    """What the coroutine waits for, or what it returns and True."""
    try:
        wanted = advance()
    except StopIteration as end:
        return end.value, True
    if not isinstance(wanted, _StepWait):
        raise RuntimeError(f"a step waits for {wanted!r}, which is not behind on_loop")
    return wanted, False


class _StepWait(Awaitable[Any]):
    """What a step waits for, as it reaches `stepwise`."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield self)

    def close(self) -> None:
        """It is never run."""
        self.coroutine.close()


class _Piece:
    """One piece of work in one thread; `interrupted` says that it met an end that was not its own.

    The thread tells the loop itself that it is done: futures that wait for one another cost more than most
    pieces of work.
    """

    def __init__(self, work: Callable[[], Any], context: Context) -> None:
        self._work = work
        self._context = context
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._began: tuple[float, float] | None = None
        """By the clock, and by the processor time of its thread."""
        self.interrupted = False
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        _threads().submit(self._in_thread)

    def result(self) -> Any:
        """What it returned; raises what it raised, once."""
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            self._error = None  # whose traceback holds what the work held, and this piece

    async def ended(self, seconds: float) -> bool:
        """Wait for its end, and bring that about after `seconds` or when cancelled: whether it was."""
        cancelled = False
        while not self._done:
            pause = _RETRY_SECONDS if cancelled else max(_RETRY_SECONDS, self._left(seconds))
            waiter = self._waiter = self._loop.create_future()
            timer = self._loop.call_later(pause, _wake, waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                cancelled = True
            finally:
                timer.cancel()
            if self._done:
                break
            if cancelled:
                self._end(asyncio.CancelledError)
            elif self._left(seconds) < 0:
                self._end(TookTooLong)
        return cancelled

    def _in_thread(self) -> None:
        try:
            self._value = self._context.run(self._run)
        except BaseException as error:  # noqa: BLE001 - `result` raises it
            self._error = error
        with contextlib.suppress(RuntimeError):  # a loop that is closed waits for nothing
            self._loop.call_soon_threadsafe(self._finished)

    def _finished(self) -> None:
        self._done = True
        if self._waiter is not None:
            _wake(self._waiter)

    def _left(self, seconds: float) -> float:
        """Seconds that it may still take; it takes no processor time before a thread has begun it."""
        with self._lock:
            if self._thread is None or self._began is None:
                return seconds
            by_clock, by_thread = self._began
            worked = time.monotonic() - by_clock
            if clock := getattr(time, "pthread_getcpuclockid", None):  # not on macOS
                left = by_clock + seconds * _BUSY_MACHINE_FACTOR - time.monotonic()
                worked = time.clock_gettime(clock(self._thread)) - by_thread
                return min(left, seconds - worked)
            return seconds - worked

    def _run(self) -> Any:
        try:
            began = time.monotonic(), time.thread_time()
            with self._lock:
                self._thread, self._began = threading.get_ident(), began
            return self._work()
        finally:
            self._close()

    def _close(self) -> None:
        """From here on nothing is raised in this thread; what is on its way is caught here."""
        while True:
            try:
                with self._lock:
                    self._thread = None
                for _ in range(_EXCEPTION_DELIVERY_TURNS):
                    pass
                return
            except (TookTooLong, asyncio.CancelledError):
                self.interrupted = False

    def _end(self, error: type[BaseException]) -> None:
        with self._lock:
            if self._thread is not None:
                self.interrupted = True
                thread, raised = ctypes.c_ulong(self._thread), ctypes.py_object(error)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="askwire-beside")
