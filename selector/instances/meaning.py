"""Which texts that answer alike today mean the same: those that agree on made-up rows as well.

A condition that all of today's rows meet, an outer join that no row needs, an average over groups of one: the
answers are equal, and the next row in the table tells them apart. A few small databases show such differences
in one statement: values at and beside each constant, NULLs, duplicates, ties, keys that match nothing (after
Zhong et al., "Semantic evaluation for text-to-SQL with distilled test suites"). Owns: making them for several
texts at once, and grouping the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Executor
from askwire.core.trace import Trace
from askwire.core.types import ResultColumn
from askwire.selector.instances.confirming.judging import (
    Answers,
    evaluate,
    result_of,
    used_columns,
    variants_of,
)
from askwire.selector.instances.pool import RowPool, read_rows, read_term
from askwire.selector.instances.references import RowSet
from askwire.selector.instances.search_batch import BudgetEnd, SearchBatch
from askwire.selector.instances.synthetic.declared import Declarations
from askwire.selector.instances.synthetic.ground import ground
from askwire.selector.instances.synthetic.made_rows import RowPlacement
from askwire.selector.instances.synthetic.making import Maker
from askwire.selector.instances.synthetic.worlds import Worlds
from askwire.selector.instances.types import Budget
from askwire.selector.instances.views import through_views
from askwire.sql.canonical.normal_form import CLOSE, NormalForm, normalize
from askwire.sql.catalog import Catalog
from askwire.sql.tracing.neighbours import sample
from askwire.sql.tracing.traced import TracedQuery, trace_query
from askwire.sql.tracing.tree import Untraceable

BUDGET: Final = Budget(statements=16, milliseconds=600, rows=200, statement_ms=250)
MAX_TEXTS: Final = 6
SAMPLED_ROWS: Final = 6
"""Rows of each relation that others are made of."""
JOINED_ROWS: Final = 4
"""Joined rows of each text that others are made of."""
DATABASES_BY_RULE: Final = 40
"""Databases made by rule."""
DATABASES_BY_CHANCE: Final = 40
"""Databases drawn."""


@dataclass(frozen=True, slots=True)
class Text:
    """A statement that has passed the gate, and the columns of its answer."""

    sql: str
    columns: tuple[ResultColumn, ...]


@dataclass(frozen=True, slots=True)
class Meanings:
    """`groups`: places of the texts that nothing made up tells apart, in the order given.

    A text of which that cannot be tried is a group by itself; `reason` says why.
    """

    groups: tuple[tuple[int, ...], ...]
    reason: str = ""


async def meanings(
    texts: Sequence[Text], catalog: Catalog, executor: Executor, trace: Trace | None = None
) -> Meanings:
    """The texts by what they mean, by one read-only batch in the asker's session.

    Nothing is written, and real rows are read only to make others of them. Texts beyond the first `MAX_TEXTS`
    are not compared; they stay with the first text. Raises the errors of the executor that end a batch.
    """
    considered = texts[:MAX_TEXTS]
    reason = ""
    apart: set[tuple[int, int]] = set(combinations(range(len(considered)), 2))
    try:
        traced = [trace_query(text.sql, catalog) for text in considered]
        async with executor.batch() as batch:
            probing = SearchBatch(batch, BUDGET)
            found, _ = await through_views(traced, catalog, probing)
            apart = await _Comparison(found, considered, probing).apart()
    except (Untraceable, BudgetEnd) as error:
        reason = error.reason
    except (DatabaseFailed, RefusedByGate) as error:
        reason = error.message
    first, *others = _groups(len(considered), apart)
    groups = ((*first, *range(MAX_TEXTS, len(texts))), *others)
    if trace is not None:
        trace.record("selector", "compared meanings", texts=len(texts), groups=len(groups), reason=reason)
    return Meanings(groups, reason)


class _Comparison:
    def __init__(self, traced: Sequence[TracedQuery], texts: Sequence[Text], probing: SearchBatch) -> None:
        self._traced = traced
        self._texts = texts
        self._probing = probing
        self._pool = RowPool(tuple({oid: of for t in traced for oid, of in t.sources.items()}.values()))
        if any(of.layout != tuple(c.name for c in of.relation.columns) for of in self._pool.sources):
            raise Untraceable("rows cannot be made of columns that may not be read")

    async def apart(self) -> set[tuple[int, int]]:
        """The pairs that answer differently on some database, whatever the order of tied rows."""
        pairs = {
            (i, j)
            for i, j in combinations(range(len(self._traced)), 2)
            if self._traced[i].shadow != self._traced[j].shadow
        }
        if not pairs:
            return set()
        worlds = await self._made()
        variants = [variants_of(one, ordered=False) for one in self._traced]
        queries = [text for texts in variants for text in texts]
        used = used_columns(self._traced)
        found: set[tuple[int, int]] = set()
        for answers in await evaluate(self._probing, self._pool, queries, worlds, used):
            if answers is not None:
                forms = self._forms(answers, [len(texts) for texts in variants])
                found |= {(i, j) for i, j in pairs if not forms[i] & forms[j]}
        return found

    async def _made(self) -> list[RowSet]:
        bases = await self._real()
        basis, placing = ground(self._traced, self._pool), RowPlacement(self._pool)
        declared = await Declarations.read(self._pool, self._probing)
        maker, worlds = Maker(basis, placing), Worlds(basis, placing)
        sets = [*maker.groups(), *maker.sets(bases, DATABASES_BY_RULE), *worlds.sets(DATABASES_BY_CHANCE, 0)]
        return await declared.kept(list(dict.fromkeys(sets)), placing.changed)

    async def _real(self) -> list[RowSet]:
        """Some real rows: of each relation, and such as the texts join and keep."""
        sources = {of.number: of for of in self._pool.sources}
        sampled = [f"(SELECT l FROM ({sample(of, SAMPLED_ROWS, 0)}) AS _aw_t)" for of in sources.values()]
        joined = [
            f"(SELECT l FROM ({text}) AS _aw_t LIMIT {JOINED_ROWS})"
            for text in dict.fromkeys(text for one in self._traced for text in one.rows[:1])
        ]
        try:
            lines = await self._probing.read(" UNION ALL ".join([*joined, *sampled]))
        except DatabaseFailed:
            lines = await self._probing.read(" UNION ALL ".join(sampled))
        terms = [term for (line,) in lines.rows if (term := read_term(line, sources))]
        await read_rows(self._pool, terms, self._probing)
        closed = map(self._pool.references.closed, self._pool.resolved(terms))
        return [rows for rows in closed if rows]

    def _forms(self, answers: Answers, sizes: Sequence[int]) -> list[set[NormalForm]]:
        """The answers that each text may give on a database, in normal form."""
        forms: list[set[NormalForm]] = []
        at = 0
        for text, size in zip(self._texts, sizes, strict=True):
            own = [result_of(text.columns, rows) for rows in answers[at : at + size] if rows is not None]
            forms.append({normalize(one, _OPTIONS) for one in own})
            at += size
        return forms


_OPTIONS: Final = replace(CLOSE, ordered=False)
"""As answers on today's data are compared, but for digits that rounding hides."""


def _groups(count: int, apart: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The places that are not told apart, directly or through others."""
    group = list(range(count))
    for i, j in combinations(range(count), 2):
        if (i, j) not in apart and group[i] != group[j]:
            group = [group[i] if g == group[j] else g for g in group]
    return [tuple(place for place in range(count) if group[place] == g) for g in dict.fromkeys(group)]
