"""A unit is never dropped: it converts, tells a duration, or speaks against what is in no such unit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.core.errors import AskError
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]


@pytest.fixture
def harbour(make_table: Callable[..., Relation]) -> Catalog:
    return Catalog(
        (
            make_table(1, "ferries", "id:id name:text price:money capacity:int length_m:int"),
            make_table(
                2,
                "trips",
                "id:id ferry_id:id departed_at:time arrived_at:time? distance:int",
                keys={"ferry_id": 1},
            ),
            make_table(
                3, "parcels", "id:id name:text weight_kg:money length_mm:int speed_kmh:int size_mb:int"
            ),
            make_table(4, "bookings", "id:id trip_id:id fare_cents:int", keys={"trip_id": 2}),
            make_table(5, "rooms", "id:id name:text temp_c:int rent_usd:money"),
        )
    )


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("trips longer than 2 hours", "extract(epoch FROM arrived_at - departed_at) / 3600 > 2"),
        ("trips that took more than 90 minutes", "extract(epoch FROM arrived_at - departed_at) / 60 > 90"),
        (
            "how many trips lasted less than 30 minutes",
            "extract(epoch FROM arrived_at - departed_at) / 60 < 30",
        ),
        ("parcels heavier than 20 mg", "weight_kg > 0.00002"),
        ("parcels longer than 5 feet 10 inches", "length_mm > 1778"),
        ("parcels faster than 100 mph", "speed_kmh > 160.9344"),
        ("parcels larger than 512 kb", "size_mb > 0.5"),
        ("trips with total fare above $500", "HAVING sum(b.fare_cents) > 50000"),
        ("trips with an average fare above 20", "HAVING avg(b.fare_cents) > 2000"),
    ],
)
async def test_a_unit_says_how_a_number_is_compared(
    question: str, condition: str, plan: Plans, harbour: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, harbour, {})))[0]
    assert condition in best.sql
    assert (best.confidence or 0.0) >= 0.4


@pytest.mark.parametrize(
    ("question", "never"),
    [
        ("trips longer than 5 kg", "> 5"),
        ("ferries heavier than 5 hours", "> 5"),
        ("ferries longer than 4 hours", "capacity"),
        ("rooms hotter than 90 fahrenheit", "temp_c > 90"),
        ("rooms with a rent over 20 euros", "rent_usd > 20"),
        ("rooms with a rent over 20 pounds", "rent_usd > 20"),
    ],
)
async def test_what_is_in_no_such_unit_is_not_compared(
    question: str, never: str, plan: Plans, harbour: Catalog
) -> None:
    try:
        found = await EmbeddedEngine().propose(plan(question, harbour, {}))
    except AskError:
        found = ()
    assert all(never not in c.sql or (c.confidence or 0.0) < 0.4 for c in found)


async def test_pounds_are_money_where_nothing_is_weighed(plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("products over 20 pounds")))[0]
    assert "price > 20" in best.sql


async def test_a_number_in_two_units_is_told_as_one(plan: Plans, harbour: Catalog) -> None:
    best = (await EmbeddedEngine().propose(plan("parcels longer than 5 feet 10 inches", harbour, {})))[0]
    told = {(a.span.text, a.target) for a in best.alignments}
    assert ("5 feet 10 inches", "1778 millimetres") in told


async def test_a_duration_cut_short_is_one(plan, make_table):
    outages = make_table(1, "outages", "id:id dur_h:int cause:text")
    best = (await EmbeddedEngine().propose(plan("outages longer than 190 hours", Catalog((outages,)), {})))[0]
    assert best.sql.endswith("WHERE dur_h > 190")
