"""Settings changed while the process runs, by an operator at the console.

Owns: which settings can be changed there and how far, and that a change holds until the process ends or is
taken back, over whatever the configuration says, also after that was read again. Each is shown in the log.

A change makes nothing looser than the configuration has it: each setting declares which of two values is the
looser one (`core.settings.strictness`), and the configured value is the measure, read again or not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, Protocol

from askwire.core.errors import ConfigurationError
from askwire.core.settings.setting import SettingValue
from askwire.core.settings.table import TABLE, Settings

Room = Literal["any", "tighter", "configuration", "start"]
"""How far a setting can be changed: to any value, to stricter ones, in the configuration, or at the start."""

SOURCE: Final = "changed here until restart"

MAX_VALUE_CHARACTERS: Final = 1000
"""Characters of a value."""

log = logging.getLogger("askwire.audit")
log.setLevel(
    logging.INFO
)  # what was changed is shown whatever the log tells else, the change of log_level too


def room(name: str) -> Room:
    """How far a setting can be changed while the process runs."""
    setting = TABLE[name]
    if not setting.live:
        return "start"
    if setting.strictness is None or setting.strictness.kind == "configuration":
        return "configuration"
    return "any" if setting.strictness.kind == "neutral" else "tighter"


class SettingsOwner(Protocol):
    """Whose settings these are; `take` lets others hold, or raises ConfigurationError."""

    settings: Settings

    def take(self, found: Settings, /) -> Sequence[str]:
        """Let these settings hold; the names of those that changed."""


class Changes:
    """The changes of one process; `reread` gives what the configuration says now, where it can be read."""

    def __init__(self, server: SettingsOwner, reread: Callable[[], Settings] | None = None) -> None:
        self._server = server
        self._reread = reread
        self._configured = server.settings
        self._made: dict[str, SettingValue] = {}
        self._watcher: Callable[[Mapping[str, str | None]], None] | None = None

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._server.settings

    @property
    def made(self) -> Mapping[str, SettingValue]:
        """What was changed here, by name."""
        return self._made

    @property
    def rereads(self) -> bool:
        """Whether the configuration can be read again."""
        return self._reread is not None

    def configured(self, name: str) -> SettingValue | None:
        """What the configuration says of a setting; None where it is silent."""
        return self._configured.given(name)

    def reread(self) -> Sequence[str]:
        """Read the configuration again, under what was changed here; the names of settings that changed.

        Raises ConfigurationError, and nothing changes then, nor what counts as configured.
        """
        if self._reread is None:
            raise ConfigurationError("settings are read only at the start", hint="Restart askwire.")
        configured = self._reread()
        changed = self._server.take(self._under(configured, self._made))
        self._configured = configured
        return changed

    def reload(self, author: str) -> None:
        """Read the configuration again, at an operator's word. Raises ConfigurationError."""
        self.reread()
        log.info("settings read again at the word of %s", author)

    def watch(self, made: Callable[[Mapping[str, str | None]], None]) -> None:
        """Have `made` called with each change: name, text (None: taken back) and author."""
        self._watcher = made

    def _tell(self, name: str, text: str | None, author: str) -> None:
        if self._watcher is not None:
            self._watcher({"name": name, "text": text, "author": author})

    def change(self, name: str, text: str, author: str, *, tell: bool = True) -> None:
        """Let a setting hold until the process ends. Raises ConfigurationError, and nothing changes then.

        `tell`: the one who watches hears of it.
        """
        before, text = self._told(name), text.strip()
        how = room(name) if name in TABLE else "none"
        if how == "none":
            raise ConfigurationError(f"setting {name!r} does not exist")
        if how == "start":
            raise ConfigurationError(f"setting {name!r} takes effect at a restart only")
        if how == "configuration":
            raise ConfigurationError(f"setting {name!r} can be changed in the configuration only")
        if len(text) > MAX_VALUE_CHARACTERS:
            raise ConfigurationError(
                f"a value of setting {name!r} has at most {MAX_VALUE_CHARACTERS} characters here"
            )
        given = SettingValue(text, f"{SOURCE}, by {author}")
        if not _holds(self._configured, name, given):
            raise self._looser(name, text)
        made = {**self._made, name: given}
        found = self._under(self._configured, made)
        self._server.take(found)
        self._made = made
        log.info("setting %s changed from %r to %r by %s", name, before, text, author)
        if tell:
            self._tell(name, text, author)

    def take_back(self, name: str, author: str, *, tell: bool = True) -> None:
        """Let the configuration's value hold again. Raises ConfigurationError, and nothing changes then."""
        if name not in self._made:
            return
        before = self._told(name)
        made = {kept: given for kept, given in self._made.items() if kept != name}
        self._server.take(self._under(self._configured, made))
        self._made = made
        log.info("setting %s changed from %r back to %r by %s", name, before, self._told(name), author)
        if tell:
            self._tell(name, None, author)

    def _told(self, name: str) -> str:
        return self._text(self._server.settings, name)

    @staticmethod
    def _text(settings: Settings, name: str) -> str:
        given = settings.given(name)
        return given.text if given else TABLE[name].default if name in TABLE else ""

    def _looser(self, name: str, text: str) -> ConfigurationError:
        allowed, strictness = self._text(self._configured, name), TABLE[name].strictness
        given = self._configured.given(name)
        where = f"it stands in {given.source}" if given and given.source else "its default holds"
        again = "read it again, here or by RELOAD or SIGHUP" if self.rereads else "start askwire again"
        return ConfigurationError(
            f"setting {name!r} cannot become {text!r} here: that is looser than the configured {allowed!r}",
            hint="Here settings only become stricter"
            + (f" ({strictness.stricter})" if strictness else "")
            + f". To loosen this one, change the configuration ({where}) and {again}.",
        )

    @staticmethod
    def _under(configured: Settings, made: Mapping[str, SettingValue]) -> Settings:
        """What holds: what the configuration has made stricter since is not made looser here."""
        return configured.giving({name: one for name, one in made.items() if _holds(configured, name, one)})


def _holds(configured: Settings, name: str, given: SettingValue) -> bool:
    """Whether a value given here is no looser than the configured one. Raises ConfigurationError."""
    setting = TABLE[name]
    asked = configured.giving({name: given})[setting]
    return setting.strictness is not None and setting.strictness.holds(configured[setting], asked)
