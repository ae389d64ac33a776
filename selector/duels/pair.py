"""Two queries and databases made for them: rows by rule or by a model, on which they give different answers.

Owns: evaluating both on made-up rows, as shadows in one read-only statement: no table of the user's is
written to. Every made database is said to be synthetic. After DPC (Li et al.): a minimal distinguishing
database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Executor
from askwire.core.types import Cell
from askwire.selector.instances.confirming.judging import Judge
from askwire.selector.instances.confirming.settling import settle
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.provenance.lineage_queries import Columns
from askwire.selector.instances.provenance.steps import Steps
from askwire.selector.instances.provenance.suggesting import Terms
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.search import DEFAULT_BUDGET
from askwire.selector.instances.search_batch import BudgetEnd, SearchBatch
from askwire.selector.instances.synthetic.declared import Declarations
from askwire.selector.instances.synthetic.ground import ground
from askwire.selector.instances.synthetic.made_rows import MadeRow, RowPlacement, keep_to_keys
from askwire.selector.instances.synthetic.making import Maker
from askwire.selector.instances.synthetic.worlds import Worlds
from askwire.selector.instances.types import Budget, Instance
from askwire.selector.instances.views import through_views
from askwire.sql.canonical.normal_form import STRICT, Normalization
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.tracing.traced import TracedQuery, trace_query
from askwire.sql.tracing.tree import Untraceable

MADE_DATABASES: Final = 160
"""Made-up databases tried in one statement."""
MAX_DRAWS: Final = 2
"""Statements' worth of databases drawn by chance, after those made by rule."""
MOST_ROWS: Final = 12
"""Rows a model may give of one relation."""
_MAX_CELL_CHARACTERS: Final = 500
_COMPARED: Final[Normalization] = replace(STRICT, row_order=False)
"""Neither soft F1 nor a judge by hand sees the order of rows."""


class Unusable(Exception):
    """A database cannot be made of what was given, or tells nothing; the text says why, for who gave it."""


