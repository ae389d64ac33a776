"""Trying candidates: run under caps, mended where that makes them run, then the checklist and repair.

Owns: the order of things, and the batches (one for all candidates, so that they see one snapshot; one more
for each repair, so that none is open while somebody thinks).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from askwire.core.beside import beside
from askwire.core.errors import BudgetSpent, RefusedByGate, TookTooLong
from askwire.core.protocols import Batch, Executor
from askwire.core.settings.table import REPAIRS, TIMEOUT, Settings
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Check, Question, Verdict
from askwire.sql.catalog import Catalog
from askwire.sql.parsing import parsed
from askwire.verifier.attempt import ENDLESS, Outcome, attempt, recurses
from askwire.verifier.cached_batch import BatchMemory
from askwire.verifier.checklist import as_json, checklist
from askwire.verifier.extent import Extents
from askwire.verifier.lints import LINTS
from askwire.verifier.looking_up import looked_up
from askwire.verifier.prefetch import Ahead
from askwire.verifier.repair.broken import Nearest, nearest
from askwire.verifier.repair.loop import TriedText, repaired
from askwire.verifier.repair.mending import MendedText, mend
from askwire.verifier.repair.repairer import Repairer
from askwire.verifier.review import Reviewer
from askwire.verifier.review.contested import contested
from askwire.verifier.review.reviews import Reviews
from askwire.verifier.rules import RULES
from askwire.verifier.subject import Rule, Subject

SYNTAX_ERROR: Final = "42601"
_NOTHING: Final = Catalog(())
_SHARE_OF_TIME: Final = 0.5
"""Of `timeout`: when it is spent, what is still untried stays so, and the rest is for the decision.

