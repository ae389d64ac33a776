"""`separate --save`: files that show the difference between queries without the database they come from."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import psycopg
import pytest

from askwire.proxy.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from servers.databases import Database

    from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

MORE = "SELECT count(*) FROM orders WHERE total >= 100"
FEWER = "SELECT count(*) FROM orders WHERE total > 100"
TABLES = """
CREATE SCHEMA shop;
CREATE TYPE shop.state AS ENUM ('open', 'paid');
CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE shop.orders (id int PRIMARY KEY, customer_id int REFERENCES shop.customers, total numeric(10,2),
    note text, state shop.state, placed timestamptz, tags text[], paid boolean, raw bytea, amount numeric);
INSERT INTO shop.customers VALUES (1, 'Ada "A" Berg'), (2, E'Bo\\nDahl'), (3, '');
INSERT INTO shop.orders SELECT n, n % 3 + 1, n, CASE WHEN n % 2 = 0 THEN 'a, "b"' END,
    CASE WHEN n % 2 = 0 THEN 'open' ELSE 'paid' END::shop.state,
    '2024-03-01 10:00+02'::timestamptz + n * '1 day'::interval,
    ARRAY['x', 'y,z'], n % 2 = 0, '\\x4142', n / 4.0 FROM generate_series(1, 150) n;
CREATE VIEW shop.large AS SELECT id, total FROM shop.orders WHERE total > 100;
"""


@pytest.fixture
def dsn(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(TABLES)
    return database.dsn()


def separate(dsn: str, place: Path | str, *more: str) -> int:
    return main(["separate", "--dsn", dsn, "--search-path", "shop, public", "--save", str(place), *more])


def loaded(folder: Path, dsn: str) -> list[list[tuple[Any, ...]]]:
    """The results of queries.sql after what README.txt says has been done, without psql."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute((folder / "schema.sql").read_bytes())
        for line in (folder / "load.sql").read_text(encoding="utf-8").splitlines():
            target, _, rest = line.removeprefix("\\copy ").partition(" FROM '")
            name, _, options = rest.partition("' ")
            with connection.cursor().copy(f"COPY {target} FROM STDIN {options}".encode()) as copy:
                copy.write((folder / name).read_bytes())
        cursor = connection.execute((folder / "queries.sql").read_bytes())
        found = [cursor.fetchall()]
        while cursor.nextset():
            found.append(cursor.fetchall())
        return found


