"""Why a PostgreSQL store cannot be used, in a phrase, and what that means for its connections.

Owns: telling a lost server from a fault of one record. A phrase names no address and no password, because
people who ask see it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

import psycopg

from askwire.core.errors import ConfigurationError, StoreFailed

_PLACE: Final = re.compile(r"connection to server (?:at|on) .*? failed: ", re.DOTALL)
_SEVERITY: Final = re.compile(r"^(?:FATAL|ERROR|PANIC):\s+")
_RECORD_ERROR_CLASSES: Final = ("22", "23", "54")
"""Classes of SQLSTATEs that one record alone is to blame for: data, constraints, a key that is too long."""
_OTHER_STATEMENT: Final = ("26000", "42P05", "08P01")
"""A statement that another of a pooler's connections has prepared, or not."""


class StoreUnusable(StoreFailed):
    """The store cannot be used as it is; `hint` says what its administrator can do."""


def phrase(error: BaseException) -> str:
    """One phrase on why; never empty, and without address or password."""
    if isinstance(error, StoreFailed | ConfigurationError):
        return f"{error.message}. {error.hint}" if error.hint else error.message
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        return error.diag.message_primary
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Is the server running", "Multiple connection"))]
    found = _PLACE.sub("", told[-1] if told else "").removeprefix("connection failed: ")
    found = _SEVERITY.sub("", found.removeprefix("- ").strip())
    if "host:" in found and ":" in found:
        found = _SEVERITY.sub("", found.rpartition("failed: ")[2])
    return found or type(error).__name__


class Fault(Enum):
    """What failed, and so what helps."""

    RECORD = "one record is to blame: the others can be written"
    AGAIN = "the same again may do: a deadlock, a lock, a statement that was canceled"
    POOLER = "a pooler gave a prepared statement to another connection"
    LOST = "the connection, or the server at its end, is of no use any more"
    REFUSED = "the database refuses it, and will until somebody changes something"


def fault(error: BaseException) -> Fault:
    """What failed."""
    state = str(error.sqlstate or "") if isinstance(error, psycopg.Error) else ""
    if state in _OTHER_STATEMENT:
        return Fault.POOLER
    if state[:2] in _RECORD_ERROR_CLASSES:
        return Fault.RECORD
    if state[:2] == "40" or state in ("55P03", "57014"):
        return Fault.AGAIN
    if not state or state[:2] in ("08", "53", "57", "58") or state == "25006":
        return Fault.LOST
    return Fault.REFUSED
