"""Schemas of thousands of tables are prepared in processor time that grows with their columns, not faster.

Times are of the processor, with room for a slow machine.
"""

from __future__ import annotations

import pytest
from doubles.time_bounds import ProcessorTime

from askwire.planner.embedded.linking.rewording.wording import abbreviations
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.undeclared import SharedNames
from askwire.sql.catalog import Catalog, Column, Relation

pytestmark = pytest.mark.slow

TABLES = 3_000
SECONDS = 6.0


def relation(number: int, key: str, *, declared: bool) -> Relation:
    names = (
        key,
        "name",
        "city",
        "amount",
        "placed",
        "customer_id",
        f"status_{number}",
        f"note_{number // 2}",
        "qty",
        "price",
    )
    columns = tuple(
        Column(name=name, type_name="text", type_oid=25, category="S", position=n)
        for n, name in enumerate(names, 1)
    )
    return Relation(
        oid=number + 1,
        schema="public",
        name=f"customer_orders_{number}",
        kind="r",
        columns=columns,
        comment=f"orders of customers in region {number}",
        primary_key=(key,) if declared else (),
    )


@pytest.mark.parametrize(("key", "declared"), [("id", True), ("customer_orders_id", False)])
def test_an_index_and_its_joins(key: str, declared: bool) -> None:
    relations = tuple(relation(n, key, declared=declared) for n in range(TABLES))
    taken = ProcessorTime()
    index = schema_index.build(Catalog(relations=relations, search_path=("public",)))
    JoinGraph(index)
    abbreviations(index)
    assert taken.within(SECONDS)


def test_names_that_tables_share() -> None:
    relations = tuple(
        Relation(
            oid=number,
            schema="public",
            name=f"t{number}",
            kind="r",
            columns=tuple(Column(f"c{number // 2}_{n}", "text", 25, "S", n) for n in range(40)),
        )
        for number in range(1000)
    )
    taken = ProcessorTime()
    shared = SharedNames.of(relations)
    assert taken.within(SECONDS / 2)
    assert len(shared.names) == 20_000
