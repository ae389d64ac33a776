"""What the backend still owes an answer for.

A session may only run statements of its own when the backend is idle. `Pipeline` keeps the book: it is told
the type of every message that goes to the backend and the watched messages that come back.

Each Query, Sync and FunctionCall is answered by one ReadyForQuery, with one exception: while the backend
reads COPY data it ignores Sync and Flush, so a Sync that follows the copying Execute is never answered.

A CopyDone or CopyFail may be sent before the backend has said that it copies, and is ignored when it never
does. Then the book must know whose end it was: of the group that is still open, or of the Query or early
Sync before it.

When a copy fails, the backend may or may not have come to a Sync that was sent ahead of the data: if not, it
answers that Sync after all. Nothing on the wire tells the two apart; the book is `uncertain` then, until
something was asked and answered behind it.
"""

from __future__ import annotations

from collections import deque

from askwire.core.errors import ProtocolError
from askwire.proxy.wire.walker import (
    COMMAND_COMPLETE,
    COPY_IN_RESPONSE,
    EMPTY_QUERY_RESPONSE,
    ERROR_RESPONSE,
    READY_FOR_QUERY,
)

_QUERY = ord("Q")
_SYNC = ord("S")
_FUNCTION_CALL = ord("F")
_COPY_DONE = ord("c")
_COPY_FAIL = ord("f")
_BIND = ord("B")
_EXECUTE = ord("E")
_ENDS_COPY = frozenset((_COPY_DONE, _COPY_FAIL))
_END_IN_OPEN_GROUP = -1
_END_AFTER = -2
_SYNC_POINTS = frozenset((_QUERY, _SYNC, _FUNCTION_CALL))
_PARSE = ord("P")
_CLOSE = ord("C")
PORTALS = frozenset((_PARSE, _BIND, _EXECUTE, _CLOSE))
"""The messages that bind or execute a portal, or may change what one can be bound to."""

_EXTENDED = frozenset(b"PBDEC")

_STATUSES = (b"I", b"T", b"E")
_PROVES_BLOCK = (b"BEGIN\x00", b"START TRANSACTION\x00", b"SAVEPOINT\x00", b"RELEASE\x00")
_LEAVES_BLOCK = (b"COMMIT\x00", b"ROLLBACK\x00", b"PREPARE TRANSACTION\x00")


