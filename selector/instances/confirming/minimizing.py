"""From a row set that separates to one from which no row can be taken.

Owns: delta debugging over row sets, many per statement; all subsets when there are few rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations, pairwise

from askwire.selector.instances.confirming.judging import MAX_SETTLED_ROWS, Judge
from askwire.selector.instances.references import References, RowRef, RowSet


async def minimize(
    judge: Judge, references: References, start: RowSet, refused: Collection[RowSet] = ()
) -> RowSet:
    """A 1-minimal subset of `start` that separates as well as it does; raises `search_batch.Spent`.

    Up to `judging.MAX_SETTLED_ROWS` rows all subsets are tried, so that the smallest wins. A set of one row
    is 1-minimal: an instance has at least one row. With a row go those that refer to it. `refused` sets
    count as not separating.
    """
    current = start
    loose: list[RowRef] = []
    while len(current) > 1:
        parts = (
            _subsets(current)
            if len(current) <= MAX_SETTLED_ROWS
            else [*_chunks(current), *_without(current, loose)]
        )
        subsets = [s for s in dict.fromkeys(map(references.trimmed, parts)) if s]
        await judge.judge(subsets)
        better = [s for s in subsets if judge.differs(s) and s not in refused and judge.as_sure(s, current)]
        if not better:
            return current
        loose = [r for r in current if references.without(current, r) in better]
        current = min(better, key=judge.rank)
    return current


def _without(rows: RowSet, loose: list[RowRef]) -> list[RowSet]:
    """The rows without halves, quarters, … of those that could each be taken away a step before."""
    left = [r for r in loose if r in rows]
    found = []
    size = len(left)
    while size > 1:
        for start in range(0, len(left), size):
            gone = set(left[start : start + size])
            found.append(tuple(r for r in rows if r not in gone))
        size //= 2
    return [s for s in found if s]


def is_minimal(judge: Judge, chosen: RowSet, fewer: Iterable[RowSet], refused: Collection[RowSet]) -> bool:
    """Whether each set of `fewer`, the rows without one of them, was judged and does not separate."""
    return all(
        not s or (s in judge.known and (s in refused or not (judge.differs(s) and judge.as_sure(s, chosen))))
        for s in fewer
    )


def _subsets(rows: RowSet) -> list[RowSet]:
    return [s for size in range(1, len(rows)) for s in combinations(rows, size)]


def _chunks(rows: RowSet) -> list[RowSet]:
    """Parts and complements at each granularity, down to single rows."""
    found: dict[RowSet, None] = {}
    parts = 2
    while True:
        parts = min(parts, len(rows))
        bounds = [len(rows) * i // parts for i in range(parts + 1)]
        for start, end in pairwise(bounds):
            found[rows[start:end]] = None
            found[rows[:start] + rows[end:]] = None
        if parts == len(rows):
            return [s for s in found if 0 < len(s) < len(rows)]
        parts *= 2
