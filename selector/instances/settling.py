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
    one without, and its parts with ties are tried after that. Where rows are left out that foreign keys
    want, a part must answer as it would with them. `refused` collects what a check refused.
    """
    for _ in range(ATTEMPTS):
        start = next(
            (s for s in judge.separating() if s not in refused and not (judge.known[s].tied and refused)),
            None,
        )
        if start is None:
            return None
        whole = await minimize(judge, pool.references, start, refused)
        chosen = whole if changed else await _lean(judge, pool, whole)
        smaller = [] if refused else _parts(judge, chosen)
        if smaller:
            part = await minimize(judge, pool.references, smaller[0], refused)
            if chosen == whole or await _stands(judge, pool, part):
                instance = await confirm(judge, pool, part, refused=refused, changed=_made(part, changed))
                if instance is not None:
                    return part, instance
                refused.update({*smaller, part})
        for rows in dict.fromkeys((chosen, whole)):
            instance = await confirm(judge, pool, rows, refused=refused, changed=_made(rows, changed))
            if instance is not None:
                return rows, instance
        refused.update({start, chosen, whole})
    return None


async def _lean(judge: Judge, pool: RowPool, whole: RowSet) -> RowSet:
    """The rows without those that are there for foreign keys alone: no answer changes without them."""
    named = pool.references.named(whole)
    if not named or judge.known[whole].tied:
        return whole
    asked = [whole, *(tuple(r for r in whole if r not in gone) for gone in (named, *((r,) for r in named)))]
    answers = await judge.plain(asked)
    spare = named if judge.alike(answers[0], answers[1]) else ()
    if not spare:
        found = zip(named, answers[2:], strict=True)
        spare = tuple(r for r, fewer in found if judge.alike(answers[0], fewer))
    lean = tuple(r for r in whole if r not in spare)
    if not spare or not lean:
        return whole
    if lean not in asked and not judge.alike(answers[0], (await judge.plain([lean]))[0]):
        return whole
    await judge.judge(s for s in (lean, *(pool.references.without(lean, r) for r in lean)) if s)
    return lean if judge.differs(lean) and judge.as_sure(lean, whole) else whole


async def _stands(judge: Judge, pool: RowPool, part: RowSet) -> bool:
    """Whether the answers on a part stay as they are with the rows that foreign keys want beside it."""
    closed = pool.references.closed(part)
    if closed is None or closed == part:
        return True
    return judge.alike(*await judge.plain([part, closed]))


def _parts(judge: Judge, chosen: RowSet) -> list[RowSet]:
    """The known proper subsets that separate, the smallest first; by columns alone only where all do."""
    rows, bare = set(chosen), judge.known[chosen].bare
    found = [
        s
        for s, d in judge.known.items()
        if d.differ and d.bare <= bare and len(s) < len(rows) and rows.issuperset(s)
    ]
    return sorted(found, key=lambda s: (len(s), s))


def _made(chosen: RowSet, changed: Mapping[RowRef, Columns] | None) -> dict[RowRef, Columns]:
    return {r: changed[r] for r in chosen if r in changed} if changed else {}
