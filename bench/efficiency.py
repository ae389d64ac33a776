"""How fast right predictions are beside gold: the valid-efficiency score.

Owns: the score, and the times it is made of: EXPLAIN ANALYZE in the server, the least of a few runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from types import TracebackType
from typing import Final

from askwire.bench.separation.pairs import OwnTimes

_REPEATS: Final = 3


def valid_efficiency(timed: Iterable[tuple[bool, float | None, float | None]]) -> float | None:
    """The mean over predictions of √(time of gold / its own time), 0 for wrong ones, as a percentage.

    Each is (right, gold's time, the prediction's time); a right one whose times are not known counts 1. 100
    is gold's own speed at full accuracy; a score near EX means that right predictions are as fast as gold.
    None for none.
    """
    scores = [
        0.0 if not right else sqrt(gold / own) if gold is not None and own else 1.0
        for right, gold, own in timed
    ]
    return round(100 * sum(scores) / len(scores), 2) if scores else None


class Times:
    """Milliseconds of each text in one schema, each measured once: the least of three runs."""

    def __init__(self, dsn: str, schema: str, *, timeout: float) -> None:
        self._own = OwnTimes(dsn, schema, timeout=timeout)
        self._known: dict[str, float | None] = {}

    def __enter__(self) -> Times:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def of(self, sql: str) -> float | None:
        """The time of one text, None where it fails or takes too long."""
        if sql not in self._known:
            taken = [t for _ in range(_REPEATS) if (t := self._own.of(sql)) is not None]
            self._known[sql] = min(taken, default=None)
        return self._known[sql]

    def close(self) -> None:
        """Close the connection."""
        self._own.close()
