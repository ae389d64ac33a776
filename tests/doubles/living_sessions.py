"""Sessions as figures count them, without any connection."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Sided:
    """A client: 5 bytes came from it, and 7 went there."""

    received: int = 5
    sent: int = 7


@dataclass
class Living:
    """A session that goes on."""

    state: str
    client: Sided = field(default_factory=Sided)
