"""Which of two values of a setting is the looser one, as data.

A setting's declaration decides what may change it while the process runs: a value that the declaration
does not call at least as strict as the configured one needs the configuration itself.

Owns: these declarations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

N = TypeVar("N", int, float)
Number = int | float
Kind = Literal["ordered", "neutral", "configuration"]


@dataclass(frozen=True, slots=True)
class Strictness:
    """The order of a setting's values.

    `holds(configured, asked)` is true where `asked` is at least as strict as `configured`. `stricter` says
    for people what that is, as in "a lower value". Where no value is looser than another (`neutral`), it
    says why; where only the configuration may decide (`configuration`), no other value holds.
    """

    kind: Kind
    stricter: str
    holds: Callable[[Any, Any], bool]


def neutral(why: str) -> Strictness:
    """No value is looser than another; `why` is a sentence."""
    return Strictness("neutral", why, lambda _configured, _asked: True)


def _same(configured: object, asked: object) -> bool:
    return asked == configured


CONFIGURATION: Final = Strictness("configuration", "only as configured", _same)
"""Only the configuration decides: either way may be the looser one, or it decides who may come in."""


def _at_most(configured: Number, asked: Number) -> bool:
    return asked <= configured


def _caps(configured: Number, asked: Number) -> bool:
    return not configured or 0 < asked <= configured


LOWER: Final = Strictness("ordered", "a lower value", _at_most)
CAP: Final = Strictness("ordered", "a lower value; 0 means no limit, the loosest", _caps)
HIGHER: Final = Strictness("ordered", "a higher value", lambda configured, asked: asked >= configured)
OFF_IS_STRICTER: Final = Strictness("ordered", "off", lambda configured, asked: configured or not asked)
ON_IS_STRICTER: Final = Strictness("ordered", "on", lambda configured, asked: asked or not configured)
FEWER: Final = Strictness(
    "ordered", "fewer of the configured names", lambda configured, asked: asked <= configured
)


def _fewer_of_all(configured: frozenset[str] | None, asked: frozenset[str] | None) -> bool:
    return configured is None or (asked is not None and asked <= configured)


FEWER_OF_ALL: Final = Strictness("ordered", "fewer names; empty is all of them, the loosest", _fewer_of_all)
NONE_ELSE: Final = Strictness(
    "ordered", "empty, or as configured", lambda configured, asked: asked in ("", configured)
)


def _counts(configured: int | None, asked: int | None) -> bool:
    # how many `auto` makes hangs on effort and strategy: nothing but 0 is known to be no more
    if asked in (configured, 0):
        return True
    return configured is not None and asked is not None and asked < configured


COUNT: Final = Strictness("ordered", "a lower number than the configured one; 0 in place of auto", _counts)


def strictest_first(*choices: str) -> Strictness:
    """An order of words, the strictest first."""
    ranks = {choice: rank for rank, choice in enumerate(choices)}
    return Strictness(
        "ordered",
        f"strictest first: {', '.join(choices)}",
        lambda configured, asked: ranks[asked] <= ranks[configured],
    )


STAGE: Final = Strictness(
    "ordered", "off, or as configured", lambda configured, asked: asked in ("off", configured)
)
"""A stage of work costs calls and looks into the data, or tells a model more; off is none of it."""


def smaller(configured: N, asked: N) -> N:
    """The stricter of two caps, where 0 means no cap."""
    return min(configured, asked) if configured and asked else configured or asked
