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
        (
            "how many stays does each guest have?",
            "SELECT g.name, count(*) AS number_of_stays FROM guests AS g JOIN stays AS s ON s.guest_id = g.id"
            " WHERE g.deleted_at IS NULL AND s.hidden = false GROUP BY g.id, g.name ORDER BY count(*) DESC",
        ),
        # what was taken in stays what it was
        (
            "average nights per city",
            "SELECT g.city, avg(s.nights) AS average_nights FROM guests AS g"
            " JOIN stays AS s ON s.guest_id = g.id WHERE s.hidden = false"
            " GROUP BY g.city ORDER BY avg(s.nights) DESC",
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


async def test_leaving_them_out_is_no_reading_of_another_word(hotel, plan):
    """'Open guests' are not all that are shown."""
    both = hotel(_SOFT), hotel("")
    for question in ("how many open guests are there?", "how many guests have left?"):
        shown, all_of_them = [await EmbeddedEngine().propose(plan(question, c, {})) for c in both]
        assert shown[0].signals["bearing"] == all_of_them[0].signals["bearing"] > 0
