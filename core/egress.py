"""What may leave the house: the kinds of text a prompt can carry, and which policy lets which of them go.

Owns: the vocabulary. Must not know: prompts, models, how a text is quoted (`llm.egress`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Level(Enum):
    """The setting `egress`, the strictest first."""

    NONE = "none"
    SCHEMA = "schema"
    ROWS = "rows"

    def lets(self, kind: Kind) -> bool:
        """Whether a text of this kind may be part of a prompt."""
        return self is Level.ROWS or (self is Level.SCHEMA and kind not in _DATA)


class Kind(Enum):
    """What a part of a prompt is; the value is the label it carries there."""

    INSTRUCTION = "instruction"
    """askwire's own words, from a prompt file, with nothing put into them."""
    QUESTION = "question"
    """What the asker wrote: the question and its EVIDENCE."""
    NAME = "name"
    """A schema, table, column or type."""
    COMMENT = "comment"
    LABEL = "label"
    """A label of an enum type."""
    DRAFT = "own words"
    """What this model itself wrote for this question (a plan, a finding): it is told nothing by it."""
    SQL = "sql"
    """SQL whose constants all stand in the question."""
    ERROR_CODE = "sqlstate"
    SQL_WITH_VALUES = "sql with values"
    """Any other SQL: its constants may have been found in the data."""
    VALUE = "value"
    ROW = "row"
    STATISTICS = "statistics"
    """Counts and shares taken from the data."""
    ERROR_TEXT = "error"
    """What the backend said: its messages quote values."""


_DATA: Final = frozenset((Kind.SQL_WITH_VALUES, Kind.VALUE, Kind.ROW, Kind.STATISTICS, Kind.ERROR_TEXT))
"""Kinds that tell of rows: they need `egress = rows`."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One part of a prompt before the policy has seen it.

    `text` is as it was found; `names` lists the identifiers that it reveals. A part that is `required` may
    not be dropped: where the policy forbids it there is no prompt.
    """

    kind: Kind
    text: str
    names: tuple[str, ...] = ()
    required: bool = False


def strictest(configured: str, asked: str) -> str:
    """The stricter of two values of the setting."""
    order = [level.value for level in Level]
    return min(configured, asked, key=order.index)
