"""Whether people may learn from what passes in a session: its own word, as far as it is seen on the wire.

A session says yes with `SET askwire.workload_statements = on`, or with the parameter in its start-up packet,
and no by setting it off, by RESET or DISCARD ALL. A yes counts outside of a transaction block, in a message
of its own, so that nothing can undo it unseen; a no counts wherever it stands. What ALTER ROLE or ALTER
DATABASE say is known from the session's first ASK on.

Owns: that word, and handing on the statements of a session that gave it, once the backend has answered them
without an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from askwire.core.settings.memory import WORKLOAD_STATEMENTS
from askwire.core.settings.parsing import parse_bool
from askwire.proxy.wire.rewrites import PARSE

_NAME: Final = rb"askwire\s*\.\s*" + WORKLOAD_STATEMENTS.name.encode()
_SET: Final = re.compile(
    rb"\s*SET\s+(?P<scope>SESSION\s+|LOCAL\s+)?" + _NAME + rb"\s*(?:=|\sTO\s)\s*'?(?P<value>\w+)'?\s*;?\s*",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(rb"\b(?:RESET\s+(?:ALL|" + _NAME + rb")|DISCARD\s+ALL)\b", re.IGNORECASE)
_SETS_IT: Final = re.compile(rb"\bSET\s+(?:SESSION\s+|LOCAL\s+)?" + _NAME, re.IGNORECASE)
_OPTION: Final = re.compile(
    r"(?:-c\s*|--)askwire[.]" + WORKLOAD_STATEMENTS.name.replace("_", "[_-]") + r"=(\S+)", re.IGNORECASE
)
_MAX_STATEMENT_BYTES: Final = 20_000
"""Bytes; a longer statement says more of a program than of a habit."""
_MAX_PENDING_STATEMENTS: Final = 100
"""Statements that wait for the backend's answer; of a longer pipeline nothing more is heard."""


class ClientStatement(NamedTuple):
    """A statement as it passed: its bytes in the client's encoding, and in which session that was.

    `role` is who the session is (not whom it acts as), `path` its search_path where the backend tells it.
    """

    text: bytes
    encoding: str
    role: str
    database: str
    path: str


class StatementListener(Protocol):
    """Who takes statements, at once and whatever there is to do: it may drop them."""

    def hear(self, heard: ClientStatement) -> None:
        """Take one statement; never blocks, never raises."""


class Consent:
    """One session's word. `login` is what it logged in with, `parameters` what the backend reports of it.

    `default` holds until the session says something else.
    """

    __slots__ = ("_failed", "_hears", "_initial", "_login", "_parameters", "_sent", "given")

    def __init__(
        self,
        hears: StatementListener,
        login: Mapping[str, str],
        parameters: Mapping[str, str],
        *,
        default: bool,
    ) -> None:
        self._hears = hears
        self._login = login
        self._parameters = parameters
        self._initial = self.given = _at_login(login, default=default)
        self._sent: list[ClientStatement] = []
        self._failed = False

    def passed(self, kind: int, payload: bytes, *, in_block: bool) -> None:
        """A Query or a Parse has passed to the backend."""
        start = payload.find(b"\0") + 1 if kind == PARSE else 0
        end = payload.find(b"\0", start)
        if end - start > _MAX_STATEMENT_BYTES:
            return
        text = payload[start:end]
        if self.given and not self._withdrawn(text):
            if len(self._sent) < _MAX_PENDING_STATEMENTS:
                self._sent.append(self._heard(text))
        elif not self.given and not in_block:
            self._asked(text)

    @property
    def waits(self) -> bool:
        """Whether statements wait for the backend's answer."""
        return bool(self._sent)

    def failed(self) -> None:
        """The backend has met an error: what waits is not heard, for nothing tells which of it failed."""
        self._failed = True

    def answered(self) -> None:
        """The backend has answered all that was sent."""
        if not self._failed:
            for heard in self._sent:
                self._hears.hear(heard)
        self._sent.clear()
        self._failed = False

    def _heard(self, text: bytes) -> ClientStatement:
        parameters, login = self._parameters, self._login
        return ClientStatement(
            text,
            parameters.get("client_encoding", ""),
            parameters.get("session_authorization") or login.get("user", ""),
            login.get("database") or login.get("user", ""),
            parameters.get("search_path", ""),
        )

    def known(self, *, given: bool, in_block: bool) -> None:
        """What the session's own settings say, as an ASK has read them."""
        self.given = given and (self.given or not in_block)

    def _withdrawn(self, text: bytes) -> bool:
        """Take a no; a statement about consent is none to learn from."""
        if _SETS_IT.search(text):
            said = _SET.fullmatch(text)
            self.given = said is not None and _truth(said["value"], default=self._initial)
            return True
        if _ENDS.search(text):
            self.given = self._initial
            return True
        return False

    def _asked(self, text: bytes) -> None:
        said = _SET.fullmatch(text)
        if said and (said["scope"] or b"").strip().upper() != b"LOCAL":
            self.given = _truth(said["value"], default=self._initial)


def _at_login(login: Mapping[str, str], *, default: bool) -> bool:
    """What the start-up packet says: as a parameter of its own, or among `options`."""
    given = login.get(f"askwire.{WORKLOAD_STATEMENTS.name}", "")
    for value in (given, *_OPTION.findall(login.get("options", ""))):
        if value:
            default = _truth(value.encode(), default=False)
    return default


def _truth(value: bytes, *, default: bool) -> bool:
    """A truth value as a parameter has it; what is none is no yes."""
    word = value.decode("ascii", "replace")
    if word.lower() == "default":
        return default
    try:
        return parse_bool(word)
    except ValueError:
        return False
