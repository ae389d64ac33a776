"""The transport that can be lent behaves as the event loop's own, and continues where another stopped."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable

import pytest

from askwire.proxy.connection.socket_transport import SocketTransport, Watch

HIGH = 64 * 1024
MUCH = bytes(range(256)) * 16 * 1024


class Heard(asyncio.Protocol):
    """Keeps what a transport tells."""

    def __init__(self, *, keeps_open: bool = True) -> None:
        self.data = b""
        self.told: list[str] = []
        self.lost: Exception | None = None
        self._keeps_open = keeps_open

    def data_received(self, data: bytes) -> None:
        self.data += data

    def eof_received(self) -> bool:
        self.told.append("eof")
        return self._keeps_open

    def pause_writing(self) -> None:
        self.told.append("pause")

    def resume_writing(self) -> None:
        self.told.append("resume")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append("lost")
        self.lost = exc


class Line:
    """A transport, who hears it, and the far end of its socket."""

    def __init__(self, *, keeps_open: bool = True) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.far = socket.create_connection(listening.getsockname())
        near, _ = listening.accept()
        listening.close()
        self.far.setblocking(False)
        near.setblocking(False)
        self.heard = Heard(keeps_open=keeps_open)
        self.watch = Watch(asyncio.get_running_loop())
        self.transport = SocketTransport(self.watch, near, self.heard, HIGH)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
                await asyncio.sleep(0.001)

    async def quiet(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0.002)

    async def read(self, size: int) -> bytes:
        data = b""
        async with asyncio.timeout(10):
            while len(data) < size:
                more = await asyncio.get_running_loop().sock_recv(self.far, size - len(data))
                if not more:
                    break
                data += more
        return data

    def reset(self) -> None:
        self.far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.far.close()


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    made = Line()
    yield made
    made.transport.abort()
    await made.until(lambda: "lost" in made.heard.told)
    made.far.close()
    made.watch.close()


async def test_bytes_go_both_ways(line: Line) -> None:
    line.transport.write(b"one ")
    line.transport.write(bytearray(b"two"))
    assert line.transport.get_write_buffer_size() == 7
    assert await line.read(7) == b"one two"
    assert line.transport.get_write_buffer_size() == 0
    line.far.send(b"back")
    await line.until(lambda: line.heard.data == b"back")


async def test_who_does_not_read_pauses_who_writes(line: Line) -> None:
    line.transport.write(MUCH)
    line.transport.write(MUCH)
    assert line.heard.told == ["pause"]
    assert line.transport.get_write_buffer_size() > HIGH
    assert await line.read(2 * len(MUCH)) == 2 * MUCH
    await line.until(lambda: line.heard.told == ["pause", "resume"])


async def test_reading_pauses(line: Line) -> None:
    line.transport.pause_reading()
    line.far.send(b"later")
    await line.quiet()
    assert (line.heard.data, line.transport.is_reading()) == (b"", False)
    line.transport.resume_reading()
    await line.until(lambda: line.heard.data == b"later")


async def test_closing_writes_what_waits(line: Line) -> None:
    line.transport.write(MUCH)
    line.transport.close()
    line.transport.write(b"too late")
    assert line.transport.is_closing()
    assert line.heard.told[-1:] != ["lost"]
    assert await line.read(len(MUCH) + 1) == MUCH
    await line.until(lambda: "lost" in line.heard.told)
    assert line.heard.lost is None


async def test_aborting_does_not(line: Line) -> None:
    line.transport.write(MUCH)
    line.transport.abort()
    line.transport.abort()
    await line.until(lambda: "lost" in line.heard.told)
    assert line.heard.told.count("lost") == 1
    assert line.transport.get_write_buffer_size() == 0


async def test_an_end_goes_behind_what_waits(line: Line) -> None:
    line.transport.write(MUCH)
    line.transport.write_eof()
    assert await line.read(len(MUCH) + 1) == MUCH
    line.far.send(b"still heard")
    await line.until(lambda: line.heard.data == b"still heard")


async def test_what_is_written_behind_the_end_is_refused_as_by_the_loops_own_transport(line: Line) -> None:
    theirs, far = socket.socketpair()
    theirs.setblocking(False)
    loop = asyncio.get_running_loop()
    made, _ = await loop.create_connection(asyncio.Protocol, sock=theirs)
    for transport in (made, line.transport):
        assert transport.can_write_eof()
        transport.write_eof()
        transport.write_eof()
        for data in (b"too late", b""):
            with pytest.raises(RuntimeError, match=re.escape("Cannot call write() after write_eof()")):
                transport.write(data)
        transport.close()
    assert await line.read(1) == b""
    far.close()
    await line.quiet()


async def test_what_says_no_more_is_not_lent(line: Line) -> None:
    line.transport.write_eof()
    assert not line.transport.may_be_lent


@pytest.mark.parametrize("keeps_open", [True, False])
async def test_an_end_is_told_once(keeps_open: bool) -> None:
    line = Line(keeps_open=keeps_open)
    line.far.shutdown(socket.SHUT_WR)
    await line.until(lambda: "eof" in line.heard.told)
    await line.quiet()
    assert line.heard.told == (["eof"] if keeps_open else ["eof", "lost"])
    line.transport.abort()
    line.far.close()
    await line.quiet()
    assert line.heard.told == ["eof", "lost"]
    line.watch.close()


async def test_a_reset_is_told_with_its_error(line: Line) -> None:
    line.reset()
    await line.until(lambda: "lost" in line.heard.told)
    assert isinstance(line.heard.lost, ConnectionResetError)


async def test_a_reset_right_behind_bytes_is_told_each_time() -> None:
    for _ in range(100):
        line = Line()
        line.far.send(bytes(20_000))
        await asyncio.sleep(0)
        line.reset()
        await line.until(lambda line=line: "lost" in line.heard.told)  # type: ignore[misc]
        line.watch.close()


async def test_what_is_written_to_who_is_gone_is_told(line: Line) -> None:
    line.transport.pause_reading()
    line.reset()
    line.transport.write(MUCH)
    await line.until(lambda: "lost" in line.heard.told)
    assert isinstance(line.heard.lost, OSError)


@pytest.mark.parametrize("name", ["data_received", "eof_received"])
async def test_a_protocol_that_fails_loses_its_connection(
    line: Line, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: failed.append(context["exception"]))

    def fail(*_: object) -> None:
        raise RuntimeError("it fails")

    monkeypatch.setattr(line.heard, name, fail)
    line.far.send(b"x")
    line.far.shutdown(socket.SHUT_WR)
    await line.until(lambda: "lost" in line.heard.told)
    loop.set_exception_handler(None)
    assert failed == [line.heard.lost]
    assert isinstance(line.heard.lost, RuntimeError)


async def test_it_knows_its_peer(line: Line) -> None:
    assert line.transport.get_extra_info("peername") == line.far.getsockname()
    assert line.transport.get_extra_info("sslcontext", "none") == "none"
    line.reset()
    await line.until(lambda: "lost" in line.heard.told)
    assert line.transport.get_extra_info("peername") is None


async def test_who_has_it_reads_and_writes(line: Line) -> None:
    descriptor = line.transport.lend(lambda: None)
    assert not line.transport.may_be_lent
    line.far.send(b"not heard")
    await line.quiet()
    assert line.heard.data == b""
    with socket.socket(fileno=socket.dup(descriptor)) as other:
        assert other.recv(100) == b"not heard"
    line.transport.take_back(b"unsent ", b"unread ", None)
    line.far.send(b"new")
    line.transport.write(b"written")
    assert await line.read(14) == b"unsent written"
    await line.until(lambda: line.heard.data == b"unread new")
    assert line.transport.may_be_lent


@pytest.mark.parametrize("use", ["write", "write_eof", "pause_reading", "resume_reading", "close", "abort"])
async def test_who_uses_it_has_it_taken_back(line: Line, use: str) -> None:
    taken: list[str] = []

    def take_back() -> None:
        taken.append("taken back")
        line.transport.take_back(b"unsent", b"", None)

    line.transport.lend(take_back)
    getattr(line.transport, use)(*([b"x"] if use == "write" else []))
    assert taken == ["taken back"]
    if use != "abort":
        assert await line.read(6) == b"unsent"


async def test_what_was_read_waits_while_reading_is_paused(line: Line) -> None:
    line.transport.lend(lambda: line.transport.take_back(b"", b"unread", None))
    line.transport.pause_reading()
    await line.quiet()
    assert line.heard.data == b""
    assert not line.transport.may_be_lent
    line.transport.resume_reading()
    await line.until(lambda: line.heard.data == b"unread")


async def test_an_error_comes_behind_what_was_read(line: Line) -> None:
    line.transport.lend(lambda: None)
    line.transport.take_back(b"", b"unread", errno.ECONNRESET)
    await line.until(lambda: "lost" in line.heard.told)
    assert line.heard.data == b"unread"
    assert isinstance(line.heard.lost, ConnectionResetError)


async def test_what_waits_or_is_over_is_not_lent(line: Line) -> None:
    line.transport.write(MUCH + MUCH)
    assert not line.transport.may_be_lent
    await line.read(2 * len(MUCH))
    await line.until(lambda: line.transport.may_be_lent)
    line.far.shutdown(socket.SHUT_WR)
    await line.until(lambda: "eof" in line.heard.told)
    assert not line.transport.may_be_lent
