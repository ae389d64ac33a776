"""Similarity by embeddings, where the expert's endpoint offers them; vectors are kept for the process.

Owns: vectors of masked questions by their text, and the nearest ones. Only shapes are embedded: no name of a
schema and no value is in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.protocols import Embedder
from askwire.llm.embedding import embed
from askwire.planner.models.expert_task import ExpertTask

TEXTS_PER_CALL: Final = 32
MAX_EXAMPLES: Final = 160
"""Examples that are embedded for one question; the latest come first."""
_MAX_VECTORS: Final = 5000
_TIME_SHARE: Final = 0.5
_MAX_CHARACTERS: Final = 1000

Vector = tuple[float, ...]


class Vectors:
    """Vectors by endpoint and text, the last `_MAX_VECTORS` of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Vector] = {}

    async def near(
        self, asking: ExpertTask, asked: Sequence[str], shapes: Sequence[Sequence[str]]
    ) -> list[int] | None:
        """Numbers of the shapes, the nearest to `asked` first; None where no embeddings can be had."""
        if not isinstance(asking.line.source.model, Embedder) or not asking.line.source.model.embeds:
            return None
        texts = [" ".join(shape)[:_MAX_CHARACTERS] for shape in (asked, *shapes[:MAX_EXAMPLES])]
        found = await asking.attempt("embedding", self._vectors(asking, texts), _TIME_SHARE)
        if found is None:
            return None
        target, *others = found
        scores = [_cosine(target, other) for other in others]
        return sorted(range(len(others)), key=lambda number: -scores[number])

    async def _vectors(self, asking: ExpertTask, texts: Sequence[str]) -> list[Vector]:
        """Vectors of all texts; those not known are asked for. Raises ModelFailed, NoExpert, BudgetSpent."""
        where = asking.line.source.model.endpoint
        missing = [text for text in dict.fromkeys(texts) if (where, text) not in self._known]
        for at in range(0, len(missing), TEXTS_PER_CALL):
            some = missing[at : at + TEXTS_PER_CALL]
            sealed = asking.egress.texts([Disclosure(Kind.EXAMPLE, text) for text in some])
            vectors = await embed(asking.line, sealed)
            self._known |= {(where, text): vector for text, vector in zip(some, vectors, strict=True)}
        found = [self._known[where, text] for text in texts]
        for old in list(self._known)[: max(0, len(self._known) - _MAX_VECTORS)]:
            del self._known[old]
        return found


def _cosine(one: Vector, other: Vector) -> float:
    if len(one) != len(other):
        return 0.0
    lengths = math.sqrt(_product(one, one) * _product(other, other))
    return _product(one, other) / lengths if lengths else 0.0


def _product(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
