"""A number with a unit is compared with what is measured in it, in the unit that the column holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.units import called, converted, holding, spoken, undecided, unit_of
from askwire.planner.embedded.schema import schema_index
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]


@pytest.fixture
def fleet(make_table: MakeTable) -> Catalog:
    """Vessels, trips and goods, in units that names or comments tell."""
    return Catalog(
        (
            make_table(
                1,
                "vessels",
                "id:id name:text kind:text length_m:money draft_cm:int weight:money built_year:int",
                comments={"weight": "in tonnes"},
            ),
            make_table(
                2,
                "trips",
                "id:id vessel_id:id delay_minutes:int fuel_l:int fare_cents:int discount:money rating:int",
                keys={"vessel_id": 1},
                comments={"discount": "Share taken off: 0.10 is 10 percent"},
            ),
            make_table(3, "products", "id:id name:text price:money cost:money warranty_months:int"),
        )
    )


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("vessels longer than 12 metres", "length_m > 12"),
        ("vessels over 250 m long", "length_m > 250"),
        ("vessels longer than 2 km", "length_m > 2000"),
        ("vessels with a draft of more than 12 metres", "draft_cm > 1200"),
        ("vessels heavier than 500 kg", "weight > 0.5"),
        ("trips delayed by more than 3 hours", "delay_minutes > 180"),
        ("how many trips had a delay of over 30 minutes?", "delay_minutes > 30"),
        ("trips with a delay between 2 and 3 hours", "delay_minutes >= 120"),
        ("trips with a 5 percent discount", "discount = 0.05"),
        ("trips with a discount of at least 10%", "discount >= 0.1"),
        ("trips with a fare over $20", "fare_cents > 2000"),
        ("trips with a fare of more than 50 cents", "fare_cents > 50"),
        ("trips that used more than 500 litres", "fuel_l > 500"),
        ("products with a warranty of more than 2 years", "warranty_months > 24"),
        ("products costing less than 10 dollars", "price < 10"),
        ("how many products cost more than 100 dollars?", "price > 100"),
        ("products under $20", "price < 20"),
        ("average cost of products", "avg(cost)"),
    ],
)
async def test_a_unit_says_what_is_compared(
    question: str, condition: str, plan: Plans, fleet: Catalog
) -> None:
    best = (await EmbeddedEngine().propose(plan(question, catalog=fleet)))[0]
    assert condition in best.sql
    assert not best.uncovered


async def test_a_conversion_is_told(plan: Plans, fleet: Catalog) -> None:
    best = (await EmbeddedEngine().propose(plan("trips delayed by more than 3 hours", catalog=fleet)))[0]
    assert ("3 hours", "value", "180 minutes") in {(a.span.text, a.kind, a.target) for a in best.alignments}
    best = (await EmbeddedEngine().propose(plan("trips with a fare over 20", catalog=fleet)))[0]
    assert ("20", "value", "2000 cents") in {(a.span.text, a.kind, a.target) for a in best.alignments}


async def test_a_unit_is_no_value(plan: Plans, fleet: Catalog) -> None:
    values = {("vessels", "kind"): ("m", "metres", "MTR")}
    for candidate in await EmbeddedEngine().propose(
        plan("vessels longer than 12 metres", catalog=fleet, values=values)
    ):
        assert "kind" not in candidate.sql


async def test_what_holds_another_kind_of_thing_is_never_compared(plan: Plans, fleet: Catalog) -> None:
    for question in ("trips with a fare over 3 hours", "vessels longer than 300 dollars"):
        for candidate in await EmbeddedEngine().propose(plan(question, catalog=fleet)):
            assert "fare_cents >" not in candidate.sql
            assert "length_m >" not in candidate.sql


def test_times_and_counts_are_no_measures(fleet: Catalog) -> None:
    index = schema_index.build(fleet)
    for question in ("trips in the last 3 hours", "a vessel that is 3 years old", "top 3 minutes", "5 stars"):
        tokens = tokenize(question)
        assert not [m for m in spoken(tokens, (), index) if m.unit.kind != "time"] or "top" in question


def test_a_column_without_a_unit_takes_the_number_as_it_is(fleet: Catalog) -> None:
    index = schema_index.build(fleet)
    columns = {c.column.name: c for c in index.columns}
    said = spoken(tokenize("a price of 20 cents"), (), index)[0].unit
    assert converted(columns["price"], "20", said) == "20"
    assert converted(columns["fare_cents"], "20", said) == "20"
    assert holding(columns["rating"]).unit is None
    assert holding(columns["built_year"]).unit is None


@pytest.mark.parametrize(
    ("values", "number", "unit", "held"),
    [
        (("46", "60", "90", "120", "185"), "2", "hours", "minutes"),
        (("46", "60", "90", "120", "185"), "90", "minutes", "minutes"),
        (("46", "60", "90", "120", "185"), "5", "hours", ""),
        (("200000", "240000", "260000", "320000", "400000"), "5", "minutes", "milliseconds"),
        (("46", "185"), "2", "hours", ""),
        (("46", "60", "90", "120", "185"), "2nd", "hours", ""),
        (("long", "short", "1e999", "", "-"), "2", "hours", ""),
    ],
)
def test_values_tell_the_unit_where_they_leave_one(
    make_table: Callable[..., Relation], values: tuple[str, ...], number: str, unit: str, held: str
) -> None:
    film = make_table(1, "film", "id:id duration:int")
    columns = tuple(replace(c, common_values=values) if c.name == "duration" else c for c in film.columns)
    index = schema_index.build(Catalog((replace(film, columns=columns),)))
    found = unit_of(index.columns[1], number, called(unit))
    assert (found.name if found else "") == held


@pytest.mark.parametrize(
    ("extent", "number", "held"),
    [
        ((-86.0, 1272.0), "2", "minutes"),
        ((0.5, 9.0), "2", "hours"),
        ((1.0, 400.0), "5", ""),
        ((1.0, 3.0), "100", ""),
    ],
)
def test_from_where_to_where_a_column_goes_tells_its_unit(
    make_table: Callable[..., Relation], extent: tuple[float, float], number: str, held: str
) -> None:
    """Of 1 to 400, '5 hours' may be 5 or 300: then nothing is compared."""
    flights = make_table(1, "flights", "id:id delay:int")
    columns = tuple(replace(c, extent=extent) if c.name == "delay" else c for c in flights.columns)
    index = schema_index.build(Catalog((replace(flights, columns=columns),)))
    found = unit_of(index.columns[1], number, called("hours"))
    assert (found.name if found else "") == held
    assert undecided(index.columns[1], number, called("hours")) == (not held)
