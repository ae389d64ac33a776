"""Messages between the processes of one server: JSON objects behind their length.

    {"id": 7, "kind": "cancel", "data": {...}, "to": 2}    a question; without "to" for everybody else
    {"id": 7, "replies": [...]}                            its answers, of those that answered in time

`id` is the asking side's own. A question without `id` wants no answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any, Final

LENGTH: Final = Struct("!I")
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a message. What operators look at in 5,000 sessions takes about 1 MB."""
ANSWER_TIMEOUT_SECONDS: Final = 1.0
"""Seconds for which answers are waited for: a process that is busy longer answers for itself again later."""

Message = Mapping[str, Any]


class BrokenChannel(ConnectionError):
    """What came is no message: the other side is not one of this server's processes."""


def packed(message: Message) -> bytes:
    """Return a message as it travels."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return LENGTH.pack(len(body)) + body


class FrameDecoder:
    """Turns bytes, however they are split, into messages."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Yield the messages that are complete; raises BrokenChannel."""
        self._waiting += data
        while len(self._waiting) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._waiting)
            if length > MAX_MESSAGE_BYTES:
                raise BrokenChannel(f"a message of {length} bytes")
            end = LENGTH.size + length
            if len(self._waiting) < end:
                return
            body = bytes(self._waiting[LENGTH.size : end])
            del self._waiting[:end]
            try:
                message = json.loads(body)
            except ValueError:
                raise BrokenChannel("a message that is not JSON") from None
            if not isinstance(message, dict):
                raise BrokenChannel("a message that is not an object")
            yield message
