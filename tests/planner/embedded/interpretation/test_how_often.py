"""How often a thing is used is how many rows of the one table that uses it have it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

COUPONS = (
    "SELECT c.code, count(*) AS number_of_bookings FROM coupons AS c JOIN bookings AS b "
    "ON b.coupon_id = c.id GROUP BY c.id, c.code ORDER BY count(*) DESC"
)


@pytest.fixture
def hotel(make_table: Callable[..., Relation]) -> Catalog:
    coupons = make_table(1, "coupons", "id:id code:text")
    rooms = make_table(2, "rooms", "id:id name:text")
    bookings = make_table(3, "bookings", "id:id coupon_id:id room_id:id", keys={"coupon_id": 1, "room_id": 2})
    repairs = make_table(4, "repairs", "id:id room_id:id", keys={"room_id": 2})
    return Catalog((coupons, rooms, bookings, repairs))


@pytest.mark.parametrize(
    "question", ["which coupons are used and how often", "how often is each coupon used?"]
)
async def test_one_table_uses_it(question: str, hotel: Catalog, plan: Callable[..., ExpertContext]) -> None:
    best = (await EmbeddedEngine().propose(plan(question, hotel, {})))[0]
    assert best.sql == COUPONS
    assert best.confidence is not None
    assert best.confidence > 0.7


async def test_of_two_tables_neither_is_chosen(hotel: Catalog, plan: Callable[..., ExpertContext]) -> None:
    best = (await EmbeddedEngine().propose(plan("which rooms are used and how often", hotel, {})))[0]
    assert best.confidence is not None
    assert best.confidence < 0.6
