"""Where messages begin and end, without touching what is in them.

`BackendWalker` follows the raw stream of the backend while its bytes pass to the client as they came, and
reports the few messages a session must know of. `FrameReader` cuts a stream into whole messages for the
moments when askwire itself talks to the backend.

Invariant: any bytes, whole or split anywhere, yield the same messages or ProtocolError, never another
exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from askwire.core.errors import ProtocolError
from askwire.proxy.wire.messages import UINT32

Frame = tuple[int, bytes]
"""A message's type byte and its payload."""

READY_FOR_QUERY = ord("Z")
PARAMETER_STATUS = ord("S")
COPY_IN_RESPONSE = ord("G")
COPY_BOTH_RESPONSE = ord("W")
ERROR_RESPONSE = ord("E")
COMMAND_COMPLETE = ord("C")
EMPTY_QUERY_RESPONSE = ord("I")
NOTICE_RESPONSE = ord("N")
NOTIFICATION_RESPONSE = ord("A")
AUTHENTICATION = ord("R")
BACKEND_KEY_DATA = ord("K")
NEGOTIATE_PROTOCOL_VERSION = ord("v")
DATA_ROW = ord("D")

ANSWERS = frozenset(b"123Tns")
"""What ends the answer to an extended-query message, besides CommandComplete and EmptyQueryResponse."""

WATCHED = frozenset(
    (
        READY_FOR_QUERY,
        PARAMETER_STATUS,
        COPY_IN_RESPONSE,
        COPY_BOTH_RESPONSE,
        ERROR_RESPONSE,
        COMMAND_COMPLETE,
        EMPTY_QUERY_RESPONSE,
    )
)
"""What a session must know of while bytes pass raw."""

_WITH_ANSWERS = WATCHED | ANSWERS
_HEADER_BYTES = 5
_MAX_WHOLE_MESSAGE_BYTES = 64 * 1024


class BackendWalker:
    """Follows the backend's stream frame by frame; `feed` returns the watched messages that completed.

    A watched message longer than 64 kB (an error may quote a whole row) is not held in memory: it comes out
    with an empty payload as soon as its header is there.

    `answers`: whether `ANSWERS` are reported as well.
    """

    def __init__(self) -> None:
        self.answers = False
        self._skip = 0
        self._partial = bytearray()
        self._needed = 0

    @property
    def at_boundary(self) -> bool:
        """Whether the bytes seen so far end exactly between two messages."""
        return self._skip == 0 and not self._partial

    def resume(self, skip: int, partial: bytes) -> None:
        """Go on where somebody else has walked: `skip` bytes before the next message, or in its header."""
        self._skip = skip
        self._partial = bytearray(partial)
        self._needed = _HEADER_BYTES

    def feed(self, data: bytes) -> list[Frame]:
        """Advance over `data`; the watched messages that completed in it, in order.

        Raises ProtocolError when a length field makes no sense.
        """
        position = self._skip
        size = len(data)
        if position >= size:
            self._skip = position - size
            return []
        if self._partial:
            self._partial += data
            if len(self._partial) < self._needed:
                return []
            data = bytes(self._partial)
            size = len(data)
            self._partial.clear()
        self._skip = 0
        self._needed = _HEADER_BYTES
        found: list[Frame] = []
        unpack = UINT32.unpack_from
        watched = _WITH_ANSWERS if self.answers else WATCHED
        while size - position >= _HEADER_BYTES:
            kind = data[position]
            (length,) = unpack(data, position + 1)
            if length < 4:
                raise ProtocolError("the backend sent a message with an invalid length")
            end = position + 1 + length
            if kind in watched:
                if length > _MAX_WHOLE_MESSAGE_BYTES:
                    found.append((kind, b""))
                elif end > size:
                    self._needed = end - position
                    break
                else:
                    found.append((kind, data[position + _HEADER_BYTES : end]))
            if end > size:
                self._skip = end - size
                return found
            position = end
        self._partial += data[position:]
        return found


class FrameFilter:
    """Passes the backend's stream on, except that messages of some kinds are held whole and may be changed.

    `whole` are those kinds; longer ones than 64 kB pass as they are. Of the kinds `heard` besides, only the
    kind is shown. Starts between two messages.
    """

    def __init__(self, whole: frozenset[int], heard: frozenset[int]) -> None:
        self._whole = whole
        self._heard = heard | whole
        self._skip = 0
        self._held = b""

    @property
    def partial(self) -> bool:
        """Whether the bytes seen so far end inside a message."""
        return self._skip > 0 or bool(self._held)

    def feed(self, data: bytes, change: Callable[[int, bytes], bytes]) -> bytes:
        """What to pass on of `data`; `change` is shown about messages, and gives the payload of whole ones.

        Raises ProtocolError when a length field makes no sense.
        """
        if self._held:
            data, self._held = self._held + data, b""
        size = len(data)
        position = self._skip
        if position >= size:
            self._skip = position - size
            return data
        self._skip = 0
        passed: list[bytes] = []
        start = 0
        heard = self._heard
        unpack = UINT32.unpack_from
        while size - position >= _HEADER_BYTES:
            kind = data[position]
            (length,) = unpack(data, position + 1)
            if length < 4:
                raise ProtocolError("the backend sent a message with an invalid length")
            end = position + 1 + length
            if kind in heard:
                if kind in self._whole and length <= _MAX_WHOLE_MESSAGE_BYTES:
                    if end > size:
                        break
                    payload = data[position + _HEADER_BYTES : end]
                    changed = change(kind, payload)
                    if changed != payload:
                        head = data[position : position + 1] + UINT32.pack(len(changed) + 4)
                        passed += (data[start:position], head, changed)
                        start = end
                else:
                    change(kind, b"")
            if end > size:
                self._skip = end - size
                position = size
                break
            position = end
        self._held = data[position:]
        return b"".join((*passed, data[start:position])) if passed else data[:position]


class FrameReader:
    """Cuts a stream into whole messages; for the moments when askwire itself talks to the backend.

    A DataRow longer than `max_row` bytes is never held in memory: it comes out with an empty payload. The
    limit may be changed between two calls.
    """

    def __init__(self, max_row: int) -> None:
        self.max_row = max_row
        self._buffer = bytearray()
        self._skip = 0

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The messages that completed; raises ProtocolError when a length field makes no sense."""
        if self._skip:
            dropped = min(self._skip, len(data))
            self._skip -= dropped
            data = data[dropped:]
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _HEADER_BYTES:
            kind = buffer[0]
            (length,) = UINT32.unpack_from(buffer, 1)
            if length < 4:
                raise ProtocolError("the backend sent a message with an invalid length")
            end = 1 + length
            if kind == DATA_ROW and length > self.max_row:
                self._skip = max(0, end - len(buffer))
                del buffer[:end]
                yield kind, b""
                continue
            if len(buffer) < end:
                return
            payload = bytes(buffer[_HEADER_BYTES:end])
            del buffer[:end]
            yield kind, payload

    def rest(self) -> bytes:
        """Bytes of a message that has not completed."""
        return bytes(self._buffer)
