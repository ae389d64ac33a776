"""Finding out whether a client that is silent is still there.

Only a write tells one that waits for its answer from one that is gone. What is written is a parameter the
client knows, with the value it knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from askwire.proxy.wire import messages

_CONSTANT_PARAMETER: Final = "integer_datetimes"
"""A parameter that is reported at log-in and never changes."""

_FIRST, _LONGEST_SILENCE = 0.05, 0.5
"""Seconds."""


def knock(
    write: Callable[[bytes], None],
    parameters: Mapping[str, str],
    wanted: Callable[[], bool],
    possible: Callable[[], bool],
    delay: float = _FIRST,
) -> None:
    """Write while it is `wanted`, ever less often, where that is `possible` (between two messages)."""
    if not wanted():
        return
    if possible() and _CONSTANT_PARAMETER in parameters:
        write(messages.frame(b"S", f"{_CONSTANT_PARAMETER}\0{parameters[_CONSTANT_PARAMETER]}\0".encode()))
    later = min(2 * delay, _LONGEST_SILENCE)
    asyncio.get_running_loop().call_later(delay, knock, write, parameters, wanted, possible, later)
