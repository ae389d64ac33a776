"""Which databases may be looked at while rules are written, and which are only reported on.

Owns: the lists. Spider's training databases are split by a hash of their names, those of its development set
by name.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

Part = Literal["tuning", "reporting"]

TUNING: Final = frozenset({"dog_kennels", "flight_2", "orchestra", "singer", "world_1"})
REPORTING: Final = frozenset({"museum_visit", "network_1", "poker_player", "real_estate_properties", "wta_1"})


def part_of(db_id: str) -> Part:
    """The part a database belongs to."""
    if db_id in TUNING:
        return "tuning"
    if db_id in REPORTING:
        return "reporting"
    digest = hashlib.sha1(db_id.encode(), usedforsecurity=False).hexdigest()
    return "tuning" if int(digest, 16) % 10 < 8 else "reporting"
