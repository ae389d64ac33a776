"""The compiled part of the relay, where it was built, and its seam to the Python part.

A session's relay is complete in Python. While nothing unusual travels, a `Passage` (in `compiled.c`) may take
its place: it walks the messages of both directions and passes the bytes on, and keeps a journal of what the
`Pipeline` must know. Before the Python part looks at anything, it stops the passage and replays the journal.

Unusual is whatever could need a thought: a message that may hold an ASK, a Query or Parse that is cut,
errors, changed parameters, RESET and DISCARD ALL, the beginning and end of COPY, and what is no message.

A passage can be lent to a `Ring`: a thread (in `ring.h`) that passes the bytes of all sessions through
io_uring, without the interpreter.
"""

from __future__ import annotations

import errno
import re
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from askwire.proxy.wire.pipeline import PORTALS, Pipeline
from askwire.proxy.wire.walker import READY_FOR_QUERY, BackendWalker

if TYPE_CHECKING:
    from askwire._compiled import Passage, Ring, TlsContext, TlsRecords

try:
    from askwire import _compiled
except ImportError:  # built without a compiler, or not built at all
    _compiled = None  # type: ignore[assignment]

_INTERFACE_VERSION: Final = 8
"""What is known here of the compiled part; a build of other sources is left alone."""

IS_COMPILED: Final = _compiled is not None and _compiled.INTERFACE == _INTERFACE_VERSION
"""Whether the compiled part is there."""

_MAX_WORD_BYTES: Final = 64
_QUERY: Final = ord("Q")
_FROM_BACKEND_BIT: Final = 0x80


class _Receiver:
    """The end of a connection without the compiled part: every byte takes the Python path."""

    __slots__ = ("received", "sent")

    def __init__(self) -> None:
        self.received = 0
        self.sent = 0

    def data_received(self, data: bytes) -> None:
        """Hand bytes on to anyone who derives from this."""
        self.arrived(data)

    def came(self, size: int, /) -> None:
        """Count bytes that came."""
        self.received += size

    def went(self, size: int, /) -> None:
        """Count bytes that went."""
        self.sent += size

    def join(self, passage: Passage | None, is_client: bool, /) -> None:
        """Nothing to belong to."""

    def arrived(self, data: bytes) -> None:
        """Bytes have arrived."""
        raise NotImplementedError


if TYPE_CHECKING:
    Receiver = _Receiver
else:
    Receiver = _compiled.Receiver if IS_COMPILED else _Receiver


def backend_walker() -> BackendWalker:
    """A walker for the backend's stream, the compiled one where it was built."""
    return _compiled.BackendWalker() if IS_COMPILED else BackendWalker()


def words_of(function: str) -> frozenset[bytes]:
    """What a message must hold to be looked at: the word ASK, the name of the function form, or our prefix.

    The prefix is that of parameters (`SET askwire.…`).
    """
    return frozenset(name.encode() for name in {"ask", "askwire", function} if name)


@cache
def pattern(words: frozenset[bytes]) -> re.Pattern[bytes]:
    """Finds one of the words, in any case, that is no part of a longer one."""
    names = b"|".join(map(re.escape, sorted(words)))
    return re.compile(rb"(?<![A-Za-z_\x80-\xff])(?:%b)(?![A-Za-z0-9_$\x80-\xff])" % names, re.IGNORECASE)


class End(Protocol):
    """One end of a session, as a passage needs it."""

    @property
    def transport(self) -> object:
        """What takes bytes: `write` and `get_write_buffer_size` of an asyncio.Transport."""

    @property
    def socket(self) -> int:
        """Where the same bytes may be sent past the transport, -1 for nowhere."""

    def join(self, passage: Passage | None, is_client: bool, /) -> None:
        """Hand arriving bytes to a passage first."""


def open_passage(client: End, backend: End, function: str, scan_limit: int) -> Passage | None:
    """A passage between two ends, to be started; None without a compiled part or with a very long name."""
    sought = words_of(function)
    if not IS_COMPILED or max(map(len, sought)) > _MAX_WORD_BYTES:
        return None
    ends = (client.transport, client.socket, backend.transport, backend.socket)
    passage = _compiled.Passage(words(sought), scan_limit, *ends)
    client.join(passage, True)
    backend.join(passage, False)
    return passage


def open_ring() -> Ring:
    """A ring whose thread runs; raises OSError where there can be none: the system says why."""
    if not IS_COMPILED:
        raise OSError(errno.ENOSYS, "the compiled part was not built")
    return _compiled.Ring()


def compiled_tls() -> tuple[type[TlsContext], type[TlsRecords]] | None:
    """TLS by the compiled part, None without one."""
    return (_compiled.TlsContext, _compiled.TlsRecords) if IS_COMPILED else None


@cache
def words(sought: frozenset[bytes]) -> _compiled.Words:
    """The twin of `pattern`; there has to be a compiled part."""
    return _compiled.Words(tuple(sorted(sought)))


def replay(pipeline: Pipeline, settled: bytes, journal: bytes, answers: int = 0) -> None:
    """Tell a pipeline what passed since the passage started.

    `settled` is the status of the ReadyForQuery with which the journal begins, b"" when there was none:
    a Query and its answer lead to the same state as whatever was answered until then. `answers` are those to
    the open group that the journal leaves out.
    """
    if settled:
        pipeline.sent(_QUERY)
        pipeline.received(READY_FOR_QUERY, settled)
    at, size = 0, len(journal)
    while at < size:
        kind, length = journal[at], journal[at + 1]
        detail = journal[at + 2 : at + 2 + length]
        at += 2 + length
        if kind & _FROM_BACKEND_BIT:
            pipeline.received(kind ^ _FROM_BACKEND_BIT, detail)
        elif kind in PORTALS:
            pipeline.sent_portal(kind, detail[:1], 0, 1 + detail[1])
        else:
            pipeline.sent(kind)
    pipeline.received_answers(answers)
