"""Names that SQL uses and the database does not have → the names that were meant.

Owns: linking one identifier against a few others, with the linker that links questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.identifiers import words
from askwire.sql.catalog import Catalog, Column, Relation

_MIN_NAME_SCORE: Final = 0.6
_MIN_NAME_LEAD: Final = 0.08
"""By how much the best name must be better than the next: one of two that fit alike is a guess."""
_MAX_NAMES: Final = 2000


def linked_name(wanted: str, known: Sequence[str]) -> str | None:
    """The one of `known` that `wanted` means by its words: synonyms, abbreviations, stems, slips.

    `cust_salary` is `customer_income` where nothing else is like it; None where two names fit alike, or none
    fits. The time it takes grows with the number of names: above 2,000 there is no answer.
    """
    if not wanted or not known or len(known) > _MAX_NAMES:
        return None
    return _linked(wanted, tuple(dict.fromkeys(known)))


@lru_cache(maxsize=256)
def _linked(wanted: str, known: tuple[str, ...]) -> str | None:
    columns = tuple(Column(name, "text", 25, "S", place) for place, name in enumerate(known, 1))
    index = schema_index.build(Catalog((Relation(0, "", "t", "r", columns),)))
    options = [o for o in Linker(index).options(words(wanted, index.vocabulary)) if not o.table]
    best = sorted(options, key=lambda o: o.score, reverse=True)[:2]
    if not best or best[0].score < _MIN_NAME_SCORE:
        return None
    if len(best) > 1 and best[0].score - best[1].score < _MIN_NAME_LEAD:
        return None
    return index.columns[best[0].index].column.name
