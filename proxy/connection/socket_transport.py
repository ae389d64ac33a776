"""A transport over a connected socket that can be lent: another thread reads and writes the socket meanwhile.

The event loops' own transports keep their sockets for good, and one of uvloop takes a kilobyte. While this
one is lent, it needs nothing of the loop.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Final

_READ: Final = 128 * 1024
"""Bytes that are read at once."""

_PIECES: Final = 64
"""That are written at once; systems allow 1,024 at least."""


class SocketTransport(asyncio.Transport):
    """The bytes of a connected stream socket, read and written as they are.

    `lend` stops both until `take_back`; each other call recalls it first. The protocol is called as by any
    asyncio.Transport, except that `connection_made` is not.
    """

    __slots__ = (
        *("_blocked", "_closing", "_ended", "_eof", "_error", "_high", "_loop", "_paused", "_pending"),
        *("_protocol", "_reading", "_recall", "_size", "_socket", "_unread", "_watched"),
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        sock: socket.socket,
        protocol: asyncio.BaseProtocol,
        high: int,
    ) -> None:
        """`sock` does not block, and is closed by the transport; more waiting bytes than `high` pause."""
        self._loop = loop
        self._socket = sock
        self._protocol = protocol
        self._high = high
        self._pending: list[bytes | memoryview] | None = None
        self._size = 0
        self._unread = b""
        self._recall: Callable[[], None] | None = None
        self._reading = True
        self._watched = self._blocked = self._paused = self._closing = self._ended = self._eof = False
        self._error: OSError | None = None
        self._watch()

    # -- what it is --------------------------------------------------------------------------------------

    def get_extra_info(self, name: str, default: object = None) -> object:
        """`socket`, and `peername` while there is a peer."""
        if name == "socket":
            return self._socket
        if name == "peername":
            try:
                return self._socket.getpeername()
            except OSError:
                return default
        return default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Tell another protocol from now on."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Whom it tells."""
        return self._protocol

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._closing

    def is_reading(self) -> bool:
        """Whether the protocol wants what arrives."""
        return self._reading and not self._closing

    # -- lending -----------------------------------------------------------------------------------------

    @property
    def may_be_lent(self) -> bool:
        """Whether nothing waits in it, and the protocol wants what arrives."""
        return not (
            self._closing or self._ended or self._size or self._unread or self._recall or not self._reading
        )

    def lend(self, recall: Callable[[], None]) -> int:
        """Stop using the socket; `recall` must call `take_back`. Returns its descriptor."""
        self._recall = recall
        self._unwatch()
        return self._socket.fileno()

    def take_back(self, unsent: bytes, unread: bytes, error: int | None) -> None:
        """Go on: write what could not be sent, and hand on what was read.

        `error` is what the socket said (an errno), 0 where its stream has ended, None for nothing.
        """
        self._recall = None
        if error:
            self._error = OSError(error, os.strerror(error))
        self._unread = unread
        self.write(unsent)
        self._watch()

    def _own(self) -> None:
        if self._recall:
            self._recall()

    # -- reading -----------------------------------------------------------------------------------------

    def pause_reading(self) -> None:
        """Hand nothing on until `resume_reading`."""
        self._own()
        self._reading = False
        self._unwatch()

    def resume_reading(self) -> None:
        """Hand on what arrives."""
        self._own()
        self._reading = True
        self._watch()

    def _watch(self) -> None:
        if self._watched or self._closing or self._ended or self._recall or not self._reading:
            return
        if self._unread or self._error:
            self._loop.call_soon(self._hand_on)
        else:
            self._watched = True
            self._loop.add_reader(self._socket.fileno(), self._read)

    def _unwatch(self) -> None:
        if self._watched:
            self._watched = False
            self._loop.remove_reader(self._socket.fileno())

    def _read(self) -> None:
        try:
            data = self._socket.recv(_READ)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._break(error)
            return
        if data:
            self._protocol.data_received(data)  # type: ignore[attr-defined]
            return
        self._unwatch()
        self._ended = True
        if not self._protocol.eof_received():  # type: ignore[attr-defined]
            self.close()

    def _hand_on(self) -> None:
        """Hand on what was read while the transport was lent."""
        if self._closing or self._recall or not self._reading:
            return
        unread, self._unread = self._unread, b""
        if unread:
            self._protocol.data_received(unread)  # type: ignore[attr-defined]
        if self._error:
            self._break(self._error)
        else:
            self._watch()

    # -- writing -----------------------------------------------------------------------------------------

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """More than `high` bytes that wait pause the protocol; a quarter of them resumes it."""
        if high is not None:
            self._high = high

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """Both, the lower first."""
        return self._high // 4, self._high

    def get_write_buffer_size(self) -> int:
        """Bytes that wait."""
        return self._size

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write bytes at the end of the loop's turn, with all that is written until then."""
        if not data:
            return
        self._own()
        if self._closing:
            return
        if self._pending is None:
            self._pending = []
            self._loop.call_soon(self._send)
        self._pending.append(bytes(data))
        self._size += len(data)
        if self._size > self._high and not self._paused:
            self._send()
            if self._size > self._high:
                self._paused = True
                self._protocol.pause_writing()

    def can_write_eof(self) -> bool:
        """It can."""
        return True

    def write_eof(self) -> None:
        """Say that no more will be written, behind what waits."""
        self._own()
        self._eof = True
        if not self._pending and not self._closing:
            self._send()

    def _send(self) -> None:
        """Write what waits, or have the loop say when the socket takes it."""
        if self._socket.fileno() < 0:
            return
        waiting = self._pending or []
        try:
            while waiting:
                many = len(waiting) > 1
                sent = self._socket.sendmsg(waiting[:_PIECES]) if many else self._socket.send(waiting[0])
                self._size -= sent
                while waiting and sent >= len(waiting[0]):
                    sent -= len(waiting.pop(0))
                if sent:
                    waiting[0] = memoryview(waiting[0])[sent:]
            if self._eof and not self._closing:
                self._socket.shutdown(socket.SHUT_WR)
        except (BlockingIOError, InterruptedError):
            if not self._blocked:
                self._blocked = True
                self._loop.add_writer(self._socket.fileno(), self._send)
            self._drained()
            return
        except OSError as error:
            self._break(error)
            return
        self._pending = None
        self._unblock()
        self._drained()
        if self._closing:
            self._loop.call_soon(self._finish, None)

    def _unblock(self) -> None:
        if self._blocked:
            self._blocked = False
            self._loop.remove_writer(self._socket.fileno())

    def _drained(self) -> None:
        if self._paused and self._size <= self._high // 4:
            self._paused = False
            self._protocol.resume_writing()

    # -- the end -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close, behind what waits to be written."""
        self._own()
        if not self._closing:
            self._closing = True
            self._unwatch()
            if not self._pending:
                self._loop.call_soon(self._finish, None)

    def abort(self) -> None:
        """Close now."""
        self._own()
        self._break(None)

    def _break(self, error: OSError | None) -> None:
        self._closing = True
        self._unwatch()
        self._pending = None
        self._size = 0
        self._loop.call_soon(self._finish, error)

    def _finish(self, error: OSError | None) -> None:
        if self._socket.fileno() < 0:
            return
        self._unwatch()
        self._unblock()
        self._socket.close()
        self._protocol.connection_lost(error)
