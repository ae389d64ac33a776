"""A transport over a connected socket that can be lent: another thread reads and writes the socket meanwhile.

The event loops' own transports keep their sockets for good, and one of uvloop takes a kilobyte. While this
one is lent, it needs nothing of the loop.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import socket
from collections.abc import Callable
from typing import Final

_READ_BYTES: Final = 128 * 1024
_MAX_PIECES_PER_WRITE: Final = 64
"""That are written at once; systems allow 1,024 at least."""


class Watch:
    """Tells transports of one event loop when their sockets can be read or written.

    The loop watches this selector alone: for a socket that was reset, uvloop may call no reader.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._closed = False
        self._selector = selectors.EpollSelector()
        loop.add_reader(self._selector.fileno(), self._look)

    def change(self, transport: SocketTransport, before: int, events: int) -> None:
        """Watch a transport's socket for other `events` (of selectors; 0 for none) than `before`."""
        if self._closed:
            return
        if not before:
            self._selector.register(transport.descriptor, events, transport)
        elif events:
            self._selector.modify(transport.descriptor, events, transport)
        else:
            self._selector.unregister(transport.descriptor)

    def _look(self) -> None:
        for key, events in self._selector.select(0):
            key.data.ready(events)

    def close(self) -> None:
        """Watch no more: what is left gets no calls."""
        self._closed = True
        self.loop.remove_reader(self._selector.fileno())
        self._selector.close()


