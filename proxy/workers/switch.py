"""The supervisor's side of all channels: passes questions on, and gathers their answers.

Without an event loop: `take` and `send` are called where a socket is readable or writable, `tick` now and
then. A process that does not read what it is sent loses messages, not the supervisor's memory.
"""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from askwire.proxy.workers.frames import (
    ANSWER_TIMEOUT_SECONDS,
    MAX_MESSAGE_BYTES,
    BrokenChannel,
    FrameDecoder,
    packed,
)

_RECEIVE_BYTES: Final = 256 * 1024


@dataclass
class Line:
    """A channel to one process; `name` is the worker's number, FORMER or SUCCESSOR."""

    name: int
    socket: socket.socket
    unpacking: FrameDecoder = field(default_factory=FrameDecoder)
    waiting: bytearray = field(default_factory=bytearray)


FORMER: Final = -1
"""The process that this one has taken over from: its sessions go on until their clients leave."""
SUCCESSOR: Final = -2
"""The process that takes over from this one: it asks, and is asked nothing."""
_FORMER_KINDS: Final = frozenset({"cancel", "picture", "kill"})
"""Kinds that the sessions of a former process matter for; all else is of the processes of one start."""


@dataclass
class _Question:
    asker: Line
    number: int
    kind: str
    open: set[int]
    until: float
    replies: list[Any] = field(default_factory=list)


class Switch:
    """Connects the processes.

    `wants_to_write` is called when that changes for a line. `heard` takes what is said to the supervisor
    itself, and returns whether it was. `asked` sees each question with its kind, and returns the supervisor's
    own answers; `answered` sees all others.
    """

    def __init__(
        self,
        wants_to_write: Callable[[Line, bool], None] = lambda _line, _wants: None,
        heard: Callable[[Line, dict[str, Any]], bool] = lambda _line, _message: False,
        clock: Callable[[], float] = time.monotonic,
        asked: Callable[[str, Any], list[Any]] = lambda _kind, _data: [],
        answered: Callable[[str, list[Any]], None] = lambda _kind, _replies: None,
    ) -> None:
        self.lines: dict[int, Line] = {}
        self._wants_to_write = wants_to_write
        self._heard = heard
        self._clock = clock
        self._asked = asked
        self._answered = answered
        self._numbers = itertools.count(1)
        self._questions: dict[int, _Question] = {}

    def add(self, name: int, connected: socket.socket) -> Line:
        """Take up a channel to a process."""
        connected.setblocking(False)
        line = self.lines[name] = Line(name, connected)
        return line

    def remove(self, line: Line) -> None:
        """Forget a process that is gone, and wait no longer for its answers."""
        if self.lines.get(line.name) is line:
            del self.lines[line.name]
        line.socket.close()
        for number, question in list(self._questions.items()):
            if question.asker is line:
                del self._questions[number]
            else:
                question.open.discard(line.name)
                self._settle(number)

    def take(self, line: Line) -> bool:
        """Read what a process says; False where it is gone."""
        try:
            data = line.socket.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        try:
            for message in line.unpacking.feed(data):
                self._route(line, message)
        except BrokenChannel:
            return False
        return bool(data)

    def send(self, line: Line, message: dict[str, Any] | None = None) -> None:
        """Write what waits for a process, with a message more."""
        if message is not None and len(line.waiting) < MAX_MESSAGE_BYTES:
            line.waiting += packed(message)
        try:
            sent = line.socket.send(line.waiting) if line.waiting else 0
        except OSError:
            sent = 0  # not now, or gone: reading will tell
        del line.waiting[:sent]
        self._wants_to_write(line, bool(line.waiting))

    def tell(self, kind: str, data: Any = None, *, to: Iterable[int] | None = None) -> None:
        """Say something to workers, to all of them by default."""
        for name, line in list(self.lines.items()):
            if name >= 0 and (to is None or name in to):
                self.send(line, {"kind": kind, "data": data})

    def tick(self) -> None:
        """Answer what has waited long enough with what came."""
        now = self._clock()
        for number, question in list(self._questions.items()):
            if now >= question.until:
                question.open.clear()
                self._settle(number)

    def _route(self, line: Line, message: dict[str, Any]) -> None:
        if "replies" in message:
            number = message.get("id", 0)
            question = self._questions.get(number)
            if question is not None and line.name in question.open:
                question.open.discard(line.name)
                question.replies += message["replies"]
                self._answered(question.kind, message["replies"])
                self._settle(number)
            return
        kind, to = message.get("kind", ""), message.get("to")
        if self._heard(line, message):
            return
        others = [
            other
            for name, other in self.lines.items()
            if other is not line
            and (to is None or name == to)
            and (name >= 0 or (name == FORMER and kind in _FORMER_KINDS))
        ]
        passed: dict[str, Any] = {"kind": kind, "data": message.get("data")}
        if asked := message.get("id"):
            number = passed["id"] = next(self._numbers)
            names = {other.name for other in others}
            # who asks over another supervisor has to get the answer before that one's patience ends
            until = self._clock() + (
                ANSWER_TIMEOUT_SECONDS / 2 if line.name == SUCCESSOR else ANSWER_TIMEOUT_SECONDS
            )
            own = self._asked(kind, message.get("data"))
            self._questions[number] = _Question(line, asked, kind, names, until, own)
        for other in others:
            self.send(other, passed)
        if asked:
            self._settle(number)

    def _settle(self, number: int) -> None:
        question = self._questions.get(number)
        if question is not None and not question.open:
            del self._questions[number]
            if question.asker.name in self.lines:
                self.send(question.asker, {"id": question.number, "replies": question.replies})
