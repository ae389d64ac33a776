"""Values of tables with millions of rows: found by an index, or compared where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.large_tables import LONG_ROWS, MAX_COMPARED, cases
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog

HELD = {("customers", "name"): ("Acme Tools", "Harper & Sons"), ("customers", "code"): ("KX-4711",)}


@pytest.fixture
def found(plan, make_table):
    """The values found for a question, and what was read, of customers of so many rows and so indexed."""

    async def ask(question, rows, indexed=(), change=None):
        table = make_table(1, "customers", "id:id name:text code:text state:text", rows=rows)
        table = replace(table, indexed=indexed)
        if change is not None:
            table = replace(table, columns=tuple(map(change, table.columns)))
        planning = plan(question, Catalog((table,)), HELD)
        hits = await look_up(planning.executor, build(planning.catalog), tokenize(question))
        return {hit.stored for hit in hits}, planning.executor.last.reads

    return ask


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("orders of Acme Tools", "Acme Tools"),
        ("orders of acme tools", "Acme Tools"),
        ("orders of 'Harper & Sons'", "Harper & Sons"),
        ("when did harper & sons order", "Harper & Sons"),
        ("price of kx-4711", "KX-4711"),
    ],
)
async def test_an_index_finds_a_value_among_any_number_of_rows(found, question, value):
    values, reads = await found(question, 1e9, ("name", "code"))
    assert values == {value}
    assert "lower" not in "".join(reads)


async def test_without_an_index_names_are_compared_in_a_few_million_rows(found):
    values, reads = await found("orders of Acme Tools", MAX_COMPARED / 3)
    assert values == {"Acme Tools"}
    assert [read.count("SELECT DISTINCT") for read in reads] == [3]
    assert (await found("orders of acme tools", MAX_COMPARED / 3))[0] == {"Acme Tools"}
    assert await found("orders of Acme Tools", MAX_COMPARED * 2) == (set(), [])


@pytest.mark.parametrize("question", ["how many of them arrived late?", "how many customers since 2024?"])
async def test_words_and_numbers_that_are_no_names_are_not_compared(found, question):
    assert await found(question, MAX_COMPARED / 3) == (set(), [])


async def test_an_index_is_asked_before_rows_are_compared(found):
    """What it finds is not looked for again."""
    values, reads = await found("orders of Acme Tools", MAX_COMPARED / 3, ("name",))
    assert values == {"Acme Tools"}
    assert len(reads) == 1


async def test_what_statistics_know_in_full_is_not_read(found):
    def few(column):
        known = column.name == "state"
        return replace(column, distinct=2.0, common_values=("open", "Closed")) if known else column

    values, reads = await found("the Closed customers called Acme Tools", MAX_COMPARED / 3, change=few)
    assert values == {"Closed", "Acme Tools"}
    assert "state" not in "".join(reads)


async def test_of_fixed_width_a_column_is_compared_and_its_index_is_not_asked(found):
    def fixed(column):
        return replace(column, type_oid=1042) if column.name == "name" else column

    assert (await found("orders of Acme Tools", 1e9, ("name",), fixed)) == (set(), [])
    assert (await found("orders of Acme Tools", MAX_COMPARED / 3, ("name",), fixed))[0] == {"Acme Tools"}


async def test_columns_with_values_off_are_not_read(found):
    def off(column):
        return replace(column, values_off=True)

    assert await found("orders of Acme Tools", 1e9, ("name", "code"), off) == (set(), [])


async def test_parents_of_other_tables_have_no_index_over_all_rows(plan, make_table):
    parent = replace(
        make_table(1, "customers", "id:id name:text", rows=1e9), indexed=("name",), children=(2,)
    )
    planning = plan("orders of Acme Tools", Catalog((parent,)), HELD)
    assert await look_up(planning.executor, build(planning.catalog), tokenize("orders of Acme Tools")) == ()
    assert planning.executor.last.reads == []


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("acme tools", ("acme tools", "Acme Tools", "Acme tools", "ACME TOOLS")),
        ("McDonald's", ("McDonald's", "MCDONALD'S", "mcdonald's")),
    ],
)
def test_letter_cases_in_which_a_value_may_be_stored(said, stored):
    assert cases(said) == stored


async def test_of_a_long_table_letter_case_is_ignored_only_for_words_that_are_not_found(found):
    """Lower case of each value takes ten times as long as comparing it."""
    values, reads = await found("acme tools in 2025", LONG_ROWS * 2)
    assert values == {"Acme Tools"}
    assert "lower" not in "".join(reads)
    values, reads = await found("aCme toolS in 2025", LONG_ROWS * 2)
    assert values == {"Acme Tools"}
    assert "lower" in reads[-1]


async def test_values_that_statistics_hold_are_known_of_a_long_table_too(found):
    def few(column):
        known = column.name == "state"
        return replace(column, distinct=3.0, common_values=("on HOLD",)) if known else column

    assert (await found("customers on hold in 2025", LONG_ROWS * 2, change=few))[0] == {"on HOLD"}
