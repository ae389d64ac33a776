"""Remarks in comments: written behind what people wrote, and read back."""

from __future__ import annotations

import pytest

from askwire.sql.remarks import named_column, referred_to, refers_to, remark, with_remarks, without_remarks


def test_remarks_stand_behind_the_comment():
    assert (
        with_remarks("Customer No.", ["unit kg", "no values"]) == "Customer No. [found: unit kg; no values]"
    )
    assert with_remarks("", ["unit kg"]) == "[found: unit kg]"


def test_new_remarks_take_the_place_of_old_ones():
    old = with_remarks("Weight", ["unit kg"])
    assert with_remarks(old, ["unit g"]) == "Weight [found: unit g]"
    assert with_remarks(old, []) == "Weight"


@pytest.mark.parametrize("comment", ["", "Weight", "Weight [kg]", "see [found: here] and there"])
def test_other_comments_are_left_alone(comment):
    assert without_remarks(comment) == comment
    assert referred_to(comment) is None


@pytest.mark.parametrize(("table", "column"), [("customers", "id"), ('Big "C"', "Id No"), ("select", "ünit")])
def test_a_reference_is_read_back(table, column):
    told = with_remarks("Who", [refers_to(table, column), "unit kg"])
    assert referred_to(told) == (table, column)
    assert referred_to(with_remarks("Who", ["unit kg", refers_to(table, column)])) == (table, column)


def test_names_that_would_end_a_remark_are_not_written():
    assert refers_to("a;b", "id") == refers_to("a", "i]d") == ""


def test_a_text_cannot_pass_for_a_reference():
    told = with_remarks("", [remark("values x; refers to secrets.id, [y]")])
    assert told == "[found: values x, refers to secrets.id, (y)]"
    assert referred_to(told) is None


@pytest.mark.parametrize(
    ("comment", "named"),
    [
        ("sales rep, emp.emp_id", ("emp", "emp_id")),
        ("emp.emp_id", ("emp", "emp_id")),
        ("refers to emp.emp_id.", ("emp", "emp_id")),
        ('the line: "Order Lines"."No"', ("Order Lines", "No")),
        ("not emp.emp_id", None),
        ("deprecated: emp.emp_id", None),
        ("was emp.emp_id until 2019", None),
        ("how many times it was extended, not counted per emp.emp_id", None),
        ("emp.emp_id where owner_kind is E, else unit.unit_id", None),
        ("free text, often like rate.code", None),
        ("hash of emp.emp_id", None),
        ("https://emp.emp_id/x", None),
        ("one of a.b.c, or 3.14", None),
        ("the rep", None),
        ("whose [found: refers to emp.emp_id]", None),
    ],
)
def test_the_column_that_a_comment_names_is_read(comment, named):
    assert named_column(comment) == named
