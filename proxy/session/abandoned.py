"""What a client leaves behind: the chosen SQL of an ASK that no one waits for any more.

Owns: having it canceled, for PostgreSQL itself would hear of it only when it has something to say. Statements
of the client's own go on, as without askwire, and so does an ASK with such behind it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from askwire.proxy.wire.rewrites import Rewrites

log = logging.getLogger("askwire.session")

_RETRY_SECONDS: Final = 0.02
"""Seconds until a cancel request is repeated, at first: one that comes between two messages is lost."""


async def cancel_abandoned(
    rewrites: Rewrites, is_open: Callable[[], bool], cancel: Callable[[], Awaitable[None]], seconds: float
) -> None:
    """Cancel what the backend runs for an ASK until it does not, for so many seconds (0: any number).

    `rewrites` is the book that goes on being kept, `is_open` whether the backend is there, `cancel` sends a
    CancelRequest.
    """
    delay = _RETRY_SECONDS
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds or None):
            while rewrites.owed and is_open():
                # a request that comes late would end what stands behind: the client's own SQL, sent already
                if rewrites.running and not rewrites.followed:
                    try:
                        await cancel()
                    except OSError as error:
                        log.warning("a query of an ASK could not be canceled: %s", error)
                await asyncio.sleep(delay)
                delay *= 2
