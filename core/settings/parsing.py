"""How the values of settings are written: switches, numbers, durations, sizes, lists.

Owns: reading one value from text; ValueError says what was expected.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

_TRUE: Final = frozenset({"on", "true", "yes", "1"})
_FALSE: Final = frozenset({"off", "false", "no", "0"})
_UNITS_MS: Final = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_MAX_DURATION_MS: Final = 2_147_483_647
"""PostgreSQL's own limit for a duration in milliseconds, a little less than 25 days."""
_UNITS_BYTES: Final = {"B": 1, "kB": 1024, "MB": 1024**2, "GB": 1024**3}


_MAX_WORKERS: Final = 256
_MAX_MODE_DIGITS: Final = 4
_ALL_PERMISSIONS: Final = 0o777


def parse_text(value: str) -> str:
    """Any text."""
    return value


def parse_bool(value: str) -> bool:
    """on/off, true/false, yes/no, 1/0, as PostgreSQL reads booleans."""
    folded = value.strip().lower()
    if folded in _TRUE:
        return True
    if folded in _FALSE:
        return False
    raise ValueError("expected on or off")


def parse_int(value: str) -> int:
    """A non-negative whole number."""
    try:
        number = int(value.strip())
    except ValueError:
        raise ValueError("expected a whole number") from None
    if number < 0:
        raise ValueError("expected a number that is not negative")
    return number


def parse_workers(value: str) -> int:
    """A number of worker processes, or `auto` for one per processor; at most 256."""
    if value.strip().lower() == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    number = parse_int(value)
    if number > _MAX_WORKERS:
        raise ValueError(f"expected at most {_MAX_WORKERS}")
    return number


def parse_permissions(value: str) -> int:
    """The permissions of a file in octal digits, as chmod takes them: '0777', '0770'."""
    text = value.strip()
    if (
        not text
        or len(text) > _MAX_MODE_DIGITS
        or set(text) - set("01234567")
        or int(text, 8) > _ALL_PERMISSIONS
    ):
        raise ValueError("expected permissions in octal digits, such as 0777 or 0770")
    return int(text, 8)


def parse_float(value: str) -> float:
    """A non-negative number."""
    return _number(value, "a number")


def parse_share(value: str) -> float:
    """A number from 0 to 1."""
    number = _number(value, "a number from 0 to 1")
    if number > 1:
        raise ValueError("expected a number from 0 to 1")
    return number


def _number(text: str, expected: str) -> float:
    try:
        number = float(text.strip())
    except ValueError:
        raise ValueError(f"expected {expected}") from None
    if not 0 <= number < float("inf"):
        raise ValueError("expected a number that is not negative")
    return number


def _with_unit(value: str, units: Mapping[str, int], expected: str) -> int:
    text = value.strip()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text[len(digits) :].strip()
    number = _number(digits, expected)
    if unit and unit not in units:
        raise ValueError(f"unknown unit {unit!r}, expected one of {', '.join(units)}")
    return round(number * (units[unit] if unit else 1))


def parse_duration(value: str) -> int:
    """Milliseconds, from '30s', '500ms', '2min' or a bare number of milliseconds; at most 24 days."""
    milliseconds = _with_unit(value, _UNITS_MS, "a duration, such as 30s or 500ms")
    if milliseconds > _MAX_DURATION_MS:
        raise ValueError("expected at most 24d")
    return milliseconds


def parse_size(value: str) -> int:
    """Bytes, from '64kB', '1MB' or a bare number of bytes."""
    return _with_unit(value, _UNITS_BYTES, "a size, such as 64kB or 1MB")


def parse_names(value: str) -> frozenset[str]:
    """Names with their schema, separated by commas: 'public.area, geo.distance'."""
    names = frozenset(filter(None, (name.strip() for name in value.split(","))))
    for name in names:
        if not all(name.partition(".")):
            raise ValueError(f"{name!r} has no schema")
    return names


def parse_roles(value: str) -> frozenset[str]:
    """Names of roles, separated by commas."""
    return frozenset(filter(None, (name.strip() for name in value.split(","))))


def parse_experts(value: str) -> frozenset[str] | None:
    """Names of experts, separated by commas; None, for all of them, where there is none."""
    return parse_roles(value) or None


def one_of(*choices: str) -> Callable[[str], str]:
    """A parser that accepts exactly the given words."""

    def parse(value: str) -> str:
        word = value.strip().lower()
        if word not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return word

    return parse


def some_of(*choices: str) -> Callable[[str], frozenset[str]]:
    """A parser of any of the given words, separated by commas; for none of them 'none' or nothing."""

    def parse(value: str) -> frozenset[str]:
        words = frozenset(filter(None, (word.strip().lower() for word in value.split(","))))
        if words == {"none"}:
            return frozenset()
        if not words <= frozenset(choices):
            raise ValueError(f"expected some of {', '.join(choices)}, or none")
        return words

    return parse
