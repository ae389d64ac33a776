"""What is looked up of the data, and what is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.language.text import tokenize
from askwire.planner.embedded.linking.value_reads import CHUNK_COLUMNS, EXACT, WITHIN, Room, ValueReader
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.schema import schema_index
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.private_values import without_values

Plans = Callable[..., ExpertContext]
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


class SlowBatch:
    """Answers nothing; a statement that reads a column in `failing` fails, and what was waited is counted."""

    def __init__(self, failing: dict[int, str]) -> None:
        self._failing = failing
        self.waited = 0
        self.statements = 0

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        self.statements += 1
        read = {int(number) for number in re.findall(r"SELECT DISTINCT (\d+)::pg_catalog.text", sql)}
        for number, code in self._failing.items():
            if number in read:
                self.waited += (timeout_ms or 1000) if code == "57014" else 0
                raise DatabaseFailed("failed", code=code)
        columns = (ResultColumn("c", 25), ResultColumn("v", 25))
        return ResultSet(columns, tuple((str(number), "x") for number in sorted(read)))


def _wide(make_table: Callable[..., Relation]) -> schema_index.SchemaIndex:
    names = " ".join(f"note_{number}:text" for number in range(CHUNK_COLUMNS))
    return schema_index.build(Catalog((make_table(1, "people", names),)))


async def test_a_slow_column_costs_its_own_time_and_that_once(make_table: Callable[..., Relation]) -> None:
    index = _wide(make_table)
    batch: Any = SlowBatch({7: "57014"})
    reader = ValueReader(batch, index, Room())
    found = await reader.values(index.columns, EXACT, ("x",))
    assert [number for number, _ in found] == [n for n in range(CHUNK_COLUMNS) if n != 7]
    assert batch.waited == 1250
    again = await reader.values(index.columns, WITHIN, ("x",))
    assert len(again) == CHUNK_COLUMNS - 1
    assert batch.waited == 1250


async def test_a_column_that_may_not_be_read_is_found_by_halves(make_table: Callable[..., Relation]) -> None:
    index = _wide(make_table)
    batch: Any = SlowBatch({7: "42501"})
    found = await ValueReader(batch, index, Room()).values(index.columns, EXACT, ("x",))
    assert len(found) == CHUNK_COLUMNS - 1
    assert batch.statements < 16


async def test_what_is_locked_does_not_pass_for_what_is_not_there(
    make_table: Callable[..., Relation],
) -> None:
    index = _wide(make_table)
    batch: Any = SlowBatch({7: "55P03"})
    with pytest.raises(DatabaseFailed) as failed:
        await ValueReader(batch, index, Room()).values(index.columns, EXACT, ("x",))
    assert failed.value.code == "55P03"
