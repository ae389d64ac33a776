"""Which store a setting names, and where a user's state is kept.

Owns: the word `memory`, URLs, and the default place.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from pathlib import Path
from typing import Final

from askwire.core.protocols import Store
from askwire.store.memory import MemoryStore
from askwire.store.postgres.address import PostgresOptions, check_installed, is_address
from askwire.store.retention import Retention
from askwire.store.sqlite import SqliteStore

MEMORY: Final = "memory"
"""The name of the store that ends with the process."""

SHARED_FILE_NAME: Final = "store.sqlite"
"""The file of versions that had one for all servers."""

_HOST_AND_PORT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?")

_MAX_NAME_CHARACTERS: Final = 80
"""Characters of a file's name that come from the server's."""

log = logging.getLogger("askwire.store")


def open_store(
    name: str,
    retention: Retention | None = None,
    *,
    server: str = "",
    postgres: PostgresOptions | None = None,
) -> Store:
    """The store that `name` means.

    'memory', the URL of a PostgreSQL database, the path of a file, or '' for `default_path` of a server. A
    file or database that cannot be used is no error here: the store says so in its log and its status. Raises
    ConfigurationError for a URL that cannot be read, or without psycopg.
    """
    if name == MEMORY:
        return MemoryStore()
    if is_address(name):
        check_installed()
        from askwire.store.postgres.store import PostgresStore  # noqa: PLC0415 - psycopg takes a while

        return PostgresStore(name, options=postgres, retention=retention)
    path = store_path(name, server)
    earlier = default_folder() / SHARED_FILE_NAME
    if not name and path != earlier and not path.exists() and earlier.exists():
        log.warning(
            "each server has a store of its own now, and %s is not read; to go on with what it holds: "
            "askwire store export --store %s | askwire store import --store %s",
            *(earlier, earlier, path),
        )
    return SqliteStore(path, retention=retention)


def store_path(name: str, server: str = "") -> Path:
    """The file that `name` means."""
    return Path(name).expanduser() if name else default_path(server)


def default_path(server: str = "") -> Path:
    """Where state is kept when nothing else is said: a file of the server's ('db.example_5432.sqlite')."""
    return default_folder() / (f"{_as_file(server)}.sqlite" if server else SHARED_FILE_NAME)


def default_folder() -> Path:
    """The folder of all of them, in the user's own state folder."""
    if sys.platform == "darwin":
        folder = Path("~/Library/Application Support").expanduser()
    else:
        base = os.environ.get("XDG_STATE_HOME", "")
        folder = Path(base) if base.startswith("/") else Path("~/.local/state").expanduser()
    return folder / "askwire"


def _as_file(server: str) -> str:
    """A file's name that no other server has: with a digest where the server's own cannot be one."""
    if len(server) <= _MAX_NAME_CHARACTERS and _HOST_AND_PORT.fullmatch(server):
        return server.replace(":", "_")
    name = re.sub(r"[^A-Za-z0-9._-]", "_", server)[:_MAX_NAME_CHARACTERS].lstrip(".-") or "server"
    return f"{name}-{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
