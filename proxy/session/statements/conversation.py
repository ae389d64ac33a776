"""askwire's own talk with the backend, on the client's connection, while no client message is in flight.

Owns: reading whole frames in order, what must reach the client nevertheless (ParameterStatus,
NotificationResponse, FATAL), and the few exchanges whose shape matters: the fence that waits for an open
extended-query group, the extra Sync, the deliberately failing message whose error is replaced.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final, NoReturn, TypeVar

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Row
from askwire.proxy.connection.canceling import CancelUnanswered
from askwire.proxy.wire import messages
from askwire.proxy.wire.pipeline import Pipeline
from askwire.proxy.wire.rewrites import Rewrites, RowType
from askwire.proxy.wire.walker import (
    ANSWERS,
    COMMAND_COMPLETE,
    DATA_ROW,
    ERROR_RESPONSE,
    NOTICE_RESPONSE,
    NOTIFICATION_RESPONSE,
    PARAMETER_STATUS,
    READY_FOR_QUERY,
    WATCHED,
    Frame,
    FrameReader,
)

T = TypeVar("T")

MAX_ROW_BYTES = 1 << 30
"""No row that PostgreSQL sends is longer, in bytes."""

PREFIX = b"askwire_"
"""Every statement and portal of ours has a name that starts so; a client's own never clash in practice."""

CANCEL_AFTER_SECONDS = 0.1
"""Seconds that a canceled exchange may go on before the backend is asked to cancel it."""

_PARSE_COMPLETE = ord("1")
_ROW_DESCRIPTION = ord("T")
_PARAMETER_DESCRIPTION = ord("t")
_NO_DATA = ord("n")
_CLOSE_COMPLETE = ord("3")
_FATAL = frozenset(("FATAL", "PANIC"))
_ASYNCHRONOUS = frozenset((PARAMETER_STATUS, NOTIFICATION_RESPONSE))
_ANYTIME = _ASYNCHRONOUS | {NOTICE_RESPONSE}
_BOOL_OID, _TEXT_OID = 16, 25


CONNECTION_FAILURE: Final = "08006"
"""The SQLSTATE of what ended because the backend is gone."""


class BackendGone(ConnectionError):
    """The backend closed the connection, or said FATAL, in the middle of our talk."""


class BackendStalled(BackendGone):
    """The backend did not end what was canceled in the time it had: its connection is given up."""


