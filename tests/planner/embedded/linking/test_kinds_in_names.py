"""A plural in which the names of many rows end says what these rows are."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

NAMES = ("Corner Bookshop", "Eastgate Bookshop", "Inkwell Bookshop", "Lomax and Sons", "Tolliver Bookshop")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("bookshops in Leeds", "SELECT nm FROM outlet WHERE city = 'Leeds'"),
        ("how many bookshops are there in Leeds?", "SELECT count(*) FROM outlet WHERE city = 'Leeds'"),
        ("the city of Inkwell Bookshop", "SELECT city FROM outlet WHERE nm = 'Inkwell Bookshop'"),
    ],
)
async def test_the_rows_are_named_by_what_their_names_end_in(question, sql, plan, make_table):
    outlets = Catalog((make_table(1, "outlet", "id:id nm:text city:text"),))
    values = {("outlet", "nm"): NAMES, ("outlet", "city"): ("Leeds", "York")}
    first = (await EmbeddedEngine().propose(plan(question, outlets, values)))[0]
    assert first.sql == sql
