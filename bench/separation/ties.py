"""Whether an answer hangs on which of several tied rows a LIMIT lets pass.

Owns: the same query with ties kept, and what that says of two answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pglast import ast, enums, parse_sql
from pglast.stream import RawStream

from askwire.bench.execution import Cell, Rows
from askwire.bench.separation.places import selects

Row = tuple[Cell, ...]


def with_ties(query: str) -> str | None:
    """The query in which every LIMIT lets tied rows pass too; None where it has no LIMIT.

    `… ORDER BY a LIMIT 3` → `… ORDER BY a FETCH FIRST 3 ROWS WITH TIES`; without ORDER BY all rows tie, and
    the LIMIT goes.
    """
    statement = parse_sql(query)[0]
    changed = False
    for select in selects(statement):
        if select.limitCount is None:
            continue
        changed = True
        _keep_ties(select)
    return str(RawStream()(statement)) if changed else None


def _keep_ties(select: ast.SelectStmt) -> None:
    if select.sortClause:
        select.limitOption = enums.LimitOption.LIMIT_OPTION_WITH_TIES
    else:
        select.limitCount = None
        select.limitOption = enums.LimitOption.LIMIT_OPTION_DEFAULT


def may_coincide(
    first: str, second: str, answers: tuple[Rows, Rows], run: Callable[[str], Rows | None]
) -> bool:
    """Whether two answers that differ may be equal when ties fall another way.

    An answer that hangs on ties may be any part of the answer with ties kept; where that cannot be run (a
    scalar subquery then has several rows) it may be anything.
    """
    kept = [_with_ties_answer(q, rows, run) for q, rows in zip((first, second), answers, strict=True)]
    if None in kept:
        return True
    ours, theirs = (Counter(rows) for rows in kept if rows is not None)
    sizes = [_sizes(*told) for told in zip((first, second), answers, (ours, theirs), strict=True)]
    common = (ours & theirs).total()
    return any(size <= common for size in sizes[0] & sizes[1])


def _sizes(query: str, rows: Rows, kept: Counter[Row]) -> set[int]:
    """How many rows an answer may have when ties fall another way."""
    tree = parse_sql(query)[0]
    limited = [select for select in selects(tree) if select.limitCount is not None]
    if Counter(rows) == kept or limited == [tree.stmt]:
        return {len(rows)}
    return set(range(kept.total() + 1))


def _with_ties_answer(query: str, rows: Rows, run: Callable[[str], Rows | None]) -> Rows | None:
    """The answer with ties kept; None where that cannot be run."""
    kept = with_ties(query)
    return rows if kept is None else run(kept)
