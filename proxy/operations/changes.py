"""Settings changed while the process runs, by an operator at the console.

Owns: which settings can be changed there and how far, and that a change holds until the process ends or is
taken back, over whatever the configuration says, also after that was read again. Each is told in the log.
Must not know: who may ask for one, or what any setting does.

What says who may come in, what machine-written SQL may do and what may leave stands in the configuration
alone: whoever is let into the console can make such permissions narrower for everybody, as a session can for
itself, never wider.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol

from askwire.core.errors import ConfigurationError
from askwire.core.setting import Given
from askwire.core.settings import TABLE, Settings

Room = Literal["any", "tighter", "configuration", "start"]
"""How far a setting can be changed: to any value, to stricter ones, in the configuration, or at the start."""

SOURCE: Final = "changed here until restart"

_FREE: Final = frozenset(
    (
        *("connect_timeout", "login_timeout", "max_clients", "log_level", "log_format", "compiled_relay"),
        *("client_idle_timeout", "shutdown_timeout", "tcp_keepalives_idle", "cancel_timeout", "scan_limit"),
        *("question_limit", "timeout", "candidates", "repairs", "review", "checks", "answer_confidence"),
        *("ambiguity_margin", "judge_by", "judge_margin", "max_error", "on_ambiguity", "notices"),
        *("probe_timeout", "probe_lock_timeout", "probe_max_rows", "probe_max_bytes", "probe_max_cost"),
        *("final_max_cost", "effort", "model_strategy", "model_linking", "model_plan", "model_critiques"),
        *("model_paths", "model_pruning", "model_roles", "model_profiling", "model_synthesis"),
        *("model_probing", "model_probes", "model_cells", "model_second", "model_refinements"),
        *("model_schema_steps", "model_guidance", "model_demonstrations", "model_similarity"),
        *("model_knowledge", "model_syntax", "model_evidence", "ask_calls", "ask_tokens", "ask_cost"),
        *("day_calls", "day_tokens", "day_cost", "pins"),
    )
)
"""Limits and ways of working. A setting that is not named here is none, until somebody thinks about it."""

log = logging.getLogger("askwire.audit")
log.setLevel(
    logging.INFO
)  # what was changed is told whatever the log tells else, the change of log_level too


def room(name: str) -> Room:
    """How far a setting can be changed while the process runs."""
    setting = TABLE[name]
    if not setting.live:
        return "start"
    if name in _FREE:
        return "any"
    return "tighter" if setting.tighten else "configuration"


class Adopting(Protocol):
    """Whose settings these are; `take` lets others hold, or raises ConfigurationError."""

    settings: Settings

    def take(self, found: Settings, /) -> object:
        """Let these settings hold."""


class Changes:
    """The changes of one process; `reread` gives what the configuration says now, where it can be read."""

    def __init__(self, server: Adopting, reread: Callable[[], Settings] | None = None) -> None:
        self._server = server
        self._reread = reread
        self._configured = server.settings
        self._made: dict[str, Given] = {}

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._server.settings

    @property
    def made(self) -> Mapping[str, Given]:
        """What was changed here, by name."""
        return self._made

    @property
    def rereads(self) -> bool:
        """Whether the configuration can be read again."""
        return self._reread is not None

    def configured(self, name: str) -> Given | None:
        """What the configuration says of a setting; None where it says nothing."""
        return self._configured.given(name)

    def read(self) -> Settings:
        """The configuration read again, under what was changed here. Raises ConfigurationError."""
        if self._reread is None:
            raise ConfigurationError("settings are read at the start only", hint="Start askwire anew.")
        configured = self._reread()
        found = self._under(configured, self._made)
        self._configured = configured
        return found

    def reload(self, author: str) -> None:
        """Read the configuration again, at an operator's word. Raises ConfigurationError."""
        self._server.take(self.read())
        log.info("settings read again at the word of %s", author)

    def change(self, name: str, text: str, author: str) -> None:
        """Let a setting hold until the process ends. Raises ConfigurationError, and nothing changes then."""
        before, text = self._told(name), text.strip()
        how = room(name) if name in TABLE else "none"
        if how == "none":
            raise ConfigurationError(f"there is no setting {name!r}")
        if how == "start":
            raise ConfigurationError(f"setting {name!r} holds as askwire was started with it")
        if how == "configuration":
            raise ConfigurationError(f"setting {name!r} can be changed in the configuration only")
        made = {**self._made, name: Given(text, f"{SOURCE}, by {author}")}
        wanted = self._configured.giving({name: made[name]})
        found = self._under(self._configured, made)
        if found[TABLE[name]] != wanted[TABLE[name]]:
            allowed = self._text(self._configured, name)
            raise ConfigurationError(
                f"setting {name!r} can only be made stricter here than the configuration has it ({allowed})"
            )
        self._server.take(found)
        self._made = made
        log.info("setting %s changed from %r to %r by %s", name, before, text, author)

    def take_back(self, name: str, author: str) -> None:
        """Let the configuration's value hold again. Raises ConfigurationError, and nothing changes then."""
        if name not in self._made:
            return
        before = self._told(name)
        made = {kept: given for kept, given in self._made.items() if kept != name}
        self._server.take(self._under(self._configured, made))
        self._made = made
        log.info("setting %s changed from %r back to %r by %s", name, before, self._told(name), author)

    def _told(self, name: str) -> str:
        return self._text(self._server.settings, name)

    @staticmethod
    def _text(settings: Settings, name: str) -> str:
        given = settings.given(name)
        return given.text if given else TABLE[name].default if name in TABLE else ""

    @staticmethod
    def _under(configured: Settings, made: Mapping[str, Given]) -> Settings:
        """What holds: permissions that the configuration has made narrower since are not made wider here."""
        kept = {}
        for name, given in made.items():
            setting = TABLE[name]
            value = configured.giving({name: given})[setting]
            if room(name) == "any" or (
                setting.tighten and setting.tighten(configured[setting], value) == value
            ):
                kept[name] = given
        return configured.giving(kept)
