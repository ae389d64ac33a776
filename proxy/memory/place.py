"""Which server's memory this is, and the store it lies in.

Owns: the name under which everything is kept, and that servers share a store only where somebody says so.
"""

from __future__ import annotations

from pathlib import Path

from askwire.core.errors import ConfigurationError
from askwire.core.protocols import Store
from askwire.core.settings.memory import (
    SERVER_NAME,
    STORE,
    STORE_CONNECTIONS,
    STORE_QUEUE,
    STORE_SCHEMA,
)
from askwire.core.settings.table import BACKEND, Settings
from askwire.proxy.connection.dsn import parse_dsn
from askwire.store import open_store
from askwire.store.opening import MEMORY, default_folder, store_path
from askwire.store.postgres.address import PostgresOptions, check_schema, is_address
from askwire.store.retention import Retention


def server_of(settings: Settings) -> str:
    """The name of the server behind, under which all that concerns it is kept; '' where there is none."""
    address = str(parse_dsn(settings[BACKEND])) if settings[BACKEND] else ""
    return settings[SERVER_NAME] or address


def store_of(settings: Settings, retention: Retention | None = None) -> Store:
    """The store that settings name, by default one for each server behind."""
    return open_store(
        settings[STORE], retention, server=server_of(settings), postgres=postgres_options(settings)
    )


def postgres_options(settings: Settings) -> PostgresOptions:
    """What settings say of a PostgreSQL store beside its URL; raises ConfigurationError."""
    connections, queue = settings[STORE_CONNECTIONS], settings[STORE_QUEUE]
    if connections < 1 or queue < 1:
        name = STORE_CONNECTIONS.name if connections < 1 else STORE_QUEUE.name
        raise ConfigurationError(f"{name} has to be 1 or more")
    return PostgresOptions(check_schema(settings[STORE_SCHEMA]), connections, queue)


def place_of(name: str, settings: Settings) -> Path | str:
    """The file of the store that `name` means, or the settings where it is ''; or the URL of a database.

    Raises ConfigurationError where there is none.
    """
    name = name or settings[STORE]
    if is_address(name):
        return name
    if name == MEMORY:
        raise ConfigurationError("a store in memory has no file", hint="Name one with --store.")
    server = server_of(settings)
    if not name and not server:
        found = ", ".join(sorted(str(path) for path in default_folder().glob("*.sqlite")))
        raise ConfigurationError(
            "each server has a store of its own, and no server is named",
            hint=f"Name a file with --store{': ' + found if found else ''}; or a server in ASKWIRE_BACKEND.",
        )
    return store_path(name, server)
