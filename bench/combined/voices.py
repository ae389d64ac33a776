"""The voices that ask: the kinds of questions and of conditions that `heads.toml` and `filters.toml` declare.

Owns: what a head, a kind of filter and a voice have, and which voices there are. A voice is a folder with
these two files and descriptions of `records`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

FOLDER: Final = Path(__file__).parent
VOICES: Final = ("first", "second")
_POOLED: Final = {"second"}

Subject = Literal["measure", "total", "money", "category", "value", "parent", "time"]
"""What a head is about beside the records: `total` is a measure that sums, `money` one with a verb of its own
("did we lend"), `value` one of a category's, with a second one as `other`."""


@dataclass(frozen=True, slots=True)
class Head:
    """Wordings and gold queries with placeholders; `questions.py` fills them.

    `by` is what an answer may show too, and what the first `limit` are taken by; `bars` are kinds of filters
    that do not go with the head, and of `needs` it takes one. `where` is a condition of the head's own, and
    the rows have to pass `check`, an expression over all of them.
    """

    name: str
    wordings: Sequence[str]
    golds: Sequence[str]
    about: Sequence[Subject] = ()
    by: str = ""
    limit: int = 0
    ascending: bool = False
    bars: Sequence[str] = ()
    needs: Sequence[str] = ()
    where: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of filter: phrases and a condition with placeholders; `filters.py` fills them.

    `adjective` kinds are words before the noun. Phrases about a time without `{dated}` also lead a sentence.
    """

    name: str
    about: Literal["category", "measure", "time"]
    phrases: Sequence[str]
    where: str
    adjective: bool = False


@dataclass(frozen=True, slots=True)
class Voice:
    """Heads and kinds of filters; where `pooled`, a head is asked of the tables of a schema together."""

    name: str
    heads: Sequence[Head]
    kinds: Sequence[Kind]
    pooled: bool


def voice(name: str) -> Voice:
    """Read a voice; raises TypeError for a key that is missing or unknown."""
    heads, kinds = _tables(name, "heads"), _tables(name, "filters")
    return Voice(
        name,
        heads=[Head(one, **keys) for one, keys in heads],
        kinds=[Kind(one, **keys) for one, keys in kinds],
        pooled=name in _POOLED,
    )


def _tables(name: str, file: str) -> list[tuple[str, dict[str, Any]]]:
    return list(tomllib.loads((FOLDER / name / f"{file}.toml").read_text(encoding="utf-8")).items())
