"""What a question demands, held against what two statements answer on a few rows.

Owns: the demands that rows alone can break (one number, a first few, different rows, one row for each group,
a comparison), and the grain, how many rows or counts there are for each thing asked for. Where rows tie, what
is shown is one of several answers: nothing is said then. Must not know: SQL, how the rows were found, or how
far a rule can be relied on (`rule_judge`).
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import Final

from askwire.core.types import Cell, Question, ResultColumn, ResultSet
from askwire.selector.instances import Instance

_WORDS: Final = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_K: Final = rf"(\d{{1,3}}|{'|'.join(_WORDS)})"
_ENDS: Final = (
    r"(?:most|least|highest|lowest|largest|smallest|greatest|biggest|oldest|youngest|longest|shortest|latest"
    r"|earliest|cheapest|fewest)"
)
_FIRST_FEW: Final = re.compile(rf"\b(?:(?:top|bottom|first|last|best|worst) {_K}\b|the {_K} {_ENDS}\b)")
_ONE_NUMBER: Final = re.compile(
    r"\A\W*(?:please )?(?:(?:what|which|tell|show|find|give|return|compute|calculate)\b[\w ]{0,12}?)??"
    r"(?:how many|how much|count|(?:the )?(?:total|overall|average|mean|number|sum))\b"
)
_GROUPED: Final = re.compile(r"\b(?:each|every|per|by|different|respectively)\b")
_DIFFERENT: Final = re.compile(r"\b(?:distinct|different|unique)\b")
_FOR_EACH: Final = re.compile(r"\b(?:(?:for|of|in|by|from) (?:each|every)|per)\b")
_N: Final = r"(-?\d[\d,]*(?:\.\d+)?)\b(?![.,]\d| (?!years)[a-z]+s\b)"
"""A number that is compared with a column's values; before things ('10 flights') it is a count of them."""
_COMPARED: Final = (
    (re.compile(rf"\b(?:at least|no (?:less|fewer) than) {_N}"), operator.ge),
    (re.compile(rf"\b(?:at most|no more than) {_N}"), operator.le),
    (
        re.compile(
            r"(?<!no )\b(?:(?:more|greater|larger|higher|bigger|longer|older|later|heavier) than"
            rf"|above|over|after|exceeding) {_N}"
        ),
        operator.gt,
    ),
    (
        re.compile(
            r"(?<!no )\b(?:(?:less|fewer|smaller|lower|shorter|younger|earlier|lighter) than"
            rf"|below|under|before) {_N}"
        ),
        operator.lt,
    ),
)
_NEAR: Final = 40
"""Characters before a comparison in which the column that is compared is named."""
_DENIED: Final = re.compile(r"\b(?:not|never|n't|without|except|nor)\b|n't\b")
_ALL: Final = re.compile(r"\b(?:all|each|every|list)\b")
_COUNTED: Final = re.compile(
    r"\b(?:how many|number of|count(?: the| all)?) (?:(?:different|distinct|unique|all|the) )*(\w+)"
)
_NUMBERS: Final = frozenset({20, 21, 23, 700, 701, 1700})
"""Types of numbers, by their oid."""


def demands(question: Question, instance: Instance) -> int:
    """An answer that breaks a demand of the question on these rows is worse than one that breaks none.

    'How many people live in Gelderland' answered with two rows; 'the different names' with one name twice;
    'sales above 300000' where the row that only one counts has fewer.
    """
    if is_open(instance):
        return 0
    asked = _lower(question)
    first, second = (_breaks(asked, instance, place) for place in (0, 1))
    return int(second) - int(first)


def grain(question: Question, instance: Instance) -> int:
    """What has more rows for each thing asked for, or counts more things than there are, is worse.

    'Which regions' with a row for each country of a region; 'how many dogs were treated' with 2 where the
    rows hold one dog.
    """
    if is_open(instance):
        return 0
    asked = _lower(question)
    first, second = (_counts_more(asked, instance, place) for place in (0, 1))
    if first != second:
        return int(second) - int(first)
    return 0 if _ALL.search(asked) else _fewer_for_each(*instance.answers[:2])


def is_open(instance: Instance) -> bool:
    """Whether one of the two may answer otherwise as well, and count other rows, as ties fall."""
    return not instance.open_answers.isdisjoint({0, 1})


