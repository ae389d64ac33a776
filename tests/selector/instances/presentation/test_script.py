"""The script for a bug report: pasted into an empty database, the two queries disagree there as they did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.core.types import Cell, ResultColumn, ResultSet
from askwire.selector.instances.presentation.script import script
from askwire.selector.instances.types import (
    Identity,
    Instance,
    InstanceRow,
    InstanceTable,
    Outcome,
    Separation,
)
from askwire.sql.catalog import Catalog, Column, Relation, UserObjects

if TYPE_CHECKING:
    from servers.databases import Database

COLUMNS = (
    Column("id", "integer", 23, "N", 1, not_null=True),
    Column("Größe", "numeric(10,2)", 1700, "N", 2),
    Column("mood", "mood", 90001, "E", 3, enum_labels=("it's fine", "sad")),
    Column("code", "code", 25, "S", 4),
    Column("unused", "geometry", 90002, "U", 5),
    Column("tags", "text[]", 1009, "A", 6),
)


def separation(first: str, second: str, *rows: tuple[Cell, ...], schema: str = "my shop") -> Separation:
    table = InstanceTable(
        oid=7,
        schema=schema,
        name="order",
        identity=Identity.PRIMARY_KEY,
        key_columns=("id",),
        columns=tuple(ResultColumn(c.name, c.type_oid) for c in COLUMNS),
        used=frozenset({"Größe", "mood", "code", "tags"}),
        rows=tuple(InstanceRow((row[0],), row) for row in rows),
    )
    nothing = ResultSet((), ())
    return Separation(Outcome.SEPARATED, (first, second), Instance((table,), (nothing, nothing)))


def catalog(schema: str = "my shop") -> Catalog:
    relation = Relation(7, schema, "order", "r", COLUMNS, primary_key=("id",))
    return Catalog((relation,), ("pg_catalog", schema), UserObjects(domains={"code": "text"}))


def answers(database: Database, text: str) -> list[list[tuple[Any, ...]]]:
    """What the queries of a script return, the whole of it sent as psql would send a pasted text."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        cursor = connection.execute(text.encode())
        found = []
        while True:
            if cursor.description:
                found.append(cursor.fetchall())
            if not cursor.nextset():
                return found


def test_the_script_shows_the_difference_in_an_empty_database(database: Database) -> None:
    found = separation(
        'SELECT id, "Größe" FROM "order" GROUP BY id',
        'SELECT id, "Größe" FROM "my shop"."order" WHERE mood = \'it\'\'s fine\' -- and no more',
        ("1", "12.50", "it's fine", "a\\b'c", None, '{"x y",NULL,"\\"q\\""}'),
        ("2", None, "sad", None, None, None),
    )
    first, second = answers(database, script(found, catalog()))
    assert sorted(map(str, first)) == ["(1, Decimal('12.50'))", "(2, None)"]
    assert [str(row) for row in second] == ["(1, Decimal('12.50'))"]


def test_values_arrive_as_they_were(database: Database) -> None:
    found = separation(
        'SELECT code, tags, mood FROM "order"',
        'SELECT code, tags FROM "order"',
        ("1", None, "it's fine", "new\nline \\ 'quote' $$ ;--", None, '{"x y",NULL,"\\"q\\""}'),
    )
    first, _second = answers(database, script(found, catalog()))
    assert first == [("new\nline \\ 'quote' $$ ;--", ["x y", None, '"q"'], "it's fine")]


def test_a_temporary_table_is_one_in_the_script(database: Database) -> None:
    found = separation(
        'SELECT id FROM "order"',
        'SELECT id FROM pg_temp."order" LIMIT 0',
        ("1", None, None, None, None, None),
        schema="pg_temp_3",
    )
    assert answers(database, script(found, catalog("pg_temp_3"))) == [[(1,)], []]


def test_columns_that_do_not_matter_stay_out() -> None:
    found = separation("SELECT 1", "SELECT 2", ("1", None, None, None, "SECRET", None))
    assert "SECRET" not in script(found, catalog())
    assert "geometry" not in script(found, catalog())


def test_without_rows_there_is_no_script() -> None:
    with pytest.raises(ValueError, match="no rows"):
        script(Separation(Outcome.EQUAL, ("SELECT 1", "SELECT 1")), catalog())
