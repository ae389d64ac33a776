"""Rules that tell which of two statements is right by what they answer on a few rows.

Owns: one function per rule: positive for the first, negative for the second, 0 where it has nothing to say;
those that hold rows against the question's wording stand in `row_demands`.
Where rows tie, what is shown is one of several answers: rules say nothing then (`Instance.open_answers`).
Must not know: how the rows were found, or how far a rule can be relied on (`rule_judge`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from askwire.core.types import Question, ResultSet
from askwire.selector.instances import Instance, InstanceRow
from askwire.selector.row_demands import demands, grain, is_open

_WORD: Final = re.compile(r"\w+")
_REPEATS: Final = re.compile(r"\b(all|each|every|list)\b", re.IGNORECASE)


class RowRule(Protocol):
    """One rule."""

    def __call__(self, question: Question, instance: Instance, /) -> int:
        """1: the first is right, -1: the second, 0: it does not say."""


def value_rows(question: Question, instance: Instance) -> int:
    """A row that holds a value of the question belongs into the answer.

    'Flights of Jetblue Airways' with a row 'JetBlue Airways' that only one statement counts: that one is
    right. Values are compared without case; words the question has in common with any row are too many.
    """
    if is_open(instance):
        return 0
    asked = f" {' '.join(_WORD.findall(question.text.lower()))} "
    counted = [0, 0]
    for table in instance.tables:
        for row in table.rows:
            if len(row.counted_by) == 1 and _holds(row, asked):
                counted[row.counted_by[0]] += 1
    return (counted[0] > 0) - (counted[1] > 0)


def _holds(row: InstanceRow, asked: str) -> bool:
    for cell in row.cells:
        words = _WORD.findall(cell.lower()) if cell else []
        if words and not all(word.isdigit() for word in words) and f" {' '.join(words)} " in asked:
            return True
    return False


def nulls_shown(_question: Question, instance: Instance) -> int:
    """An answer with NULLs is worse than one without, where both have rows."""
    first, second = instance.answers[:2]
    if is_open(instance) or not first.rows or not second.rows:
        return 0
    return int(_has_null(second)) - int(_has_null(first))


def _has_null(answer: ResultSet) -> bool:
    return any(cell is None for row in answer.rows for cell in row)


def repeated_rows(question: Question, instance: Instance) -> int:
    """The same rows, but one repeats some: a join has multiplied them, unless all are asked for."""
    first, second = instance.answers[:2]
    if (
        is_open(instance)
        or set(first.rows) != set(second.rows)
        or not first.rows
        or _REPEATS.search(question.text)
    ):
        return 0
    repeats = [len(set(answer.rows)) < len(answer.rows) for answer in (first, second)]
    return int(repeats[1]) - int(repeats[0])


def nothing_shown(_question: Question, instance: Instance) -> int:
    """On a row that one of two statements needs, no answer and a zero are worse than something to show."""
    if is_open(instance):
        return 0
    first, second = instance.answers[:2]
    return int(_is_nothing(second)) - int(_is_nothing(first))


def _is_nothing(answer: ResultSet) -> bool:
    single = len(answer.rows) == 1 and len(answer.columns) == 1
    return not answer.rows or (single and answer.rows[0][0] in (None, "0"))


ROW_RULES: Final[Mapping[str, RowRule]] = MappingProxyType(
    {
        "value rows": value_rows,
        "nulls shown": nulls_shown,
        "repeated rows": repeated_rows,
        "nothing shown": nothing_shown,
        "demands": demands,
        "grain": grain,
    }
)
"""All rules on rows, by the name their reliability is kept under."""
