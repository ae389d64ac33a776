"""Statements that are known before they are needed: a batch that can sends them in one go.

Far from the backend each answer that is waited for costs a round trip. Anyone who knows what comes next says
so here, and then asks for one answer after the other, as if nothing had been said.

Owns: that seam, and doing nothing where a batch cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from askwire.core.protocols import Batch
from askwire.core.types import Cell, ResultSet


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement of askwire's own, as `Batch.read` takes it."""

    sql: str
    parameters: tuple[Cell, ...] = ()
    max_rows: int = 0
    timeout_ms: int = 0

    async def made(self, batch: Batch) -> ResultSet:
        """The answer; raises DatabaseFailed."""
        return await batch.read(self.sql, self.parameters, max_rows=self.max_rows, timeout_ms=self.timeout_ms)


@runtime_checkable
class Lookahead(Protocol):
    """What a batch has that can send statements before their answers are asked for.

    An answer is kept until `read`, `explain` or `run` asks for the same, once; a statement that fails raises
    its error there. Raises only what ends the batch.
    """

    async def read_ahead(self, reads: Sequence[ReadStatement]) -> None:
        """Statements of askwire's own."""

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        """Plan machine-written statements, those that pass the gate."""

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        """Run machine-written statements, those that pass the gate and whose plans do not cost too much.

        What was not planned is left out, but for `template`. All of the others run, one after the other:
        anyone who must be able to stop in between asks for fewer.
        """


async def read_ahead(batch: Batch, reads: Sequence[ReadStatement]) -> None:
    """Have statements of askwire's own sent in one go, where that is possible."""
    if len(reads) > 1 and isinstance(batch, Lookahead):
        await batch.read_ahead(reads)


async def plan_ahead(batch: Batch, texts: Sequence[str]) -> None:
    """Have machine-written statements planned in one go, where that is possible."""
    if len(texts) > 1 and isinstance(batch, Lookahead):
        await batch.plan_ahead(texts)


async def run_ahead(batch: Batch, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
    """Have machine-written statements run in one go, where that is possible."""
    if len(texts) > 1 and isinstance(batch, Lookahead):
        await batch.run_ahead(texts, max_rows=max_rows, template=template)
