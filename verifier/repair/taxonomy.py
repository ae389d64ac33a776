"""What kind of failure a candidate met, and what helps with each kind.

Owns: the classes of ReCAPAgent's taxonomy as PostgreSQL's SQLSTATEs tell them, and one hint per class.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final


class Trouble(Enum):
    """A class of failure; its value is what it is called in the trace and in a prompt."""

    SYNTAX = "syntax error"
    TABLE = "table not found"
    COLUMN = "column not found"
    AMBIGUOUS = "ambiguous column"
    FUNCTION = "function or operator not found"
    TYPES = "type mismatch"
    GROUPING = "grouping error"
    SEVERAL_ROWS = "more than one row"
    VALUE = "invalid value"
    DIVISION = "division by zero"
    UNSUPPORTED = "not supported"
    PRIVILEGE = "not permitted"
    REFUSED = "refused by the gate"
    TIMEOUT = "timeout"
    NO_RESULT = "no result"
    VIOLATION = "constraint not met"
    OTHER = "other error"


_BY_STATE: Final[Mapping[str, Trouble]] = MappingProxyType(
    {
        "42601": Trouble.SYNTAX,
        "42P01": Trouble.TABLE,
        "3F000": Trouble.TABLE,
        "42703": Trouble.COLUMN,
        "42702": Trouble.AMBIGUOUS,
        "42712": Trouble.AMBIGUOUS,
        "42P09": Trouble.AMBIGUOUS,
        "42883": Trouble.FUNCTION,
        "42725": Trouble.FUNCTION,
        "42704": Trouble.FUNCTION,
        "42P21": Trouble.TYPES,
        "42P22": Trouble.TYPES,
        "42804": Trouble.TYPES,
        "42846": Trouble.TYPES,
        "42P18": Trouble.TYPES,
        "42803": Trouble.GROUPING,
        "42P10": Trouble.GROUPING,
        "42P20": Trouble.GROUPING,
        "21000": Trouble.SEVERAL_ROWS,
        "22012": Trouble.DIVISION,
        "42501": Trouble.PRIVILEGE,
        "25006": Trouble.REFUSED,
        "NL006": Trouble.REFUSED,
        "NL005": Trouble.TIMEOUT,
        "57014": Trouble.TIMEOUT,
        "55P03": Trouble.TIMEOUT,
    }
)
_BY_CLASS: Final[Mapping[str, Trouble]] = MappingProxyType(
    {
        "0A": Trouble.UNSUPPORTED,
        "22": Trouble.VALUE,
        "28": Trouble.PRIVILEGE,
        "42": Trouble.SYNTAX,
        "53": Trouble.TIMEOUT,
    }
)

HINTS: Final[Mapping[Trouble, str]] = MappingProxyType(
    {
        Trouble.SYNTAX: "Write one query in PostgreSQL's dialect; text stands in single quotes.",
        Trouble.TABLE: "Use only relations of the schema, each under the name or alias that FROM gives it.",
        Trouble.COLUMN: "Take the column from the relation that has it, and join that relation.",
        Trouble.AMBIGUOUS: "Write an alias before every column, another one for each relation.",
        Trouble.FUNCTION: "Use PostgreSQL's functions, and cast where the two sides have different types.",
        Trouble.TYPES: "Cast one side to the type of the other.",
        Trouble.GROUPING: "Group by every column that stands outside of aggregates, or aggregate it.",
        Trouble.SEVERAL_ROWS: "Use IN, or make the subquery return one row.",
        Trouble.VALUE: "Compare each column with values of its own type, as they stand in the data.",
        Trouble.DIVISION: "Divide by NULLIF(…, 0), so that what has no share is NULL.",
        Trouble.UNSUPPORTED: "Say the same with joins, subqueries and plain functions.",
        Trouble.PRIVILEGE: "Leave out what may not be read.",
        Trouble.REFUSED: "Write one SELECT with built-in functions over relations of the schema.",
        Trouble.TIMEOUT: "Filter and join on keys before anything is compared or sorted.",
        Trouble.NO_RESULT: "Spell each value as the data has it; where it has none, nothing is the answer.",
        Trouble.VIOLATION: "Change only what the listed messages ask for.",
        Trouble.OTHER: "Write a simpler query that says the same.",
    }
)
"""What to do about each class, for anyone who repairs."""


def trouble(sqlstate: str, *, empty: bool = False, violated: bool = False) -> Trouble | None:
    """The class of a failure; None when it ran, found something, and broke no constraint."""
    if sqlstate:
        return _BY_STATE.get(sqlstate) or _BY_CLASS.get(sqlstate[:2], Trouble.OTHER)
    if violated:
        return Trouble.VIOLATION
    return Trouble.NO_RESULT if empty else None
