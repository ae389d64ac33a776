"""Made-up databases: the same in every run, with the keys of the tables, near what the queries compare."""

from __future__ import annotations

from data.tracing_catalog import CATALOG, SINGER, SONG

from askwire.selector.instances.pool import RowPool
from askwire.selector.instances.synthetic.ground import Ground, ground
from askwire.selector.instances.synthetic.made_rows import RowPlacement, invented, keep_to_keys
from askwire.selector.instances.synthetic.making import Maker
from askwire.selector.instances.synthetic.worlds import Worlds
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.identity import source
from askwire.sql.tracing.traced import trace_query

FIRST = "SELECT s.name FROM singer s JOIN song g ON g.singer_id = s.id WHERE s.age > 20"
SECOND = "SELECT s.name FROM singer s LEFT JOIN song g ON g.singer_id = s.id WHERE s.age >= 20"


def grounds(first: str = FIRST, second: str = SECOND) -> Ground:
    one, two = trace_query(first, CATALOG), trace_query(second, CATALOG)
    pool = RowPool(tuple({**one.sources, **two.sources}.values()))
    pool.add((SINGER.oid, "1"), "(1,Ada,17,fr)")
    pool.add((SINGER.oid, "2"), "(2,Bo,33,us)")
    if SONG.oid in pool.rows:
        pool.add((SONG.oid, "(1,a)"), "(1,a,3)")
    return ground((one, two), pool)


def test_the_same_is_drawn_in_every_run() -> None:
    drawn = []
    for _ in range(2):
        ground = grounds()
        drawn.append((Worlds(ground, RowPlacement(ground.pool)).sets(50, 0), ground.pool.rows))
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0][0])) == 50


def test_rows_meet_and_stand_on_both_sides_of_the_boundary() -> None:
    ground = grounds()
    placing = RowPlacement(ground.pool)
    ages, met, unmatched = set(), 0, 0
    for world in Worlds(ground, placing).sets(200, 1):
        rows = [(oid, read_row(ground.pool.rows[oid][at - 1])) for oid, at in world]
        singers = {cells[0] for oid, cells in rows if oid == SINGER.oid}
        songs = {cells[0] for oid, cells in rows if oid == SONG.oid}
        assert len(singers) == sum(oid == SINGER.oid for oid, _ in rows)
        ages |= {cells[2] for oid, cells in rows if oid == SINGER.oid}
        met += bool(singers & songs)
        unmatched += bool(singers - songs)
    assert {"19", "20", "21", None} <= ages
    assert met > 50
    assert unmatched > 50


def test_what_was_changed_is_known() -> None:
    ground = grounds()
    placing = RowPlacement(ground.pool)
    for world in Worlds(ground, placing).sets(50, 2):
        for oid, at in world:
            made = placing.changed.get((oid, at))
            assert (made is None) == (ground.pool.keys[oid][at - 1].find("made up") < 0)


def test_copies_as_many_as_a_condition_counts() -> None:
    ground = grounds(
        "SELECT country FROM singer GROUP BY country HAVING count(*) > 40",
        "SELECT country FROM singer GROUP BY country HAVING count(*) > 40 AND count(age) > 0",
    )
    assert ground.thresholds == (40,)
    sizes = {len(rows) for rows in Maker(ground, RowPlacement(ground.pool)).many()}
    assert {39, 40, 41} <= sizes


def test_keys_and_columns_that_are_not_null_are_kept_to() -> None:
    row = invented(source(SINGER))
    assert keep_to_keys([row, row.copy(1)])
    assert not keep_to_keys([row, row])
    assert not keep_to_keys([row.with_cell("id", None)])
    assert keep_to_keys([row.with_cell("age", None)])
