"""A breaker: an endpoint that keeps failing is left alone for a while.

Owns: when calls are let through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askwire.core.errors import ModelFailed
from askwire.core.protocols import Clock

MAX_FAILURES: Final = 5
"""So many failures in a row open it."""
PAUSE_SECONDS: Final = 30.0
"""Seconds until one call is tried again."""


class Breaker:
    """Closed: calls pass. Open: they fail at once. After `PAUSE_SECONDS` one passes; its outcome decides."""

    def __init__(self, endpoint: str, clock: Clock) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._failures = 0
        self._closed_until = 0.0
        self._trying = False
        self._watcher: Callable[[int, float], None] | None = None

    def watch(self, changed: Callable[[int, float], None]) -> None:
        """Have `changed` called with the failures in a row, and the moment until which it is open."""
        self._watcher = changed

    def adopt(self, failures: int, closed_until: float) -> None:
        """Take over what another process on this machine has seen of the endpoint."""
        self._failures = failures
        self._closed_until = closed_until

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher(self._failures, self._closed_until)

    @property
    def is_open(self) -> bool:
        """Whether the endpoint is left alone now."""
        return self._failures >= MAX_FAILURES and self._closed_until > self._clock.monotonic()

    def enter(self) -> None:
        """Before a call; raises ModelFailed where it is not to be made."""
        if self._failures < MAX_FAILURES:
            return
        left = self._closed_until - self._clock.monotonic()
        if left > 0 or self._trying:
            raise ModelFailed(
                f"{self._endpoint} is left alone after {self._failures} failures in a row",
                kind="breaker",
                hint=f"It is tried again in {max(1, round(left))} s.",
            )
        self._trying = True

    def succeeded(self) -> None:
        """The endpoint answered, whatever it said."""
        had_failed, self._failures = self._failures, 0
        self._trying = False
        if had_failed:
            self._tell()

    def failed(self) -> None:
        """The endpoint did not do its work."""
        self._failures += 1
        self._trying = False
        if self._failures >= MAX_FAILURES:
            self._closed_until = self._clock.monotonic() + PAUSE_SECONDS
        self._tell()

    def abandoned(self) -> None:
        """The call was ended from our side: it does not describe the endpoint."""
        self._trying = False
