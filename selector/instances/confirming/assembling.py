"""The last check of a row set, and the instance that is reported.

Owns: comparing the answers under other orders of the rows, finding which rows each candidate counts, and
putting the instance together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, permutations, product
from math import factorial, prod
from random import Random
from typing import Final

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.instances.confirming.judging import Judge, used_columns
from askwire.selector.instances.confirming.minimizing import is_minimal
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.types import Identity, Instance, InstanceRow, InstanceTable
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.identity import Source
from askwire.sql.tracing.tree import Untraceable

MAX_ORDERS: Final = 720
"""All orders of the rows are compared up to this many."""
SOME_ORDERS: Final = 48
"""Orders compared when there are more."""
FEW_ORDERS: Final = 6
"""Orders compared when no part of either candidate looks at the order of rows."""


async def confirm(
    judge: Judge,
    pool: RowPool,
    chosen: RowSet,
    *,
    refused: Collection[RowSet] = (),
    changed: Mapping[RowRef, tuple[str, ...]] | None = None,
) -> Instance | None:
    """The instance of a row set, or None when some order of its rows lets the candidates agree.

    One statement: both candidates as they are, in several orders of the rows and without each row.
    """
    ordered = judge.known[chosen].by_order
    sensitive = judge.ordered or any(c.takes_some for c in judge.candidates)
    total = prod(factorial(len(list(rows))) for _, rows in groupby(chosen, key=lambda r: r[0]))
    exhaustive = total <= MAX_ORDERS
    most = total if exhaustive else SOME_ORDERS
    orders = list(row_orders(chosen, most if sensitive else min(total, FEW_ORDERS), exhaustive=exhaustive))
    without = [pool.references.without(chosen, gone) for gone in chosen]
    found = await judge.plain([*orders, *without])
    seen = found[: len(orders)]
    tied = judge.known[chosen].tied
    several = judge.ordered and any(len(result.rows) > 1 for answer in seen for result in answer or ())
    if tied or several or any(c.cuts_below for c in judge.candidates):
        seen += await judge.shuffled(chosen)
    forms: list[set[object]] = [set(), set()]
    told: list[set[object]] = [set(), set()]
    for answer in seen:
        if answer is None:
            return None
        for i, result in enumerate(answer):
            forms[i].add(judge.form(result, ordered=ordered))
            told[i].add(judge.form(result, ordered=judge.ordered))
    if forms[0] & forms[1]:
        return None
    answers = seen[0] or ()
    counted = {
        gone: tuple(
            i
            for i in range(len(answers))
            if fewer is not None and not judge.same(answers[i], fewer[i], ordered=ordered)
        )
        for gone, fewer in zip(chosen, found[len(orders) :], strict=True)
    }
    rest = zip(without, found[len(orders) :], strict=True)
    return assemble(
        pool,
        used=used_columns(judge.candidates),
        chosen=chosen,
        answers=answers,
        counted=counted,
        minimal=len(chosen) == 1
        or (
            is_minimal(judge, chosen, without, refused)
            and all(_agree(judge, chosen, *fewer) for fewer in rest)
        ),
        orders=len(orders),
        all_orders=not tied and (exhaustive or not sensitive),
        open_answers=frozenset(i for i, side in enumerate(told) if len(side) > 1),
        changed=changed,
    )


def _agree(judge: Judge, chosen: RowSet, rows: RowSet, answers: Sequence[ResultSet] | None) -> bool:
    """Whether the candidates agree on a judged part of `chosen`, order included where both say ORDER BY.

    So they do where neither returns a row of it, though their columns differ. That ties broken in some way
    would make them agree is not enough: a server may always break them in another, and who runs the
    candidates there sees them differ. Nothing is said of no rows at all.
    """
    if not rows:
        return True
    if answers is None or judge.known[rows].tied:
        return False
    if judge.known[rows].bare and not judge.known[chosen].bare:
        return True
    return judge.same(*answers, ordered=judge.ordered)


def row_orders(chosen: RowSet, most: int, *, exhaustive: bool) -> Iterator[Sequence[RowRef]]:
    """Orders of the rows of a set: all of them when `exhaustive` and no more than `most`, else `most`."""
    groups = [list(rows) for _, rows in groupby(chosen, key=lambda r: r[0])]
    if exhaustive and prod(factorial(len(g)) for g in groups) <= most:
        for orders in product(*(permutations(g) for g in groups)):
            yield tuple(chain.from_iterable(orders))
        return
    yield chosen
    yield chosen[::-1]
    dice = Random(0)  # noqa: S311 (which orders are tried is no secret)
    for _ in islice(range(most), max(0, most - 2)):
        yield tuple(dice.sample(chosen, len(chosen)))


def assemble(
    pool: RowPool,
    *,
    used: Mapping[int, set[str]],
    chosen: RowSet,
    answers: tuple[ResultSet, ...],
    counted: Mapping[RowRef, tuple[int, ...]],
    minimal: bool,
    orders: int,
    all_orders: bool,
    open_answers: frozenset[int],
    changed: Mapping[RowRef, tuple[str, ...]] | None = None,
) -> Instance:
    """An instance as it is reported."""
    made_up = changed or {}
    tables = []
    for of in (s for s in pool.sources if s.number in used):
        positions = [p for oid, p in chosen if oid == of.number]
        rows = tuple(
            _row(
                of,
                pool.rows[of.number][p - 1],
                pool.keys[of.number][p - 1],
                counted.get((of.number, p), ()),
                made_up.get((of.number, p), ()),
            )
            for p in positions
        )
        relation = of.relation
        tables.append(
            InstanceTable(
                oid=relation.oid,
                schema=relation.schema,
                name=relation.name,
                identity=_identity(of),
                key_columns=of.key,
                columns=tuple(ResultColumn(c.name, c.type_oid) for c in relation.columns),
                used=frozenset(used[relation.oid] | set(of.key)),
                rows=rows,
                row_security=relation.row_security,
            )
        )
    return Instance(
        tables=tuple(tables),
        answers=answers,
        minimal=minimal,
        synthetic=bool(made_up),
        orders_checked=orders,
        all_orders=all_orders,
        open_answers=open_answers,
    )


def _identity(of: Source) -> Identity:
    if of.key:
        return Identity.PRIMARY_KEY if of.key == of.relation.primary_key else Identity.UNIQUE_KEY
    return Identity.PLACE if of.placed else Identity.VALUE


def _row(of: Source, text: str, key: str, counted: tuple[int, ...], changed: tuple[str, ...]) -> InstanceRow:
    read = read_row(text)
    if len(read) != len(of.layout):
        raise Untraceable(f"the columns of {of.relation.name} are not those of the catalog")
    by_name = dict(zip(of.layout, read, strict=True))
    cells = tuple(by_name[c.name] for c in of.relation.columns)
    if of.key:
        return InstanceRow(tuple(by_name[c] for c in of.key), cells, counted, changed)
    return InstanceRow((key,) if of.placed else (), cells, counted, changed)
