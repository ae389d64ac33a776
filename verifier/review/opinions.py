"""Opinions as models write them, read with care: what is not of the form is no opinion.

Owns: telling an opinion from anything else, and making words of a stranger fit for a report. What a model
objects to may repeat what it read in the data: it is text to show and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_OBJECTIONS: Final = 3
_MAX_PROBLEM_CHARACTERS: Final = 200
MAX_DEMANDS: Final = 12
_FAULT: Final = ("words", "fault")
_WORD: Final = re.compile(r"\w+")
_MAX_SMALL_WORD_LENGTH: Final = 2
"""Letters of words that demand nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of one candidate: no objection, or up to a few of them."""

    objections: tuple[str, ...] = ()


def critique(document: Mapping[str, Any] | None, asked: str) -> Opinion | None:
    """`{"sound": false, "problems": [{"words": "orders", "fault": "it counts lines"}]}`; None for no opinion.

    A fault counts where its `words` are of the question, `asked`: who cannot name what the question demands
    has nothing to say. Neither has praise with faults, nor an objection without any.
    """
    return _opinion(document, "sound", _faults(document, asked))


def answer(document: Mapping[str, Any] | None, columns: tuple[str, ...], asked: str) -> Opinion | None:
    """`{"answers": false, "not_needed": ["id"], "problems": []}`; only what is there can be spare."""
    spare = _sentences(document, "not_needed")
    problems = _faults(document, asked)
    if spare is None or problems is None:
        return None
    told = tuple(f'the question does not ask for "{name}"' for name in spare if name in columns)
    if len(told) >= len(columns):
        return None
    return _opinion(document, "answers", (*told, *problems))


def demands(document: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """`{"demands": ["show names", "count orders"]}`; None where there is no list of sentences."""
    found = _sentences(document, "demands")
    return found[:MAX_DEMANDS] if found else None


def unmet(document: Mapping[str, Any] | None, listed: tuple[str, ...]) -> Opinion | None:
    """`{"unmet": [2]}` of the demands that were listed; None for numbers that stand for none."""
    numbers = document.get("unmet") if document else None
    if not isinstance(numbers, list) or not all(type(n) is int and 1 <= n <= len(listed) for n in numbers):
        return None
    return Opinion(tuple(listed[n - 1] for n in dict.fromkeys(numbers))[:MAX_OBJECTIONS])


def _opinion(
    document: Mapping[str, Any] | None, verdict: str, objections: tuple[str, ...] | None
) -> Opinion | None:
    held = document.get(verdict) if document else None
    if not isinstance(held, bool) or objections is None or held is bool(objections):
        return None
    return Opinion(objections[:MAX_OBJECTIONS])


def _faults(document: Mapping[str, Any] | None, asked: str) -> tuple[str, ...] | None:
    """`"orders": it counts lines`, for each fault that is about words of the question."""
    found = document.get("problems") if document else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return None
    known = set(_words(asked))
    told: dict[str, None] = {}
    for one in found:
        words, fault = (_plain(text) if isinstance(text := one.get(key), str) else "" for key in _FAULT)
        named = _words(words)
        if fault and known.issuperset(named) and any(len(word) > _MAX_SMALL_WORD_LENGTH for word in named):
            told[f'"{words}": {fault}'[:_MAX_PROBLEM_CHARACTERS]] = None
    return tuple(told)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _sentences(document: Mapping[str, Any] | None, field: str) -> tuple[str, ...] | None:
    found = document.get(field) if document else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    return tuple(dict.fromkeys(filter(None, map(_plain, found))))


def _plain(text: str) -> str:
    """A sentence on one line, without characters that cannot be seen."""
    spaced = " ".join(text[: 4 * _MAX_PROBLEM_CHARACTERS].split())
    seen = "".join(c for c in spaced if c == " " or not unicodedata.category(c).startswith(("C", "Z")))
    return seen[:_MAX_PROBLEM_CHARACTERS].strip().removesuffix(".")
