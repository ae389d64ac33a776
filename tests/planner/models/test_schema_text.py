"""The part of a catalog that a model is shown: what fits, in which order, and at what price."""

from __future__ import annotations

from dataclasses import replace

import pytest
from data.shop_catalog import AUDIT, CUSTOMERS, ORDERS, SHOP, column, planning

from askwire.bench.engine.large_catalog import large
from askwire.core.egress import Kind
from askwire.llm.estimate import tokens
from askwire.planner.models.ranking import MAX_JOINS, Links, Ranker
from askwire.planner.models.schema_text import ShownSchema, name_of, only, short_type, show, tells
from askwire.sql.catalog import Catalog, ForeignKey, Relation

HUGE = large(900)
RANKER = Ranker()
"""Keeps the index of a catalog of which many tests ask."""


async def linked(question: str, catalog: Catalog = SHOP) -> Links:
    return await RANKER.links(planning(question, catalog), values=False)


async def shown(question: str, most: int, catalog: Catalog = SHOP, *, values: bool = True) -> ShownSchema:
    return show(catalog, await linked(question, catalog), most, values=values)


def texts(one: ShownSchema) -> list[str]:
    return [f"{part.kind.value} {part.text}" for part in one.parts]


async def test_a_small_schema_is_shown_whole_in_the_catalog_s_order_whatever_is_asked() -> None:
    asked = [await shown(q, 1000) for q in ("orders shipped late", "names of customers", "xyzzy")]
    assert asked[0].parts == asked[1].parts == asked[2].parts
    assert texts(asked[0]) == [
        "name customers(id int key, name varchar(40), state varchar(40), mood mood)",
        "comment customers: Everyone who bought something",
        "comment customers.name: as printed on invoices",
        "value customers.state: 'CA', 'NY', 'WA', 'OR' and others",
        "label customers.mood: 'happy', 'sad'",
        "name orders(id int key, customer_id int references customers.id, shipped date, "
        '"Noted at" timestamp)',
    ]
    assert asked[0].whole
    assert "Noted at" in asked[0].parts[-1].names


async def test_values_are_shown_where_they_may_be() -> None:
    one = await shown("orders", 1000, values=False)
    assert Kind.VALUE not in {part.kind for part in one.parts}


async def test_when_space_is_short_values_go_first_then_comments_then_columns_then_tables() -> None:
    whole = await shown("customers", 1000)
    kinds = [part.kind for part in whole.parts]
    assert kinds == [Kind.NAME, Kind.COMMENT, Kind.COMMENT, Kind.VALUE, Kind.LABEL, Kind.NAME]
    seen = [kinds]
    for most in range(whole.tokens + 20, 30, -1):
        now = [part.kind for part in (await shown("names", most)).parts]
        if now != seen[-1]:
            seen.append(now)
    assert seen[1] == [Kind.NAME, Kind.COMMENT, Kind.COMMENT, Kind.LABEL, Kind.NAME]
    assert seen[2] == [Kind.NAME, Kind.LABEL, Kind.NAME]
    assert (await shown("names of customers", 45)).relations == (CUSTOMERS,)


async def test_the_best_relation_is_told_in_full_where_not_all_can_be() -> None:
    """A comment on what is asked about says more than columns of what is not."""
    telling = tuple(replace(c, comment="what it is good for") for c in CUSTOMERS.columns)
    others = tuple(replace(ORDERS, oid=oid, name=f"ledger_{oid}", foreign_keys=()) for oid in range(10, 40))
    catalog = Catalog((*others, replace(CUSTOMERS, columns=telling)), search_path=("public",))
    one = await shown("names of customers", 500, catalog)
    assert any("mood: what it is good for" in text for text in texts(one))
    assert "value customers.state: 'CA', 'NY', 'WA', 'OR' and others" in texts(one)
    assert 5 < len(one.relations) < 31
    assert one.tokens <= 500
    assert texts(one)[-1].startswith("name further relations, by name only: ")


