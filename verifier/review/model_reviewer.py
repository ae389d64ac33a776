"""Models as reviewers within one ASK: who is asked, how often, and what an opinion becomes.

Owns: the choice of the model (another than the one that wrote the text, where there is one), the bound on
opinions, the check and the record.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from askwire.core.beside import stepwise
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.core.trace import Trace
from askwire.core.types import Check, Question, ResultSet
from askwire.verifier.odds import EVIDENCE_ODDS
from askwire.verifier.review.desk import Desk
from askwire.verifier.review.opinions import Opinion
from askwire.verifier.review.strategies import AFTER_RUN, before_run

MAX_TEXTS: Final = 8
"""Texts that each strategy looks at in one ASK, repairs included."""


class ModelReviewer:
    """`verifier.review.Reviewer` for one ASK, by the strategies of the setting `review`.

    What a model may not be shown, an answer that is none and a budget that is spent give no opinion; that is
    recorded, and nothing else comes of it.
    """

    def __init__(self, desks: Sequence[Desk], strategies: frozenset[str], trace: Trace) -> None:
        self._desks = desks
        self._before = {name: of for name, of in before_run().items() if name in strategies}
        self._after = {name: of for name, of in AFTER_RUN.items() if name in strategies}
        self._trace = trace
        self._looked: dict[str, set[str]] = {name: set() for name in (*self._before, *self._after)}

    async def before(self, question: Question, sql: str) -> tuple[Check, ...]:
        """The critique, and the demands it does not meet."""
        return await self._checks(sql, self._before, (question, sql))

    async def after(self, question: Question, sql: str, result: ResultSet) -> tuple[Check, ...]:
        """What is wrong with its answer."""
        return await self._checks(sql, self._after, (question, sql, result))

    async def _checks(
        self,
        sql: str,
        strategies: Mapping[str, Callable[..., Coroutine[Any, Any, Opinion | None]]],
        about: Any,
    ) -> tuple[Check, ...]:
        found = [
            await self._check(name, sql, stepwise(of(self._desk(sql), *about)))
            for name, of in strategies.items()
            if self._may(name, sql)
        ]
        return tuple(check for check in found if check is not None)

    def _may(self, name: str, sql: str) -> bool:
        """Whether one more text may be looked at; each text is, once."""
        looked = self._looked[name]
        if not self._desks or sql in looked or len(looked) >= MAX_TEXTS:
            return False
        looked.add(sql)
        return True

    def _desk(self, sql: str) -> Desk:
        return next((desk for desk in self._desks if sql not in desk.wrote), self._desks[0])

    async def _check(self, name: str, sql: str, asked: Awaitable[Opinion | None]) -> Check | None:
        expert = self._desk(sql).name
        try:
            opinion = await asked
        except (NoExpert, BudgetSpent) as error:
            self._trace.record(
                "verifier", "no review", strategy=name, expert=expert, sql=sql, reason=error.message
            )
            return None
        if opinion is None:
            reason = "its answer is no opinion"
            self._trace.record("verifier", "no review", strategy=name, expert=expert, sql=sql, reason=reason)
            return None
        self._trace.record(
            "verifier",
            "reviewed",
            strategy=name,
            expert=expert,
            sql=sql,
            held=not opinion.objections,
            objections=list(opinion.objections),
        )
        message = f'expert "{expert}": {"; ".join(opinion.objections)}' if opinion.objections else ""
        return Check(name, not opinion.objections, message, EVIDENCE_ODDS)
