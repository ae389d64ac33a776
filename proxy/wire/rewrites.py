"""What became of the client's statements that askwire has rewritten, by the names the client gave them.

An error of the backend points into the text that the backend has; the client wrote another. While a
rewritten statement is alive, `Rewrites` keeps a small model of the backend: which message an answer belongs
to, and which statement stands behind a name or a portal. Errors and notices then point into the client's
text. Sessions without a rewritten statement pay nothing: `active` is false and nothing is recorded.

Statements whose question is bound (`ASK $1`) live here as well: what they wait for hangs on their name.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import (
    COMMAND_COMPLETE,
    COPY_IN_RESPONSE,
    ERROR_RESPONSE,
    NOTICE_RESPONSE,
    READY_FOR_QUERY,
    FrameFilter,
)

Places = Callable[[int], int]
"""From a position in the text the backend has to one in the client's, both counted from 1 in characters."""

RowType = tuple[tuple[bytes, int, int], ...]
"""Name, type and type modifier of each column; empty for a statement that returns none."""

QUERY: Final = ord("Q")
PARSE: Final = ord("P")
BIND: Final = ord("B")
DESCRIBE: Final = ord("D")
EXECUTE: Final = ord("E")
CLOSE: Final = ord("C")
SYNC: Final = ord("S")
_FUNCTION_CALL: Final = ord("F")
_COPY_END: Final = ord("c")
_COPY_ENDS: Final = frozenset(b"cf")
_SYNC_POINTS: Final = frozenset((QUERY, SYNC, _FUNCTION_CALL))
NAMED: Final = frozenset((PARSE, BIND, DESCRIBE, EXECUTE, CLOSE))
"""The messages whose names matter: a session reads them whole while `Rewrites` is active."""

_STATEMENT: Final = b"S"
_FORGETS_ALL: Final = (b"DEALLOCATE ALL\x00", b"DISCARD ALL\x00")
_WHOLE_MESSAGES: Final = frozenset((ERROR_RESPONSE, NOTICE_RESPONSE, READY_FOR_QUERY, COMMAND_COMPLETE))

_OBSERVED_MESSAGES: Final = frozenset(b"123TnsIG")

# Which answers end the wait of a message; an error ends the wait of any.
_ANSWERS_THAT_END: Final = {
    PARSE: frozenset(b"1"),
    BIND: frozenset(b"2"),
    DESCRIBE: frozenset(b"Tn"),
    EXECUTE: frozenset(b"CsI"),
    CLOSE: frozenset(b"3"),
}


@dataclass(eq=False)
class Statement:
    """A prepared statement that askwire has rewritten, or will.

    `places` belongs to the text that the backend has now. `template` is what a statement waits with for its
    question, None when it waits for nothing; `bound` are the questions the text stands for, None before the
    first. `row_type` is what the text returns, `told` what the client has been shown last. `gated` are the
    machine-written statements in the text, which passed the gate at the moment `judged` (the loop's seconds).
    `again` is what to ask where they are called wrong, None where that cannot be asked.
    """

    places: Places | None = None
    template: object | None = None
    bound: tuple[str, ...] | None = None
    row_type: RowType = ()
    told: RowType | None = None
    gated: tuple[str, ...] = ()
    judged: float = 0.0
    again: object | None = None


@dataclass(eq=False)
class _Portal:
    statement: Statement
    places: Places | None
    row_type: RowType


class _MessageInFlight(NamedTuple):
    """A message in flight; `name` is a portal's for Bind and Execute, `target` 'S' or 'P'."""

    kind: int
    name: bytes = b""
    target: bytes = b""
    statement: Statement | None = None
    places: Places | None = None


