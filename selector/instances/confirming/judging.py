"""Whether two candidates differ on a small row set, in a way that no order of tied rows explains.

Owns: evaluating candidates on many row sets in one statement, and comparing their answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.types import ResultColumn, ResultSet, Row
from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.references import RowSet
from askwire.selector.instances.search_batch import QUERY_CANCELED, SearchBatch
from askwire.sql.canonical.normal_form import NormalForm, Normalization, normalize
from askwire.sql.tracing.evaluation import Pool, answers, evaluation
from askwire.sql.tracing.traced import TracedQuery
from askwire.sql.tracing.tree import Untraceable

MAX_STATEMENT_ROWS: Final = 16_000
"""Rows in all sets of one statement."""
MAX_HALVINGS: Final = 7
"""Statements spent at most on sets of which one fails."""

MAX_SETTLED_ROWS: Final = 6
"""Rows of a set whose ties a check can settle, more or less."""
SHUFFLES: Final = 48
"""Ways in which ties of a row set are broken before it is reported."""

Answers = Sequence[tuple[Row, ...] | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """How two candidates compare on one row set.

    `differ`: their answers are different whatever the order of tied rows. `tied`: ties show in an answer.
    `by_order`: only the order of the answers' rows is different. `bare`: no answer has a row, so that their
    columns alone are different. `failed`: an answer could not be had.
    """

    differ: bool
    tied: bool = False
    by_order: bool = False
    bare: bool = False
    failed: bool = False


class Judge:
    """Two candidates and how their answers are compared.

    `columns` are those of each candidate's answer, for its types. `fair`: row sets that leave a relation
    without rows are worse than any that do not, since on those the query that reads less always wins.
    """

    def __init__(
        self,
        probing: SearchBatch,
        pool: RowPool,
        candidates: tuple[TracedQuery, TracedQuery],
        columns: tuple[tuple[ResultColumn, ...], tuple[ResultColumn, ...]],
        comparison: Normalization,
        *,
        fair: bool = False,
    ) -> None:
        self._probing = probing
        self._pool = pool
        self.candidates = candidates
        self._columns = columns
        self._unordered = replace(comparison, ordered=False)
        self._ordered = replace(comparison, ordered=True)
        self.ordered = comparison.row_order and all(c.ordered for c in candidates)
        self._relations = (
            frozenset(number for c in candidates for number in c.sources) if fair else frozenset()
        )
        variants = [variants_of(c, ordered=self.ordered) for c in candidates]
        self._queries = [text for texts in variants for text in texts]
        self._variants = [len(texts) for texts in variants]
        self._used = used_columns(candidates)
        self.known: dict[RowSet, Difference] = {}
        self._forms: dict[tuple[object, ...], NormalForm] = {}

    async def judge(self, sets: Iterable[RowSet]) -> None:
        """Evaluate both candidates on row sets, one statement for all; what is found is in `known`.

        Sets of many rows take more statements: what one costs follows the rows in it.
        """
        new = [s for s in dict.fromkeys(sets) if s not in self.known]
        for part in _portions(new):
            for chosen, found in zip(part, await self._evaluate(self._queries, part), strict=True):
                compared = self._compare(found) if found is not None else Difference(False, failed=True)
                self.known[chosen] = compared

    def separating(self) -> list[RowSet]:
        """The row sets known to separate, the best first."""
        return sorted((s for s, d in self.known.items() if d.differ), key=self.rank)

    def rank(self, chosen: RowSet) -> tuple[bool, int, bool, int, bool, bool, RowSet]:
        """How good a separating row set is: few rows, without ties (those of many rows last), in content.

        Where it is to be fair, first by how few relations it leaves empty.
        """
        known = self.known[chosen]
        many_tied = known.tied and len(chosen) > MAX_SETTLED_ROWS
        empty = len(self.empty(chosen))
        return known.bare, empty, many_tied, len(chosen), known.tied, known.by_order, chosen

    def empty(self, chosen: RowSet) -> frozenset[int]:
        """The relations that have no row in a set and should have one; none unless it is to be fair."""
        return self._relations - {number for number, _ in chosen}

    def as_sure(self, chosen: RowSet, other: RowSet) -> bool:
        """Whether a separating row set is free of ties, and differs in content, where another does."""
        one, two = self.known[chosen], self.known[other]
        content = one.tied <= two.tied and one.by_order <= two.by_order and one.bare <= two.bare
        return content and self.empty(chosen) <= self.empty(other)

    def differs(self, chosen: RowSet) -> bool:
        """Whether a judged row set separates."""
        return self.known[chosen].differ

    async def plain(self, sets: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[ResultSet, ...] | None]:
        """The candidates' own answers on row sets in the given order of rows; None where one failed."""
        found = await self._evaluate([c.shadow for c in self.candidates], sets)
        return [None if f is None else self._result_sets(f) for f in found]

    async def shuffled(self, chosen: RowSet) -> list[tuple[ResultSet, ...] | None]:
        """The candidates' answers on one row set with ties broken by chance; None where one failed."""
        found = await self._evaluate([c.shuffled_shadows[0] for c in self.candidates], [chosen] * SHUFFLES)
        return [None if f is None else self._result_sets(f) for f in found]

    def alike(self, one: Sequence[ResultSet] | None, other: Sequence[ResultSet] | None) -> bool:
        """Whether each candidate gives one answer on two row sets; an answer that failed is like no other."""
        if one is None or other is None:
            return False
        return all(self.same(a, b, ordered=self.ordered) for a, b in zip(one, other, strict=True))

    def same(self, one: ResultSet, other: ResultSet, *, ordered: bool) -> bool:
        """Whether two answers are the same."""
        options = self._ordered if ordered else self._unordered
        return self._form(one, options) == self._form(other, options)

    def form(self, answer: ResultSet, *, ordered: bool) -> NormalForm:
        """An answer reduced to what counts."""
        return self._form(answer, self._ordered if ordered else self._unordered)

    def _form(self, answer: ResultSet, options: Normalization) -> NormalForm:
        """The same few rows are the answer on many sets."""
        if len(answer.rows) > MAX_SETTLED_ROWS or answer.truncated:
            return normalize(answer, options)
        key = answer.rows, options.ordered, *[c.type_oid for c in answer.columns]
        known = self._forms.get(key)
        if known is None:
            known = self._forms[key] = normalize(answer, options)
        return known

    def _result_sets(self, found: Answers) -> tuple[ResultSet, ...] | None:
        made = [
            result_of(columns, rows)
            for columns, rows in zip(self._columns, found, strict=True)
            if rows is not None
        ]
        return tuple(made) if len(made) == len(found) else None

    async def _evaluate(
        self, queries: Sequence[str], sets: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Answers | None]:
        return await evaluate(self._probing, self._pool, queries, sets, self._used)

    def _compare(self, found: Answers) -> Difference:
        one, two = found[: self._variants[0]], found[self._variants[0] :]
        results = [
            [result_of(columns, rows) for rows in variants if rows is not None]
            for columns, variants in zip(self._columns, (one, two), strict=True)
        ]
        if sum(map(len, results)) < len(found):
            return Difference(False, failed=True)
        loose = [{self._form(r, self._unordered) for r in side} for side in results]
        tied = any(len(side) > 1 for side in loose)
        if not loose[0] & loose[1]:
            return Difference(True, tied=tied, bare=not any(r.rows for side in results for r in side))
        if not self.ordered or tied:
            return Difference(False, tied=tied)
        strict = [{self._form(r, self._ordered) for r in side} for side in results]
        tied = any(len(side) > 1 for side in strict)
        return Difference(not strict[0] & strict[1], tied=tied, by_order=True)


