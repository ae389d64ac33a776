"""A PostgreSQL client of bare messages that tells what it saw, in a word or two.

Owns: a connection, log-in without a password, whole messages. It never retries.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from typing import Final

from askwire.bench.faults.link import RESET

TIMEOUT_SECONDS: Final = 15.0
NAME: Final = "askwire_faults"
CANCEL_CODE: Final = 80877102


def message(kind: bytes, payload: bytes) -> bytes:
    """One message."""
    return kind + struct.pack(">I", len(payload) + 4) + payload


def query(sql: str) -> bytes:
    """A Query message."""
    return message(b"Q", sql.encode() + b"\0")


class Saw(Exception):
    """What a client saw instead of what it waited for."""


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.key = b""

    @classmethod
    async def connect(cls, port: int, tls: ssl.SSLContext | None = None) -> Client:
        """Open the connection, directly over TLS if a context is given, and send nothing."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, ssl=tls))

    @classmethod
    async def login(cls, port: int, database: str, user: str, tls: ssl.SSLContext | None = None) -> Client:
        """Connect and log in; raises Saw."""
        client = await cls.connect(port, tls)
        pairs = f"user\0{user}\0database\0{database}\0application_name\0{NAME}\0\0".encode()
        client.send(struct.pack(">II", len(pairs) + 8, 3 << 16) + pairs)
        await client.until_ready()
        return client

    def send(self, *data: bytes) -> None:
        """Queue bytes."""
        self.writer.write(b"".join(data))

    async def receive(self) -> tuple[bytes, bytes]:
        """One message; raises Saw at the end of the connection."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                head = await self.reader.readexactly(5)
                length = struct.unpack(">I", head[1:])[0]
                if length < 4:
                    raise Saw("what is no message")
                return head[:1], await self.reader.readexactly(length - 4)
        except asyncio.IncompleteReadError as error:
            raise Saw("closed inside a message" if error.partial else "closed") from None
        except TimeoutError:
            raise Saw("nothing") from None
        except OSError:
            raise Saw("reset") from None

    async def until_ready(self) -> str:
        """What was seen up to ReadyForQuery, or Saw: rows are counted, errors named by SQLSTATE."""
        rows = 0
        codes: list[str] = []
        while True:
            try:
                kind, payload = await self.receive()
            except Saw as saw:
                raise Saw(" ".join([*codes, str(saw)])) from None
            if kind == b"D":
                rows += 1
            elif kind == b"K":
                self.key = payload
            elif kind == b"E":
                fields = {
                    part[:1]: part[1:].decode(errors="replace") for part in payload.split(b"\0") if part
                }
                codes.append(f"{fields.get(b'V', '')} {fields.get(b'C', '')}")
            elif kind == b"Z":
                return ", ".join(codes) or f"{rows} rows"

    async def ask(self, sql: str) -> str:
        """Run a simple query and tell what was seen."""
        try:
            self.send(query(sql))
            return await self.until_ready()
        except Saw as saw:
            return str(saw)
        except OSError:
            return "reset"

    async def saw(self) -> str:
        """What is seen until ReadyForQuery or the end."""
        try:
            return await self.until_ready()
        except Saw as saw:
            return str(saw)

    async def cancel(self, port: int) -> Client:
        """Send a CancelRequest, and do not wait: the connection it went by is closed once it was taken."""
        other = await Client.connect(port)
        packet = struct.pack(">I", CANCEL_CODE) + self.key
        other.send(struct.pack(">I", len(packet) + 4) + packet)
        return other

    async def closed(self) -> None:
        """Wait until the other end closes the connection; raises Saw."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self.reader.read()
        except TimeoutError:
            raise Saw("a connection that stays open") from None
        finally:
            self.writer.close()

    def close(self) -> None:
        """Leave politely."""
        self.send(message(b"X", b""))
        self.writer.close()

    def reset(self) -> None:
        """Vanish."""
        sock = self.writer.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.writer.transport.abort()
