"""Having canceled what a client has left behind."""

from __future__ import annotations

from askwire.proxy.session.abandoned import cancel_abandoned
from askwire.proxy.wire.rewrites import Rewrites


async def test_a_cancel_request_that_fails_is_repeated() -> None:
    rewrites, tried = Rewrites(), list[int]()
    rewrites.query(lambda place: place)

    async def cancel() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise ConnectionRefusedError

    await cancel_abandoned(rewrites, lambda: len(tried) < 2, cancel, 20)
    assert len(tried) == 2
