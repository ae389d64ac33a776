"""TLS over another transport.

That of the event loops has a state machine and buffers of 256 kB for each connection, which cost more than
the encryption itself. This one knows the handshake, records and their end.

Owns: the TLS of one connection, and which bytes are in clear.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

from askwire.proxy.connection.socket_transport import SocketTransport
from askwire.proxy.connection.tls_records import CHUNK_BYTES, Records, lendable_records

if TYPE_CHECKING:
    from askwire._compiled import TlsRecords

HANDSHAKE_SECONDS: Final = 60.0
"""In which a handshake has to end; a client's log-in has a time-out of its own."""

GOODBYE_SECONDS: Final = 10.0
"""In which a peer has to take what was written, and the close_notify."""

MAX_UNREAD_ANSWER_BYTES: Final = 64 * 1024
"""Bytes that answer a peer's wishes of TLS (new keys, a new handshake) while it reads none; more end it."""


class UnreadAnswers(ConnectionAbortedError):
    """The peer asks for answers of TLS, and does not read them."""


def fault(error: Exception | None) -> str:
    """What a peer did wrong, where a connection was lost for that; '' where it was not, or just ended."""
    wrong = isinstance(error, UnreadAnswers | ssl.SSLError) and not isinstance(error, ssl.SSLEOFError)
    return (str(error) or type(error).__name__) if wrong else ""


