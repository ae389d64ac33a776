"""The ways to work that are measured: efforts, strategies, and each row of the papers' ablations.

Owns: that list, by name. Must not know: what a way does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from askwire.bench.failure import BenchFailure
from askwire.bench.live.options import EFFORTS
from askwire.core.model_settings import STRATEGIES
from askwire.planner.models.ablations import ABLATIONS


@dataclass(frozen=True)
class Way:
    """One way to work: its settings, and the names of all rows that have these settings."""

    settings: Mapping[str, str]
    rows: tuple[str, ...] = field(default=())

    @property
    def slug(self) -> str:
        """What its files are called; the same for the same settings."""
        text = json.dumps(dict(self.settings), sort_keys=True)
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
        return f"{self.settings.get('model_strategy', 'auto')}-{self.settings['effort']}-{digest}"


def ways(effort: str, only: Sequence[str] = ()) -> tuple[Way, ...]:
    """All of them, each set of settings once; `effort` is that of strategies and ablations.

    `only` keeps those of which a row contains one of these texts. Raises BenchFailure where none is left.
    """
    named: list[tuple[str, dict[str, str]]] = [(f"auto, {name}", {"effort": name}) for name in EFFORTS]
    named += [(f"{name}, as it is", {"effort": effort, "model_strategy": name}) for name in STRATEGIES]
    named += [
        (
            f"{one.strategy}, {one.table}, {one.row}",
            {"effort": effort, "model_strategy": one.strategy, **one.settings},
        )
        for one in ABLATIONS
    ]
    found: dict[str, Way] = {}
    for row, settings in named:
        key = json.dumps(settings, sort_keys=True)
        before = found.get(key, Way(settings))
        found[key] = Way(settings, (*before.rows, row))
    kept = tuple(
        way for way in found.values() if not only or any(text in row for row in way.rows for text in only)
    )
    if not kept:
        raise BenchFailure("no row of that name; the rows are " + "; ".join(row for row, _ in named))
    return kept
