"""The operating system's clock.

Owns: the one `core.protocols.Clock` of a running process.
"""

from __future__ import annotations

import time


class MonotonicClock:
    """`core.protocols.Clock` over the operating system's."""

    def monotonic(self) -> float:
        """Seconds that never go backwards."""
        return time.monotonic()
