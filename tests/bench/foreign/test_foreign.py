"""Foreign suites: what is read of their reports, and what counts as a difference."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from servers.databases import Database

from askwire.bench.failure import BenchFailure
from askwire.bench.foreign.archives import unpack
from askwire.bench.foreign.compare import SuiteComparison, compare
from askwire.bench.foreign.environments import SuiteEnvironment, prepare
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.runs import Run, read_report, read_ticks, run
from askwire.bench.foreign.suites import SUITES, Suite

pytestmark = pytest.mark.usefixtures("loaded_starts")

TESTS = """
import os, pytest
def test_place(): assert os.environ["PGDATABASE"] == "askwire_foreign_own"
def test_wrong(): assert False
@pytest.mark.skip
def test_left(): pass
@pytest.fixture
def broken():
    yield
    raise ValueError
def test_ends_badly(broken): pass
"""


def outcomes(**named: str) -> Run:
    return Run(named, 1.0)


def test_a_difference_is_what_passes_always_directly_and_not_always_through_the_proxy() -> None:
    compared = SuiteComparison(
        SUITES[0],
        direct=[
            outcomes(a="passed", b="passed", c="passed", d="failed"),
            outcomes(a="passed", b="passed", c="failed", d="failed"),
        ],
        proxied=[
            outcomes(a="passed", b="failed", c="failed", d="passed"),
            outcomes(a="passed", b="passed", c="failed", d="failed"),
        ],
    )
    assert compared.differing == ["b"]
    assert compared.figures["passed_direct"] == [3, 2]


def test_a_test_that_vanishes_behind_the_proxy_is_a_difference() -> None:
    compared = SuiteComparison(SUITES[0], direct=[outcomes(a="passed")], proxied=[outcomes()])
    assert compared.differing == ["a"]


def test_reports_are_read_by_their_worst(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(TESTS, "utf-8")
    report = tmp_path / "report.xml"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", f"--junitxml={report}", str(tmp_path)],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    found = {name.rpartition("::")[2]: outcome for name, outcome in read_report(report).items()}
    assert found == {
        "test_place": "failed",
        "test_wrong": "failed",
        "test_left": "skipped",
        "test_ends_badly": "failed",
    }


def test_ticks_are_read_of_the_test_they_stand_behind() -> None:
    said = (
        "some-tests.js\n  one \u2714\n  two a word of it\n\u2714\n  three ? - SKIPPED\n"
        "  four FAILED!\n\nError\n    at a place\n"
    )
    assert read_ticks(said) == {
        "one": "passed",
        "two a word of it": "passed",
        "three": "skipped",
        "four": "failed",
    }


def test_a_suite_runs_in_a_database_of_its_own(database: Database, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(TESTS, "utf-8")
    suite = Suite("own", "pytest", command=("-m", "pytest", "-q", "-p", "no:randomly", "test_own.py"))
    ended = run(suite, SuiteEnvironment(Path(sys.executable), tmp_path, "1"), database.dsn(), database.dsn())
    assert {name.rpartition("::")[2] for name in ended.passed} == {"test_place"}
    assert ended.count("skipped") == 1


def test_a_suite_that_does_not_start_says_why(database: Database, tmp_path: Path) -> None:
    suite = Suite("own", "pytest", command=("-c", "raise SystemExit('no such thing')"))
    with pytest.raises(SuiteUnavailable, match="no such thing"):
        run(suite, SuiteEnvironment(Path(sys.executable), tmp_path, "1"), database.dsn(), database.dsn())


def test_a_checkout_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnavailable, match="put a checkout into"):
        prepare(next(suite for suite in SUITES if not suite.distribution), tmp_path)


def test_unknown_suites_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchFailure, match="unknown suite 'nobody'"):
        compare("host=127.0.0.1", tmp_path, ["nobody"], 1, print)


@pytest.fixture
def own_suite(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite of two tests; one passes at the server's own port alone."""
    (tmp_path / "test_own.py").write_text(
        "import os, psycopg\n"
        "def test_here(): psycopg.connect().close()\n"
        f"def test_port(): assert os.environ['PGPORT'] == '{database.port}'\n",
        "utf-8",
    )
    suite = Suite("own", "pytest", command=("-m", "pytest", "-q", "-p", "no:randomly", "test_own.py"))
    monkeypatch.setattr("askwire.bench.foreign.compare.SUITES", (suite,))
    monkeypatch.setattr(
        "askwire.bench.foreign.compare.prepare",
        lambda _suite, folder: SuiteEnvironment(Path(sys.executable), folder, "1"),
    )
    return suite


@pytest.mark.usefixtures("own_suite")
def test_a_suite_runs_directly_and_through_the_proxy(database: Database, tmp_path: Path) -> None:
    told: list[str] = []
    (compared,) = compare(database.dsn(), tmp_path, [], 1, told.append)
    assert [name.rpartition("::")[2] for name in compared.differing] == ["test_port"]
    assert told[0] == "own 1, round 1: 2 directly, 1 through the proxy"
    assert "outputs" not in compared.figures


@pytest.mark.usefixtures("own_suite")
def test_the_proxy_gets_settings(database: Database, tmp_path: Path) -> None:
    with pytest.raises(BenchFailure, match="no_such_setting"):
        compare(database.dsn(), tmp_path, [], 1, print, {"no_such_setting": "1"})


@pytest.mark.parametrize("filters", [True, False], ids=["as it is", "before 3.11.4"])
def test_archives_are_unpacked_by_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, filters: bool
) -> None:
    (tmp_path / "inside").write_text("told", "ascii")
    with tarfile.open(tmp_path / "own.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "inside", "own/inside")
    if not filters and hasattr(tarfile, "data_filter"):
        whole = tarfile.TarFile.extractall
        monkeypatch.delattr(tarfile, "data_filter")
        monkeypatch.setattr(tarfile.TarFile, "extractall", lambda self, path: whole(self, path, filter="tar"))
    unpack(tmp_path / "own.tar.gz", tmp_path)
    assert (tmp_path / "own" / "inside").read_text("ascii") == "told"


@pytest.mark.skipif(not hasattr(tarfile, "data_filter"), reason="this Python has no filter")
def test_an_archive_does_not_leave_its_folder(tmp_path: Path) -> None:
    (tmp_path / "inside").touch()
    with tarfile.open(tmp_path / "own.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "inside", "../outside")
    with pytest.raises(tarfile.OutsideDestinationError):
        unpack(tmp_path / "own.tar.gz", tmp_path)
