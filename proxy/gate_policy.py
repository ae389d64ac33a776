"""What the gate lets machine-written SQL read, by settings. Must not know: any statement."""

from __future__ import annotations

from askwire.core.settings import (
    ALLOWED_FUNCTIONS,
    ALLOWED_OPERATORS,
    ALLOWED_TYPES,
    FOREIGN_TABLES,
    SYSTEM_CATALOGS,
    Settings,
)
from askwire.sql.safety import Policy


def policy_of(settings: Settings) -> Policy:
    """The gate's policy that settings ask for."""
    return Policy(
        system_catalogs=settings[SYSTEM_CATALOGS],
        foreign_tables=settings[FOREIGN_TABLES],
        allowed_functions=settings[ALLOWED_FUNCTIONS],
        allowed_operators=settings[ALLOWED_OPERATORS],
        allowed_types=settings[ALLOWED_TYPES],
    )
