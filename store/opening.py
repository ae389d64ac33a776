"""Which store a setting names, and where a user's state is kept.

Owns: the word `memory`, and the default place. Must not know: settings (they arrive as values).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from askwire.core.protocols import Store
from askwire.store.memory import MemoryStore
from askwire.store.retention import Retention
from askwire.store.sqlite import SqliteStore

MEMORY: Final = "memory"
"""The name of the store that ends with the process."""

_FILE: Final = "store.sqlite"


def open_store(name: str, retention: Retention | None = None) -> Store:
    """The store that `name` means: 'memory', the path of a file, or '' for `default_path`.

    A file that cannot be used is no error here: the store says so in its log and its status.
    """
    if name == MEMORY:
        return MemoryStore()
    return SqliteStore(store_path(name), retention=retention)


def store_path(name: str) -> Path:
    """The file that `name` means."""
    return Path(name).expanduser() if name else default_path()


def default_path() -> Path:
    """Where state is kept when nothing else is said: in the user's own state folder."""
    if sys.platform == "darwin":
        folder = Path("~/Library/Application Support").expanduser()
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        folder = Path(base) if base.startswith("/") else Path("~/.local/state").expanduser()
    return folder / "askwire" / _FILE
