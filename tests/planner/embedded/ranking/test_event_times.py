"""What somebody did at a time is not told by when they joined."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]


@pytest.fixture
def firm(make_table: MakeTable) -> Catalog:
    return Catalog(
        (
            make_table(1, "customers", "id:id name:text joined_on:date left_on:date?"),
            make_table(2, "machines", "id:id name:text installed_on:date"),
            make_table(3, "visits", "id:id customer_id:id day:date", keys={"customer_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("how many customers called in 2024", "called"),
        ("customers who logged in during 2024", "logged"),
        ("customers who have complained since 2024", "complained"),
        ("machines repaired in 2024", "repaired"),
        ("customers who enrolled in 2022 and left", "enrolled"),
    ],
)
async def test_the_answer_is_not_sure(question: str, verb: str, firm: Catalog, plan: Plans) -> None:
    for candidate in await EmbeddedEngine().propose(plan(question, firm, {})):
        assert candidate.confidence is not None
        assert candidate.confidence <= MAX_PARTIAL_CONFIDENCE, candidate.sql
    best = (await EmbeddedEngine().propose(plan(question, firm, {})))[0]
    assert verb in best.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many customers joined in 2024", "SELECT count(*) FROM customers WHERE joined_on"),
        ("how many customers were acquired in 2024", "SELECT count(*) FROM customers WHERE joined_on"),
        ("machines installed in 2024", "SELECT name FROM machines WHERE installed_on"),
        ("customers who left in 2024", "SELECT name FROM customers WHERE left_on >="),
        ("machines made in 2024", "SELECT name FROM machines WHERE installed_on"),
        ("customers who visited in 2024", "v.day >="),
    ],
)
async def test_how_rows_came_is_told_by_their_time(
    question: str, sql: str, firm: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, firm, {})))[0]
    assert sql in best.sql
    assert best.confidence is not None
    assert best.confidence > MAX_PARTIAL_CONFIDENCE, best.uncovered


@pytest.fixture
def utility(make_table: MakeTable) -> Catalog:
    return Catalog(
        (
            make_table(1, "bills", "id:id billed_on:date status:text"),
            make_table(2, "invoices", "id:id sent_on:date"),
            make_table(3, "payments", "id:id invoice_id:id day:date amount:money", keys={"invoice_id": 2}),
        )
    )


@pytest.mark.parametrize(
    "question",
    [
        "bills paid by 31 March 2024",
        "bills not paid by 31 March 2024",
        "bills not paid off by the end of 2024",
        "how many bills were paid on or before 31 March 2024",
        "invoices not paid by 31 March 2024",
    ],
)
async def test_a_state_is_not_reached_by_the_date_of_another_deed(
    question: str, utility: Catalog, plan: Plans
) -> None:
    values = {("bills", "status"): ["paid", "open"]}
    for candidate in await EmbeddedEngine().propose(plan(question, utility, values)):
        assert candidate.confidence is not None
        assert candidate.confidence <= MAX_PARTIAL_CONFIDENCE, candidate.sql


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("invoices paid by 31 March 2024", "WHERE p.day < '2024-04-01'"),
        ("how many invoices were paid by 2024", "day < '2025-01-01'"),
        ("bills billed by 31 March 2024", "WHERE billed_on < '2024-04-01'"),
    ],
)
async def test_a_bound_is_of_the_time_of_the_deed(
    question: str, where: str, utility: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, utility, {})))[0]
    assert where in best.sql
    assert best.confidence is not None
    assert best.confidence > MAX_PARTIAL_CONFIDENCE, best.uncovered
