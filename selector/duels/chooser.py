"""A model that chooses one of several queries by reading them.

Owns: the prompt's inputs and reading the number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from askwire.core.beside import beside
from askwire.core.egress import Disclosure
from askwire.core.types import Question, Verdict
from askwire.selector.duels.testing import question_parts, statement
from askwire.selector.duels.writer import Writer

Schema = Callable[[Sequence[str]], Sequence[Disclosure]]
"""The relations that statements read, as a model is shown about them."""


class ModelChooser:
    """`selector.judge.Chooser` by a model's own reading."""

    def __init__(self, writer: Writer, schema: Schema) -> None:
        self._writer = writer
        self._schema = schema

    async def choose(self, question: Question, verdicts: Sequence[Verdict]) -> int | None:
        """The place of the best one; None where the model does not say, or says no number of the list."""
        statements = [verdict.sql for verdict in verdicts]
        told = await self._writer.write(
            "choose",
            {
                "schema": list(await beside(self._schema, statements)),
                "question": question_parts(question),
                "queries": [statement(sql) for sql in statements],
            },
        )
        number = told.get("number")
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(verdicts):
            return None
        return number - 1
