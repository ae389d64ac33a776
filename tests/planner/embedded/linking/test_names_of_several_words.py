"""Names that all their words tell together: flags that begin with a preposition, names by another word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]


@pytest.fixture
def gallery(make_table: Callable[..., Relation]) -> Catalog:
    works = "id:id title:text medium_cd:id on_display:bool is_on_loan:bool lst_prc:money"
    return Catalog(
        (
            make_table(1, "works", works, keys={"medium_cd": 2}),
            make_table(2, "medium", "medium_cd:id description:text"),
            make_table(3, "sales", "id:id work_id:id prc:money", keys={"work_id": 1}),
            make_table(4, "keepers", "id:id name:text"),
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
    ],
)
async def test_all_words_tell_the_name(question: str, sql: str, gallery: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, gallery, {})))[0]
    assert first.sql == sql


@pytest.mark.parametrize("question", ["how many works are in use", "which works are not on order"])
async def test_a_state_that_nothing_holds_is_left_out(question: str, gallery: Catalog, plan: Plans) -> None:
    first = (await EmbeddedEngine().propose(plan(question, gallery, {})))[0]
    assert first.uncovered