class Conversation:
    """Whole frames from the backend, one reader at a time.

    `to_client` and `to_backend` write raw bytes; `parameter` is shown about ParameterStatus payloads,
    `known` are the values that the client has been shown; `codec` is Python's name of the client encoding,
    in which all text on this connection stands. `turn` is held by anyone who waits for answers to statements
    of ours.
    `patience` are the seconds that the backend gets to end what was canceled, 0 for any number.
    """

    _fences = count(1)

    def __init__(
        self,
        pipeline: Pipeline,
        rewrites: Rewrites,
        to_client: Callable[[bytes], None],
        to_backend: Callable[[bytes], None],
        parameter: Callable[[bytes], None],
        known: Mapping[str, str],
        codec: str,
        patience: float = 0,
    ) -> None:
        self.pipeline = pipeline
        self._patience = patience
        self.stalled = False
        self.rewrites = rewrites
        self.turn = asyncio.Lock()
        self._to_client = to_client
        self.send = to_backend
        self._parameter = parameter
        self.codec = codec
        self._reader = FrameReader(MAX_ROW_BYTES)
        self._ours = False
        self._known = known
        self._quiet = False
        self._looking = False
        self._counting = True
        self._held: dict[str, bytes] = {}
        self._frames: deque[Frame] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self.gone = False

    def feed(self, data: bytes) -> None:
        """Bytes from the backend."""
        for frame in self._reader.feed(data):
            if self._ours and frame[0] in _ASYNCHRONOUS:
                # no one may be reading: they must not wait until a thought has ended
                self._asynchronous(frame)
            else:
                self._frames.append(frame)
        self._wake()

    def lost(self) -> None:
        """The backend's connection is gone; what it said last still reaches the client."""
        self.gone = True
        while self._frames:
            frame = self._frames.popleft()
            if not self._ours or frame[0] in _ASYNCHRONOUS or _is_fatal(frame):
                self.forward(frame)
        self._wake()

    def begin(self) -> None:
        """Everything the client sent before is answered: from now on rows answer statements of ours."""
        self._ours = True

    def cap_rows(self, longest: int) -> None:
        """Have longer rows than `longest` bytes come out empty, from the next one on; 0 lifts the cap."""
        self._reader.max_row = longest or MAX_ROW_BYTES

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def forward(self, frame: Frame) -> None:
        """Hand one frame to the client: as it came, but for places in a text that was rewritten."""
        kind, payload = frame
        if self.rewrites.active:
            payload = self.rewrites.answer(kind, payload)
        self._to_client(messages.frame(bytes((kind,)), payload))

    @contextmanager
    def quiet_parameters(self) -> Iterator[None]:
        """Keep the changes of parameters that are changed back inside the block to ourselves."""
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False
            held, self._held = self._held, {}
            for name, payload in held.items():
                if self._known.get(name) != messages.read_parameter_status(payload)[1]:
                    self._asynchronous((PARAMETER_STATUS, payload))

    def _asynchronous(self, frame: Frame) -> None:
        kind, payload = frame
        if kind == PARAMETER_STATUS and self._quiet:
            self._held[messages.read_parameter_status(payload)[0]] = payload
            return
        self._note(frame)
        self.forward(frame)

    def notify(self, fields: Mapping[str, str]) -> None:
        """Send the client a NoticeResponse of ours."""
        self._to_client(messages.notice_response(fields, self.codec))

    async def _next(self) -> Frame:
        while not self._frames:
            if self.gone:
                self.raise_stalled()
                raise BackendGone("the backend closed the connection")
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        frame = self._frames.popleft()
        self._note(frame)
        return frame

    def _note(self, frame: Frame) -> None:
        kind, payload = frame
        if kind == PARAMETER_STATUS:
            self._parameter(payload)
        elif kind in WATCHED and not (self._looking and kind == COMMAND_COMPLETE):
            self.pipeline.received(kind, payload)
        elif kind in ANSWERS and self._counting:
            self.pipeline.received_answers(1)

    def caught_up(self) -> None:
        """Note that the backend has answered all that the client sent: further answers are to ours."""
        self._counting = False
        self.pipeline.caught_up()

    async def receive(self, notice: Callable[[bytes], None] | None = None) -> Frame:
        """The next frame that answers a statement of ours.

        Asynchronous messages go to the client, payloads of our statements' notices to `notice`. Raises
        BackendGone when the backend says FATAL or closes; the client has been handed the FATAL message then.
        """
        while True:
            frame = await self._next()
            kind, _ = frame
            if kind in _ASYNCHRONOUS:
                self.forward(frame)
            elif _is_fatal(frame):
                self._end(frame)
            elif kind != NOTICE_RESPONSE:
                return frame
            elif notice:
                notice(frame[1])

    def _end(self, fatal: Frame) -> NoReturn:
        """The backend says that it ends: the client hears it, and nothing more is waited for."""
        self.gone = True
        self.forward(fatal)
        raise BackendGone("the backend ended the session")

    async def until_ready(self) -> Mapping[str, str] | None:
        """Read up to ReadyForQuery; the fields of the first error met, or None."""
        error: Mapping[str, str] | None = None
        while True:
            kind, payload = await self.receive()
            if kind == READY_FOR_QUERY:
                return error
            if kind == ERROR_RESPONSE and error is None:
                error = messages.read_fields(payload)

    async def fence(self) -> bool:
        """Wait until everything the client sent before has been answered; its answers go to the client.

        For an open extended-query group. False when the group met an error: the backend then skips whatever
        follows up to the next Sync. The fence is an empty statement, legal in every transaction state, known
        by the parameter types it declares; it takes no snapshot.
        """
        number = next(self._fences)
        types = tuple(_TEXT_OID if number >> bit & 1 else _BOOL_OID for bit in range(32))
        described = messages.INT16.pack(len(types)) + b"".join(messages.UINT32.pack(oid) for oid in types)
        name = PREFIX + b"fence"
        self.send(
            messages.parse(name, b"", types)
            + messages.describe_statement(name)
            + messages.close_statement(name)
            + messages.FLUSH
        )
        held: Frame | None = None
        while True:
            frame = await self._next()
            if held is not None and frame[0] not in _ANYTIME:
                if frame == (_PARAMETER_DESCRIPTION, described):
                    break
                self.forward(held)
                held = None
            if frame[0] == _PARSE_COMPLETE:
                held = frame
                continue
            self.forward(frame)
            if frame[0] == ERROR_RESPONSE:
                return False
        for expected in (_NO_DATA, _CLOSE_COMPLETE):
            kind, _ = await self.receive()
            if kind != expected:
                raise BackendGone("the backend answered a fence in an unknown way")
        return True

    async def look(self, sql: str) -> list[Row]:
        """The rows of a small statement of ours, be it in an open group; raises DatabaseFailed.

        In an open group an error of it is one of the group's: what follows is skipped up to the next Sync.
        """
        name = PREFIX + b"look"
        steps = (
            messages.parse(name, sql.encode(self.codec))
            + messages.bind(name, name)
            + messages.execute(name)
            + messages.close_portal(name)
            + messages.close_statement(name)
        )
        group_open = self.pipeline.group_open
        self.send(steps + (messages.FLUSH if group_open else messages.SYNC))
        self._looking = True
        try:
            return await self._looked_up(in_group=group_open)
        finally:
            self._looking = False

    async def _looked_up(self, *, in_group: bool) -> list[Row]:
        rows: list[Row] = []
        closed = 0
        error: DatabaseFailed | None = None
        while True:
            kind, payload = await self.receive()
            if kind == DATA_ROW:
                rows.append(messages.read_data_row(payload, self.codec))
            elif kind == ERROR_RESPONSE:
                error = database_error(messages.read_fields(payload, self.codec))
            elif kind == _CLOSE_COMPLETE:
                closed += 1
            if kind == READY_FOR_QUERY or (in_group and (error or closed == 2)):
                if error:
                    raise error
                return rows

    async def steps(self, sent: bytes) -> tuple[RowType, Frame | None]:
        """Send messages of ours that end with one that describes or closes, or with a Parse, and Flush.

        What was described, and the ErrorResponse met: what follows is then skipped up to the next Sync.
        """
        ends = sum(sent_kind in b"PDC" for sent_kind, _ in FrameReader(MAX_ROW_BYTES).feed(sent))
        self.send(sent + messages.FLUSH)
        row_type: RowType = ()
        while ends:
            frame = await self.receive()
            kind, payload = frame
            if kind == ERROR_RESPONSE:
                return row_type, frame
            if kind == _ROW_DESCRIPTION:
                row_type = messages.read_row_type(payload)
            if kind in (_PARSE_COMPLETE, _ROW_DESCRIPTION, _NO_DATA, _CLOSE_COMPLETE):
                ends -= 1
        return row_type, None

    async def extra_sync(self) -> None:
        """Close an open group by a Sync of ours; its ReadyForQuery is not the client's to see."""
        self.pipeline.close_group()
        self.send(messages.SYNC)
        await self.until_ready()

    async def stay_awake(self, interval: float, settle: Callable[[], Awaitable[None]]) -> None:
        """Until canceled, send a Sync every `interval` seconds in which nothing of ours is in flight.

        It restarts the server's timers for idle sessions and blocks, and does nothing else: there is no open
        group that it could close. `settle` reads what is still to come before.
        """
        with suppress(BackendGone):  # anyone who talks next is informed
            while not self.gone:
                await asyncio.sleep(interval)
                if not self.turn.locked():
                    await self.finish(self._sync_in_turn(settle))

    async def _sync_in_turn(self, settle: Callable[[], Awaitable[None]]) -> None:
        async with self.turn:
            await settle()
            self.send(messages.SYNC)
            await self.until_ready()

    async def finish(
        self,
        work: Coroutine[None, None, T],
        hurry: Callable[[], Awaitable[None]] | None = None,
        *,
        pressed: bool = False,
    ) -> T:
        """`to_its_end` of an exchange with the backend, which has `patience` from a cancellation on.

        `pressed`: from now on. Raises BackendStalled when the time is up: nothing more can be said here then.
        """
        try:
            return await to_its_end(work, hurry, patience=self._patience, pressed=pressed)
        except BackendStalled:
            self.gone = self.stalled = True
            raise

    def raise_stalled(self) -> None:
        """Raise BackendStalled where the backend has been given up."""
        if self.stalled:
            raise BackendStalled("the backend does not answer")

    def failed(self, fields: Mapping[str, str]) -> None:
        """Give the client an error of ours where a statement of ours has failed in its open group.

        The backend then is in the state that such an error leads to, without another message.
        """
        self._to_client(messages.error_response({"S": "ERROR", "V": "ERROR", **fields}, self.codec))

    async def fail(self, failing: bytes, fields: Mapping[str, str], mark: str) -> None:
        """Send a message that fails, and give the client its error with our fields in it.

        Transaction status, rollback and skip-to-Sync are then PostgreSQL's own. The error is ours when it
        quotes `mark`; what the client's own statements in front of it meet reaches the client as it is.
        """
        self.send(failing)
        while True:
            frame = await self._next()
            kind, payload = frame
            if kind != ERROR_RESPONSE:
                self.forward(frame)
                continue
            if _is_fatal(frame):
                self._end(frame)
            theirs = messages.read_fields(payload, self.codec)
            if mark in theirs.get("M", mark):
                if self.rewrites.active:
                    self.rewrites.answer(kind, payload)
                kept = {key: theirs[key] for key in "SV" if key in theirs}
                self._to_client(messages.error_response({**kept, **fields}, self.codec))
            else:
                self.forward(frame)
            return

    def drain(self) -> bytes:
        """End the talk: frames that came in go to the client, bytes of an unfinished one are returned."""
        while self._frames:
            frame = self._frames.popleft()
            self._note(frame)
            self.forward(frame)
        return self._reader.rest()


