"""The mends, one kind per file, and the errors that call for each.

Owns: the registry. A mend joins by standing in `MENDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askwire.core.errors import RefusedByGate
from askwire.verifier.repair.broken import Mend
from askwire.verifier.repair.mends.ambiguous_columns import ambiguous_columns
from askwire.verifier.repair.mends.casts import casts
from askwire.verifier.repair.mends.dialects import doubled_equals, foreign_dialect
from askwire.verifier.repair.mends.distinct_order import distinct_order
from askwire.verifier.repair.mends.group_by import group_by
from askwire.verifier.repair.mends.identifier_case import identifier_case
from askwire.verifier.repair.mends.linked_labels import linked_labels
from askwire.verifier.repair.mends.nested_aggregates import nested_aggregates
from askwire.verifier.repair.mends.not_in_nulls import not_in_nulls
from askwire.verifier.repair.mends.nulls_last import nulls_last
from askwire.verifier.repair.mends.one_of_many import one_of_many
from askwire.verifier.repair.mends.output_names import output_names
from askwire.verifier.repair.mends.quoted_literals import quoted_literals
from askwire.verifier.repair.mends.unknown_columns import unknown_columns
from askwire.verifier.repair.mends.unknown_tables import unknown_tables

__all__ = ["MENDS", "RAN", "Treatment"]

RAN: Final = ""
"""Stands for no error: the statement ran."""

_GATE: Final = RefusedByGate.sqlstate
_SYNTAX: Final = "42601"
_TABLE: Final = "42P01"
_COLUMN: Final = "42703"
_AMBIGUOUS: Final = "42702"
_FUNCTION: Final = "42883"
_GROUPING: Final = "42803"


@dataclass(frozen=True, slots=True)
class Treatment:
    """A mend, its name, and when it is tried: after these SQLSTATEs, on texts that hold `word` (any case)."""

    name: str
    mend: Mend
    after: frozenset[str]
    word: str = ""


def _treatment(mend: Mend, *after: str, word: str = "") -> Treatment:
    return Treatment(mend.__name__, mend, frozenset(after), word)  # type: ignore[attr-defined]


MENDS: Final[tuple[Treatment, ...]] = (
    _treatment(doubled_equals, _FUNCTION, _GATE),
    _treatment(casts, _FUNCTION, "42804", "22P02"),
    _treatment(foreign_dialect, _SYNTAX, _FUNCTION, _GATE),
    _treatment(identifier_case, _TABLE, _COLUMN, _GATE),
    _treatment(unknown_tables, _TABLE, _GATE),
    _treatment(quoted_literals, _COLUMN),
    _treatment(output_names, _COLUMN),
    _treatment(unknown_columns, _COLUMN, _TABLE, _GATE),
    _treatment(ambiguous_columns, _AMBIGUOUS),
    _treatment(nested_aggregates, _GROUPING),
    _treatment(group_by, _GROUPING),
    _treatment(distinct_order, "42P10"),
    _treatment(one_of_many, "21000"),
    _treatment(linked_labels, "22P02"),
    _treatment(nulls_last, RAN, word="desc"),
    _treatment(not_in_nulls, RAN, word="not"),
)
"""In the order they are tried; the first that changes the text is taken."""