@dataclass
class Rewrites:
    """The book of one session; fed with everything that passes while it is `active`."""

    _sent: deque[_MessageInFlight] = field(default_factory=deque)
    _statements: dict[bytes, Statement] = field(default_factory=dict)
    _portals: dict[bytes, _Portal] = field(default_factory=dict)
    _skipping: bool = False
    _copying: bool = False
    _changed: set[bytes] = field(default_factory=set)
    _parsing: Counter[bytes] = field(default_factory=Counter)
    _filter: FrameFilter = field(default_factory=lambda: FrameFilter(_WHOLE_MESSAGES, _OBSERVED_MESSAGES))

    @property
    def active(self) -> bool:
        """Whether anything passing must be recorded."""
        return bool(self._sent or self._statements or self._portals or self._filter.partial)

    @property
    def running(self) -> bool:
        """Whether the backend may work on SQL now that askwire has put there: on it, or in its group.

        What the messages of a group in front of it are answered, PostgreSQL keeps until it has more to say.
        """
        return self._owes(within_group=True)

    @property
    def owed(self) -> bool:
        """Whether the backend will work on such SQL before it waits for another message, or does already."""
        return self._owes(within_group=False)

    @property
    def followed(self) -> bool:
        """Whether SQL of the client's own has been sent behind such SQL: a late cancel would meet it."""
        owed = False
        for kind, ours in self._executions():
            if owed and not ours and kind != SYNC:
                return True
            owed = owed or ours
        return False

    def _owes(self, *, within_group: bool) -> bool:
        for kind, ours in self._executions():
            if ours:
                return True
            if within_group and kind in _SYNC_POINTS:
                return False
        return False

    def _executions(self) -> Iterator[tuple[int, bool]]:
        """What runs SQL or ends a group, oldest first: its kind, and whether askwire put the SQL there."""
        parsed, bound = set(self._statements), set(self._portals)
        for kind, name, target, statement, places in self._sent:
            if kind == PARSE:
                (parsed.add if statement else parsed.discard)(name)
            elif kind == BIND:
                (bound.add if target in parsed else bound.discard)(name)
            elif kind == EXECUTE:
                yield kind, name in bound
            elif kind in _SYNC_POINTS:
                yield kind, kind == QUERY and places is not None

    # -- what the client sends ---------------------------------------------------------------------------

    def query(self, places: Places) -> None:
        """Note a rewritten Query; everything sent before must have been answered."""
        self._sent.append(_MessageInFlight(QUERY, places=places))

    def parse(self, name: bytes, statement: Statement) -> None:
        """Note a rewritten Parse; everything sent before must have been answered."""
        if statement.template is not None:
            self._parsing[name] += 1
        self._sent.append(_MessageInFlight(PARSE, name, statement=statement))

    def sent(self, kind: int, payload: bytes) -> None:
        """Note any other message; `payload` may be cut behind the names."""
        if not self.active:
            return
        if kind == SYNC:
            if self._copying:
                return
            self._skipping = False
        if self._skipping:
            return
        if kind in _SYNC_POINTS:
            self._sent.append(_MessageInFlight(kind))
        elif kind in _COPY_ENDS:
            if self._copying:
                self._copying = False
            elif self._sent:
                self._sent.append(_MessageInFlight(_COPY_END))
        elif kind in NAMED:
            self._sent.append(self._named(kind, payload))

    def _named(self, kind: int, payload: bytes) -> _MessageInFlight:
        if kind in (DESCRIBE, CLOSE):
            target, name = payload[:1], messages.first_name(payload, 1)
            if kind == DESCRIBE and target != _STATEMENT:
                self._changed.discard(name)
            return _MessageInFlight(kind, name, target)
        name = messages.first_name(payload)
        if kind != BIND:
            return _MessageInFlight(kind, name)
        self._changed.discard(name)
        # a Bind names the statement behind the portal
        return _MessageInFlight(BIND, name, messages.first_name(payload, len(name) + 1))

    def waiting(self, name: bytes) -> bool:
        """Whether the statement of this name may wait for its question, once all in flight is answered."""
        known = self._statements.get(name)
        return name in self._parsing or (known is not None and known.template is not None)

    def _next(self) -> _MessageInFlight:
        """The oldest message in flight, which is no longer."""
        message = self._sent.popleft()
        if message.kind == PARSE and message.name in self._parsing:
            self._parsing[message.name] -= 1
            if not self._parsing[message.name]:
                del self._parsing[message.name]
        return message

    def settled(self) -> None:
        """Everything sent has been answered: whatever a failed COPY has left unclear is clear again."""
        self._sent.clear()
        self._parsing.clear()
        self._skipping = self._copying = False

    def statement(self, name: bytes) -> Statement | None:
        """The statement of this name if it is one of ours; exact while nothing is in flight."""
        return self._statements.get(name)

    def judged_before(self, name: bytes, moment: float) -> bool:
        """Whether the statement of this name runs machine-written SQL that was last judged before then."""
        known = self._statements.get(name)
        return known is not None and bool(known.gated) and known.judged < moment

    def judge_all_again(self) -> None:
        """Have all machine-written SQL judged again at its next Bind."""
        for statement in self._statements.values():
            statement.judged = float("-inf")

    def bind_changed(self, payload: bytes) -> None:
        """Note a Bind whose portal returns other columns than the client has been shown for the statement."""
        self.sent(BIND, payload)
        self._changed.add(messages.first_name(payload))

    def is_changed(self, portal: bytes) -> bool:
        """Whether executing the portal would give the client rows it cannot read: it has not described it."""
        return portal in self._changed

    # -- what the backend answers ------------------------------------------------------------------------

    def feed(self, data: bytes) -> bytes:
        """Bytes from the backend as the client gets them."""
        return self._filter.feed(data, self.answer)

    def answer(self, kind: int, payload: bytes) -> bytes:
        """Note one message from the backend; its payload as the client gets it."""
        if kind in (ERROR_RESPONSE, NOTICE_RESPONSE):
            payload = placed(payload, self._current())
        if kind == READY_FOR_QUERY:
            self._ready(payload)
        elif kind == ERROR_RESPONSE:
            self._failed()
        elif kind == COPY_IN_RESPONSE:
            self._copy_begins()
        elif self._sent:
            head = self._sent[0]
            if kind in _ANSWERS_THAT_END.get(head.kind, ()):
                self._done(self._next())
            if kind == COMMAND_COMPLETE and payload in _FORGETS_ALL:
                self._statements.clear()
        return payload

    def _current(self) -> Places | None:
        if not self._sent:
            return None
        kind, name, target, statement, places = self._sent[0]
        if kind == QUERY:
            return places
        if kind == PARSE:
            return statement.places if statement else None
        if kind == EXECUTE or (kind == DESCRIBE and target != _STATEMENT):
            portal = self._portals.get(name)
            return portal.places if portal else None
        known = self._statements.get(target if kind == BIND else name) if kind != CLOSE else None
        return known.places if known else None

    def _done(self, message: _MessageInFlight) -> None:
        kind, name, target, statement, _ = message
        if kind == PARSE:
            if statement:
                self._statements[name] = statement
            else:
                self._statements.pop(name, None)
        elif kind == BIND:
            self._portals.pop(name, None)
            if known := self._statements.get(target):
                self._portals[name] = _Portal(known, known.places, known.row_type)
        elif kind == CLOSE:
            (self._statements if target == _STATEMENT else self._portals).pop(name, None)
        elif kind == DESCRIBE and target == _STATEMENT:
            if known := self._statements.get(name):
                known.told = known.row_type
        elif kind == DESCRIBE and (portal := self._portals.get(name)):
            portal.statement.told = portal.row_type

    def _ready(self, status: bytes) -> None:
        self._copying = self._skipping = False
        while self._sent:
            kind = self._next().kind
            if kind in _SYNC_POINTS:
                if kind == QUERY:
                    # a simple query does away with the unnamed statement and portal
                    self._statements.pop(b"", None)
                    self._portals.pop(b"", None)
                break
        if status == b"I":
            self._portals.clear()
            self._changed.clear()

    def _failed(self) -> None:
        """Forget what the backend skips now: everything up to the next Sync."""
        self._copying = False
        if not self._sent or self._sent[0].kind in _SYNC_POINTS:
            return
        while self._sent and self._sent[0].kind != SYNC:
            self._next()
        self._skipping = not self._sent

    def _copy_begins(self) -> None:
        """Forget the Syncs that the backend ignores: those between the copying message and its end."""
        if not self._sent:
            return
        head = self._next()
        while self._sent and self._sent[0].kind == SYNC:
            self._next()
        if self._sent and self._sent[0].kind == _COPY_END:
            self._next()
        else:
            self._copying = True
        self._sent.appendleft(head)


def placed(payload: bytes, places: Places | None) -> bytes:
    """An ErrorResponse or NoticeResponse whose position, if it has one, points into the client's text."""
    if places is None:
        return payload
    fields = payload.split(b"\x00")
    for number, value in enumerate(fields):
        if value[:1] == b"P" and value[1:].isdigit():
            fields[number] = b"P%d" % places(int(value[1:]))
    return b"\x00".join(fields)
