"""A measure as people write it, under the name that they give it, as a column of the schema index.

Owns: that value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """`name` is what people call it, `whole` its SQL, text with columns by number between.

    `aggregate` is what the whole stands for. `inner` is what is aggregated, where the measure is one
    aggregate of it and nothing more: of `sum(quantity * unit_price)` that is `(quantity * unit_price)`, of
    `sum(a) / count(b)` there is none.
    """

    name: str
    aggregate: str
    whole: tuple[str | int, ...]
    inner: tuple[str | int, ...] = ()

    def columns(self) -> Iterator[int]:
        """The columns it reads."""
        return (part for part in self.whole if isinstance(part, int))
