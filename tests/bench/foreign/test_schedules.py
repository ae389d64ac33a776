"""PostgreSQL's own tests as foreign suites: what is read of a run, and which outputs make a difference."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from askwire.bench.foreign import postgres_sources
from askwire.bench.foreign.compare import SuiteComparison, compare
from askwire.bench.foreign.environments import SuiteEnvironment
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.postgres_sources import built
from askwire.bench.foreign.runs import Run, run
from askwire.bench.foreign.schedules import read_report
from askwire.bench.foreign.spare_server import Programs, installed, spare_server
from askwire.bench.foreign.suites import SUITES, Suite

SCHEDULE = Suite("own", "schedule", command=("--schedule={tests}/some_schedule",))

# a driver that tells what it was given, as a result of the test that passes
DRIVER = """#!/bin/sh
for option; do
    case $option in --outputdir=*) folder=${option#--outputdir=}; esac
done
cat "$folder/expected/told.out"
mkdir "$folder/results"
touch "$folder/results/told.stderr" "$folder/results/told.out.diff"
echo "$PGHOST $PGPORT $PGUSER $PGPASSWORD ${PGDATABASE-} $*" > "$folder/results/told.out"
echo 'test told                         ... ok           12 ms'
echo '     wrong                        ... FAILED       12 ms'
exit 1
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that no one can reach too, unlike those of the tests of root."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def programs() -> Programs:
    try:
        return installed()
    except SuiteUnavailable as missing:
        pytest.skip(str(missing))


def printed(**named: str) -> Run:
    return Run(dict.fromkeys(named, "passed"), 1.0, named)


def test_reports_of_old_versions_are_read() -> None:
    said = (
        "test test_setup                   ... ok         1140 ms\n"
        "parallel group (3 tests):  varchar name uuid\n"
        "     varchar                      ... ok         2164 ms\n"
        "     name                         ... FAILED     1154 ms\n"
        "     uuid                         ... FAILED (test process exited with exit code 2)      940 ms\n"
        "     random                       ... failed (ignored)      940 ms\n"
    )
    assert read_report(said) == {
        "test_setup": "passed",
        "varchar": "passed",
        "name": "failed",
        "uuid": "failed",
        "random": "failed",
    }


def test_reports_of_new_versions_are_read() -> None:
    said = (
        "# parallel group (2 tests):  name uuid\n"
        "ok 1         - test_setup                                1140 ms\n"
        "ok 2         + name                                        21 ms\n"
        "not ok 3     + uuid                                        22 ms\n"
        "# 1 of 3 tests failed.\n"
    )
    assert read_report(said) == {"test_setup": "passed", "name": "passed", "uuid": "failed"}


def test_an_output_that_only_the_proxy_brings_about_is_a_difference() -> None:
    compared = SuiteComparison(
        SCHEDULE,
        direct=[printed(same="1\n", other="1\n", now_and_then="1\n", lost="1\n")] * 2,
        proxied=[
            printed(same="1\n", other="2\n", now_and_then="1\n", lost="1\n"),
            printed(same="1\n", other="2\n", now_and_then="2\n"),
        ],
    )
    assert compared.differing_outputs == ["lost", "now_and_then", "other"]
    assert compared.unsteady_outputs == []
    assert compared.figures["outputs"] == 4


def test_an_output_that_varies_directly_is_told_apart() -> None:
    compared = SuiteComparison(
        SCHEDULE, direct=[printed(a="1\n"), printed(a="2\n")], proxied=[printed(a="3\n"), printed(a="1\n")]
    )
    assert compared.differing_outputs == []
    assert compared.unsteady_outputs == ["a"]


def test_what_differs_is_written_down_and_what_did_is_forgotten(folder: Path) -> None:
    (folder / "before.1.diff").touch()
    compared = SuiteComparison(
        SCHEDULE,
        direct=[printed(a="1\n2\n", b="1\n")],
        proxied=[printed(a="1\n3\n", b="1\n")],
    )
    compared.write_differences(folder)
    assert {path.name: path.read_text("utf-8").splitlines()[-3:] for path in folder.iterdir()} == {
        "a.1.diff": [" 1", "-2", "+3"]
    }


def test_a_schedule_gets_the_address_and_its_outputs_are_kept(folder: Path, programs: Programs) -> None:
    driver = folder / "driver"
    driver.write_text(DRIVER, "ascii")
    driver.chmod(0o755)
    tests = folder / "isolation"
    (tests / "expected").mkdir(parents=True)
    (tests / "expected" / "told.out").write_text(
        "test expected                     ... ok           12 ms\n", "ascii"
    )
    ended = run(
        SCHEDULE,
        SuiteEnvironment(driver, tests, "1", folder / "scratch"),
        "host=127.0.0.1 port=1",
        "host=127.0.0.1 port=2 user=me password='my own' dbname=elsewhere",
    )
    assert ended.outcomes == {"expected": "passed", "told": "passed", "wrong": "failed"}
    assert ended.outputs.keys() == {"told", "told.stderr"}
    told = ended.outputs["told"]
    assert told.startswith("127.0.0.1 2 me my own  --inputdir=")
    assert f"--bindir={programs.folder} --dlpath={folder}/regress --schedule={tests}/some_schedule" in told


@pytest.mark.usefixtures("programs")
def test_a_schedule_that_does_not_run_says_why(folder: Path) -> None:
    driver = folder / "driver"
    driver.write_text("#!/bin/sh\necho 'no such thing' >&2\nexit 2\n", "ascii")
    driver.chmod(0o755)
    with pytest.raises(SuiteUnavailable, match="no such thing"):
        run(SCHEDULE, SuiteEnvironment(driver, folder, "1", folder / "scratch"), "", "host=127.0.0.1")


@pytest.mark.slow
def test_a_server_is_made_for_a_run_and_asks_for_its_password(folder: Path, programs: Programs) -> None:
    with spare_server(programs, folder / "server", ("max_prepared_transactions=7",), ("me", "he")) as dsn:
        with psycopg.connect(dsn) as connection:
            connection.execute("CREATE ROLE me LOGIN")
            assert connection.info.server_version // 10000 == programs.major
            row = connection.execute("SHOW max_prepared_transactions").fetchone()
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(dsn, password="guessed")
        psycopg.connect(dsn, user="me", password="guessed").close()
    assert row == ("7",)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)
    assert not (folder / "server" / "data").exists()


