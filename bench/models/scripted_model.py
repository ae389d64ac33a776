"""A model that answers as scripted, for benches and tests of what uses one.

Owns: `ScriptedModel`. Like every provider it takes only what the door of `llm.egress` made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from askwire.core.errors import ModelFailed
from askwire.core.protocols import Completion, SealedText, Usage
from askwire.llm.egress import Prompt
from askwire.llm.estimate import tokens

Answer: TypeAlias = "str | ModelFailed | Callable[[str], Awaitable[str]]"
"""A text, a failure to raise, or a function of the prompt's text that is awaited."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it came."""

    text: str
    schema: Mapping[str, object] | None
    temperature: float
    max_tokens: int
    timeout: float


class ScriptedModel:
    """`core.protocols.Model` that gives its answers in order, and fails when there are none left.

    `calls` are those it got. Usage is estimated from the texts, as where an endpoint does not count.
    """

    endpoint = "scripted:0"

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._answers = iter(answers)
        self.calls: list[Call] = []

    async def prepare(self) -> None:
        """Nothing has to be prepared."""

    async def close(self) -> None:
        """Nothing has to be let go of."""

    async def complete(
        self,
        prompt: SealedText,
        *,
        schema: Mapping[str, object] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        timeout: float = 30.0,  # noqa: ASYNC109 - the seam's
    ) -> Completion:
        """The next answer."""
        if not isinstance(prompt, Prompt):
            raise TypeError("a model takes what Egress.prompt made, and nothing else")
        self.calls.append(Call(prompt.text, schema, temperature, max_tokens, timeout))
        answer = next(self._answers, None)
        if answer is None:
            raise ModelFailed("the script has no further answer", kind="rejected")
        if isinstance(answer, ModelFailed):
            raise answer
        if not isinstance(answer, str):
            try:
                async with asyncio.timeout(timeout):
                    answer = await answer(prompt.text)
            except TimeoutError:
                raise ModelFailed(f"{self.endpoint} did not answer in time", kind="timeout") from None
        return Completion(answer, Usage(tokens(prompt.text), tokens(answer), estimated=True))
