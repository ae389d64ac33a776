"""The ways to work that are measured: efforts, strategies, and each row of the papers' ablations.

Owns: that list, by name. Must not know: what a way does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from askwire.bench.failure import BenchFailure
from askwire.bench.live.options import EFFORTS
from askwire.core.model_settings import STRATEGIES
from askwire.planner.models.ablations import ABLATIONS


@dataclass(frozen=True)
class Way:
    """One way to work: its settings, and the names of all rows that have these settings.

    With `oracle` what the right SQL does is told with the question (`bench.live.oracle`).
    """

    settings: Mapping[str, str]
    rows: tuple[str, ...] = field(default=())
    oracle: bool = False

    @property
    def slug(self) -> str:
        """What its files are called; the same for the same settings."""
        text = json.dumps(dict(self.settings), sort_keys=True) + ("oracle" if self.oracle else "")
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
        return f"{self.settings.get('model_strategy', 'auto')}-{self.settings['effort']}-{digest}"


def ways(effort: str, only: Sequence[str] = (), *, gold: bool = True) -> tuple[Way, ...]:
    """All of them, each set of settings once; `effort` is that of strategies and ablations.

    Without `gold` SQL there is no oracle. `only` keeps those of which a row contains one of these texts.
    Raises BenchFailure where none is left.
    """
    named = [Way({"effort": name}, (f"auto, {name}",)) for name in EFFORTS]
    named += [Way({"effort": effort, "model_strategy": name}, (f"{name}, as it is",)) for name in STRATEGIES]
    named += [
        Way(
            {"effort": effort, "model_strategy": one.strategy, **one.settings},
            (f"{one.strategy}, {one.table}, {one.row}",),
            one.oracle,
        )
        for one in ABLATIONS
        if gold or not one.oracle
    ]
    found: dict[str, Way] = {}
    for way in named:
        before = found.get(way.slug)
        found[way.slug] = replace(way, rows=(*before.rows, *way.rows)) if before else way
    kept = tuple(
        way for way in found.values() if not only or any(text in row for row in way.rows for text in only)
    )
    if not kept:
        raise BenchFailure("no row of that name; the rows are " + "; ".join(way.rows[0] for way in named))
    return kept
