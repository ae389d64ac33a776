"""How long records are kept. Owns: the limits, and which kinds they hold for."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Days that history (with traces and what was spent) and unused pins are kept, and rows; 0: no limit.

    What users taught (feedback, glossary, demonstrations, weights, outcomes) stays until it is taken back.
    """

    history_days: int = 90
    pin_days: int = 180
    most_rows: int = 100_000
