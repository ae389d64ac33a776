"""One row of the table of settings, as a type.

Owns: what a setting is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from askwire.core.settings.strictness import Strictness

T = TypeVar("T")
Scope = Literal["server", "session"]


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting as the operator gave it: `text` as written, and in which source, as in "the environment"."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One row of the table. `default` is text, as a user would write it; `parse` gives it its type.

    `tighten(configured, asked)` combines an asker's value with the operator's and is None for settings a
    session cannot touch. Without `default_binds` the default is no word of the operator's: the asker's value
    holds until the operator gives one. A setting that is not `live` holds as the process was started with it,
    whatever a reload finds. `strictness` says which changes no door of the running process may make; a live
    setting has to declare it, and without a declaration the configuration alone changes it.
    """

    name: str
    default: str
    parse: Callable[[str], T]
    help: str
    tighten: Callable[[T, T], T] | None = None
    default_binds: bool = True
    live: bool = True
    strictness: Strictness | None = None

    @property
    def scope(self) -> Scope:
        """'session' when the asker may tighten it, else 'server'."""
        return "session" if self.tighten else "server"
