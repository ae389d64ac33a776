"""The paper's rule for separating instances: rows of provenance terms, drawn by chance.

Owns: how many terms of which side a draw has. The same is drawn in every run. After Kikot et al., section
"Separating Instance Constructor".
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from askwire.selector.instances.provenance.suggesting import Terms
from askwire.selector.instances.references import RowSet

MAX_DRAWS: Final = 42
"""Draws before the search fails."""


def drawn_terms(terms: Terms, statements: tuple[str, str]) -> list[list[RowSet]]:
    """`MAX_DRAWS` draws: M terms of the first query alone and N of the second alone, or two of both's.

    (M, N) is (3, 4) where a statement has sum, case and when, (1, 2) where one has count, else (1, 1). A side
    with fewer terms gives all of them. Where the sides have the same terms, two of them are drawn.
    """
    first, second = dict.fromkeys(terms.first), dict.fromkeys(terms.second)
    own = [term for term in first if term not in second]
    other = [term for term in second if term not in first]
    dice = Random(0)  # noqa: S311 - what is drawn is no secret
    if not own and not other:
        return [_some(dice, list(first), 2) for _ in range(MAX_DRAWS)]
    many, more = _sizes(statements)
    return [[*_some(dice, own, many), *_some(dice, other, more)] for _ in range(MAX_DRAWS)]


def _sizes(statements: tuple[str, str]) -> tuple[int, int]:
    texts = [statement.lower() for statement in statements]
    if any(all(word in text for word in ("sum", "case", "when")) for text in texts):
        return 3, 4
    return (1, 2) if any("count" in text for text in texts) else (1, 1)


def _some(dice: Random, terms: Sequence[RowSet], number: int) -> list[RowSet]:
    return dice.sample(terms, min(number, len(terms)))
