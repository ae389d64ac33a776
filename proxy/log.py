"""The process's log: one line per record on stderr, marked with the session it belongs to.

Owns: the format and the session's id as a context variable. SQL text, parameters and data are logged at debug
only, by those who hold them; secrets never.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

session_id: Final[ContextVar[str]] = ContextVar("session_id", default="-")
"""The number of the session that is being served, '-' outside of any; copied into every task it starts."""

ask_id: Final[ContextVar[str]] = ContextVar("ask_id", default="-")
"""The id of the ASK that is worked on, as the history has it; '-' outside of any."""

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | {9: "\t", 10: "\\n", 13: "\\r"}


def _session(process: str) -> str:
    """Return the session of a record, or the process where there is none, as in a thread."""
    session = session_id.get()
    return process if session == "-" else session


class _OneLine(logging.Formatter):
    """A record as one line, whatever a client put into its text; `process` marks those of no session."""

    def __init__(self, process: str = "-") -> None:
        self.process = process
        super().__init__("%(asctime)s.%(msecs)03d %(levelname)s [%(session)s] %(name)s: %(message)s")
        self.datefmt = "%Y-%m-%d %H:%M:%S"

    def format(self, record: logging.LogRecord) -> str:
        session, ask = _session(self.process), ask_id.get()
        record.session = session if ask == "-" else f"{session} {ask}"
        return super().format(record).translate(_CONTROL)


class _Json(logging.Formatter):
    """A record as one JSON object; `session` and `ask` are left out where there is none.

    `process` stands for the session in records of none.
    """

    def __init__(self, process: str = "-") -> None:
        super().__init__()
        self.process = process

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "session": _session(self.process),
            "ask": ask_id.get(),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps({name: value for name, value in told.items() if value != "-"}, ensure_ascii=True)


def log_internal(log: logging.Logger, error: BaseException) -> str:
    """Log an error that should not be, under a number for anyone who is shown about it.

    Its type and where it happened; its message may quote data and appears at debug only.
    """
    number = secrets.token_hex(4)
    frames = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
    log.error("internal error %s: %s\n%s", number, type(error).__name__, frames)
    log.debug("internal error %s: %s", number, error)
    return number


def configure(level: str, form: str = "text") -> None:
    """Send all records of `level` ('debug', 'info', 'warning', 'error') and above to stderr, once.

    `form` is 'text', or 'json' for one object per record.

    Records of libraries below WARNING are left out unless `level` is debug.
    """
    root = logging.getLogger()
    process = next((one.process for one in _formatters(root)), "-")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json(process) if form == "json" else _OneLine(process))
    root.handlers[:] = [handler]
    chosen = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(chosen if chosen == logging.DEBUG else max(chosen, logging.WARNING))
    logging.getLogger("askwire").setLevel(chosen)


def mark(process: str) -> None:
    """Mark records of no session as those of this process, one of several of a server."""
    for formatter in _formatters(logging.getLogger()):
        formatter.process = process


def _formatters(root: logging.Logger) -> Iterator[_OneLine | _Json]:
    for handler in root.handlers:
        if isinstance(handler.formatter, _OneLine | _Json):
            yield handler.formatter
