"""The values of settings as operators see them: secrets are left out.

Owns: which part of a value is shown.
"""

from __future__ import annotations

from askwire.core.settings.table import BACKEND, PROBE_BACKEND, TABLE, Settings
from askwire.proxy.connection.dsn import parse_dsn
from askwire.proxy.session.own_settings import holds_secret
from askwire.store.postgres.address import without_password

HIDDEN = "(not shown)"


def shown(settings: Settings, name: str) -> str:
    """The value in force, as it was written."""
    given = settings.given(name)
    return shown_text(name, given.text if given else TABLE[name].default)


def shown_text(name: str, text: str) -> str:
    """A value of the setting; of a connection string what is used of it, which is no password."""
    if not text:
        return ""
    if name in (BACKEND.name, PROBE_BACKEND.name):
        return str(parse_dsn(text))
    return HIDDEN if holds_secret(name) else without_password(text)