class Pipeline:
    """The messages in flight between one client and its backend.

    `status` is the transaction status of the last ReadyForQuery: 'I' idle, 'T' in a block, 'E' in a failed
    block. The `group` is what was sent since the last sync point.
    """

    def __init__(self) -> None:
        self.status = "I"
        self._pending: deque[int] = deque()
        self._copying = False
        self._binds = 0
        self._executes = 0
        self._named = False
        self._unnamed: memoryview | None = None
        self._in_group = False
        self._group_failed = False
        self._in_block = False
        self._ran = False
        self._completed = 0
        self._early_syncs = 0
        self.uncertain = False

    def sent(self, kind: int, *, named: bool = True) -> None:
        """Note a message on its way to the backend, by its type byte; `named`: a Bind's portal has a name."""
        if kind in _SYNC_POINTS:
            if self._copying and kind == _SYNC:
                self._early_syncs += 1
                return
            self._pending.append(kind)
            self._start_group()
        elif kind in _EXTENDED:
            self._in_group = True
            if kind == _BIND:
                self._binds += 1
                self._named = self._named or named
            elif kind == _EXECUTE:
                self._executes += 1
        elif kind in _ENDS_COPY:
            if self._copying:
                self._copying = False
            elif self._in_group:
                if self._pending or not self._group_failed:
                    self._pending.append(_END_IN_OPEN_GROUP)
            elif self._pending:
                self._pending.append(_END_AFTER)

    def _start_group(self) -> None:
        self._in_group = False
        self._binds = self._executes = 0
        self._named = False
        self._unnamed = None

    def sent_portal(self, kind: int, data: bytes, start: int, end: int) -> None:
        """As `sent`, for one of `PORTALS`: its payload is `data[start:end]`, maybe cut."""
        unnamed = data[start : start + 1] == b"\0"
        self.sent(kind, named=not unnamed)
        if kind == _BIND and unnamed:
            self._unnamed = memoryview(data)[start:end] if end <= len(data) else None
        elif unnamed or kind == _CLOSE:
            # it has served, or the statement it was bound to may be another now: nobody comes back to it
            self._unnamed = None

    @property
    def unnamed_bind(self) -> bytes:
        """The Bind of an unnamed portal of the open group that waits to be executed, b"" if none does."""
        return b"" if self._unnamed is None or self._in_block else bytes(self._unnamed)

    def close_group(self) -> None:
        """Note a Sync of askwire's own: it closes the open group and its answer is owed to nobody."""
        self._start_group()

    def received(self, kind: int, payload: bytes) -> None:
        """Note a watched message from the backend; ProtocolError for a ReadyForQuery that is none."""
        if kind == READY_FOR_QUERY:
            if payload not in _STATUSES:
                raise ProtocolError("the backend sent an invalid ReadyForQuery message")
            self.status = payload.decode("ascii")
            self._copying = False
            self._group_failed = False
            self._in_block = self.status != "I"
            self._ran = False
            self._completed = 0
            self._drop(_END_IN_OPEN_GROUP)
            if self._pending:
                self._pending.popleft()
            self._drop(_END_AFTER)
        elif kind == COMMAND_COMPLETE:
            self._completed += 1
            self._early_syncs = 0
            if payload in _PROVES_BLOCK:
                self._in_block = True
            elif payload in _LEAVES_BLOCK:
                # ROLLBACK TO looks the same and stays in the block; what ran behind it decides
                self._in_block = self._ran = False
            else:
                self._ran = self._ran or not self._in_block
        elif kind == EMPTY_QUERY_RESPONSE:
            self._completed += 1
        elif kind == ERROR_RESPONSE:
            self._group_failed = True
            self._copying = False
            self.uncertain = self.uncertain or self._early_syncs > 0
            self._early_syncs = 0
            # what the failed message would have copied is skipped, the end of it too
            self._drop(_END_IN_OPEN_GROUP)
        elif kind == COPY_IN_RESPONSE:
            self._copy_begins()

    def _copy_begins(self) -> None:
        """Drop the Syncs that the backend will ignore: those between the copying message and its end."""
        pending = self._pending
        query = pending.popleft() if pending and pending[0] == _QUERY else None
        while pending and pending[0] == _SYNC:
            pending.popleft()
            self._early_syncs += 1
        if pending and pending[0] < 0:
            pending.popleft()
        else:
            self._copying = True
        if query is not None:
            pending.appendleft(query)

    def _drop(self, end: int) -> None:
        while self._pending and self._pending[0] == end:
            self._pending.popleft()

    @property
    def answered(self) -> bool:
        """Whether every Query, Sync and FunctionCall sent so far has been answered."""
        return not self._pending and not self._copying

    @property
    def at_rest(self) -> bool:
        """Whether the transaction status is all there is to know: nothing is owed, open or in doubt."""
        owed = self._pending or self._copying or self._in_group or self._early_syncs or self.uncertain
        since = self._completed or self._ran or self._group_failed or self._in_block != (self.status != "I")
        return not (owed or since)

    @property
    def copying(self) -> bool:
        """Whether the backend reads COPY data, in which nothing is a statement."""
        return self._copying

    @property
    def group_open(self) -> bool:
        """Whether extended-query messages were sent that no Sync follows yet."""
        return self._in_group

    @property
    def skips(self) -> bool:
        """Whether the backend may skip everything up to a Sync that the client has yet to send."""
        return self._group_failed and self.answered and (self._in_group or self.uncertain)

    @property
    def sync_is_harmless(self) -> bool:
        """Whether an extra Sync now would neither commit work nor close named portals of the client's.

        True in an explicit block (where Sync does neither), and when the open group has bound and executed
        nothing but transaction control and empty statements; an unnamed portal that waits can be bound again
        (`unnamed_bind`). Needs every answer of the open group to have arrived.
        """
        if not self._in_group or self._in_block:
            return True
        if self._ran or self._executes != self._completed:
            return False
        return self._binds <= self._executes or not self._named