def test_psql_loads_a_folder_as_its_readme_says(
    dsn: str, make_database: Callable[[], Database], postgres_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    assert separate(dsn, tmp_path / "rows", MORE, FEWER) == 0
    text = (tmp_path / "rows" / "README.txt").read_text(encoding="utf-8")
    command = "psql -d scratch -f schema.sql -f load.sql -f queries.sql"
    assert f"  {command}\n" in text
    program = [postgres_server.binaries.program("psql"), "-d", make_database().dsn(), *command.split()[3:]]
    options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    ran = subprocess.run(
        [*program, *options], cwd=tmp_path / "rows", capture_output=True, text=True, check=True
    )
    assert (ran.stdout, ran.stderr) == ("1\n0\n", "")


def in_duckdb(path: Path, *statements: str) -> list[list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [connection.execute(statement).fetchall() for statement in statements]


def readme(path: Path) -> str:
    return "\n".join(text for (text,) in in_duckdb(path, "SELECT text FROM README ORDER BY line")[0])


def test_a_folder_shows_the_difference_in_an_empty_database(
    dsn: str, make_database: Callable[[], Database], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "difference"
    assert separate(dsn, folder, MORE, FEWER) == 0
    told = capsys.readouterr()
    assert told.out.startswith("The two queries differ on 1 row of your data.")
    assert told.err == (
        f"askwire: the rows and queries are in {str(folder)!r}; its README says how to run them\n"
    )
    assert sorted(p.name for p in folder.iterdir()) == [
        "README.txt", "load.sql", "orders.csv", "queries.sql", "schema.sql",
    ]  # fmt: skip
    assert told.out in (folder / "README.txt").read_text(encoding="utf-8")
    assert (folder / "orders.csv").read_text(encoding="utf-8") == '"id","total"\n"100","100.00"\n'
    assert "total numeric(10,2), PRIMARY KEY (id)" in (folder / "schema.sql").read_text(encoding="utf-8")
    assert loaded(folder, make_database().dsn()) == [[(1,)], [(0,)]]
    assert [p.name for p in tmp_path.iterdir()] == ["difference"]


JOINED = (
    "SELECT c.name, o.note, o.state, o.placed, o.tags, o.paid, o.raw, o.amount FROM shop.orders o"
    " JOIN shop.customers c ON c.id = o.customer_id WHERE o.total > 98"
)


def test_an_archive_keeps_types_nulls_and_texts_of_all_tables(
    dsn: str, make_database: Callable[[], Database], tmp_path: Path
) -> None:
    assert (
        separate(dsn, tmp_path / "rows.zip", JOINED, JOINED.replace("> 98", "> 99 AND o.state = 'open'")) == 0
    )
    with zipfile.ZipFile(tmp_path / "rows.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "rows"
    assert {"customers.csv", "orders.csv"} < {p.name for p in folder.iterdir()}
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert "shop.orders (customer_id) references shop.customers (id)" in text
    one, other = loaded(folder, make_database().dsn())
    assert one != other
    with psycopg.connect(dsn) as connection:
        everything = connection.execute(JOINED.replace("o.total > 98", "true").encode()).fetchall()
    assert all(row in everything for row in [*one, *other])


def test_texts_come_back_as_they_were(
    dsn: str, make_database: Callable[[], Database], tmp_path: Path
) -> None:
    names = "SELECT array_agg(name) FROM customers HAVING"
    pair = f"{names} count(*) > 2", f"{names} false"
    assert separate(dsn, tmp_path / "rows", *pair) == 0
    [(names,)], _ = loaded(tmp_path / "rows", make_database().dsn())
    assert sorted(names) == ["", 'Ada "A" Berg', "Bo\nDahl"]


def test_a_duckdb_file_shows_the_difference_offline(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    assert separate(dsn, path, MORE, FEWER) == 0
    assert in_duckdb(path, MORE, FEWER, "FROM query_1", "FROM query_2") == [[(1,)], [(0,)]] * 2
    assert in_duckdb(path, "SELECT typeof(id), typeof(total) FROM orders") == [[("INTEGER", "DECIMAL(10,2)")]]
    [[(keys,)]] = in_duckdb(path, "SELECT constraint_column_names FROM duckdb_constraints() LIMIT 1")
    assert keys == ["id"]
    assert in_duckdb(path, "SELECT number, postgresql, problem FROM queries") == [
        [(1, MORE, None), (2, FEWER, None)]
    ]
    assert "The two queries differ on 1 row of your data." in readme(path)
    assert "DuckDB gives a different result for each of them." in readme(path)
    assert [p.name for p in tmp_path.iterdir()] == ["rows.duckdb"]


def test_types_of_postgresql_have_their_like_in_duckdb(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    assert separate(dsn, path, JOINED, JOINED.replace("> 98", "> 99 AND o.state = 'open'")) == 0
    columns = "state", "placed", "tags", "paid", "raw", "amount"
    listed = ", ".join(f"typeof({c})" for c in columns)
    [kinds, values] = in_duckdb(
        path, f"SELECT DISTINCT {listed} FROM orders", "SELECT DISTINCT raw, paid FROM orders WHERE paid"
    )
    assert kinds == [
        ("ENUM('open', 'paid')", "TIMESTAMP WITH TIME ZONE", "VARCHAR", "BOOLEAN", "BLOB", kinds[0][-1])
    ]
    assert kinds[0][-1].startswith("DECIMAL(")
    assert all(row == (b"AB", True) for row in values)
    assert "DuckDB gives a different result for each of them." in readme(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("SELECT id / 2 FROM orders WHERE id < 4", "SELECT id / 2.0 FROM orders WHERE id < 4"),
        ("SELECT count(*) FROM shop.orders", "SELECT count(DISTINCT shop.orders.state) FROM shop.orders"),
        ("SELECT sum(total) FROM large", "SELECT sum(total) FROM orders WHERE total >= 100"),
    ],
)
def test_queries_are_translated_for_duckdb(first: str, second: str, dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    assert separate(dsn, path, first, second) == 0
    one, other = in_duckdb(path, "FROM query_1", "FROM query_2")
    assert one != other
    assert in_duckdb(path, "SELECT DISTINCT problem FROM queries") == [[(None,)]]


def test_a_division_of_integers_stays_one(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    assert (
        separate(
            dsn,
            path,
            "SELECT sum(id / 2) FROM orders WHERE id = 5",
            "SELECT sum(id / 3) FROM orders WHERE id = 5",
        )
        == 0
    )
    assert in_duckdb(path, "SELECT columns(*)::int FROM query_1") == [[(2,)]]


def test_what_duckdb_cannot_run_is_said_in_the_file(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.duckdb"
    strange = "SELECT count(*) FROM orders WHERE to_char(total, 'FM999.00') > '99.99'"
    assert separate(dsn, path, strange, FEWER) == 0
    [(problem,), (fine,)] = in_duckdb(path, "SELECT problem FROM queries ORDER BY number")[0]
    assert problem
    assert fine is None
    assert f"DuckDB cannot run query 1: {problem}. Run it in PostgreSQL." in readme(path)
    with pytest.raises(duckdb.CatalogException):
        in_duckdb(path, "FROM query_1")


def test_three_queries_stand_in_one_bundle(
    dsn: str, make_database: Callable[[], Database], tmp_path: Path
) -> None:
    queries = MORE, FEWER, "SELECT count(*) + 5 FROM large"
    assert separate(dsn, tmp_path / "three.duckdb", *queries) == 0
    assert separate(dsn, tmp_path / "three", *queries) == 0
    answers = in_duckdb(tmp_path / "three.duckdb", "FROM query_1", "FROM query_2", "FROM query_3")
    assert len({str(answer) for answer in answers}) == 3
    assert answers == loaded(tmp_path / "three", make_database().dsn())


@pytest.mark.parametrize("name", ["rows.duckdb", "rows"])
def test_made_up_rows_are_saved_too(
    name: str, dsn: str, make_database: Callable[[], Database], tmp_path: Path
) -> None:
    pair = MORE, "SELECT count(total) FROM orders WHERE total >= 100 AND total < 1000"
    path = tmp_path / name
    assert separate(dsn, path, *pair) == 1
    if path.is_dir():
        one, other = loaded(path, make_database().dsn())
        assert "made up" in (path / "README.txt").read_text(encoding="utf-8")
    else:
        one, other = in_duckdb(path, "FROM query_1", "FROM query_2")
        assert "made up" in readme(path)
    assert one != other


@pytest.mark.parametrize("name", ["rows.duckdb", "rows"])
def test_a_masked_bundle_holds_no_value(
    name: str, dsn: str, make_database: Callable[[], Database], tmp_path: Path
) -> None:
    path = tmp_path / name
    pair = "SELECT max(name) FROM customers", "SELECT min(name) FROM customers"
    assert separate(dsn, path, "--masked", *pair) == 0
    if path.is_dir():
        held = "".join(p.read_text(encoding="utf-8") for p in path.iterdir())
        with psycopg.connect(make_database().dsn(), autocommit=True) as connection:
            connection.execute((path / "schema.sql").read_bytes())
    else:
        held = readme(path) + path.read_bytes().decode(errors="ignore")
        assert in_duckdb(path, "SELECT DISTINCT typeof(id), typeof(name) FROM customers") == [
            [("VARCHAR",) * 2]
        ]
    assert "Berg" not in held
    assert "Dahl" not in held
    assert "The values are masked" in held


def test_nothing_is_written_when_no_rows_differ(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for queries in ((MORE, MORE), (MORE, MORE, MORE)):
        assert separate(dsn, tmp_path / "rows.zip", *queries) == 1
        assert capsys.readouterr().err == (
            f"askwire: nothing is written to {str(tmp_path / 'rows.zip')!r}: "
            "no rows were found on which the queries differ\n"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["rows.duckdb", "rows.zip", "rows"])
def test_what_exists_is_not_overwritten(
    name: str, dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text("mine")
    assert separate(dsn, path, MORE, FEWER) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == (
        "",
        f"askwire: {str(path)!r} exists already and is not overwritten. Name another place, or remove it.\n",
    )
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("rows.csv", "the ending of '{}/rows.csv' names no form of a bundle. Name a .duckdb file, "),
        ("away/rows", "cannot write '{}/away/rows': its folder does not exist. Make the folder, "),
        ("file/rows.zip", "cannot write '{}/file/rows.zip': its folder does not exist. "),
    ],
)
def test_a_place_that_cannot_be_used_is_one_line(
    place: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert separate("host=127.0.0.1 port=1", tmp_path / place, MORE, FEWER) == 2
    assert capsys.readouterr().err.startswith(f"askwire: {problem.format(tmp_path)}")


def test_a_folder_that_must_not_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert separate("host=127.0.0.1 port=1", tmp_path / "rows", MORE, FEWER) == 2
    assert "its folder is not writable" in capsys.readouterr().err


def test_a_disk_that_is_full_is_one_line_and_leaves_nothing(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert separate(dsn, tmp_path / "rows", MORE, FEWER) == 2
    told = capsys.readouterr()
    assert "rows': No space left on device." in told.err
    assert told.out.startswith("The two queries differ on 1 row of your data.")
    assert list(tmp_path.iterdir()) == []


def test_without_duckdb_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert separate("host=127.0.0.1 port=1", tmp_path / "rows.duckdb", MORE, FEWER) == 2
    assert capsys.readouterr().err == (
        "askwire: writing a .duckdb file needs the library duckdb. "
        "Install it: pip install 'askwire[files]'; or name a .zip file or a folder.\n"
    )


def test_a_bundle_needs_no_duckdb_unless_it_is_one(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert separate(dsn, tmp_path / "rows", MORE, FEWER) == 0
