"""What PostgreSQL's protocol offers besides queries passes through as it is."""

from __future__ import annotations

import asyncio

from servers.running_proxy import Proxy
from servers.wire_client import bind

from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import INT16, UINT32

INT4PL = 177
"""pg_proc: int4pl(int4, int4)."""


async def test_a_function_call(proxy: Proxy) -> None:
    call = UINT32.pack(INT4PL) + INT16.pack(1) + INT16.pack(1) + INT16.pack(2)
    call += b"".join(UINT32.pack(4) + UINT32.pack(number) for number in (40, 2)) + INT16.pack(1)
    async with proxy.client() as client:
        for _ in range(3):
            client.send(messages.frame(b"F", call))
            answer = await client.answer()
            assert answer.kinds == "VZ"
            assert answer.of("V") == [UINT32.pack(4) + UINT32.pack(42)]
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_notifications_arrive_while_idle(proxy: Proxy) -> None:
    async with proxy.client() as client, proxy.client() as other:
        await client.query("LISTEN news")
        for number in range(3):
            await other.query(f"NOTIFY news, '{number}'")
            kind, payload = await client.receive()
            assert (kind, payload[4:]) == ("A", b"news\0" + str(number).encode() + b"\0")
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_a_portal_is_fetched_in_pieces_with_flush(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.parse(b"", b"SELECT generate_series(1, 5)"), bind(portal=b"p"), messages.FLUSH)
        assert [(await client.receive())[0] for _ in range(2)] == ["1", "2"]
        for expected in ("DDs", "DDs", "DC"):
            client.send(messages.execute(b"p", 2), messages.FLUSH)
            assert "".join([(await client.receive())[0] for _ in expected]) == expected
        client.send(messages.SYNC)
        assert (await client.answer()).kinds == "Z"


async def test_binary_copy_goes_round(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query(
            "CREATE TEMP TABLE t AS SELECT n, repeat('x', n) AS s FROM generate_series(1, 500) n"
        )
        out = await client.query("COPY t TO STDOUT (FORMAT binary)")
        await client.query("CREATE TEMP TABLE u (LIKE t)")
        client.send(messages.query(b"COPY u FROM STDIN (FORMAT binary)"))
        assert (await client.receive())[0] == "G"
        for piece in out.of("d"):
            client.send(messages.frame(b"d", piece))
            await asyncio.sleep(0)
        client.send(messages.frame(b"c", b""))
        assert (await client.answer()).tags == ["COPY 500"]
        assert (await client.query("SELECT count(*) FROM t NATURAL JOIN u")).rows == [("500",)]
