"""Rules on a few rows: which of two statements they favour, and where they have nothing to say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.types import Question, ResultColumn, ResultSet, Row
from askwire.selector.instances import Identity, Instance, InstanceRow, InstanceTable
from askwire.selector.row_rules import ROW_RULES

COLUMN = ResultColumn("name", 25)
QUESTION = Question("Which different flights does Jetblue Airways have?")


def answers(*cells: str | None) -> ResultSet:
    return ResultSet((COLUMN,), tuple((cell,) for cell in cells))


def instance(first: ResultSet, second: ResultSet, *rows: tuple[Row, tuple[int, ...]]) -> Instance:
    table = InstanceTable(
        oid=1,
        schema="public",
        name="airline",
        identity=Identity.PRIMARY_KEY,
        key_columns=("name",),
        columns=(COLUMN,),
        used=frozenset({"name"}),
        rows=tuple(InstanceRow(cells, cells, counted) for cells, counted in rows),
    )
    return Instance((table,), (first, second))


CASES = {
    "value rows": instance(answers("a"), answers(), (("JetBlue Airways",), (0,)), (("Delta",), (1,))),
    "nulls shown": instance(answers("a"), answers("a", None)),
    "repeated rows": instance(answers("a", "b"), answers("a", "a", "b")),
    "nothing shown": instance(answers("a"), answers("0")),
    "demands": instance(answers("a", "b"), answers("a", "b", "b")),
    "grain": instance(answers("a", "b"), answers("a", "b", "b")),
}
"""By rule, rows that speak for the first."""


def turned(shown: Instance) -> Instance:
    (table,) = shown.tables
    rows = tuple(replace(row, counted_by=tuple(1 - n for n in row.counted_by)) for row in table.rows)
    return replace(shown, tables=(replace(table, rows=rows),), answers=shown.answers[::-1])


def test_every_rule_has_a_case() -> None:
    assert CASES.keys() == ROW_RULES.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_rule_speaks_for_the_one_that_fits(name: str) -> None:
    assert ROW_RULES[name](QUESTION, CASES[name]) == 1
    assert ROW_RULES[name](QUESTION, turned(CASES[name])) == -1


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("side", [0, 1])
def test_a_rule_says_nothing_where_ties_leave_an_answer_open(name: str, side: int) -> None:
    assert ROW_RULES[name](QUESTION, replace(CASES[name], open_answers=frozenset({side}))) == 0


def test_rows_that_all_are_asked_for_may_repeat() -> None:
    assert ROW_RULES["repeated rows"](Question("List all flights"), CASES["repeated rows"]) == 0
