"""What to say to somebody who named no server, and whom the default did not lead to one.

Owns: that sentence. Must not know: who connects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_NAMES: Final = ("PGHOST", "PGHOSTADDR", "PGSERVICE")


def hint(dsn: str, environment: Mapping[str, str]) -> str:
    """How to name a server, where neither the DSN nor the environment does; else ''."""
    if dsn.strip() or any(environment.get(name) for name in _NAMES):
        return ""
    return (
        "No server was named: give --dsn postgresql://user@host/database, or `backend` in askwire.toml, or "
        "PGHOST, PGUSER and PGDATABASE."
    )
