"""Hints given with a question: what their sentences say, and what becomes of the words they explain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.hints import Hints, sentences
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.expert import ExpertContext

Plans = Callable[..., ExpertContext]


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        ("late refers to status = 'delayed'", [("late", "status = 'delayed'")]),
        ("late: delayed; VIP means over 100.5 points", [("late", "delayed"), ("VIP", "over 100.5 points")]),
        ("margin = price - cost. dear means price > 5", [("margin", "price - cost"), ("dear", "price > 5")]),
        ("be careful with the dates", []),
        ("", []),
    ],
)
def test_sentences_are_split_at_what_explains(evidence: str, found: list[tuple[str, str]]) -> None:
    assert sentences(evidence) == found


@pytest.mark.parametrize(
    ("question", "evidence", "sql"),
    [
        (
            "how many late orders are there?",
            "late refers to status = 'delayed'",
            "SELECT count(*) FROM orders WHERE status = 'delayed'",
        ),
        (
            "how many orders are not late?",
            "late refers to status = 'delayed'",
            "SELECT count(*) FROM orders WHERE status <> 'delayed'",
        ),
        (
            "how many dear products are there?",
            "dear products: price >= 100 and discontinued = false",
            "SELECT count(*) FROM products WHERE price >= 100 AND discontinued = false",
        ),
        (
            "how many cheapies are there?",
            "cheapies means price < 5",
            "SELECT count(*) FROM products WHERE price < 5",
        ),
        ("list the bargains", "bargain means price < 5", "SELECT name FROM products WHERE price < 5"),
        (
            "what is the average margin of order lines?",
            "margin = amount / quantity",
            "SELECT avg(amount::numeric / nullif(quantity, 0)) FROM order_lines",
        ),
        (
            "how many orders are tardy?",
            "tardy orders means orders.shipped_at > ordered_at",
            "SELECT count(*) FROM orders WHERE shipped_at > ordered_at",
        ),
        ("list the ABC of all products", "ABC refers to products.price", "SELECT price FROM products"),
        (
            "how many whales are there?",
            "whales: customers in Paris",
            "SELECT count(*) FROM customers WHERE city = 'Paris'",
        ),
        (
            "how many pending orders are there?",
            "pending means shipped_at is null",
            "SELECT count(*) FROM orders WHERE shipped_at IS NULL",
        ),
    ],
)
async def test_words_mean_what_the_hint_says(question: str, evidence: str, sql: str, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, evidence=evidence)))[0]
    assert best.sql == sql
    assert best.uncovered == ()


async def test_words_are_explained_wherever_they_stand(plan: Plans) -> None:
    asked = "top 3 customers by ABC. Return the name and the ABC."
    best = (await EmbeddedEngine().propose(plan(asked, evidence="ABC means the sum of order_lines.amount")))[
        0
    ]
    assert "sum(ol.amount)" in best.sql.partition(" FROM ")[0]
    assert "ORDER BY sum(ol.amount) DESC LIMIT 3" in best.sql


async def test_words_explained_are_aligned_where_they_stand(plan: Plans) -> None:
    question = "how many late orders are there?"
    best = (await EmbeddedEngine().propose(plan(question, evidence="late refers to status = 'delayed'")))[0]
    late = next(a for a in best.alignments if a.span.text == "late")
    assert (question[late.span.start : late.span.end], late.kind, late.target) == (
        "late",
        "column",
        "orders.status",
    )


async def test_a_hint_about_other_words_changes_nothing(plan: Plans) -> None:
    question = "how many customers live in Paris?"
    plain = await EmbeddedEngine().propose(plan(question))
    hinted = await EmbeddedEngine().propose(plan(question, evidence="churned means status = 'left'"))
    assert [c.sql for c in hinted] == [c.sql for c in plain]


def test_a_name_of_several_tables_is_the_one_spoken_of(index: SchemaIndex) -> None:
    tokens = tokenize("list the label of all categories")
    told = Hints(index, "label refers to categories.name", tokens).apply(tokens, Linker(index))
    (mention,) = told.mentions
    column = index.columns[mention.options[0].index]
    assert index.tables[column.table].relation.name == "categories"


def test_what_a_hint_says_and_nothing_can_be_made_of_is_counted(index: SchemaIndex) -> None:
    tokens = tokenize("how many orders are there?")
    told = Hints(index, "churn = nothing(known) here", tokens).apply(tokens, Linker(index))
    assert (told.unread, told.given, told.mentions) == (1, (), ())
