"""Files become tables: each kind, once, again, side by side, and with what is wrong in them."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from servers.databases import Database

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

        def connect(database: str = "") -> psycopg.Connection[tuple[object, ...]]:
            return psycopg.connect(self._database.dsn(), dbname=database or self._database.name)

        return DataSet(named, self.folder, connect, self._programs, encoding)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return self.connection.execute(query.encode()).fetchall()

    def left_over(self) -> list[str]:
        return sorted(
            path.name for path in self.folder.iterdir() if path.name not in ("files.json", "unread")
        )


@pytest.fixture
def loader(
    tmp_path: Path,
    database: Database,
    make_database: Callable[[], Database],
    postgres_server: EmbeddedPostgres,
) -> Iterator[Loader]:
    binaries = postgres_server.binaries
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PG")},
        "PGHOST": "127.0.0.1",
        "PGPORT": str(database.port),
        "PGUSER": "postgres",
        "PGDATABASE": database.name,
    }

    @contextmanager
    def spare_database() -> Iterator[str]:
        yield make_database().name

    program = binaries.program
    programs = Programs(
        program("psql"), program("pg_restore"), program("pg_dump"), environment, spare_database
    )
    made = Loader(tmp_path, database, programs)
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


@pytest.mark.parametrize("form", ["file", "stream", "feather"])
def test_arrow_keeps_its_types(loader: Loader, form: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import (  # type: ignore[import-untyped] # noqa: PLC0415 - an extra
        feather,
        ipc,
    )

    rows = [(1, "007", datetime.date(2024, 5, 1), Decimal("1.50")), (2, "", None, None)]
    columns = {
        "id": pyarrow.int64(),
        "Code": pyarrow.string(),
        "on": pyarrow.date32(),
        "amount": pyarrow.decimal128(9, 2),
    }
    table = pyarrow.table(
        [pyarrow.array([row[n] for row in rows], type_) for n, type_ in enumerate(columns.values())],
        names=list(columns),
    )
    path = loader.files / "birds.arrow"
    if form in ("file", "stream"):
        new = ipc.new_file if form == "file" else ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=1)
    else:
        feather.write_feather(table, path, compression="zstd")
    loader.load(path)
    assert loader.rows("SELECT id, code, on_::text, amount FROM birds ORDER BY 1") == [
        (1, "007", "2024-05-01", Decimal("1.50")),
        (2, "", None, None),
    ]


def test_a_broken_arrow_file_is_refused(loader: Loader) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(UnreadableFile, match="cannot be read as Arrow"):
        loader.load(loader.write("broken.arrow", b"ARROW1\0\0" + b"\1\2\3" * 50))
    with pytest.raises(UnreadableFile, match="Feather of the first version"):
        loader.load(loader.write("old.feather", b"FEA1" + b"\1\2\3" * 50))


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


def test_a_merged_cell_stands_for_each_of_its_rows(loader: Loader) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["B2"] = "Report"
    sheet.merge_cells("B2:D2")
    rows = [("Region", "City", "Sold"), ("North", "Oslo", 1), (None, "Bergen", 2), ("South", "Rome", 3)]
    for place, row in enumerate(rows, 4):
        for column, value in enumerate(row, 2):
            sheet.cell(place, column, value)
    sheet.merge_cells("B5:B6")
    path = loader.files / "plan.xlsx"
    book.save(path)
    [table] = loader.load(path).loaded[0].tables
    assert loader.rows("SELECT region, city, sold FROM plan ORDER BY sold") == [
        ("North", "Oslo", 1),
        ("North", "Bergen", 2),
        ("South", "Rome", 3),
    ]
    assert "1 merged cell of sheet 'Sheet' stands for several rows; each row has the value" in table.notes


def test_formulas_without_a_value_are_counted(loader: Loader) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()  # which never computes a formula
    book.active.append(["amount", "twice"])
    for row in (2, 3):
        book.active.append([row, f"=A{row}*2"])
    path = loader.files / "computed.xlsx"
    book.save(path)
    [table] = loader.load(path).loaded[0].tables
    assert loader.rows("SELECT amount, twice FROM computed ORDER BY 1") == [(2, None), (3, None)]
    [note] = table.notes
    assert note.startswith("2 formulas of sheet 'Sheet' have no value in the file and are NULL, first B2")
    # With its values, as a spreadsheet program saves it, nothing is said.
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = re.sub(rb"</f><v ?/>|</f><v></v>", b"</f><v>8</v>", sheet)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    [table] = loader.load(path).loaded[0].tables
    assert loader.rows("SELECT twice FROM computed") == [(8,), (8,)]
    assert table.notes == ()


def test_texts_of_sqlite_that_are_no_utf_8_are_counted(loader: Loader) -> None:
    path = loader.files / "old.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE towns (name TEXT)")
    for name in (b"Rome", b"K\xf6ln", b"Z\xfcrich"):
        made.execute("INSERT INTO towns VALUES (CAST(? AS TEXT))", [name])
    made.execute("CREATE TABLE plain AS SELECT 'x' AS y")
    made.commit()
    made.close()
    plain, towns = loader.load(path).loaded[0].tables
    assert loader.rows('SELECT name FROM towns ORDER BY name COLLATE "C"') == [
        ("K\N{REPLACEMENT CHARACTER}ln",),
        ("Rome",),
        ("Z\N{REPLACEMENT CHARACTER}rich",),
    ]
    assert towns.notes[0].startswith("2 texts have bytes that are no UTF-8, the first in row 2;")
    assert plain.notes == ()


_KEYS = """
    SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f') ORDER BY 1, 2
