"""Whatever a client begins with, it hears the same as from PostgreSQL itself, a word or none."""

from __future__ import annotations

import asyncio
import re

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import PATIENCE, startup

from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import GSSENC_REQUEST_CODE, SSL_REQUEST, SSL_REQUEST_CODE, UINT32

ME = {"user": "postgres", "database": "postgres"}


def packet(code: int, rest: bytes = b"") -> bytes:
    return UINT32.pack(8 + len(rest)) + UINT32.pack(code) + rest


async def said(address: tuple[str, int], data: bytes) -> list[object]:
    """All that is said until the end: bare bytes, messages, and what errors say."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(data)
    writer.write_eof()
    async with asyncio.timeout(PATIENCE):
        heard = await reader.read()
    writer.close()
    told: list[object] = []
    bare = re.match(b"[NG]*", heard)
    assert bare is not None
    told.append(bare[0])
    heard = heard[bare.end() :]
    while heard:
        if heard.startswith(b"EFATAL"):  # to who speaks version 2
            told.append(heard)
            break
        end = 1 + UINT32.unpack_from(heard, 1)[0]
        kind, payload, heard = heard[:1], heard[5:end], heard[end:]
        if kind == b"E":
            fields = messages.read_fields(payload)
            told.append((kind, fields["V"], fields["C"], fields["M"]))
        else:
            told.append((kind, b"" if kind == b"K" else payload))
    return told


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(messages.TERMINATE, id="Terminate"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\0\0", id="half a length"),
        pytest.param(bytes(4), id="length 0"),
        pytest.param(b"\x7f\xff\xff\xff", id="2 GB"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="HTTP"),
        pytest.param(UINT32.pack(7), id="length 7"),
        pytest.param(UINT32.pack(10_001) + b"x", id="a length that PostgreSQL does not take"),
        pytest.param(startup(ME, 2 << 16), id="protocol 2"),
        pytest.param(startup(ME, 4 << 16), id="protocol 4"),
        pytest.param(startup(ME, 4 << 16) + messages.query(b"SELECT 1"), id="protocol 4 and more"),
        pytest.param(startup(ME, (3 << 16) + 9), id="protocol 3.9"),
        pytest.param(startup({**ME, "_pq_.unheard": "of"}), id="an unknown option"),
        pytest.param(packet(80877777), id="an unknown request"),
        pytest.param(packet(0), id="protocol 0"),
        pytest.param(packet(3 << 16, b"user\0postgres\0"), id="no end"),
        pytest.param(startup({}), id="nobody"),
        pytest.param(startup({"user": "postgres", "": "x"}), id="an option without a name"),
        pytest.param(packet(80877102, b"abc"), id="a short cancel request"),
        pytest.param(packet(SSL_REQUEST_CODE), id="SSLRequest alone"),
        pytest.param(packet(SSL_REQUEST_CODE, b"abcd"), id="a long SSLRequest"),
        pytest.param(packet(GSSENC_REQUEST_CODE), id="GSSENCRequest alone"),
        pytest.param(SSL_REQUEST + startup(ME), id="SSLRequest and no waiting"),
        pytest.param(packet(GSSENC_REQUEST_CODE) + startup(ME), id="GSSENCRequest and no waiting"),
    ],
)
async def test_first_bytes_are_answered_as_by_the_backend(proxy: Proxy, data: bytes) -> None:
    directly = await said(("127.0.0.1", proxy.database.port), data)
    if directly == [b"G"]:
        pytest.skip("this PostgreSQL takes up encryption by GSSAPI, which askwire declines")
    assert await said(proxy.address, data) == directly
    await proxy.until(lambda: not proxy.server._sessions)
