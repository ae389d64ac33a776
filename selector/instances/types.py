"""What separating two candidates finds: frozen values, complete enough to show without asking the database.

Owns: the vocabulary of results (`Separation`, `SharedSeparation`) and the budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from askwire.core.types import Cell, ResultColumn, ResultSet, Row
from askwire.sql.catalog import Relation


class Outcome(StrEnum):
    """What is known of two candidates afterwards."""

    SEPARATED = "separated"
    """A few real rows on which they give different answers."""
    EQUAL = "equal"
    """The same answer on all the data the asker sees; `witness` may show a difference on made-up rows."""
    TIE_ORDER = "tie order"
    """They differ only in which of several tied rows come first or pass a LIMIT."""
    NOT_SEPARATED = "not separated"
    """No instance was found within the budget, or one of them cannot be traced; `reason` says why."""


class Identity(StrEnum):
    """What tells the rows of a relation apart."""

    PRIMARY_KEY = "primary key"
    UNIQUE_KEY = "unique key"
    PLACE = "place"
    """(tableoid, ctid): good within one snapshot only."""
    VALUE = "value"
    """The whole row: equal rows of a view or a foreign table are one."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What finding an instance may cost.

    `statements` counts statements sent (opening and closing the batch not included), `milliseconds` is wall
    time, `rows` bounds the rows read to search among, `statement_ms` is the time-out of each statement: with
    what a cancel takes it ends within a second.
    """

    statements: int = 24
    milliseconds: int = 5000
    rows: int = 600
    statement_ms: int = 900


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """One row of an instance.

    `key` are the values of the table's `key_columns`, `cells` those of its `columns`. `counted_by` holds the
    indexes of the candidates whose answer on the instance changes when this row is taken away: a row that
    candidate 0 counts and candidate 1 does not has `counted_by == (0,)`; it is empty when the row matters
    only together with others. `changed` names the columns whose values were made up; empty for a real row.
    """

    key: Row
    cells: Row
    counted_by: tuple[int, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstanceTable:
    """The rows of one relation in an instance, in a stable order.

    `columns` are the columns the asker may read, in the relation's order. `used` names those that a
    candidate uses or that identify a row. `key_columns` is empty when the identity is a place or the value.
    """

    oid: int
    schema: str
    name: str
    identity: Identity
    key_columns: tuple[str, ...]
    columns: tuple[ResultColumn, ...]
    used: frozenset[str]
    rows: tuple[InstanceRow, ...]
    row_security: bool = False

    def cell(self, row: InstanceRow, column: str) -> Cell:
        """The value of one of `columns`; KeyError for any other."""
        for position, known in enumerate(self.columns):
            if known.name == column:
                return row.cells[position]
        raise KeyError(column)


@dataclass(frozen=True, slots=True)
class Instance:
    """A few rows, and what each candidate answers when the database holds nothing else.

    `tables` has an entry for each relation that a candidate reads, empty ones included. The instance has at
    least one row. `minimal`: with any one of its rows taken away (as long as one is left) the answers are the
    same, however tied rows come out, or have no row where they have other columns; False when that is not so,
    or not known.
    `synthetic`: some rows are not real (see `InstanceRow.changed`). `orders_checked` counts the orders of its
    rows in which both answers were compared; `all_orders` says whether those were all (else order-dependence
    is not excluded). `open_answers` holds the indexes of the candidates that may answer otherwise as well,
    because rows tie: `answers` has one of several then (other rows, or the same in another order where order
    counts), none of which is one of another candidate's.
    """

    tables: tuple[InstanceTable, ...]
    answers: tuple[ResultSet, ...]
    minimal: bool = True
    synthetic: bool = False
    orders_checked: int = 1
    all_orders: bool = True
    open_answers: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """The number of rows."""
        return sum(len(table.rows) for table in self.tables)

    def __iter__(self) -> Iterator[tuple[InstanceTable, InstanceRow]]:
        for table in self.tables:
            for row in table.rows:
                yield table, row


@dataclass(frozen=True, slots=True)
class Statistics:
    """What it cost: statements sent, milliseconds of wall time, rows read to search among."""

    statements: int = 0
    milliseconds: float = 0.0
    rows_read: int = 0


@dataclass(frozen=True, slots=True)
class Separation:
    """What separating two candidates found.

    `instance` is set exactly when the outcome is SEPARATED: real rows. `witness` is set when the candidates
    are equal on the data (or too slow to compare on all of it: NOT_SEPARATED) but made-up rows tell them
    apart; it is always synthetic. `step` names what found
    the instance or the witness ('probe', 'grouped probe', 'sample', …). `ordered`: row order counts, because
    both candidates say ORDER BY. `equal_on_data`: whether their answers on all the data are equal, None when
    that was not looked at. `by_value` names what was not traced row by row (recursive CTEs, GROUPING SETS,
    …). `reason` is one phrase: why there is no instance, or why answers could not be compared that should be.
    `views` are those that were replaced by their definitions, with these, inner ones first.
    """

    outcome: Outcome
    candidates: tuple[str, str]
    instance: Instance | None = None
    witness: Instance | None = None
    step: str = ""
    reason: str = ""
    ordered: bool = False
    equal_on_data: bool | None = None
    by_value: tuple[str, ...] = ()
    statistics: Statistics = Statistics()
    views: tuple[tuple[Relation, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SharedSeparation:
    """What separating more than two candidates found.

    `groups` hold indexes into `candidates`, in ascending order; a candidate that cannot be traced is in none.
    On the rows of `instance` candidates of different groups give different answers; those of one group are
    not told apart by it, each from each other or through a third. `instance.answers` has one answer for each
    candidate in a group, in the order of `candidates`. None when no row set separates any pair. `pairs`
    holds what is known of each pair (i, j), i < j, that the shared instance does not separate. `views` are as
    in `Separation`.
    """

    candidates: tuple[str, ...]
    instance: Instance | None
    groups: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int, Separation], ...] = ()
    statistics: Statistics = Statistics()
    views: tuple[tuple[Relation, str], ...] = ()
