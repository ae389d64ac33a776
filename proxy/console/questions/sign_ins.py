"""Everybody who is signed in to PostgreSQL at the console: how they sign in, how long they stay, how many.

A password is used for the log-in and then let go of; only the connection that it opened remains. A session
ends when it is not used for `console_ask_idle`, when its person signs out, and with the server.

Owns: the sessions by their cookies, and these ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import ConfigurationError, DatabaseFailed, NotPossibleHere
from askwire.core.protocols import Clock
from askwire.core.settings.console import CONSOLE_ASK, CONSOLE_ASK_IDLE
from askwire.core.settings.table import Settings
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.console.desk import Entrance
from askwire.proxy.console.questions.signed_in import SignedIn
from askwire.proxy.session.statements.conversation import BackendGone
from askwire.proxy.session.statements.own_connection import OwnConnection, Target

log = logging.getLogger("askwire.audit")

MAX_SESSIONS: Final = 20
MAX_SESSIONS_PER_ROLE: Final = 4
"""Sessions of one role on one database; the one used longest ago makes room."""
MAX_LOGINS_AT_ONCE: Final = 4
"""Log-ins under way: an address learns of no more passwords at once."""
_IDLE_CHECK_INTERVAL_SECONDS: Final = 5.0
_INVALID_AUTHORIZATION: Final = "28"
"""The class of SQLSTATEs that a log-in with a wrong password, or without one, ends with."""
_SETTINGS: Final = {
    "application_name": "askwire console",
    "client_min_messages": "notice",
    "standard_conforming_strings": "on",
    "DateStyle": "ISO",
    "askwire.notices": "full",
    "askwire.progress": "1s",
}
"""Parameters of these sessions: what the pages read is sent, and written as they read it."""


class WrongPassword(Exception):
    """PostgreSQL, or askwire in front of it, refused the log-in; the text is theirs."""


@dataclass
class _Entry:
    session: SignedIn
    used: float


class SignIns:
    """The sessions of a console; `entrance` opens a way into askwire, from this machine alone or not."""

    def __init__(
        self,
        entrance: Callable[[bool], Entrance],
        settings: Callable[[], Settings],
        clock: Clock,
    ) -> None:
        self._entrance = entrance
        self._settings = settings
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._kept: dict[bytes, _Entry] = {}
        self._under_way = 0
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def number(self) -> int:
        """How many are signed in."""
        return len(self._kept)

    async def sign_in(self, user: str, database: str, password: str, *, loopback: bool) -> str:
        """Log in through askwire; the text of the session's cookie.

        `loopback`: the person is on this machine. Raises WrongPassword, DatabaseFailed for what else
        PostgreSQL says, and NotPossibleHere where too many are signed in.
        """
        if self._under_way >= MAX_LOGINS_AT_ONCE:
            raise NotPossibleHere("too many people sign in at once", hint="Try again in a moment.")
        self._under_way += 1
        try:
            await self._make_room()
            entrance = self._entrance(loopback)
            connection = await _logged_in(entrance, user, database, password)
        finally:
            self._under_way -= 1
        cookie = secrets.token_urlsafe(32)
        known = _digest(cookie)
        form_key = hmac.new(self._key, known, hashlib.sha256).hexdigest()
        session = SignedIn(connection, entrance, user, database, form_key, self._clock)
        self._kept[known] = _Entry(session, self._clock.monotonic())
        await self._leave_to(session)
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep())
        log.info("%s signed in at the console", session.name)
        return cookie

    def find(self, cookie: str) -> SignedIn | None:
        """Whose cookie it is; None where that session has ended."""
        kept = self._kept.get(_digest(cookie))
        return None if kept is None or self._is_idle(kept) else kept.session

    def use(self, cookie: str) -> None:
        """The person did something: the session's time begins again."""
        if kept := self._kept.get(_digest(cookie)):
            kept.used = self._clock.monotonic()

    async def end(self, cookie: str) -> None:
        """Sign out."""
        if kept := self._kept.pop(_digest(cookie), None):
            await kept.session.close()

    async def sweep(self) -> None:
        """End idle sessions, and all of them when `console_ask` is off."""
        off = self._settings()[CONSOLE_ASK] == "off"
        for known, kept in list(self._kept.items()):
            if off or self._is_idle(kept):
                del self._kept[known]
                log.info("%s is signed out of the console: %s", kept.session.name, "off" if off else "idle")
                await kept.session.close()

    async def close(self) -> None:
        """End all sessions."""
        if self._sweeping:
            self._sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeping
        kept, self._kept = list(self._kept.values()), {}
        await asyncio.gather(*(one.session.close() for one in kept), return_exceptions=True)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_IDLE_CHECK_INTERVAL_SECONDS)
            await self.sweep()

    def _is_idle(self, kept: _Entry) -> bool:
        most = self._settings()[CONSOLE_ASK_IDLE] / 1000
        if kept.session.busy and not kept.session.ended:
            kept.used = self._clock.monotonic()
        return bool(most) and self._clock.monotonic() - kept.used >= most

    async def _make_room(self) -> None:
        for known, kept in list(self._kept.items()):
            if kept.session.ended or self._is_idle(kept):
                del self._kept[known]
                await kept.session.close()
        if len(self._kept) >= MAX_SESSIONS:
            raise NotPossibleHere(
                f"{MAX_SESSIONS} people are signed in, the most that are possible", hint="Try again later."
            )

    async def _leave_to(self, session: SignedIn) -> None:
        """Of one role's sessions on a database, end those used longest ago that are too many."""
        mine = sorted(
            (
                (kept.used, known)
                for known, kept in self._kept.items()
                if (kept.session.user, kept.session.database) == (session.user, session.database)
            ),
        )
        for _, known in mine[: max(0, len(mine) - MAX_SESSIONS_PER_ROLE)]:
            await self._kept.pop(known).session.close()


async def _logged_in(entrance: Entrance, user: str, database: str, password: str) -> OwnConnection:
    # the address only names askwire in errors
    target = Target(BackendAddress("askwire"), user, database, password)
    connection = OwnConnection(target, _SETTINGS, entrance)
    try:
        await connection.open()
    except (DatabaseFailed, BackendGone, ConfigurationError, OSError) as error:
        with suppress(OSError):
            await connection.close()
        if isinstance(error, DatabaseFailed) and error.code.startswith(_INVALID_AUTHORIZATION):
            raise WrongPassword(error.message, error.hint) from None
        if isinstance(error, ConfigurationError):
            raise NotPossibleHere(
                "PostgreSQL asks for an authentication method that this page does not support"
            ) from None
        if isinstance(error, DatabaseFailed):
            raise
        raise DatabaseFailed("askwire closed the connection", code="08006") from None
    except BaseException:
        with suppress(OSError):
            await connection.close()
        raise
    return connection


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).digest()
