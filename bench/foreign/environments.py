"""Sources and environments of the suites, made once in a folder.

Owns: fetching and installing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.bench.foreign.archives import unpack
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.postgres_sources import built
from askwire.bench.foreign.suites import Suite

_DONE_MARKER: Final = ".prepared"
_NPM_OPTIONS: Final = ("--no-save", "--no-audit", "--no-fund", "--ignore-scripts")


@dataclass(frozen=True, slots=True)
class SuiteEnvironment:
    """A suite that can be started: its interpreter, the folder of its tests and the version they are of.

    `scratch` is where a suite that has a server of its own keeps that, and what its tests print.
    """

    interpreter: Path
    tests: Path
    version: str
    scratch: Path = Path()


def prepare(suite: Suite, folder: Path) -> SuiteEnvironment:
    """Fetch and install a suite below `folder`, unless that was done; raises Missing."""
    if suite.brings_server:
        tree, version = built(folder)
        tests = tree / suite.folder
        return SuiteEnvironment(tests / suite.distribution, tests, version, folder / "scratch" / suite.name)
    source, version = _source(suite, folder)
    if suite.kind == "node":
        return _node(suite, source, folder)
    environment = folder / "environments" / suite.name
    python = environment / "bin" / "python"
    if not (environment / _DONE_MARKER).exists():
        shutil.rmtree(environment, ignore_errors=True)
        venv.EnvBuilder(with_pip=True).create(environment)
        wanted = [requirement.format(version=version) for requirement in suite.requirements]
        _run([str(python), "-m", "pip", "install", "-q", *wanted], source)
        (environment / _DONE_MARKER).touch()
    return SuiteEnvironment(python, source / suite.folder, version)


def _source(suite: Suite, folder: Path) -> tuple[Path, str]:
    if not suite.distribution:
        checkout = folder / suite.name
        if not checkout.is_dir():
            raise SuiteUnavailable(f"its tests are in no distribution; put a checkout into {checkout}")
        return checkout, _version_of(checkout)
    sources = folder / "sources"
    found = sorted(sources.glob(f"{suite.distribution}-*/"))
    if not found:
        sources.mkdir(parents=True, exist_ok=True)
        download = ["download", "-q", "--no-deps", "--no-binary", suite.distribution, suite.distribution]
        _run([sys.executable, "-m", "pip", *download, "-d", str(sources)], sources)
        archives = sorted(sources.glob(f"{suite.distribution}-*.tar.gz"))
        if not archives:
            raise SuiteUnavailable("its source distribution is no .tar.gz")
        unpack(archives[-1], sources)
        found = sorted(sources.glob(f"{suite.distribution}-*/"))
        # the installed package is tested, not the one beside the tests
        for name in (suite.distribution, "src"):
            shutil.rmtree(found[-1] / name, ignore_errors=True)
    return found[-1], found[-1].name.removeprefix(f"{suite.distribution}-")


def _version_of(checkout: Path) -> str:
    told = None
    if (described := checkout / "psycopg" / "pyproject.toml").exists():
        told = re.search(r'version\s*=\s*"([^"]+)"', described.read_text("utf-8"))
    return told[1] if told else "unknown"


def _node(suite: Suite, source: Path, folder: Path) -> SuiteEnvironment:
    """A copy of the package outside of its repository: what it needs comes as its users get it."""
    node = shutil.which("node")
    npm = shutil.which("npm")
    if node is None or npm is None:
        raise SuiteUnavailable("node and npm are not installed")
    tests = folder / "environments" / suite.name
    described = tests / "package.json"
    if not (tests / _DONE_MARKER).exists():
        shutil.rmtree(tests, ignore_errors=True)
        shutil.copytree(source / suite.folder, tests, ignore=shutil.ignore_patterns("node_modules"))
        package = json.loads(described.read_text("utf-8"))
        # of what its authors work with, `requirements` is what these tests take
        package.pop("devDependencies", None)
        described.write_text(json.dumps(package), "utf-8")
        _run([npm, "install", *_NPM_OPTIONS, *suite.requirements], tests)
        (tests / _DONE_MARKER).touch()
    return SuiteEnvironment(Path(node), tests, str(json.loads(described.read_text("utf-8"))["version"]))


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no word why"]
        raise SuiteUnavailable(f"{Path(command[0]).name} {command[-1]}: {last[0]}")
