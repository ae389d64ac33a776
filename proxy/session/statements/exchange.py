"""Statements of askwire's own on the wire, several under way at once.

Owns: how a statement is framed (the extended protocol, private names, a Sync behind each group), the answers
that are still to come, in order, and the names that an error leaves behind.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultColumn, Row
from askwire.proxy.session.statements.conversation import PREFIX, Conversation, database_error
from askwire.proxy.wire import messages
from askwire.proxy.wire.encodings import encode
from askwire.proxy.wire.walker import COMMAND_COMPLETE, DATA_ROW, ERROR_RESPONSE, READY_FOR_QUERY

_ROW_DESCRIPTION: Final = ord("T")
_PORTAL_SUSPENDED: Final = ord("s")
_MAX_DECODED_BYTES: Final = 16_384
"""Bytes of rows; some two milliseconds where cells are short."""


@dataclass(frozen=True, slots=True)
class FramedStatement:
    """One statement as messages, under the private name that it has."""

    name: bytes
    data: bytes


@dataclass(slots=True)
class Group:
    """Statements under one Sync, and what has come of them: rows under the caps, and the first error.

    A cap of 0 is none; `truncated` tells that rows were cut off. `completed` counts the statements that ran
    to their end. `done` when the backend is ready again.
    """

    names: list[bytes]
    max_rows: int
    max_bytes: int
    columns: tuple[ResultColumn, ...] = ()
    rows: list[Row] = field(default_factory=list)
    size: int = 0
    completed: int = 0
    truncated: bool = False
    error: DatabaseFailed | None = None
    done: bool = False


class Exchange:
    """What is sent over one conversation, group by group; answers are read in the order of sending.

    `statements` counts what was sent.
    """

    _numbers = count(1)

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._owed: deque[Group] = deque()
        self._unclosed: list[bytes] = []
        self.statements = 0

    @property
    def owed(self) -> bool:
        """Whether an answer of the backend is still to come."""
        return bool(self._owed)

    def framed(
        self, sql: str, parameters: Sequence[Cell] = (), max_rows: int = 0, *, describe: bool = False
    ) -> FramedStatement:
        """Parse, Bind, [Describe], Execute and Close; DatabaseFailed where a text cannot be sent."""
        name = PREFIX + str(next(self._numbers)).encode()
        return FramedStatement(
            name,
            messages.parse(name, self._encoded(sql))
            + messages.bind(name, name, [None if p is None else self._encoded(p) for p in parameters])
            + (messages.describe_portal(name) if describe else b"")
            + messages.execute(name, max_rows)
            + messages.close_portal(name)
            + messages.close_statement(name),
        )

    def _encoded(self, text: str) -> bytes:
        if "\x00" in text:
            raise DatabaseFailed("a statement holds a NUL character", code="22021")
        try:
            return encode(text, self._conversation.codec)
        except UnicodeEncodeError:
            raise DatabaseFailed(
                "a statement holds a character that the client encoding cannot express", code="22P05"
            ) from None

    def send(self, statements: Sequence[FramedStatement], max_rows: int = 0, max_bytes: int = 0) -> Group:
        """Send statements under one Sync; nothing is waited for."""
        self.statements += len(statements)
        return self._put(
            b"".join(s.data for s in statements), Group([s.name for s in statements], max_rows, max_bytes)
        )

    def commands(self, *statements: str) -> Group:
        """Send statements that return next to nothing under one Sync."""
        return self.send([self.framed(sql) for sql in statements])

    def close_names(self) -> Group | None:
        """Close what errors left behind: one skips the Close of its own statement and all that follow."""
        if not self._unclosed:
            return None
        names, self._unclosed = self._unclosed, []
        closing = b"".join(messages.close_portal(n) + messages.close_statement(n) for n in names)
        return self._put(closing, Group(names, 0, 0))

    def _put(self, data: bytes, group: Group) -> Group:
        self._owed.append(group)
        self._conversation.cap_rows(max(g.max_bytes for g in self._owed))
        self._conversation.send(data + messages.SYNC)
        return group

    async def answer(self, group: Group) -> Group:
        """Wait until a group has its answer, and so each that was sent before it."""
        while not group.done:
            await self._collect(self._owed[0])
        return group

    async def drain(self) -> None:
        """Wait for every answer that is still to come."""
        while self._owed:
            await self.answer(self._owed[-1])

    async def _collect(self, group: Group) -> None:
        """Read up to the ReadyForQuery of the first group that is owed; what has come stays, if canceled."""
        conversation = self._conversation
        decoded = 0
        while not group.done:
            kind, payload = await conversation.receive()
            if kind == DATA_ROW:
                group.size += len(payload)
                full = group.max_rows and len(group.rows) >= group.max_rows
                if not payload or full or (group.max_bytes and group.size > group.max_bytes):
                    group.truncated = True
                else:
                    group.rows.append(messages.read_data_row(payload, conversation.codec))
                    decoded += len(payload)
                    if decoded >= _MAX_DECODED_BYTES:
                        decoded = 0
                        await asyncio.sleep(0)  # rows may have come by the thousand: others get their turn
            elif kind == _ROW_DESCRIPTION:
                group.columns = messages.read_row_description(payload, conversation.codec)
            elif kind == COMMAND_COMPLETE:
                group.completed += 1
            elif kind == _PORTAL_SUSPENDED:
                group.truncated = True
            elif kind == ERROR_RESPONSE:
                group.error = group.error or database_error(messages.read_fields(payload, conversation.codec))
            elif kind == READY_FOR_QUERY:
                group.done = True
                self._owed.popleft()
                if group.error is not None:
                    self._unclosed += group.names
