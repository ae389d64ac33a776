"""Moments, durations, counts and outcomes in the words that the pages use.

Owns: the wording.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an ASK ended, in a word or two; `tone` is 'good', 'open' (ask again otherwise), 'bad' or 'busy'."""

    code: str
    word: str
    tone: str


_OUTCOMES: Final = {
    outcome.code: outcome
    for outcome in (
        Outcome("", "under way", "busy"),
        Outcome("00000", "answered", "good"),
        Outcome("NL001", "ambiguous", "open"),
        Outcome("NL002", "not in the database", "open"),
        Outcome("NL003", "confidence too low", "open"),
        Outcome("NL004", "no expert", "bad"),
        Outcome("NL005", "time or budget spent", "bad"),
        Outcome("NL006", "refused by the gate", "bad"),
        Outcome("NL007", "not possible there", "open"),
        Outcome("57014", "canceled", "open"),
    )
}

ENDINGS: Final = tuple(o for code, o in _OUTCOMES.items() if code)
"""The outcomes that a history can be searched for."""


def outcome(code: str) -> Outcome:
    """How an ASK with this SQLSTATE ended; '' for one under way."""
    return _OUTCOMES.get(code) or Outcome(code, "failed", "bad")


def milliseconds(value: float) -> str:
    """A duration that is read at a glance: '430 ms', '1.2 s', '2 min 5 s'."""
    if value < 9.95:
        return f"{value:.1f} ms"
    if value < 999.5:
        return f"{value:.0f} ms"
    if value < 59_950:
        return f"{value / 1000:.1f} s"
    minutes, seconds = divmod(round(value / 1000), 60)
    return f"{minutes} min {seconds} s"


def moment(at: float) -> str:
    """A moment in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def iso(at: float) -> str:
    """A moment as the attribute of a <time>."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def count(number: float, noun: str, plural: str = "") -> str:
    """A number with its noun: '1 row', '1,204 rows'."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def share(value: float | None) -> str:
    """A probability: '63 %', '<1 %'; '' for none."""
    if value is None:
        return ""
    if 0 < value < 0.01:
        return "<1 %"
    return ">99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def times(factor: float) -> str:
    """How many times as likely something is: '1.4×', '38×', '>1,000×'."""
    if factor > 1000:
        return ">1,000×"
    return f"{factor:.1f}×" if factor < 9.95 else f"{factor:.0f}×"
