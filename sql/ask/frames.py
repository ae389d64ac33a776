"""One level of parentheses while a statement is read, and the words that lead to a query.

Owns: what is remembered of a level.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from askwire.sql.ask.site import Command, Place


class Level(Enum):
    """What a pair of parentheses can hold."""

    QUERY = "a query, nothing else"
    FROM = "a query, or joined items of FROM"
    EXPRESSION = "a query or an expression"
    OTHER = "arguments, columns, options"


class HiddenName(NamedTuple):
    """The name of a WITH query, and those that were in scope before it."""

    name: str
    before: HiddenName | None


@dataclass(slots=True)
class Frame:
    """One level.

    `may_begin`: a query may begin at the next token, at `place`; `item`: an item of FROM may. `operand`: that
    query is the right operand of a set operation. `after_with`: a WITH list precedes it. `first`: nothing of
    the level has been read yet; `alone`: nothing of the level around it had been. `sole` is the number of the
    ASK that is all the level holds, -1 if none. `verb` is the command being read, `clause` the part of it,
    `creates` the object of a CREATE. `listing`: a WITH list is being read; `naming`: a name comes next in it;
    `named` is the last one. `hidden` are the names of WITH queries in scope.
    """

    level: Level
    place: Place
    may_begin: bool = True
    item: bool = False
    operand: bool = False
    after_with: bool = False
    lateral: bool = False
    first: bool = True
    alone: bool = False
    sole: int = -1
    verb: str = ""
    clause: str = ""
    creates: str = ""
    listing: bool = False
    recursive: bool = False
    naming: bool = False
    named: str = ""
    hidden: HiddenName | None = None


STARTS: Final = frozenset(("select", "values", "table", "with"))
CHANGES: Final = frozenset(("insert", "update", "delete", "merge"))
SET_OPERATIONS: Final = frozenset(("union", "intersect", "except"))
TAILS: Final = frozenset(("order", "limit", "offset", "fetch", "for"))
"""What can follow a query and would merge into one in parentheses: (SELECT … LIMIT 5) LIMIT 3 is an error."""

END_OF_FROM: Final = frozenset(("where", "group", "having", "window", "returning", *TAILS))
MODIFIERS: Final = frozenset(
    ("or", "replace", "global", "local", "temporary", "temp", "unlogged", "recursive", "materialized")
)
"""What can stand between CREATE and the kind of object."""

EXPLAIN_WORDS: Final = frozenset(("analyze", "analyse", "verbose"))

BEFORE_EXPRESSIONS: Final = frozenset(
    (
        *(
            "select",
            "distinct",
            "all",
            "any",
            "some",
            "in",
            "not",
            "and",
            "or",
            "when",
            "then",
            "else",
            "case",
        ),
        *("where", "having", "on", "limit", "offset", "like", "ilike", "between", "symmetric", "asymmetric"),
        *("from", "to", "returning", "default", "check", "using", "return", "for"),
    )
)
"""Words before which a parenthesis belongs to no function; a few others do with the word before them."""

BEFORE_EXPRESSIONS_IN_PAIRS: Final = frozenset(
    (
        *(("order", "by"), ("group", "by"), ("partition", "by"), ("time", "zone"), ("fetch", "first")),
        *(("fetch", "next"), ("distinct", "on")),
    )
)

COMMANDS: Final = {
    "explain": Command.EXPLAIN,
    "copy": Command.COPY,
    "declare": Command.CURSOR,
    "prepare": Command.PREPARE,
    "insert": Command.INSERT,
    "update": Command.UPDATE,
    "delete": Command.DELETE,
    "merge": Command.MERGE,
    "view": Command.VIEW,
    "materialized view": Command.MATERIALIZED_VIEW,
    "table": Command.TABLE_AS,
}

CREATED: Final = {"view": Place.VIEW, "materialized view": Place.VIEW, "table": Place.TABLE_AS}
