"""'Lowest first' sorts by the figure that is asked for, whatever its name, and limits nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("average price per brand, lowest first", "ORDER BY avg(price)"),
        ("average price per brand, from low to high", "ORDER BY avg(price)"),
        ("average price per brand, cheapest brand first", "ORDER BY avg(price)"),
        ("number of guitars per brand, most guitars first", "ORDER BY count(*) DESC"),
        ("number of guitars per brand, brands with the fewest guitars on top", "ORDER BY count(*)"),
        ("number of guitars and average price per brand, highest first", "ORDER BY count(*) DESC"),
        ("list guitars and their price, lowest first", "ORDER BY price"),
        ("list guitars and their brand, in alphabetical order", "ORDER BY name"),
    ],
)
async def test_the_figure_sorts(
    question: str, order: str, make_table: Callable[..., Relation], plan: Callable[..., ExpertContext]
) -> None:
    guitars = Catalog((make_table(1, "guitars", "id:id name:text brand:text price:money"),))
    best = (await EmbeddedEngine().propose(plan(question, guitars, {})))[0]
    assert best.sql.endswith(order)
    assert not best.uncovered
