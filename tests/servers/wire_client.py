"""A PostgreSQL client of bare protocol messages, for tests of what travels on the wire.

Owns: a connection, start-up with the methods that need no password, and whole frames in and out. It decides
nothing: a test sends the bytes it means, and sees every message that comes back.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import INT32, UINT32

PATIENCE = 20.0
"""Seconds after which a message that does not come is a failure."""

_RESET = struct.pack("ii", 1, 0)

PROTOCOL_3_0 = 3 << 16
PROTOCOL_3_2 = (3 << 16) + 2

Frame = tuple[str, bytes]


class ConnectionEnded(Exception):
    """The other side closed the connection."""


def startup(parameters: Mapping[str, str], protocol: int = PROTOCOL_3_0) -> bytes:
    """A StartupMessage."""
    pairs = b"".join(f"{k}\0{v}\0".encode() for k, v in parameters.items()) + b"\0"
    return UINT32.pack(len(pairs) + 8) + UINT32.pack(protocol) + pairs


def password(text: bytes) -> bytes:
    """A PasswordMessage."""
    return messages.frame(b"p", text + b"\0")


def copy_data(data: bytes) -> bytes:
    """A CopyData message."""
    return messages.frame(b"d", data)


COPY_DONE = messages.frame(b"c", b"")


def copy_fail(reason: str) -> bytes:
    """A CopyFail message."""
    return messages.frame(b"f", reason.encode() + b"\0")


@dataclass(frozen=True)
class Answer:
    """The messages up to and including one ReadyForQuery."""

    frames: tuple[Frame, ...]

    @property
    def kinds(self) -> str:
        """The type letters in order."""
        return "".join(kind for kind, _ in self.frames)

    def of(self, kind: str) -> list[bytes]:
        """The payloads of one type."""
        return [payload for k, payload in self.frames if k == kind]

    @property
    def status(self) -> str:
        """The transaction status at the end."""
        kind, payload = self.frames[-1]
        assert kind == "Z"
        return payload.decode()

    @property
    def rows(self) -> list[tuple[str | None, ...]]:
        """All rows in text."""
        return [messages.read_data_row(payload) for payload in self.of("D")]

    @property
    def tags(self) -> list[str]:
        """All command tags."""
        return [payload.rstrip(b"\0").decode() for payload in self.of("C")]

    @property
    def errors(self) -> list[dict[str, str]]:
        """The fields of all ErrorResponses."""
        return [messages.read_fields(payload) for payload in self.of("E")]

    @property
    def codes(self) -> list[str]:
        """The SQLSTATEs of all ErrorResponses."""
        return [fields["C"] for fields in self.errors]

    @property
    def notices(self) -> list[str]:
        """The texts of all NoticeResponses."""
        return [messages.read_fields(payload)["M"] for payload in self.of("N")]

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Name and type of each column described."""
        return [(c.name, c.type_oid) for p in self.of("T") for c in messages.read_row_description(p)]