def _lower(question: Question) -> str:
    return " ".join(question.text.lower().split())


def _breaks(asked: str, instance: Instance, place: int) -> bool:
    answer = instance.answers[place]
    repeats = len(set(answer.rows)) < len(answer.rows)
    one = _ONE_NUMBER.search(asked) and not _GROUPED.search(asked)
    few = _FIRST_FEW.search(asked)
    return bool(
        (one and len(answer.rows) != 1)
        or (few and len(answer.rows) > _read(few[1] or few[2]))
        or (_DIFFERENT.search(asked) and repeats)
        or (_FOR_EACH.search(asked) and _repeats_a_group(answer, instance))
        or _counts_what_is_outside(asked, instance, place)
    )


def _read(number: str) -> int:
    return _WORDS.get(number) or int(number)


def _repeats_a_group(answer: ResultSet, instance: Instance) -> bool:
    """Whether what stands beside numbers, the group, stands there more often than in any table that has it.

    Two things of one name are two groups.
    """
    groups = [n for n, column in enumerate(answer.columns) if column.type_oid not in _NUMBERS]
    if not 0 < len(groups) < len(answer.columns):
        return False
    for group, times in Counter(tuple(row[n] for n in groups) for row in answer.rows).items():
        there = [
            sum(set(group) <= set(row.cells) for row in table.rows) for table in instance.tables if times > 1
        ]
        if times > min(filter(None, there), default=times):
            return True
    return False


def _counts_what_is_outside(asked: str, instance: Instance, place: int) -> bool:
    """Whether a row that this one alone counts meets no comparison of the question with its own value."""
    if _DENIED.search(asked):
        return False
    for table in instance.tables:
        for n, column in enumerate(table.columns):
            held = [
                (compare, _number(found[1].replace(",", "")))
                for pattern, compare in _COMPARED
                for found in pattern.finditer(asked)
                if _named(column, asked[max(0, found.start() - _NEAR) : found.start()])
            ]
            own = [row.cells[n] for row in table.rows if row.counted_by == (place,)]
            values = [value for value in map(_number, own if held else ()) if value is not None]
            if any(
                not any(limit is not None and compare(v, limit) for compare, limit in held) for v in values
            ):
                return True
    return False


def _named(column: ResultColumn, words: str) -> bool:
    spoken = {_singular(word) for word in re.findall(r"[a-z]+", words)}
    return column.type_oid in _NUMBERS and any(
        len(part) > 2 and _singular(part) in spoken for part in column.name.lower().split("_")
    )


def _number(cell: Cell) -> Decimal | None:
    try:
        return None if cell is None else Decimal(cell)
    except InvalidOperation:
        return None


def _counts_more(asked: str, instance: Instance, place: int) -> bool:
    """Whether one count is above the number of things of that name in all rows."""
    answer, found = instance.answers[place], _COUNTED.search(asked)
    if found is None or len(answer.rows) != 1 or _GROUPED.search(asked):
        return False
    counts = [_number(c) for c, of in zip(answer.rows[0], answer.columns, strict=True) if of.type_oid == 20]
    thing = _singular(found[1])
    there = [len(table.rows) for table in instance.tables if _singular(table.name.lower()) == thing]
    if not there:
        keys = {thing + ending for ending in ("", "_id", "id", "_code", "code", "_name", "name")}
        there = [
            len({row.cells[n] for row in table.rows} - {None})
            for table in instance.tables
            for n, column in enumerate(table.columns)
            if column.name.lower() in keys
        ]
    return len(counts) == 1 and counts[0] is not None and bool(there) and counts[0] > max(there)


def _fewer_for_each(first: ResultSet, second: ResultSet) -> int:
    """1 where both show the same things and the second has more rows for them; -1 where the first has."""
    for one in _things(first):
        for other in _things(second):
            if set(one) == set(other) and len(one) != len(other):
                return 1 if len(one) < len(other) else -1
    return 0


def _things(answer: ResultSet) -> list[tuple[Cell, ...]]:
    """Columns that can name things: all values, no plain numbers."""
    columns = zip(answer.columns, zip(*answer.rows, strict=True), strict=False) if answer.rows else ()
    return [
        cells
        for column, cells in columns
        if None not in cells and (column.type_oid not in _NUMBERS or column.name.lower().endswith("id"))
    ]


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
