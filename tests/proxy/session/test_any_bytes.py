"""Any bytes from either side, cut anywhere: a session passes them or ends with a reason, and raises nothing.

Run it longer with FUZZ_INPUTS=1000000 in the environment. The compiled relay and Python's are fed alike and
have to do alike; what passes is what came, in its order, with nothing left out.
"""

from __future__ import annotations

import asyncio
import os
import random

import pytest
from doubles.scripted_resolver import ScriptedResolver
from servers.memory_transport import MemoryBackend

from askwire.core.settings.table import load
from askwire.proxy.session.phase import Phase
from askwire.proxy.wire import messages, passage

INPUTS = int(os.environ.get("FUZZ_INPUTS", "8000"))
PER_SESSION = 40

FROM_CLIENT = (
    messages.query(b"SELECT 1"),
    messages.query(b"COPY t FROM STDIN"),
    messages.query(b"SELECT 'a task' -- " + b"x" * 300),
    messages.parse(b"s", b"SELECT $1"),
    messages.parse(b"", b"SELECT 2") + messages.frame(b"B", bytes(8)) + messages.execute(b"") + messages.SYNC,
    messages.frame(b"B", b"p\0s\0\0\0\0\0\0\0"),
    messages.execute(b"p", 3),
    messages.SYNC,
    messages.FLUSH,
    messages.frame(b"d", b"x" * 50),
    messages.frame(b"c", b""),
    messages.frame(b"f", b"no\0"),
    messages.frame(b"F", bytes(12)),
)
FROM_BACKEND = (
    messages.frame(b"T", bytes(20)) + messages.frame(b"D", bytes(40)) * 5,
    messages.frame(b"C", b"SELECT 5\0"),
    messages.frame(b"Z", b"I"),
    messages.frame(b"Z", b"T"),
    messages.frame(b"Z", b"E"),
    messages.frame(b"1", b"") + messages.frame(b"2", b""),
    messages.frame(b"G", bytes(3)),
    messages.frame(b"H", bytes(3)) + messages.frame(b"d", b"copied") * 3,
    messages.frame(b"I", b""),
    messages.frame(b"s", b""),
    messages.frame(b"S", b"TimeZone\0UTC\0"),
    messages.frame(b"N", b"SNOTICE\0\0"),
    messages.frame(b"A", bytes(12)),
    messages.error_response({"S": "ERROR", "V": "ERROR", "C": "42601", "M": "no"}),
    messages.error_response({"S": "ERROR", "V": "ERROR", "C": "42601", "M": "x" * 70_000}),
)


def mangled(chance: random.Random, corpus: tuple[bytes, ...]) -> bytes:
    """Some messages, mostly whole, sometimes with something wrong in them."""
    data = bytearray(b"".join(chance.choices(corpus, k=chance.randrange(1, 5))))
    for _ in range(chance.choice((0, 0, 0, 0, 0, 0, 1, 3))):
        at = chance.randrange(len(data))
        match chance.randrange(5):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 9)]
            case 2:
                data[at:at] = chance.randbytes(chance.randrange(1, 9))
            case 3:
                data[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"))
            case _:
                data[at:] = b""
        if not data:
            return b"\0"
    return bytes(data)


def passed_in_order(written: bytes, said: bytes) -> bool:
    """Whether a client got what the backend said, up to a last word of askwire's."""
    if said.startswith(written):
        return True
    last = written.rfind(b"SFATAL\0VFATAL\0C08P01\0")
    return last >= 5 and said.startswith(written[: last - 5])


async def one_session(chance: random.Random) -> int:
    """Feed one session, or a compiled and a Python one, until it ends; how many inputs that took."""
    ways = ("on", "off") if passage.IS_COMPILED else ("off",)
    backends = []
    for way in ways:
        settings = load({"compiled_relay": way, "scan_limit": "250B"})
        backend = MemoryBackend(ScriptedResolver(settings), settings)
        backend.answering = False
        await backend.log_in()
        backends.append(backend)
    said = {True: b"", False: b""}
    fed = 0
    while fed < PER_SESSION:
        fed += 1
        client = chance.random() < 0.5
        data = mangled(chance, FROM_CLIENT if client else FROM_BACKEND)
        while data:
            cut = chance.choice((len(data), len(data), 1, chance.randrange(1, len(data) + 1)))
            part, data = data[:cut], data[cut:]
            said[client] += part
            for backend in backends:
                (backend.from_client if client else backend.from_backend)(part)
        first = backends[0]
        for backend in backends:
            assert passed_in_order(bytes(backend.client.written), said[False])
            assert backend.client.written == first.client.written
            assert backend.received == first.received
            assert (backend.ended, backend.session.phase) == (first.ended, first.session.phase)
            assert said[True].startswith(backend.received)
        if first.ended or first.session.phase is not Phase.RELAY:
            break
    for backend in backends:
        backend.session.close()
    return fed


@pytest.mark.parametrize("seed", range(4))
def test_any_bytes_pass_or_end_the_session(seed: int) -> None:
    async def feed() -> None:
        chance = random.Random(seed)
        fed = 0
        while fed < INPUTS // 4:
            fed += await one_session(chance)

    asyncio.run(feed())