class SocketTransport(asyncio.Transport):
    """The bytes of a connected stream socket, read and written as they are.

    `lend` stops both until `take_back`; each other call has it taken back first. The protocol is called as
    by any asyncio.Transport, except that `connection_made` is not.
    """

    __slots__ = (
        *("_closing", "_ended", "_eof", "_error", "_events", "_high", "_loop", "_paused", "_pending"),
        *("_on_use", "_protocol", "_reading", "_size", "_socket", "_unread", "_watch"),
    )

    def __init__(
        self,
        watch: Watch,
        sock: socket.socket,
        protocol: asyncio.BaseProtocol,
        high: int,
    ) -> None:
        """`sock` does not block, and is closed by the transport; more waiting bytes than `high` pause."""
        self._watch = watch
        self._loop = watch.loop
        self._socket = sock
        self._protocol = protocol
        self._high = high
        self._pending: list[bytes | memoryview] | None = None
        self._size = 0
        self._unread: bytes | None = None
        self._on_use: Callable[[], None] | None = None
        self._reading = True
        self._events = 0
        self._paused = self._closing = self._ended = self._eof = False
        self._error: OSError | None = None
        self._go_on()

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

    @property
    def descriptor(self) -> int:
        """The socket's, -1 once it is closed."""
        return self._socket.fileno()

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
        busy = self._closing or self._ended or self._eof or self._size or self._on_use
        return self._reading and not busy and self._unread is None

    def lend(self, on_use: Callable[[], None]) -> int:
        """Stop using the socket; `on_use` must call `take_back`. Returns its descriptor."""
        self._on_use = on_use
        self._wait_for(0)
        return self._socket.fileno()

    def take_back(self, unsent: bytes, unread: bytes, error: int | None, *, always: bool = False) -> None:
        """Go on: write what could not be sent, and hand on what was read; `always`, even if it is nothing.

        `error` is what the socket said (an errno), 0 where its stream has ended, None for nothing.
        """
        self._on_use = None
        if error:
            self._error = OSError(error, os.strerror(error))
        self._unread = unread if unread or always else None
        if unsent:
            self.write(unsent)
        self._go_on()

    def _own(self) -> None:
        if self._on_use:
            self._on_use()

    # -- reading -----------------------------------------------------------------------------------------

    def pause_reading(self) -> None:
        """Hand nothing on until `resume_reading`."""
        self._own()
        self._reading = False
        self._wait_for(self._events & ~selectors.EVENT_READ)

    def resume_reading(self) -> None:
        """Hand on what arrives."""
        self._own()
        self._reading = True
        self._go_on()

    def _go_on(self) -> None:
        """Hand on what was read already, else wait for more."""
        if self._closing or self._ended or self._on_use or not self._reading:
            return
        if self._unread is not None or self._error:
            self._loop.call_soon(self._hand_on)
        else:
            self._wait_for(self._events | selectors.EVENT_READ)

    def _wait_for(self, events: int) -> None:
        if events != self._events:
            self._watch.change(self, self._events, events)
            self._events = events

    def ready(self, events: int) -> None:
        """Read and write what is possible, of what is still waited for."""
        if events & self._events & selectors.EVENT_READ:
            self._read()
        if events & self._events & selectors.EVENT_WRITE:
            self._send()

    def _read(self) -> None:
        try:
            data = self._socket.recv(_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._break(error)
            return
        if data:
            self._deliver(data)
            return
        self._wait_for(self._events & ~selectors.EVENT_READ)
        self._ended = True
        try:
            keeps_open = self._protocol.eof_received()  # type: ignore[attr-defined]
        except Exception as error:  # noqa: BLE001 - as below
            self._fail(error)
            return
        if not keeps_open:
            self.close()

    def _deliver(self, data: bytes) -> None:
        try:
            self._protocol.data_received(data)  # type: ignore[attr-defined]
        except Exception as error:  # noqa: BLE001 - a protocol that fails has lost bytes
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Report an error of the protocol, and end: as the loops' own transports do."""
        message = "a protocol failed; its connection is closed"
        context = {"message": message, "exception": error, "transport": self, "protocol": self._protocol}
        self._loop.call_exception_handler(context)
        self._break(error)

    def _hand_on(self) -> None:
        """Hand on what was read while the transport was lent."""
        if self._closing or self._on_use or not self._reading:
            return
        unread, self._unread = self._unread, None
        if unread is not None:
            self._deliver(unread)
        if self._error:
            self._break(self._error)
        else:
            self._go_on()

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
        self._own()
        return self._size

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write bytes at the end of the loop's turn, with all that is written until then."""
        if self._eof:
            raise RuntimeError("Cannot call write() after write_eof()")
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
        if self._eof or self._closing:
            return
        self._eof = True
        if not self._pending:
            self._send()

    def _send(self) -> None:
        """Write what waits, or have the loop say when the socket takes it."""
        if self._socket.fileno() < 0:
            return
        waiting = self._pending or []
        try:
            while waiting:
                many = len(waiting) > 1
                sent = (
                    self._socket.sendmsg(waiting[:_MAX_PIECES_PER_WRITE])
                    if many
                    else self._socket.send(waiting[0])
                )
                self._size -= sent
                while waiting and sent >= len(waiting[0]):
                    sent -= len(waiting.pop(0))
                if sent:
                    waiting[0] = memoryview(waiting[0])[sent:]
            if self._eof and not self._closing:
                self._socket.shutdown(socket.SHUT_WR)
        except (BlockingIOError, InterruptedError):
            self._wait_for(self._events | selectors.EVENT_WRITE)
            self._drained()
            return
        except OSError as error:
            self._break(error)
            return
        self._pending = None
        self._wait_for(self._events & ~selectors.EVENT_WRITE)
        self._drained()
        if self._closing:
            self._loop.call_soon(self._finish, None)

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
            self._wait_for(self._events & ~selectors.EVENT_READ)
            if not self._pending:
                self._loop.call_soon(self._finish, None)

    def abort(self) -> None:
        """Close now."""
        self._own()
        self._break(None)

    def _break(self, error: Exception | None) -> None:
        self._closing = True
        if self._socket.fileno() >= 0:
            self._wait_for(0)
        self._pending = None
        self._size = 0
        self._loop.call_soon(self._finish, error)

    def _finish(self, error: Exception | None) -> None:
        if self._socket.fileno() < 0:
            return
        self._wait_for(0)
        self._socket.close()
        self._protocol.connection_lost(error)
