"""Figures of some rows only: averages of counts, amounts, the first few and breakdowns, with conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

VALUES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("invoices", "status"): ("overdue", "paid", "void"),
    ("invoices", "channel"): ("app", "web"),
    ("clients", "city"): ("Bristol", "Leeds"),
    ("payments", "method"): ("card", "cash"),
}
CLIENTS = "invoices AS i JOIN clients AS c ON i.client_id = c.id"
PLACED = "issued_on >= '2024-01-01' AND issued_on < '2025-01-01'"


@pytest.fixture
def practice(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "clients", "id:id name:text city:text", rows=200),
            make_table(
                2,
                "invoices",
                "id:id client_id:id issued_on:date status:text channel:text total_amount:money blocked:bool",
                keys={"client_id": 1},
                rows=5000,
            ),
            make_table(
                3,
                "payments",
                "id:id invoice_id:id method:text paid_on:date amount:money",
                keys={"invoice_id": 2},
                rows=6000,
            ),
        )
    )


@pytest.fixture
def asked(practice: Catalog, plan: Callable[..., ExpertContext]) -> Callable[[str], object]:
    async def best(question: str) -> str:
        first = (await EmbeddedEngine().propose(plan(question, practice, VALUES)))[0]
        return re.sub(r" AS (?!x\b|\w\b)\w+(?=,| FROM)", "", first.sql)

    return best


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("Average number of overdue invoices per client", "i.status = 'overdue'"),
        ("mean number of invoices with status paid for each client", "i.status = 'paid'"),
        ("average number of invoices over 100 per client", "i.total_amount > 100"),
        (
            "Average number of invoices with an amount above 100 issued in 2024 per client",
            "i.total_amount > 100 AND i.issued_on >= '2024-01-01' AND i.issued_on < '2025-01-01'",
        ),
        (
            "average number of invoices of clients in Leeds per client",
            "c.city = 'Leeds'",
        ),
        ("On average, how many paid invoices does each client have?", "i.status = 'paid'"),
        ("How many paid invoices does a client have on average?", "i.status = 'paid'"),
    ],
)
async def test_an_average_number_of_some_rows_is_of_their_counts(question, where, asked):
    found = await asked(question)
    assert found.startswith("SELECT avg(n) FROM (SELECT count(*) FROM ")
    assert found.endswith(f" WHERE {where} GROUP BY c.id, c.name) AS x (n)")


@pytest.mark.parametrize(
    ("question", "where", "limit"),
    [
        ("3 invoices with an amount of at least 100 with the largest amount", "total_amount >= 100", 3),
        ("the three invoices with an amount over 10 with the largest amount", "total_amount > 10", 3),
        ("the five overdue invoices over 100 with the highest amount", None, 5),
        ("10 invoices before 2024 with the highest amount", "issued_on < '2024-01-01'", 10),
        ("4 invoices that are blocked with the largest amount", "blocked = true", 4),
    ],
)
async def test_a_bound_limits_nothing(question, where, limit, asked):
    where = where or "total_amount > 100 AND status = 'overdue'"
    expected = f"SELECT id FROM invoices WHERE {where} ORDER BY total_amount DESC LIMIT {limit}"
    assert await asked(question) == expected


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("invoices with an amount of at least 100", "SELECT id FROM invoices WHERE total_amount >= 100"),
        (
            "clients without invoices with an amount above 500",
            "SELECT name FROM clients WHERE id NOT IN (SELECT client_id FROM invoices "
            "WHERE total_amount > 500)",
        ),
        (
            "payments with an amount between 100 and 200",
            "SELECT id FROM payments WHERE amount >= 100 AND amount <= 200",
        ),
        ("total amount of payments by cash", "SELECT sum(amount) FROM payments WHERE method = 'cash'"),
        (
            "which method has the highest total amount of payments?",
            "SELECT method FROM payments GROUP BY method ORDER BY sum(amount) DESC LIMIT 1",
        ),
        (
            "which channel has the highest total amount of overdue invoices?",
            "SELECT channel FROM invoices WHERE status = 'overdue' GROUP BY channel "
            "ORDER BY sum(total_amount) DESC LIMIT 1",
        ),
        (
            "total amount of invoices by clients in Leeds",
            f"SELECT sum(i.total_amount) FROM {CLIENTS} WHERE c.city = 'Leeds'",
        ),
        (
            "which clients have more than 5 blocked invoices?",
            "SELECT c.name FROM clients AS c JOIN invoices AS i ON i.client_id = c.id WHERE i.blocked = true "
            "GROUP BY c.id, c.name HAVING count(*) > 5",
        ),
    ],
)
async def test_an_amount_is_that_of_the_thing_itself(question, sql, asked):
    assert await asked(question) == sql


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("Breakdown of invoices issued in 2024 by channel", PLACED),
        ("breakdown of invoices that are not void by channel", "status <> 'void'"),
        ("invoices with an amount above 100 by channel", "total_amount > 100"),
        ("invoices with status paid by channel", "status = 'paid'"),
        ("invoices issued in 2024 that were not void by channel", f"{PLACED} AND status <> 'void'"),
    ],
)
async def test_rows_of_which_more_is_said_are_counted_by_group(question, where, asked):
    grouped = f"FROM invoices WHERE {where} GROUP BY channel ORDER BY count(*) DESC"
    assert await asked(question) == f"SELECT channel, count(*) {grouped}"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "What's the highest amount of payments in cash",
            "SELECT max(amount) FROM payments WHERE method = 'cash'",
        ),
        (
            "Number of invoices with an amount from 40 to 80",
            "SELECT count(*) FROM invoices WHERE total_amount >= 40 AND total_amount <= 80",
        ),
        (
            "average amount of payments across methods",
            "SELECT method, avg(amount) FROM payments GROUP BY method ORDER BY avg(amount) DESC",
        ),
        (
            "order clients by number of invoices, most first",
            f"SELECT c.name FROM {CLIENTS} GROUP BY c.id, c.name ORDER BY count(*) DESC",
        ),
    ],
)
async def test_a_figure_in_other_words_is_the_same(question, sql, asked):
    found = await asked(question)
    turned = "clients AS c JOIN invoices AS i ON i.client_id = c.id"
    assert found.replace(turned, CLIENTS) == sql


async def test_a_word_that_became_a_symbol_is_not_left_out(practice, plan):
    for question in (
        "invoices whose amount exceeds 40",
        "clients whose invoices have a combined amount over 40",
    ):
        first = (await EmbeddedEngine().propose(plan(question, practice, VALUES)))[0]
        assert not first.signals.get("uncovered"), question


async def test_a_place_before_a_superlative_is_no_value(practice, plan):
    values = {**VALUES, ("clients", "city"): ("Second", "Leeds")}
    question = "the client with the second highest number of invoices"
    first = (await EmbeddedEngine().propose(plan(question, practice, values)))[0]
    assert "place = 2" in first.sql
    assert "'Second'" not in first.sql


async def test_total_cuts_no_name_in_two(make_table, plan):
    tickets = Catalog(
        (
            make_table(1, "orders", "id:id status:text total_amount:money", rows=200),
            make_table(2, "ticket_types", "id:id name:text price:money", rows=10),
            make_table(
                3,
                "tickets",
                "id:id order_id:id ticket_type_id:id price_paid:money",
                keys={"order_id": 1, "ticket_type_id": 2},
                rows=900,
            ),
        )
    )
    values = {("orders", "status"): ("paid", "open"), ("ticket_types", "name"): ("VIP", "Standard")}
    question = "total price paid of tickets of type VIP"
    first = (await EmbeddedEngine().propose(plan(question, tickets, values)))[0]
    assert first.sql.startswith("SELECT sum(t.price_paid) FROM tickets AS t ")
