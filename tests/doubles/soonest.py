"""How soon something happens, on a machine that does other things as well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


async def soonest(attempt: Callable[[], Awaitable[float]], seconds: float, *, most: int = 5) -> float:
    """The shortest time of several attempts, which end when one was short enough.

    A busy machine delays some of them; what waits for a timer delays them all.
    """
    took = await attempt()
    for _ in range(most - 1):
        if took < seconds:
            break
        took = min(took, await attempt())
    return took
