"""What is to be shown, listed behind a question or asked beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.fixture
def museum(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "museums", "id:id name:text city:text opened_on:date"),
            make_table(2, "loans", "id:id museum_id:id fee:money", keys={"museum_id": 1}),
        )
    )


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Which museums never had a loan? Name and city.", "SELECT name, city FROM museums WHERE"),
        ("Which museums are in the city of Oslo? Just the name, please.", "SELECT name FROM museums"),
        ("museums with two or more loans - name and city", "SELECT m.name, m.city FROM"),
        ("Which is the newest museum and when did it open?", "SELECT name, opened_on FROM museums ORDER"),
        ("Which is the newest museum, and where is it?", "SELECT name, city FROM museums ORDER"),
        ("top 3 museums by number of loans. Name and number, highest first.", "SELECT m.name, count(*)"),
    ],
)
async def test_a_list_is_shown(
    question: str, shown: str, museum: Catalog, plan: Callable[..., ExpertContext]
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, museum, {("museums", "city"): ("Oslo",)})))[0]
    assert best.sql.startswith(shown)
    assert not best.uncovered