def used_columns(candidates: Iterable[TracedQuery]) -> dict[int, set[str]]:
    """The columns that some candidates use, for each relation that they read."""
    used: dict[int, set[str]] = {}
    for candidate in candidates:
        for oid, columns in candidate.scopes.used.items():
            used.setdefault(oid, set()).update(columns)
    return used


def variants_of(candidate: TracedQuery, *, ordered: bool) -> tuple[str, ...]:
    """The texts over shadows by which a candidate is judged: itself, or with ties broken in several ways.

    The first and the last row of an answer that ties are those that the two opposite ways give; below the
    outermost level, where other tied rows can show, some are broken by chance besides.
    """
    if not (candidate.takes_some or ordered):
        return (candidate.shadow,)
    if not candidate.cuts_below:
        return candidate.tie_broken_shadows
    return (*candidate.tie_broken_shadows, *candidate.shuffled_shadows[1:])


def result_of(columns: tuple[ResultColumn, ...], rows: tuple[Row, ...]) -> ResultSet:
    """Rows as read from composite texts, as an answer."""
    # the text of a row without columns is that of a row with one NULL
    return ResultSet(columns, rows if columns else tuple(() for _ in rows))


def _portions(sets: Sequence[RowSet]) -> Iterator[list[RowSet]]:
    """The sets in parts of at most `MAX_STATEMENT_ROWS` rows, but for a set that has more by itself."""
    part: list[RowSet] = []
    rows = 0
    for chosen in sets:
        if part and rows + len(chosen) > MAX_STATEMENT_ROWS:
            yield part
            part, rows = [], 0
        part.append(chosen)
        rows += len(chosen)
    if part:
        yield part


async def evaluate(
    probing: SearchBatch,
    pool: RowPool,
    queries: Sequence[str],
    sets: Sequence[Sequence[tuple[int, int]]],
    used: Mapping[int, Collection[str]],
) -> list[Answers | None]:
    """Answers of each query over shadows on each set; None for a set on which a query fails.

    `used` are the columns that the queries use. One failing set fails the statement: the sets are then
    halved, as often as `MAX_HALVINGS` allows. Raises Untraceable when a query fails for a reason that no set
    explains.
    """
    found: list[Answers | None] = [None] * len(sets)
    pending = [range(len(sets))]
    for _ in range(MAX_HALVINGS):
        if not pending:
            break
        part = pending.pop(0)
        rows, positions = pool.chosen([sets[i] for i in part], used)
        statement, parameters = evaluation(queries, Pool(pool.sources, rows), positions)
        try:
            for i, answer in zip(part, answers(await probing.read(statement, parameters)), strict=True):
                found[i] = answer
        except DatabaseFailed as error:
            if error.code != QUERY_CANCELED and error.code[:2] not in {"21", "22", "23", "54"}:
                raise Untraceable(f"its rewritten form fails: {error.message}") from error
            if len(part) > 1:
                middle = len(part) // 2
                pending.extend([part[:middle], part[middle:]])
    return found
