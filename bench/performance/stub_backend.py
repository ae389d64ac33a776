"""A backend that accepts everyone and answers queries with nothing, for what a proxy alone costs.

    python -m askwire.bench.performance.stub_backend

Prints the port it listens on, and serves until its standard input ends. It tells what PostgreSQL 18 tells at
log-in, so that what a proxy keeps of it is as large as it is with PostgreSQL.
"""

from __future__ import annotations

import asyncio
import struct
import sys
from typing import Final

PARAMETERS: Final = {
    "application_name": "",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "default_transaction_read_only": "off",
    "in_hot_standby": "off",
    "integer_datetimes": "on",
    "IntervalStyle": "postgres",
    "is_superuser": "on",
    "scram_iterations": "4096",
    "search_path": '"$user", public',
    "server_encoding": "UTF8",
    "server_version": "18.0",
    "session_authorization": "postgres",
    "standard_conforming_strings": "on",
    "TimeZone": "Etc/UTC",
}


class _Backend(asyncio.Protocol):
    _numbers = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if not isinstance(self.transport, asyncio.Transport):
            return
        if data[:1] == b"Q":
            self.transport.write(_NOTHING)
        if data[4:8] != b"\0\3\0\0":
            return
        _Backend._numbers += 1
        told = [_message(b"R", struct.pack(">I", 0))]
        told += [_message(b"S", f"{name}\0{value}\0".encode()) for name, value in PARAMETERS.items()]
        told += [_message(b"K", struct.pack(">II", _Backend._numbers, 7)), _message(b"Z", b"I")]
        self.transport.write(b"".join(told))


def _message(kind: bytes, payload: bytes) -> bytes:
    return kind + struct.pack(">I", len(payload) + 4) + payload


_NOTHING: Final = _message(b"C", b"SELECT 0\0") + _message(b"Z", b"I")


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Backend, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
