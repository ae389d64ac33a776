"""The search for a separating instance: from the cheapest probe to made-up rows, under a budget.

Owns: the order of the steps and what is concluded. Each step adds terms (sets of rows that belong together);
row sets built from them are judged many at a time, and the best is reduced and checked. After Kikot et al.,
"Data-aware candidate selection via small separating instances", without a provenance extension.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice, product
from typing import Final

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Executor
from askwire.core.trace import Trace
from askwire.core.types import ResultSet
from askwire.selector.instances.confirming.assembling import confirm
from askwire.selector.instances.confirming.judging import Judge
from askwire.selector.instances.confirming.settling import settle
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.provenance.drawing_terms import MAX_DRAWS, drawn_terms
from askwire.selector.instances.provenance.lineage_queries import Columns
from askwire.selector.instances.provenance.steps import Steps
from askwire.selector.instances.provenance.suggesting import suggest, triples, union
from askwire.selector.instances.references import RowSet
from askwire.selector.instances.search_batch import (
    INSUFFICIENT_PRIVILEGE,
    QUERY_CANCELED,
    BudgetEnd,
    SearchBatch,
)
from askwire.selector.instances.synthetic.declared import Declarations
from askwire.selector.instances.synthetic.ground import ground
from askwire.selector.instances.synthetic.made_rows import RowPlacement
from askwire.selector.instances.synthetic.making import Maker
from askwire.selector.instances.synthetic.worlds import Worlds
from askwire.selector.instances.types import Budget, Instance, Outcome, Separation
from askwire.selector.instances.views import as_far_as_allowed, through_views
from askwire.sql.canonical.normal_form import STRICT, Normalization, normalize
from askwire.sql.catalog import Catalog
from askwire.sql.tracing.traced import TracedQuery, trace_query
from askwire.sql.tracing.tree import Untraceable

DEFAULT_BUDGET: Final = Budget()
FIRST_SETS: Final = 56
"""Row sets judged in the first statement."""
MORE_SETS: Final = 64
"""Row sets judged in one statement later on."""
MAX_SET_ROWS: Final = 240
"""Rows of the largest union that is tried."""
TIES: Final = "which of several tied rows come first decides"
NOT_COMPARED: Final = "their answers take too long to compare"
MADE_SETS: Final = 160
"""Row sets with made-up rows judged in one statement."""
DRAWN_SETS: Final = 200
"""Small worlds judged in one statement."""
DRAWS: Final = 3
"""How often small worlds are drawn."""
MAX_FILLING: Final = 8
"""Terms, and rows of a relation, tried to fill what a row set leaves empty."""
MAX_SMALL_SET_ROWS: Final = 4
"""Rows of a separating set beyond which more small sets are tried before it is reduced."""


async def separate(
    first: str,
    second: str,
    catalog: Catalog,
    executor: Executor,
    budget: Budget = DEFAULT_BUDGET,
    trace: Trace | None = None,
    *,
    comparison: Normalization = STRICT,
    answers: tuple[ResultSet, ResultSet] | None = None,
    compare: bool = False,
    fair: bool = False,
    drawn: bool = False,
) -> Separation:
    """A few real rows on which two queries give different answers, or why there are none.

    Both are texts that have passed the gate: what is made of them here is not looked at again.
    Everything runs in one read-only batch of `executor`, as the asker and in one snapshot. `answers` are the
    candidates' answers on all the data, where they are known already; with `compare` they are compared in any
    case, if the budget allows it. `comparison` says what counts as a difference; row order counts besides
    when both candidates say ORDER BY, unless `comparison` says otherwise. `fair`: each relation has a row
    where that can be, so that neither query wins because the other's relations are empty. `drawn`: rows are
    drawn by the paper's rule (`drawing_terms`), and nothing else is tried. Raises the errors of the executor
    that end a batch; a candidate that fails by itself is an outcome, not an error.
    """
    try:
        traced = trace_query(first, catalog), trace_query(second, catalog)
        async with executor.batch() as batch:
            probing = SearchBatch(batch, budget)
            (one, two), views = await through_views(traced, catalog, probing)
            try:
                search = Search((one, two), probing, comparison, answers, fair=fair, drawn=drawn)
                found = await search.run(compare=compare)
            except DatabaseFailed as error:
                if error.code != INSUFFICIENT_PRIVILEGE:
                    raise
                views = replace(views, inlined=())
                one, two = await as_far_as_allowed(traced, views, catalog, probing)
                search = Search((one, two), probing, comparison, answers, fair=fair, drawn=drawn)
                found = await search.run(compare=compare)
            found = replace(found, views=views.inlined)
    except (BudgetEnd, DatabaseFailed) as error:
        reason = error.message if isinstance(error, DatabaseFailed) else error.reason
        found = Separation(Outcome.NOT_SEPARATED, (first, second), reason=reason)
    except Untraceable as error:
        found = Separation(Outcome.NOT_SEPARATED, (first, second), reason=error.reason)
    except RefusedByGate as error:
        found = Separation(Outcome.NOT_SEPARATED, (first, second), reason=error.message)
    if trace is not None:
        trace.record(
            "selector",
            "separate",
            outcome=found.outcome.value,
            step=found.step,
            rows=found.instance.size if found.instance else 0,
            reason=found.reason,
            statements=found.statistics.statements,
            ms=round(found.statistics.milliseconds, 1),
        )
    return found


class Search:
    """One search over one pair. `pool` may hold rows of earlier searches, and more relations."""

    def __init__(
        self,
        candidates: tuple[TracedQuery, TracedQuery],
        probing: SearchBatch,
        comparison: Normalization,
        answers: tuple[ResultSet, ResultSet] | None = None,
        pool: RowPool | None = None,
        *,
        fair: bool = False,
        drawn: bool = False,
    ) -> None:
        self._fair = fair
        self._drawn = drawn
        self._candidates = candidates
        self._probing = probing
        self._comparison = comparison
        self._answers = answers
        sources = {**candidates[0].sources, **candidates[1].sources}
        self._pool = pool or RowPool(tuple(sources.values()))
        self.found: RowSet = ()
        """The rows of the instance that was found."""
        self.columns: tuple[Columns, Columns] | None = None
        """The columns of both answers, once they are known."""
        self._steps = Steps(candidates, sources, self._pool, probing)
        self._refused: set[RowSet] = set()
        self._broken: list[tuple[ResultSet, ResultSet]] = []

    async def run(self, *, compare: bool = False) -> Separation:
        """Go through the steps; a statement that fails is an outcome, but for missing privileges.

        `compare`: say of separated candidates whether they differ on all the data.
        """
        try:
            found = await self._run()
            return await self._compared(found) if compare and found.instance is not None else found
        except (BudgetEnd, Untraceable) as error:
            return self._told(Outcome.NOT_SEPARATED, reason=error.reason)
        except DatabaseFailed as error:
            if error.code == INSUFFICIENT_PRIVILEGE:
                raise
            return self._told(Outcome.NOT_SEPARATED, reason=error.message)

    async def _run(self) -> Separation:
        if self._pool.sources:
            self.columns = await self._steps.probe(known=self._answers)
        if self._candidates[0].shadow == self._candidates[1].shadow:
            return self._told(Outcome.EQUAL, reason="they are the same query", equal=True)
        if self.columns is None:
            return await self._without_tables()
        judge = Judge(
            *(self._probing, self._pool, self._candidates, self.columns, self._comparison), fair=self._fair
        )
        if self._drawn:
            return await self._by_drawing(judge)
        found = await self._try(judge, "probe")
        if found is not None:
            return found
        if not self._steps.small:
            for name, step in (
                ("conditions", self._steps.conditions),
                ("sample", self._steps.wander),
                ("conditions", self._steps.conditions_again),
                ("sample", self._steps.wander),
            ):
                found = await self._after(judge, name, step())
                if found is not None:
                    return found
        answers = await self._on_data()
        if answers is not None and judge.same(*answers, ordered=judge.ordered):
            return await self._equal(judge)
        found = await self._after(judge, "deep probe", self._steps.deepen())
        if found is not None:
            return found
        if answers is not None:
            if await self._broken_alike(judge):
                return self._told(Outcome.TIE_ORDER, reason=TIES, equal=False)
            found = await self._after(judge, "keyed lineage", self._steps.key(answers))
            if found is not None:
                return found
        if self._steps.small or answers is not None:
            found = await self._after(judge, "sample", self._steps.wander())
            if found is not None:
                return found
        if answers is not None:
            found = await self._of_all_rows(judge)
            if found is not None:
                return found
        return await self._conclude(judge, answers)

    async def _by_drawing(self, judge: Judge) -> Separation:
        """Rows of terms drawn as the paper draws them, the first draw that separates; none is taken away."""
        await self._steps.deepen()
        draws = drawn_terms(self._steps.terms, (self._candidates[0].text, self._candidates[1].text))
        sets = [rows for rows in dict.fromkeys(self._whole(map(union, draws))) if rows]
        await judge.judge(sets)
        for rows in sets:
            if judge.differs(rows) and not judge.known[rows].bare:
                instance = await confirm(judge, self._pool, rows)
                if instance is not None:
                    self.found = rows
                    ordered = judge.known[rows].by_order
                    return self._told(Outcome.SEPARATED, instance=instance, step="drawn", ordered=ordered)
        return self._told(Outcome.NOT_SEPARATED, reason=f"none of {MAX_DRAWS} draws tells them apart")

    async def _compared(self, found: Separation) -> Separation:
        """A separation with what the answers on all the data say, or that they cannot be compared."""
        if found.equal_on_data is not None:
            return found
        with suppress(BudgetEnd, DatabaseFailed):
            answers = await self._on_data()
            if answers is not None:
                options = replace(self._comparison, ordered=all(c.ordered for c in self._candidates))
                equal = normalize(answers[0], options) == normalize(answers[1], options)
                return replace(found, equal_on_data=equal, statistics=self._probing.statistics)
        return replace(found, reason=NOT_COMPARED, statistics=self._probing.statistics)

    async def _without_tables(self) -> Separation:
        """What can be said of two queries of which neither reads a table."""
        answers = await self._on_data()
        reason = "neither of them reads a table"
        if answers is None:
            return self._told(Outcome.NOT_SEPARATED, reason=reason)
        columns = answers[0].columns, answers[1].columns
        judge = Judge(self._probing, self._pool, self._candidates, columns, self._comparison)
        if judge.same(*answers, ordered=judge.ordered):
            return self._told(Outcome.EQUAL, reason=reason, equal=True)
        return self._told(Outcome.NOT_SEPARATED, reason=reason, equal=False)

    async def _of_all_rows(self, judge: Judge) -> Separation | None:
        """What a few tables hold, reduced, where nothing pointed to the rows that matter."""
        try:
            return await self._after(judge, "all rows", self._steps.everything(MAX_SET_ROWS))
        except BudgetEnd:
            return None

    async def _equal(self, judge: Judge) -> Separation:
        """Made-up rows on which candidates differ that agree on all the data; real ones where they do."""
        if any(of.layout != tuple(c.name for c in of.relation.columns) for of in self._pool.sources):
            return self._told(Outcome.EQUAL, equal=True)  # no row can be made of columns not known
        try:
            return await self._made_up(judge)
        except BudgetEnd:
            return self._told(Outcome.EQUAL, equal=True)

    async def _agreed(self, judge: Judge) -> Separation:
        """What to say of candidates that agree, where no made-up rows tell them apart."""
        with suppress(BudgetEnd, DatabaseFailed):
            kept = await self._with_ties() if self._answers is not None else (None, None)
            if (kept[0] is None) != (kept[1] is None) and self._may_coincide(judge, kept):
                return self._told(Outcome.TIE_ORDER, reason=TIES, equal=True)
        return self._told(Outcome.EQUAL, equal=True)

    async def _with_ties(self) -> tuple[ResultSet | None, ResultSet | None]:
        """Of each candidate all rows that tie for its answer; None where that is not all there is."""
        kept: list[ResultSet | None] = []
        for candidate, answer in zip(self._candidates, self._answers or (), strict=True):
            best, all_tied = candidate.with_ties
            found = await self._probing.run(best) if best else None
            if found is not None and not found.truncated and len(found.rows) > len(answer.rows):
                alike = await self._probing.run(all_tied) if all_tied != best else found
                kept.append(found if alike is not None and len(alike.rows) == len(found.rows) else None)
            else:
                kept.append(None)
        return kept[0], kept[1]

    def _may_coincide(self, judge: Judge, kept: tuple[ResultSet | None, ResultSet | None]) -> bool:
        """Whether some choice among tied rows makes the answers equal."""
        if self._answers is None or kept == (None, None):
            return False
        size = len(self._answers[0].rows)
        if size != len(self._answers[1].rows):
            return False
        ours, theirs = (
            Counter(judge.form(k if k is not None else a, ordered=False).rows)
            for k, a in zip(kept, self._answers, strict=True)
        )
        return (ours & theirs).total() >= size

    async def _made_up(self, judge: Judge) -> Separation:
        if not any(self._pool.rows.values()):
            await self._steps.wander()
        basis, placing = ground(self._candidates, self._pool), RowPlacement(self._pool)
        declared = await Declarations.read(self._pool, self._probing)
        maker, worlds = Maker(basis, placing), Worlds(basis, placing)
        steps: list[Callable[[], list[RowSet]]] = [
            partial(maker.sets, self._steps.terms.all(), MADE_SETS),
            *(partial(worlds.sets, DRAWN_SETS, seed) for seed in range(DRAWS)),
            maker.groups,
            maker.many,
        ]
        settled = None
        for step in steps:
            await judge.judge(await declared.kept(step(), placing.changed))
            settled = await settle(judge, self._pool, self._refused, placing.changed) or settled
            if settled is not None and judge.empty(settled[0]) and step is not steps[-1]:
                continue
            if settled is not None and settled[1].synthetic:
                return self._told(Outcome.EQUAL, witness=settled[1], step="made-up rows", equal=True)
            if settled is not None:
                self.found = settled[0]
                return self._told(Outcome.SEPARATED, instance=settled[1], step="subset", equal=True)
        return await self._agreed(judge)

    async def _after(self, judge: Judge, name: str, step: Awaitable[None]) -> Separation | None:
        """Take a step and judge what it found; None also when it takes too long."""
        try:
            await step
        except DatabaseFailed as error:
            if error.code != QUERY_CANCELED:
                raise
            return None
        return await self._try(judge, name)

    async def _try(self, judge: Judge, step: str) -> Separation | None:
        """Judge what the terms suggest; the separation, if one holds."""
        wide = bool(judge.known)
        limit = MORE_SETS if wide else FIRST_SETS
        await judge.judge(self._whole(suggest(self._steps.terms, limit, largest=MAX_SET_ROWS, wide=wide)))
        best = judge.separating()[:1]
        if best and len(best[0]) > MAX_SMALL_SET_ROWS:
            # what is left of a large union by taking rows away need not be small
            few = self._whole(triples(self._steps.terms, MORE_SETS))
            await judge.judge(s for s in few if len(s) < len(best[0]))
        settled = await settle(judge, self._pool, self._refused)
        if settled is None:
            return None
        if judge.empty(settled[0]):
            settled = await self._filled(judge, settled)
        self.found, instance = settled
        ordered = judge.known[self.found].by_order
        return self._told(Outcome.SEPARATED, instance=instance, step=step, ordered=ordered)

    async def _filled(self, judge: Judge, settled: tuple[RowSet, Instance]) -> tuple[RowSet, Instance]:
        """A separating row set with rows of each relation, where there is one; else the one given.

        Rows of the relations that are empty come from terms, then from a sample.
        """
        found = settled
        with suppress(BudgetEnd, DatabaseFailed):
            for look in (None, self._steps.wander):
                if look is not None:
                    await look()
                lacking = judge.empty(found[0])
                await judge.judge(self._whole(self._filling(found[0], lacking)))
                better = await settle(judge, self._pool, self._refused)
                if better is not None and len(judge.empty(better[0])) < len(lacking):
                    found = better
                if not judge.empty(found[0]):
                    break
        return found

    def _filling(self, rows: RowSet, lacking: frozenset[int]) -> list[RowSet]:
        """A row set with terms, and with single rows, of the relations that it lacks."""
        beside = [t for t in self._steps.terms.all() if any(number in lacking for number, _ in t)]
        known = sorted({row for term in beside for row in term})
        each = [[row for row in known if row[0] == number][:MAX_FILLING] for number in sorted(lacking)]
        sets = [union((rows, term)) for term in beside[:MAX_FILLING]]
        return [*sets, *(union((rows, more)) for more in islice(product(*filter(None, each)), MORE_SETS))]

    def _whole(self, sets: Iterable[RowSet]) -> list[RowSet]:
        """Row sets with all that their rows refer to."""
        return [s for s in map(self._pool.references.closed, sets) if s is not None]

    async def _conclude(self, judge: Judge, answers: tuple[ResultSet, ResultSet] | None) -> Separation:
        """What can be said without an instance, from the answers on all the data."""
        if answers is None:
            told = await self._equal(judge)
            if told.instance is not None:
                return replace(told, equal_on_data=None)
            reason = f"no rows were found on which they differ, and {NOT_COMPARED}"
            return replace(told, outcome=Outcome.NOT_SEPARATED, reason=reason, equal_on_data=None)
        if len(self._broken) == 2 and all(
            not judge.same(*sides, ordered=judge.ordered) for sides in zip(*self._broken, strict=True)
        ):
            return self._told(Outcome.TIE_ORDER, reason=TIES, equal=False)
        with suppress(BudgetEnd, DatabaseFailed):
            if self._may_coincide(judge, await self._with_ties()):
                return self._told(Outcome.TIE_ORDER, reason=TIES, equal=False)
        return self._told(
            Outcome.NOT_SEPARATED, reason="no small row set was found on which they differ", equal=False
        )

    async def _on_data(self) -> tuple[ResultSet, ResultSet] | None:
        """Both answers on all the data, None where one takes too long or is too large to compare."""
        if self._answers is None:
            first = await self._probing.run(self._candidates[0].text)
            second = await self._probing.run(self._candidates[1].text) if first is not None else None
            if first is None or second is None:
                return None
            self._answers = first, second
        return None if any(a.truncated for a in self._answers) else self._answers

    async def _broken_alike(self, judge: Judge) -> bool:
        """Whether the answers on all the data are equal when ties are broken by the columns of the answer."""
        if not (judge.ordered or any(c.takes_some for c in self._candidates)):
            return False
        for first, second in zip(*(c.tie_broken for c in self._candidates), strict=True):
            one, two = await self._probing.run(first), await self._probing.run(second)
            if one is None or two is None:
                return False
            self._broken.append((one, two))
            if judge.same(one, two, ordered=judge.ordered):
                return True
        return False

    def _told(
        self,
        outcome: Outcome,
        *,
        instance: Instance | None = None,
        witness: Instance | None = None,
        step: str = "",
        reason: str = "",
        ordered: bool = False,
        equal: bool | None = None,
    ) -> Separation:
        first, second = self._candidates
        return Separation(
            outcome,
            (first.text, second.text),
            instance=instance,
            witness=witness,
            step=step,
            reason=reason,
            ordered=ordered,
            equal_on_data=equal,
            by_value=tuple(sorted({*first.by_value, *second.by_value})),
            statistics=self._probing.statistics,
        )
