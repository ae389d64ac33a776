"""What may be sent to models: the kinds of text a prompt can carry, and which policy lets which of them go.

Owns: the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final


class Level(Enum):
    """The setting `egress`, the strictest first."""

    NONE = "none"
    SCHEMA = "schema"
    MASKED = "masked"
    ROWS = "rows"

    def lets(self, kind: Kind) -> bool:
        """Whether a text of this kind may be part of a prompt as it stands."""
        return self is Level.ROWS or (self is not Level.NONE and kind not in _DATA_KINDS)

    def masks(self, kind: Kind) -> bool:
        """Whether a text of this kind may be part of a prompt once its values are masked."""
        return self is Level.MASKED and kind in _MASKABLE_KINDS


class Kind(Enum):
    """What a part of a prompt is; the value is the label it carries there."""

    INSTRUCTION = "instruction"
    """askwire's own words, from a prompt file, with nothing put into them."""
    QUESTION = "question"
    """What the asker wrote: the question and its EVIDENCE."""
    NAME = "name"
    """A schema, table, column or type."""
    HEADER = "columns"
    """The names of a result's columns, which its query gives them."""
    COMMENT = "comment"
    LABEL = "label"
    """A label of an enum type."""
    DRAFT = "own words"
    """What this model itself wrote for this question (a plan, a finding): nothing is disclosed by it."""
    SQL = "sql"
    """SQL whose constants all stand in the question."""
    ERROR_CODE = "sqlstate"
    EXAMPLE = "example"
    """A question that somebody asked before, or its SQL, without values; or one that comes with askwire."""
    DOCUMENT = "document"
    """What the operator wrote about the data for models to read, and what words mean."""
    FUNCTION = "function"
    """A function or operator of PostgreSQL itself, and what it is for."""
    SQL_WITH_VALUES = "sql with values"
    """Any other SQL: its constants may have been found in the data."""
    EXAMPLE_WITH_VALUES = "example with values"
    """The same as an example, as it was asked and answered."""
    DOCUMENT_WITH_VALUES = "document with values"
    """A document of which the operator says that it quotes rows."""
    VALUE = "value"
    ROW = "row"
    STATISTICS = "statistics"
    """Counts and shares taken from the data."""
    RESULT = "result"
    """What is said of a result beside its rows: that it has none, or more of them than stand here."""
    ERROR_TEXT = "error"
    """What the backend said: its messages quote values."""


_DATA_KINDS: Final = frozenset(
    (
        Kind.SQL_WITH_VALUES,
        Kind.EXAMPLE_WITH_VALUES,
        Kind.DOCUMENT_WITH_VALUES,
        Kind.VALUE,
        Kind.ROW,
        Kind.STATISTICS,
        Kind.RESULT,
        Kind.ERROR_TEXT,
    )
)
"""Kinds that tell of rows: they need `egress = rows`."""

_MASKABLE_KINDS: Final = frozenset((Kind.SQL_WITH_VALUES, Kind.EXAMPLE_WITH_VALUES, Kind.VALUE, Kind.ROW))
"""Those of them that may leave as shapes. What counts or quotes the data in words of its own may not."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a disclosure's text; `is_value`: it stands in the data."""

    text: str
    is_value: bool = False


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One part of a prompt before the policy has seen it.

    `text` is as it was found; `names` lists the identifiers that it reveals. A part that is `required` may
    not be dropped: where the policy forbids it there is no prompt. `pieces` make up the text where it can be
    told apart what of it is data; a text without them cannot be masked.
    """

    kind: Kind
    text: str
    names: tuple[str, ...] = ()
    required: bool = False
    pieces: tuple[Piece, ...] = ()

    def masked(self, mask: Callable[[str], str]) -> Disclosure | None:
        """The same with each value masked; None where its values are not known."""
        if not self.pieces:
            return None
        told = "".join(mask(piece.text) if piece.is_value else piece.text for piece in self.pieces)
        return replace(self, text=told, pieces=())


def in_pieces(kind: Kind, pieces: Iterable[Piece], names: tuple[str, ...] = ()) -> Disclosure:
    """A disclosure whose values are known."""
    made = tuple(pieces)
    return Disclosure(kind, "".join(piece.text for piece in made), names, pieces=made)


def listed(
    head: str, cells: Sequence[str | None], between: str, *, longest: int, quote: str = ""
) -> Iterator[Piece]:
    """The pieces of `head a | b | NULL`, without values that would make the text longer than `longest`."""
    yield Piece(head)
    left = longest - len(head)
    for number, cell in enumerate(cells):
        told = "NULL" if cell is None else cell
        separator = between if number else ""
        left -= len(separator) + len(told) + 2 * len(quote)
        if left < 0:
            return
        yield Piece(separator + quote)
        yield Piece(told, is_value=cell is not None)
        yield Piece(quote)


def apart(text: str, values: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """A text in pieces, of which those at `values` (start and end, in order) stand in the data."""
    pieces: list[Piece] = []
    position = 0
    for start, end in values:
        pieces += (Piece(text[position:start]), Piece(text[start:end], is_value=True))
        position = end
    return (*pieces, Piece(text[position:]))


def strictest(configured: str, asked: str) -> str:
    """The stricter of two values of the setting."""
    order = [level.value for level in Level]
    return min(configured, asked, key=order.index)
