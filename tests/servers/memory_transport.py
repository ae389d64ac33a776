"""A session without sockets: both its ends are lists of bytes, so that a test decides every split.

`MemoryBackend` accepts any log-in and answers each Query and Sync with ReadyForQuery alone: enough to see
what reaches a backend, and when.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from doubles.scripted_resolver import ScriptedResolver

from askwire.core.errors import ProtocolError
from askwire.core.settings.table import Settings, load
from askwire.proxy.asking.interceptor import AskInterceptor
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.startup import CancelRequest
from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.tls_records import ServerTls
from askwire.proxy.session.relay.interception import Interceptor
from askwire.proxy.session.relay.lender import Lender
from askwire.proxy.session.relay.relay import Relay
from askwire.proxy.session.session import Session
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import FrameReader

READY = messages.frame(b"Z", b"I")
LOGIN = messages.frame(b"R", bytes(4)) + messages.frame(b"K", b"\0\0\0\7key!") + READY


class MemoryTransport(asyncio.Transport):
    """Takes what is written; `on_write` hears of it at once."""

    def __init__(self, on_write: Callable[[bytes], None] | None = None) -> None:
        super().__init__()
        self.written = bytearray()
        self.closed = False
        self.reading = True
        self._on_write = on_write

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data
        if self._on_write:
            self._on_write(bytes(data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class MemoryBackend:
    """The session's server and backend in one."""

    def __init__(self, resolver: ScriptedResolver | None = None, settings: Settings | None = None) -> None:
        self.settings = settings or load()
        self.address = BackendAddress("memory")
        self.resolver = resolver or ScriptedResolver(self.settings)
        self.lender: Lender | None = None
        self.answering = True
        self.ended = False
        self.interceptor: Interceptor = AskInterceptor(self.resolver, lambda: self.settings)
        self.session = Session(self, 1, loopback=True)
        self.client = MemoryTransport()
        self.session.client.connection_made(self.client)
        self._side: Side | None = None
        self._transport = MemoryTransport(self._heard)
        self._frames = FrameReader(1 << 30)
        self._started = False

    async def log_in(self) -> None:
        """Bring the session to its relay, and forget what was said until then."""
        pairs = b"user\0me\0\0"
        startup = messages.UINT32.pack(8 + len(pairs)) + b"\0\3\0\0" + pairs
        self.from_client(startup)
        while not self._started:  # noqa: ASYNC110 - the event is the session's write
            await asyncio.sleep(0)
        await self.quiet()
        self.client.written.clear()
        self._transport.written.clear()

    async def quiet(self) -> None:
        """Let everything that is due happen."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def worked(self) -> None:
        """Let everything that is due happen, what is worked out beside the loop as well."""
        await self.quiet()
        while (task := self.session._task) is not None:
            await asyncio.wait({task}, timeout=20)
            await self.quiet()

    def from_client(self, data: bytes) -> None:
        """Bytes arrive from the client, in one piece."""
        self.session.client.data_received(data)

    def from_backend(self, data: bytes) -> None:
        """Bytes arrive from the backend, in one piece."""
        assert self._side is not None
        self._side.data_received(data)

    @property
    def relay(self) -> Relay:
        """The session's relay, once it has logged in."""
        assert self.session.relay is not None
        return self.session.relay

    @property
    def received(self) -> bytes:
        """What the backend has got since the log-in."""
        return bytes(self._transport.written)

    def _heard(self, data: bytes) -> None:
        if not self._started:
            self._started = True
            asyncio.get_running_loop().call_soon(self.from_backend, LOGIN)
            return
        ready = 0
        try:
            for kind, _ in self._frames.feed(data) if self.answering else ():
                ready += kind in b"QS"
        except ProtocolError:
            self.answering = False  # what follows is no message
        if ready:
            asyncio.get_running_loop().call_soon(self.from_backend, READY * ready)

    # -- what a session asks of its server ---------------------------------------------------------------

    def admin(self, write: Callable[[bytes], None], goodbye: Callable[[], None]) -> None:
        """There is no admin database."""

    def arrived(self, session: Session) -> None:
        """Nothing is counted."""

    def has_room(self, session: Session) -> bool:
        return True

    def client_tls(self) -> ServerTls | None:
        return None

    async def connect_backend(self, session: Session, *, other_way: bool = False) -> Side:
        self._side = Side(session)
        self._side.connection_made(self._transport)
        return self._side

    def has_other_way(self, *, encrypted: bool) -> bool:
        return False

    async def cancel(self, request: CancelRequest) -> None:
        pass

    async def cancel_for_peer(self, request: CancelRequest, host: str) -> bool:
        return False

    async def cancel_backend(self, key: bytes) -> None:
        pass

    def consent(self, session: Session) -> None:
        """No one learns."""

    def logged_in(self, session: Session) -> None:
        pass

    def closed(self, session: Session) -> None:
        self.ended = True
