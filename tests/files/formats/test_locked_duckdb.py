"""DuckDB reads the files it is given and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from askwire.core.errors import UnreadableFile
from askwire.files.formats.locked_duckdb import locked_duckdb

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


@pytest.mark.slow
def test_ctrl_c_while_the_library_is_loaded_comes_after_it(tmp_path: Path) -> None:
    """A compiled module that is stopped half loaded would end the process with a trace of its own."""
    program = """
import signal, sys
import subprocess
import sys
from pathlib import Path
from askwire.files.formats import locked_duckdb

class PressesCtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "_duckdb":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, PressesCtrlC())
try:
    locked_duckdb.locked_duckdb((), Path(sys.argv[1]))
except KeyboardInterrupt:
    print("_duckdb" in sys.modules)
"""
    environment = {"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("True\n", "", 0)
