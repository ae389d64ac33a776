"""From a row set that separates to one from which no row can be taken.

Owns: delta debugging over row sets, many per statement; all subsets when there are few rows. Must not know:
how a row set is judged.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, pairwise

from askwire.selector.instances.judging import Judge
from askwire.selector.instances.pool import RowSet

FEW = 6
"""Rows up to which all subsets are tried: the smallest then wins, not only a 1-minimal one."""


async def minimize(judge: Judge, start: RowSet, refused: Collection[RowSet] = ()) -> RowSet:
    """A 1-minimal subset of `start` that separates; raises `probing.Spent`.

    A set of one row is 1-minimal: an instance has at least one row. `refused` sets count as not separating.
    """
    current = start
    while len(current) > 1:
        subsets = _subsets(current) if len(current) <= FEW else _chunks(current)
        await judge.judge(subsets)
        better = [s for s in subsets if judge.differs(s) and s not in refused]
        if not better:
            return current
        current = min(better, key=judge.rank)
    return current


def is_minimal(judge: Judge, chosen: RowSet, refused: Collection[RowSet] = ()) -> bool:
    """Whether every set with one row fewer was judged and does not separate."""
    return len(chosen) == 1 or all(
        s in judge.known and (s in refused or not judge.differs(s))
        for s in combinations(chosen, len(chosen) - 1)
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