async def test_rows_and_joins_that_nothing_declares_are_told() -> None:
    visits = Relation(
        7,
        "public",
        "visits",
        "r",
        (column("id", "int", 1), column("customer_id", "int", 2)),
        estimated_rows=0.0,
    )
    catalog = Catalog((replace(CUSTOMERS, estimated_rows=1200.0), visits), search_path=("public",))
    one = texts(await shown("visits of customers", 1000, catalog))
    assert "name by their names, though no key is declared: visits.customer_id = customers.id" in one
    assert "statistics rows, about: customers 1200" in one
    assert "statistics without rows when last analyzed: visits" in one
    assert "statistics" not in " ".join(texts(await shown("visits", 1000, catalog, values=False)))


@pytest.mark.parametrize(
    ("distinct", "known", "rows", "told", "others"),
    [
        (12, 12, False, 12, False),
        (12, 9, False, 9, True),
        (20, 20, False, 4, True),
        (500, 20, False, 1, True),
        (500, 20, True, 0, False),
        (-0.5, 20, True, 0, False),
        (-0.005, 5, True, 5, False),
        (0, 20, True, 4, True),
    ],
)
async def test_values_are_told_where_they_are_few_and_of_many_the_form(
    distinct: float, known: int, rows: bool, told: int, others: bool
) -> None:
    """Of 1000 rows: ids, telephone numbers and dates tell nothing that a row as an example does not.

    A list that is not whole says so, even where statistics know no more values.
    """
    common = tuple(f"v{n}" for n in range(known))
    held = replace(column("state", "text", 1), category="S", distinct=distinct, common_values=common)
    catalog = Catalog((replace(CUSTOMERS, columns=(held,), primary_key=(), estimated_rows=1000.0),))
    one = show(catalog, await linked("customers", catalog), 1000, values=True, rows=rows)
    values = [part.text for part in one.parts if part.kind is Kind.VALUE]
    assert sum(text.count("'v") for text in values) == told
    assert any(text.endswith("' and others") for text in values) is others


async def test_the_days_between_which_rows_lie_are_told() -> None:
    """What 'last quarter' comes to depends on how far the data go."""
    days = tuple(
        replace(c, period=("2022-01-03", "2024-05-01"), distinct=-1)
        for c in ORDERS.columns
        if c.category == "D"
    )
    catalog = Catalog((replace(ORDERS, columns=days, foreign_keys=()),), search_path=("public",))
    told = texts(await shown("orders shipped", 1000, catalog))
    assert "statistics orders.shipped: from 2022-01-03 to 2024-05-01" in told
    assert "from 2022" not in " ".join(texts(await shown("orders shipped", 1000, catalog, values=False)))


async def test_an_empty_text_is_no_other_value() -> None:
    others = CUSTOMERS.columns[:2]
    state = replace(CUSTOMERS.by_name["state"], common_values=("CA", "NY"), distinct=3)
    for blank, more in ((True, ""), (False, " and others")):
        columns = (*others, replace(state, blank=blank))
        catalog = Catalog((replace(CUSTOMERS, columns=columns),), search_path=("public",))
        assert f"value customers.state: 'CA', 'NY'{more}" in texts(await shown("customers", 1000, catalog))


async def test_labels_that_are_cut_say_so() -> None:
    labels = tuple(f"label number {n}" for n in range(30))
    moods = replace(CUSTOMERS, columns=(column("mood", "mood", 1, enum_labels=labels),), primary_key=())
    one = texts(await shown("customers", 1000, Catalog((moods,))))
    (told,) = (text for text in one if text.startswith("label "))
    assert told.endswith("' and others")
    assert len(told) <= 200


def ledgers(number: int) -> tuple[Relation, ...]:
    """Tables that nothing joins, each with a column of two values and one that is often empty."""
    columns = (
        column("id", "int", 1),
        replace(column("kind", "text", 2), category="S", distinct=2.0, common_values=("a", "b")),
        replace(column("note", "text", 3), null_share=0.5),
    )
    return tuple(Relation(50 + n, "public", f"ledger_{n}", "r", columns) for n in range(number))


