"""The demo on the user's own files."""

from __future__ import annotations

import logging
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from house.checkout import ROOT
from servers.databases import Database

from askwire.core.errors import ConfigurationError
from askwire.proxy.demo import demo, own_files
from askwire.proxy.demo.own_files import OwnFiles, folder_for

pytest.importorskip("duckdb")

pytestmark = pytest.mark.usefixtures("loaded_starts")


README = (ROOT / "README.md").read_text("utf-8")
SALES = "".join(re.findall(r"^    ((?:Order ID|\d),.*\n)", README, re.MULTILINE))
"""The file in the README; a session with it follows there."""


class Demo:
    """A demo on files, in a process of its own; its folder is removed at the end."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        program = [sys.executable, "-m", "askwire.proxy.cli", "demo", "--port", str(self.port)]
        self._log = folder.parent / f"{folder.name}.log"
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [*program, "--set", "console_listen=", "--folder", str(folder), *arguments],
                cwd="/",
                env={
                    "PATH": "/usr/bin:/bin",
                    "PYTHONPATH": ":".join(filter(None, sys.path)),
                    "HOME": str(folder.parent),
                },
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.banner = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.banner += line
            if "superuser" in line:
                break

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/data") as connection:
            return connection.execute(query.encode()).fetchall()

    def end(self) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=60)
        return self.process.returncode, self.said()

    def said(self) -> str:
        return self._log.read_text()


@pytest.fixture
def folder(open_folder: Path) -> Iterator[Path]:
    path = open_folder / f"own files {time.monotonic_ns()}"
    yield path
    shutil.rmtree(path, ignore_errors=True)
    path.with_name(f"{path.name}.log").unlink(missing_ok=True)


def until(seen: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not (found := seen()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def test_a_file_is_asked_kept_and_watched(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "Sales.csv"
    path.write_text(SALES)
    with Demo(folder, "--data", str(path), "--watch") as demo:
        (question,) = re.findall(r"^    data=> (.*);$", README, re.MULTILINE)
        shown = re.findall(r"^     (\w+ \w+) +\| +([\d.]+)$", README, re.MULTILINE)
        assert [(name, str(amount)) for name, amount in demo.rows(question)] == shown
        assert demo.rows("SELECT customer, amount_usd::float FROM sales WHERE order_id = 1") == [
            ("Ann Lee", 1234.5)
        ]
        assert demo.rows("SELECT current_setting('is_superuser')") == [("off",)]
        assert "psql -h 127.0.0.1" in demo.banner
        path.write_text(SALES + "5,Di Fox,03/03/2025,$5.00,paid,0%\n")
        assert until(lambda: demo.rows("SELECT count(*) FROM sales") == [(5,)])
        path.rename(tmp_path / "away.csv")
        assert until(lambda: "is looked for again" in demo.said())
        (tmp_path / "away.csv").rename(path)
        assert until(lambda: "all files can be read again" in demo.said())
        assert demo.rows("SELECT count(*) FROM sales") == [(5,)]
        status, said = demo.end()
    assert status == 0
    assert said.count(f"not loaded: cannot read {str(path)!r}") == 1
    assert f"sales: 4 rows, 6 columns, from {path}" in said
    assert f"sales: 5 rows, 6 columns, from {path}" in said
    with Demo(folder, "--data", str(path)) as demo:
        assert demo.rows("SELECT count(*) FROM sales") == [(5,)]
        _, said = demo.end()
    assert f"{path}: unchanged, not read again (sales)" in said


def test_an_end_while_files_are_loaded_is_said_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    waiting = tmp_path / "sales.csv"
    waiting.write_text("id,text\n" + "".join(f"{n},some text {n}\n" for n in range(2_000_000)))
    command = [sys.executable, "-m", "askwire.proxy.cli", "demo", "--port", "0", "--folder", str(folder)]
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join(filter(None, sys.path)),
        "HOME": str(tmp_path),
    }
    process = subprocess.Popen(
        [*command, "--data", str(waiting)], env=environment, cwd="/", stderr=subprocess.PIPE, text=True
    )
    assert until(lambda: any(folder.glob("scratch-*")) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said == "stopped before the demo was ready\n"
    assert not any(folder.glob("scratch-*"))
    assert not (folder / "postmaster.pid").exists()


def test_an_end_amid_a_command_says_nothing_of_the_connection(
    database: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("psycopg"), "disabled", False)

    def interrupted() -> None:
        with psycopg.connect(database.dsn()) as connection:
            connection.pgconn.send_query(b"SELECT 1")
            demo._interrupt(signal.SIGINT, None)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not caplog.records


def test_a_path_that_is_none_is_one_line_and_leaves_nothing(folder: Path) -> None:
    status, said = Demo(folder, "--data", "/nowhere.csv").end()
    assert status == 2
    assert said.startswith("askwire: cannot read '/nowhere.csv': No such file or directory. ")
    assert said.count("\n") == 1
    assert not folder.exists()


def test_a_folder_that_is_not_kept_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_files, "cache_folder", lambda: tmp_path)
    with folder_for(OwnFiles(("a.csv",)), None) as passing:
        passing.mkdir(parents=True)
        assert passing.is_relative_to(tmp_path)
    assert not passing.exists()
    assert list((tmp_path / "demo").iterdir()) == []
    with folder_for(OwnFiles((), keep="work"), None) as kept:
        assert kept == tmp_path / "kept" / "work"
    with (
        pytest.raises(ConfigurationError, match="cannot be a name"),
        folder_for(OwnFiles((), keep="../x"), None),
    ):
        pass


def test_psql_finds_the_database_of_a_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_files, "cache_folder", lambda: tmp_path)
    assert own_files.database_on("6432", "shop") == "shop"
    note = own_files.remember_database(6432, "data")
    assert own_files.database_on("6432", "shop") == "data"
    assert own_files.database_on("no port", "shop") == "shop"
    note.unlink()
    assert own_files.database_on("6432", "shop") == "shop"