class WireClient:
    """One connection; `connect` and `login` make it, every wait has an end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self.process_id = 0
        self.secret = b""
        self.parameters: dict[str, str] = {}

    @classmethod
    async def connect(cls, host: str, port: int) -> Self:
        """Open the connection, send nothing."""
        reader, writer = await asyncio.open_connection(host, port)
        return cls(reader, writer)

    @classmethod
    async def login(
        cls,
        address: tuple[str, int],
        database: str,
        user: str = "postgres",
        *,
        secret: str = "",
        protocol: int = PROTOCOL_3_0,
        parameters: Mapping[str, str] | None = None,
        context: ssl.SSLContext | None = None,
    ) -> Self:
        """Connect and log in; a FATAL answer is raised as `ServerRefused`."""
        client = await cls.connect(*address)
        try:
            if context:
                await client.encrypt(context)
            client.send(startup({"user": user, "database": database, **(parameters or {})}, protocol))
            await client.authenticate(user, secret)
        except BaseException:
            client.writer.close()
            raise
        return client

    async def encrypt(self, context: ssl.SSLContext) -> None:
        """SSLRequest, its answer, and the handshake."""
        self.send(messages.SSL_REQUEST)
        assert await self.receive_exactly(1) == b"S"
        async with asyncio.timeout(PATIENCE):
            await self.writer.start_tls(context, server_hostname="localhost")

    async def authenticate(self, user: str, secret: str) -> None:
        """Answer challenges until ReadyForQuery."""
        while True:
            kind, payload = await self.receive()
            if kind == "R":
                (method,) = UINT32.unpack_from(payload)
                if method == 3:
                    self.send(password(secret.encode()))
                elif method == 5:
                    inner = hashlib.md5((secret + user).encode()).hexdigest()
                    outer = hashlib.md5(inner.encode() + payload[4:]).hexdigest()
                    self.send(password(b"md5" + outer.encode()))
                elif method != 0:
                    raise AssertionError(f"unexpected authentication method {method}")
            elif kind == "K":
                (self.process_id,) = UINT32.unpack_from(payload)
                self.secret = payload[4:]
            elif kind == "S":
                name, value = messages.read_parameter_status(payload)
                self.parameters[name] = value
            elif kind == "E":
                raise ServerRefused(messages.read_fields(payload))
            elif kind == "Z":
                return

    def send(self, *data: bytes) -> None:
        """Queue bytes; they leave at the next wait at the latest."""
        self.writer.write(b"".join(data))

    async def drain(self) -> None:
        """Wait until the peer takes what was sent."""
        async with asyncio.timeout(PATIENCE):
            await self.writer.drain()

    async def receive_exactly(self, count: int) -> bytes:
        """Bare bytes."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._reader.readexactly(count)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise ConnectionEnded from None

    async def receive(self) -> Frame:
        """The next message."""
        head = await self.receive_exactly(5)
        (length,) = UINT32.unpack_from(head, 1)
        return chr(head[0]), await self.receive_exactly(length - 4)

    async def until(self, last: str) -> list[Frame]:
        """Messages up to and including the first of a type."""
        frames = [await self.receive()]
        while frames[-1][0] != last:
            frames.append(await self.receive())
        return frames

    async def answer(self) -> Answer:
        """Messages up to ReadyForQuery; ParameterStatus is taken note of."""
        frames = await self.until("Z")
        for kind, payload in frames:
            if kind == "S":
                name, value = messages.read_parameter_status(payload)
                self.parameters[name] = value
        return Answer(tuple(frames))

    async def query(self, sql: str, codec: str = "utf-8") -> Answer:
        """One simple query."""
        self.send(messages.query(sql.encode(codec)))
        return await self.answer()

    async def extended(
        self, sql: str, parameters: Sequence[bytes | None] = (), *, binary: bool = False
    ) -> Answer:
        """Parse, Bind, Describe, Execute, Sync over the unnamed statement and portal."""
        self.send(
            messages.parse(b"", sql.encode()),
            bind(parameters, binary=binary),
            messages.describe_portal(b""),
            messages.execute(b""),
            messages.SYNC,
        )
        return await self.answer()

    async def ended(self) -> list[Frame]:
        """Messages up to the end of the connection."""
        frames: list[Frame] = []
        while True:
            try:
                frames.append(await self.receive())
            except ConnectionEnded:
                return frames

    async def ended_with(self) -> str:
        """The SQLSTATE of the last error before the end of the connection; '' when there was none."""
        return next((messages.read_fields(p)["C"] for k, p in reversed(await self.ended()) if k == "E"), "")

    async def close(self) -> None:
        """Close politely, and wait for the end of the connection."""
        if not self.writer.is_closing():  # after `abort`, say; uvloop takes no bytes then
            self.send(messages.TERMINATE)
        self.writer.close()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writer.wait_closed()
        except (ConnectionError, ssl.SSLError):
            return

    def abort(self) -> None:
        """Vanish: a reset, no goodbye."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.writer.transport.abort()


class ServerRefused(Exception):
    """The log-in failed with an ErrorResponse."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__(fields["M"])
        self.fields = fields
        self.code = fields["C"]


def bind(
    parameters: Sequence[bytes | None] = (),
    *,
    portal: bytes = b"",
    statement: bytes = b"",
    binary: bool = False,
) -> bytes:
    """Bind with results in text or all in binary format."""
    values = b"".join(INT32.pack(-1) if p is None else INT32.pack(len(p)) + p for p in parameters)
    results = b"\0\1\0\1" if binary else b"\0\0"
    count = messages.INT16.pack(len(parameters))
    return messages.frame(b"B", portal + b"\0" + statement + b"\0\0\0" + count + values + results)


async def send_cancel(address: tuple[str, int], process_id: int, secret: bytes) -> None:
    """Send a CancelRequest and wait until it has been taken."""
    client = await WireClient.connect(*address)
    client.send(messages.cancel_request(messages.UINT32.pack(process_id) + secret))
    assert await client.ended() == []
    client.writer.close()


@asynccontextmanager
async def logged_in(
    address: tuple[str, int], database: str, user: str = "postgres", **options: object
) -> AsyncIterator[WireClient]:
    """A client that is closed at the end of the block."""
    client = await WireClient.login(address, database, user, **options)  # type: ignore[arg-type]
    try:
        yield client
    finally:
        await client.close()