async def test_values_and_numbers_of_what_is_far_from_the_question_are_not_told() -> None:
    told = tuple(replace(r, estimated_rows=900.0) for r in (*ledgers(4), CUSTOMERS))
    catalog = Catalog(told, search_path=("public",))
    one = texts(await shown("names of customers", 2000, catalog))
    assert sum(text.startswith("name ledger_") for text in one) == 4
    assert not any("ledger" in text and not text.startswith("name ") for text in one)
    assert "value customers.state: 'CA', 'NY', 'WA', 'OR' and others" in one
    assert "statistics rows, about: customers 900" in one
    unlinked = texts(await shown("xyzzy", 2000, catalog))
    assert "value ledger_0.kind: 'a', 'b'" in unlinked, "where nothing is linked, anything may be meant"


async def test_what_is_missing_is_told() -> None:
    """Of the best relations every column, of what they lead to those that refer to something."""
    filled = {"name": 0.004, "state": 0.05, "mood": 0.0}
    known = tuple(replace(c, null_share=filled.get(c.name, -1.0)) for c in CUSTOMERS.columns)
    unmarked = tuple(replace(c, blank=c.name == "name") for c in known)
    empty = {"customer_id": 0.251, "shipped": 0.999}
    orders = replace(
        ORDERS, columns=tuple(replace(c, null_share=empty.get(c.name, 0.0)) for c in ORDERS.columns)
    )
    catalog = Catalog((replace(CUSTOMERS, columns=unmarked), orders), search_path=("public",))
    one = texts(await shown("names of customers", 1000, catalog))
    assert (
        "statistics share of rows with NULL, about: customers: name < 1 %, state 5 %;"
        " orders: customer_id 25 %, shipped > 99 %"
    ) in one
    assert "statistics many rows with '' in: customers.name" in one
    hidden = texts(await shown("names of customers", 1000, catalog, values=False))
    assert not any(text.startswith("statistics") for text in hidden)


async def test_keys_are_joined_by_and_their_values_told_where_they_are_few_codes() -> None:
    codes = {"region": 3.0, "courier": 20.0}
    columns = tuple(
        replace(column(name, "text", n), category="S", distinct=many, common_values=("a", "b", "c"))
        for n, (name, many) in enumerate(codes.items())
    )
    keys = tuple(ForeignKey((name,), CUSTOMERS.oid, ("id",)) for name in codes)
    parcels = Relation(71, "public", "parcels", "r", columns, foreign_keys=keys, estimated_rows=1000.0)
    catalog = Catalog((parcels, CUSTOMERS))
    one = show(catalog, await linked("parcels", catalog), 1000, values=True, rows=True)
    values = [part.text for part in one.parts if part.kind is Kind.VALUE and "parcels" in part.text]
    assert values == ["parcels.region: 'a', 'b', 'c'"]


async def test_a_value_that_is_cut_says_so() -> None:
    held = replace(column("title", "text", 1), category="S", distinct=2, common_values=("x" * 31, "x" * 30))
    catalog = Catalog((replace(CUSTOMERS, columns=(held,), primary_key=()),))
    one = show(catalog, await linked("customers", catalog), 1000, values=True)
    value = next(part.text for part in one.parts if part.kind is Kind.VALUE)
    assert value == f"customers.title: '{'x' * 29}…', '{'x' * 30}'"


async def test_joins_between_the_best_relations_are_told_once_each_by_what_supports_them() -> None:
    """Of many tables without keys those joins are shown that the question needs, whatever the alphabet."""

    def table(oid: int, name: str, *columns: str) -> Relation:
        own = f"{name}_id"
        made = [
            replace(column(c, "int", n), distinct=-1.0 if c == own else 5.0) for n, c in enumerate(columns)
        ]
        return Relation(oid, "public", name, "r", tuple(made), estimated_rows=100.0)

    areas = [table(10 + n, f"area{n}", f"area{n}_id", "size") for n in range(40)]
    others = [table(100 + n, f"b{n}", "area1_id", f"area{n}_id") for n in range(2, 30)]
    asked = [
        table(1, "zebra", "zebra_id", "size"),
        table(2, "keeper", "keeper_id", "size"),
        table(3, "visits", "zebra_id", "keeper_id"),
    ]
    catalog = Catalog((*others, *areas, *asked))
    links = await linked("visits of keepers to a zebra", catalog)
    assert len(links.joins) == MAX_JOINS
    told = tuple(replace(j, supported=True if j.column == "zebra_id" else None) for j in links.joins)
    lines = texts(show(catalog, replace(links, joins=told), 6000, values=True))
    assert (
        "statistics their values join, though no key is declared: visits.zebra_id = zebra.zebra_id" in lines
    )
    by_name = [line for line in lines if line.startswith("name by their names")]
    assert any("visits.keeper_id = keeper.keeper_id" in line for line in by_name)
    assert any("b10.area1_id, b11.area1_id" in line for line in by_name), "a key stands once"


