"""One client message that askwire steps in for: from the client's bytes to the bytes in their place.

Owns: waiting for an open extended-query group, what each transaction state allows, room for statements of
our own, cancellation, notices to the client, and errors as the backend's own. What a message is and what
stands in its place is a `Request`'s business.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from askwire.core.errors import (
    AskCanceled,
    AskError,
    AskSyntaxError,
    BudgetSpent,
    NotPossibleHere,
    ProtocolError,
)
from askwire.core.settings.table import Settings
from askwire.core.types import Row
from askwire.proxy.asking.requests import (
    AskRequest,
    FeedbackRequest,
    Notice,
    Recheck,
    Resolver,
    Rewrite,
    StateQuery,
)
from askwire.proxy.log import log_internal
from askwire.proxy.session.relay.interception import Forward, error_fields
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.conversation import PREFIX, BackendGone, Conversation
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.prelude import NOTHING, Prelude
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import BIND, PARSE, QUERY
from askwire.sql.ask import AskCommand, AskSite
from askwire.sql.state_needs import Need

T = TypeVar("T")

log = logging.getLogger("askwire.asking")

_FAILING = b"askwire_answers_this_statement_with_an_error"
FAILING_QUERY = f"SELECT {_FAILING.decode()}"
"""What parses and cannot be run."""


class Request(Protocol):
    """A client message that may concern askwire."""

    @property
    def kind(self) -> int:
        """The message's type byte."""

    @property
    def payload(self) -> bytes:
        """The message as it came."""

    async def concerns(self, asking: AskInterception) -> bool:
        """Whether askwire steps in; asked first, and again once everything before has been answered."""

    async def outgoing(self, asking: AskInterception) -> Forward | None:
        """What stands in the message's place; None when the client has been answered with an error."""


