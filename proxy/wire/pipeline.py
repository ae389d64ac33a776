"""What the backend still owes an answer for.

A session may only run statements of its own when the backend is idle. `Pipeline` keeps the book: it is shown
the type of every message that goes to the backend and the watched messages that come back.

Each Query, Sync and FunctionCall is answered by one ReadyForQuery, with two exceptions:

- While the backend reads COPY data it ignores Sync and Flush, so a Sync that follows the copying Execute is
  never answered.
- After an error in an extended-query message the backend skips everything up to the next Sync, a Query and a
  FunctionCall too. They may have been sent before the error is known. Where such a message follows others of
  an open group, `Pipeline` therefore counts the answers of the group: an error that arrives before all of
  them is the group's, and the message is skipped; a later one is the message's own.

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
    ANSWERS,
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
_END_IN_OPEN_GROUP = _COPY_DONE
_END_AFTER = _COPY_FAIL
_KIND_MASK = 0xFF
_IN_GROUP_BIT = 0x100
_COUNT_SHIFT = 9
"""A Query or FunctionCall `_IN_GROUP_BIT` follows messages of an open group: so many, from this bit on."""

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
        self._asked = 0
        self._done = 0
        self._mixed = False
        self._implicit = False
        self._group_copies = False
        self._ends_earlier_copy = False
        self._group_failed = False
        self._skipping = False
        self._in_block = False
        self._ran = False
        self._completed = 0
        self._early_syncs = 0
        self.uncertain = False

    def sent(self, kind: int, *, named: bool = True) -> None:
        """Note a message on its way to the backend, by its type byte; `named`: a Bind's portal has a name."""
        if self._skipping and kind != _SYNC:
            return
        if kind in _SYNC_POINTS:
            if kind == _SYNC:
                if self._copying:
                    self._early_syncs += 1
                    return
                self._skipping = False
                self._done = self._done if self._pending else 0
            elif self.group_open:
                self._mixed = True
                kind |= _IN_GROUP_BIT | self._asked << _COUNT_SHIFT
            self._pending.append(kind)
            self._start_group()
        elif kind in _EXTENDED:
            self._in_group = True
            self._asked += 1
            if kind == _BIND:
                self._binds += 1
                self._named = self._named or named
            elif kind == _EXECUTE:
                self._executes += 1
        elif kind in _ENDS_COPY:
            if self._copying:
                self._copying = False
            elif self._in_group:
                self._mixed = True
                self._pending.append(_END_IN_OPEN_GROUP | self._asked << _COUNT_SHIFT)
            elif self._pending:
                self._pending.append(_END_AFTER)

    def _start_group(self) -> None:
        self._in_group = False
        self._asked = 0
        self._binds = self._executes = 0
        self._named = False
        self._unnamed = None

    def sent_portal(self, kind: int, data: bytes, start: int, end: int) -> None:
        """As `sent`, for one of `PORTALS`: its payload is `data[start:end]`, maybe cut."""
        if self._skipping:
            return
        unnamed = data[start : start + 1] == b"\0"
        self.sent(kind, named=not unnamed)
        if kind == _BIND and unnamed:
            self._unnamed = memoryview(data)[start:end] if end <= len(data) else None
        elif unnamed or kind == _CLOSE:
            # it has served, or the statement it was bound to may be another now: no one comes back to it
            self._unnamed = None

    @property
    def unnamed_bind(self) -> bytes:
        """The Bind of an unnamed portal of the open group that waits to be executed, b"" if none does."""
        return b"" if self._unnamed is None or self._in_block else bytes(self._unnamed)

    def close_group(self) -> None:
        """Note a Sync of askwire's own: it closes the open group and its answer is owed to no one."""
        self._start_group()

    @property
    def counts(self) -> bool:
        """Whether `ANSWERS` are needed from the backend as well."""
        return self._in_group or self._mixed

    def received_answers(self, count: int) -> None:
        """Note so many of `ANSWERS`; those to a group that ends with a Sync tell nothing."""
        pending = self._pending
        if pending[0] >> _COUNT_SHIFT if pending else self._in_group:
            self._done += count
            self._drop_idle_ends()

    def caught_up(self) -> None:
        """Note that each message of the open group has been answered."""
        self._asked = self._done = 0

    def received(self, kind: int, payload: bytes) -> None:
        """Note a watched message from the backend; ProtocolError for a ReadyForQuery that is none."""
        if kind == READY_FOR_QUERY:
            if payload not in _STATUSES:
                raise ProtocolError("the backend sent an invalid ReadyForQuery message")
            self.status = payload.decode("ascii")
            self._copying = self._group_copies = self._ends_earlier_copy = False
            self._group_failed = self._skipping = False
            self._drop(_END_IN_OPEN_GROUP)
            answered = self._pending.popleft() if self._pending else _SYNC
            self._drop(_END_AFTER)
            in_group = answered & _IN_GROUP_BIT or (self._implicit and answered != _SYNC)
            self._implicit = bool(in_group) and self.status == "T" and not self._in_block
            self._in_block = self.status != "I" and not self._implicit
            self._ran = False
            self._completed = self._done = 0
            self._mixed = self._mixed and bool(self._pending)
        elif kind in ANSWERS:
            self.received_answers(1)
        elif kind == COMMAND_COMPLETE:
            self._completed += 1
            if not self._ends_earlier_copy:
                self.received_answers(1)
            self._ends_earlier_copy = False
            self._group_copies = False
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
            self.received_answers(1)
        elif kind == ERROR_RESPONSE:
            self._failed()
        elif kind == COPY_IN_RESPONSE:
            self._copy_begins()

    def _failed(self) -> None:
        """Drop what the backend skips behind a failed message of a group; a Query's error skips nothing."""
        pending = self._pending
        self._group_failed = True
        self._copying = self._ends_earlier_copy = False
        self.uncertain = self.uncertain or self._early_syncs > 0
        self._early_syncs = 0
        # what the failed message would have copied is skipped, the end of it too
        self._drop(_END_IN_OPEN_GROUP)
        asked = bool(pending) or self.group_open or self.uncertain
        if not pending or self._group_copies or self._done < pending[0] >> _COUNT_SHIFT:
            while pending and pending[0] != _SYNC:
                pending.popleft()
            # an error that nothing was asked before concerns no group: nothing is skipped behind it
            self._skipping = not pending and asked
        self._group_copies = False

    def _copy_begins(self) -> None:
        """Drop the Syncs that the backend will ignore: those between the copying message and its end."""
        pending = self._pending
        by_query = pending and pending[0] & _KIND_MASK == _QUERY and self._done >= pending[0] >> _COUNT_SHIFT
        query = pending.popleft() if by_query else None
        self._group_copies = query is None
        while pending and pending[0] == _SYNC:
            pending.popleft()
            self._early_syncs += 1
            # the copy belongs to messages in front of that Sync, and is no answer to those behind it
            self._ends_earlier_copy = query is None
            self._done = self._done if query is not None else 0
        if pending and pending[0] & _KIND_MASK in _ENDS_COPY:
            pending.popleft()
        else:
            self._copying = True
        if query is not None:
            pending.appendleft(query)

    def _drop(self, end: int) -> None:
        while self._pending and self._pending[0] & _KIND_MASK == end:
            self._pending.popleft()

    def _drop_idle_ends(self) -> None:
        """Drop ends of copies that messages of the group, all answered by now, did not begin."""
        pending = self._pending
        while (
            pending
            and pending[0] & _KIND_MASK == _END_IN_OPEN_GROUP
            and pending[0] >> _COUNT_SHIFT <= self._done
        ):
            pending.popleft()

    @property
    def answered(self) -> bool:
        """Whether every Query, Sync and FunctionCall sent so far has been answered."""
        if not self._pending:
            return not self._copying
        return not self._copying and all(entry & _KIND_MASK in _ENDS_COPY for entry in self._pending)

    @property
    def at_rest(self) -> bool:
        """Whether the transaction status is all there is to know: nothing is owed, open or in doubt."""
        owed = self._pending or self._copying or self._in_group or self._early_syncs or self.uncertain
        owed = owed or self._group_copies or self._implicit
        since = self._completed or self._ran or self._group_failed or self._in_block != (self.status != "I")
        return not (owed or since)

    @property
    def copying(self) -> bool:
        """Whether the backend reads COPY data, in which nothing is a statement."""
        return self._copying

    @property
    def group_open(self) -> bool:
        """Whether extended-query messages were sent that no Sync follows yet.

        A Query among them leaves the group's implicit transaction open.
        """
        return self._in_group or self._implicit

    @property
    def skips(self) -> bool:
        """Whether the backend may skip everything up to a Sync that the client has yet to send."""
        return self._skipping

    @property
    def sync_is_harmless(self) -> bool:
        """Whether an extra Sync now would neither commit work nor close named portals of the client's.

        True in an explicit block (where Sync does neither), and when the open group has bound and executed
        nothing but transaction control and empty statements; an unnamed portal that waits can be bound again
        (`unnamed_bind`). Needs every answer of the open group to have arrived.
        """
        if not self.group_open or self._in_block:
            return True
        if self._implicit or self._ran or self._executes != self._completed:
            return False
        return self._binds <= self._executes or not self._named
