"""The geometry of the small charts: bars of support, stages of an ASK, weights over time.

Owns: numbers in the units of a viewBox, rounded so that pages stay small.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.proxy.console.phrases import moment

LINE_COLOURS: Final = 6
"""Lines that are told apart; classes c0 to c5."""
_DAY_SECONDS: Final = 86_400.0
_STAGES: Final = ("session", "planner", "egress", "model", "verifier", "selector", "pin")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar of length 100."""

    name: str
    x: float
    width: float
    took_ms: float


def tint(stage: str) -> str:
    """The class of a stage's colour."""
    return f"s-{stage if stage in _STAGES else 'other'}"


def segments(spans: Sequence[tuple[str, float]], elapsed_ms: float) -> list[Segment]:
    """The stages of an ASK as parts of its time; `spans` tell when each was left, in milliseconds."""
    whole = max(elapsed_ms, spans[-1][1] if spans else 0.0)
    if whole <= 0:
        return []
    found: list[Segment] = []
    at = 0.0
    for stage, until in spans:
        name = stage if stage in _STAGES else "other"
        took = max(0.0, until - at)
        found.append(Segment(name, round(100 * at / whole, 2), round(100 * took / whole, 2), took))
        at = max(at, until)
    return [s for s in found if s.width > 0]


@dataclass(frozen=True, slots=True)
class Line:
    """One expert's weight over time as an SVG path, with what it is now."""

    name: str
    colour: int
    path: str
    weight: float
    right: int
    wrong: int
    label_y: float


@dataclass(frozen=True, slots=True)
class Plot:
    """Weights of one database's experts: x is time from `since` to `until`, y the weight, 1 on top."""

    since: float
    until: float
    low: float
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]

    WIDTH = 600
    HEIGHT = 180

    @property
    def begins(self) -> str:
        """The left end in UTC: the day, or the time of a plot that tells of less than a day."""
        began = moment(self.since)
        return f"{began[11:16]} UTC" if self.until - self.since < _DAY_SECONDS else began[:10]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One piece of feedback: when, and for each expert whether it was right.

    It takes the place of what was said before of the same (`about`).
    """

    at: float
    about: Hashable
    right: Mapping[str, bool]


def weights_plot(judgements: Sequence[Judgement], penalty: float, until: float) -> Plot:
    """The weight of each expert after each judgement: a mistake that stands takes `penalty` of what is left.

    `judgements` are in the order of time, with one at least.
    """
    since = judgements[0].at
    names = sorted({name for judgement in judgements for name in judgement.right})
    weights: dict[str, list[tuple[float, float]]] = {name: [(since, 1.0)] for name in names}
    tally = {name: {True: 0, False: 0} for name in names}
    said: dict[Hashable, Mapping[str, bool]] = {}
    for judgement in judgements:
        before = said.get(judgement.about, {})
        said[judgement.about] = judgement.right
        for name, right in before.items():
            tally[name][right] -= 1
        for name, right in judgement.right.items():
            tally[name][right] += 1
        for name in before.keys() | judgement.right.keys():
            weight = (1 - penalty) ** tally[name][False]
            if weight != weights[name][-1][1]:
                weights[name].append((judgement.at, weight))
    lowest = min(weight for points in weights.values() for _, weight in points)
    low = max(0.0, round(lowest - 0.05, 1) if lowest < 0.95 else 0.8)
    span = max(until - since, 1.0)

    def x(at: float) -> float:
        return round(Plot.WIDTH * (at - since) / span, 1)

    def y(weight: float) -> float:
        return round(Plot.HEIGHT * (1 - weight) / (1 - low), 1)

    drawn = sorted(names, key=lambda name: -weights[name][-1][1])
    labels = _apart([y(weights[name][-1][1]) for name in drawn], 14)
    lines = []
    for number, (name, label) in enumerate(zip(drawn, labels, strict=True)):
        (_, first), *rest = weights[name]
        path = f"M0 {y(first)}" + "".join(f"H{x(at)}V{y(weight)}" for at, weight in _thinned(rest))
        counts = tally[name]
        lines.append(
            Line(
                name=name,
                colour=number % LINE_COLOURS,
                path=f"{path}H{Plot.WIDTH}",
                weight=weights[name][-1][1],
                right=counts[True],
                wrong=counts[False],
                label_y=label,
            )
        )
    ticks = tuple((y(value), f"{value:.2f}") for value in (1.0, (1 + low) / 2, low))
    return Plot(since, until, low, tuple(lines), ticks)


def _thinned(points: Sequence[tuple[float, float]], most: int = 200) -> Sequence[tuple[float, float]]:
    """So many points that they are told apart on a screen, the last one among them."""
    step = -(-len(points) // most) or 1
    return points[::-1][::step][::-1]


def _apart(places: Sequence[float], least: float) -> list[float]:
    """Places in growing order moved so that none covers another."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + least) if found else place)
    return found
