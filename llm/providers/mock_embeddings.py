"""Vectors of a model server that has no model: texts that share words are near each other.

Owns: those vectors and the body that holds them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

from askwire.llm.estimate import tokens

_DIMENSIONS: Final = 64


def vector(text: str) -> list[float]:
    """One number for each of 64 classes of words: how many words of the text are of it."""
    found = [0.0] * _DIMENSIONS
    for word in text.split():
        found[zlib.crc32(word.encode("utf-8")) % _DIMENSIONS] += 1.0
    return found


def answer(request: Mapping[str, Any]) -> str:
    """The body that answers a request for embeddings."""
    given = request.get("input")
    texts = [given] if isinstance(given, str) else [str(text) for text in given or ()]
    used = sum(map(tokens, texts))
    data = [
        {"object": "embedding", "index": number, "embedding": vector(text)}
        for number, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": used, "total_tokens": used}
    return json.dumps({"object": "list", "model": request.get("model"), "data": data, "usage": usage})
