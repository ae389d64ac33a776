"""Rows that a comment says are hidden are neither listed nor counted, unless the question asks for them."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog


@pytest.fixture
def hotel(make_table):
    def made(comment: str) -> Catalog:
        return Catalog(
            (
                make_table(
                    1,
                    "guests",
                    "id:id name:text city:text deleted_at:time?",
                    comments={"deleted_at": comment},
                    rows=100,
                ),
                make_table(
                    2,
                    "stays",
                    "id:id guest_id:id nights:int hidden:bool",
                    keys={"guest_id": 1},
                    comments={"hidden": "entries with any value of true are not shown"},
                    rows=300,
                ),
            )
        )

    return made


_SOFT = "soft delete; rows with a value are hidden from reports"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many guests are there?", "SELECT count(*) FROM guests WHERE deleted_at IS NULL"),
        ("guests in Rome", "SELECT name FROM guests WHERE city = 'Rome' AND deleted_at IS NULL"),
        ("how many guests have been deleted?", "SELECT count(*) FROM guests WHERE deleted_at IS NOT NULL"),
        (
            "which guests have no stays?",
            "SELECT name FROM guests WHERE id NOT IN (SELECT guest_id FROM stays WHERE hidden = false)"
            " AND deleted_at IS NULL",
        ),
    ],
)
async def test_hidden_rows_are_left_out(question, sql, hotel, plan):
    found = await EmbeddedEngine().propose(plan(question, hotel(_SOFT), {("guests", "city"): ("Rome",)}))
    assert found[0].sql == sql


async def test_a_row_of_each_that_has_hidden_ones_alone_is_kept(hotel, plan):
    question = "number of stays per guest, also guests without any"
    found = await EmbeddedEngine().propose(plan(question, hotel(_SOFT), {}))
    assert "LEFT JOIN stays" in found[0].sql
    assert "FILTER (WHERE s.hidden = false)" in found[0].sql


@pytest.mark.parametrize("comment", ["", "when the account was closed", "set by the nightly job"])
async def test_without_such_a_comment_all_rows_count(comment, hotel, plan):
    found = await EmbeddedEngine().propose(plan("how many guests are there?", hotel(comment), {}))
    assert found[0].sql == "SELECT count(*) FROM guests"