async def to_its_end(
    work: Coroutine[None, None, T],
    hurry: Callable[[], Awaitable[None]] | None = None,
    *,
    patience: float = 0,
    pressed: bool = False,
) -> T:
    """Await `work`; a cancellation that comes meanwhile is raised after it has ended well.

    Where a canceled one takes long, `hurry` is called, once, and awaited too. What `work` raises counts more
    than a cancellation. One that has not ended `patience` seconds after the cancellation (`pressed`: after
    now) is given up with BackendStalled; 0 seconds are any number.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)
    canceled: asyncio.CancelledError | None = None
    ends = loop.time() + patience if patience and pressed else None
    while not task.done():
        hurries = canceled is not None and hurry is not None
        left = None if ends is None else max(0.0, ends - loop.time())
        try:
            wait = (
                min(CANCEL_AFTER_SECONDS, CANCEL_AFTER_SECONDS if left is None else left) if hurries else left
            )
            if (await asyncio.wait((task,), timeout=wait))[0]:
                break
            if hurries and hurry is not None:
                hurrying, hurry = hurry, None
                try:
                    await to_its_end(delivered(hurrying))
                except BackendStalled:
                    task.cancel()
                    await asyncio.wait((task,))
                    raise
            elif ends is not None and loop.time() >= ends:
                task.cancel()
                await asyncio.wait((task,))
                if task.cancelled() or task.exception() is not None:
                    raise BackendStalled("the backend does not answer") from None
        except asyncio.CancelledError as error:
            canceled = error
            if patience and ends is None:
                ends = loop.time() + patience
    result = await task
    if canceled is not None:
        raise canceled
    return result


async def delivered(hurry: Callable[[], Awaitable[None]]) -> None:
    """Send a CancelRequest, and wait until it has been taken; BackendStalled where that stays unknown.

    Nothing happens where it could not be sent at all.
    """
    try:
        await hurry()
    except CancelUnanswered:
        # it may meet whatever comes next, and that would be the client's
        raise BackendStalled("the backend does not take a cancel request") from None
    except OSError:
        return  # what cannot be hurried is waited for


def _is_fatal(frame: Frame) -> bool:
    return frame[0] == ERROR_RESPONSE and messages.read_fields(frame[1]).get("V") in _FATAL


def database_error(fields: Mapping[str, str]) -> DatabaseFailed:
    """A backend's ErrorResponse as an exception of ours."""
    position = fields.get("P", "")
    return DatabaseFailed(
        fields.get("M", "the backend reported an error"),
        code=fields.get("C", "XX000"),
        detail=fields.get("D", ""),
        hint=fields.get("H", ""),
        position=int(position) if position.isdigit() else 0,
    )
