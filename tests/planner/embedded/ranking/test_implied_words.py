"""Words that need no place of their own: what a query answers though nothing of it is called so."""

from __future__ import annotations

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.coverage import with_losses
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("which customers live in a state that contains the word CA?", "word"),
        ("how many customers in the city of Paris are on file?", "file"),
        ("how many customers are there in the state CA?", "state"),
        ("which customers made at least once an order?", "once"),
        ("customers who ordered both Coffee and Tea", "both"),
        ("customers who both live in Paris and joined in 2024", "both"),
        ("what are the names of the customers and how many orders does each one have?", "one"),
        ("customers who ordered only once", "once"),
        ("customers who ordered more than twice", "twice"),
        ("what are the names of the states of the customers?", "names"),
        ("customers who never made an order before", "before"),
        ('how many orders are under the status "delayed"?', "under"),
        ("the full name of each customer", "full"),
        ("list the customers and the number of orders he or she makes", "or"),
        ("products in terms of price, the most expensive first", "terms"),
        ("how many customers are in the network?", "network"),
        ("how many different products are sold in the world?", "world"),
    ],
)
async def test_a_word_that_is_answered_is_not_left_out(question, word, plan):
    assert word not in await left_out(question, plan)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("which customers have a word?", "word"),
        ("how many files do customers have?", "files"),
        ("products with a side", "side"),
        ("full customers", "full"),
        ("customers mainly in Paris", "mainly"),
        ("how many customers are under Ada Stone?", "under"),
        ("customers who swallowed a product", "swallowed"),
        ("the names and horoscopes of customers", "horoscopes"),
        ("customers who both live in Paris", "both"),
    ],
)
async def test_a_word_that_is_not_answered_is_left_out(question, word, plan):
    assert word in await left_out(question, plan)


async def test_what_is_earned_is_what_is_paid(plan, make_table):
    catalog = Catalog((make_table(1, "teachers", "id:id name:text subject:text salary:money"),))
    question = "the name of the teacher who teaches Art and earns the lowest salary"
    assert "earns" not in await left_out(question, plan, catalog, {("teachers", "subject"): ("Art",)})


async def left_out(question, plan, *of):
    planning, engine = plan(question, *of), EmbeddedEngine()
    best = (await engine.proposals(planning))[0]
    return with_losses(engine.index(planning.catalog, whole=True), best).uncovered
