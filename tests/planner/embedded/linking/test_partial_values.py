"""Words within values: 'gas' is Natural gas, and a word of a long text is no value of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.partial_values import held
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


class Reader:
    """Answers each look-up with the values that one column holds."""

    def __init__(self, index, values):
        self.index = index
        self._values = values

    async def values(self, columns, how, wanted):
        return [(columns[-1].index, value) for value in self._values]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Promoted early", True),
        ("Hired as an associate, trained in sales, later promoted to lead of the northern region", False),
    ],
)
async def test_a_text_that_tells_of_something_is_no_state(value, found, make_table):
    """'promoted employees' was the one whose notes tell of a promotion."""
    index = build(Catalog((make_table(1, "employees", "id:id notes:text"),)))
    tokens = tokenize("promoted employees")
    columns = [c for c in index.columns if c.kind == "text"]
    hits = await held(Reader(index, [value]), columns, tokens, frozenset({1}), frozenset())
    assert [h.stored for h in hits] == ([value] if found else [])


@pytest.mark.parametrize(
    ("question", "found"), [("for travel permits", ["TRVL"]), ("and average permits", [])]
)
async def test_a_word_of_structure_is_no_kind_of_what_it_stands_before(question, found, make_table):
    """The average area of countries was that of Argentina."""
    permits = make_table(1, "permits", "id:id code:text")
    code = replace(permits.columns[1], common_values=("TRVL", "AVG", "SIGN"))
    index = build(Catalog((replace(permits, columns=(permits.columns[0], code)),)))
    columns = [c for c in index.columns if c.kind == "text"]
    hits = await held(Reader(index, []), columns, tokenize(question), frozenset({2}), frozenset())
    assert [h.stored for h in hits] == found


@pytest.mark.parametrize(
    ("question", "found"), [("vendor supplies the most", False), ("vendor Supplies", True)]
)
async def test_what_somebody_does_is_no_part_of_a_name(question, found, make_table):
    """'which vendor supplies the most products' asked for one called so in part."""
    index = build(Catalog((make_table(1, "vendors", "id:id name:text"),)))
    columns = [c for c in index.columns if c.kind == "text"]
    reader = Reader(index, ["Bike Repair & Supplies"])
    hits = await held(reader, columns, tokenize(question), frozenset({0}), frozenset())
    assert bool(hits) == found
