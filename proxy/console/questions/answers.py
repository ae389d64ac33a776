"""A question that was asked in the console, and all that its answer shows.

Owns: these values, and a number that grows with each change (`revision`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from askwire.core.types import ResultColumn, Row
from askwire.proxy.console.questions.statements import Result

State = Literal["waiting", "running", "answered", "failed"]

_NUMBER_TYPES: Final = frozenset((20, 21, 23, 26, 700, 701, 790, 1700))
_MOMENT_TYPES: Final = frozenset((1082, 1114, 1184))
_TIME_TYPES: Final = frozenset((1083, 1186, 1266))
_BOOL_TYPE: Final = 16

Kind = Literal["number", "moment", "time", "bool", "text"]


_OWN_PREFIX: Final = "askwire: "
_LISTED_READING: Final = re.compile(r"^\d+  .*\n   .*\n?", re.MULTILINE)
"""A reading in the detail of a refusal: its number and words, and its SQL in the line below."""


def is_ours(message: str) -> bool:
    """Whether askwire says it, and not the query that runs."""
    return message.startswith(_OWN_PREFIX)


def without_name(message: str) -> str:
    """A message of askwire's without its name in front: the page says whose it is."""
    return message.removeprefix(_OWN_PREFIX)


def kind(column: ResultColumn) -> Kind:
    """What a column's values are, by their type."""
    oid = column.type_oid
    if oid in _NUMBER_TYPES:
        return "number"
    if oid in _MOMENT_TYPES:
        return "moment"
    return "time" if oid in _TIME_TYPES else "bool" if oid == _BOOL_TYPE else "text"


@dataclass(frozen=True, slots=True)
class NumberedReading:
    """One reading as ASK CHOOSE counts it.

    `rows` is how many it returned when it was tried, None where that is unknown; `example` is its one value.
    """

    number: int
    reading: str
    sql: str
    rows: int | None
    chosen: bool
    example: str = ""


@dataclass(frozen=True, slots=True)
class ComparedReading:
    """One reading as ASK (CHOICES) shows it; `differs` is text over several lines."""

    number: int
    chosen: bool
    reading: str
    support: float | None
    sql: str
    rows: int | None
    differs: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer."""

    code: str
    message: str
    detail: str = ""
    hint: str = ""

    @property
    def besides(self) -> str:
        """The detail without the readings, for a page that lists them by themselves."""
        return _LISTED_READING.sub("", self.detail).strip("\n")


@dataclass
class Answer:
    """One question of a session under its number; `began` and `took` are seconds.

    `sql` is what stands for the question; `keys` are the ASKs of the history that are about it, the latest
    last. `rows` may be let go of: `dropped` then. `again`: it has been answered or refused before, and what
    is done now is about that. `wanted` counts what people wanted done for it.
    """

    number: int
    question: str
    state: State = "waiting"
    began: float = 0.0
    took: float = 0.0
    progress: str = ""
    first_line: str = ""
    lines: tuple[str, ...] = ()
    hint: str = ""
    warnings: list[str] = field(default_factory=list)
    sql: str = ""
    columns: tuple[ResultColumn, ...] = ()
    rows: tuple[Row, ...] = ()
    more: bool = False
    too_long: int = 0
    dropped: bool = False
    readings: tuple[NumberedReading, ...] = ()
    compared: tuple[ComparedReading, ...] = ()
    refusal: Refusal | None = None
    said: str = ""
    remark: str = ""
    keys: list[str] = field(default_factory=list)
    revision: int = 0
    canceling: bool = False
    again: bool = False
    wanted: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def key(self) -> str:
        """The latest ASK of the history that is about it; '' for none."""
        return self.keys[-1] if self.keys else ""

    @property
    def busy(self) -> bool:
        """Whether something is still to come."""
        return self.state in ("waiting", "running")

    @property
    def settled(self) -> State:
        """What it is once nothing is to come."""
        return "answered" if self.refusal is None else "failed"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What the columns hold."""
        return tuple(map(kind, self.columns))

    def take(self, result: Result) -> None:
        """Have these rows."""
        self.columns, self.rows = result.columns, tuple(result.rows)
        self.more, self.too_long, self.dropped = result.more, result.too_long, False

    def drop_rows(self) -> None:
        """Let go of the rows."""
        if self.rows:
            self.rows, self.dropped = (), True
            self.tell()

    def refuse(self, fields: Mapping[str, str]) -> None:
        """End without an answer; `fields` are those of an ErrorResponse."""
        self.state = "failed"
        code, message, detail, hint = (fields.get(name, "") for name in "CMDH")
        self.refusal = Refusal(code, without_name(message), detail, hint)

    def tell(self) -> None:
        """Something of it is new to pages."""
        self.revision += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self, since: int, *, at_most: float) -> None:
        """Wait until `revision` is another than `since`, for so many seconds."""
        if self.revision == since:
            try:
                async with asyncio.timeout(at_most):
                    await self._changed.wait()
            except TimeoutError:
                pass
