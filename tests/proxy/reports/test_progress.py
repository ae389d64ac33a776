"""Progress: an asker who waits hears how far it is, one who does not wait hears nothing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.proxy.reports import progress
from askwire.proxy.session.statements.asker import Asker

if TYPE_CHECKING:
    from askwire.core.types import SessionState
    from askwire.proxy.asking.requests import Notice


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_LOOK_INTERVAL_SECONDS", 0.001)


class Ear:
    """Hears notices, and lets a test wait for the next one."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    def __call__(self, notice: Notice) -> None:
        self.heard.put_nowait(notice.message.partition(" (")[0])


async def test_each_change_of_stage_is_told_once() -> None:
    ear, trace = Ear(), Trace(MonotonicClock())
    async with progress.told(trace, ear, after=0.02):
        assert await ear.heard.get() == "reading the schema"
        trace.record("planner", "embedded")
        assert await ear.heard.get() == "looking for readings of the question"
        trace.record("planner", "again")
        trace.record("verifier", "tried")
        assert await ear.heard.get() == "trying the readings on the database"
    assert ear.heard.empty()


async def test_a_quick_ask_says_nothing() -> None:
    ear = Ear()
    async with progress.told(Trace(MonotonicClock()), ear, after=0.02):
        pass
    assert ear.heard.empty()
    assert len(asyncio.all_tasks()) == 1


async def test_who_does_not_want_to_hear_hears_nothing() -> None:
    ear = Ear()
    async with progress.told(Trace(MonotonicClock()), ear, after=None):
        await asyncio.sleep(0.05)
    assert ear.heard.empty()


@pytest.mark.parametrize(
    ("given", "hears", "seconds"),
    [
        ({}, True, 2.0),
        ({"notices": "off"}, True, 2.0),
        ({"progress": "500ms"}, True, 0.5),
        ({"progress": "on"}, True, 2.0),
        ({"progress": "off"}, True, None),
        ({"progress": "0"}, True, None),
        ({}, False, None),
    ],
)
def test_how_long_an_asker_waits_is_a_setting_of_its_own(
    given: dict[str, str], hears: bool, seconds: float | None
) -> None:
    asker = Asker(cast("SessionState", None), load(given), hears_notices=hears)
    assert progress.wait(asker) == seconds


async def test_an_error_of_the_ask_stays_its_own() -> None:
    with pytest.raises(KeyError):
        async with progress.told(Trace(MonotonicClock()), Ear(), after=0.02):
            raise KeyError("mine")
    assert len(asyncio.all_tasks()) == 1
