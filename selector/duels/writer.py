"""The seam to a model: one of the prompts here filled and answered, or nothing.

Owns: `Writer`, and the one over a configured expert. A model that cannot be asked, or has nothing to say, is
no error of a duel: it is a draw then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from askwire.core.beside import beside
from askwire.core.errors import BudgetSpent, NoExpert
from askwire.core.trace import Trace
from askwire.llm.answers import read_object
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.prompts import Input, PromptFile, load_prompts

Told = Mapping[str, Any]
"""What a model answered: a JSON object, to be read with care."""
NAMES: Final = ("answer", "rows", "solve", "choose")


class Writer(Protocol):
    """Anyone who answers the prompts of duels."""

    @property
    def name(self) -> str:
        """The name that what it says is worth is kept under."""

    async def write(self, prompt: str, inputs: Mapping[str, Input], *, temperature: float = 0.0) -> Told:
        """The answer to one prompt of this package; an empty one where there is none to be had."""


def load() -> Mapping[str, PromptFile]:
    """The prompts of duels; raises ConfigurationError for one that is not sound."""
    return load_prompts("askwire.selector.duels.prompts", NAMES)


@dataclass(frozen=True)
class ModelWriter:
    """A configured expert, for one ASK: what it is shown goes through the door of `llm.egress`."""

    name: str
    line: Line
    egress: Egress
    trace: Trace
    prompts: Mapping[str, PromptFile] = field(default_factory=load)

    async def write(self, prompt: str, inputs: Mapping[str, Input], *, temperature: float = 0.0) -> Told:
        """What the model answers; nothing where policy, purse or time do not let it, or where it fails."""
        file = self.prompts[prompt]
        try:
            sealed = self.egress.prompt(file.fill(**inputs))
            completion = await self.line.ask(
                sealed,
                stage=f"duel: {prompt}",
                schema={"type": "object"},
                temperature=temperature,
                file=prompt,
                version=file.digest,
            )
        except (NoExpert, BudgetSpent) as error:
            self.trace.record("selector", "no opinion", expert=self.name, reason=error.message)
            return {}
        return await beside(read_object, completion.text) or {}
