"""Values that a column could hold: they fit its type, and are near to what they should be near to."""

import pytest

from askwire.selector.instances.synthetic.values import meeting, near, ordinary, other, takes_any
from askwire.sql.catalog import Column

INT = Column("a", "integer", 23, "N", 1)
SMALL = Column("a", "smallint", 21, "N", 1)
PRICE = Column("a", "numeric(4,2)", 1700, "N", 1)
REAL = Column("a", "double precision", 701, "N", 1)
WORD = Column("a", "character varying(4)", 1043, "S", 1)
DAY = Column("a", "date", 1082, "D", 1)
MOOD = Column("a", "mood", 99999, "E", 1, enum_labels=("sad", "happy"))
YES = Column("a", "boolean", 16, "B", 1)
POSITIVE = Column("a", "positive", 23, "N", 1)
THING = Column("a", "point", 600, "G", 1)


@pytest.mark.parametrize(
    ("column", "constant", "values"),
    [
        (INT, "5", ["5", "4", "6"]),
        (INT, "2147483647", ["2147483647", "2147483646"]),
        (SMALL, "40000", []),
        (INT, "five", []),
        (PRICE, "99.5", ["99.50", "98.50"]),
        (PRICE, "5.255", ["5.26", "4.26", "6.26"]),
        (PRICE, "NaN", []),
        (INT, "NaN", []),
        (REAL, "-Infinity", ["-Infinity"]),
        (REAL, "1e-7", ["0.0000001", "-0.9999999", "1.0000001"]),
        (WORD, "abc", ["abc", "abcs", "xabc", "ABC"]),
        (WORD, "abcde", []),
        (DAY, "2024-03-01", ["2024-03-01", "2024-02-29", "2024-03-02"]),
        (DAY, "soon", []),
        (WORD, "2009", ["2009", "2008", "2010"]),
        (POSITIVE, "5", []),
        (MOOD, "happy", ["happy"]),
        (MOOD, "mad", []),
        (YES, "t", ["t", "f"]),
        (THING, "(1,2)", []),
    ],
)
def test_near(column: Column, constant: str, values: list[str]) -> None:
    assert list(near(column, constant)) == values


@pytest.mark.parametrize("column", [INT, SMALL, PRICE, WORD, DAY])
def test_others_differ(column: Column) -> None:
    cell = ordinary(column)
    assert cell is not None
    assert other(column, cell, 1) not in {cell, None}
    assert other(column, cell, 101) != other(column, cell, 102)


def test_a_type_we_make_nothing_up_for() -> None:
    assert other(THING, "(1,2)", 1) is None
    assert ordinary(THING) is None
    assert ordinary(MOOD) == "sad"


@pytest.mark.parametrize(
    ("operator", "first"), [("=", "5"), ("<", "4"), ("<=", "4"), (">", "6"), (">=", "6"), ("<>", "6")]
)
def test_a_value_that_meets_the_comparison_comes_first(operator: str, first: str) -> None:
    found = meeting(INT, "5", operator)
    assert found[0] == first
    assert sorted(found) == ["4", "5", "6"]


def test_nothing_is_made_up_for_a_domain() -> None:
    assert not takes_any(POSITIVE)
    assert all(map(takes_any, (INT, PRICE, WORD, DAY, MOOD, YES, THING)))
    assert other(POSITIVE, "5", 1) is None
    assert ordinary(POSITIVE) is None
