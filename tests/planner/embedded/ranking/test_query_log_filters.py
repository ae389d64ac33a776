"""Filters and measures of people's own queries, in what the engine proposes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.core.types import Candidate
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.query_log_measures import customary
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import QueryPatterns, told

Plans = Callable[..., ExpertContext]
Tables = Callable[..., Relation]
Propose = Callable[..., Awaitable[Sequence[Candidate]]]
HERE = "deleted_at IS NULL"
ALONE = [f"SELECT {what} FROM users WHERE {HERE}" for what in ("count(*)", "name", "id, name", "email")]
SOLD = "SELECT sum(quantity * price) AS revenue FROM sales"


@pytest.fixture
def status(make_table: Tables) -> Catalog:
    return Catalog(
        (
            make_table(1, "users", "id:id name:text email:text fake:bool deleted_at:date? plan:text"),
            make_table(
                2,
                "sales",
                "id:id buyer_id:id seller_id:id quantity:int price:money paid_at:date? sold_on:date",
                keys={"buyer_id": 1, "seller_id": 1},
            ),
        )
    )


@pytest.fixture
def propose(plan: Plans, status: Catalog) -> Propose:
    async def asked(
        question: str, *written: str, literals: bool = False, view: str = ""
    ) -> Sequence[Candidate]:
        query_patterns = QueryPatterns()
        for sql in written:
            query_patterns.add(observed(sql, status, literals=literals))
        planning = replace(plan(question, status, {}), query_patterns=query_patterns)
        return await EmbeddedEngine().propose(planning)

    return asked


async def test_a_filter_of_all_is_first_and_the_reading_without_it_next(propose: Propose) -> None:
    first, second, *_ = await propose("how many users are there", *ALONE)
    assert first.sql == "SELECT count(*) FROM users WHERE deleted_at IS NULL"
    assert second.sql == "SELECT count(*) FROM users"
    assert (first.confidence or 0.0) > (second.confidence or 0.0)
    assert "deleted_at IS NULL: 4 of 4 statements on users filter so" in first.reading
    assert first.cited[0] == "deleted_at IS NULL: 4 of 4 statements on users filter so"
    assert second.cited == ()


@pytest.mark.parametrize(
    "question",
    [
        "how many users are there including deleted ones",
        "how many users are there including test accounts",
        "how many users were there ever",
        "how many removed users are there",
        "how many users were deleted in 2025",
        "number of users by deleted at",
    ],
)
async def test_a_question_that_speaks_of_it_has_no_filter(propose: Propose, question: str) -> None:
    first = (await propose(question, *ALONE))[0]
    assert "deleted_at IS NULL" not in first.sql


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (ALONE[:2], None),
        ([*ALONE[:3], "SELECT plan FROM users"], 0),
        ([*ALONE[:3], "SELECT plan FROM users", "SELECT id FROM users"], 1),
        ([*ALONE[:3], *(f"SELECT {c} FROM users" for c in ("plan", "id", "name", "fake", "email"))], None),
        ([*ALONE[:3], "SELECT name FROM users WHERE deleted_at > '2025-01-01'"], 0),
    ],
    ids=["too few", "three of four", "three of five", "three of eight", "one that speaks of it"],
)
async def test_how_usual_it_is_decides_where_the_reading_stands(
    propose: Propose, written: list[str], place: int | None
) -> None:
    proposed = [c.sql for c in await propose("how many users are there", *written)]
    filtered = "SELECT count(*) FROM users WHERE deleted_at IS NULL"
    assert (proposed.index(filtered) if filtered in proposed else None) == place
    if place == 1:
        assert proposed[0] == "SELECT count(*) FROM users"


async def test_a_constant_needs_leave(propose: Propose) -> None:
    written = [f"SELECT {what} FROM users WHERE plan <> 'void'" for what in ("count(*)", "name", "id")]
    asked = "how many users are there"
    assert (await propose(asked, *written))[0].sql == "SELECT count(*) FROM users"
    first = (await propose(asked, *written, literals=True))[0]
    assert first.sql == "SELECT count(*) FROM users WHERE plan <> 'void'"
    spoken = (await propose("how many users are void", *written, literals=True))[0]
    assert "<> 'void'" not in spoken.sql


@pytest.mark.parametrize("spelt", ["NOT fake", "fake = false", "fake IS FALSE"])
async def test_truth_values_need_none(propose: Propose, spelt: str) -> None:
    written = [f"SELECT {what} FROM users WHERE {spelt}" for what in ("count(*)", "name", "id")]
    assert (await propose("how many users are there", *written))[0].sql.endswith("WHERE NOT fake")
    assert "NOT fake" not in (await propose("how many users are fake", *written))[0].sql


async def test_alternatives_stay_together(propose: Propose) -> None:
    either = "deleted_at IS NULL OR deleted_at > paid"
    written = [
        f"SELECT {w} FROM users WHERE {either.replace('paid', 'deleted_at')}" for w in ("id", "name", "plan")
    ]
    first = (await propose("how many users are there", *written))[0]
    assert first.sql.endswith("WHERE (deleted_at IS NULL OR deleted_at > deleted_at)")


async def test_what_is_measured_brings_its_own_filter(propose: Propose) -> None:
    paid = [
        f"SELECT {what} AS revenue FROM sales WHERE paid_at IS NOT NULL GROUP BY {by}"
        for what in ("sum(quantity * price)",)
        for by in ("buyer_id", "seller_id", "sold_on")
    ]
    assert (await propose("total revenue", *paid))[0].sql == (
        "SELECT sum(quantity * price) AS revenue FROM sales WHERE paid_at IS NOT NULL"
    )
    assert (await propose("how many sales are there", *paid))[0].sql == "SELECT count(*) FROM sales"


async def test_a_table_that_is_only_joined_is_not_filtered_by_what_it_is_alone(propose: Propose) -> None:
    first = (await propose("number of sales per buyer name", *ALONE))[0]
    assert "users AS" in first.sql
    assert "deleted_at" not in first.sql
    joined = "FROM sales s JOIN users u ON u.id = s.buyer_id WHERE u.deleted_at IS NULL GROUP BY 1"
    together = [
        f"SELECT u.name, {what} {joined}"
        for what in ("count(*)", "count(DISTINCT s.seller_id)", "max(s.sold_on)")
    ]
    together.append(together[0].replace("u.name", "u.email"))
    together.append(together[0].replace("u.name", "u.plan"))
    filtered = (await propose("number of sales per buyer name", *together))[0]
    assert "deleted_at IS NULL" in filtered.sql


async def test_queries_within_queries_are_filtered_too(propose: Propose) -> None:
    written = [
        f"SELECT {what} FROM sales WHERE paid_at IS NOT NULL" for what in ("id", "count(*)", "sold_on")
    ]
    first = (await propose("users who have no sales as buyer", *written))[0]
    assert "NOT IN (SELECT buyer_id FROM sales WHERE paid_at IS NOT NULL)" in first.sql


# -- measures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("revenue", "SELECT sum(quantity * price) AS revenue FROM sales"),
        ("what was the total revenue", "SELECT sum(quantity * price) AS revenue FROM sales"),
        ("average revenue", "SELECT avg((quantity * price)) FROM sales"),
    ],
)
async def test_a_measure_has_its_name(propose: Propose, question: str, sql: str) -> None:
    first = (await propose(question, SOLD, SOLD))[0]
    assert first.sql == sql
    assert "revenue: sum(quantity * price), as in 2 statements" in first.cited
    assert any(a.kind == "aggregate" and a.target == "sum(quantity * price)" for a in first.alignments)


async def test_an_average_of_several_columns_needs_its_joins(propose: Propose) -> None:
    written = (
        "SELECT sum(s.quantity * s.price) / count(DISTINCT u.id) AS avg_customer_value"
        " FROM sales s JOIN users u ON u.id = s.buyer_id"
    )
    first = (await propose("what is the average customer value", written, written))[0]
    assert "sum(s.quantity * s.price) / count(DISTINCT u.id) AS avg_customer_value" in first.sql
    assert "JOIN users AS u ON s.buyer_id = u.id" in first.sql


async def test_counts_decide_among_several_and_the_other_stays(propose: Propose) -> None:
    other = "SELECT sum(price) AS revenue FROM sales"
    proposed = await propose("total revenue", SOLD, SOLD, SOLD, other)
    assert proposed[0].sql == "SELECT sum(quantity * price) AS revenue FROM sales"
    assert "SELECT sum(price) AS revenue FROM sales" in [c.sql for c in proposed]


async def test_the_time_that_people_hold_beside_a_measure_is_its_time(propose: Propose) -> None:
    for time in ("paid_at", "sold_on"):
        month = f"date_trunc('month', {time})"
        written = f"SELECT {month}, sum(quantity * price) AS revenue FROM sales GROUP BY 1"
        first = (await propose("revenue per month", written, written))[0]
        assert month in first.sql


def test_which_names_count(status: Catalog) -> None:
    query_patterns = QueryPatterns()
    for output in (
        "sum(quantity * price) AS total_revenue",
        "sum(quantity * price) AS value",
        "sum(price) AS price",
        "max(sold_on) AS newest",
        "count(DISTINCT id) AS sales",
        "count(DISTINCT buyer_id) AS num_customers",
        "avg(quantity) AS basket_size",
    ):
        query_patterns.add(observed(f"SELECT {output} FROM sales", status))
    found = {" ".join(c.words): (c.aggregate, told(c.expression)) for c in customary(status, query_patterns)}
    assert found == {
        "revenue": ("sum", "sum(quantity * price)"),
        "customer": ("count", "count(DISTINCT buyer_id)"),
        "basket size": ("avg", "avg(quantity)"),
    }


async def test_of_two_keys_people_use_one(propose: Propose) -> None:
    for key in ("buyer_id", "seller_id"):
        written = f"SELECT u.name, count(*) FROM sales s JOIN users u ON u.id = s.{key} GROUP BY 1"
        first = (
            await propose("number of sales per user", written, written, written.replace("name", "plan"))
        )[0]
        assert f"{key} = u.id" in first.sql


@pytest.mark.parametrize(
    ("condition", "first"),
    [
        ("sold_on > '2025-01-01'", False),
        ("seller_id = 7", False),
        ("quantity <> 0", True),
        ("paid_at IS NOT NULL", True),
    ],
)
async def test_a_constant_that_picks_some_rows_is_only_offered(
    propose: Propose, condition: str, first: bool
) -> None:
    written = [f"SELECT {what} FROM sales WHERE {condition}" for what in ("count(*)", "id", "price")]
    proposed = await propose("how many sales are there", *written, literals=True)
    filtered = [" WHERE " in candidate.sql for candidate in proposed[:2]]
    assert filtered == [first, not first]


NET = ["SELECT sum(price) - sum(quantity) AS net_revenue FROM sales"] * 4


async def test_a_bound_on_a_measure_is_one_on_groups(propose: Propose) -> None:
    found = await propose("sellers with net revenue above 500", *NET)
    assert "HAVING sum(s.price) - sum(s.quantity) > 500" in found[0].sql
    assert all("WHERE sum(" not in c.sql for c in found)


async def test_a_text_is_in_no_order_of_numbers(propose: Propose) -> None:
    try:
        found = await propose("plans with more than 500 in net revenue", *NET)
    except BeyondEngine:
        found = ()
    assert all("> '500'" not in c.sql for c in found)


async def test_what_is_usually_missing_is_not_sorted_by_unsaid(propose: Propose) -> None:
    for found in await propose("who is the oldest user", *ALONE):
        assert "IS NULL ORDER BY deleted_at" not in found.sql.replace("\n", " ")
        assert "deleted_at" not in found.sql or (found.confidence or 0.0) < 0.4
    said, *_ = await propose("how many users were there per deleted at date", *ALONE)
    assert "GROUP BY" in said.sql
    assert HERE not in said.sql
