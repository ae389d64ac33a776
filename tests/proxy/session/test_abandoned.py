"""Having canceled what a client has left behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.proxy.session.abandoned import cancel_abandoned
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import BIND, EXECUTE, PARSE, QUERY, SYNC, Rewrites, Statement


async def test_a_cancel_request_that_fails_is_repeated() -> None:
    rewrites, tried = Rewrites(), list[int]()
    rewrites.query(lambda place: place)

    async def cancel() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise ConnectionRefusedError

    await cancel_abandoned(rewrites, lambda: len(tried) < 2, cancel, 20)
    assert len(tried) == 2


def behind_a_query() -> Rewrites:
    rewrites = Rewrites()
    rewrites.query(lambda place: place)
    rewrites.sent(QUERY, b"INSERT INTO t VALUES (1)\x00")
    return rewrites


def behind_an_execute() -> Rewrites:
    rewrites = Rewrites()
    rewrites.parse(b"ask", Statement(lambda place: place))
    for kind, payload in (
        (BIND, b"\x00ask\x00"),
        (EXECUTE, b"\x00"),
        (SYNC, b""),
        (PARSE, messages.parse_payload(b"own", b"INSERT INTO t VALUES (1)")),
        (BIND, b"\x00own\x00"),
        (EXECUTE, b"\x00"),
        (SYNC, b""),
    ):
        rewrites.sent(kind, payload)
    return rewrites


@pytest.mark.parametrize("made", [behind_a_query, behind_an_execute])
async def test_no_cancel_is_sent_that_could_meet_the_clients_statement(
    made: Callable[[], Rewrites],
) -> None:
    """The chosen SQL may end just then, and the request would end what the client sent behind it."""
    rewrites = made()
    assert rewrites.running
    tried: list[int] = []

    async def cancel() -> None:
        tried.append(1)

    looks = iter(range(3))
    await cancel_abandoned(rewrites, lambda: next(looks, None) is not None, cancel, 20)
    assert not tried
    assert rewrites.followed


def test_an_ask_alone_is_canceled_whatever_was_sent_in_front_of_it() -> None:
    rewrites = Rewrites()
    rewrites.parse(b"ask", Statement(lambda place: place))
    rewrites.sent(QUERY, b"SELECT 1\x00")
    rewrites.sent(BIND, b"\x00ask\x00")
    rewrites.sent(EXECUTE, b"\x00")
    rewrites.sent(SYNC, b"")
    assert rewrites.owed
    assert not rewrites.followed
