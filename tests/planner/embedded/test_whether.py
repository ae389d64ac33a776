"""Questions of yes or no, and what no one did."""

from __future__ import annotations

import pytest

from askwire.core.errors import BeyondEngine
from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.rewording.yes_no import asks_for_any, asks_whether
from askwire.sql.catalog import Catalog

VALUES = {
    ("customers", "name"): ["Ada Stone"],
    ("customers", "city"): ["Paris"],
    ("products", "name"): ["Chai", "Chang"],
}


async def _asked(question, plan, shop):
    return await EmbeddedEngine().propose(plan(question, catalog=shop, values=VALUES))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "are there any customers without orders?",
            "SELECT EXISTS (SELECT 1 FROM customers WHERE id NOT IN "
            "(SELECT customer_id FROM orders)) AS answer",
        ),
        (
            "is there a customer from Paris?",
            "SELECT EXISTS (SELECT 1 FROM customers WHERE city = 'Paris') AS answer",
        ),
        (
            "is Chai discontinued?",
            "SELECT EXISTS (SELECT 1 FROM products WHERE name = 'Chai' AND discontinued = true) AS answer",
        ),
        (
            "is Chai more expensive than Chang?",
            "SELECT EXISTS (SELECT 1 FROM products WHERE name = 'Chai' AND price > "
            "(SELECT price FROM products WHERE name = 'Chang')) AS answer",
        ),
        (
            "are there more than 5 customers in Paris?",
            "SELECT EXISTS (SELECT 1 FROM customers WHERE city = 'Paris' HAVING count(*) > 5) AS answer",
        ),
        (
            "did Ada Stone buy Chai?",
            "SELECT EXISTS (SELECT 1 FROM order_lines AS ol JOIN orders AS o ON ol.order_id = o.id "
            "JOIN products AS p ON ol.product_id = p.id JOIN customers AS c ON o.customer_id = c.id "
            "WHERE c.name = 'Ada Stone' AND p.name = 'Chai') AS answer",
        ),
    ],
)
async def test_yes_or_no_is_whether_there_is_a_row(question, sql, plan, shop):
    first = (await _asked(question, plan, shop))[0]
    assert first.sql == sql
    assert "kind_unlike" not in first.signals
    assert first.reading.startswith("whether there are any ")


@pytest.mark.parametrize(
    "question",
    [
        "are all products discontinued?",
        "is every customer from Paris?",
        "is the average price above 20?",
        "is Klingon a customer in Paris?",
    ],
)
async def test_what_a_row_does_not_answer_is_no_answer(question, plan, shop):
    """Of all rows, of an average or of a word that is not known, no row says yes."""
    try:
        candidates = await _asked(question, plan, shop)
    except BeyondEngine:
        return
    assert "kind_unlike" in candidates[0].signals


@pytest.mark.parametrize(
    ("question", "whether", "any_row"),
    [
        ("Is Chai discontinued?", True, True),
        ("Are all of them sold?", True, False),
        ("Are the customers good or bad?", False, False),
        ("Is there a way? List the customers.", False, False),
        ("which customers are there?", False, False),
        ("", False, False),
    ],
)
def test_a_question_that_begins_with_its_verb_wants_yes_or_no(question, whether, any_row):
    tokens = tokenize(question)
    assert (asks_whether(tokens), asks_for_any(tokens)) == (whether, any_row)


@pytest.mark.parametrize(
    "question",
    ["products nobody has bought", "products that no one ordered", "which products has nobody sold?"],
)
async def test_what_nobody_did_has_no_row(question, plan, shop):
    first = (await _asked(question, plan, shop))[0]
    assert first.sql == "SELECT name FROM products WHERE id NOT IN (SELECT product_id FROM order_lines)"
    assert not first.uncovered


@pytest.mark.parametrize(("verb", "read"), [("speaks", True), ("paints", False)])
async def test_what_nobody_speaks_is_a_language(verb, read, plan, make_table):
    catalog = Catalog(
        (
            make_table(1, "countries", "id:id name:text"),
            make_table(2, "languages", "country_id:id language:text", keys={"country_id": 1}),
        )
    )
    question = f"countries where nobody {verb} English"
    asked = plan(question, catalog=catalog, values={("languages", "language"): ["English"]})
    first = (await EmbeddedEngine().propose(asked))[0]
    assert "id NOT IN (SELECT country_id FROM languages WHERE language = 'English')" in first.sql
    assert (verb not in first.uncovered) is read
