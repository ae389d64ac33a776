"""The kinds of questions about records, as `heads.toml` declares them.

Owns: what a head has.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Subject = Literal["measure", "total", "category", "value", "parent", "time"]
"""What a head is about beside the records; `total` is a measure that sums, `value` one of a category."""


@dataclass(frozen=True, slots=True)
class Head:
    """Wordings and gold queries with placeholders; `questions.py` fills them.

    `by` is what an answer may show too, and what the first `limit` are taken by; `bars` are kinds of filters
    that do not go with the head.
    """

    name: str
    wordings: Sequence[str]
    golds: Sequence[str]
    about: Sequence[Subject] = ()
    by: str = ""
    limit: int = 0
    bars: Sequence[str] = ()


HEADS: Final = tuple(
    Head(name, **head)
    for name, head in tomllib.loads(Path(__file__).with_name("heads.toml").read_text("utf-8")).items()
)
