"""What goes on has no end yet: by the name of what ends it, or by what a comment says of an empty column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


def _commented(table: Relation, comments: dict[str, str]) -> Relation:
    return replace(table, columns=tuple(replace(c, comment=comments.get(c.name, "")) for c in table.columns))


@pytest.fixture
def desk(make_table: Callable[..., Relation]) -> Catalog:
    """Tickets whose comments say what an empty column means, of shops that may have closed."""
    shops = make_table(1, "shops", "id:id name:text opn_dt:date cls_dt:date?")
    tickets = make_table(
        2,
        "tickets",
        "id:id shop_id:id kind:text opn_ts:time cls_ts:time? agent:text?",
        keys={"shop_id": 1},
    )
    outages = make_table(3, "outages", "id:id strt_ts:time end_ts:time?")
    trees = make_table(4, "trees", "id:id shop_id:id kind:text died_on:date?", keys={"shop_id": 1})
    said = {"cls_ts": "NULL = still open", "agent": "who works on it, NULL = unassigned"}
    return Catalog((shops, _commented(tickets, said), outages, trees))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("which tickets are still open", "SELECT id FROM tickets WHERE cls_ts IS NULL"),
        ("open tickets", "SELECT id FROM tickets WHERE cls_ts IS NULL"),
        ("unassigned tickets", "SELECT id FROM tickets WHERE agent IS NULL"),
        ("how many shops are still open", "SELECT count(*) FROM shops WHERE cls_dt IS NULL"),
        ("outages still going on", "SELECT id FROM outages WHERE end_ts IS NULL"),
        ("ongoing outages", "SELECT id FROM outages WHERE end_ts IS NULL"),
        ("how many trees are still alive", "SELECT count(*) FROM trees WHERE died_on IS NULL"),
        ("trees that are no longer alive", "SELECT id FROM trees WHERE died_on IS NOT NULL"),
        (
            "shops with four or more living trees",
            "SELECT s.name FROM shops AS s JOIN trees AS t ON t.shop_id = s.id WHERE t.died_on IS NULL "
            "GROUP BY s.id, s.name HAVING count(*) >= 4",
        ),
        (
            "open tickets by kind",
            "SELECT kind, count(*) AS number_of_tickets FROM tickets WHERE cls_ts IS NULL "
            "GROUP BY kind ORDER BY count(*) DESC",
        ),
    ],
)
async def test_what_ends_it_is_empty(
    question: str, sql: str, desk: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, desk, {})))[0]
    assert best.sql == sql
    assert best.confidence is not None
    assert best.confidence > 0.6


@pytest.mark.parametrize(
    "comment",
    [
        "NULL until vetted",
        "NULL = never vetted",
        "NULL if nobody vetted it",
        "NULL = not yet vetted",
        "NULL means no one has vetted it",
    ],
)
async def test_what_a_comment_denies_of_an_empty_column_is_not_said_of_it(
    comment: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    tickets = _commented(make_table(1, "tickets", "id:id title:text xq_ts:time?"), {"xq_ts": comment})
    catalog = Catalog((tickets,))
    for proposal in await EmbeddedEngine().propose(plan("how many vetted tickets are there", catalog, {})):
        assert "IS NULL" not in proposal.sql or "vetted" in proposal.uncovered
