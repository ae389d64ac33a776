"""Which tables a query reads, and how they join."""

from __future__ import annotations

from dataclasses import replace

from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.lookups import Reference, remarked
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


def test_a_key_belongs_to_the_table_that_it_is_called_after(make_table):
    """Not to a wider table that holds it once for each row today, and comes first."""

    def once(relation, *names):
        columns = (replace(c, distinct=-1.0 if c.name in names else 0.2) for c in relation.columns)
        return replace(relation, columns=tuple(columns), primary_key=())

    comments = once(
        make_table(1, "comment_instructor", "instructor_id:id score:int said:text"), "instructor_id"
    )
    teachers = once(make_table(2, "instructor", "instructor_id:id name:text"), "instructor_id")
    offered = once(make_table(3, "offering_instructor", "offering_id:id instructor_id:id"))
    index = build(Catalog((comments, teachers, offered)))
    graph = JoinGraph(index)
    reached = {
        index.tables[edge.right].relation.name
        for table in (0, 2)
        for edge in graph.neighbours(table)
        if edge.left == table
    }
    assert reached == {"instructor"}


def test_what_a_remark_says_is_joined_and_names_nothing(make_table):
    """Found in the data: no name and no key says that a sponsor is a club."""
    clubs = make_table(1, "clubs", "id:id name:text")
    players = make_table(2, "players", "id:id sponsored:int")
    told = replace(players.columns[1], comment="Who pays [found: refers to clubs.id; values 1, 2]")
    players = replace(players, columns=(players.columns[0], told))
    assert remarked((clubs, players)) == (Reference(2, "sponsored", 1, "id"),)
    index = build(Catalog((clubs, players)))
    sponsored = next(c for c in index.columns if c.column.name == "sponsored")
    assert not {"found", "refers", "clubs.id"} & sponsored.hints
    tree = JoinGraph(index, references=remarked((clubs, players))).tree([1, 0])
    assert [(index.columns[a].column.name, index.columns[b].column.name) for a, b in tree.edges[0].on] == [
        ("sponsored", "id")
    ]


def test_of_ways_as_long_the_one_through_a_named_table_of_pairs_is_meant(make_table):
    """'Physicians affiliated with a department' are not those who head it."""
    tables = (
        make_table(1, "physicians", "id:id name:text"),
        make_table(2, "departments", "id:id name:text head:id", keys={"head": 1}),
        make_table(
            3,
            "affiliated_with",
            "physician_id:id department_id:id",
            keys={"physician_id": 1, "department_id": 2},
        ),
    )
    tree = JoinGraph(build(Catalog(tables))).tree([0, 2, 1])
    assert [(edge.left, edge.right) for edge in tree.edges] == [(2, 0), (2, 1)]


def test_a_way_down_beats_one_through_what_two_things_share(make_table):
    """A city's sales are those of its shops, not of customers from its country."""
    tables = (
        make_table(1, "countries", "id:id name:text"),
        make_table(2, "cities", "id:id name:text country_id:id", keys={"country_id": 1}),
        make_table(3, "customers", "id:id name:text country_id:id", keys={"country_id": 1}),
        make_table(4, "shops", "id:id name:text city_id:id", keys={"city_id": 2}),
        make_table(5, "tills", "id:id shop_id:id", keys={"shop_id": 4}),
        make_table(6, "sales", "id:id customer_id:id till_id:id", keys={"customer_id": 3, "till_id": 5}),
    )
    index = build(Catalog(tables))
    tree = JoinGraph(index).tree([1, 5])
    assert [index.tables[t].relation.name for t in tree.tables] == ["cities", "shops", "tills", "sales"]


def test_of_ways_as_long_the_one_that_loses_no_rows_is_meant(make_table):
    """An incident always has a client, and only some have a carer."""
    tables = (
        make_table(1, "areas", "id:id name:text"),
        make_table(2, "carers", "id:id area_id:id", keys={"area_id": 1}),
        make_table(3, "clients", "id:id area_id:id", keys={"area_id": 1}),
        make_table(4, "incidents", "id:id carer_id:id? client_id:id", keys={"carer_id": 2, "client_id": 3}),
    )
    index = build(Catalog(tables))
    tree = JoinGraph(index).tree([0, 3])
    assert [index.tables[t].relation.name for t in tree.tables] == ["areas", "clients", "incidents"]
    assert tree.cost == 2.0


def _named(index, tree):
    return {index.tables[t].relation.name for t in tree.tables}


def test_of_ways_as_long_one_by_keys_in_one_direction_is_meant(make_table):
    """Owners of visits are those of the pets; few visits have an invoice."""
    index = build(
        Catalog(
            (
                make_table(1, "owners", "id:id name:text"),
                make_table(
                    2, "invoices", "id:id owner_id:id visit_id:id", keys={"owner_id": 1, "visit_id": 4}
                ),
                make_table(3, "pets", "id:id owner_id:id", keys={"owner_id": 1}),
                make_table(4, "visits", "id:id pet_id:id", keys={"pet_id": 3}),
            )
        )
    )
    assert _named(index, JoinGraph(index).tree([0, 3])) == {"owners", "pets", "visits"}


def test_of_ways_as_long_one_without_a_choice_of_keys_is_meant(make_table):
    index = build(
        Catalog(
            (
                make_table(1, "teams", "id:id name:text"),
                make_table(2, "matches", "id:id home_id:id away_id:id", keys={"home_id": 1, "away_id": 1}),
                make_table(3, "players", "id:id team_id:id", keys={"team_id": 1}),
                make_table(
                    4, "cards", "id:id match_id:id player_id:id", keys={"match_id": 2, "player_id": 3}
                ),
            )
        )
    )
    names = {t.relation.name: t.index for t in index.tables if t.role is None}
    tree = JoinGraph(index).tree([names["teams"], names["cards"]])
    assert _named(index, tree) == {"teams", "players", "cards"}


def test_a_row_is_joined_to_what_it_refers_to_itself(make_table):
    """The region of an order is not that of its shop, whichever comes first."""
    index = build(
        Catalog(
            (
                make_table(1, "regions", "id:id name:text"),
                make_table(2, "shops", "id:id region_id:id name:text", keys={"region_id": 1}),
                make_table(
                    3, "orders", "id:id shop_id:id? region_id:id", keys={"shop_id": 2, "region_id": 1}
                ),
            )
        )
    )
    graph = JoinGraph(index)
    for wanted in ([1, 0, 2], [1, 2, 0], [0, 1, 2], [2, 0, 1]):
        tree = graph.tree(wanted)
        assert tree.start == wanted[0]
        assert {(edge.left, edge.right) for edge in tree.edges} == {(2, 0), (2, 1)}
