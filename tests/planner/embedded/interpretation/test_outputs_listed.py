"""What is to be shown, listed behind a question or asked beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]


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


@pytest.mark.parametrize(
    "question", ["list the machine makers", "Which makers do we have?", "list of makers"]
)
async def test_values_are_listed_once_and_no_value_is_none(
    question: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    machines = make_table(1, "machines", "id:id name:text maker:text?")
    known = (replace(c, distinct=5.0, null_share=0.1) if c.name == "maker" else c for c in machines.columns)
    catalog = Catalog((replace(machines, columns=tuple(known)),))
    best = (await EmbeddedEngine().propose(plan(question, catalog, {})))[0]
    assert best.sql == "SELECT DISTINCT maker FROM machines WHERE maker IS NOT NULL"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("museums with an average fee above 20, and the average", "avg(l.fee)"),
        ("museums with average fee above 20 and the fee", "avg(l.fee)"),
        ("museums with more than 2 loans, with count", "count(*)"),
        ("museums with a total fee over 100 and how much", "sum(l.fee)"),
    ],
)
async def test_a_figure_that_is_bounded_is_shown_where_it_is_asked_for(
    question: str, shown: str, museum: Catalog, plan: Plans
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, museum, {})))[0]
    assert shown in best.sql.partition(" FROM ")[0]
    assert f"HAVING {shown} > " in best.sql
