"""The ways to work that are measured: efforts, strategies, and each row of the papers' ablations.

Owns: that list, by name, and what each row is compared with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from askwire.bench.failure import BenchFailure
from askwire.bench.live.ablations import ABLATIONS, Ablation
from askwire.bench.live.options import EFFORTS
from askwire.core.settings.models import STRATEGIES


@dataclass(frozen=True)
class Way:
    """One way to work: its settings, and the names of all rows that have these settings.

    With `oracle` what the right SQL does is shown with the question (`bench.live.oracle`).
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
    """All of them, each set of settings once; `effort` is that of strategies, and of rows without their own.

    Without `gold` SQL there is no oracle. `only` keeps those of which a row contains one of these texts.
    Raises BenchFailure where none is left.
    """
    named = [Way({"effort": name}, (f"auto, {name}",)) for name in EFFORTS]
    named += [Way(_plain(effort, name), (_as_it_is(name),)) for name in STRATEGIES]
    named += [
        Way({**_plain(one.effort or effort, one.strategy), **one.settings}, (one.name,), one.oracle)
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


def baselines() -> Mapping[str, str]:
    """By the name of each row of an ablation the row that it is compared with."""
    differ = [one for one in ABLATIONS if one.settings or one.effort or one.oracle]
    found = {one.name: one.of or _as_it_is(one.strategy) for one in differ}
    return {row: of for row, of in found.items() if row != of}


def alike(rows: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Of the rows of ablations those that have sent nothing else than the row they are compared with.

    `rows` are digests of what was sent, by row and question; what comes back is why that may be, by row.
    """
    of, needs = baselines(), {one.name: one for one in ABLATIONS}
    return {
        row: _why(needs[row], of[row])
        for row, sent in rows.items()
        if row in of and sent and rows.get(of[row]) == sent
    }


def _why(one: Ablation, of: str) -> str:
    reasons = {
        "knowledge": "it takes documents to differ (--knowledge)",
        "experts": "it takes several experts to differ (--url and --model more than once)",
    }
    return f"{reasons.get(one.needs, 'these questions do not tell them apart')}: as {of}"


def _plain(effort: str, strategy: str) -> dict[str, str]:
    return {"effort": effort, "model_strategy": strategy}


def _as_it_is(strategy: str) -> str:
    return f"{strategy}, as it is"
