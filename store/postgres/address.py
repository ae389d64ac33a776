"""Where the PostgreSQL store is: a URL of libpq's, and how it is shown without its password.

Owns: what counts as such a URL, the defaults that a store's connections have, and the settings beside it.
"""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import ConfigurationError

_SCHEMES: Final = ("postgresql://", "postgres://")
_USER_AND_PASSWORD: Final = re.compile(r"(://[^:/@?]*):.*@", re.DOTALL)
_PARAMETER: Final = re.compile(r"(?i)([?&](?:password|sslpassword|passfile))=[^&]*")
_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,47}")
_NEEDED: Final = ("psycopg", "psycopg_pool")

_DEFAULTS: Final = {
    "connect_timeout": "3",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "6000",
    # of several hosts the one that takes writes; after a failover that is another one
    "target_session_attrs": "read-write",
}
"""What a URL does not say: a server that is gone is noticed within seconds."""


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """The `schema` that holds everything, at most so many `connections`, and changes that may wait."""

    schema: str = "askwire"
    connections: int = 4
    queue: int = 5000


def is_address(name: str) -> bool:
    """Whether the name of a store is the URL of a PostgreSQL database."""
    return name.lower().startswith(_SCHEMES)


def without_password(name: str) -> str:
    """The URL for people and logs; what is no URL stays as it is."""
    if not is_address(name):
        return name
    return _PARAMETER.sub(r"\1=***", _USER_AND_PASSWORD.sub(r"\1@", name))


def check_schema(schema: str) -> str:
    """The name of a schema; raises ConfigurationError for one that would need quotation marks."""
    if not _SCHEMA.fullmatch(schema):
        raise ConfigurationError(
            f"store_schema cannot be {schema!r}",
            hint="Use lower-case letters, digits and underscores, at most 48.",
        )
    return schema


def check_installed() -> None:
    """Raise ConfigurationError where the library is not installed; costs nothing."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        command = os.environ.get("ASKWIRE_COMMAND")
        raise ConfigurationError(
            "the store is a PostgreSQL database, and psycopg is not installed",
            hint=f"Run {command} postgres-store."
            if command
            else "Run pip install 'askwire[postgres-store]'.",
        )


def conninfo(url: str, application: str = "askwire store") -> str:
    """The URL as libpq takes it, with defaults; raises ConfigurationError for one that is no URL."""
    check_installed()
    import psycopg  # noqa: PLC0415 - takes a while
    from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415

    try:
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError:
        # libpq's message repeats parts of the URL, a password among them
        raise ConfigurationError(
            "the URL of the store cannot be read",
            hint="It is postgresql://user:password@host:5432/database; special characters as %40.",
        ) from None
    return make_conninfo(**{**_DEFAULTS, "application_name": application, **given})
