"""First drafts of all experts, and the tables that they use: SSEV's PreSQL and linked schema (section 3.1.1).

Experts that work on one ASK meet here: each brings its first drafts, and who writes again over the tables of
all waits for the others, for a bounded time. Owns: the meeting, and which tables follow from what was
brought.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from pglast import ast
from pglast.visitors import Visitor

from askwire.core.beside import on_loop
from askwire.core.egress import Disclosure, Kind
from askwire.core.errors import BudgetSpent, DatabaseFailed, NoExpert, RefusedByGate
from askwire.core.types import ResultSet
from askwire.llm.answers import read_answer
from askwire.planner.expert import ExpertContext
from askwire.planner.models.data_look import MAX_SUMMARIZED_ROWS
from askwire.planner.models.expert_task import ExpertTask, sql_part
from askwire.planner.models.writing import QUERY, Draft
from askwire.sql.canonical.normal_form import SEPARATING, NormalForm, normalize
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.parsing import parsed

MEMO: Final = "first drafts"
"""Where the meeting of an ASK is kept; no expert can have this name."""


@dataclass(frozen=True)
class FirstDraft:
    """One draft: the relations it reads, and the form of its result, None where it was not run or failed."""

    relations: frozenset[int]
    form: NormalForm | None = None


@dataclass
class DraftExchange:
    """Who is expected, and what was brought."""

    _expected: dict[str, None] = field(default_factory=dict)
    _joined: dict[str, None] = field(default_factory=dict)
    _brought: dict[str, tuple[FirstDraft, ...]] = field(default_factory=dict)
    _complete: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def of(cls, planning: ExpertContext) -> DraftExchange:
        """The one of an ASK, made by who comes first."""
        meeting = planning.memo.setdefault(MEMO, cls())
        assert isinstance(meeting, DraftExchange)  # noqa: S101 - no one else has this key
        return meeting

    def join(self, name: str) -> None:
        """Say that an expert will bring drafts; before anything is waited for."""
        self._expected[name] = self._joined[name] = None

    async def bring(self, name: str, drafts: Iterable[FirstDraft]) -> None:
        """Leave an expert's drafts for the others."""
        await on_loop(self._bring(name, drafts))

    async def _bring(self, name: str, drafts: Iterable[FirstDraft]) -> None:
        self._brought[name] = tuple(drafts)
        self._look()

    def leave(self, name: str) -> None:
        """Say that no more is to be expected of an expert."""
        self._expected.pop(name, None)
        self._look()

    async def all(self, seconds: float | None) -> tuple[tuple[FirstDraft, ...], ...]:
        """What all have brought, or those who did within so many seconds, in the order they joined."""
        await on_loop(self._completed(seconds))
        return tuple(self._brought[name] for name in self._joined if name in self._brought)

    async def _completed(self, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._complete.wait()

    def _look(self) -> None:
        if self._expected.keys() <= self._brought.keys():
            self._complete.set()


def linked(brought: Sequence[Sequence[FirstDraft]], *, voted: bool) -> frozenset[int]:
    """The relations of all drafts; of those whose result most experts have, where that is asked for.

    An expert votes once for each result that a draft of its has; a tie goes to who stands first.
    """
    everything = frozenset(oid for drafts in brought for draft in drafts for oid in draft.relations)
    if not voted:
        return everything
    votes: dict[NormalForm, set[int]] = {}
    relations: dict[NormalForm, frozenset[int]] = {}
    for number, drafts in enumerate(brought):
        for draft in drafts:
            if draft.form is not None:
                votes.setdefault(draft.form, set()).add(number)
                relations[draft.form] = relations.get(draft.form, frozenset()) | draft.relations
    if not votes:
        return everything
    return relations[max(votes, key=lambda form: len(votes[form]))]


async def refined(
    asking: ExpertTask, drafts: Sequence[Draft], schema: Sequence[Disclosure], findings: Sequence[Disclosure]
) -> list[tuple[Draft, NormalForm | None]]:
    """Each draft as it is after its refinements, with the form of its result; None where it does not run.

    One that fails or finds nothing is written again, as often as the course has it, by the model that wrote
    it; the last text stands whatever comes of it (SSEV, section 3.1.3).
    """
    found: list[tuple[Draft, NormalForm | None]] = []
    for first in drafts:
        draft, tried = first, await _tried(asking, first.sql)
        attempts: list[str] = []
        for _ in range(asking.course.refinements):
            if isinstance(tried, ResultSet) and tried.rows:
                break
            attempts.append(draft.sql)
            try:
                again = await _anew(asking, draft, attempts, tried, schema, findings)
            except (NoExpert, BudgetSpent) as error:
                asking.record("stage ended", step="refine", reason=error.message)
                break
            if again is None or again.sql in attempts:
                break
            draft, tried = again, await _tried(asking, again.sql)
        form = normalize(tried, SEPARATING) if isinstance(tried, ResultSet) else None
        found.append((draft, form))
    return found


async def _tried(asking: ExpertTask, sql: str) -> ResultSet | RefusedByGate | DatabaseFailed:
    """What a draft returns, or why it does not; for deciding alone, nothing of it is told by this."""
    try:
        async with asking.planning.executor.batch() as batch:
            return await batch.run(sql, max_rows=MAX_SUMMARIZED_ROWS)
    except (RefusedByGate, DatabaseFailed) as error:
        if isinstance(error, DatabaseFailed) and error.session_lost:
            raise
        return error


async def _anew(
    asking: ExpertTask,
    draft: Draft,
    attempts: Sequence[str],
    tried: ResultSet | RefusedByGate | DatabaseFailed,
    schema: Sequence[Disclosure],
    findings: Sequence[Disclosure],
) -> Draft | None:
    question = asking.planning.question
    trouble = [Disclosure(Kind.INSTRUCTION, "It returns no rows. Are values spelled as the data has them?")]
    if not isinstance(tried, ResultSet):
        trouble = [
            Disclosure(Kind.INSTRUCTION, "It cannot be run."),
            Disclosure(Kind.ERROR_CODE, tried.code),
            Disclosure(Kind.ERROR_TEXT, tried.message),
        ]
    inputs = {
        "schema": schema,
        "question": asking.question,
        "notes": (),
        "findings": findings,
        "attempts": [sql_part(sql, question, own=True) for sql in attempts[:-1]],
        "sql": [sql_part(draft.sql, question, own=True, required=True)],
        "trouble": trouble,
    }
    completion = await asking.ask("repair", inputs, QUERY, step="refine")
    answer = read_answer(completion.text, cut=completion.cut)
    return Draft(answer.sql, answer.reading or draft.reading, draft.votes) if answer.sql else None


def used_relations(statements: Iterable[str], catalog: Catalog) -> tuple[Relation, ...]:
    """The relations that statements read, in the catalog's order; what does not parse reads none."""
    names = _Names()
    for sql in statements:
        with suppress(RecursionError):
            names(parsed(sql))
    found = {r.oid for schema, name in names.found if (r := catalog.find(name, schema))}
    return tuple(r for r in catalog if r.oid in found)


class _Names(Visitor):
    """Names in FROM; those of WITH queries are among them and found in no catalog, or shadow what is."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()

    def visit_RangeVar(self, _ancestors: object, node: ast.RangeVar) -> None:  # noqa: N802 - pglast's
        self.found.add((node.schemaname or "", node.relname or ""))
