"""Candidates whose answers are the same stand together.

Owns: grouping, and what may be said about two groups (do they differ in a way a person would care about).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Final

from askwire.core.errors import BudgetSpent
from askwire.core.types import Cluster, ResultSet, Verdict
from askwire.sql.canonical.normal_form import SEPARATING, normalize, same

UNTRIED: Final = frozenset({BudgetSpent.sqlstate, "57014"})
"""SQLSTATEs of candidates that may be right and were only too expensive to try."""


def eligible(verdict: Verdict) -> bool:
    """Whether a candidate can be chosen: it ran, or was only too expensive to try."""
    return verdict.ran or verdict.sqlstate in UNTRIED


def evidence(verdict: Verdict, without: Collection[str] = ()) -> float:
    """The factor that the failed checks put on the odds of a candidate; 1 when all held.

    `without` names rules that are left out of account.
    """
    factor = 1.0
    for check in verdict.checks:
        if not check.held and check.rule not in without:
            factor *= check.odds
    return factor


def cluster(verdicts: Sequence[Verdict]) -> list[Cluster]:
    """The eligible verdicts, grouped by equal results in normal form; untried ones by equal SQL.

    Answers that a cap has cut off are equal when all of their rows are (`selector.whole`), or their SQL is.

    In each cluster the best comes first: by confidence after its checks, then by its expert's score.
    """
    groups: dict[Hashable, list[Verdict]] = {}
    for verdict in verdicts:
        if eligible(verdict):
            groups.setdefault(_key(verdict), []).append(verdict)
    return [Cluster(tuple(sorted(group, key=_merit, reverse=True))) for group in groups.values()]


def _key(verdict: Verdict) -> Hashable:
    """What two verdicts of one cluster have in common; what was read of a longer answer proves nothing."""
    result = verdict.result
    if result is None:
        return verdict.sql
    if not result.truncated:
        return normalize(result)
    return len(result.columns), result.digest or verdict.sql


def _merit(verdict: Verdict) -> tuple[float, float]:
    confidence = verdict.candidate.confidence
    return (1.0 if confidence is None else confidence) * evidence(verdict), verdict.candidate.score


def rivals(a: Cluster, b: Cluster) -> bool:
    """Whether two clusters give answers a person would tell apart.

    No rivals: answers that differ only in duplicates, NULL rows or column order, and one that shows a further
    column beside the other's. Answers cut off by a cap may be the same beyond it: they are rivals where
    digests of the whole differ, or a row was read that the other, whole one does not have.
    """
    first, second = a.representative.result, b.representative.result
    if first is None or second is None:
        return False
    if first.truncated or second.truncated:
        return _differ_though_cut(first, second)
    return not (same(first, second, SEPARATING) or _shows(first, second) or _shows(second, first))


def _differ_though_cut(first: ResultSet, second: ResultSet) -> bool:
    """Whether two answers differ for certain of which not all rows were read."""
    names = [[column.name for column in result.columns] for result in (first, second)]
    if len(names[0]) != len(names[1]) or (names[0] != names[1] and sorted(names[0]) == sorted(names[1])):
        return False
    if first.truncated and second.truncated:
        return bool(first.digest and second.digest) and first.digest != second.digest
    part, whole = (first, second) if first.truncated else (second, first)
    # a row of NULLs is no difference
    known = {*normalize(whole).rows, (None,) * len(names[0])}
    return any(row not in known for row in normalize(part).rows)


def _shows(wide: ResultSet, narrow: ResultSet) -> bool:
    """Whether every column of `narrow` is also a column of `wide`, over as many rows."""
    if len(wide.columns) <= len(narrow.columns) or len(wide.rows) != len(narrow.rows) or not wide.rows:
        return False
    have, want = _columns(wide), _columns(narrow)
    return not want - have


def _columns(result: ResultSet) -> Counter[Hashable]:
    columns = zip(*normalize(result).rows, strict=True)
    return Counter(frozenset(Counter(column).items()) for column in columns)
