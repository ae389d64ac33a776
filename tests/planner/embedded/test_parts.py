"""The parts of the engine, each alone."""

from __future__ import annotations

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.logical_form.ir import Compare, Literal, Query, Term
from askwire.planner.embedded.ranking.confidence import confidences
from askwire.planner.embedded.rendering.render import CannotJoin, Renderer
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


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
