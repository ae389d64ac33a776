"""What one client connection remembers of its own ASKs, and nobody else may see.

Owns: the connection's random name, the pins that are this session's alone, and its last ASK. Ends with the
connection. Must not know: how a question becomes SQL.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from askwire.core.records import Pin

_MOST_PINS: Final = 100


@dataclass
class SessionMemory:
    """One connection's memory; `pins` are kept by their keys, the oldest leaving first."""

    session: str = field(default_factory=lambda: secrets.token_hex(8))
    pins: OrderedDict[str, Pin] = field(default_factory=OrderedDict)

    def keep(self, pin: Pin) -> None:
        """Keep a pin for this session alone."""
        self.pins[pin.key] = pin
        self.pins.move_to_end(pin.key)
        if len(self.pins) > _MOST_PINS:
            self.pins.popitem(last=False)
