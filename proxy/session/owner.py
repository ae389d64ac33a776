"""What a session needs of the server it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from askwire.core.settings.table import Settings
from askwire.proxy.connection import startup
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.streams import Side
from askwire.proxy.connection.tls_records import ServerTls
from askwire.proxy.session.relay.consent import Consent
from askwire.proxy.session.relay.interception import Interceptor
from askwire.proxy.session.relay.lender import Lender

S_contra = TypeVar("S_contra", contravariant=True)


class AdminClient(Protocol):
    """A client of the admin database, which is no backend's."""

    @property
    def alone(self) -> bool:
        """Whether there is no other process to ask before each answer."""

    async def refresh(self) -> None:
        """Ask the other processes what they serve."""

    def feed(self, data: bytes) -> None:
        """Take the client's bytes; raises ProtocolError for what is no protocol."""


class Server(Protocol[S_contra]):
    """The server, as one of its sessions sees it; `S_contra` is what it takes for a session."""

    settings: Settings
    address: BackendAddress
    interceptor: Interceptor

    @property
    def lender(self) -> Lender | None:
        """What lends sessions to a thread, where that is wanted and possible."""

    def admin(self, write: Callable[[bytes], None], goodbye: Callable[[], None]) -> AdminClient | None:
        """The admin database for one client; None where there is none.

        `write` gets what the client is sent, `goodbye` is called when it leaves.
        """

    def arrived(self, session: S_contra) -> None:
        """Note a new connection; where there are too many before their log-in, the oldest makes room."""

    def has_room(self, session: S_contra) -> bool:
        """Whether one session more may be logged in; it is refused else."""

    def client_tls(self) -> ServerTls | None:
        """What TLS with clients shares, if configured."""

    async def connect_backend(self, session: S_contra, *, other_way: bool = False) -> Side:
        """Open a connection to the backend, encrypted as `sslmode` says or the other way; raises OSError."""

    def has_other_way(self, *, encrypted: bool) -> bool:
        """Whether a backend that refuses on a connection, encrypted or not, is asked the other way."""

    async def cancel(self, request: startup.CancelRequest) -> None:
        """Carry out a client's CancelRequest; returns when it has been taken."""

    async def cancel_for_peer(self, request: startup.CancelRequest, host: str) -> bool:
        """Stop the ASK that a request from another askwire at `host` means; whether there was one."""

    async def cancel_backend(self, key: bytes) -> None:
        """Cancel what a backend runs; returns when the server has taken the request."""

    def consent(self, session: S_contra) -> Consent | None:
        """Whether the session lets askwire learn from its statements, to be asked; None: no one learns."""

    def logged_in(self, session: S_contra) -> None:
        """The session can be canceled from now on."""

    def closed(self, session: S_contra) -> None:
        """The session has ended."""