Of what is left of it reviews may take as much, each time: anyone who is slow to think keeps nothing from
being tried.
"""
_TOO_LATE: Final = Outcome(sqlstate=BudgetSpent.sqlstate, message="not tried: half of the time is spent")


async def verify(
    question: Question,
    candidates: Sequence[Candidate],
    executor: Executor,
    settings: Settings,
    trace: Trace,
    *,
    catalog: Catalog = _NOTHING,
    rules: Sequence[Rule] = (*RULES, *LINTS),
    repairer: Repairer | None = None,
    reviewer: Reviewer | None = None,
    grounding: Sequence[str] = (),
    nearest: Nearest = nearest,
) -> list[Verdict]:
    """One verdict per candidate, in their order; behind them the texts that repairs have replaced.

    A candidate that is refused, costs too much or fails keeps its reason as SQLSTATE and message: NL006,
    NL005 (more than `probe_max_cost`, or half of `timeout` spent; a choice all the same, it is only
    untried), or the backend's own. Two statements per distinct SQL text are sent, all in one batch; a text
    that fails is mended first, and what the verdict tells is of the mended text. Then, with a `repairer`,
    each candidate that failed or breaks a constraint gets up to `repairs` repairs; `grounding` and `nearest`
    are what the planner knows of values and names. A text that ran before it was repaired stays a rival. A
    `reviewer` is shown one text of each of the best supported answers, and each repair; its checks stand
    behind the others. With `checks` = models there are no others, but for those of cost and time; with a
    `model_strategy` a model's text has those of that paper.

    Raises DatabaseFailed when the session itself is lost, and whatever ends a batch.
    """
    extents = Extents(question, candidates, settings, rules)
    if extents.whole.constraints:
        trace.record("verifier", "demanded", constraints=[as_json(c) for c in extents.whole.constraints])

    async def tried(batch: Batch, sql: str) -> TriedText:
        try:
            return await tried_whole(batch, sql)
        except TookTooLong as error:  # of this text; the others are tried
            return TriedText(sql, Outcome(sqlstate=error.code, message=error.message, hint=error.hint), ())

    async def tried_whole(batch: Batch, sql: str) -> TriedText:
        extent = extents.of(sql)
        if extent.mends:
            made = await mend(batch, sql, catalog, settings, nearest=nearest)
        else:
            made = MendedText(sql, await attempt(batch, sql, settings))
        if made.mends or made.tried:
            trace.record(
                "verifier", "mended", sql=sql, mended=made.sql, by=[*made.mends], in_vain=[*made.tried]
            )
        subject = _subject(question, catalog, made.sql, made.outcome)
        told: tuple[Check, ...] = ()
        if subject is not None:
            told = checklist(subject, extent.constraints, extent.rules)
            told = await looked_up(batch, subject, told) if extent.rules else told
        nothing = extent.empties and made.outcome.empty
        return TriedText(made.sql, made.outcome, made.outcome.checks + told, made.mends, nothing)

    async def tried_alone(sql: str) -> TriedText:
        thought = await reviews.before(_readable((sql,))) if reviews else {}
        async with executor.batch() as batch:
            found = {sql: await tried(BatchMemory(batch), sql)}
        return (await _reviewed(reviews, thought, found))[sql]

    def late() -> bool:
        return left() == 0

    def left() -> float | None:
        share = settings[TIMEOUT] * _SHARE_OF_TIME / 1000
        return max(0.0, share - trace.elapsed) if share else None

    def review_share() -> float | None:
        seconds = left()
        return None if seconds is None else seconds * _SHARE_OF_TIME

    reviews = Reviews(reviewer, question, review_share) if reviewer is not None else None
    outcomes: dict[str, TriedText] = {}
    if candidates:
        async with executor.batch() as opened:
            batch = BatchMemory(opened)
            texts = list(dict.fromkeys(c.sql for c in candidates))
            ahead = Ahead(batch, texts, settings, left)
            for number, sql in enumerate(texts):
                if outcomes and late():
                    outcomes[sql] = TriedText(sql, ENDLESS if recurses(sql) else _TOO_LATE, ())
                else:
                    await ahead.comes_to(number)
                    outcomes[sql] = await tried(batch, sql)
    if reviews:
        ran = {sql: one.outcome.result for sql, one in outcomes.items() if one.outcome.result is not None}
        asked = {sql: outcomes[sql] for sql in await beside(contested, candidates, ran)}
        thought = await reviews.before(_readable(one.sql for one in asked.values()))
        outcomes |= await _reviewed(
            reviews, {sql: thought.get(one.sql, ()) for sql, one in asked.items()}, asked
        )
    first = dict(outcomes)
    if repairer is not None:
        for sql, one in outcomes.items():
            if one.outcome is not _TOO_LATE and not late():
                outcomes[sql] = await repaired(
                    question,
                    one,
                    repairer,
                    tried_alone,
                    trace,
                    rounds=settings[REPAIRS],
                    late=late,
                    grounding=grounding,
                    proposed=sql,
                )
    verdicts = []
    replaced = [c for c in candidates if _ran_otherwise(first[c.sql], outcomes[c.sql])]
    tried_of = [(c, outcomes[c.sql]) for c in candidates] + [(c, first[c.sql]) for c in replaced]
    for candidate, one in tried_of:
        outcome = one.outcome
        verdicts.append(
            Verdict(
                *(candidate, one.sql, one.checks, outcome.result, outcome.sqlstate, outcome.message),
                *(one.mends, outcome.hint),
            )
        )
        _record(trace, verdicts[-1], outcome)
    return verdicts


def _ran_otherwise(first: TriedText, last: TriedText) -> bool:
    """Whether a text that ran has been replaced by a repair."""
    return first.outcome.result is not None and first.sql != last.sql


def _readable(texts: Iterable[str]) -> list[str]:
    """The texts that parse, each once: what does not parse needs no opinion."""
    return [sql for sql in dict.fromkeys(texts) if parsed(sql)]


async def _reviewed(
    reviews: Reviews | None, thought: Mapping[str, tuple[Check, ...]], outcomes: Mapping[str, TriedText]
) -> dict[str, TriedText]:
    """What was tried, with what was thought of each text before, and is thought of its answer now."""
    if reviews is None:
        return dict(outcomes)
    answers = {one.sql: one.outcome.result for one in outcomes.values() if one.outcome.result is not None}
    seen = await reviews.after(answers)
    return {
        sql: replace(one, checks=(*one.checks, *thought.get(sql, ()), *seen.get(one.sql, ())))
        for sql, one in outcomes.items()
    }


def _subject(question: Question, catalog: Catalog, sql: str, outcome: Outcome) -> Subject | None:
    """What the rules look at; None for a statement that the gate refused or that does not parse."""
    if outcome.sqlstate in {RefusedByGate.sqlstate, SYNTAX_ERROR}:
        return None
    found = parsed(sql)  # a newer server may know more grammar than this parser
    statement = found[0].stmt if len(found) == 1 else None
    if statement is None:
        return None
    return Subject(question, catalog, sql, statement, outcome.result, outcome.planned_rows)


def _record(trace: Trace, verdict: Verdict, outcome: Outcome) -> None:
    trace.record(
        "verifier",
        "tried",
        sql=verdict.sql,
        expert=verdict.candidate.expert,
        cost=outcome.cost,
        plan=[*outcome.plan],
        rows=len(verdict.result.rows) if verdict.result else None,
        truncated=verdict.result.truncated if verdict.result else None,
        sqlstate=verdict.sqlstate or None,
        message=verdict.message or None,
        failed=[c.rule for c in verdict.checks if not c.held],
    )
