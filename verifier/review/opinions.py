"""Opinions as models write them, read with care: what is not of the form is no opinion.

Owns: telling an opinion from anything else, and making words of a stranger fit for a report. Must not know:
what was asked. What a model objects to may repeat what it read in the data: it is text to show and nothing
else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MOST: Final = 3
"""Objections that are kept of one opinion."""
_LONGEST: Final = 200
MOST_DEMANDS: Final = 12


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of one candidate: no objection, or up to a few of them."""

    objections: tuple[str, ...] = ()


def critique(document: Mapping[str, Any] | None) -> Opinion | None:
    """`{"sound": false, "problems": ["count orders, not lines"]}`; None for what says neither yes nor no.

    An objection that names no fault cannot be acted upon, and is none; neither is praise with faults.
    """
    return _opinion(document, "sound", _sentences(document, "problems"))


def answer(document: Mapping[str, Any] | None, columns: tuple[str, ...]) -> Opinion | None:
    """`{"answers": false, "not_needed": ["id"], "problems": []}`; only what is there can be spare."""
    spare = _sentences(document, "not_needed")
    problems = _sentences(document, "problems")
    if spare is None or problems is None:
        return None
    told = tuple(f'nobody asked for "{name}"' for name in spare if name in columns)
    if len(told) >= len(columns):
        return None
    return _opinion(document, "answers", (*told, *problems))


def demands(document: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """`{"demands": ["show names", "count orders"]}`; None where there is no list of sentences."""
    found = _sentences(document, "demands")
    return found[:MOST_DEMANDS] if found else None


def unmet(document: Mapping[str, Any] | None, listed: tuple[str, ...]) -> Opinion | None:
    """`{"unmet": [2]}` of the demands that were listed; None for numbers that stand for none."""
    numbers = document.get("unmet") if document else None
    if not isinstance(numbers, list) or not all(type(n) is int and 1 <= n <= len(listed) for n in numbers):
        return None
    return Opinion(tuple(listed[n - 1] for n in dict.fromkeys(numbers))[:MOST])


def _opinion(
    document: Mapping[str, Any] | None, verdict: str, objections: tuple[str, ...] | None
) -> Opinion | None:
    held = document.get(verdict) if document else None
    if not isinstance(held, bool) or objections is None or held is bool(objections):
        return None
    return Opinion(objections[:MOST])


def _sentences(document: Mapping[str, Any] | None, field: str) -> tuple[str, ...] | None:
    found = document.get(field) if document else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    return tuple(dict.fromkeys(filter(None, map(_plain, found))))


def _plain(text: str) -> str:
    """A sentence on one line, without characters that cannot be seen."""
    spaced = " ".join(text[: 4 * _LONGEST].split())
    seen = "".join(c for c in spaced if c == " " or not unicodedata.category(c).startswith(("C", "Z")))
    return seen[:_LONGEST].strip().removesuffix(".")
