"""Wishes that codes be shown by what they mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.linking.rewording.manner import Manner
from askwire.planner.embedded.linking.rewording.spelled_out import NO_WISH, spelled_out
from askwire.planner.embedded.logical_form.ir import Query, Term
from askwire.planner.embedded.rendering.description import reading
from askwire.planner.embedded.rendering.render import Renderer
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.code_tables import CodeList
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.lookups import Lookups
from askwire.sql.catalog import Catalog

MEANINGS = (("W", "website"), ("A", "advisor"))
LOOKUPS = Lookups(
    codes={
        (1, "chnl"): CodeList(2, "cd_grp", "CHNL", "cd", "descr", MEANINGS),
        (1, "order_typ"): CodeList(2, "cd_grp", "TYPE", "cd", "descr", MEANINGS),
    }
)


@pytest.fixture
def index(make_table):
    catalog = Catalog(
        (
            make_table(1, "orders", "id:id order_typ:text chnl:text qty:int"),
            make_table(2, "code_lkp", "cd_grp:text cd:text descr:text"),
        )
    )
    return schema_index.build(catalog, lookups=LOOKUPS)


@pytest.mark.parametrize(
    ("asked", "left", "firm"),
    [
        ("orders by channel ( show the channel 's name )", "orders by channel", False),
        ("share of orders by order type ? show the type in words", "share of orders by order type ?", True),
        ("orders per channel ( the description , not the code )", "orders per channel", True),
        ("orders per channel , spelled out", "orders per channel", True),
        ("orders per channel , no codes please", "orders per channel please", True),
        ("orders for each channel in plain words", "orders for each channel", True),
        ("show channel descriptions and order counts", "channel and order counts", False),
        ("names of the channels and orders of each", "channels and orders of each", False),
    ],
)
def test_the_wish_is_left_out(index, asked, left, firm):
    tokens, wish = spelled_out(tokenize(asked), index)
    line = new_tokens.line(tokens).removeprefix("show ")
    assert line.replace("channels", "channel") == left.replace("channels", "channel")
    assert wish.columns == set(index.code_lists)
    assert wish.firm is firm


@pytest.mark.parametrize("asked", ["orders by channel", "the name of each customer", "words in the title"])
def test_what_wishes_no_such_thing_stays(index, asked):
    assert spelled_out(tokenize(asked), index) == (tokenize(asked), NO_WISH)


def test_without_a_table_of_codes_nothing_is_read_so(make_table):
    plain = schema_index.build(Catalog((make_table(1, "orders", "id:id chnl:text"),)))
    asked = tokenize("orders by channel, in words")
    assert spelled_out(asked, plain) == (asked, NO_WISH)


def test_a_code_is_shown_by_what_it_means(index):
    channel = next(n for n in index.code_lists if index.columns[n].column.name == "chnl")
    _, wish = spelled_out(tokenize("orders by channel, in words"), index)
    grouped = Query((Term(channel), Term(None, "count", of=0)), group=(Term(channel),))
    shown = Manner(spelled=wish).of(grouped)
    assert shown is not None
    assert Renderer(index, JoinGraph(index)).sql(shown) == (
        "SELECT coalesce((SELECT meaning.descr FROM code_lkp AS meaning WHERE meaning.cd_grp = 'CHNL' "
        "AND meaning.cd = orders.chnl), orders.chnl::text) AS chnl, count(*) FROM orders GROUP BY chnl"
    )
    assert reading(index, shown).endswith(", codes spelled out")


def test_without_a_key_one_meaning_is_shown(index):
    lists = {n: replace(one, keyed=False) for n, one in index.code_lists.items()}
    unkeyed = replace(index, code_lists=lists)
    channel = next(n for n in lists if index.columns[n].column.name == "chnl")
    listed = Query((Term(channel),), spelled=True)
    assert "SELECT min(meaning.descr) FROM code_lkp" in Renderer(unkeyed, JoinGraph(unkeyed)).sql(listed)


def test_rows_that_are_compared_as_they_are_shown_are_not_spelled_out(index):
    channel = Term(next(n for n in index.code_lists if index.columns[n].column.name == "chnl"))
    manner = Manner(spelled=spelled_out(tokenize("the channels, in words"), index)[1])
    listed = Query((channel,))
    assert manner.of(listed) is not None
    assert manner.of(listed.with_(combine=("EXCEPT", listed))) is None
    assert manner.of(listed.with_(partition=(channel,), limit=1)) is None
    assert manner.of(listed.with_(distinct=True, order=((channel, False),))) is None


def test_a_table_called_meaning_is_not_mixed_up(index, make_table):
    catalog = Catalog((make_table(1, "meaning", "id:id chnl:text"), *index.catalog.relations[1:]))
    lookups = Lookups(codes={(1, "chnl"): LOOKUPS.codes[1, "chnl"]})
    called = schema_index.build(catalog, lookups=lookups)
    (channel,) = called.code_lists
    sql = Renderer(called, JoinGraph(called)).sql(Query((Term(channel),), spelled=True))
    assert "meaning_2.cd = meaning.chnl" in sql


def test_where_no_code_is_shown_the_wish_cannot_be_met(index):
    counted = Query((Term(None, "count", of=0),), tables=frozenset({0}))
    assert Manner(spelled=spelled_out(tokenize("how many orders? In words"), index)[1]).of(counted) is None