class TlsTransport(asyncio.Transport, asyncio.Protocol):
    """Hands its protocol what arrives in clear, and encrypts what is written; `lower` carries both.

    The peer's close_notify is the end of its stream. A connection that ends without one is lost, as if it
    were reset. `lend` and `take_back` are as those of a SocketTransport, which `lower` has to be then.
    """

    __slots__ = (
        *("_answered", "_closing", "_error", "_giving_up", "_in_clear"),
        *("_lower", "_on_use", "_protocol", "_records", "_shaken"),
    )

    def __init__(self, lower: asyncio.Transport, protocol: asyncio.Protocol, records: Records) -> None:
        """Take over `lower`. `shake_hands` comes next; `connection_made` of the protocol is not called."""
        self._lower = lower
        self._protocol = protocol
        self._records = records
        self._shaken: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()
        self._answered: int | None = None  # bytes, since much waits to be written
        self._closing = False
        self._in_clear = False
        self._on_use: Callable[[], None] | None = None
        self._giving_up: asyncio.TimerHandle | None = None
        self._error: Exception | None = None
        lower.set_protocol(self)

    # -- the handshake -----------------------------------------------------------------------------------

    async def shake_hands(self, begun: bytes = b"") -> None:
        """Wait for the handshake, of which the bytes `begun` have arrived; raises OSError when it fails.

        Until then the protocol gets no calls; what arrives right behind the handshake it gets before this
        returns.
        """
        shaken = self._shaken
        if shaken is None:
            return
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                self.data_received(begun)
                await shaken
        except BaseException:
            self._closing = True
            self._close_lower()
            raise

    def _shake(self, shaken: asyncio.Future[None], data: bytes) -> None:
        try:
            done = self._records.shake_hands(data)
        except OSError as error:
            self._give_up(error)
            done = False
        self._flush()
        if done:
            self._shaken = None
            if not shaken.done():
                shaken.set_result(None)
            self.data_received(b"")

    def _give_up(self, error: Exception) -> None:
        if self._shaken and not self._shaken.done():
            self._shaken.set_exception(error)

    # -- lending -----------------------------------------------------------------------------------------

    @property
    def lower(self) -> asyncio.Transport:
        """What carries the records."""
        return self._lower

    def move(self, lower: SocketTransport) -> None:
        """Have another transport, of the same socket, carry the records."""
        self._lower = lower

    @property
    def records(self) -> TlsRecords | None:
        """What a thread needs to decrypt and encrypt instead, None where it cannot."""
        return lendable_records(self._records)

    @property
    def may_be_lent(self) -> bool:
        """Whether nothing waits in it, and the protocol wants what arrives."""
        lower = self._lower
        usable = not (self._closing or self._shaken) and self.records is not None
        return usable and isinstance(lower, SocketTransport) and lower.may_be_lent

    def lend(self, on_use: Callable[[], None]) -> int:
        """Stop using the socket and the records; `on_use` must call `take_back`. Returns the descriptor."""
        self._on_use = on_use
        return cast("SocketTransport", self._lower).lend(on_use)

    def take_back(self, unsent: bytes, unread: bytes, error: int | None) -> None:
        """Go on: `unsent` are records, `unread` is in clear, and more may wait to be sent or decrypted."""
        self._on_use = None
        self._in_clear = True
        cast("SocketTransport", self._lower).take_back(unsent, unread, error, always=True)
        self._flush()

    def _own(self) -> None:
        if self._on_use:
            self._on_use()

    # -- what `lower` says -------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Decrypt what has arrived, and hand it on."""
        if self._closing:
            return
        if self._shaken:
            if not self._shaken.done():
                self._shake(self._shaken, data)
        elif self._in_clear:
            self._in_clear = False
            if data:
                self._protocol.data_received(data)
            self._open(b"")
        elif len(data) <= CHUNK_BYTES:
            self._open(data)
        else:
            view = memoryview(data)
            for at in range(0, len(view), CHUNK_BYTES):
                self._open(view[at : at + CHUNK_BYTES])

    def _open(self, data: bytes | memoryview) -> None:
        if self._closing:
            return
        records = self._records
        try:
            clear = records.decrypt(data)
        except OSError as error:
            self._fail(error)
            return
        if told := records.outgoing():
            self._answer(told)
        if clear and not self._closing:
            self._protocol.data_received(clear)
        if records.ended and not self._closing:
            self._protocol.eof_received()
            self.close()

    def _answer(self, told: bytes) -> None:
        self._lower.write(told)
        if self._answered is not None:
            self._answered += len(told)
            if self._answered > MAX_UNREAD_ANSWER_BYTES:
                self._error = UnreadAnswers("the peer asks for more than it reads")
                self.abort()

    def eof_received(self) -> bool:
        """The connection has ended, and the peer has not said before that it would."""
        error = ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "the connection ended without a close_notify")
        self._give_up(error)
        self._error = self._error or error
        self._lower.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """`lower` is closed."""
        self._closing = True
        if self._giving_up:
            self._giving_up.cancel()
        if self._shaken:
            self._give_up(exc or ConnectionResetError("connection lost during the TLS handshake"))
        else:
            self._protocol.connection_lost(self._error or exc)

    def pause_writing(self) -> None:
        """Much waits to be written."""
        self._answered = 0
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """No longer."""
        self._answered = None
        self._protocol.resume_writing()

    # -- what the protocol says --------------------------------------------------------------------------

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt bytes and write them; dropped in the handshake, which comes first."""
        if self._shaken or not data:
            return
        self._own()
        view = memoryview(data) if len(data) > CHUNK_BYTES else data
        for at in range(0, len(view), CHUNK_BYTES):
            if self._closing:
                return
            try:
                self._lower.write(self._records.encrypt(view[at : at + CHUNK_BYTES]))
            except OSError as error:
                self._fail(error)

    def _flush(self) -> None:
        if told := self._records.outgoing():
            self._lower.write(told)

    def _fail(self, error: Exception) -> None:
        """Tell the peer what is wrong, and close."""
        self._error = error
        self._closing = True
        self._flush()
        self._close_lower()

    def _close_lower(self) -> None:
        if self._lower.get_write_buffer_size():
            loop = asyncio.get_running_loop()
            self._giving_up = loop.call_later(GOODBYE_SECONDS, self._lower.abort)
        self._lower.close()

    def can_write_eof(self) -> bool:
        """It cannot: a client may close when it reads a close_notify, and not wait for the answer."""
        return False

    def close(self) -> None:
        """Close, behind what waits to be written and a close_notify; that of the peer is not waited for."""
        self._own()
        if self._closing:
            return
        self._closing = True
        if self._shaken is None:
            self._records.end()
            self._flush()
        self._close_lower()

    def abort(self) -> None:
        """Close now."""
        self._own()
        self._closing = True
        self._lower.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._closing or self._lower.is_closing()

    # -- what `lower` does -------------------------------------------------------------------------------

    def pause_reading(self) -> None:
        """Hand nothing on until `resume_reading`."""
        self._lower.pause_reading()

    def resume_reading(self) -> None:
        """Hand on what arrives."""
        self._lower.resume_reading()

    def is_reading(self) -> bool:
        """Whether the protocol wants what arrives."""
        return self._lower.is_reading()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """When the protocol is paused, in encrypted bytes."""
        self._lower.set_write_buffer_limits(high, low)

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """Both, the lower first."""
        return self._lower.get_write_buffer_limits()

    def get_write_buffer_size(self) -> int:
        """Encrypted bytes that wait."""
        return self._lower.get_write_buffer_size()

    def get_extra_info(self, name: str, default: object = None) -> object:
        """`records`, and what `lower` knows."""
        return self._records if name == "records" else self._lower.get_extra_info(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Tell another protocol from now on."""
        self._protocol = cast("asyncio.Protocol", protocol)

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Whom it tells."""
        return self._protocol
