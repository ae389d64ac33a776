"""Which tables a query reads, and how they join."""

from __future__ import annotations

from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


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
