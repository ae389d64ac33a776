"""Files become tables: each kind, once, again, side by side, and with what is wrong in them."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from databases import Database

from askwire.core.errors import UnreadableFile
from askwire.files.data_set import DataSet, Report
from askwire.files.scripts import Programs
from askwire.files.telling import told
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

duckdb = pytest.importorskip("duckdb")

SALES = 'Order ID,Order Date,Amount ($)\n1,12/31/2024,"$1,234.50"\n2,01/15/2025,$99.00\n'


class Loader:
    """Files of a test and the database they go to."""

    def __init__(self, place: Path, database: Database, programs: Programs) -> None:
        self.files = place / "files"
        self.folder = place / "folder"
        self.files.mkdir()
        self.folder.mkdir()
        self._database = database
        self._programs = programs
        self.connection = psycopg.connect(database.dsn(), autocommit=True)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def load(self, *paths: Path | str, encoding: str = "") -> Report:
        return self.data_set(*paths, encoding=encoding).load()

    def data_set(self, *paths: Path | str, encoding: str = "") -> DataSet:
        named = tuple(map(str, paths)) or (str(self.files),)
        dsn = self._database.dsn()
        return DataSet(named, self.folder, lambda: psycopg.connect(dsn), self._programs, encoding)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return self.connection.execute(query.encode()).fetchall()

    def left_over(self) -> list[str]:
        return sorted(
            path.name for path in self.folder.iterdir() if path.name not in ("files.json", "unread")
        )


@pytest.fixture
def loader(tmp_path: Path, database: Database, postgres_server: EmbeddedPostgres) -> Iterator[Loader]:
    binaries = postgres_server.binaries
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PG")},
        "PGHOST": "127.0.0.1",
        "PGPORT": str(database.port),
        "PGUSER": "postgres",
        "PGDATABASE": database.name,
    }
    made = Loader(
        tmp_path, database, Programs(binaries.program("psql"), binaries.program("pg_restore"), environment)
    )
    yield made
    made.connection.close()
    assert made.left_over() == []  # no scratch files, whatever happened


def test_a_csv_file_is_a_table_with_types_names_and_their_originals(loader: Loader) -> None:
    report = loader.load(loader.write("Sales 2024.csv", SALES))
    assert [(table.name, table.rows) for table in report.loaded[0].tables] == [("sales_2024", 2)]
    assert loader.rows(
        "SELECT order_id, order_date::text, amount_usd FROM sales_2024 WHERE order_id = 1"
    ) == [(1, "2024-12-31", Decimal("1234.50"))]
    comments = "SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = "
    assert loader.rows(f"{comments} 'sales_2024'::regclass AND attnum > 0") == [
        ("order_id", "Order ID"),
        ("order_date", "Order Date"),
        ("amount_usd", "Amount ($)"),
    ]
    assert loader.rows("SELECT obj_description('sales_2024'::regclass)") == [("Sales 2024",)]
    assert [path.name for path in loader.files.iterdir()] == ["Sales 2024.csv"]


def test_text_comes_as_it_is(loader: Loader) -> None:
    loader.load(loader.write("t.csv", 'a,b\n"x, ""y""\nz",\\.\n"\\N ok",é名\nnul\0byte,"  two  "\n'))
    assert loader.rows("SELECT * FROM t") == [
        ('x, "y"\nz', "\\."),
        ("\\N ok", "é名"),
        ("nulbyte", "  two  "),
    ]


def test_lines_that_cannot_be_read_are_counted_and_kept(loader: Loader) -> None:
    report = loader.load(loader.write("r.csv", "a,b,c\n1,2,3\n1,2\n" + "4,5,6\n" * 40 + "1,2,3,4\n"))
    [one] = report.loaded
    assert (one.tables[0].rows, one.unread) == (41, 2)
    assert one.rejects is not None
    kept = one.rejects.read_text()
    assert 'r,3,"2 fields, and the header has 3","1,2"' in kept
    assert 'r,44,"4 fields, and the header has 3","1,2,3,4"' in kept


def test_unread_lines_of_files_with_one_name_are_kept_side_by_side(loader: Loader) -> None:
    first = loader.write("north/r.csv", "a,b\n1,2\n3\n")
    second = loader.write("south/r.csv", "a,b\n1,2\n4\n")
    sound = loader.write("west/r.csv", "a,b\n1,2\n")
    report = loader.load(first, second, sound)
    kept = [one.rejects.read_text() for one in report.loaded if one.rejects is not None]
    assert [text.splitlines()[1].rpartition(",")[2] for text in kept] == ["3", "4"]


def test_unread_lines_of_a_file_with_the_longest_name_are_kept(loader: Loader) -> None:
    [one] = loader.load(loader.write("é" * 125 + ".csv", "a,b\n1,2\n3\n")).loaded
    assert one.rejects is not None
    assert "3" in one.rejects.read_text()


def test_headers_of_all_kinds_are_columns(loader: Loader) -> None:
    loader.write("alone.csv", "a,b\n")
    loader.write("none.csv", "1,x\n2,y\n")
    loader.write("twice.csv", "a,A,,user\n1,2,3,4\n")
    loader.load()
    columns = (
        "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attnum > 0 AND attrelid = "
    )
    assert loader.rows(f"{columns} 'alone'::regclass") == [("a b",)]
    assert loader.rows(f"{columns} 'none'::regclass") == [("column_1 column_2",)]
    assert loader.rows(f"{columns} 'twice'::regclass") == [("a a_2 column_3 user_",)]
    assert loader.rows("SELECT count(*) FROM alone") == [(0,)]


def wide_text(columns: int) -> str:
    return ",".join(f"c{n}" for n in range(columns)) + "\n" + ",".join(["1"] * columns) + "\n"


def test_more_columns_than_a_table_can_have_are_refused(loader: Loader) -> None:
    wide = loader.write("wide.csv", wide_text(2000))
    with pytest.raises(
        UnreadableFile, match="has 2,000 columns, and a table of PostgreSQL has at most 1,600"
    ):
        loader.load(wide)
    loader.load(loader.write("fits.csv", wide_text(900)))
    assert loader.rows("SELECT c899 FROM fits") == [(1,)]


def test_a_cell_of_ten_megabytes_is_read(loader: Loader) -> None:
    loader.load(loader.write("big.csv", 'a,b\n1,"' + "x" * 10_000_000 + '"\n2,y\n'))
    assert loader.rows("SELECT a, length(b) FROM big ORDER BY a") == [(1, 10_000_000), (2, 1)]


def test_json_gives_tables_for_lists_and_columns_for_objects(loader: Loader) -> None:
    orders = [
        {
            "id": 7,
            "at": "2024-05-01",
            "to": {"city": "Rome"},
            "lines": [{"sku": "x", "n": 2}, {"sku": "y", "n": 1}],
        },
        {"id": 8, "at": "2024-05-02", "to": {"city": "Oslo"}, "lines": [], "tags": ["a"]},
    ]
    loader.write("orders.json", json.dumps(orders))
    loader.write("wrapped.json", json.dumps({"version": 1, "data": [{"a": 1}, {"a": 2}]}))
    loader.write("lines.jsonl", '{"a": 1}\n{"a": 2, "b": "x"}\n')
    loader.load()
    assert loader.rows("SELECT id, at::text, to_city, tags FROM orders") == [
        (7, "2024-05-01", "Rome", None),
        (8, "2024-05-02", "Oslo", ["a"]),
    ]
    assert loader.rows("SELECT * FROM orders_lines ORDER BY sku") == [(7, "x", 2), (7, "y", 1)]
    assert loader.rows("SELECT a FROM wrapped ORDER BY a") == [(1,), (2,)]
    assert loader.rows("SELECT a, b FROM lines") == [(1, None), (2, "x")]


def test_broken_lines_of_json_are_counted(loader: Loader) -> None:
    report = loader.load(loader.write("l.jsonl", '{"a": 1}\n{"a": 2,\n{"a": 3}\n'))
    assert (report.loaded[0].tables[0].rows, report.loaded[0].unread) == (2, 1)
    assert report.loaded[0].tables[0].rejects[0].line == 2
    with pytest.raises(UnreadableFile, match="ends in the middle of a list"):
        loader.load(loader.write("broken.json", '[{"a": 1},'))


def test_parquet_and_duckdb_keep_their_types(loader: Loader) -> None:
    with duckdb.connect(str(loader.files / "d.duckdb")) as made:
        made.execute(
            "CREATE TABLE t AS SELECT 1::TINYINT a, 1.50::DECIMAL(9,2) b, TIMESTAMP '2024-01-02 03:04:05' c"
        )
        made.execute("CREATE TABLE l AS SELECT 5 id, [{'k': 'x'}, {'k': 'y'}] items, {'p': true} s")
        made.execute(f"COPY t TO '{loader.files}/p.parquet'")
    loader.load()
    types = "SELECT string_agg(atttypid::regtype::text, ', ' ORDER BY attnum) FROM pg_attribute WHERE "
    for table in ("t", "p"):
        assert loader.rows(f"{types} attnum > 0 AND attrelid = '{table}'::regclass") == [
            ("smallint, numeric, timestamp without time zone",)
        ]
    assert loader.rows("SELECT id, s_p FROM l") == [(5, True)]
    assert loader.rows("SELECT * FROM l_items ORDER BY k") == [(5, "x"), (5, "y")]


def test_sqlite_is_read_without_a_trace(loader: Loader) -> None:
    path = loader.files / "s.db"
    made = sqlite3.connect(path)
    made.executescript("""
        CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, born TEXT, code TEXT, photo BLOB);
        INSERT INTO people VALUES (1, 'Ann', '1990-02-03', '007', x'00ff'), (2, '', NULL, '12', NULL);
        CREATE TABLE hollow (a);
    """)
    made.close()
    before = path.read_bytes()
    loader.load(path)
    assert loader.rows("SELECT id, name, born::text, code FROM people ORDER BY id") == [
        (1, "Ann", "1990-02-03", "007"),
        (2, None, None, "12"),
    ]
    assert loader.rows("SELECT to_regclass('hollow') IS NOT NULL") == [(True,)]
    assert path.read_bytes() == before
    assert [each.name for each in loader.files.iterdir()] == ["s.db"]


def test_what_sqlite_reserves_is_left_out_and_views_are_named(loader: Loader) -> None:
    made = sqlite3.connect(loader.files / "s.db")
    made.executescript("""
        CREATE TABLE sqlite3_notes (id INTEGER PRIMARY KEY AUTOINCREMENT, said TEXT);
        INSERT INTO sqlite3_notes (said) VALUES ('kept');
        CREATE VIEW loads AS SELECT load_extension('/nowhere.so');
    """)
    made.close()
    [one] = loader.load().loaded
    assert [table.name for table in one.tables] == ["sqlite3_notes"]
    assert loader.rows("SELECT said FROM sqlite3_notes") == [("kept",)]
    assert "views are not read: loads" in one.tables[0].notes


def test_sheets_of_a_workbook_are_tables(loader: Loader) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Orders"
    first.append(["Quarterly report"])
    first.append([])
    first.append(["Order No", "Sold on", "Price", "Paid"])
    first.append([1, datetime.date(2024, 5, 1), 9.5, True])
    first.append([2, datetime.date(2024, 5, 2), 10, False])
    book.create_sheet("Empty")
    book.create_sheet("Staff").append(["name", "city"])
    book["Staff"].append(["Ann", "Rome"])
    path = loader.files / "book.xlsx"
    book.save(path)
    report = loader.load(path)
    assert [table.name for table in report.loaded[0].tables] == ["orders", "staff"]
    assert loader.rows("SELECT order_no, sold_on::text, price::float, paid FROM orders ORDER BY 1") == [
        (1, "2024-05-01", 9.5, True),
        (2, "2024-05-02", 10.0, False),
    ]


def test_packed_files_are_read(loader: Loader) -> None:
    loader.write("a.csv.gz", gzip.compress(b"x\n1\n2\n"))
    with zipfile.ZipFile(loader.files / "z.zip", "w") as archive:
        archive.writestr("in/b.csv", "y\n5\n")
        archive.writestr("in/c.json", '[{"z": 1}]')
        archive.writestr("notes.pdf", "%PDF-1.7 " + "\x01\x02" * 50)
    report = loader.load()
    assert loader.rows("SELECT (SELECT sum(x) FROM a), (SELECT y FROM b), (SELECT z FROM c)") == [(3, 5, 1)]
    assert any("passed over notes.pdf" in note for one in report.loaded for note in one.notes)


def test_a_script_runs_as_sql_and_never_as_a_program(loader: Loader) -> None:
    trace = loader.folder.parent / "trace"
    path = loader.write(
        "dump.sql",
        "\\restrict key\nCREATE TABLE public.birds (name text);\n"
        "COPY public.birds FROM stdin;\nwren\nowl\n\\.\n"
        f"\\! touch {trace}\n\\unrestrict key\n\\! touch {trace}\nSELECT nonsense;\n",
    )
    report = loader.load(path)
    assert loader.rows("SELECT count(*) FROM birds") == [(2,)]
    assert not trace.exists()
    counted, kept = report.loaded[0].notes
    assert "3 statements failed" in counted
    assert "nonsense" in Path(kept.removeprefix("all of them are in ")).read_text()
    with pytest.raises(UnreadableFile, match="looks like a script for MySQL"):
        loader.load(loader.write("m.sql", "CREATE TABLE `t` (a int) ENGINE=InnoDB;"))


def test_a_dump_is_restored(loader: Loader, make_database: Callable[[], Database]) -> None:
    other = make_database()
    with psycopg.connect(other.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE birds AS SELECT 'owl' AS name")
    pg_dump = Path(loader._programs.pg_restore).with_name("pg_dump")
    if not pg_dump.exists():
        pytest.skip("there is no pg_dump")
    path = loader.files / "birds.dump"
    os.spawnl(os.P_WAIT, pg_dump, "pg_dump", "-Fc", "-f", str(path), "-d", other.dsn())
    loader.load(path)
    assert loader.rows("SELECT name FROM birds") == [("owl",)]


def test_an_unchanged_file_is_not_read_again_and_a_changed_one_is(loader: Loader) -> None:
    path = loader.write("a.csv", "x\n1\n")
    other = loader.write("b.csv", "y\n1\n")
    assert all(one.fresh for one in loader.load().loaded)
    assert not loader.data_set().changed()
    assert not any(one.fresh for one in loader.load().loaded)
    path.write_text("x,new\n1,2\n3,4\n")
    assert loader.data_set().changed()
    report = loader.load()
    assert {one.path.name: one.fresh for one in report.loaded} == {"a.csv": True, "b.csv": False}
    assert loader.rows("SELECT * FROM a") == [(1, 2), (3, 4)]
    stamp = other.stat()
    os.utime(other, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1))
    assert loader.data_set().changed()


def test_readers_see_the_old_rows_until_the_new_ones_are_there(loader: Loader) -> None:
    path = loader.write("a.csv", "x\n1\n")
    loader.load()
    with psycopg.connect(loader._database.dsn()) as reader:
        reader.execute("SET lock_timeout = '5s'")
        path.write_text("x\n1\n2\n3\n4\n")
        seen: list[tuple[object, ...] | None] = []

        def look(_table: str, _done: int, _total: int) -> None:
            seen.append(reader.execute("SELECT count(*) FROM a").fetchone())
            reader.commit()

        files = replace(loader.data_set(), progress=look)
        files.load()
        assert seen
        assert set(seen) == {(1,)}
        assert reader.execute("SELECT count(*) FROM a").fetchone() == (4,)


def test_views_on_a_table_stay_when_it_is_loaded_again(loader: Loader) -> None:
    path = loader.write("a.csv", "x\n1\n")
    loader.load()
    loader.connection.execute("CREATE VIEW v AS SELECT sum(x) AS total FROM a")
    path.write_text("x\n1\n2\n")
    loader.load()
    assert loader.rows("SELECT total FROM v") == [(3,)]
    path.write_text("x,y\n1,2\n")
    with pytest.raises(UnreadableFile, match="has other columns now, and views use the table"):
        loader.load()
    assert loader.rows("SELECT total FROM v") == [(3,)]


def test_a_file_that_breaks_leaves_the_table_it_had(loader: Loader) -> None:
    path = loader.write("a.json", '[{"x": 1}]')
    loader.write("b.csv", "y\n1\n")
    loader.load()
    path.write_text('[{"x": 1},')
    report = loader.load()
    assert "is no JSON" in report.failed[0]
    assert loader.rows("SELECT x FROM a") == [(1,)]


def test_folders_are_schemas_side_by_side(loader: Loader) -> None:
    loader.write("North/sales.csv", "x\n1\n")
    loader.write("south/sales.csv", "x\n2\n")
    report = loader.load(loader.files / "North", loader.files / "south", loader.write("c.csv", "z\n3\n"))
    assert report.schemas == ("public", "north", "south")
    assert loader.rows("SELECT n.x, s.x, z FROM north.sales n, south.sales s, public.c") == [(1, 2, 3)]
    with psycopg.connect(loader._database.dsn()) as later:
        assert later.execute("SELECT x FROM sales").fetchone() == (1,)


def test_one_bad_file_of_a_folder_does_not_stop_the_others(loader: Loader) -> None:
    loader.write("good.csv", "x\n1\n")
    loader.write("bad.json", "[{")
    report = loader.load()
    assert [one.path.name for one in report.loaded] == ["good.csv"]
    assert len(report.failed) == 1
    with pytest.raises(UnreadableFile, match=r"bad\.json"):
        loader.load(loader.files / "bad.json")


def test_tables_of_files_that_are_named_no_longer_are_reported(loader: Loader) -> None:
    first = loader.write("north/one.csv", "a\n1\n")
    second = loader.write("south/one.csv", "a\n2\n")
    assert loader.load(first).kept == ()
    report = loader.load(second)
    assert [table.name for table in report.loaded[0].tables] == ["one_2"]
    assert f"one: still there from an earlier load of {first}" in list(told(report))
    loader.connection.execute("DROP TABLE one")
    assert loader.load(second).kept == ()


def test_two_files_of_one_name_are_two_tables(loader: Loader) -> None:
    loader.write("a/sales.csv", "x\n1\n")
    loader.write("b/sales.csv", "x\n2\n")
    loader.load()
    assert loader.rows("SELECT (SELECT x FROM sales), (SELECT x FROM sales_2)") == [(1, 2)]


def test_hostile_names_are_names(loader: Loader) -> None:
    loader.load(loader.write("x'); DROP TABLE a; --.csv", 'a"; DROP TABLE b; --,"it\'s \\ ""q"""\n1,2\n'))
    assert len(loader.rows("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'x%'")) == 1
