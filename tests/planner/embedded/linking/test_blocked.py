"""Words of structure name no column, unless one is called so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Relation


@pytest.mark.parametrize(
    ("other", "sql"),
    [
        ("warranty_months:int", "SELECT date_trunc('month', placed)::date AS month, sum(amount)"),
        ("monthly_amount:money", "SELECT monthly_amount FROM orders"),
        ("mth_amount:money", "SELECT mth_amount FROM orders"),
    ],
)
async def test_monthly_is_a_unit_unless_a_column_is_called_so(
    other: str, sql: str, make_table: Callable[..., Relation], plan: Callable[..., Planning]
) -> None:
    orders = make_table(1, "orders", f"id:id placed:date amount:money {other}")
    found = await EmbeddedEngine().propose(plan("monthly amount of orders in 2025", Catalog((orders,))))
    assert found[0].sql.startswith(sql)
