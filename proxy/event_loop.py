"""The event loop askwire runs on: uvloop where it is installed, asyncio's own elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from askwire.core.beside import give_way


def run(main: Coroutine[None, None, None]) -> None:
    """Run a coroutine to its end on a fresh event loop, which threads beside it give way to."""
    give_way()
    with asyncio.Runner(loop_factory=_factory()) as runner:
        runner.run(main)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - absent where it has no wheel
    except ImportError:
        return None
    return uvloop.new_event_loop
