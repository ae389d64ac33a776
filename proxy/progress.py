"""What an asker hears while an ASK takes its time.

Owns: when something is said, and its words: after two seconds, then at each change of the stage. Must not
know: what the stages do, or how a NOTICE travels.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from askwire.core.trace import Trace
from askwire.proxy.asking.inquiry import Notice

FIRST: Final = 2.0
"""Seconds until the asker hears that the ASK is worked on."""
_LOOK: Final = 0.5

_AFTER: Final = {
    "session": "looking for readings of the question",
    "planner": "looking for readings of the question",
    "egress": "asking models",
    "model": "asking models",
    "verifier": "trying the readings on the database",
    "selector": "comparing the answers",
}
"""What is done after a step of each stage."""


@asynccontextmanager
async def told(trace: Trace, notify: Callable[[Notice], None], *, heard: bool) -> AsyncIterator[None]:
    """While the block runs, tell how far it is, if that is heard."""
    if not heard:
        yield
        return
    telling = asyncio.create_task(_tell(trace, notify))
    try:
        yield
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(trace: Trace, notify: Callable[[Notice], None]) -> None:
    await asyncio.sleep(FIRST)
    said = ""
    while True:
        words = _stage(trace)
        if words != said:
            notify(Notice(f"{words} ({trace.elapsed:.0f} s)"))
            said = words
        await asyncio.sleep(_LOOK)


def _stage(trace: Trace) -> str:
    stages = [event.stage for event in trace]
    return _AFTER.get(stages[-1] if stages else "", "reading the schema")