"""


def test_the_keys_that_sqlite_declares_are_declared(loader: Loader) -> None:
    path = loader.files / "shop.db"
    made = sqlite3.connect(path)
    made.executescript("""
        CREATE TABLE Customer (Id INTEGER PRIMARY KEY, Email TEXT UNIQUE);
        CREATE TABLE "Order" (Number TEXT, Year INTEGER, buyer INTEGER REFERENCES customer,
                              PRIMARY KEY (Year, Number));
        CREATE TABLE Line (y INTEGER, n TEXT, FOREIGN KEY (n, y) REFERENCES "order" (number, year));
        CREATE UNIQUE INDEX lower_email ON Customer (lower(Email));
        CREATE UNIQUE INDEX some ON "Order" (buyer) WHERE buyer > 5;
        INSERT INTO Customer VALUES (1, 'a@x'), (2, NULL);
        INSERT INTO "Order" VALUES ('A', 2024, 1), ('A', 2025, 2);
        INSERT INTO Line VALUES (2024, 'A'), (2024, 'A'), (NULL, NULL);
    """)
    made.close()
    loader.load(path)
    assert loader.rows(_KEYS) == [
        ("customer", "PRIMARY KEY (id)"),
        ("customer", "UNIQUE (email)"),
        ("line", "FOREIGN KEY (n, y) REFERENCES orders(number, year)"),
        ("orders", "FOREIGN KEY (buyer) REFERENCES customer(id)"),
        ("orders", "PRIMARY KEY (year, number)"),
    ]


def test_declared_keys_that_do_not_hold_are_said(loader: Loader) -> None:
    path = loader.files / "loose.db"
    made = sqlite3.connect(path)  # which checks no references unless asked to
    made.executescript("""
        CREATE TABLE a (id TEXT PRIMARY KEY, up TEXT REFERENCES a (id), far INTEGER REFERENCES gone (id));
        CREATE TABLE b (a_id TEXT REFERENCES a (id), c INTEGER REFERENCES a (id));
        INSERT INTO a VALUES (NULL, NULL, 1), (NULL, NULL, 1), ('x', 'x', NULL);
        INSERT INTO b VALUES ('lost', 7);
    """)
    made.close()
    a, b = loader.load(path).loaded[0].tables
    assert a.notes[0].startswith("the primary key (id) that the file declares does not hold: ")
    assert "null values" in a.notes[0]
    assert [note.partition(" that the file")[0] for note in (*a.notes[1:], *b.notes)] == [
        "the reference (up) to a (id)",
        "the reference (a_id) to a (id)",
        "the reference (c) to a (id)",
    ]
    assert loader.rows(_KEYS) == []


def test_the_keys_that_duckdb_declares_are_declared_again_and_again(loader: Loader) -> None:
    path = loader.files / "shop.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE SCHEMA north; CREATE TABLE towns (id INTEGER PRIMARY KEY, name VARCHAR UNIQUE)")
        made.execute("CREATE TABLE north.shops (id INTEGER PRIMARY KEY)")
        made.execute("CREATE TABLE north.sales (shop INTEGER REFERENCES north.shops (id))")
        made.execute("INSERT INTO towns VALUES (1, 'Rome'); INSERT INTO north.shops VALUES (3)")
        made.execute("INSERT INTO north.sales VALUES (3)")
    keys = [
        ("north_sales", "FOREIGN KEY (shop) REFERENCES north_shops(id)"),
        ("north_shops", "PRIMARY KEY (id)"),
        ("towns", "PRIMARY KEY (id)"),
        ("towns", "UNIQUE (name)"),
    ]
    loader.load(path)
    assert loader.rows(_KEYS) == keys
    loader.connection.execute("CREATE VIEW seen AS SELECT * FROM towns")
    with duckdb.connect(str(path)) as made:
        made.execute("INSERT INTO towns VALUES (2, 'Bari')")
    loader.load(path)
    assert loader.rows(_KEYS) == keys
    assert loader.rows("SELECT count(*) FROM seen") == [(2,)]


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


def test_a_changed_script_takes_the_place_of_what_it_made(loader: Loader) -> None:
    script = (
        "CREATE TYPE size AS ENUM ('s', 'l');\nCREATE TABLE birds (id int PRIMARY KEY, size size);\n"
        "CREATE SCHEMA zoo; CREATE TABLE zoo.cages (id int);\nINSERT INTO birds VALUES (1, 's');\n"
    )
    path = loader.write("birds.sql", script)
    loader.load(path)
    loader.load(loader.write("seen.csv", "bird_id\n1\n1\n"), path)
    loader.connection.execute("ALTER TABLE seen ADD FOREIGN KEY (bird_id) REFERENCES birds")
    again = loader.load(path)
    assert [(table.schema, table.name) for table in again.loaded[0].tables] == [
        ("public", "birds"),
        ("zoo", "cages"),
    ]
    assert not again.fresh
    changed = script.replace("CREATE SCHEMA zoo; CREATE TABLE zoo.cages (id int);", "BEGIN;") + (
        "INSERT INTO birds VALUES (2, 'l');\nCOMMIT;\nSELECT nonsense;\n"
    )
    loader.write("birds.sql", changed)
    report = loader.load(path)
    assert "1 statement failed" in report.loaded[0].notes[0]
    assert loader.rows("SELECT id, size::text FROM birds ORDER BY 1") == [(1, "s"), (2, "l")]
    assert loader.rows("SELECT to_regclass('zoo.cages') IS NULL, count(*) FROM seen") == [(True, 2)]


def test_a_changed_script_that_cannot_take_their_place_leaves_what_there_was(loader: Loader) -> None:
    path = loader.write("birds.sql", "CREATE TABLE birds AS SELECT 1 AS id;")
    loader.load(path)
    other = loader.write("cages.csv", "id\n1\n")
    loader.load(other)
    loader.connection.execute("CREATE VIEW seen AS SELECT * FROM birds")
    for changed, message in (
        ("CREATE TABLE birds AS SELECT 2 AS id;", "cannot take the place of the old ones: .*birds"),
        (
            "CREATE TABLE birds AS SELECT 2 AS id; CREATE TABLE cages (id int);",
            "'public.cages', which another",
        ),
        ("SELECT 1;", "makes no tables"),
        ("CREATE TABLE `t` (a int) ENGINE=InnoDB;", "looks like a script for MySQL"),
    ):
        loader.write("birds.sql", changed)
        with pytest.raises(UnreadableFile, match=message):
            loader.load(path)
        assert loader.rows("SELECT * FROM seen, cages") == [(1, 1)]
    loader.connection.execute("DROP VIEW seen")
    loader.write("birds.sql", "CREATE TABLE birds AS SELECT 2 AS id;")
    loader.load(path)
    assert loader.rows("SELECT * FROM birds") == [(2,)]


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
    assert "is not valid JSON" in report.failed[0]
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
