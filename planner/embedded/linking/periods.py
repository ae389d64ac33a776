"""Periods: rows that hold from one time until another, and the words that ask for those of today.

Owns: which tables keep periods, by the names of their columns, and the words for now.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from askwire.language.lexicon import ENDS
from askwire.language.text import Token, listed
from askwire.planner.embedded.schema.schema_index import SchemaIndex

OF_DAY: Final = re.compile(r"time(?!stamp)")
"""Types that hold a time of day."""
_NOW: Final = frozenset({"current", "currently", "presently", "nowadays"})
_ENDED: Final = ENDS["current"]
"""Words of the times by which a row that is not current ended."""
_PHRASES: Final = (("right", "now"), ("at", "the", "moment"), ("at", "present"), ("as", "of", "now"))
SAYS_WHEN: Final = _NOW | {"now", "right", "moment", "present", "longer"}
"""The words for what is so now, or no longer."""
_BEGINS: Final = frozenset(
    listed("from start starting begin beginning since effective valid hire hired joined")
)
_LIVING: Final = frozenset({"living", "alive"})
"""What a time of death tells, and no period."""
_LEAVING: Final = frozenset({"leave", "leaving"})
"""Words of an end that a beginning may have as well: `leave_start`."""
_ENDS: Final = _LEAVING | frozenset(
    listed("to end ending until till thru through expiry expiration expires termination left")
)
_OF_TIMES: Final = frozenset({"date", "time", "day", "at", "on"})


def asks_for_now(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of words that ask for what is so now."""
    found = {at for at, token in enumerate(tokens) if token.lower in _NOW}
    said = [token.lower for token in tokens]
    for phrase in _PHRASES:
        for at in range(len(said) - len(phrase) + 1):
            if tuple(said[at : at + len(phrase)]) == phrase:
                found.update(range(at, at + len(phrase)))
    return frozenset(found)


def asks_for_past(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of 'no longer': what was so, and is not so now."""
    said = [token.lower for token in tokens]
    return frozenset(
        place
        for at in range(len(said) - 1)
        if said[at : at + 2] == ["no", "longer"] and not _LIVING & {*said[at + 2 : at + 3]}
        for place in (at, at + 1)
    )


def period(index: SchemaIndex, table: int) -> tuple[int, int] | None:
    """The columns from when and until when a row of a table holds; None for tables that keep no periods."""
    own = (index.columns[c] for c in index.tables[table].columns)
    times = [c for c in own if c.kind == "time" and not OF_DAY.match(c.column.type_name)]
    begins = [c for c in times if _BEGINS & set(c.full) and not (_ENDS - _LEAVING) & set(c.full)]
    ends = [c for c in times if _ENDS & set(c.full) and c not in begins]
    if len(ends) > 1:  # a licence that expires ends no employment
        ends = [c for c in ends if set(c.full) <= _ENDS | _OF_TIMES]
    if len(begins) != 1 or len(ends) != 1 or begins[0].dated or ends[0].dated:
        return None
    return begins[0].index, ends[0].index


def tells_now(index: SchemaIndex, tables: Collection[int]) -> bool:
    """Whether one of the tables a question names keeps periods, or else one whose rows belong to theirs.

    Tables that only say when a row ended, as an employee's leaving date does, speak for themselves.
    """
    if keep_periods(index, tables):
        return True
    return not any(end_alone(index, t) is not None for t in tables) and _belonging(index, tables)


def tells_past(index: SchemaIndex, tables: Collection[int]) -> bool:
    """Whether a single table that a question names says of its rows that they are over, or another does."""
    if len(tables) != 1:
        return False
    ends = any(end_alone(index, t) is not None for t in tables)
    return ends or keep_periods(index, tables) or _belonging(index, tables)


def keep_periods(index: SchemaIndex, tables: Collection[int]) -> bool:
    """Whether any of some tables does."""
    return any(period(index, t) is not None for t in tables)


def end_alone(index: SchemaIndex, table: int) -> int | None:
    """The column by which a row that is not current ended, of a table that keeps no periods."""
    if period(index, table) is not None:
        return None
    own = (index.columns[c] for c in index.tables[table].columns)
    found = [c for c in own if c.kind == "time" and c.column.optional and _ENDED & set(c.full)]
    return found[0].index if len(found) == 1 and not found[0].dated else None


def _belonging(index: SchemaIndex, tables: Collection[int]) -> bool:
    """Whether a table that keeps periods refers to one of some tables."""
    oids = {index.tables[t].relation.oid for t in tables}
    return any(
        table.role is None
        and any(k.target in oids for k in table.relation.foreign_keys)
        and period(index, table.index) is not None
        for table in index.tables
    )
