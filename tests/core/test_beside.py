"""Work beside the event loop: it ends in time, and the loop keeps running meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
import weakref
from collections.abc import Callable

import pytest
from doubles.time_bounds import Stopwatch

from askwire.core.beside import beside, on_loop, stepwise
from askwire.core.errors import TookTooLong


def _endless() -> None:
    while True:
        pass


def _stubborn() -> None:
    """Catches its end a few times before it gives in."""
    for _ in range(3):
        try:
            _endless()
        except TookTooLong:
            continue
    _endless()


def _here() -> int:
    return threading.get_ident()


async def _waited(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def test_a_function_runs_in_another_thread_and_its_result_comes_back() -> None:
    assert await beside(_here) != _here()
    assert await beside(lambda a, *, b: a + b, 1, b=2) == 3


async def test_what_a_function_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        await beside(lambda: 1 // 0)


@pytest.mark.parametrize("work", [_endless, _stubborn])
async def test_work_without_an_end_is_ended(work: Callable[[], None]) -> None:
    with pytest.raises(TookTooLong):
        await beside(work, seconds=0.1)


async def test_the_loop_goes_on_while_something_works() -> None:
    turns = 0
    working = asyncio.ensure_future(beside(_endless, seconds=0.3))
    while not working.done():
        await asyncio.sleep(0.001)
        turns += 1
    with pytest.raises(TookTooLong):
        await working
    assert turns > 5


async def test_threads_are_free_again_after_work_that_was_ended() -> None:
    ended = await asyncio.gather(*(beside(_endless, seconds=0.05) for _ in range(8)), return_exceptions=True)
    assert all(isinstance(one, TookTooLong) for one in ended)
    assert await asyncio.gather(*(beside(_here) for _ in range(8)))


async def test_cancelled_work_has_ended_when_the_cancellation_comes_through() -> None:
    began, ended = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        try:
            _endless()
        finally:
            ended.set()

    working = asyncio.ensure_future(beside(work, seconds=60))
    await asyncio.to_thread(began.wait, 5)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert ended.is_set()


async def test_an_end_that_comes_late_meets_nothing_of_what_the_thread_does_next() -> None:
    async def short(number: int) -> int | None:
        try:
            return await beside(lambda: sum(range(20_000)) and number, seconds=0.0)
        except TookTooLong:
            return None

    for _ in range(20):
        found = await asyncio.gather(*(short(n) for n in range(16)))
        assert all(one in (None, n) for n, one in enumerate(found))
        assert await asyncio.gather(*(beside(_here) for _ in range(4)))


async def test_steps_run_beside_the_loop_and_what_they_wait_for_on_it() -> None:
    loop = _here()
    where = []

    async def asked() -> int:
        where.append(_here())
        return await _waited(2)

    async def work() -> int:
        where.append(_here())
        first = await on_loop(asked())
        where.append(_here())
        return first + await beside(lambda: 1)

    assert await stepwise(work()) == 3
    assert [at == loop for at in where] == [False, True, False]


async def test_errors_pass_between_steps_and_what_they_wait_for() -> None:
    async def failing() -> int:
        raise KeyError("no")

    async def work() -> str:
        try:
            await on_loop(failing())
        except KeyError:
            raise ValueError("seen") from None
        return "not seen"

    with pytest.raises(ValueError, match="seen"):
        await stepwise(work())


async def test_a_step_without_an_end_meets_an_error_and_can_go_on_from_there() -> None:
    async def work() -> int:
        try:
            _endless()
        except TookTooLong:
            return await on_loop(_waited(7))
        return 0

    assert await stepwise(work(), seconds=0.1) == 7


@pytest.mark.parametrize("thinking", [True, False], ids=["in a step", "waiting"])
async def test_a_cancelled_coroutine_cleans_up_on_the_loop(*, thinking: bool) -> None:
    began, cleaned = threading.Event(), []

    async def forever() -> None:
        began.set()
        await asyncio.Event().wait()

    async def work() -> None:
        try:
            if thinking:
                began.set()
                _endless()
            await on_loop(forever())
        finally:
            cleaned.append(await on_loop(_waited(1)))

    working = asyncio.ensure_future(stepwise(work(), seconds=60))
    await asyncio.to_thread(began.wait, 5)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert cleaned == [1]


async def test_an_asyncio_timeout_around_steps_ends_them() -> None:
    async def work() -> None:
        _endless()

    taken = Stopwatch()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await stepwise(work(), seconds=60)
    assert taken.within(5)


async def test_what_a_step_starts_on_the_loop_runs_a_step_at_a_time() -> None:
    inside, most = 0, 0

    async def part() -> None:
        nonlocal inside, most
        for _ in range(5):
            inside += 1
            most = max(most, inside)
            sum(range(5_000))
            inside -= 1
            await on_loop(_waited(0))

    async def together() -> None:
        await asyncio.gather(*(stepwise(part()) for _ in range(4)))

    async def work() -> None:
        await on_loop(together())

    await stepwise(work())
    assert most == 1


async def test_work_that_is_canceled_before_its_turn_is_never_begun_and_ends() -> None:
    """Python warns of a coroutine that is dropped before it began, and a warning fails the test."""
    begun: list[str] = []
    let_go = threading.Event()

    async def first() -> None:
        let_go.wait(20)

    async def second() -> None:
        begun.append("second")

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stepwise(first()))
            group.create_task(stepwise(second()))

    async def work() -> None:
        await on_loop(both())

    working = asyncio.create_task(stepwise(work()))
    await asyncio.sleep(0.05)
    working.cancel()
    await asyncio.sleep(0.05)
    let_go.set()
    await asyncio.gather(working, return_exceptions=True)
    gc.collect()
    assert not begun


async def test_a_step_that_waits_for_the_loop_by_itself_is_a_mistake() -> None:
    future = asyncio.get_running_loop().create_future()

    async def work() -> None:
        await future

    with pytest.raises(RuntimeError, match="on_loop"):
        await stepwise(work())


def _waiting(seconds: float) -> int:
    """Takes time by the clock and none of a processor, as work does on a busy machine."""
    time.sleep(seconds)
    return 1


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="no clock of other threads here")
async def test_time_that_other_programs_take_does_not_count() -> None:
    assert await beside(_waiting, 0.3, seconds=0.1) == 1


async def test_nothing_waits_for_ever() -> None:
    def dozing() -> None:
        while True:
            time.sleep(0.01)

    with pytest.raises(TookTooLong):
        await beside(dozing, seconds=0.05)


async def test_what_failed_is_let_go_with_its_error() -> None:
    class Held:
        pass

    held: list[weakref.ref[Held]] = []

    def work() -> None:
        here = Held()
        held.append(weakref.ref(here))
        raise ValueError

    gc.disable()
    try:
        with contextlib.suppress(ValueError):
            await beside(work)
        assert held[0]() is None, "without a search for garbage"
    finally:
        gc.enable()
