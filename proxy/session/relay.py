"""The raw relay between a client and its backend: bytes pass as they came, and what is in flight is known.

Owns: both streams' message boundaries, the book of what the backend owes (`Pipeline`), the book of rewritten
statements, and when the compiled `Passage` may take over. Must not know: log-in, or what becomes of a message
that may concern askwire.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from askwire.core.settings import ASK_FUNCTION, COMPILED_RELAY, SCAN_LIMIT, Settings
from askwire.proxy.asking.asking import Forward, Request
from askwire.proxy.connection.streams import Side
from askwire.proxy.session.client_stream import ClientStream
from askwire.proxy.wire import messages
from askwire.proxy.wire.passage import backend_walker, open_passage, replay
from askwire.proxy.wire.pipeline import PORTALS, Pipeline
from askwire.proxy.wire.rewrites import Rewrites
from askwire.proxy.wire.walker import PARAMETER_STATUS

if TYPE_CHECKING:
    from askwire._compiled import Passage


class Relay:
    """One session's relay, from its log-in on. `parameters` are kept as the backend reports them.

    `stop` it before anything else of the session acts on either stream, `resume` it behind that, and `end` it
    before either side is closed.
    """

    def __init__(self, client: Side, backend: Side, settings: Settings, parameters: dict[str, str]) -> None:
        self._client = client
        self._backend = backend
        self._parameters = parameters
        self._pipeline = Pipeline()
        self.rewrites = Rewrites()
        self._walker = backend_walker()
        self.stream = ClientStream(self._pipeline, self.rewrites, parameters, settings)
        self._passage: Passage | None = None
        if settings[COMPILED_RELAY]:
            limit = settings[SCAN_LIMIT] or sys.maxsize
            self._passage = open_passage(client, backend, settings[ASK_FUNCTION].lower(), limit)

    # -- the compiled part -------------------------------------------------------------------------------

    def resume(self) -> None:
        """Let bytes pass without a look of ours, where the transaction status is all there is to know."""
        passage, skip = self._passage, self.stream.skip
        if passage is None or skip is None or self.rewrites.active or not self._walker.at_boundary:
            return
        if self._pipeline.at_rest or self._pipeline.copying:
            passage.start(skip, self._pipeline.copying)

    def stop(self) -> None:
        """Know again what passed meanwhile."""
        if self._passage and self._passage.running:
            client_skip, backend_skip, partial, settled, journal = self._passage.stop()
            self.stream.resume(client_skip)
            self._walker.resume(backend_skip, partial)
            replay(self._pipeline, settled, journal)

    def end(self) -> None:
        """Stop for good."""
        self.stop()
        self._passage = None

    # -- what is known -----------------------------------------------------------------------------------

    @property
    def pipeline(self) -> Pipeline:
        """The messages in flight, as of now."""
        self.stop()
        return self._pipeline

    @property
    def at_boundary(self) -> bool:
        """Whether the client has been told whole messages only."""
        self.stop()
        return self._walker.at_boundary

    @property
    def is_settled(self) -> bool:
        """Whether the backend has answered every Query, Sync and FunctionCall sent so far."""
        return self.pipeline.answered and self._walker.at_boundary

    # -- what passes -------------------------------------------------------------------------------------

    def from_backend(self, data: bytes) -> None:
        """Pass bytes to the client; raises ProtocolError for a length field that makes no sense."""
        self._client.write(self.rewrites.feed(data) if self.rewrites.active else data)
        for kind, payload in self._walker.feed(data):
            if kind == PARAMETER_STATUS:
                self.parameter(payload)
            else:
                self._pipeline.received(kind, payload)

    def parameter(self, payload: bytes) -> None:
        """Note what a ParameterStatus message says."""
        name, value = messages.read_parameter_status(payload)
        self._parameters[name] = value

    def from_client(self, data: bytes) -> tuple[Request | None, bytes]:
        """Pass bytes to the backend, up to a message that may concern us: that, and what follows it."""
        passed, request, rest = self.stream.feed(data)
        if passed:
            self._backend.write(passed)
        return request, rest

    def forward(self, forward: Forward) -> None:
        """Send what stands in a message's place."""
        if forward.kind in PORTALS:
            self._pipeline.sent_portal(forward.kind, forward.payload, 0, len(forward.payload))
        else:
            self._pipeline.sent(forward.kind)
        if forward.record:
            forward.record(self.rewrites)
        else:
            self.rewrites.sent(forward.kind, forward.payload)
        self._backend.write(forward.data)
