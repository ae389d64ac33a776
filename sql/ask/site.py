"""What is known of one ASK in a text: where it stands, what it asks, and what its surroundings ask of us.

Owns: the values that recognition hands out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from askwire.sql.ask.options import AskOptions

Form = Literal["keyword", "function"]
"""`ASK 'question'`, or `ask('question')` as an item of FROM."""


class Place(Enum):
    """Where one ASK stands, seen from the ASK itself."""

    STATEMENT = "statement"
    """A whole statement, or the main query behind a WITH list."""
    SUBQUERY = "subquery"
    """In parentheses of its own where a query or an expression may stand."""
    FROM_ITEM = "from item"
    """`FROM (ASK 'q')`, `FROM ask('q')`, also behind JOIN, USING and a comma."""
    CTE = "cte"
    """The body of a WITH query."""
    SET_OPERATION = "set operation"
    """An operand of UNION, INTERSECT or EXCEPT."""
    EXPLAIN = "explain"
    COPY = "copy"
    CURSOR = "cursor"
    PREPARE = "prepare"
    VIEW = "view"
    TABLE_AS = "table as"
    INSERT = "insert"


class Command(Enum):
    """What the statement is that holds the ASK: it decides what Describe and Execute mean.

    It is the outermost command: `EXPLAIN CREATE TABLE t AS ASK 'q'` is an EXPLAIN, whose ASK has the place
    TABLE_AS.
    """

    QUERY = "query"
    EXPLAIN = "explain"
    COPY = "copy"
    CURSOR = "declare cursor"
    PREPARE = "prepare"
    VIEW = "create view"
    MATERIALIZED_VIEW = "create materialized view"
    TABLE_AS = "create table as"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    MERGE = "merge"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class AskSite:
    """One ASK in a text: characters `start` to `end` (exclusive), counted from 0.

    The `;` at a statement's end is not part of it; one that stands before a closing parenthesis is, so that
    `(ASK 'q';)` becomes SQL. `parameter` is n for `ASK $n`, whose question is the bound value; `question` is
    then ''. `statement_index` and `statement_count` place it among the non-empty statements of the message.

    `could_be_literal`: `(ask 'x')` is also a constant of a type called ask; where the catalog has such a type
    on the search_path, leave the site alone. The rest says how `substitute` writes it: `wrapped` when
    clauses follow or a WITH list precedes that would merge into the chosen SQL (`ASK 'q' LIMIT 3`), `alias`
    and `alias_at` when an item of FROM has no alias and gets this one there. `hidden` are the names of the
    WITH queries around it: a table of such a name means something else there than in the chosen SQL.
    """

    start: int
    end: int
    question: str
    options: AskOptions
    parameter: int | None
    statement_index: int
    statement_count: int
    form: Form = "keyword"
    place: Place = Place.STATEMENT
    command: Command = Command.QUERY
    could_be_literal: bool = False
    wrapped: bool = False
    alias: str = ""
    alias_at: int = 0
    hidden: frozenset[str] = frozenset()
