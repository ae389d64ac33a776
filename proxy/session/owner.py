"""What a session needs of the server it belongs to."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Protocol

from askwire.core.settings import Settings
from askwire.proxy.asking.inquiry import Resolver
from askwire.proxy.connection import startup
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.streams import Side
from askwire.proxy.operations.admin import House
from askwire.proxy.session.consent import Consent

if TYPE_CHECKING:
    from askwire.proxy.session.session import Session


class Server(Resolver, Protocol):
    """The server, as one of its sessions sees it."""

    settings: Settings
    address: BackendAddress
    house: House | None

    def arrived(self, session: Session) -> None:
        """Note a new connection; where there are too many before their log-in, the oldest makes room."""

    def has_room(self, session: Session) -> bool:
        """Whether one session more may be logged in; it is refused else."""

    def client_tls(self) -> ssl.SSLContext | None:
        """The context for TLS towards clients, if configured."""

    async def connect_backend(self, session: Session, *, other_way: bool = False) -> Side:
        """Open a connection to the backend, encrypted as `sslmode` says or the other way; raises OSError."""

    def has_other_way(self, *, encrypted: bool) -> bool:
        """Whether a backend that refuses on a connection, encrypted or not, is asked the other way."""

    async def cancel(self, request: startup.CancelRequest) -> None:
        """Carry out a client's CancelRequest; returns when it has been taken."""

    async def cancel_backend(self, key: bytes) -> None:
        """Cancel what a backend runs; returns when the server has taken the request."""

    def consent(self, session: Session) -> Consent | None:
        """Whether the session lets askwire learn from its statements, to be asked; None: nobody learns."""

    def logged_in(self, session: Session) -> None:
        """The session can be canceled from now on."""

    def closed(self, session: Session) -> None:
        """The session has ended."""
