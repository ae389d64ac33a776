"""How long values can become: what functions make of their arguments.

Owns: a bound from above on the characters of a value, and on its elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from askwire.sql.safety.constants import number_constant, text_constant
from askwire.sql.safety.growth.costs import CASTS, GROWING, SPLITTING
from askwire.sql.safety.growth.numbers import MAX_EXPONENTIAL_DIGITS, literal, written
from askwire.sql.safety.nodes import Node

MAX_VALUE_CHARACTERS: Final = 1e9


@dataclass(frozen=True, slots=True)
class Size:
    """At most how many characters a value has, and how many elements, points or members."""

    length: float = 20.0
    count: float = 1.0

    def __add__(self, other: Size) -> Size:
        return Size(
            min(self.length + other.length, MAX_VALUE_CHARACTERS),
            min(self.count + other.count, MAX_VALUE_CHARACTERS),
        )

    def or_(self, other: Size) -> Size:
        """One of both."""
        return Size(max(self.length, other.length), max(self.count, other.count))

    def times(self, rows: float) -> Size:
        """So many of it in one value, with a separator each."""
        return Size(
            min((self.length + 1) * rows, MAX_VALUE_CHARACTERS), min(self.count * rows, MAX_VALUE_CHARACTERS)
        )


SMALL: Final = Size()
NOTHING: Final = Size(0.0, 0.0)
ENDLESS: Final = Size(MAX_VALUE_CHARACTERS, MAX_VALUE_CHARACTERS)
TEXT: Final = Size(200.0, 1.0)
MANY: Final = Size(300.0, 50.0)
BY_CATEGORY: Final[Mapping[str, Size]] = {"S": TEXT, "A": MANY, "U": MANY, "G": MANY, "C": MANY}
"""What a column is taken for, by the category of its type."""


def made(name: str, node: Node, arguments: list[Size], total: Size) -> Size:
    """The result of a function that makes something of its arguments."""
    if not arguments:
        return SMALL
    first = arguments[0]
    constants = [number for number in map(number_constant, node.args[1:]) if number is not None]
    if name in _SUBSTRING_FUNCTIONS and constants:
        return Size(min(first.length, max(*constants, 1.0)), first.count)
    if name in ("lpad", "rpad") and constants:
        return Size(max(constants[0], 1.0), 1.0)
    if name == "repeat" and constants:
        return Size(min(first.length * max(constants[0], 1.0), MAX_VALUE_CHARACTERS), 1.0)
    if name in GROWING and len(arguments) > 1:
        put = max(size.length for size in arguments[1:])
        return Size(min(first.length * max(put, 1.0), MAX_VALUE_CHARACTERS), first.count)
    if name == "exp":
        return Size(MAX_EXPONENTIAL_DIGITS, 1.0)
    if name == "format":
        template = text_constant(node.args[0]) or ""
        return Size(min(total.length * max(template.count("%"), 1), MAX_VALUE_CHARACTERS), 1.0)
    if name in SPLITTING:
        of_text = name.startswith(("string_to", "regexp_"))
        return Size(first.length, max(first.count, first.length if of_text else 1.0))
    if name in _ESCAPING_FUNCTIONS:
        return Size(min(2 * total.length, MAX_VALUE_CHARACTERS), total.count)
    return total.or_(SMALL)


def constant(node: Node) -> Size:
    """A literal: its characters, and as many elements as it may have."""
    text = text_constant(node)
    if text is None:
        return SMALL.or_(Size(written(literal(node)), 1.0))
    return Size(written(text), text.count(",") + 1.0)


_SUBSTRING_FUNCTIONS: Final = frozenset(("left", "right", "substr", "substring"))
_ESCAPING_FUNCTIONS: Final = frozenset(
    (
        *("quote_literal", "quote_ident", "quote_nullable", "encode", "to_json", "to_jsonb", "row_to_json"),
        *("array_to_json", "json_build_array", "json_build_object", "jsonb_build_array", "jsonb_pretty"),
        *("jsonb_build_object", "json_object", "jsonb_object"),
    )
)
"""Functions that may write a character as two."""

CONTAINER_TYPES: Final = frozenset(("json", "jsonb", "path", "polygon", "tsvector", *CASTS))
"""Types whose values hold others."""
