"""One ASK as it happens: who asks what, where, in which session, and what makes two of them the same.

Owns: that value, and the key under which an answer to it is kept (`pin_key`). What comes of it is none of
its business.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

from askwire.core.settings.memory import HISTORY, HISTORY_ROWS, PINS, WORKLOAD_STATEMENTS
from askwire.core.settings.notices import NOTICES, PROGRESS
from askwire.core.settings.table import (
    PROBE_LOCK_TIMEOUT,
    PROBE_MAX_BYTES,
    PROBE_MAX_COST,
    PROBE_MAX_ROWS,
    PROBE_TIMEOUT,
    TABLE,
    TIMEOUT,
    Settings,
)
from askwire.core.types import SessionState
from askwire.language.same_question import normal_question
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import Asker
from askwire.sql.ask import AskOptions
from askwire.sql.catalog import Catalog

_DISPLAY_OPTIONS: Final = frozenset(("sql", "why", "format", "choices", "fresh", "timeout_ms"))
"""Options that do not change which SQL a question stands for."""

_NEUTRAL: Final = frozenset(
    setting.name
    for setting in (
        *(
            NOTICES,
            PROGRESS,
            HISTORY,
            HISTORY_ROWS,
            PINS,
            WORKLOAD_STATEMENTS,
            TIMEOUT,
            PROBE_TIMEOUT,
            PROBE_LOCK_TIMEOUT,
        ),
        *(PROBE_MAX_ROWS, PROBE_MAX_BYTES, PROBE_MAX_COST),
    )
)
"""Settings of which the same holds."""

_DECIDING_SERVER_SETTINGS: Final = re.compile("checks|judge.*|knowledge.*|model_.*|values_off")
"""Settings of the server that decide which SQL a question stands for."""

_DECIDING_SETTINGS: Final = tuple(
    setting
    for name, setting in sorted(TABLE.items())
    if (setting.scope == "session" and name not in _NEUTRAL) or _DECIDING_SERVER_SETTINGS.fullmatch(name)
)


@dataclass(frozen=True, slots=True)
class Respondents:
    """Who may answer, with which model each, and the settings in force for the asker."""

    experts: tuple[str, ...]
    settings: Settings

    def material(self) -> object:
        """What of it decides which SQL a question stands for."""
        return [
            self.experts,
            {setting.name: _plain(self.settings[setting]) for setting in _DECIDING_SETTINGS},
        ]


def pin_key(
    question: str,
    options: AskOptions,
    session: SessionState,
    server: str,
    fingerprint: str,
    answering: Respondents | None = None,
) -> str:
    """A digest of all that the SQL of a question may depend on, except the data and the day.

    The question counts in its normal form (`language.same_question`), everything else as it is.

    Without `answering` it is the key of what a person said, which holds no matter who is asked.
    """
    shown = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in _DISPLAY_OPTIONS}
    material = {
        "question": normal_question(question),
        "options": shown,
        "server": server,
        "database": session.database,
        "current_user": session.current_user,
        "session_user": session.session_user,
        "row_security": session.row_security,
        "search_path": session.search_path,
        "answering": answering.material() if answering else None,
        "fingerprint": fingerprint,
    }
    text = json.dumps(material, sort_keys=True, default=sorted)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> str:
    return str(sorted(map(str, value)) if isinstance(value, frozenset | set) else value)


@dataclass(frozen=True)
class AskContext:
    """One ASK as it happens: who asks what, where, and in which session, and which experts may answer."""

    asker: Asker
    catalog: Catalog
    server: str
    memory: SessionMemory
    question: str
    options: AskOptions
    experts: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """What tells this ASK from all that may stand for other SQL."""
        return self._key(Respondents(self.experts, self.asker.settings))

    @cached_property
    def spoken_key(self) -> str:
        """The same for what a person said of it, which holds no matter who is asked."""
        return self._key(None)

    def _key(self, answering: Respondents | None) -> str:
        fingerprint = self.catalog.fingerprint
        session = self.asker.session
        return pin_key(self.question, self.options, session, self.server, fingerprint, answering)

    @property
    def asked(self) -> str:
        """All that the asker said: the question, and the evidence given with it."""
        return f"{self.question} {self.options.evidence}"
