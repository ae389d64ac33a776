"""What is looked up of the data, and what is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwire.planner.embedded import schema_index
from askwire.planner.embedded.text import tokenize
from askwire.planner.embedded.value_reads import Room
from askwire.planner.embedded.values import look_up
from askwire.planner.expert import Planning
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.private_values import without_values

Plans = Callable[..., Planning]
VALUES = {("people", "name"): ("Ada Stone",), ("people", "ssn"): ("ada stone",)}


async def test_a_column_with_values_off_is_not_read(plan: Plans, make_table: Callable[..., Relation]) -> None:
    catalog = Catalog((make_table(1, "people", "id:id name:text ssn:text"),))
    for names, found in (((), {"name", "ssn"}), (("public.people.ssn",), {"name"})):
        seen = without_values(catalog, names)
        planning = plan("people called Ada Stone", seen, values=VALUES)
        index = schema_index.build(seen)
        hits = await look_up(planning.executor, index, tokenize(planning.question.text))
        assert {index.columns[h.column].column.name for h in hits} == found


async def test_no_more_is_held_than_there_is_room_for(
    plan: Plans, make_table: Callable[..., Relation]
) -> None:
    catalog = Catalog((make_table(1, "people", "id:id name:text ssn:text"),))
    planning = plan("people called Ada Stone", catalog, values=VALUES)
    index = schema_index.build(catalog)
    hits = await look_up(planning.executor, index, tokenize(planning.question.text), room=Room(200))
    assert [index.columns[h.column].column.name for h in hits] == ["name"]


@pytest.mark.parametrize(("left", "kept"), [(1000, 3), (340, 2), (170, 1), (100, 0)])
def test_room_is_taken_by_bytes(left: int, kept: int) -> None:
    room = Room(left)
    assert len(room.take([(1, "abc"), (2, "äöü"), (3, "x")])) == kept
    assert room.left >= 0
    assert kept == 3 or room.take([(4, "")]) == []
