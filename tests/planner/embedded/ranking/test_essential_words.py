"""Words that an answer cannot do without: where one has no place, the confidence stays below any answer."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.planner.embedded.ranking.essential_words import is_superlative
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("how many orders to California were tardy?", "tardy"),
        ("how many customers are insolvent?", "insolvent"),
        ("how many customers smoke?", "smoke"),
        ("how many customers answered late?", "late"),
        ("how many orders shipped late to Paris?", "late"),
        ("how many orders are still open?", "open"),
        ("orders nobody", "nobody"),
        ("how many customers have died?", "died"),
        ("number of customers who have emigrated", "emigrated"),
        ("which colour of customers is the most common?", "colour"),
        ("orders placed on 2024-02-31", "2024-02-31"),
        ("customers without late orders", "late"),
        ("customers who never had a big order", "big"),
        ("unpaid orders", "unpaid"),
        ("how many orders to springfield", "springfield"),
        ("number of unsold products by price", "unsold"),
        ("number of orders by status, also those without coupon", "also"),
        ("returned orders", "returned"),
        ("how many returned orders in 2024", "returned"),
        ("list archived customers", "archived"),
        ("average price of approved products", "approved"),
        ("how many orders were disputed in 2024", "disputed"),
        ("employees archived in 2024", "archived"),
        ("sold products", "sold"),
        ("customers vs", "vs"),
        ("products that cost more to make than they sell for", "than"),
        ("profit per category", "profit"),
        ("total margin for each product", "margin"),
        ("show me the profit by category", "profit"),
        ("how many inactive products", "inactive"),
        ("how many delayed or performed orders", "performed"),
    ],
)
async def test_a_word_that_bears_on_the_answer_is_told_and_holds_it_back(question, word, plan):
    candidates = await EmbeddedEngine().propose(plan(question))
    assert word in candidates[0].uncovered
    assert candidates[0].confidence is not None
    assert candidates[0].confidence <= MAX_PARTIAL_CONFIDENCE < 0.5


@pytest.mark.parametrize(
    "question",
    [
        "number of registered customers",
        "list all recorded orders",
        "customers who placed orders",
        "how many customers ordered products in 2024",
        "shipped orders",
    ],
)
async def test_what_holds_of_every_row_or_has_its_place_does_not(question, plan):
    candidates = await EmbeddedEngine().propose(plan(question))
    assert "bearing" not in candidates[0].signals


async def test_a_verb_that_only_ties_words_together_does_not(plan):
    candidates = await EmbeddedEngine().propose(plan("which customers dwell in Paris?"))
    assert candidates[0].uncovered == ("dwell",)
    assert candidates[0].confidence is not None
    assert candidates[0].confidence > MAX_PARTIAL_CONFIDENCE


async def test_readings_that_leave_out_the_same_word_do_not_add_up(plan):
    candidates = await EmbeddedEngine().propose(plan("who is the president of Paris?"))
    assert candidates[0].uncovered == ("president",)
    bearing = [c.confidence for c in candidates if "president" in c.uncovered]
    assert len(bearing) > 1
    assert sum(bearing) < 0.5


async def test_a_state_of_what_nobody_speaks_of_is_borrowed(plan):
    candidates = await EmbeddedEngine().propose(plan("discontinued orders"))
    assert all(c.confidence is not None and c.confidence < 0.4 for c in candidates)
    candidates = await EmbeddedEngine().propose(plan("discontinued products"))
    assert candidates[0].confidence is not None
    assert candidates[0].confidence > 0.5


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "customers in Paris and Oakland",
            "SELECT name FROM customers WHERE (city = 'Paris' OR city = 'Oakland')",
        ),
        ("products costing no more than 500", "SELECT name FROM products WHERE price <= 500"),
    ],
)
async def test_readings_that_hold_for_something(question, sql, plan):
    assert (await EmbeddedEngine().propose(plan(question)))[0].sql == sql


async def test_a_share_of_groups_that_have_it_all_is_none(plan, make_table):
    bookings = make_table(1, "bookings", "id:id booked_at:time cancelled_at:time?")
    found = await EmbeddedEngine().propose(plan("cancellation rate by month", Catalog((bookings,)), {}))
    for candidate in found:
        if "FILTER" in candidate.sql and "'month', cancelled_at" in candidate.sql:
            assert candidate.confidence is not None
            assert candidate.confidence < 0.4


async def test_what_says_how_things_stand_has_its_place(plan, make_table):
    tickets = make_table(1, "tickets", "id:id opened_at:time closed_at:time?")
    best = (
        await EmbeddedEngine().propose(plan("how many tickets are still open?", Catalog((tickets,)), {}))
    )[0]
    assert best.sql == "SELECT count(*) FROM tickets WHERE closed_at IS NULL"
    assert best.confidence is not None
    assert best.confidence > 0.5


@pytest.mark.parametrize(
    "question",
    [
        "which tickets are open?",
        "how many tickets are open?",
        "open tickets with agent",
        "how many tickets were abnormal per agent?",
    ],
)
async def test_what_rows_are_is_not_left_to_a_column_that_does_not_say_it(question, plan, make_table):
    """When a ticket was opened does not tell whether it is open."""
    tickets = make_table(1, "tickets", "id:id agent:text opened_at:time abnormality:text")
    for candidate in await EmbeddedEngine().propose(plan(question, Catalog((tickets,)), {})):
        assert candidate.confidence is not None
        assert candidate.confidence <= MAX_PARTIAL_CONFIDENCE, candidate.sql


@pytest.mark.parametrize(
    ("word", "highest"),
    [
        ("happiest", True),
        ("hottest", True),
        ("safest", True),
        ("interest", False),
        ("priest", False),
        ("west", False),
    ],
)
def test_a_superlative_is_known_by_its_form(word: str, highest: bool) -> None:
    assert is_superlative(word) is highest


@pytest.mark.parametrize("question", ["revenue to tea", "total revenue for tea"])
async def test_a_value_behind_a_preposition_is_not_passed_over(question, plan):
    """'Sales to kids', where 'Kids' is a category, are not all sales."""
    for candidate in await EmbeddedEngine().propose(plan(question)):
        assert "'Tea'" in candidate.sql or candidate.confidence <= MAX_PARTIAL_CONFIDENCE


async def test_a_share_of_two_kinds_is_of_both_together(plan):
    """Of each kind alone, all are of that kind."""
    values = {("orders", "status"): ("delayed", "shipped")}
    best = (await EmbeddedEngine().propose(plan("percentage of delayed vs shipped orders", values=values)))[0]
    assert "100.0 * count(*) / nullif(sum(count(*)) OVER (), 0)" in best.sql
    assert "FILTER" not in best.sql
