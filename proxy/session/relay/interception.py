"""The seam of a session: a message of the client is held back, and something else takes its place.

Owns: the Protocols that `asking` implements, what the backend gets instead of a message, and the fields of
an error of askwire's own. A session knows no ASK: it hands a message over, and forwards what comes back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from askwire.core.errors import AskCanceled, AskError, AskSyntaxError, DatabaseFailed, RowTypeChanged
from askwire.core.settings.table import Settings
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.conversation import Conversation
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import Rewrites


@dataclass(frozen=True, slots=True)
class Forward:
    """A message for the backend; `record` notes it among the rewritten ones, None: it is like any other."""

    kind: int
    payload: bytes
    record: Callable[[Rewrites], None] | None = None

    @property
    def data(self) -> bytes:
        """The message's bytes."""
        return messages.frame(bytes((self.kind,)), self.payload)


class Interception(Protocol):
    """The work on one message; `run` is called once."""

    async def run(self) -> Forward | None:
        """What to forward instead of the message; None when the client was answered with an error.

        Raises BackendGone or ProtocolError when the session cannot go on.
        """

    def cancel(self) -> bool:
        """Stop working on it: the client gets 57014. False when the work is already over."""


class HeldMessage(Protocol):
    """A client message that the relay holds back."""

    @property
    def kind(self) -> int:
        """The message's type byte."""

    @property
    def payload(self) -> bytes:
        """The message as it came."""

    def interception(
        self,
        conversation: Conversation,
        parameters: Mapping[str, str],
        cancel_backend: Callable[[], Awaitable[None]],
        memory: SessionMemory,
    ) -> Interception:
        """The work on it, in a conversation with the backend."""


class Interceptor(Protocol):
    """Says which messages are held back; one for all sessions of a server."""

    def of_text(
        self, kind: int, payload: bytes, settings: Settings, parameters: Mapping[str, str]
    ) -> HeldMessage | None:
        """A Query or Parse message whose text may concern askwire; None: it passes."""

    def of_name(self, kind: int, payload: bytes, following: bytes, rewrites: Rewrites) -> HeldMessage | None:
        """A message that names a rewritten statement and needs more than passing on; None: it passes.

        `following` is the type of the next message if it is there.
        """


def error_fields(error: AskError, place: int) -> dict[str, str]:
    """The fields of the ErrorResponse a client gets for an error of ours; `place` is where it points else."""
    prefix = "" if isinstance(error, AskSyntaxError | AskCanceled | RowTypeChanged) else "askwire: "
    # where a statement of our own failed is no place in the client's text
    position = place if isinstance(error, DatabaseFailed) else error.position or place
    return {
        "C": error.code,
        "M": prefix + error.message,
        "D": error.detail,
        "H": error.hint,
        "P": str(position) if position else "",
        # drivers know by this that they may prepare the statement again
        "R": "RevalidateCachedQuery" if isinstance(error, RowTypeChanged) else "",
    }