class AskInterception:
    """One message being worked on; `run` is called once.

    `settings` are the operator's. `place` is where errors point to that name no place of their own, from 1;
    0: nowhere. `stand_in` is a message in which what stands in front of the ASK runs and the ASK alone fails
    (`FAILING_QUERY`), None: the message fails as a whole.
    """

    def __init__(
        self,
        conversation: Conversation,
        request: Request,
        parameters: Mapping[str, str],
        resolver: Resolver,
        settings: Settings,
        cancel_backend: Callable[[], Awaitable[None]],
        memory: SessionMemory,
    ) -> None:
        self.conversation = conversation
        self.parameters = parameters
        self.rewrites = conversation.rewrites
        self.place = 0
        self.stand_in: Forward | None = None
        self._unnamed_bind = b""
        self._request = request
        self._resolver = resolver
        self.settings = settings
        self._cancel_backend = cancel_backend
        self.memory = memory
        self._work: asyncio.Task[Forward | None] | None = None
        self._canceled = False

    def cancel(self) -> bool:
        """Stop working on it: the client gets 57014. False when the work is already over."""
        if self._work is None or self._work.done():
            return False
        self._canceled = True
        self._work.cancel()
        return True

    @property
    def status(self) -> str:
        """The transaction status: 'I', 'T' or 'E'."""
        return self.conversation.pipeline.status

    @property
    def unchanged(self) -> Forward:
        """The client's message as it came."""
        return Forward(self._request.kind, self._request.payload)

    async def run(self) -> Forward | None:
        """What to forward in the message's place; None when the client was answered with an error.

        Raises BackendGone or ProtocolError when the session cannot go on.
        """
        conversation = self.conversation
        pipeline = conversation.pipeline
        if not await self._request.concerns(self):
            return self.unchanged
        if pipeline.skips or not await self._everything_answered():
            # an error in the open group makes the backend skip this message too
            return self.unchanged
        try:
            if not await self._request.concerns(self):
                return self.unchanged
            forward = await self._worked_on()
            return forward if await self._bound_again(forward) else None
        except (AskSyntaxError, NotPossibleHere) as error:
            # as a syntax error does, it comes before anything of the message has run
            self.stand_in = None
            fields = error_fields(error, self.place)
        except AskError as error:
            fields = error_fields(error, self.place)
        except (BackendGone, ProtocolError):
            raise
        except Exception as error:  # noqa: BLE001 - the boundary: logged, and the client is informed
            number = log_internal(log, error)
            fields = {
                "C": "XX000",
                "M": "askwire met an internal error",
                "D": f"The log has the details under {number}.",
            }
        await self._fail(fields)
        return None

    async def _everything_answered(self) -> bool:
        """Wait for the answers to an open group; False when it met an error."""
        conversation = self.conversation
        pipeline = conversation.pipeline
        group_open = pipeline.group_open
        if group_open or pipeline.uncertain:
            if not await conversation.fence():
                return False
            pipeline.uncertain = False
            if not group_open:
                await conversation.extra_sync()
        conversation.caught_up()
        self.rewrites.settled()
        return True

    async def _worked_on(self) -> Forward | None:
        self._work = asyncio.get_running_loop().create_task(self._request.outgoing(self))
        try:
            return await self._work
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._canceled and not (task and task.cancelling()):
                raise AskCanceled("canceling ASK due to user request") from None
            # the session ends: no client is left to be informed
            raise

    async def _fail(self, fields: Mapping[str, str]) -> None:
        """Forward a message of the same kind that fails, and give the client its error with our fields."""
        request = self._request
        if self.conversation.pipeline.skips:
            self.conversation.failed(fields)
            return
        if self.stand_in is not None:
            failing = self.stand_in
        elif request.kind == QUERY:
            failing = Forward(QUERY, _FAILING + b"\x00")
        else:
            # the unnamed statement goes when the client replaces it, and only then
            name = messages.first_name(request.payload) if request.kind == PARSE else PREFIX + b"failing"
            failing = Forward(PARSE, messages.parse_payload(name, _FAILING))
        self.conversation.pipeline.sent(failing.kind)
        if failing.record:
            failing.record(self.rewrites)
        else:
            self.rewrites.sent(failing.kind, failing.payload)
        work = self.conversation.fail(failing.data, fields, _FAILING.decode())
        # what stands in front of the ASK may take its time; the rest takes none
        await self.conversation.finish(work, pressed=self.stand_in is None)

    # -- what requests use -------------------------------------------------------------------------------

    async def make_room(self) -> None:
        """Close an open group, so that statements of ours can run; NotPossibleHere where that would harm."""
        pipeline = self.conversation.pipeline
        if pipeline.group_open:
            if not pipeline.sync_is_harmless:
                raise NotPossibleHere(
                    "ASK is not possible after other statements of an unfinished pipeline",
                    hint="Send Sync before the ASK, or begin a transaction block first.",
                )
            self._unnamed_bind = pipeline.unnamed_bind
            await self.conversation.finish(self.conversation.extra_sync())
        self.conversation.begin()

    async def _bound_again(self, forward: Forward | None) -> bool:
        """Bind the client's unnamed portal again that a Sync of ours has closed; False when that fails.

        Not in front of what does away with it anyway: a Query, and a Bind of the unnamed portal.
        """
        payload = self._unnamed_bind
        if not payload or forward is None or forward.kind == QUERY:
            return True
        if forward.kind == BIND and not messages.first_name(forward.payload):
            return True
        self.conversation.pipeline.sent(BIND, named=False)
        bind = messages.frame(b"B", payload) + messages.close_statement(PREFIX + b"none")
        _, error = await self.conversation.finish(self.conversation.steps(bind))
        if error is not None:
            self.conversation.forward(error)
        else:
            self.conversation.caught_up()
        return error is None

    async def exchange(self, work: Coroutine[None, None, T]) -> T:
        """Await an exchange of ours with the backend; a cancellation takes effect behind it, never inside.

        What is left of an exchange would be answered to the client. One that waits, for a lock say, is
        canceled at the backend.
        """
        return await self.conversation.finish(work, self._cancel_backend)

    async def look(self, sql: str) -> list[Row]:
        """The rows of a small statement of ours; raises DatabaseFailed, BudgetSpent."""
        async with self._in_time():
            return await self.exchange(self.conversation.look(sql))

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """What an ASK may take as a whole is a limit for each part of it that has none of its own."""
        limit = self._resolver.initial_caps.longest_ms
        try:
            async with asyncio.timeout(limit / 1000 if limit else None):
                yield
        except TimeoutError:
            raise BudgetSpent(f"PostgreSQL has not answered within {limit} ms") from None

    async def resolve(self, site: AskSite, prelude: Prelude = NOTHING) -> Rewrite:
        """SQL for one ASK, from the resolver; the client has been shown nothing of it yet."""
        executor = SessionExecutor(
            self.conversation, self._resolver.initial_caps, self._cancel_backend, prelude, ends=True
        )
        in_block = self.status == "T" or prelude.begins_block
        try:
            request = AskRequest(site, executor, in_block, self.notify, self.memory)
            rewrite = await self._resolver.resolve(request)
            async with self._in_time():
                await executor.settle()
            return rewrite
        finally:
            await executor.end()

    async def recheck(self, statements: tuple[str, ...]) -> None:
        """Have machine-written statements judged by the catalog as it is now; raises RefusedByGate."""
        executor = SessionExecutor(
            self.conversation, self._resolver.initial_caps, self._cancel_backend, NOTHING
        )
        try:
            async with self._in_time():
                await self._resolver.recheck(Recheck(statements, executor, self.memory))
        finally:
            await executor.end()

    async def teach(self, command: AskCommand) -> Rewrite:
        """Have a statement carried out that teaches."""
        executor = SessionExecutor(
            self.conversation, self._resolver.initial_caps, self._cancel_backend, NOTHING
        )
        try:
            return await self._resolver.teach(FeedbackRequest(command, executor, self.memory))
        finally:
            # what was prepared before may have been called wrong
            self.rewrites.judge_all_again()
            await executor.end()

    async def state(self, relations: Mapping[str, Need], prelude: Prelude = NOTHING) -> Mapping[str, str]:
        """Queries that hold the rows of askwire's own state, by relation."""
        executor = SessionExecutor(
            self.conversation, self._resolver.initial_caps, self._cancel_backend, prelude
        )
        try:
            async with self._in_time():
                return await self._resolver.state(StateQuery(relations, executor, self.memory))
        finally:
            await executor.end()

    def notify(self, notice: Notice) -> None:
        """Tell the client something now."""
        severity = "WARNING" if notice.warning else "NOTICE"
        self.conversation.notify(
            {
                "S": severity,
                "V": severity,
                "C": notice.warning or "00000",
                "M": f"askwire: {notice.message}",
                "D": notice.detail,
                "H": notice.hint,
            }
        )
