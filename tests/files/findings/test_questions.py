"""Questions that are suggested: about the data at hand, and answered rightly."""

from __future__ import annotations

import asyncio

import psycopg
from data.finding_texts import SHOP
from doubles.asked import WHATEVER_SURE, asked_server

from askwire.files.findings import asking, declare, find_structure, suggested
from askwire.files.findings.names import Name
from askwire.files.findings.wording import many, of_column, plural
from askwire.planner.embedded.engine import EmbeddedEngine

DATED = (
    SHOP
    + """
ALTER TABLE orders ADD ordered_on date, ADD amount numeric;
UPDATE orders SET ordered_on = date '2024-01-01' + (order_id - 1000)::int, amount = order_id * customer_id;
"""
)


async def test_three_questions_that_the_embedded_engine_answers(connection, declared, findings_database):
    found = declared(DATED)
    async with asked_server(findings_database, answer_confidence=WHATEVER_SURE) as running:
        running.experts = (EmbeddedEngine(),)

        def look():
            dsn = f"host=127.0.0.1 port={running.port} dbname={findings_database.name} user=postgres"
            with psycopg.connect(dsn, autocommit=True, options="-c search_path=shop") as through:
                return suggested(connection, found, asking(through))

        told = await asyncio.to_thread(look)
    assert [s.kind for s in told] == ["count", "top", "time"]
    assert told[1].question == "top 5 customers by total amount"
    assert told[2].question == "how many orders were there per month in 2024?"
    assert all(s.rows for s in told)


def test_what_is_refused_is_not_suggested(connection, declared):
    asked = []
    found = declared(DATED)

    def refuse(question):
        asked.append(question)

    assert suggested(connection, found, refuse) == ()
    assert "how many orders are there per status?" in asked
    assert len(asked) <= 24


def test_what_is_answered_otherwise_is_not_suggested(connection, declared):
    found = declared(DATED)
    assert suggested(connection, found, lambda _: []) == ()
    assert suggested(connection, found, lambda _: [("new", 1), ("paid", 2), ("sent", 3)]) == ()


def test_a_right_answer_may_name_its_columns_and_types_otherwise(connection, declared):
    found = declared(DATED)
    counts = [("1", 1.0, "sent", 67), ("2", 1.0, "new", 66), ("3", 1.0, "paid", 67)]

    def ask(question):
        return counts if question == "how many orders are there per status?" else None

    assert [s.question for s in suggested(connection, found, ask)] == [
        "how many orders are there per status?"
    ]


def test_a_schema_without_tables_has_no_questions(connection):
    found = declare(connection, find_structure(connection, "shop"))
    assert suggested(connection, found, lambda _: [(1,)]) == ()


def test_a_refusal_leaves_the_connection_usable(connection):
    assert asking(connection)("what is it?") is None  # PostgreSQL itself knows no ASK
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_names_are_said_as_people_say_them():
    assert many(Name.of_table("tbl_ord_lines_2024")) == "order lines"
    assert many(Name.of_table("taxis")) == "taxis"
    assert many(Name.of_table("oil_and_gas")) == "oil and gas"
    assert many(Name.of_table("TermsAndConditions_2024")) == "terms and conditions"
    assert many(Name.of_table("customer_churn_by_ibm")) == "customer churns by ibm"
    assert of_column(Name.of("weight_kg"), "kilograms") == "weight"
    assert [
        plural(w) for w in ("box", "city", "orders", "day", "person", "analysis", "axis", "bus", "skis")
    ] == [
        "boxes",
        "cities",
        "orders",
        "days",
        "people",
        "analyses",
        "axes",
        "buses",
        "skis",
    ]
