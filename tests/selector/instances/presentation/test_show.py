"""Instances as they are read: which columns, which words, and what a mask keeps back."""

from __future__ import annotations

import json
from dataclasses import replace

from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.instances.presentation.drawing import shown_columns
from askwire.selector.instances.presentation.show import WITHHELD, as_json, text
from askwire.selector.instances.types import (
    Identity,
    Instance,
    InstanceRow,
    InstanceTable,
    Outcome,
    Separation,
)

INT, TEXT, BIGINT = 23, 25, 20
LATE = "SELECT count(*) FROM orders WHERE status = 'late'"
OVERDUE = "SELECT count(*)\n  FROM orders\n  WHERE shipped > required"

ORDERS = InstanceTable(
    oid=1,
    schema="public",
    name="orders",
    identity=Identity.PRIMARY_KEY,
    key_columns=("id",),
    columns=(
        ResultColumn("status", TEXT),
        ResultColumn("note", TEXT),
        ResultColumn("shipped", 1082),
        ResultColumn("id", INT),
    ),
    used=frozenset({"status", "shipped", "id"}),
    rows=(
        InstanceRow(("9120",), ("late", "secret", None, "9120"), counted_by=(0,)),
        InstanceRow(("8",), ("shipped", "x", "2025-03-09", "8"), counted_by=(0, 1)),
    ),
)


def count(number: str) -> ResultSet:
    return ResultSet((ResultColumn("count", BIGINT),), ((number,),))


INSTANCE = Instance((ORDERS,), (count("1"), count("0")))
SEPARATED = Separation(Outcome.SEPARATED, (LATE, OVERDUE), INSTANCE)


def test_made_up_rows_of_a_table_with_row_security_say_what_they_are_not_held_against() -> None:
    guarded = replace(ORDERS, row_security=True)
    told = text(replace(SEPARATED, instance=replace(INSTANCE, tables=(guarded,), synthetic=True)))
    assert "Row-level security filters orders; made-up rows are not held against it." in told
    assert "Row-level" not in text(replace(SEPARATED, instance=replace(INSTANCE, tables=(guarded,))))


def test_a_person_reads_the_rows_by_table_and_both_answers_below() -> None:
    assert text(SEPARATED) == (
        "The two queries differ on 2 rows of your data; without any one of these rows they agree.\n"
        "\n"
        "orders\n"
        "  id  | status  |  shipped\n"
        "------+---------+------------\n"
        " 9120 | late    | (null)      <- query 1 counts it, 2 does not\n"
        "    8 | shipped | 2025-03-09  <- both count it\n"
        "(2 rows)\n"
        "\n"
        "Query 1 on these rows: SELECT count(*) FROM orders WHERE status = 'late'\n"
        " count\n"
        "-------\n"
        "     1\n"
        "(1 row)\n"
        "\n"
        "Query 2 on these rows: SELECT count(*) FROM orders WHERE shipped > required\n"
        " count\n"
        "-------\n"
        "     0\n"
        "(1 row)\n"
    )


def test_only_keys_and_used_columns_are_shown_keys_first() -> None:
    assert [c.name for c in shown_columns(ORDERS)] == ["id", "status", "shipped"]


def test_all_columns_are_shown_where_nothing_says_which_matter() -> None:
    bare = replace(ORDERS, key_columns=(), used=frozenset())
    assert shown_columns(bare) == ORDERS.columns


def shown_value(value: Cell) -> str:
    row = InstanceRow(("1",), (value, "", None, "1"))
    table = replace(ORDERS, rows=(row,))
    return text(replace(SEPARATED, instance=replace(INSTANCE, tables=(table,))))


def test_a_long_value_is_cut_and_says_so() -> None:
    shown = shown_value("x" * 500)
    assert "x" * 47 + "… |" in shown
    assert "x" * 48 not in shown


def test_a_value_can_neither_break_the_table_nor_reach_the_terminal() -> None:
    shown = shown_value("two\nlines\x1b[31m\u202e")
    assert "two↵lines·[31m·" in shown


def test_wide_characters_keep_columns_straight() -> None:
    rows = shown_value("東京").splitlines()
    header, row = rows[3], rows[5]
    # two characters take four places
    assert row.index("|", row.index("東")) == header.index("|", header.index("|") + 1) - 2


def test_rows_keep_the_order_of_the_instance() -> None:
    told = json.loads(json.dumps(as_json(SEPARATED)))
    assert [r["values"]["id"] for r in told["instance"]["tables"][0]["rows"]] == ["9120", "8"]


def test_tables_of_one_name_say_their_schema() -> None:
    other = replace(ORDERS, schema="archive", rows=())
    shown = text(replace(SEPARATED, instance=replace(INSTANCE, tables=(ORDERS, other))))
    assert "public.orders" in shown
    assert "archive.orders" in shown


def test_a_made_up_row_says_what_is_not_real() -> None:
    row = replace(ORDERS.rows[0], changed=("status",))
    witness = Instance((replace(ORDERS, rows=(row,)),), (count("1"), count("0")), synthetic=True)
    shown = text(Separation(Outcome.EQUAL, (LATE, OVERDUE), witness=witness))
    assert "which are made up" in shown
    assert "<- made up: status" in shown


def test_an_outcome_without_rows_is_one_sentence_with_its_reason() -> None:
    for outcome in (Outcome.EQUAL, Outcome.TIE_ORDER, Outcome.NOT_SEPARATED):
        shown = text(Separation(outcome, (LATE, OVERDUE), reason="the budget is spent"))
        assert shown.count("\n") == 1
        assert "the budget is spent." in shown


def test_what_could_not_be_excluded_is_said() -> None:
    doubtful = replace(INSTANCE, minimal=False, all_orders=False, orders_checked=720)
    shown = text(replace(SEPARATED, instance=doubtful, by_value=("a recursive CTE",)))
    assert "without any one of these rows" not in shown
    assert "There may be fewer rows" in shown
    assert "720 orders" in shown
    assert "a recursive CTE" in shown


def test_json_counts_queries_from_one_and_is_json() -> None:
    told = json.loads(json.dumps(as_json(SEPARATED)))
    assert told["outcome"] == "separated"
    assert told["queries"] == [LATE, OVERDUE]
    assert told["instance"]["tables"] == [
        {
            "name": "orders",
            "key": ["id"],
            "rows": [
                {
                    "values": {"id": "9120", "status": "late", "shipped": None},
                    "counted_by": [1],
                    "made_up": [],
                },
                {
                    "values": {"id": "8", "status": "shipped", "shipped": "2025-03-09"},
                    "counted_by": [1, 2],
                    "made_up": [],
                },
            ],
        }
    ]
    assert [a["rows"] for a in told["instance"]["answers"]] == [[["1"]], [["0"]]]


def hide_status(_schema: str, _table: str, column: str, cell: Cell) -> Cell:
    return "***" if column == "status" and cell is not None else cell


def test_a_mask_covers_rows_and_whatever_an_answer_may_have_made_of_them() -> None:
    answers = (
        ResultSet((ResultColumn("a", TEXT), ResultColumn("b", TEXT)), (("late", "9120"),)),
        ResultSet((ResultColumn("a", TEXT), ResultColumn("b", TEXT)), (("LATE", None),)),
    )
    masked = as_json(replace(SEPARATED, instance=replace(INSTANCE, answers=answers)), hide_status)
    instance = json.loads(json.dumps(masked["instance"]))
    assert "late" not in json.dumps(instance).lower()
    assert [a["rows"] for a in instance["answers"]] == [[[WITHHELD, "9120"]], [[WITHHELD, None]]]
