"""Names that all their words tell together: flags that begin with a preposition, names by another word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.schema.schema_index import build
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, ForeignKey, Relation

Plans = Callable[..., ExpertContext]


@pytest.fixture
def gallery(make_table: Callable[..., Relation]) -> Catalog:
    works = "id:id title:text medium_cd:id on_display:bool is_on_loan:bool lst_prc:money"
    return Catalog(
        (
            make_table(1, "works", works, keys={"medium_cd": 2}),
            make_table(2, "medium", "medium_cd:id description:text"),
            make_table(3, "sales", "id:id work_id:id prc:money", keys={"work_id": 1}),
            make_table(4, "keepers", "id:id name:text onscholarship:bool hoursperweek:int pages_per_day:int"),
            make_table(
                5, "readings", "id:id taken_on:date max_humidity:int mean_humidity:int min_humidity:int"
            ),
            make_table(
                6, "mills", "id:id name:text built_year:int market_share:money line_1:text line_2:text"
            ),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many works are on display", "SELECT count(*) FROM works WHERE on_display = true"),
        ("titles of works not on display", "SELECT title FROM works WHERE on_display = false"),
        ("how many works are on loan?", "SELECT count(*) FROM works WHERE is_on_loan = true"),
        ("highest list price", "SELECT max(lst_prc) FROM works"),
        ("list the titles of all works", "SELECT title FROM works"),
        ("list the medium names", "SELECT description FROM medium"),
        ("names of keepers who are on scholarship", "SELECT name FROM keepers WHERE onscholarship = true"),
        ("total hours per week of all keepers", "SELECT sum(hoursperweek) FROM keepers"),
        ("what is the average number of pages per day", "SELECT avg(pages_per_day) FROM keepers"),
        ("what is the average humidity", "SELECT avg(mean_humidity) FROM readings"),
        ("year of construction of each mill", "SELECT built_year FROM mills"),
        ("what is the average market share of the mills", "SELECT avg(market_share) FROM mills"),
        ("line 1 and 2 of the mills", "SELECT line_1, line_2 FROM mills"),
    ],
)
async def test_all_words_tell_the_name(question: str, sql: str, gallery: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, gallery, {})))[0]
    assert first.sql == sql


@pytest.mark.parametrize("question", ["how many works are in use", "which works are not on order"])
async def test_a_state_that_nothing_holds_is_left_out(question: str, gallery: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, gallery, {})))[0]
    assert first.uncovered


@pytest.fixture
def music(make_table: Callable[..., Relation]) -> Catalog:
    songs = make_table(
        2, "songs", "song_name:text f_id:id rating:int state_code:text user_id:id", keys={"user_id": 3}
    )
    return Catalog(
        (
            make_table(1, "files", "f_id:id formats:text"),
            replace(songs, primary_key=("song_name",)),
            make_table(3, "useracct", "id:id name:text"),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("ids of songs with a rating above 3", "SELECT f_id FROM songs WHERE rating > 3"),
        ("How many users are there?", "SELECT count(*) FROM useracct"),
        ("how many songs have the state code done?", "SELECT count(*) FROM songs WHERE state_code = 'done'"),
        ("how many songs have been done?", "SELECT count(*) FROM songs"),
    ],
)
async def test_an_id_a_short_word_and_a_status_name_what_they_say(
    question: str, sql: str, music: Catalog, plan: Plans
) -> None:
    first = (
        await EmbeddedEngine().propose(plan(question, music, {("songs", "state_code"): ("done", "wip")}))
    )[0]
    assert first.sql == sql


@pytest.fixture
def trade(make_table: Callable[..., Relation]) -> Catalog:
    orders = make_table(1, "orders", "order_id:id order_name:text")
    items = make_table(2, "order_items", "order_item_id:id order_id:id pieces:int")
    key = ForeignKey(("order_id",), 1, ("order_id",))
    return Catalog(
        (
            replace(orders, primary_key=("order_id",)),
            replace(items, primary_key=("order_item_id",), foreign_keys=(key,)),
        )
    )


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "the order name, id and the number of items for each order",
            "SELECT o.order_name, o.order_id, count(",
        ),
    ],
)
async def test_an_id_is_that_of_what_is_said_with_it(
    question: str, shown: str, trade: Catalog, plan: Plans
) -> None:
    first, second, *_ = await EmbeddedEngine().propose(plan(question, trade, {}))
    assert first.sql.startswith(shown)
    assert first.score > second.score


def test_a_name_that_says_more_comes_behind_one_said_whole(trade: Catalog) -> None:
    index = build(trade)
    options = {index.columns[o.index].column.name: o.score for o in Linker(index).options(("order", "id"))}
    assert options["order_id"] > options["order_item_id"]
