"""What rules may ask of the schema.

Owns: the questions, twelve of them. `linked_schema` answers from an index of the catalog; tests answer from
a script (`tests/doubles/scripted_oracle.py`). Every answer that is a mention is its
number: the mention is added to the encoded question when the schema has something that fits, and None
says that it has nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

Relation = Literal[
    "same table",
    "plays",
    "plays elsewhere",
    "column of",
    "best column of",
    "holds",
    "has value",
    "in unit of",
    "calls",
    "names",
    "happens to",
    "recorded of",
]
Role = Literal["doer", "thing", "holder", "whole", "user", "subordinate", "below", "above", "titled"]
Operator = Literal["-", "/", "per", "of"]


class SchemaOracle(Protocol):
    """A schema as the grammar sees it; mentions, values and numbers are places in the encoded question."""

    def kinds(self, mention: int) -> frozenset[str]:
        """What a mention may be: 'table', 'column', 'numeric', … (`kinds.KINDS`)."""

    def related(self, mention: int, relation: Relation, other: int) -> bool:
        """Whether two symbols belong together.

        'same table': two mentions have a table in common. 'plays': so they have where the first is a table
        in a role, as 'capital' is a city; 'plays elsewhere' where rows of another table give the role.
        'column of': the first may name a column of the table that the second most likely is; 'best column
        of': no other column is a better one. 'holds': the first may name a column that has value `other` in
        it; 'has value': the table that the first most likely is has such a column. 'in unit of': it may
        name a column that holds what number `other` counts. 'calls': it is a word for what the rows of the
        second are called, which have no column of that word. 'names': the first is a column by which rows
        of the second are called. 'happens to': rows of the first table have a time, and one of the second
        table may have several of them. 'recorded of': each row of what the first is belongs to one of the
        second.
        """

    def measure(self, word: str, number: int | None = None) -> int | None:
        """The columns that a word measures: 'old' → an age, 'spent' → an amount, 'time' → any time.

        'sold' is how much was sold, 'units sold' how many; 'per kilometre' columns of that unit. With
        `number`, columns that hold its unit.
        """

    def total(self, of: int | str) -> int | None:
        """The columns of a sum kept: 'enrolled' → `tot_enr`; of a table's mention, what a row comes to."""

    def event(self, verb: str) -> int | None:
        """The tables whose rows record that something was done: 'sold' → order lines, sales."""

    def steps(self, event: int) -> Sequence[int]:
        """The mentions through which an event leads: the lines, then the head that they belong to."""

    def times(self, of: int | str) -> tuple[int, ...]:
        """The times of something, one mention each; empty where the schema has none.

        Of a table's mention the last time of its rows; of a word like 'open' or 'closed' the time that
        ends it, of 'still open' what a comment says is empty so long, of one like 'shipped' that at which
        it was done; of 'late' two, when a thing was done and by
        when it was due.
        """

    def duration(self, start: int | str, end: str) -> int | None:
        """How long something lasted.

        Of a table's mention until it was `end` ('' its whole), or between two times, each said by a word
        or a symbol ('M2'); with start '', of whatever can be `end`, tables that are named first.
        """

    def party(
        self, role: Role, of: Sequence[int] = (), values: Sequence[int] = (), verb: str = ""
    ) -> int | None:
        """A table that the question does not name.

        'doer': who did what mentions `of` and `values` tell of, by `verb`. 'thing': what event `of[0]`
        was done with. 'holder': whose rows hold `values[0]`. 'whole': what mention `of[0]` is a part of.
        'user': what uses it, where only the rows of one table do.
        'subordinate': who has somebody above them. 'below' and 'above': the two rows of one table that
        `verb` sets above each other ('manages'). 'titled': the people whose job
        is `values[0]`, said in the plural.
        """

    def told_in(
        self, of: Sequence[int] = (), values: Sequence[int] = (), *, outright: bool = False
    ) -> int | None:
        """The texts that tell what the rows of mentions `of`, or those that hold `values`, are about.

        `outright` a description, a summary, a comment; else what they are called will do.
        """

    def combined(self, first: int, operator: Operator, second: int) -> int | None:
        """What two mentions say together: a difference, a quotient, or 'type of permit' as one name.

        'per' is a quotient of two columns of one table.
        """

    def shared(self, first: int, second: int, *, alone: bool = False) -> int | None:
        """The columns that hold both of two values; `alone`: and no other."""
