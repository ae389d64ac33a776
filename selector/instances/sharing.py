"""More than two candidates: one set of rows that tells as many of them apart as one can.

Owns: separating pair after pair with the rows already found, and joining the instances into one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Executor
from askwire.core.trace import Trace
from askwire.core.types import ResultSet
from askwire.selector.instances.confirming.assembling import assemble, row_orders
from askwire.selector.instances.confirming.judging import (
    SHUFFLES,
    Answers,
    evaluate,
    result_of,
    used_columns,
    variants_of,
)
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.provenance.lineage_queries import Columns
from askwire.selector.instances.provenance.suggesting import union
from askwire.selector.instances.references import RowRef, RowSet
from askwire.selector.instances.search import Search
from askwire.selector.instances.search_batch import INSUFFICIENT_PRIVILEGE, BudgetEnd, SearchBatch
from askwire.selector.instances.types import Budget, Outcome, Separation, SharedSeparation
from askwire.selector.instances.views import Views, as_far_as_allowed, through_views
from askwire.sql.canonical.normal_form import STRICT, NormalForm, Normalization, normalize
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.tracing.traced import TracedQuery, trace_query
from askwire.sql.tracing.tree import Untraceable

SHARED_BUDGET: Final = Budget(statements=160, milliseconds=15_000, rows=2000)
MAX_SHARED_ROWS: Final = 40
"""Rows of a shared set beyond which none is added."""
MAX_TRIED_ROWS: Final = 60
"""Rows tried, each by itself, beside a shared set."""
MAX_ORDERS: Final = 24
"""Orders of the shared rows in which all candidates are compared."""

_Pair = tuple[int, int]
_Pairs = frozenset[_Pair]


async def separate_all(
    candidates: Sequence[str],
    catalog: Catalog,
    executor: Executor,
    budget: Budget = SHARED_BUDGET,
    trace: Trace | None = None,
    *,
    comparison: Normalization = STRICT,
) -> SharedSeparation:
    """One set of real rows on which as many of the candidates as possible give different answers.

    Rows found for one pair are tried on the others first. The budget is for all of it; pairs that it does not
    reach are told as not separated. Raises what `separate` raises.
    """
    async with executor.batch() as batch:
        sharing = _SharedRows(candidates, catalog, SearchBatch(batch, budget), comparison)
        found = await sharing.run()
    if trace is not None:
        trace.record(
            "selector",
            "separate all",
            candidates=len(candidates),
            groups=len(found.groups),
            rows=found.instance.size if found.instance else 0,
            statements=found.statistics.statements,
            ms=round(found.statistics.milliseconds, 1),
        )
    return found


class _SharedRows:
    def __init__(
        self, texts: Sequence[str], catalog: Catalog, probing: SearchBatch, comparison: Normalization
    ) -> None:
        self._texts = tuple(texts)
        self._probing = probing
        self._comparison = comparison
        self._traced: dict[int, TracedQuery] = {}
        self._told: dict[_Pair, Separation] = {}
        self._columns: dict[int, Columns] = {}
        reasons: dict[int, str] = {}
        for i, text in enumerate(texts):
            try:
                self._traced[i] = trace_query(text, catalog)
            except Untraceable as error:
                reasons[i] = error.reason
        for i, j in combinations(range(len(texts)), 2):
            if i in reasons or j in reasons:
                self._tell((i, j), reasons.get(i, reasons.get(j, "")))
        self._catalog = catalog
        self._pool = RowPool(())
        self._sets: dict[RowSet, _Pairs] = {}
        self._inlined: tuple[tuple[Relation, str], ...] = ()

    def _tell(self, pair: _Pair, reason: str) -> None:
        texts = self._texts[pair[0]], self._texts[pair[1]]
        self._told[pair] = Separation(Outcome.NOT_SEPARATED, texts, reason=reason)

    async def run(self) -> SharedSeparation:
        pairs = list(combinations(self._traced, 2))
        shared: RowSet = ()
        try:
            given = tuple(self._traced.values())
            found, views = await through_views(given, self._catalog, self._probing)
            self._traced = dict(zip(self._traced, found, strict=True))
            self._inlined = views.inlined
            sources = {oid: of for t in found for oid, of in t.sources.items()}
            self._pool = RowPool(tuple(sources.values()))
            try:
                await self._pairwise(pairs)
            except DatabaseFailed as error:
                if error.code != INSUFFICIENT_PRIVILEGE:
                    raise
                await self._limit(given, views)
                await self._pairwise(pairs)
            shared = await self._shrink(await self._grow(await self._join()))
            await self._alone([p for p in pairs if p not in self._sets.get(shared, frozenset())])
        except (BudgetEnd, Untraceable) as ended:
            for pair in pairs:
                if pair not in self._told and not any(pair in apart for apart in self._sets.values()):
                    self._tell(pair, ended.reason)
            shared = max(self._sets, key=lambda s: len(self._sets[s]), default=())
        return await self._report(pairs, shared)

    async def _limit(self, given: Sequence[TracedQuery], views: Views) -> None:
        """Begin again with what the asker may read of each relation."""
        self._inlined = ()
        limited = await as_far_as_allowed(given, views, self._catalog, self._probing)
        self._traced = dict(zip(self._traced, limited, strict=True))
        self._pool = RowPool(tuple({oid: of for t in limited for oid, of in t.sources.items()}.values()))
        self._sets.clear()

    async def _alone(self, pairs: Sequence[_Pair]) -> None:
        """Separate each pair that the shared rows leave alike, where nothing is shown about it yet."""
        for pair in pairs:
            if pair not in self._told:
                self._told[pair] = await self._search(pair).run()

    def _search(self, pair: _Pair) -> Search:
        chosen = self._traced[pair[0]], self._traced[pair[1]]
        return Search(chosen, self._probing, self._comparison, pool=self._pool)

    async def _pairwise(self, pairs: Sequence[_Pair]) -> None:
        for pair in pairs:
            if any(pair in apart for apart in self._sets.values()):
                continue
            search = self._search(pair)
            self._told[pair] = await search.run()
            for i, columns in zip(pair, search.columns or (), strict=False):
                self._columns[i] = columns
            found = self._pool.references.closed(search.found) or ()
            if found and len(self._columns) == len(self._traced):
                await self._look([found])
            elif found:
                self._sets[found] = frozenset({pair})

    async def _join(self) -> RowSet:
        """The row set that tells most pairs apart, of those found and their unions."""
        found = list(self._sets)
        sets = [*found, *(union(p) for p in combinations(found, 2)), union(found)]
        await self._look(s for s in sets if s)
        return min(self._sets, key=lambda s: (-len(self._sets[s]), len(s), s), default=())

    async def _grow(self, chosen: RowSet) -> RowSet:
        """Add rows at hand one by one for as long as more pairs come apart that any rows tell apart.

        A row is tried beside the smallest and the largest of the sets that do best: few rows have little to
        go wrong, many have more that one row can tip.
        """
        possible = frozenset[_Pair]().union(*self._sets.values())
        places = [
            (of.number, n + 1) for of in self._pool.sources for n in range(len(self._pool.rows[of.number]))
        ]
        while chosen and not self._sets[chosen] >= possible:
            most = len(self._sets[chosen])
            bases = sorted((s for s, apart in self._sets.items() if len(apart) == most), key=len)
            bases = [s for s in dict.fromkeys([*bases[:2], *bases[-2:]]) if len(s) < MAX_SHARED_ROWS]
            more = [
                self._pool.references.closed(union((base, (row,))))
                for base in bases
                for row in places[:: max(1, len(places) // MAX_TRIED_ROWS)]
                if row not in base
            ]
            await self._look(s for s in more if s)
            best = min(self._sets, key=lambda s: (-len(self._sets[s]), len(s), s))
            if len(self._sets[best]) == most:
                break
            chosen = best
        return chosen

    async def _shrink(self, chosen: RowSet) -> RowSet:
        """Take rows away for as long as the same pairs stay apart."""
        while len(chosen) > 1:
            fewer = [s for s in (self._pool.references.without(chosen, gone) for gone in chosen) if s]
            await self._look(fewer)
            kept = [s for s in fewer if self._sets[s] >= self._sets[chosen]]
            if not kept:
                break
            chosen = kept[0]
        return chosen

    async def _look(self, sets: Iterable[RowSet]) -> None:
        """Which pairs row sets tell apart; only when the columns of all answers are known."""
        new = [s for s in dict.fromkeys(sets) if s not in self._sets or len(self._sets[s]) == 1]
        if not new or len(self._columns) < len(self._traced):
            return
        variants = {i: variants_of(t, ordered=t.ordered) for i, t in self._traced.items()}
        queries = [text for texts in variants.values() for text in texts]
        for chosen, found in zip(new, await self._evaluate(queries, new), strict=True):
            forms: dict[int, set[NormalForm]] = {}
            at = 0
            for i, texts in variants.items():
                forms[i] = self._forms(i, found[at : at + len(texts)] if found is not None else ())
                at += len(texts)
            self._sets[chosen] = _apart(forms)

    async def _evaluate(
        self, queries: Sequence[str], sets: Sequence[Sequence[RowRef]]
    ) -> list[Answers | None]:
        used = used_columns(self._traced.values())
        return await evaluate(self._probing, self._pool, queries, sets, used)

    def _forms(self, i: int, answers: Answers) -> set[NormalForm]:
        options = replace(self._comparison, ordered=False)
        return {normalize(result_of(self._columns[i], a), options) for a in answers if a is not None}

    async def _report(self, pairs: Sequence[_Pair], shared: RowSet) -> SharedSeparation:
        instance = None
        apart: _Pairs = frozenset()
        if shared and len(self._columns) == len(self._traced):
            orders = list(row_orders(shared, MAX_ORDERS, exhaustive=True))
            fewer = [s for s in (self._pool.references.without(shared, gone) for gone in shared) if s]
            shadows = [t.shadow for t in self._traced.values()]
            cutting = any(t.takes_some for t in self._traced.values())
            shuffled = [t.shuffled_shadows[0] for t in self._traced.values()] if cutting else []
            try:
                evaluated = await self._evaluate(shadows, [*orders, *fewer])
                more = await self._evaluate(shuffled, [shared] * SHUFFLES) if cutting else []
            except (BudgetEnd, DatabaseFailed):
                evaluated, more = [None], []
            found, rest = [*evaluated[: len(orders)], *more], evaluated[len(orders) :]
            if None not in found:
                apart, answers, loose = self._confirmed(found)
                told = apart & self._sets.get(shared, frozenset())
                instance = assemble(
                    self._pool,
                    used=used_columns(self._traced.values()),
                    chosen=shared,
                    answers=answers,
                    counted={},
                    minimal=all(a is not None and not self._confirmed([a])[0] >= told for a in rest),
                    orders=len(orders),
                    all_orders=len(orders) < MAX_ORDERS and not loose,
                    open_answers=loose,
                )
        apart &= self._sets.get(shared, frozenset())
        groups = _groups(tuple(self._traced), apart)
        left = [p for p in combinations(range(len(self._texts)), 2) if p not in apart]
        return SharedSeparation(
            self._texts,
            instance if apart else None,
            groups,
            tuple((*p, self._told[p]) for p in left if p in self._told),
            self._probing.statistics,
            self._inlined,
        )

    def _confirmed(
        self, found: Sequence[Answers | None]
    ) -> tuple[_Pairs, tuple[ResultSet, ...], frozenset[int]]:
        """The pairs with no answer in common, the first answers, and whose answers are several."""
        forms: dict[int, set[NormalForm]] = {}
        for answers in found:
            for i, answer in zip(self._traced, answers or (), strict=True):
                forms.setdefault(i, set()).update(self._forms(i, [answer]))
        first = [
            result_of(self._columns[i], a or ()) for i, a in zip(self._traced, found[0] or (), strict=True)
        ]
        loose = frozenset(n for n, answers in enumerate(forms.values()) if len(answers) > 1)
        return _apart(forms), tuple(first), loose


def _apart(forms: dict[int, set[NormalForm]]) -> _Pairs:
    """The pairs whose possible answers have nothing in common."""
    return frozenset(
        (i, j) for i, j in combinations(forms, 2) if forms[i] and forms[j] and not forms[i] & forms[j]
    )


def _groups(candidates: tuple[int, ...], apart: _Pairs) -> tuple[tuple[int, ...], ...]:
    """Candidates that are not told apart, directly or through others, are of one group."""
    group = {i: i for i in candidates}
    for i, j in combinations(candidates, 2):
        if (i, j) not in apart:
            old, new = group[j], group[i]
            group = {k: new if g == old else g for k, g in group.items()}
    return tuple(tuple(i for i in candidates if group[i] == g) for g in dict.fromkeys(group.values()))
