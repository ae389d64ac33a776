"""One run of a suite against one server: which of its tests passed.

Owns: starting it in a fresh database, and reading what it says.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from askwire.bench.foreign.environments import SuiteEnvironment
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.schedules import run_program, run_schedule
from askwire.bench.foreign.suites import Suite

_SUITE_TIMEOUT_SECONDS: Final = 3600.0
_FILE_TIMEOUT_SECONDS: Final = 120.0
_OUTCOME: Final = re.compile(r"(\N{HEAVY CHECK MARK}|\? - SKIPPED|FAILED!)$")


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run: the outcome of each test (passed, failed, skipped), and its seconds.

    `outputs` are what tests printed, by name, where the suite's report lies in that.
    """

    outcomes: Mapping[str, str]
    seconds: float
    outputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> frozenset[str]:
        """The tests that passed."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome == "passed")

    def count(self, outcome: str) -> int:
        """How many tests had this outcome."""
        return sum(1 for one in self.outcomes.values() if one == outcome)


def run(suite: Suite, prepared: SuiteEnvironment, direct: str, address: str) -> Run:
    """Run a suite at the server `address`, in a database made again through `direct`.

    Both are connection strings of a superuser. PostgreSQL's own tests make their databases themselves,
    through `address`. Raises Missing when the suite did not run at all.
    """
    if suite.brings_server:
        return _on_own_server(suite, prepared, address)
    database = f"askwire_foreign_{suite.name}".replace("-", "_")
    _make_database(direct, database, suite.prepare)
    given = conninfo_to_dict(address)
    place = {
        "host": str(given.get("host", "127.0.0.1")),
        "port": str(given.get("port", "5432")),
        "user": str(given.get("user", "postgres")),
        "database": database,
    }
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PGDATA")},
        "PGHOST": place["host"],
        "PGPORT": place["port"],
        "PGUSER": place["user"],
        "PGDATABASE": database,
        "PGSSLMODE": "disable",
        "PGGSSENCMODE": "disable",
        **{name: text.format(**place) for name, text in suite.environment.items()},
    }
    began = time.monotonic()
    if suite.kind == "node":
        outcomes = _node(suite, prepared, environment)
    else:
        outcomes = _pytest([part.format(**place) for part in suite.command], prepared, environment)
    return Run(outcomes, time.monotonic() - began)


def _on_own_server(suite: Suite, prepared: SuiteEnvironment, address: str) -> Run:
    given = conninfo_to_dict(address)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
    place = {variable: str(given[name]) for name, variable in names.items() if name in given}
    options = [part.format(tests=prepared.tests) for part in suite.command]
    began = time.monotonic()
    given_by_suite = {name: text.format(tests=prepared.tests) for name, text in suite.environment.items()}
    connection = {**place, "PGSSLMODE": "disable", "PGGSSENCMODE": "disable", **given_by_suite}
    output = prepared.scratch / "output"
    if suite.kind == "program":
        outcomes, outputs = run_program(prepared.interpreter, output, options, connection)
    else:
        outcomes, outputs = run_schedule(prepared.interpreter, prepared.tests, output, options, connection)
    return Run(outcomes, time.monotonic() - began, outputs)


def _make_database(direct: str, database: str, prepare: str) -> None:
    with psycopg.connect(direct, autocommit=True) as connection:
        name = sql.Identifier(database)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(name))
    if prepare:
        with psycopg.connect(direct, dbname=database, autocommit=True) as connection:
            connection.execute(prepare.encode())


def _pytest(command: list[str], prepared: SuiteEnvironment, environment: Mapping[str, str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        said = _told(
            [str(prepared.interpreter), *command, f"--junitxml={report}"],
            prepared,
            environment,
            _SUITE_TIMEOUT_SECONDS,
        )
        if not report.exists():
            raise SuiteUnavailable(f"it did not run: {said[-400:].strip()}")
        if not (outcomes := read_report(report)):
            raise SuiteUnavailable(f"it ran no test: {said[-400:].strip()}")
        return outcomes


def read_report(report: Path) -> dict[str, str]:
    """The outcome of each test of a JUnit report; one that errs or fails anywhere has failed."""
    outcomes: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - written by pytest just now
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        outcome = "passed"
        if case.find("failure") is not None or case.find("error") is not None:
            outcome = "failed"
        elif case.find("skipped") is not None:
            outcome = "skipped"
        if outcomes.get(name) != "failed":
            outcomes[name] = outcome
    return outcomes


def _node(suite: Suite, prepared: SuiteEnvironment, environment: Mapping[str, str]) -> dict[str, str]:
    """Each file passes when it ends with status 0, and each test in it that is ticked off."""
    outcomes = {}
    for path in sorted((prepared.tests / suite.command[0]).rglob("*-tests.js")):
        name = path.relative_to(prepared.tests).as_posix()
        try:
            ended = subprocess.run(
                [str(prepared.interpreter), name, "postgres://"],
                cwd=prepared.tests,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=_FILE_TIMEOUT_SECONDS,
            )
            outcomes[name] = "failed" if ended.returncode else "passed"
            said = ended.stdout
        except subprocess.TimeoutExpired as expired:
            outcomes[name] = "failed"
            said = expired.stdout or b""
        outcomes |= {
            f"{name}::{test}": how for test, how in read_ticks(said.decode(errors="replace")).items()
        }
    return outcomes


def read_ticks(said: str) -> dict[str, str]:
    """The outcome of each test that node-postgres's runner names: two spaces, the name, a tick behind."""
    outcomes: dict[str, str] = {}
    name = ""
    for line in said.splitlines():
        if line[:2] == "  " and line[2:3].strip():
            name = _OUTCOME.sub("", line).strip()
            outcomes[name] = "skipped" if line.endswith("? - SKIPPED") else "failed"
        if name and line.endswith("\N{HEAVY CHECK MARK}"):
            outcomes[name] = "passed"
    return outcomes


def _told(
    command: list[str], prepared: SuiteEnvironment, environment: Mapping[str, str], longest: float
) -> str:
    process = subprocess.Popen(
        command,
        cwd=prepared.tests,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
    )
    try:
        said, _ = process.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
    except BaseException:
        process.kill()
        with suppress(OSError):
            process.wait()
        raise
    return said