@pytest.mark.slow
def test_a_server_that_does_not_start_says_why(folder: Path, programs: Programs) -> None:
    with (
        pytest.raises(SuiteUnavailable, match=r"pg_ctl failed: .*no_such_parameter"),
        spare_server(programs, folder / "server", ("no_such_parameter=7",)),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs the server itself")
def test_root_hears_of_a_folder_that_the_server_cannot_reach(folder: Path, programs: Programs) -> None:
    folder.chmod(0o700)
    with (
        pytest.raises(SuiteUnavailable, match="user 'nobody' cannot reach"),
        spare_server(programs, folder / "server"),
    ):
        pass


def test_without_a_server_to_spare_other_projects_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "askwire.bench.foreign.compare.prepare", lambda suite, folder: SuiteEnvironment(folder, folder, "1")
    )
    (compared,) = compare("", tmp_path, ["asyncpg"], 1, print)
    assert compared.figures == {
        "suite": "asyncpg",
        "skipped": "it needs a server to spare: name one with --dsn",
    }


def test_own_tests_run_what_is_built_for_them() -> None:
    assert {suite.name: suite.distribution for suite in SUITES if suite.brings_server} == {
        "postgresql": "pg_regress",
        "postgresql-isolation": "pg_isolation_regress",
        "postgresql-pipeline": "libpq_pipeline",
        "postgresql-ecpg": "pg_regress",
    }


@pytest.mark.parametrize(
    ("version", "word"), [("15.1", "does not hold postgresql-15.1"), ("17.2", "Bison and Flex")]
)
def test_sources_that_cannot_be_built_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, word: str
) -> None:
    monkeypatch.setattr(postgres_sources, "installed", lambda: Programs(tmp_path, version, ""))
    monkeypatch.setattr(shutil, "which", lambda program: program)
    (tmp_path / "sources").mkdir()
    (tmp_path / "other").touch()
    with tarfile.open(tmp_path / "sources" / f"postgresql-{version}.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "other", "other")
    with pytest.raises(SuiteUnavailable, match=word):
        built(tmp_path)


# its tests are its arguments; the trace is the option before the test's name
PROGRAM = """#!/bin/sh
[ "$1" = tests ] && exec echo fine wrong
echo "$*" | sed "s:$4:TRACE:"
echo "$PGHOST $PGPORT" > "$4"
[ "$5" = fine ]
"""


def test_a_program_runs_each_test_that_it_names_and_its_trace_is_kept(folder: Path) -> None:
    program = folder / "program"
    program.write_text(PROGRAM, "ascii")
    program.chmod(0o755)
    suite = Suite("own", "program", command=("-r", "7"))
    prepared = SuiteEnvironment(program, folder, "1", folder / "scratch")
    ended = run(suite, prepared, "", "host=127.0.0.1 port=2")
    assert ended.outcomes == {"fine": "passed", "wrong": "failed"}
    assert ended.outputs == {
        name: f"-r 7 -t TRACE {name} dbname=postgres\n127.0.0.1 2\n" for name in ("fine", "wrong")
    }


def test_a_program_that_does_not_run_says_why(folder: Path) -> None:
    program = folder / "program"
    program.write_text("#!/bin/sh\necho 'no such thing' >&2\nexit 2\n", "ascii")
    program.chmod(0o755)
    with pytest.raises(SuiteUnavailable, match="no such thing"):
        run(
            Suite("own", "program"),
            SuiteEnvironment(program, folder, "1", folder / "scratch"),
            "",
            "host=127.0.0.1",
        )
