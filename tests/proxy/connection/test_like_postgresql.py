"""Whatever a client sends first, askwire answers it as PostgreSQL does: each case is played against both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import PROTOCOL_3_0, ConnectionEnded, WireClient, startup

from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import UINT32

SSL = messages.SSL_REQUEST
GSS = UINT32.pack(8) + UINT32.pack(messages.GSSENC_REQUEST_CODE)


def requested(code: int, length: int) -> bytes:
    """A request of that code with as many bytes as its length says."""
    return UINT32.pack(length) + UINT32.pack(code) + b"k" * (length - 8)


def raw(body: bytes, protocol: int = PROTOCOL_3_0) -> bytes:
    """A start-up packet with any body."""
    return UINT32.pack(len(body) + 8) + UINT32.pack(protocol) + body


def of_length(length: int) -> bytes:
    """A start-up packet that is so long, its length included."""
    short = startup({"user": "postgres", "database": "postgres", "application_name": ""})
    return startup(
        {"user": "postgres", "database": "postgres", "application_name": "x" * (length - len(short))}
    )


LOGIN = startup({"user": "postgres", "database": "postgres"})
CASES: dict[str, Sequence[bytes]] = {
    **{f"{length} bytes": (of_length(length),) for length in (9_999, 10_000, 10_004, 10_005)},
    "length 4": (UINT32.pack(4),),
    "length 7": (UINT32.pack(7) + b"abc",),
    "no body": (raw(b""),),
    "no end": (raw(b"user\0postgres\0"),),
    "a name without a value": (raw(b"user\0postgres\0database\0postgres\0work_mem\0\0"),),
    "bytes behind the end": (raw(b"user\0postgres\0database\0postgres\0\0zz"),),
    "another end": (raw(b"user\0postgres\0database\0postgres\0\0\0"),),
    "no user": (startup({"database": "postgres"}),),
    "no such user": (startup({"user": "who", "database": "postgres"}),),
    "no such database": (startup({"user": "postgres", "database": "nowhere"}),),
    "a long user": (startup({"user": "u" * 200, "database": "postgres"}),),
    "an option of the protocol": (startup({"user": "postgres", "database": "postgres", "_pq_.x": "1"}),),
    "a parameter that is none": (startup({"user": "postgres", "database": "postgres", "nonsense": "1"}),),
    "a custom parameter": (startup({"user": "postgres", "database": "postgres", "a.b": "1"}),),
    "a wrong value": (startup({"user": "postgres", "database": "postgres", "work_mem": "x"}),),
    "options": (startup({"user": "postgres", "database": "postgres", "options": "-c work_mem=1MB"}),),
    "wrong options": (startup({"user": "postgres", "database": "postgres", "options": "--junk"}),),
    "replication": (startup({"user": "postgres", "database": "postgres", "replication": "maybe"}),),
    **{
        f"protocol {major}.{minor}": (
            startup({"user": "postgres", "database": "postgres", "_pq_.x": "1"}, (major << 16) + minor),
        )
        for major, minor in ((0, 0), (2, 0), (3, 1), (3, 2), (3, 9999), (4, 0))
    },
    "TLS twice": (SSL, SSL),
    "GSS twice": (GSS, GSS),
    "TLS twice, then a log-in": (SSL, SSL, LOGIN),
    "GSS, then TLS": (GSS, SSL, LOGIN),
    "TLS, then GSS": (SSL, GSS, LOGIN),
    "TLS, GSS, TLS": (SSL, GSS, SSL),
    "a log-in right behind TLS": (SSL + LOGIN,),
    "TLS of 9 bytes": (requested(messages.SSL_REQUEST_CODE, 9),),
    "GSS of 12 bytes": (requested(messages.GSSENC_REQUEST_CODE, 12),),
    **{
        f"cancel of {length} bytes": (requested(messages.CANCEL_REQUEST_CODE, length),)
        for length in (8, 12, 15, 16, 17, 40, 268, 269)
    },
    "TLS, then cancel": (SSL, requested(messages.CANCEL_REQUEST_CODE, 16)),
    "HTTP": (b"GET / HTTP/1.1\r\n\r\n",),
}


async def answers(address: tuple[str, int], packets: Sequence[bytes]) -> list[str]:
    """What a client sees: bare bytes, types of messages, SQLSTATEs; and how it ends."""
    client = await WireClient.connect(*address)
    seen: list[str] = []
    try:
        for packet in packets[:-1]:
            client.send(packet)
            first = (await client.receive_exactly(1)).decode()
            seen.append(first)
            if first == "E":
                seen.append(code_in(await rest_of(client)))
                return seen
        client.send(packets[-1])
        with suppress(OSError):  # it may be closed already
            client.writer.write_eof()
        data = await rest_of(client)
    except ConnectionEnded:
        return [*seen, "closed"]
    finally:
        client.writer.close()
    return [*seen, *shown(data)]


async def rest_of(client: WireClient) -> bytes:
    """Everything up to the end of the connection."""
    data = b""
    async with asyncio.timeout(20):
        try:
            while True:
                data += await client.receive_exactly(1)
        except ConnectionEnded:
            return data


def shown(data: bytes) -> list[str]:
    seen = []
    while data:
        if len(data) < 5 or (data[:1] == b"E" and data[1:2] != b"\0"):
            # one byte for an encryption request, or an error of protocol 2
            seen.append(data[:1].decode())
            data = data[1:] if data[:1] in b"NS" else b""
            continue
        (length,) = UINT32.unpack_from(data, 1)
        kind, payload, data = data[:1], data[5 : 1 + length], data[1 + length :]
        if kind == b"E":
            seen.append(f"E {messages.read_fields(payload).get('V')} {messages.read_fields(payload)['C']}")
        elif kind not in b"SK":
            seen.append(kind.decode())
    return seen


def code_in(data: bytes) -> str:
    return next((part[1:].decode() for part in data[4:].split(b"\0") if part[:1] == b"C"), "")


@pytest.mark.parametrize("packets", CASES.values(), ids=CASES.keys())
async def test_a_first_packet_is_answered_as_by_postgresql(proxy: Proxy, packets: Sequence[bytes]) -> None:
    backend = ("127.0.0.1", proxy.database.port)
    if any(p[4:8] == GSS[4:] for p in packets) and (await answers(backend, [GSS])) == ["G"]:
        pytest.skip("this PostgreSQL takes up encryption by GSSAPI, which askwire declines")
    direct = await answers(backend, packets)
    assert await answers(proxy.address, packets) == direct
