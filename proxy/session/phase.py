"""Where a session can be in its life.

STARTUP ──► LOGIN ──► RELAY ◄──► ASKING
│  │      └──► ADMIN │           │
│  └───────┴─────┴───┴───────────┴────► CLOSED
└──────► CANCELING ───────────────────────┘
"""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """Where a session is in its life."""

    STARTUP = "startup"
    LOGIN = "login"
    RELAY = "relay"
    ASKING = "asking"
    CANCELING = "canceling"
    ADMIN = "admin"
    CLOSED = "closed"
