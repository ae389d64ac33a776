"""Rows and what each reading returns on them, small enough for a message."""

from __future__ import annotations

from dataclasses import replace

from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.instances.presentation.compared import MAX_TABLE_WIDTH, MOST_ROWS, compared
from askwire.selector.instances.types import Identity, Instance, InstanceRow, InstanceTable

INT, TEXT, BIGINT = 23, 25, 20


def table(name: str, *rows: InstanceRow, columns: str = "id name") -> InstanceTable:
    made = tuple(ResultColumn(c, INT if c == "id" else TEXT) for c in columns.split())
    return InstanceTable(
        oid=1,
        schema="public",
        name=name,
        identity=Identity.PRIMARY_KEY,
        key_columns=("id",),
        columns=made,
        used=frozenset(c.name for c in made),
        rows=rows,
    )


def row(*cells: Cell, by: tuple[int, ...] = (0, 1), changed: tuple[str, ...] = ()) -> InstanceRow:
    return InstanceRow(cells[:1], cells, by, changed)


def answer(columns: str, *rows: tuple[Cell, ...], oid: int = TEXT, truncated: bool = False) -> ResultSet:
    return ResultSet(tuple(ResultColumn(c, oid) for c in columns.split()), rows, truncated=truncated)


ONE = table("products", row("13", "Carafe"))


def test_single_values_stand_in_one_sentence() -> None:
    counts = answer("count", ("1",), oid=BIGINT), answer("count", ("0",), oid=BIGINT)
    assert compared(Instance((ONE,), counts)) == [
        "products",
        " id |  name",
        "----+--------",
        " 13 | Carafe",
        "reading 1 returns 1, reading 2 returns 0",
    ]
    texts = answer("name", ("Carafe",)), answer("name"), answer("name", (None,))
    assert compared(Instance((ONE,), texts), (1, 4, 7))[-1] == (
        "reading 1 returns 'Carafe', reading 4 returns no row, reading 7 returns (null)"
    )


def test_answers_with_other_columns_are_tables_and_nobody_is_said_to_count_a_row() -> None:
    told = compared(
        Instance((ONE,), (answer("name", ("Carafe",)), answer("id name", ("13", "Carafe")))), (1, 3)
    )
    assert told[4:] == [
        "reading 1 returns",
        "  name",
        "--------",
        " Carafe",
        "reading 3 returns",
        " id |  name",
        "----+--------",
        " 13 | Carafe",
    ]
    assert "count" not in "\n".join(told)


def test_where_no_reading_returns_a_row_their_columns_are_what_differs() -> None:
    told = compared(Instance((ONE, table("orders")), (answer("name count"), answer("count"))))
    assert told[-2:] == [
        "no row of orders",
        "no reading returns a row of them; what differs are the columns: reading 1 (name, count), "
        "reading 2 (count)",
    ]


def test_of_several_rows_those_that_not_all_readings_count_say_so() -> None:
    rows = row("1", "a", by=(0,)), row("2", "b", by=(0, 1)), row("3", "c", by=())
    told = compared(Instance((table("t", *rows),), (answer("x", ("1",)), answer("x", ("2",)))), (1, 2))
    assert told[3:6] == ["  1 | a     <- reading 1 counts it, 2 does not", "  2 | b", "  3 | c"]


def test_where_it_is_the_same_for_all_rows_the_answers_say_it() -> None:
    rows = row("1", "a", by=(0,)), row("2", "b", by=(0,))
    told = compared(Instance((table("t", *rows),), (answer("x", ("1",)), answer("x"))))
    assert told[3:] == ["  1 | a", "  2 | b", "reading 1 returns '1', reading 2 returns no row"]


def test_a_made_up_row_says_what_is_not_real() -> None:
    made = Instance(
        (table("t", row("1", "a", changed=("name",))),), (answer("x", ("1",)), answer("x")), synthetic=True
    )
    assert "<- made up: name" in compared(made)[3]


def test_what_does_not_fit_is_left_out_and_said_what_differs_last() -> None:
    columns = " ".join(f"column_{n}" for n in range(20))
    one = [f"value {n} " + "x" * 60 for n in range(20)]
    two = [*one[:-1], "another"]
    told = compared(Instance((ONE,), (answer(columns, tuple(one)), answer(columns, tuple(two)))))
    assert max(map(len, told)) <= MAX_TABLE_WIDTH
    assert "column_19" in told[5]
    assert "another" in told[-2]
    assert told[-1] == "(without 17 more columns)"


def test_long_values_are_cut_only_as_far_as_the_table_needs() -> None:
    long = table("t", row("1", "x" * 40))
    assert "x" * 40 in compared(Instance((long,), (answer("x"), answer("x", ("1",)))))[3]
    wide = table("t", row("1", "x" * 40, "y" * 40), columns="id name note")
    told = compared(Instance((wide,), (answer("x"), answer("x", ("1",)))))[3]
    assert told == f"  1 | {'x' * 31}… | {'y' * 31}…"


def test_answers_that_look_alike_say_where_they_differ() -> None:
    long = "x" * 100
    told = compared(Instance((ONE,), (answer("n", (f"{long}1",)), answer("n", (f"{long}2",)))))
    assert told[-1] == "where these look alike they differ in what is cut off"


def test_many_rows_are_cut_and_said() -> None:
    rows = tuple(row(str(n), "a") for n in range(MOST_ROWS + 3))
    many = answer("id name", *((str(n), "a") for n in range(11)))
    told = compared(Instance((table("t", *rows),), (many, replace(many, truncated=True))))
    assert "and 3 more rows" in told
    assert "(the first 5 rows of 11)" in told
    assert "(the first 5 rows)" in told


def test_an_answer_that_ties_leave_open_says_so() -> None:
    tied = Instance((ONE,), (answer("n", ("a",)), answer("n", ("b",))), open_answers=frozenset({1}))
    assert "reading 2 returns, as one of several answers because rows tie" in compared(tied)


def test_values_cannot_break_the_table() -> None:
    told = compared(Instance((table("t", row("1", "a\nb\x1b")),), (answer("x"), answer("x\x1b", ("1\n2",)))))
    assert not any(character in line for line in told for character in "\n\x1b")
