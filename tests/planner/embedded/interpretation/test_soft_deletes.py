"""Rows that count as deleted are no part of what is listed or counted, unless the question speaks of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Relation


@pytest.fixture
def crm(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "accounts", "id:id name:text city:text deleted_at:time?"),
            make_table(
                2, "contacts", "id:id account_id:id email:text is_deleted:bool", keys={"account_id": 1}
            ),
            make_table(3, "invoices", "id:id account_id:id amount:money", keys={"account_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many accounts do we have?", "SELECT count(*) FROM accounts WHERE deleted_at IS NULL"),
        ("how many contacts are there?", "SELECT count(*) FROM contacts WHERE is_deleted IS NOT true"),
        (
            "which accounts have no contacts?",
            "SELECT name FROM accounts WHERE id NOT IN (SELECT account_id FROM contacts "
            "WHERE is_deleted IS NOT true) AND deleted_at IS NULL",
        ),
        ("how many accounts including deleted ones do we have?", "SELECT count(*) FROM accounts"),
    ],
)
async def test_they_are_left_out(
    question: str, sql: str, crm: Catalog, plan: Callable[..., Planning]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, crm, {})))[0]
    assert best.sql == sql
    assert ("deleted" in best.reading) == ("deleted" in sql)


async def test_what_is_only_joined_stays(crm: Catalog, plan: Callable[..., Planning]) -> None:
    best = (await EmbeddedEngine().propose(plan("total invoice amount by account", crm, {})))[0]
    assert "deleted" not in best.sql


async def test_deleted_rows_are_found_where_they_are_asked_for(
    crm: Catalog, plan: Callable[..., Planning]
) -> None:
    best = (await EmbeddedEngine().propose(plan("how many accounts were deleted?", crm, {})))[0]
    assert best.sql == "SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL"
