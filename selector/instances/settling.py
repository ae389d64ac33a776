"""From row sets that separate to the instance that is reported.

Owns: which of them is reduced first, and what happens when a check refuses one. Must not know: how the row
sets came about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from askwire.selector.instances.assembling import confirm
from askwire.selector.instances.judging import Judge
from askwire.selector.instances.minimizing import minimize
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.types import Instance

ATTEMPTS: Final = 3
"""Row sets reduced and checked before none of them counts."""

Columns = tuple[str, ...]


async def settle(
    judge: Judge,
    pool: RowPool,
    refused: set[RowSet],
    changed: Mapping[RowRef, Columns] | None = None,
) -> tuple[RowSet, Instance] | None:
    """The best row set that separates, reduced and checked, and its instance; None when none holds.

    The smallest is tried first, ties or not; then those without ties only. A set without ties is reduced to
    one without, and its parts with ties are tried after that. `refused` collects what a check refused.
    """
    for _ in range(ATTEMPTS):
        start = next(
            (s for s in judge.separating() if s not in refused and not (judge.known[s].tied and refused)),
            None,
        )
        if start is None:
            return None
        chosen = await minimize(judge, pool.references, start, refused)
        smaller = [] if refused else _parts(judge, chosen)
        if smaller:
            part = await minimize(judge, pool.references, smaller[0], refused)
            instance = await confirm(judge, pool, part, refused=refused, changed=_made(part, changed))
            if instance is not None:
                return part, instance
            refused.update({*smaller, part})
        instance = await confirm(judge, pool, chosen, refused=refused, changed=_made(chosen, changed))
        if instance is not None:
            return chosen, instance
        refused.update({start, chosen})
    return None


def _parts(judge: Judge, chosen: RowSet) -> list[RowSet]:
    """The known proper subsets that separate, the smallest first."""
    rows = set(chosen)
    found = [s for s, d in judge.known.items() if d.differ and len(s) < len(rows) and rows.issuperset(s)]
    return sorted(found, key=lambda s: (len(s), s))


def _made(chosen: RowSet, changed: Mapping[RowRef, Columns] | None) -> dict[RowRef, Columns]:
    return {r: changed[r] for r in chosen if r in changed} if changed else {}
