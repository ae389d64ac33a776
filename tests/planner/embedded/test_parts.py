"""The parts of the engine, each alone."""

from __future__ import annotations

import datetime as dt

import pytest

from askwire.planner.embedded import identifiers
from askwire.planner.embedded.confidence import confidences
from askwire.planner.embedded.ir import Compare, Literal, Query, Term
from askwire.planner.embedded.joins import JoinGraph
from askwire.planner.embedded.linker import Linker
from askwire.planner.embedded.render import CannotJoin, Renderer
from askwire.planner.embedded.schema_index import build
from askwire.planner.embedded.text import MAX_TOKENS, singular, tokenize
from askwire.planner.embedded.times import time_spans
from askwire.planner.embedded.values import look_up
from askwire.sql.catalog import Catalog


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("cities", "city"), ("boxes", "box"), ("people", "person"), ("status", "status"), ("ids", "id")],
)
def test_singular(plural, expected):
    assert singular(plural) == expected


@pytest.mark.parametrize(
    ("text", "lemmas"),
    [
        ("3 million people", ["3000000", "person"]),
        ("thirty five orders", ["35", "order"]),
        ("$1,200.50 or 15%", ["1200.50", "or", "15"]),
        ("aren't “New York”", ["not", "New York"]),
        ("the customer's name", ["the", "customer", "'s", "name"]),
    ],
)
def test_tokens(text, lemmas):
    assert [t.lemma for t in tokenize(text)] == lemmas


def test_tokens_keep_their_place_and_are_bounded():
    text = "list all  orders"
    assert [text[t.start : t.end] for t in tokenize(text)] == ["list", "all", "orders"]
    assert len(tokenize("a " * 10_000)) <= MAX_TOKENS


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("cust_addr", ("customer", "address")),
        ("unitPrice", ("unit", "price")),
        ("roomname", ("room", "name")),
        ("num_of_shops", ("number", "shop")),
        ("dob", ("birth", "date")),
        ("resname", ("res", "name")),
    ],
)
def test_words_of_identifiers(identifier, words):
    assert identifiers.words(identifier) == words


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("in March 2024", "2024-03-01", "2024-04-01"),
        ("on March 3, 2024", "2024-03-03", "2024-03-04"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("past 30 days", "2026-10-22", "2026-11-22"),
        ("since December", "2025-12-01", "2026-01-01"),
        ("yesterday", "2026-11-20", "2026-11-21"),
        ("on 2024-02-29", "2024-02-29", "2024-03-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
    ],
)
def test_times(text, low, high):
    span = time_spans(tokenize(text), "2026-11-21")[0]
    assert (span.low, span.high) == (dt.date.fromisoformat(low), dt.date.fromisoformat(high))


@pytest.mark.parametrize("text", ["on 2024-13-45", '"0000-00-00"', "February 30 2024", "99/99/2024"])
def test_impossible_dates_are_no_times(text):
    assert time_spans(tokenize(text), "not a date") == ()


def _named(index, option):
    if option.table:
        return index.tables[option.index].relation.name
    column = index.columns[option.index]
    return f"{index.tables[column.table].relation.name}.{column.column.name}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("customer",), "customers"),
        (("customer", "name"), "customers.name"),
        (("unit", "price"), "order_lines.unit_price"),
        (("client",), "customers"),
        (("custommer",), "customers"),
        (("revenue",), "order_lines.amount"),
    ],
)
def test_links(index, words, expected):
    assert _named(index, Linker(index).options(words)[0]) == expected


async def test_values_are_found_by_case_alias_and_state_code(plan, index):
    planning = plan("orders of HARBOR & SONS in california that are Delayed")
    hits = await look_up(planning.executor, index, tokenize(planning.question.text))
    assert {"Harbor & Sons", "CA", "delayed"} <= {h.stored for h in hits}


async def test_huge_relations_are_known_by_their_common_values_only(plan, make_table):
    catalog = Catalog((make_table(1, "events", "id:id kind:text", rows=1e7),))
    planning = plan("events of kind click", catalog, {("events", "kind"): ("click",)})
    assert await look_up(planning.executor, build(catalog), tokenize("events of kind click")) == ()
    assert planning.executor.last.reads == []


def test_joins_go_over_the_bridge(index):
    names = {t.relation.name: t.index for t in index.tables}
    tree = JoinGraph(index).tree([names["customers"], names["products"]])
    assert {index.tables[t].relation.name for t in tree.tables} == {
        "customers",
        "orders",
        "order_lines",
        "products",
    }


def test_joins_without_keys_are_guessed_by_name_at_a_price(make_table):
    index = build(
        Catalog(
            (make_table(1, "authors", "id:id name:text"), make_table(2, "books", "title:text author_id:id"))
        )
    )
    tree = JoinGraph(index).tree([0, 1])
    assert tree.edges[0].guessed
    assert tree.cost > 1


def test_rendering_quotes_and_refuses_what_cannot_join(index, make_table):
    apart = build(Catalog((make_table(1, "order", "id:id"), make_table(2, "Tag", "Label:text"))))
    label = next(c.index for c in apart.columns if c.column.name == "Label")
    renderer = Renderer(apart, JoinGraph(apart))
    query = Query(select=(Term(label),), where=(Compare(Term(label), "=", Literal("it's", "text")),))
    assert renderer.sql(query) == """SELECT "Label" FROM "Tag" WHERE "Label" = 'it''s'"""
    with pytest.raises(CannotJoin):
        renderer.sql(query.with_(tables=frozenset({0})))


def test_confidence_falls_with_words_left_over():
    class Ranked:
        def __init__(self, score, features=None):
            self.score, self.features = score, features or {}

    clear = confidences([Ranked(5.0), Ranked(0.0)])
    tied = confidences([Ranked(5.0), Ranked(5.0)])
    lost = confidences([Ranked(5.0, {"left:word": 2.0}), Ranked(0.0)])
    assert clear[0] > tied[0] > tied[1] - 1e-9
    assert clear[0] > lost[0]
    assert confidences([]) == []


def test_joins_are_guessed_behind_a_common_prefix(make_table):
    index = build(
        Catalog(
            (
                make_table(1, "sbcustomer", "sbcustid:id sbcustname:text"),
                make_table(2, "sbtransaction", "sbtxid:id sbtxcustid:id sbtxamount:money"),
            )
        )
    )
    tree = JoinGraph(index).tree([0, 1])
    on = [(index.columns[a].column.name, index.columns[b].column.name) for a, b in tree.edges[0].on]
    assert on == [("sbtxcustid", "sbcustid")]