class Pair:
    """Two traced queries, with what is known of their rows; see `opened`."""

    def __init__(
        self, candidates: tuple[TracedQuery, TracedQuery], executor: Executor, budget: Budget, pool: RowPool
    ) -> None:
        self._candidates = candidates
        self._executor = executor
        self._budget = budget
        self._pool = pool
        self._columns: tuple[Columns, Columns] = ((), ())
        self._terms = Terms()

    @classmethod
    async def opened(
        cls, first: str, second: str, catalog: Catalog, executor: Executor, budget: Budget = DEFAULT_BUDGET
    ) -> Pair | None:
        """The pair, with some real rows to make others of; None where one of the two cannot be traced."""
        try:
            traced = trace_query(first, catalog), trace_query(second, catalog)
            async with executor.batch() as batch:
                probing = SearchBatch(batch, budget)
                (one, two), _ = await through_views(traced, catalog, probing)
                sources = {**one.sources, **two.sources}
                if any(of.attributes for of in sources.values()):
                    return None  # no row can be made of columns that may not be read
                pair = cls((one, two), executor, budget, RowPool(tuple(sources.values())))
                steps = Steps((one, two), sources, pair._pool, probing)
                pair._columns = await steps.probe(known=None)
                pair._terms = steps.terms
        except (Untraceable, BudgetEnd, DatabaseFailed, RefusedByGate):
            return None
        return pair

    @property
    def relations(self) -> tuple[Relation, ...]:
        """What the two queries read."""
        return tuple(of.relation for of in self._pool.sources)

    def used(self, relation: Relation) -> frozenset[str]:
        """The columns that either query uses, and those that identify a row."""
        found = set(relation.primary_key)
        for candidate in self._candidates:
            found |= set(candidate.scopes.used.get(relation.oid, ()))
        return frozenset(found)

    async def by_rules(self) -> Instance | None:
        """A database made by rule: boundary values, NULLs, duplicates, keys that match nothing.

        One in which each relation has a row, where there is one.
        """
        basis, placing = ground(self._candidates, self._pool), RowPlacement(self._pool)
        maker, worlds = Maker(basis, placing), Worlds(basis, placing)
        found: Instance | None = None
        try:
            async with self._executor.batch() as batch:
                probing = SearchBatch(batch, self._budget)
                judge, refused = self._judge(probing), set[RowSet]()
                declared = await Declarations.read(self._pool, probing)
                ways: list[Callable[[], list[RowSet]]] = [
                    partial(maker.sets, self._terms.all(), MADE_DATABASES)
                ]
                ways += [partial(worlds.sets, MADE_DATABASES, seed) for seed in range(MAX_DRAWS)]
                for made in (*ways, maker.many):
                    await judge.judge(await declared.kept(made(), placing.changed))
                    settled = await settle(judge, self._pool, refused, placing.changed)
                    if settled is not None:
                        found = settled[1]
                        if not judge.empty(settled[0]):
                            break
        except (Untraceable, BudgetEnd, DatabaseFailed):
            return found
        return found

    async def of_rows(self, given: Mapping[str, Any]) -> Instance:
        """The database of rows that somebody made up, by the names of relations.

        What is given need not be sound: names that are not known are left out, values are told by their text.
        Raises Unusable where both queries answer it alike, or where no database can be made of it.
        """
        rows = list(self._made(given))
        if not rows:
            raise Unusable("it has no row of the relations")
        if not keep_to_keys(rows):
            raise Unusable("two rows have the same key, or a column that must not be empty is")
        placing = RowPlacement(self._pool)
        chosen = placing.place(rows)
        try:
            async with self._executor.batch() as batch:
                judge = self._judge(SearchBatch(batch, self._budget))
                await judge.judge([chosen])
                if judge.known[chosen].failed:
                    raise Unusable("a value does not fit its column's type, or a query fails on it")
                settled = await settle(judge, self._pool, set(), _changed(placing, chosen))
        except (Untraceable, BudgetEnd, DatabaseFailed) as error:
            self._forget(chosen)
            said = error.message if isinstance(error, DatabaseFailed) else error.reason
            raise Unusable(f"it cannot be evaluated: {said}") from None
        except Unusable:
            self._forget(chosen)
            raise
        if settled is None:
            raise Unusable("both queries give the same answer on it")
        return settled[1]

    async def runs_on_nothing(self) -> bool:
        """Whether both queries run on an empty database of these relations."""
        try:
            async with self._executor.batch() as batch:
                (found,) = await self._judge(SearchBatch(batch, self._budget)).plain([()])
        except (Untraceable, BudgetEnd, DatabaseFailed):
            return False
        return found is not None

    def _judge(self, probing: SearchBatch) -> Judge:
        return Judge(probing, self._pool, self._candidates, self._columns, _COMPARED, fair=True)

    def _made(self, given: Mapping[str, Any]) -> Iterable[MadeRow]:
        for of in self._pool.sources:
            relation = of.relation
            names = (f"{relation.schema}.{relation.name}", relation.name)
            rows = next((given[name] for name in names if name in given), ())
            for row in rows[:MOST_ROWS] if isinstance(rows, Sequence) else ():
                if isinstance(row, Mapping):
                    cells = tuple(_cell(row.get(column.name)) for column in relation.columns)
                    changed = frozenset(column.name for column in relation.columns)
                    yield MadeRow(of, cells, None, changed)

    def _forget(self, chosen: RowSet) -> None:
        """Take rows out of the pool that no statement can hold: every later one would fail with them."""
        for row in sorted(chosen, reverse=True):
            self._pool.forget(row)


def _changed(placing: RowPlacement, chosen: RowSet) -> Mapping[RowRef, tuple[str, ...]]:
    return {ref: placing.changed[ref] for ref in chosen if ref in placing.changed}


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, list | dict):
        return None
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)[:_MAX_CELL_CHARACTERS].replace("\0", "")
