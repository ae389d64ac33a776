"""The engine end to end, over a catalog and values in memory."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from doubles.time_bounds import ProcessorTime

from askwire.core.errors import AskError, BeyondEngine, NotInDatabase
from askwire.planner.embedded.engine import RETURNED, EmbeddedEngine
from askwire.sql.catalog import Catalog

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[c["question"] for c in CASES])
async def test_the_first_candidate_is_the_plain_reading(case, plan):
    candidates = await EmbeddedEngine().propose(plan(case["question"]))
    assert candidates[0].sql == case["sql"]


async def test_orders_per_customer_in_a_year_counts_by_customer_and_order_date(plan):
    candidates = await EmbeddedEngine().propose(plan("how many orders did each customer place in 2024?"))
    assert "GROUP BY c.id, c.name" in candidates[0].sql
    assert "o.ordered_at >= '2024-01-01' AND o.ordered_at < '2025-01-01'" in candidates[0].sql


async def test_average_order_value_divides_by_orders_and_reads_in_time_order(plan):
    candidates = await EmbeddedEngine().propose(plan("average order value per month"))
    assert "sum(ol.amount) / count(DISTINCT o.id)" in candidates[0].sql
    assert candidates[0].sql.endswith("ORDER BY date_trunc('month', o.ordered_at)::date")


@pytest.mark.parametrize(
    "question", ["revenue by month in 2024", "number of orders per year", "revenue by week"]
)
async def test_numbers_of_a_time_stand_beside_it(question, plan):
    for candidate in await EmbeddedEngine().propose(plan(question)):
        if "GROUP BY date_trunc" in candidate.sql:
            assert "date_trunc" in candidate.sql.partition(" FROM ")[0]


async def test_candidates_are_few_distinct_ordered_and_carry_confidence(plan):
    candidates = await EmbeddedEngine().propose(plan("how many orders did each customer place?"))
    assert 1 < len(candidates) <= RETURNED
    assert len({c.sql for c in candidates}) == len(candidates)
    assert [c.score for c in candidates] == sorted((c.score for c in candidates), reverse=True)
    assert all(c.confidence is not None and 0 <= c.confidence <= 1 for c in candidates)
    assert all(c.confidence <= candidates[0].confidence for c in candidates)


@pytest.mark.parametrize(
    "question",
    ["delete all orders", "Please drop the customers table", "update orders to shipped"],
)
async def test_what_would_change_data_is_no_question(question, plan):
    with pytest.raises(BeyondEngine, match="changes nothing"):
        await EmbeddedEngine().propose(plan(question))


async def test_words_that_are_left_out_are_told_as_they_were_asked(plan):
    first = (await EmbeddedEngine().propose(plan("number of orders by city, percent change in weather")))[0]
    assert first.uncovered == ("percent", "change", "weather")
    with pytest.raises(BeyondEngine) as error:
        await EmbeddedEngine().propose(plan("share of orders (in %) for aliens"))
    assert error.value.detail == "Words not understood: share, aliens."
    with pytest.raises(NotInDatabase) as error:
        await EmbeddedEngine().propose(plan("% breakdown of umbrellas"))
    assert error.value.detail == "No table, column or value matches: umbrellas."


@pytest.mark.parametrize(
    "question",
    ["top 0 products by price", "top -1 products", "the 0 most expensive products", "first zero orders"],
)
async def test_a_ranking_shows_a_row_at_least(question, plan):
    with pytest.raises(BeyondEngine, match="asks for no row"):
        await EmbeddedEngine().propose(plan(question))


@pytest.mark.parametrize(
    "question",
    [
        "top 0.5 % of products by price",
        "products with price above 0",
        "top 3 products by price",
        "orders in the last 1.5 years",
    ],
)
async def test_other_numbers_may_be_none(question, plan):
    assert await EmbeddedEngine().propose(plan(question))


@pytest.mark.parametrize("question", ["deleted orders", "update of orders", "orders to delete"])
async def test_a_question_about_changes_is_one(question, plan):
    with suppress(NotInDatabase):
        assert await EmbeddedEngine().propose(plan(question))


@pytest.mark.parametrize(("word", "order"), [("most", "DESC"), ("least", "LIMIT")])
async def test_who_sold_the_most_is_ranked_by_what_was_sold(word, order, plan):
    best = (await EmbeddedEngine().propose(plan(f"which product sold the {word} in 2024?")))[0]
    assert best.sql.startswith("SELECT p.name FROM products AS p")
    assert f"ORDER BY sum(ol.quantity) {order}" in best.sql


async def test_evidence_says_which_words_became_what(plan):
    best = (await EmbeddedEngine().propose(plan("how many customers live in Paris?")))[0]
    found = {(a.span.text, a.kind, a.target) for a in best.alignments}
    assert ("customers", "table", "customers") in found
    assert ("Paris", "value", "'Paris'") in found
    assert "customers.city is 'Paris'" in best.reading


async def test_join_path_is_told(plan):
    best = (await EmbeddedEngine().propose(plan("customers with more than 20 orders")))[0]
    assert best.join_path == ("orders.customer_id = customers.id",)


async def test_words_without_a_place_are_listed_and_lower_the_confidence(plan):
    engine = EmbeddedEngine()
    plain = (await engine.propose(plan("how many customers live in Paris?")))[0]
    odd = (await engine.propose(plan("how many juggling customers live in Paris?")))[0]
    assert odd.uncovered == ("juggling",)
    assert odd.confidence < plain.confidence


async def test_the_same_question_gives_the_same_candidates(plan):
    first = await EmbeddedEngine().propose(plan("top 5 products by revenue"))
    second = await EmbeddedEngine().propose(plan("top 5 products by revenue"))
    assert first == second


@pytest.mark.parametrize("question", ["wie viele Kunden gibt es?", "顧客は何人いますか", "???", ""])
async def test_a_question_that_names_nothing_here_is_refused(question, plan):
    with pytest.raises(NotInDatabase, match="names nothing"):
        await EmbeddedEngine().propose(plan(question))


async def test_a_question_of_too_many_parts_is_beyond_the_engine(plan):
    with pytest.raises(BeyondEngine):
        await EmbeddedEngine().propose(plan("order " * 600))


async def test_relations_off_the_search_path_are_qualified(plan, make_table):
    catalog = Catalog((make_table(9, "Events", "id:id kind:text", schema="log", on_path=False),))
    best = (await EmbeddedEngine().propose(plan("how many events are there?", catalog, {})))[0]
    assert best.sql == 'SELECT count(*) FROM log."Events"'


async def test_what_the_search_path_reaches_comes_first(plan, make_table):
    here = make_table(1, "events", "id:id kind:text")
    there = make_table(2, "events", "id:id kind:text", schema="log", on_path=False)
    catalog = Catalog((there, here))
    found = await EmbeddedEngine().propose(plan("how many events are there?", catalog, {}))
    assert found[0].sql == "SELECT count(*) FROM events"
    assert not any("log" in candidate.sql for candidate in found)


async def test_what_only_another_schema_holds_is_found_there(plan, make_table):
    here = make_table(1, "customers", "id:id name:text")
    there = make_table(2, "events", "id:id kind:text", schema="log", on_path=False)
    best = (await EmbeddedEngine().propose(plan("how many events are there?", Catalog((here, there)), {})))[0]
    assert best.sql == "SELECT count(*) FROM log.events"


@pytest.mark.parametrize("question", ["how many customers in Atlantis?", "how many customers in atlantis?"])
async def test_an_unknown_value_leaves_little_confidence(plan, question):
    best = (await EmbeddedEngine().propose(plan(question)))[0]
    assert "tlantis" in " ".join(best.uncovered)
    assert best.confidence < 0.5


async def test_the_schema_s_own_abbreviations_are_understood(plan, make_table):
    catalog = Catalog((make_table(1, "emp", "id:id name:text"), make_table(2, "dept", "id:id name:text")))
    for name in ("emp", "dept"):
        best = (await EmbeddedEngine().propose(plan(f"how many {name}", catalog, {})))[0]
        assert best.sql == f"SELECT count(*) FROM {name}"


async def test_an_abbreviation_of_several_words_is_understood(plan, make_table):
    catalog = Catalog((make_table(1, "tickets", "id:id team:text csat:int", rows=500),))
    best = (await EmbeddedEngine().propose(plan("average CSAT per team", catalog, {})))[0]
    assert best.sql.startswith("SELECT team, avg(csat)")
    assert not best.uncovered


async def test_numbers_by_which_rows_are_told_apart_do_not_add_up(plan, make_table):
    catalog = Catalog((make_table(1, "shipments", "ShipmentId:id OrderNo:int weight:money"),))
    for candidate in await EmbeddedEngine().propose(plan("number of sales orders", catalog, {})):
        assert "sum(" not in candidate.sql


@pytest.mark.parametrize("number", ["٣", "१०", "9" * 30])
async def test_digits_that_are_no_number_of_postgresql_s_never_stand_bare_in_the_sql(plan, number):
    try:
        found = await EmbeddedEngine().propose(plan(f"products with price over {number}"))
    except (BeyondEngine, NotInDatabase):
        return
    assert not any(number in candidate.sql.replace(f"'{number}'", "") for candidate in found)


async def test_words_linked_to_what_the_sql_does_not_use_are_told_as_uncovered(plan):
    found = await EmbeddedEngine().propose(plan("how many customers live in Paris?"))
    for candidate in found:
        for alignment in candidate.alignments:
            if alignment.kind == "column":
                assert alignment.target.rpartition(".")[2] in candidate.sql
                assert alignment.span.text not in candidate.uncovered


async def test_a_column_that_cannot_be_read_loses_only_itself(plan):
    planning = plan("how many customers live in Paris?", broken=frozenset({"state"}))
    best = (await EmbeddedEngine().propose(planning))[0]
    assert best.sql == "SELECT count(*) FROM customers WHERE city = 'Paris'"


async def test_no_batch_stays_open(plan):
    planning = plan("how many customers live in Paris?")
    await EmbeddedEngine().propose(planning)
    assert planning.executor.open == 0


HOSTILE = [
    "order " * 680,
    "customer's " * 370,
    '"' * 4000,
    "'" * 4000,
    "between 1 and 2 or 3 and 4 or " * 130,
    "the most number of orders by each customer " * 90,
    "not " * 1000 + "orders",
    "x" * 4000,
    "a," * 2000,
]


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.slow
async def test_long_and_odd_questions_end_soon(question, plan, make_table):
    keys = [{"customer_id": 1}] * 300
    many = tuple(
        make_table(10 + n, f"orders_{n}", "id:id customer_id:id price:money", keys=k)
        for n, k in enumerate(keys)
    )
    catalog = Catalog((make_table(1, "customers", "id:id name:text"), *many))
    engine, taken = EmbeddedEngine(), ProcessorTime()
    with suppress(AskError):
        await engine.propose(plan(question, catalog, {}))
    assert taken.within(5)
