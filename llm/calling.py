"""One call of a model as an ASK makes it: paid for, paced, tried again where that is safe, and recorded.

Owns: the order of these, and the deadline.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from askwire.core.beside import on_loop
from askwire.core.errors import BudgetSpent, ModelFailed
from askwire.core.protocols import Clock, Completion, Model, SealedText, Usage
from askwire.core.trace import Trace
from askwire.llm.breaker import Breaker
from askwire.llm.budget import Price, TokenBudget
from askwire.llm.estimate import tokens
from askwire.llm.pace import Pace
from askwire.llm.profiles import Profile

STAGE: Final = "model"
MAX_TRIES: Final = 3
FIRST_PAUSE_SECONDS: Final = 0.25
"""Seconds before the second try; the third waits twice as long. Half of it is chance."""
_MIN_CALL_SECONDS: Final = 0.05
"""Seconds: with less than this left a call is not begun."""
_BILLED_OUTCOMES: Final = frozenset(
    ("canceled", "timeout", "cut off", "malformed answer", "empty answer", "refusal")
)
"""Outcomes after which the endpoint was at work: the prompt is paid for, whatever came of it."""
_ENDPOINT_FAILURES: Final = frozenset(
    ("server error", "connection", "timeout", "cut off", "malformed answer")
)
"""Outcomes that count against an endpoint; what a model says is none: a question can ask it for silence."""
MIN_FAIR_SECONDS: Final = 10.0
"""Seconds: a call that its ASK gave less than this, and less than its expert would, means nothing by being
late."""


class Source(Protocol):
    """Where a model's calls go and what they are bound by (`llm.sources`); one for the whole process."""

    @property
    def name(self) -> str:
        """The expert's."""

    @property
    def model(self) -> Model:
        """Who is called."""

    @property
    def profile(self) -> Profile:
        """What is peculiar about it."""

    @property
    def price(self) -> Price:
        """What its tokens cost."""

    @property
    def pace(self) -> Pace:
        """Whose turn it is."""

    @property
    def breaker(self) -> Breaker:
        """Whether its endpoint is left alone."""

    @property
    def timeout(self) -> float:
        """The longest a call may take, in seconds."""

    @property
    def max_tokens(self) -> int:
        """The longest answer, reasoning not counted."""


@dataclass(frozen=True)
class Line:
    """The connection of one ASK to one expert: calls are paid from `purse` and end at `deadline`.

    `deadline` is on `clock`; None sets no end beyond the expert's own time-out.
    """

    source: Source
    purse: TokenBudget
    trace: Trace
    clock: Clock
    deadline: float | None = None
    chance: Callable[[], float] = random.random

    async def ask(
        self,
        prompt: SealedText,
        *,
        stage: str,
        schema: Mapping[str, object] | None = None,
        temperature: float = 0.0,
        **told: str,
    ) -> Completion:
        """The answer to one prompt; `told` goes into the trace beside what it used.

        Raises ModelFailed, and BudgetSpent where the purse or the time is spent.
        """
        return await on_loop(self._answer(prompt, stage, schema, temperature, told))

    async def _answer(
        self,
        prompt: SealedText,
        stage: str,
        schema: Mapping[str, object] | None,
        temperature: float,
        told: Mapping[str, str],
    ) -> Completion:
        source = self.source
        about = tokens(prompt.text)
        reserved = self.purse.reserve(about, source.max_tokens + source.profile.headroom, source.price)
        began = self.clock.monotonic()
        tries = 0
        usage: Usage | None = None
        outcome = "canceled"
        try:
            async with self._turn():
                while True:
                    tries += 1
                    try:
                        completion = await self._once(prompt, schema, temperature)
                    except ModelFailed as error:
                        outcome = error.kind
                        if not error.again or tries == MAX_TRIES or not await self._pause(tries, error.after):
                            raise
                    else:
                        usage, outcome = completion.usage, "answered"
                        return completion
        except BudgetSpent:
            outcome = "no time left"
            raise
        finally:
            if usage is None and tries and outcome in _BILLED_OUTCOMES:
                usage = Usage(about, 0, estimated=True)
            if usage is None:
                self.purse.release(reserved)
                cost, usage = 0.0, Usage()
            else:
                cost = self.purse.settle(reserved, usage, source.price).cost
            self.trace.record(
                STAGE,
                "called",
                expert=source.name,
                step=stage,
                outcome=outcome,
                tries=tries,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cached_tokens=usage.cached_tokens,
                reasoning_tokens=usage.reasoning_tokens,
                estimated=usage.estimated,
                cost=round(cost, 6),
                took_ms=round((self.clock.monotonic() - began) * 1000, 1),
                **told,
            )

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """The call's turn among others, waited for until the deadline."""
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(max(0.0, self.left)):
                    await held.enter_async_context(self.source.pace.turn())
            except TimeoutError:
                raise self._late() from None
            yield

    def _late(self) -> BudgetSpent:
        return BudgetSpent(f'no time is left to ask expert "{self.source.name}"')

    @property
    def left(self) -> float:
        """Seconds that a call may take from now on."""
        if self.deadline is None:
            return self.source.timeout
        return min(self.source.timeout, self.deadline - self.clock.monotonic())

    async def _once(
        self, prompt: SealedText, schema: Mapping[str, object] | None, temperature: float
    ) -> Completion:
        source = self.source
        left = self.left
        if left < _MIN_CALL_SECONDS:
            raise self._late()
        source.breaker.enter()
        try:
            completion = await source.model.complete(
                prompt,
                schema=schema,
                temperature=temperature,
                max_tokens=source.max_tokens + source.profile.headroom,
                timeout=left,
            )
        except ModelFailed as error:
            if error.kind == "timeout" and left < min(source.timeout, MIN_FAIR_SECONDS):
                source.breaker.abandoned()  # one asker's short time is no failure for all the others
            elif error.kind in _ENDPOINT_FAILURES:
                source.breaker.failed()
            elif error.kind == "rate limit":
                source.breaker.abandoned()
            else:
                source.breaker.succeeded()
            raise
        except BaseException:
            source.breaker.abandoned()
            raise
        source.breaker.succeeded()
        return completion

    async def _pause(self, tries: int, after: float) -> bool:
        """Wait before another try; False where there is no time for it."""
        base = FIRST_PAUSE_SECONDS * 2 ** (tries - 1)
        wait = max(after, base * (0.5 + self.chance() / 2))
        if wait + _MIN_CALL_SECONDS >= self.left:
            return False
        await asyncio.sleep(wait)
        return True
