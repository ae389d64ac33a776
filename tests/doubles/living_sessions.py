"""Sessions as figures count them, without any connection."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class CountedClient:
    """A client: 5 bytes came from it, and 7 went there."""

    received: int = 5
    sent: int = 7


@dataclass
class LiveSession:
    """A session that goes on."""

    state: str
    client: CountedClient = field(default_factory=CountedClient)
