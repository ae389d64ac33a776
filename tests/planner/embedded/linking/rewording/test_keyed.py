"""Rows called by their key: 'order 10248'."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.rewording.keyed import by_key
from askwire.planner.embedded.schema import schema_index
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the status of order 5", "the status of order with order id 5"),
        ("order #5", "show all information about order with order id 5"),
        ("order no. 5", "show all information about order with order id 5"),
        ("order number 5", "show all information about order with order id 5"),
        ("customer 12's orders", "customer with customer id 12 's orders"),
        (
            "compare employee 5 and employee 6",
            "compare employee with employee id 5 or 6",
        ),
        ("orders other than order 5", "orders other than order with order id 5"),
        ("more than order 5", "more than order 5"),
        ("who can order 5 products", "who can order 5 products"),
        ("top customer 5", "top customer 5"),
        ("the top 5 and top 10 prices", "the top 5 and top 10 prices"),
        ("order id 5", "order id 5"),
        ("the category 5 days ago", "the category 5 days ago"),
        ("orders 5", "orders 5"),
        ("order ²", "order ²"),
        ("order 5th", "order 5th"),
        ("order 99999999999999999999", "order 99999999999999999999"),
        ("orders 5 and 6", "show all information about orders with order id 5 or 6"),
        ("status of orders 5, 6 and 7", "status of orders with order id 5 , 6 or 7"),
        ("show order 5", "show all information about order with order id 5"),
        ("What is order 5?", "show all information about order with order id 5 ?"),
        ("the order 2024", "the order 2024"),
        ("order no. 2024", "show all information about order with order id 2024"),
        ("product 5.5", "product 5.5"),
        ("the city 5", "the city 5"),
        ("the price of 5", "the price of 5"),
    ],
)
def test_a_number_behind_a_table_is_its_key(said, meant, index):
    assert " ".join(t.text for t in by_key(tokenize(said), index)) == meant


def test_a_number_beside_a_column_of_that_name_is_its_value(make_table):
    films = make_table(1, "films", "id:id title:text rating:int")
    ratings = make_table(2, "ratings", "id:id film_id:id stars:int", keys={"film_id": 1})
    tokens = tokenize("films with rating 5")
    assert by_key(tokens, schema_index.build(Catalog((films, ratings)))) == tokens


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("what is the status of order 5?", "SELECT status FROM orders WHERE id = 5"),
        ("show me employee 3", "SELECT * FROM employees WHERE id = 3"),
        ("show order 5", "SELECT * FROM orders WHERE id = 5"),
        ("product 5", "SELECT * FROM products WHERE id = 5"),
        ("status of orders 5 and 6", "SELECT status FROM orders WHERE (id = 5 OR id = 6)"),
        ("total of order 5", "SELECT sum(amount) FROM order_lines WHERE order_id = 5"),
        ("salary of employee 3", "SELECT salary FROM employees WHERE id = 3"),
        ("when was employee 3 hired?", "SELECT hired_on FROM employees WHERE id = 3"),
        ("on which day was employee 3 hired?", "SELECT hired_on FROM employees WHERE id = 3"),
        ("how many orders does customer 7 have?", "c.id = 7"),
        ("list the orders of customer 7", "c.id = 7"),
    ],
)
async def test_rows_are_found_by_their_key(question, sql, plan):
    best = (await EmbeddedEngine().propose(plan(question)))[0]
    assert sql in best.sql
