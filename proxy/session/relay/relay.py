"""The raw relay between a client and its backend: bytes pass as they came, and what is in flight is known.

Owns: both streams' message boundaries, the book of what the backend owes (`Pipeline`), the book of rewritten
statements, and when the compiled `Passage` may take over.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from askwire.core.settings.relay import CANCEL_TIMEOUT, COMPILED_RELAY
from askwire.core.settings.table import ASK_FUNCTION, SCAN_LIMIT, Settings
from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.tls_transport import TlsTransport
from askwire.proxy.session.parameters import Parameters
from askwire.proxy.session.relay.client_stream import ClientStream
from askwire.proxy.session.relay.consent import Consent
from askwire.proxy.session.relay.interception import Forward, HeldMessage, Interceptor
from askwire.proxy.session.relay.lender import Lender
from askwire.proxy.session.statements.conversation import Conversation
from askwire.proxy.wire import messages
from askwire.proxy.wire.encodings import codec_for
from askwire.proxy.wire.passage import backend_walker, open_passage, replay
from askwire.proxy.wire.pipeline import PORTALS, Pipeline
from askwire.proxy.wire.rewrites import Rewrites
from askwire.proxy.wire.walker import COMMAND_COMPLETE, ERROR_RESPONSE, PARAMETER_STATUS, READY_FOR_QUERY

if TYPE_CHECKING:
    from askwire._compiled import Passage, Ring

_RESETS: Final = (b"DISCARD ALL\x00", b"RESET\x00")
"""Tags of commands by which a pool makes a session ready for the next client, or one of a single RESET."""
_COPY_ERROR_SECONDS: Final = 0.25
"""Seconds in which PostgreSQL complains of COPY data that it has got."""


class _Books:
    """What is known of both streams. A session at rest needs none: its status is all there is to know."""

    __slots__ = ("pipeline", "rewrites", "stream", "walker")

    def __init__(
        self,
        settings: Settings,
        parameters: Parameters,
        status: bytes,
        interceptor: Interceptor,
        consent: Consent | None,
    ) -> None:
        self.pipeline = Pipeline()
        replay(self.pipeline, status, b"")
        self.rewrites = Rewrites()
        self.walker = backend_walker()
        self.stream = ClientStream(self.pipeline, self.rewrites, parameters, settings, interceptor, consent)


class Relay:
    """One session's relay, from its log-in on, which ended with a ReadyForQuery of `status`.

    `opaque`: nothing the client sends is looked at. `reset` is called when the client has had DISCARD ALL or
    RESET carried out. `consent` hears the statements that pass. `stop` it
    before anything else of the session acts on either stream, `resume` it behind that, and `end` it before
    either side is closed.
    """

    __slots__ = (
        *("_backend", "_books", "_client", "_interceptor", "_lender", "_parameters"),
        *("_passage", "_reset", "_settings", "_settling", "_status", "consent"),
    )

    def __init__(
        self,
        client: Side,
        backend: Side,
        settings: Settings,
        parameters: Parameters,
        status: bytes,
        interceptor: Interceptor,
        *,
        opaque: bool,
        reset: Callable[[], None],
        consent: Consent | None = None,
        lender: Lender | None = None,
    ) -> None:
        self.consent = consent
        self._lender = lender
        self._reset = reset
        self._client = client
        self._backend = backend
        self._settings = settings
        self._parameters = parameters
        self._status = status
        self._interceptor = interceptor
        self._books: _Books | None = None
        self._settling: asyncio.Future[None] | None = None
        self._passage: Passage | None = None
        if opaque:
            self._known().stream.opaque = True
        elif settings[COMPILED_RELAY]:
            if lender and client.can_be_lent and backend.can_be_lent:
                client.detach(lender.watch)
                backend.detach(lender.watch)
            limit = settings[SCAN_LIMIT] or sys.maxsize
            self._passage = open_passage(client, backend, settings[ASK_FUNCTION].lower(), limit)

    # -- the compiled part -------------------------------------------------------------------------------

    def resume(self) -> None:
        """Let bytes pass without a look of ours, where the transaction status is all there is to know."""
        if self._passage is None or (self.consent and self.consent.given):
            return
        books = self._known()
        pipeline, skip = books.pipeline, books.stream.skip
        if skip is None or books.rewrites.active or not books.walker.at_boundary:
            return
        if pipeline.at_rest:
            self._status = pipeline.status.encode()
            self._books = None
        elif not pipeline.copying:
            return
        self._passage.start(skip, pipeline.copying)
        if self._lender and not self._passage.lent:
            self._lender.wants(self)

    def lend(self, ring: Ring) -> bool:
        """Let a thread pass what is usual, unless in the middle of a message: False then.

        Has no effect where Python has to look at all that passes. Raises OSError where the thread has ended.
        """
        passage, client, backend = self._passage, self._client.lendable, self._backend.lendable
        if passage is None or not passage.running or passage.lent:
            return True  # whatever makes it run again has it lent
        if not passage.lendable or client is None or backend is None:
            return False
        ends = client.lend(self.take_back), backend.lend(self.take_back)
        try:
            tls = (end.records if isinstance(end, TlsTransport) else None for end in (client, backend))
            ring.lend(passage, *ends, self._status, self, *tls)
        except BaseException:
            client.take_back(b"", b"", None)
            backend.take_back(b"", b"", None)
            raise
        return True

    def take_back(self) -> None:
        """Go on in Python where the thread has stopped; nothing where the relay is not lent."""
        if not (self._passage and self._passage.lent):
            return
        from_client, from_backend = self._passage.take_back()
        goes_on = True
        for side, left in (self._backend, from_backend), (self._client, from_client):
            side.take_back(*left)
            goes_on = goes_on and left[2] is None
        if self._lender and goes_on:
            self._lender.wants(self)

    def stop(self) -> None:
        """Know again what passed meanwhile."""
        self._known()

    def _known(self) -> _Books:
        books = self._books
        if books is None:
            books = self._books = _Books(
                self._settings, self._parameters, self._status, self._interceptor, self.consent
            )
        self.take_back()
        if self._passage and self._passage.running:
            client_skip, backend_skip, partial, settled, journal, answers = self._passage.stop()
            books.stream.resume(client_skip)
            books.walker.resume(backend_skip, partial)
            replay(books.pipeline, settled, journal, answers)
        return books

    def end(self) -> None:
        """Stop for good."""
        self.stop()
        self._passage = None
        if self._lender:
            self._lender.forget(self)

    # -- what is known -----------------------------------------------------------------------------------

    @property
    def pipeline(self) -> Pipeline:
        """The messages in flight, as of now."""
        return self._known().pipeline

    @property
    def rewrites(self) -> Rewrites:
        """The statements that were rewritten."""
        return self._known().rewrites

    @property
    def stream(self) -> ClientStream:
        """The client's side."""
        return self._known().stream

    @property
    def at_boundary(self) -> bool:
        """Whether the client has been shown whole messages only."""
        return self._known().walker.at_boundary

    @property
    def is_settled(self) -> bool:
        """Whether the backend has answered every Query, Sync and FunctionCall sent so far."""
        if self._passage and self._passage.lent:
            return bool(self._passage.rest)
        return self.pipeline.answered and self.at_boundary

    @property
    def is_idle(self) -> bool:
        """Whether it is settled, outside of a transaction, and no group is open."""
        if self._passage and self._passage.lent:
            return self._passage.rest == b"I"
        return self.is_settled and self.pipeline.status == "I" and not self.pipeline.group_open

    async def settle(self) -> bool:
        """Wait until the backend has answered every Query, Sync and FunctionCall sent so far.

        False when it turns out to read COPY data: in there a Query is an error that is PostgreSQL's to make.
        Data that it has not complained of yet may end the copy before the Query, so it gets
        `_COPY_ERROR_SECONDS`.
        """
        loop = asyncio.get_running_loop()
        until = 0.0
        while not self.is_settled:
            copying = self.pipeline.copying
            until = until or (copying and loop.time() + _COPY_ERROR_SECONDS)
            self._settling = loop.create_future()
            try:
                async with asyncio.timeout_at(until if copying else None):
                    await self._settling
            except TimeoutError:
                return False
        self._settling = None
        return True

    def conversation(self) -> Conversation:
        """A talk of askwire's own with the backend; until it ends nothing else reads or writes there."""
        return Conversation(
            self.pipeline,
            self.rewrites,
            self._client.write,
            self._backend.write,
            self.parameter,
            self._parameters,
            codec_for(self._parameters.get("client_encoding", "")) or "utf-8",
            self._settings[CANCEL_TIMEOUT] / 1000,
        )

    # -- what passes -------------------------------------------------------------------------------------

    def from_backend(self, data: bytes) -> None:
        """Pass bytes to the client; raises ProtocolError for a length field that makes no sense."""
        books = self._known()
        self._client.write(books.rewrites.feed(data) if books.rewrites.active else data)
        books.walker.answers = books.pipeline.counts
        for kind, payload in books.walker.feed(data):
            if kind == PARAMETER_STATUS:
                self.parameter(payload)
            else:
                if kind == COMMAND_COMPLETE and payload in _RESETS:
                    self._reset()
                books.pipeline.received(kind, payload)
                if self.consent and self.consent.waits:
                    self._heard(self.consent, kind, books.pipeline)
        waiter = self._settling
        if waiter and not waiter.done() and (self.is_settled or books.pipeline.copying):
            waiter.set_result(None)

    def _heard(self, consent: Consent, kind: int, pipeline: Pipeline) -> None:
        """Tell who listens to the session's statements how these ended."""
        if kind == ERROR_RESPONSE:
            consent.failed()
        elif kind == READY_FOR_QUERY and pipeline.answered:
            consent.answered()

    def parameter(self, payload: bytes) -> None:
        """Note what a ParameterStatus message says."""
        self._parameters.note(*messages.read_parameter_status(payload))

    def from_client(self, data: bytes) -> tuple[HeldMessage | None, bytes]:
        """Pass bytes to the backend, up to a message that may concern us: that, and what follows it."""
        passed, held, rest = self.stream.feed(data)
        if passed:
            self._backend.write(passed)
        return held, rest

    def flush(self) -> None:
        """Have the backend send what it keeps until the next Sync, unless inside a client's message."""
        if not self.stream.skip:
            self._backend.write(messages.FLUSH)

    def forward(self, forward: Forward) -> None:
        """Send what stands in a message's place."""
        if forward.kind in PORTALS:
            self.pipeline.sent_portal(forward.kind, forward.payload, 0, len(forward.payload))
        else:
            self.pipeline.sent(forward.kind)
        if forward.record:
            forward.record(self.rewrites)
        else:
            self.rewrites.sent(forward.kind, forward.payload)
        self._backend.write(forward.data)
