"""How many questions are answered, and how many of these rightly, as the confidence asked for goes down.

Owns: that curve, the coverage at given precisions, and its drawing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PRECISIONS: Final = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7)
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 560, 320, 52, 40, 16, 12
_COLOURS: Final = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#dc2626")
_MIN_PRECISION: Final = 0.4


@dataclass(frozen=True, slots=True)
class Point:
    """From `confidence` on: the share of questions answered, and the share of those right (0 to 1)."""

    confidence: float
    coverage: float
    precision: float


def curve(judged: Iterable[tuple[float | None, bool]]) -> tuple[Point, ...]:
    """A point for each confidence, the highest first; ties stand together.

    `judged` are all questions: the confidence of the best candidate (None: there is none, and it counts as
    unanswered), and whether that candidate is right.
    """
    by_confidence: dict[float, list[bool]] = defaultdict(list)
    count = 0
    for confidence, right in judged:
        count += 1
        if confidence is not None:
            by_confidence[confidence].append(right)
    points = []
    taken = right_so_far = 0
    for confidence in sorted(by_confidence, reverse=True):
        taken += len(by_confidence[confidence])
        right_so_far += sum(by_confidence[confidence])
        points.append(Point(confidence, taken / count, right_so_far / taken))
    return tuple(points)


def at(points: Sequence[Point], precision: float) -> Point | None:
    """The point that answers most with at least this precision; None where none does."""
    return next((p for p in reversed(points) if p.precision >= precision), None)


def from_confidence(points: Sequence[Point], least: float) -> Point | None:
    """What a threshold on the confidence comes to; None where nothing is so sure."""
    return next((p for p in reversed(points) if p.confidence >= least), None)


def figures(points: Sequence[Point]) -> dict[str, dict[str, float] | None]:
    """By precision in percent: the coverage in percent, and the confidence that reaches it."""
    found: dict[str, dict[str, float] | None] = {}
    for precision in PRECISIONS:
        point = at(points, precision)
        found[f"{100 * precision:.0f}"] = _told(point) if point else None
    return found


def thresholds(points: Sequence[Point], confidences: Iterable[float]) -> dict[str, dict[str, float] | None]:
    """By threshold: the coverage and precision in percent."""
    told = {}
    for least in confidences:
        point = from_confidence(points, least)
        told[f"{least:g}"] = _told(point) if point else None
    return told


def _told(point: Point) -> dict[str, float]:
    return {
        "coverage": round(100 * point.coverage, 1),
        "precision": round(100 * point.precision, 1),
        "confidence": round(point.confidence, 3),
    }


def drawing(curves: Mapping[str, Sequence[Point]]) -> str:
    """Curves by name as SVG: coverage to the right, precision upwards."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="11" role="img" aria-label="precision by coverage">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for tenth in range(11):
        x = _x(tenth / 10)
        lines.append(
            f'<path d="M{x} {_y(_MIN_PRECISION)}V{_y(1)}" stroke="#e5e7eb"/>'
            f'<text x="{x}" y="{_y(_MIN_PRECISION) + 14}" text-anchor="middle" fill="#374151">'
            f"{tenth * 10}</text>"
        )
    for tenth in range(round(10 * _MIN_PRECISION), 11):
        y = _y(tenth / 10)
        lines.append(
            f'<path d="M{_x(0)} {y}H{_x(1)}" stroke="#e5e7eb"/>'
            f'<text x="{_x(0) - 6}" y="{y + 4}" text-anchor="end" fill="#374151">{tenth * 10}</text>'
        )
    lines.append(
        f'<g fill="#374151" text-anchor="middle"><text x="{_x(0.5)}" y="{_HEIGHT - 6}">'
        f'% of questions answered</text><text x="12" y="{_y(0.7)}" transform="rotate(-90 12 {_y(0.7)})">'
        "% of answers right</text></g>"
    )
    for number, (name, points) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        way = " ".join(f"{_x(p.coverage)},{_y(max(_MIN_PRECISION, p.precision))}" for p in points)
        lines.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        y = _y(_MIN_PRECISION) - 10 - 15 * (len(curves) - 1 - number)
        lines.append(
            f'<path d="M{_x(0) + 10} {y - 4}h18" stroke="{colour}" stroke-width="2.5"/>'
            f'<text x="{_x(0) + 34}" y="{y}" fill="#111827">{_escaped(name)}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _x(share: float) -> float:
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(precision: float) -> float:
    return round(_TOP + (1 - precision) / (1 - _MIN_PRECISION) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
