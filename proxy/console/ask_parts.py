"""The parts of the page about one ASK, as values: words, readings, checks, duels, steps.

Owns: what each part holds, and the classes of its colours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from askwire.proxy.console.charts import tint

_KINDS: Final = frozenset(("table", "column", "value", "time"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the question; `numbers` are those of the links (see `Link`) that stand on it."""

    text: str
    tint: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Words of the question and what they became."""

    number: int
    words: str
    kind: str
    target: str

    @property
    def tint(self) -> str:
        """The class of its colour."""
        return f"k-{self.kind if self.kind in _KINDS else 'other'}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One candidate: what was run, by whom it was proposed, and what became of it."""

    sql: str
    experts: tuple[str, ...]
    reading: str
    confidence: float | None
    rows: int | None
    cost: float | None
    code: str
    message: str
    checks: Mapping[str, bool]
    mended: str


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates with equal results, as one reading; `number` is that of ASK CHOOSE."""

    number: int
    support: float | None
    chosen: bool
    proposals: tuple[Proposal, ...]
    votes: int
    shared: bool = False


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check and whether each group's first candidate holds it (None: it is silent there)."""

    rule: str
    demanded: str
    held: tuple[bool | None, ...]
    message: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One kind of evidence, and for each reading how many times as likely it makes it as the least likely.

    Each cell has the factor and the length of its bar, which is that of the logarithm, 100 at the most; or is
    None, for a reading that was left out before evidence was weighed.
    """

    kind: str
    cells: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class DuelTable:
    """Rows of one table on which readings differ; each with its values and which readings count it."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str | None, ...], tuple[int, ...]], ...]
    counted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reading returns on those rows; each cell with whether the other reading has another."""

    number: int
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str | None, bool], ...], ...]


@dataclass(frozen=True, slots=True)
class Duel:
    """Two readings side by side on a few rows; `masked` when the values of these were not kept."""

    numbers: tuple[int, ...]
    found: bool
    reason: str
    size: int
    masked: bool
    tables: tuple[DuelTable, ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the trace: its moment, its stage, and what it says in words."""

    at_ms: float
    stage: str
    name: str
    facts: tuple[tuple[str, str], ...]
    sql: str = ""

    @property
    def tint(self) -> str:
        """The class of its stage's colour."""
        return tint(self.stage)
