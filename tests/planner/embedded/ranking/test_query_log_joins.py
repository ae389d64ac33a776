"""Habits put to use: a join that no key declares, a column that people mean."""

from __future__ import annotations

from data.tracing_catalog import CATALOG

from askwire.planner.embedded.logical_form.ir import Query, Term
from askwire.planner.embedded.ranking.query_log_joins import QueryLogJoins
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.query_patterns.patterns import QueryPatterns

STAFF = Relation(
    1, "public", "staff", "r", (Column("id", "int", 23, "N", 1), Column("name", "text", 25, "S", 2)), ("id",)
)
SALE = Relation(
    *(2, "public", "sale", "r"),
    (
        Column("nr", "int", 23, "N", 1),
        Column("who", "int", 23, "N", 2),
        Column("amt", "numeric", 1700, "N", 3),
        Column("fee", "numeric", 1700, "N", 4),
    ),
    ("nr",),
)
SHOP = Catalog((STAFF, SALE))
INDEX = build(SHOP)


def number(table: str, column: str) -> int:
    return next(
        c.index
        for c in INDEX.columns
        if c.column.name == column and INDEX.tables[c.table].relation.name == table
    )


def query_patterns(*written: tuple[str, int]) -> QueryPatterns:
    found = QueryPatterns()
    for sql, times in written:
        found.add(observed(sql, SHOP), times)
    return found


def test_a_join_that_people_write_needs_no_key() -> None:
    assert JoinGraph(INDEX).tree((0, 1)) is None
    customs = QueryLogJoins(INDEX, query_patterns(("SELECT 1 FROM staff s JOIN sale a ON s.id = a.who", 1)))
    tree = JoinGraph(INDEX, customs.edges()).tree((0, 1))
    assert tree is not None
    assert tree.edges[0].on == ((number("sale", "who"), number("staff", "id")),)


def test_of_two_joins_the_usual_one_is_cheaper() -> None:
    customs = QueryLogJoins(
        INDEX,
        query_patterns(
            ("SELECT 1 FROM staff s JOIN sale a ON s.id = a.nr", 1),
            ("SELECT 1 FROM staff s JOIN sale a ON s.id = a.who", 9),
        ),
    )
    tree = JoinGraph(INDEX, customs.edges()).tree((0, 1))
    assert tree is not None
    assert tree.edges[0].on == ((number("sale", "who"), number("staff", "id")),)


def test_a_declared_key_stays_as_it_is() -> None:
    index = build(CATALOG)
    customs = QueryLogJoins(index, QueryPatterns())
    assert not list(customs.edges())
    again = QueryPatterns()
    again.add(observed("SELECT 1 FROM singer s JOIN song g ON g.singer_id = s.age", CATALOG))
    tables = [t.index for t in index.tables if t.relation.name in ("singer", "song")]
    tree = JoinGraph(index, QueryLogJoins(index, again).edges()).tree(tables)
    assert tree is not None
    assert not tree.edges[0].guessed
    assert tree.edges[0].cost == 1.0


def test_columns_agree_in_their_place() -> None:
    customs = QueryLogJoins(
        INDEX, query_patterns(("SELECT sum(amt) FROM sale", 5), ("SELECT fee FROM sale", 5))
    )
    summed = Query((Term(number("sale", "amt"), "sum"),))
    listed = Query((Term(number("sale", "amt")),))
    assert customs.agreement(summed) == 1.0
    assert customs.agreement(listed) == 0.0
    assert customs.agreement(Query((Term(number("sale", "fee")),))) == 1.0
