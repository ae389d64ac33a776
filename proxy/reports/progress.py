"""What an asker hears while an ASK takes its time.

Owns: when something is said, and its words: after a while (the setting `progress`), then at each change of
the stage.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from askwire.core.settings.notices import PROGRESS
from askwire.core.trace import Trace
from askwire.proxy.asking.requests import Notice
from askwire.proxy.session.statements.asker import Asker

_LOOK_INTERVAL_SECONDS: Final = 0.5

_ACTIVITY_AFTER_STAGE: Final = {
    "session": "looking for readings of the question",
    "planner": "looking for readings of the question",
    "egress": "asking models",
    "model": "asking models",
    "verifier": "trying the readings on the database",
    "selector": "comparing the answers",
}
"""What is done after a step of each stage."""

_ELAPSED_SECONDS: Final = re.compile(r" \(\d+ s\)\Z")


def is_progress(message: str) -> bool:
    """Whether a NOTICE of an ASK tells how far it is, and no more."""
    return bool(_ELAPSED_SECONDS.search(message))


def wait(asker: Asker) -> float | None:
    """Seconds until an asker wants to hear that the ASK is worked on; None: never."""
    milliseconds = asker.settings[PROGRESS]
    return milliseconds / 1000 if milliseconds and asker.hears_notices else None


@asynccontextmanager
async def told(trace: Trace, notify: Callable[[Notice], None], *, after: float | None) -> AsyncIterator[None]:
    """While the block runs, tell how far it is, from so many seconds on; None: never."""
    if after is None:
        yield
        return
    telling = asyncio.create_task(_tell(trace, notify, after))
    try:
        yield
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(trace: Trace, notify: Callable[[Notice], None], after: float) -> None:
    await asyncio.sleep(after)
    said = ""
    while True:
        words = _stage(trace)
        if words != said:
            notify(Notice(f"{words} ({trace.elapsed:.0f} s)"))
            said = words
        await asyncio.sleep(_LOOK_INTERVAL_SECONDS)


def _stage(trace: Trace) -> str:
    stages = [event.stage for event in trace]
    return _ACTIVITY_AFTER_STAGE.get(stages[-1] if stages else "", "reading the schema")
