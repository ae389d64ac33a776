"""Progress: an asker who waits hears how far it is, one who does not wait hears nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from askwire.core.clock import MonotonicClock
from askwire.core.trace import Trace
from askwire.proxy import progress

if TYPE_CHECKING:
    from askwire.proxy.asking.inquiry import Notice


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST", 0.02)
    monkeypatch.setattr(progress, "_LOOK", 0.001)


class Ear:
    """Hears notices, and lets a test wait for the next one."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    def __call__(self, notice: Notice) -> None:
        self.heard.put_nowait(notice.message.partition(" (")[0])


async def test_each_change_of_stage_is_told_once() -> None:
    ear, trace = Ear(), Trace(MonotonicClock())
    async with progress.told(trace, ear, heard=True):
        assert await ear.heard.get() == "reading the schema"
        trace.record("planner", "embedded")
        assert await ear.heard.get() == "looking for readings of the question"
        trace.record("planner", "again")
        trace.record("verifier", "tried")
        assert await ear.heard.get() == "trying the readings on the database"
    assert ear.heard.empty()


async def test_a_quick_ask_says_nothing() -> None:
    ear = Ear()
    async with progress.told(Trace(MonotonicClock()), ear, heard=True):
        pass
    assert ear.heard.empty()
    assert len(asyncio.all_tasks()) == 1


async def test_who_does_not_want_to_hear_hears_nothing() -> None:
    ear = Ear()
    async with progress.told(Trace(MonotonicClock()), ear, heard=False):
        await asyncio.sleep(0.05)
    assert ear.heard.empty()


async def test_an_error_of_the_ask_stays_its_own() -> None:
    with pytest.raises(KeyError):
        async with progress.told(Trace(MonotonicClock()), Ear(), heard=True):
            raise KeyError("mine")
    assert len(asyncio.all_tasks()) == 1
