"""After DDL a catalog is made of what changed and of what was there: it equals one that is read again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from data.catalog_askers import Asker, Ticks, role

from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.introspection.queries import STATISTICS

_TYPES = ("int", "text", "mood", "email", "mood[]", "numeric(8,2)")


def _ddl(draw: random.Random, tables: list[str], number: int) -> str:
    """A change of a random kind; some of them fail, as people's do."""
    table, other = draw.choice(tables), draw.choice(tables)
    column = draw.choice(("id", "name", "placed", "mood", "mail", f"extra_{draw.randrange(number + 1)}"))
    type_name = draw.choice(_TYPES)
    return draw.choice(
        (
            f"CREATE TABLE made_{number} (id int PRIMARY KEY, name {type_name}, of int REFERENCES customers)",
            f"CREATE TABLE made_{number} (LIKE {table} INCLUDING ALL)",
            f"CREATE VIEW seen_{number} AS SELECT * FROM {table}",
            f"CREATE TABLE part_{number} PARTITION OF events"
            f" FOR VALUES FROM ('{2026 + number}-01-01') TO ('{2027 + number}-01-01')",
            f"DROP TABLE {table} CASCADE",
            f"ALTER TABLE {table} RENAME TO renamed_{number}",
            f"ALTER TABLE {table} ADD COLUMN extra_{number} {type_name}",
            f"ALTER TABLE {table} DROP COLUMN {column} CASCADE",
            f"ALTER TABLE {table} RENAME COLUMN {column} TO renamed_{number}",
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE text USING {column}::text",
            f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL",
            f"ALTER TABLE {table} ADD UNIQUE ({column})",
            f"ALTER TABLE {table} ADD FOREIGN KEY (id) REFERENCES {other}",
            f"COMMENT ON TABLE {table} IS 'comment {number}'",
            f"COMMENT ON COLUMN {table}.{column} IS 'comment {number}; askwire: no values'",
            f"COMMENT ON COLUMN {table}.{column} IS NULL",
            f"ALTER TYPE mood ADD VALUE 'mood {number}'",
            f"ALTER DOMAIN email ADD CHECK (VALUE <> 'at {number}')",
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
            f"CREATE POLICY p_{number} ON {table} USING (id > 0)",
            f"GRANT SELECT ON {table} TO reader",
            f"GRANT SELECT ({column}) ON {table} TO reader",
            f"REVOKE SELECT ON {table} FROM reader",
            f"TRUNCATE {table} CASCADE",
            f"CREATE SCHEMA away_{number} CREATE TABLE apart (id int)",
        )
    )


async def _changed(owner: Asker, statement: str) -> bool:
    try:
        await owner.run(statement)
    except psycopg.Error:
        return False
    return True


@pytest.mark.parametrize("seed", range(4))
async def test_a_catalog_after_random_ddl_equals_one_that_is_read_anew(
    seed: int, owner: Asker, connect: Callable[..., Any]
) -> None:
    draw = random.Random(seed)
    kept = Catalogs(Ticks(), values_off=frozenset({"public.*.name"}))
    async with role(owner, "reader"):
        await owner.run("GRANT SELECT ON customers, happy TO reader", "ALTER TABLE events ADD COLUMN id int")
        reader = await connect("reader")
        for number in range(25):
            tables = sorted(r.name for r in await owner.load(kept) if r.on_path)
            await reader.load(kept)
            if not await _changed(owner, _ddl(draw, tables, number)):
                continue
            for asker in (owner, reader):
                anew = await asker.load(Catalogs(Ticks(), values_off=frozenset({"public.*.name"})))
                assert await asker.load(kept) == anew
        await reader.run("RESET ROLE")


def _by_name(catalog: Catalog) -> dict[str, Relation]:
    return {r.name: r for r in catalog}


async def test_what_did_not_change_stays_the_object_it_was(owner: Asker) -> None:
    cache = Catalogs(Ticks())
    before = _by_name(await owner.load(cache))
    await owner.run("ALTER TABLE orders ADD COLUMN note text")
    after = _by_name(await owner.load(cache))
    assert {name for name in after if after[name] is not before[name]} == {"orders"}


async def test_statistics_are_read_of_what_changed_alone(
    owner: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Catalogs(Ticks())
    await owner.load(cache)
    asked: list[str] = []
    execute = type(owner.executor).batch

    def batch(executor: Any) -> Any:
        return _StatisticsBatch(execute(executor), asked)

    monkeypatch.setattr(type(owner.executor), "batch", batch)
    await owner.run("COMMENT ON COLUMN orders.placed IS 'Day of the order'")
    made = _by_name(await owner.load(cache))
    assert asked == ['[["public", "orders"]]']
    assert made["customers"].by_name["mood"].common_values
    await owner.run("COMMENT ON TABLE orders IS 'Bought'")
    await owner.load(cache)
    assert len(asked) == 1


class _StatisticsBatch:
    """A batch that tells which statistics were asked for."""

    def __init__(self, inner: Any, asked: list[str]) -> None:
        self._inner = inner
        self._asked = asked

    async def __aenter__(self) -> _StatisticsBatch:
        self._batch = await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)

    async def read(self, sql: str, parameters: Any = (), **over: Any) -> Any:
        if sql == STATISTICS:
            self._asked.append(parameters[1])
        return await self._batch.read(sql, parameters, **over)


async def test_a_session_with_temporary_tables_begins_with_what_its_role_has(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    cache = Catalogs(Ticks())
    before = _by_name(await owner.load(cache))
    other = await connect()
    await other.run("CREATE TEMP TABLE mine (a int)")
    after = _by_name(await other.load(cache))
    assert after["customers"] is before["customers"]
    assert set(after) == {*before, "mine"}


async def test_statistics_of_unchanged_tables_grow_old_all_the_same(owner: Asker) -> None:
    clock = Ticks()
    cache = Catalogs(clock, statistics_after=900)
    await owner.load(cache)
    await owner.run("UPDATE customers SET mood = 'happy'", "ANALYZE customers")
    for number in range(4):
        clock.now += 250
        await owner.run(f"COMMENT ON TABLE orders IS 'Bought {number}'")
        made = _by_name(await owner.load(cache))
        assert made["customers"].by_name["mood"].common_values[0] == ("happy" if number == 3 else "sad")
