"""What the stages of one model share during one ASK.

Owns: that value, the one way in which its prompts are filled, sealed and sent, and how a stage that is not
needed ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from askwire.core.beside import beside, on_loop, stepwise
from askwire.core.egress import Disclosure, Kind, Level, apart
from askwire.core.errors import BudgetSpent, DatabaseFailed, ModelFailed, NoExpert
from askwire.core.protocols import Completion
from askwire.core.types import Question
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.estimate import tokens
from askwire.llm.prompts import Input, PromptFile, load_prompts
from askwire.planner.expert import ExpertContext
from askwire.planner.models.course import PipelineConfig
from askwire.planner.models.texts.evidence import told_hint
from askwire.sql.unasked import foreign_spans

T = TypeVar("T")

_MIN_THREADED_CHARACTERS: Final = 10_000
"""Characters from which on a prompt is sealed beside the event loop."""
_DATA_RULE_TOKENS: Final = 50
"""Tokens of the sentence that the door puts in front of every prompt."""
_LABEL_TOKENS: Final = 4
PROMPTS: Final = (
    "probe",
    "probe_or_write",
    "generate",
    "repair",
    "explore",
    "confirm",
    "act",
    "plan",
    "critique",
    "logical_plan",
    "merge_plans",
    "paths",
    "prune_drop",
    "prune_keep",
    "roles",
    "profile",
    "decide",
    "synthesize",
    "search_schema",
    "note_plan",
    "note_demands",
    "note_paths",
    "note_findings",
    "note_forced",
    "note_tips",
    "note_examples",
    "note_knowledge",
    "note_customs",
    "note_functions",
)


def load() -> Mapping[str, PromptFile]:
    """The prompts of models; raises ConfigurationError for one that is not sound."""
    return load_prompts("askwire.planner.prompts", PROMPTS)


@dataclass(frozen=True)
class ExpertTask:
    """One expert at work on one question.

    `window` is how many tokens a prompt may have, `began` when the work did, on the line's clock. `kept` are
    tokens of the budget that no stage may take which can be done without: the query's prompt.
    """

    planning: ExpertContext
    line: Line
    egress: Egress
    prompts: Mapping[str, PromptFile]
    course: PipelineConfig
    temperature: float
    window: int
    began: float
    kept: int = 0

    @property
    def shares_rows(self) -> bool:
        """Whether the model may be shown what the data holds."""
        return self.egress.level is Level.ROWS

    @property
    def shares_shapes(self) -> bool:
        """Whether the model may be shown what rows look like, be it masked."""
        return self.egress.level in (Level.MASKED, Level.ROWS)

    @property
    def question(self) -> tuple[Disclosure, ...]:
        """What the asker said."""
        return question_parts(self.planning.question, extract=self.course.evidence)

    @property
    def longest_answer(self) -> int:
        """Tokens that a call sets aside for its answer."""
        return self.line.source.max_tokens + self.line.source.profile.headroom

    def affords(self, prompt_tokens: float, calls: int = 1, *, keep: int = 1) -> bool:
        """Whether the budget holds so many calls of so many tokens together, and `keep` more like them."""
        left = self.line.purse.left
        each = prompt_tokens / max(1, calls) + self.longest_answer
        return left.calls >= calls + keep and left.tokens >= (calls + keep) * each

    def _keeps_the_query(self, prompt_tokens: int) -> None:
        """Raises BudgetSpent where a call would leave too little for the one that writes the query."""
        left = self.line.purse.left
        needed = prompt_tokens + self.kept + 2 * self.longest_answer
        if left.calls < 2 or left.tokens < needed:
            rest = "less than 2 calls" if left.calls < 2 else f"{left.tokens:.0f} tokens"
            raise BudgetSpent(f"the rest of the budget ({rest}) is kept for writing the query")

    def record(self, name: str, **data: Any) -> None:
        """Note in the trace what a stage came to."""
        self.planning.trace.record("planner", name, expert=self.line.source.name, **data)

    async def ask(
        self,
        name: str,
        inputs: Mapping[str, Input],
        schema: Mapping[str, object],
        *,
        temperature: float = 0.0,
        step: str = "",
        notes: str = "",
        needed: bool = False,
    ) -> Completion:
        """Fill a prompt, let the policy see it, send it.

        `step` is what the trace calls the call, the prompt's name if nothing; `notes` names the versions of
        what was put into it. A call that is not `needed` leaves enough of the budget for the query. Raises
        ModelFailed (also for a prompt that the model's context does not hold), NoExpert, BudgetSpent.
        """
        file = self.prompts[name]
        parts = file.fill(**inputs)
        long = sum(len(part.text) for part in parts) > _MIN_THREADED_CHARACTERS
        prompt = await beside(self.egress.prompt, parts) if long else self.egress.prompt(parts)
        size = tokens(prompt.text)
        if not needed:
            self._keeps_the_query(size)
        if size > self.window:
            raise ModelFailed(
                f'a prompt has {size} tokens; expert "{self.line.source.name}" takes {self.window}',
                kind="rejected",
                hint="Set `context` in the section of the expert to the size of the model's context.",
            )
        told = {"notes": notes} if notes else {}
        return await self.line.ask(
            prompt,
            stage=step or name,
            schema=schema,
            temperature=temperature,
            file=name,
            version=file.digest,
            **told,
        )

    def fitted(self, name: str, inputs: Mapping[str, Input], place: str) -> dict[str, Input]:
        """The inputs of a prompt, without so many first parts of one place that the window holds it."""
        given = dict(inputs)
        over = size_of(self.prompts[name].fill(**given)) - self.window
        parts = given[place]
        if over <= 0 or isinstance(parts, int):
            return given
        kept = list(parts)
        while kept and over > 0:
            over -= size_of([kept.pop(0)]) - _DATA_RULE_TOKENS
        given[place] = kept
        return given

    async def attempt(self, stage: str, work: Coroutine[Any, Any, T], share: float) -> T | None:
        """What a stage that can be done without comes to, None where it fails.

        It ends when `share` of the time until the deadline is over, so that what comes after has its own.
        Raises DatabaseFailed when the session is lost.
        """
        try:
            return await on_loop(_within(self.until(share), work))
        except TimeoutError:
            reason = "no time left for it"
        except (NoExpert, BudgetSpent) as error:
            reason = error.message
        except DatabaseFailed as error:
            if error.session_lost:
                raise
            reason = error.message
        self.record("stage ended", step=stage, reason=reason)
        return None

    def until(self, share: float) -> float | None:
        """Seconds from now until `share` of the time is over; None where there is no deadline."""
        if self.line.deadline is None:
            return None
        end = self.began + share * (self.line.deadline - self.began)
        return max(0.0, end - self.line.clock.monotonic())


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What some works come to at the same time; the first that raises ends the others, and is raised."""
    return await on_loop(_side_by_side(works))


async def _within(seconds: float | None, work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(seconds):
        return await stepwise(work)


async def _side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(stepwise(work)) for work in works]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


def size_of(parts: Sequence[Disclosure]) -> int:
    """About how many tokens a prompt of these parts has, with their labels and quotes."""
    return _DATA_RULE_TOKENS + sum(tokens(part.text) + _LABEL_TOKENS for part in parts)


def question_parts(question: Question, *, extract: bool = False) -> tuple[Disclosure, ...]:
    """What the asker said; `extract` leaves of a long hint what the question is about."""
    parts = [Disclosure(Kind.QUESTION, question.text, required=True)]
    if question.evidence:
        hints = told_hint(question.evidence, question.text) if extract else (question.evidence,)
        parts += [Disclosure(Kind.QUESTION, f"as a hint: {hint}") for hint in hints]
    return tuple(parts)


def sql_part(sql: str, question: Question, *, own: bool, required: bool = False) -> Disclosure:
    """SQL as a disclosure. `own` says that this model wrote it: that discloses nothing.

    Any other text counts as holding values unless each of its constants stands in the question.
    """
    foreign = () if own else foreign_spans(sql, f"{question.text} {question.evidence}")
    if not foreign:
        return Disclosure(Kind.SQL, sql, required=required)
    return Disclosure(Kind.SQL_WITH_VALUES, sql, required=required, pieces=apart(sql, foreign))


def drafts(texts: Sequence[str], longest: int = 400) -> list[Disclosure]:
    """What this model wrote before, a line each, for being told to it again."""
    return [Disclosure(Kind.DRAFT, text[:longest]) for text in texts]
