"""Vectors as endpoints send them, read with care.

Owns: that format.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

from askwire.core.errors import ModelFailed
from askwire.core.protocols import Usage
from askwire.llm.estimate import tokens

MAX_DIMENSIONS: Final = 8192


def read_vectors(
    body: bytes, sent: Sequence[str], endpoint: str
) -> tuple[tuple[tuple[float, ...], ...], Usage]:
    """The vectors of a response, one for each text that was sent, all of one length.

    Raises ModelFailed for anything else.
    """
    try:
        document = json.loads(body)
        by_place = {entry["index"]: _vector(entry["embedding"]) for entry in document["data"]}
        vectors = tuple(by_place[place] for place in range(len(sent)))
        counted = document.get("usage") or {}
        used = counted.get("prompt_tokens")
        if len({len(vector) for vector in vectors}) != 1:
            raise ValueError("vectors of several lengths")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ModelFailed(f"the answer of {endpoint} is malformed", kind="malformed answer") from None
    if isinstance(used, int) and not isinstance(used, bool) and 0 < used < 10**9:
        return vectors, Usage(used)
    return vectors, Usage(sum(map(tokens, sent)), estimated=True)


def _vector(entry: Any) -> tuple[float, ...]:
    numbers = tuple(float(number) for number in entry)
    if not 0 < len(numbers) <= MAX_DIMENSIONS or not all(map(math.isfinite, numbers)):
        raise ValueError("no vector")
    return numbers