@pytest.mark.parametrize("most", [50, 200, 1000, 6000, 20_000])
@pytest.mark.slow
async def test_no_more_is_shown_than_was_granted(most: int) -> None:
    one = await shown("which carrier sent the freight invoices", most, HUGE)
    assert sum(tokens(part.text) for part in one.parts) <= one.tokens <= most


@pytest.mark.parametrize("most", [200, 6000])
async def test_among_900_tables_the_one_that_is_asked_about_is_shown_with_its_columns(most: int) -> None:
    one = await shown("which carrier sent the freight invoices", most, HUGE)
    assert "freight_invoices" in {r.name for r in one.relations}
    line = next(part.text for part in one.parts if part.text.startswith("freight_invoices("))
    assert "carrier" in line
    assert not one.whole


async def test_a_question_that_names_nothing_still_sees_tables() -> None:
    assert (await shown("xyzzy", 500, HUGE)).relations


async def test_what_joins_two_tables_comes_before_what_nobody_named() -> None:
    links = await linked("freight invoices", HUGE)
    assert [r.name for r in links.relations[:3]] == [
        "freight_invoices",
        "ledger_segment_0416",
        "ledger_segment_0418",
    ]


async def test_what_words_say_goes_over_joins_that_nothing_declares() -> None:
    """A table of lines is near the orders that it refers to by name; no word names it."""
    zones, lines = (
        Relation(
            oid, "public", name, "r", (column(own, "int", 1), column(other, "int", 2)), primary_key=(own,)
        )
        for oid, name, own, other in ((81, "zz", "zz_id", "size"), (82, "zy", "zy_id", "order_id"))
    )
    orders = replace(ORDERS, foreign_keys=())
    links = await linked("orders of May", Catalog((zones, lines, orders), search_path=("public",)))
    assert [r.name for r in links.relations] == ["orders", "zy", "zz"]
    assert links.near == {ORDERS.oid, lines.oid}


async def test_some_relations_alone() -> None:
    one = only(SHOP, await linked("orders"), [ORDERS], 1000, values=True)
    assert one.relations == (ORDERS,)


async def test_what_lies_off_the_path_is_left_out_where_something_is_on_it() -> None:
    assert AUDIT not in (await linked("audit")).relations


def test_names_and_types_are_those_of_sql() -> None:
    assert name_of(SHOP, AUDIT) == "inner.audit" or name_of(SHOP, AUDIT) == '"inner".audit'
    assert name_of(SHOP, ORDERS) == "orders"
    assert short_type("timestamp(3) with time zone") == "timestamptz(3)"
    assert short_type("character varying(20)[]") == "varchar(20)[]"


async def test_wide_tables_take_lines_that_the_door_does_not_cut() -> None:
    catalog = large(1, columns=200)
    one = await shown("ledger", 20_000, catalog)
    assert len(one.parts) > 5
    assert all(len(part.text) <= 512 for part in one.parts)
    assert all(part.text.startswith("ledger_segment_0000(") for part in one.parts)


@pytest.mark.parametrize(
    ("comment", "says_more"),
    [
        ("Name of the author", False),
        ("Unique identifier for each author", False),
        ("Foreign key referencing the author table's primary key", False),
        ("", False),
        ("seconds since 1970", True),
        ("name as printed", True),
    ],
)
def test_a_comment_that_repeats_the_names_tells_nothing(comment: str, says_more: bool) -> None:
    assert tells(comment, "author", "name") is says_more
