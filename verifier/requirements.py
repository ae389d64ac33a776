"""What a question demands of SQL, as the user who writes the SQL gets it: PV-SQL's extracted constraints.

Owns: the words for each of the ten kinds, and for an order that is told by its first row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from askwire.core.types import Question
from askwire.verifier.checklist import demanded
from askwire.verifier.constraints import PV_SQL, Constraint

_WORDS: Final[Mapping[str, str]] = {
    "distinct": "no value more than once",
    "top_k": "rows in order, {k} of them",
    "ranking": "a rank, or rows in order",
    "counting": "a count, or a sum where a column holds the quantity",
    "percentage": "a share: something divided by something",
    "summation": "a sum",
    "average": "an average",
    "extreme": "the {end} of an order: max or min, or ORDER BY with LIMIT",
    "temporal": "the {when} by date or time",
    "comparison": "a comparison: {operator} {values}",
    "ordering": "a sort, by itself no limit",
}
_ENDS: Final[Mapping[str, str]] = {"desc": "upper end", "asc": "lower end", "": "right end"}
_WHEN: Final[Mapping[str, str]] = {"desc": "latest", "asc": "earliest", "": "latest or earliest"}


def demands(question: Question) -> tuple[str, ...]:
    """A line for each constraint of the ten kinds: `"top 3": rows in order, 3 of them`."""
    return in_words(demanded(question))


def in_words(constraints: Sequence[Constraint]) -> tuple[str, ...]:
    """The same for constraints that were extracted already; other kinds are left out."""
    lines = []
    told = [c for c in constraints if c.kind in PV_SQL or (c.kind == "ordering" and c.operator == "first")]
    for one in told:
        values = " and ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in one.values)
        words = _WORDS[one.kind].format(
            k=one.k,
            end=_ENDS[one.direction],
            when=_WHEN[one.direction],
            operator=one.operator,
            values=values,
        )
        said = ", ".join(f'"{span.text}"' for span in one.spans)
        lines.append(f"{said}: {words.strip()}")
    return tuple(dict.fromkeys(lines))
