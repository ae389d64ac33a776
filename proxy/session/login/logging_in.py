"""What is said between a start-up packet and the first ReadyForQuery, passed through and understood.

Owns: which bytes of a client answer a challenge, and what of the backend's answers ends the log-in, one way
or another.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from askwire.core.settings.table import Settings
from askwire.proxy.connection import startup
from askwire.proxy.connection.authentication import Authentication
from askwire.proxy.connection.streams import Side
from askwire.proxy.session.own_settings import capped_at_start, wrong_at_start
from askwire.proxy.session.parameters import Parameters
from askwire.proxy.session.relay.interception import error_fields
from askwire.proxy.wire import messages
from askwire.proxy.wire.walker import AUTHENTICATION, ERROR_RESPONSE, PARAMETER_STATUS, READY_FOR_QUERY

log = logging.getLogger("askwire.session")

UNCHALLENGED: Final = "unchallenged"
"""The backend has let the client in without asking for anything, where that is not allowed."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The backend refuses, and may be asked once more, with TLS or without; `error` is its frame."""

    request: startup.Startup
    error: bytes


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """The payload of the first ReadyForQuery, the key of cancel requests, and what came behind.

    `password` is what the client sent in clear text, where that is kept.
    """

    ready: bytes
    cancel_key: bytes
    rest: bytes
    password: str | None = None


class LogIn:
    """One client's log-in at one backend connection."""

    __slots__ = ("_authentication", "_backend", "_client", "_may_trust", "_other_way", "_parameters")

    def __init__(
        self,
        request: startup.Startup,
        client: Side,
        backend: Side,
        parameters: Parameters,
        *,
        may_trust: bool,
        begun_before: bool,
        other_way: bool,
        keeps_password: bool = False,
    ) -> None:
        """`begun_before`: another connection has refused; `other_way`: this one may, and is not the last."""
        self._client = client
        self._backend = backend
        self._parameters = parameters
        self._may_trust = may_trust
        # of a protocol that is none of ours nothing is understood
        known = request.is_known
        self._authentication = (
            Authentication(client.encrypted, begun_before=begun_before, keeps_password=keeps_password)
            if known
            else None
        )
        self._other_way = request if known and other_way else None

    def answer(self, sent: bytes) -> bytes:
        """Pass what answers a challenge; the rest that a client sends ahead is returned."""
        if self._authentication is None:
            return sent
        passing = self._authentication.answers(sent)
        self._backend.write(sent[:passing])
        return sent[passing:]

    def client_ended(self) -> None:
        """Tell a backend that asks for a proof that no more is coming."""
        if self._authentication is not None and self._authentication.unanswered:
            self._backend.write_eof()

    def from_backend(self, data: bytes) -> LoggedIn | Refusal | str | None:
        """Pass what the backend says; how the log-in has ended, None while it goes on."""
        authentication = self._authentication
        if authentication is None:
            # what the backend says of a protocol that is none of ours; nothing goes back to it
            self._client.write(data)
            return None
        for kind, payload in authentication.from_backend(data):
            if authentication.authenticated and not authentication.challenged and not self._may_trust:
                return UNCHALLENGED
            if kind in (ERROR_RESPONSE, AUTHENTICATION) and self._other_way:
                request, self._other_way = self._other_way, None
                if kind == ERROR_RESPONSE:
                    way = "without" if self._backend.encrypted else "with"
                    log.info("the backend refuses; it is asked again %s TLS", way)
                    return Refusal(request, messages.frame(b"E", payload))
            if kind == PARAMETER_STATUS:
                self._parameters.note(*messages.read_parameter_status(payload))
            if kind == READY_FOR_QUERY:
                kept = authentication.password
                return LoggedIn(payload, authentication.cancel_key, authentication.rest(), kept)
            self._client.write(messages.frame(bytes((kind,)), payload))
        return None


def warnings_at_start(login: Mapping[str, str], settings: Settings) -> bytes:
    """Notices of what a start-up packet sets of askwire's parameters wrongly, or without its effect."""
    said = [error_fields(wrong, 0) for wrong in wrong_at_start(login)]
    said += ({"C": "01000", "M": f"askwire: {told}"} for told in capped_at_start(login, settings))
    warned = ({"S": "WARNING", "V": "WARNING", **fields} for fields in said)
    return b"".join(messages.notice_response(fields) for fields in warned)
