"""What is shipped is what stands in the tree, and it runs where it was installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import psycopg
import pytest
from house.checkout import ROOT, SHIPPED, packages, pyproject
from packaging.requirements import Requirement

from askwire.core.version import VERSION
from askwire.proxy.wire import passage

pytestmark = pytest.mark.slow

LOCKS = {name: name for name in ("demo", "files", "bench", "models", "solver", "postgres-store", "test")}
SERVER = ("console", "models", "postgres-store", "telemetry")
"""The extras in requirements/server.txt."""
OF_DATA = ("askwire.proxy.console.static", "askwire.proxy.console.templates")
"""Folders without Python that setuptools takes for packages; where they are not listed it warns."""


def locked(name: str) -> dict[str, str]:
    """The versions a lock file pins, by normal name; every one with its hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    pins = {}
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            pin = re.match(r"([a-z0-9.-]+)==([^ ;]+)", line)
            assert pin, line
            assert "--hash=sha256:" in line, line
            pins[pin[1]] = pin[2]
    return pins


def test_the_list_of_packages_is_the_tree() -> None:
    assert sorted(pyproject()["tool"]["setuptools"]["packages"]) == sorted([*packages(), *OF_DATA])
    assert set(pyproject()["tool"]["setuptools"]["package-dir"].values()) == set(SHIPPED)


@pytest.mark.parametrize("folder", SHIPPED)
def test_every_folder_says_that_it_is_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").is_file()


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_files_hold_what_pyproject_asks_for(name: str) -> None:
    project = pyproject()["project"]
    asked = [Requirement(line) for line in project["dependencies"]]
    asked += [Requirement(line) for line in project["optional-dependencies"][name]]
    pins = locked(name)
    for requirement in asked:
        if requirement.name == "askwire":
            continue
        pin = pins.get(requirement.name.lower())
        assert pin is not None, f"{requirement.name} is missing; requirements/README.md says how to lock"
        assert requirement.specifier.contains(pin), requirement


def test_the_lock_file_of_a_server_holds_its_extras() -> None:
    pins = locked("server")
    for extra in SERVER:
        for line in pyproject()["project"]["optional-dependencies"][extra]:
            requirement = Requirement(line)
            assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def test_the_lock_files_agree() -> None:
    """They are installed into one environment, one after the other."""
    everything = locked("test")
    for name in ("demo", "files", "bench", "models", "solver", "postgres-store", "server"):
        assert locked(name).items() <= everything.items()


COMPILED = re.compile(r"askwire/_compiled\.[^/]+").fullmatch


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what is shipped so that nothing is written into the checkout."""
    return build_wheel(tmp_path_factory.mktemp("source"), {})


def build_wheel(copy: Path, variables: dict[str, str]) -> Path:
    for name in (*SHIPPED, "pyproject.toml", "README.md", "LICENSE"):
        subprocess.run(["cp", "-R", str(ROOT / name), str(copy / name)], check=True)
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", build, str(copy)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert built.returncode == 0, built.stderr
    assert "absent from" not in built.stderr
    return copy / built.stdout.split()[-1]


def test_the_wheel_holds_what_is_shipped_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name and not COMPILED(name)}
    shipped = {
        "askwire/" + path.relative_to(wheel.parent).as_posix()
        for folder in SHIPPED
        for path in (wheel.parent / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert inside == shipped


@pytest.mark.skipif(not passage.IS_COMPILED, reason="nothing can be compiled here")
def test_the_wheel_holds_the_compiled_part_where_there_is_a_compiler(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert sum(COMPILED(name) is not None for name in archive.namelist()) == 1
    without = build_wheel(tmp_path, {"CC": "false"})
    with zipfile.ZipFile(without) as archive:
        assert not any(map(COMPILED, archive.namelist()))
        assert "askwire/proxy/wire/passage.py" in archive.namelist()


def test_every_place_names_the_version_of_the_release() -> None:
    notes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    dated = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", notes, re.M)
    assert dated[:1] == [VERSION]
    assert f"askwire {VERSION} " in (ROOT / "docs/README.md").read_text("utf-8")
    assert f"askwire:{VERSION}\n" in (ROOT / "deploy/kubernetes/deployment.yaml").read_text("utf-8")


def test_the_installed_command_runs(wheel: Path, tmp_path: Path) -> None:
    venv.EnvBuilder(with_pip=False).create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    install = ["install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    command = [str(tmp_path / "venv" / "bin" / "askwire"), "--version"]
    said = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == (f"askwire {VERSION}\n", "")


def test_the_demo_of_the_wheel_answers(wheel: Path, module_folder: Path) -> None:
    """The wheel's files come first on the path; its requirements are those of the test run."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(module_folder / "wheel")
    requirements = [path for path in sys.path if path.endswith("-packages")]
    start = "import sys; from askwire.proxy.cli import main; sys.exit(main(sys.argv[1:]))"
    options = ["--port", "0", "--set", "console_listen=127.0.0.1:0", "--folder", str(module_folder / "data")]
    demo = subprocess.Popen(
        [sys.executable, "-S", "-c", start, "demo", *options],
        cwd="/",
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(module_folder),
            "PYTHONPATH": ":".join([str(module_folder / "wheel"), *requirements]),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert demo.stdout is not None
        banner = ""
        while "superuser" not in banner and (line := demo.stdout.readline()):
            banner += line
        found = re.search(r"psql -h 127\.0\.0\.1 -p (\d+) -U postgres shop", banner)
        assert found, banner
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{found[1]}/shop") as connection:
            assert connection.execute("ASK 'how many customers are there?'").fetchone() is not None
    finally:
        demo.terminate()
        demo.communicate(timeout=60)
    assert demo.returncode == 0
