"""From row sets that separate to the instance that is reported.

Owns: which of them is reduced first, and what happens when a check refuses one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from askwire.selector.instances.confirming.assembling import confirm
from askwire.selector.instances.confirming.judging import Judge
from askwire.selector.instances.confirming.minimizing import minimize
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.types import Instance

MAX_ATTEMPTS: Final = 3
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
    for _ in range(MAX_ATTEMPTS):
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
    asked = [_less(whole, gone) for gone in (named, *((r,) for r in named))]
    answers = await judge.plain([whole, *asked])
    spared = [rows for rows, fewer in zip(asked, answers[1:], strict=True) if judge.alike(answers[0], fewer)]
    if not spared:
        return whole
    lean = spared[0]
    if lean != asked[0] and len(spared) > 1:
        # each can be spared: all of them together, perhaps
        rest = set(whole).intersection(*spared)
        fewest = tuple(r for r in whole if r in rest)
        if judge.alike(answers[0], (await judge.plain([fewest]))[0]):
            lean = fewest
    if not lean:
        return whole
    await judge.judge(s for s in (lean, *(pool.references.without(lean, r) for r in lean)) if s)
    return lean if judge.differs(lean) and judge.as_sure(lean, whole) else whole


def _less(rows: RowSet, gone: RowSet) -> RowSet:
    return tuple(r for r in rows if r not in gone)


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
        if d.differ
        and d.bare <= bare
        and len(s) < len(rows)
        and rows.issuperset(s)
        and judge.empty(s) <= judge.empty(chosen)
    ]
    return sorted(found, key=lambda s: (len(s), s))


def _made(chosen: RowSet, changed: Mapping[RowRef, Columns] | None) -> dict[RowRef, Columns]:
    return {r: changed[r] for r in chosen if r in changed} if changed else {}
