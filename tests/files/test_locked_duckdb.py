"""DuckDB reads the files it is given and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwire.core.errors import UnreadableFile
from askwire.files.locked_duckdb import locked_duckdb

duckdb = pytest.importorskip("duckdb")

REFUSED = [
    "SELECT * FROM read_csv('{other}')",
    "SELECT * FROM read_text('{other}')",
    "SELECT * FROM '{other}'",
    "SELECT * FROM glob('{folder}/*')",
    "COPY (SELECT 1) TO '{folder}/written.csv'",
    "ATTACH '{folder}/made.duckdb' AS made",
    "INSTALL httpfs",
    "LOAD excel",
    "SELECT * FROM read_csv('https://example.com/a.csv')",
    "SET enable_external_access = true",
    "SET allowed_directories = ['/']",
    "SET autoload_known_extensions = true",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_what_was_not_named_is_out_of_reach(tmp_path: Path, statement: str) -> None:
    named, other = tmp_path / "named.csv", tmp_path / "other.csv"
    for path in (named, other):
        path.write_text("a\n1\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with locked_duckdb([named], scratch) as connection:
        assert connection.execute(f"SELECT * FROM read_csv('{named}')").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error):
            connection.execute(statement.format(folder=tmp_path, other=other, named=named)).fetchall()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["named.csv", "other.csv", "scratch"]


def test_a_view_in_a_duckdb_file_reaches_no_further_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    database = tmp_path / "trap.duckdb"
    with duckdb.connect(str(database)) as made:
        made.execute(f"CREATE VIEW trap AS SELECT * FROM read_csv('{secret}')")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with locked_duckdb([database], scratch, database=database) as connection, pytest.raises(duckdb.Error):
        connection.execute("SELECT * FROM source.trap")


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(b"12345678DUCK" + bytes(5000))
    with pytest.raises(UnreadableFile, match="DuckDB cannot open"):
        locked_duckdb([path], tmp_path, database=path)
