"""How alike two results are when neither types, row order nor labels need to agree: DPC's soft F1.

Owns: the score and the matching of rows behind it. Cells are compared in the value normal form of DPC's Table
1 (`sql.canonical.normal_form.DPC_VALUES`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from askwire.core.types import ResultSet
from askwire.sql.canonical.normal_form import DPC_VALUES, Value, normal_value

Cells: TypeAlias = Sequence[Value]


def soft_f1(result: ResultSet, reference: ResultSet) -> float:
    """Between 0 (nothing in common) and 1 (equal rows); two empty results are equal.

    Rows are matched one to one so that most cells agree in all; see `soft_f1_of_rows`.
    """
    return soft_f1_of_rows(_normal(result), _normal(reference))


def _normal(result: ResultSet) -> list[tuple[Value, ...]]:
    oids = [column.type_oid for column in result.columns]
    return [
        tuple(normal_value(cell, oid, DPC_VALUES) for cell, oid in zip(row, oids, strict=True))
        for row in result.rows
    ]


def soft_f1_of_rows(rows: Sequence[Cells], reference: Sequence[Cells]) -> float:
    """The score of rows of normal values.

    Of a matched pair the cells at the same places that agree are true positives, the other cells of the row
    false positives, the other cells of the reference false negatives, each counted in widths of the
    reference row. An unmatched row counts as one, false positive in `rows`, false negative in `reference`.
    The score is the harmonic mean of precision and recall.
    """
    if not rows and not reference:
        return 1.0
    pairs = _matched(rows, reference)
    agreed, extra, missed = 0.0, float(len(rows) - len(pairs)), float(len(reference) - len(pairs))
    for i, j in pairs:
        width = max(len(reference[j]), 1)
        same = agreement(rows[i], reference[j])
        agreed += same
        extra += len(rows[i]) / width - same
        missed += 1 - same
    precision, recall = _share(agreed, extra), _share(agreed, missed)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def agreement(row: Cells, reference: Cells) -> float:
    """The share of the reference's cells that the row has at the same place."""
    if not reference:
        return float(not row)
    same = sum(one == other for one, other in zip(row, reference, strict=False))
    return same / len(reference)


def _share(right: float, wrong: float) -> float:
    return right / (right + wrong) if right + wrong else 0.0


def _matched(rows: Sequence[Cells], reference: Sequence[Cells]) -> list[tuple[int, int]]:
    """Pairs of places that agree most in all; equal rows are paired first, which never costs anything."""
    waiting: dict[tuple[Value, ...], list[int]] = defaultdict(list)
    for j in reversed(range(len(reference))):
        waiting[tuple(reference[j])].append(j)
    pairs, left = [], []
    for i, row in enumerate(rows):
        same = waiting.get(tuple(row))
        if same:
            pairs.append((i, same.pop()))
        else:
            left.append(i)
    others = sorted(j for places in waiting.values() for j in places)
    costs = [[1 - agreement(rows[i], reference[j]) for j in others] for i in left]
    return pairs + [(left[a], others[b]) for a, b in assign(costs)]


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The cheapest one-to-one assignment of rows to columns (Kuhn and Munkres), as (row, column).

    Each of the fewer side is assigned; O(n²·m) for n rows and m columns, n ≤ m after transposing.
    """
    if not costs or not costs[0]:
        return []
    if len(costs) > len(costs[0]):
        turned = [list(column) for column in zip(*costs, strict=True)]
        return sorted((row, column) for column, row in assign(turned))
    width = len(costs[0])
    of_row, of_column = [0.0] * (len(costs) + 1), [0.0] * (width + 1)
    held = [0] * (width + 1)  # the row assigned to each column, counted from 1; 0 stands for none
    for row in range(1, len(costs) + 1):
        came_from = _path(costs, row, of_row, of_column, held)
        column = came_from.pop()
        while column:
            before = came_from[column]
            held[column] = held[before]
            column = before
    return sorted((held[column] - 1, column - 1) for column in range(1, width + 1) if held[column])


def _path(
    costs: Sequence[Sequence[float]], row: int, of_row: list[float], of_column: list[float], held: list[int]
) -> list[int]:
    """The shortest augmenting path for one more row: for each column the one before, its free end last."""
    width = len(costs[0])
    held[0] = row
    least, came_from, done = [math.inf] * (width + 1), [0] * (width + 1), [False] * (width + 1)
    column = 0
    while True:
        done[column] = True
        at = held[column]
        step, following = math.inf, 0
        for other in range(1, width + 1):
            if done[other]:
                continue
            reduced = costs[at - 1][other - 1] - of_row[at] - of_column[other]
            if reduced < least[other]:
                least[other], came_from[other] = reduced, column
            if least[other] < step:
                step, following = least[other], other
        for other in range(width + 1):
            if done[other]:
                of_row[held[other]] += step
                of_column[other] -= step
            else:
                least[other] -= step
        column = following
        if not held[column]:
            return [*came_from, column]
