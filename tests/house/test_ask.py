"""The script `./ask`: what it says, what it installs and when, and which checks it runs."""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import venv
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Self

import pytest
from house.checkout import ROOT

SCRIPT = ROOT / "ask"


@pytest.fixture
def ask() -> ModuleType:
    """The script as a module of its own."""
    loader = importlib.machinery.SourceFileLoader("ask_script", str(SCRIPT))
    spec = importlib.util.spec_from_loader("ask_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = keep
    return module


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=env,
    )


# --- what an old Python sees


def test_an_old_python_can_read_it() -> None:
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 6))


def old_pythons() -> list[str]:
    found = [shutil.which(f"python3.{minor}") for minor in range(6, 11)]
    found += map(str, Path.home().glob(".pyenv/versions/3.[6-9].*/bin/python"))
    return [python for python in found if python and "shims" not in python]


@pytest.mark.skipif(not old_pythons(), reason="no Python older than 3.11 here")
def test_an_old_python_says_what_is_needed(tmp_path: Path) -> None:
    for python in old_pythons():
        said = subprocess.run(
            [python, str(SCRIPT), "demo"],
            capture_output=True,
            check=False,
            env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
        )
        assert said.returncode == 2
        assert b"Python 3.11 or later is needed, and " in said.stderr
        assert said.stderr.count(b"\n") == 1


@pytest.mark.skipif(not old_pythons(), reason="no Python older than 3.11 here")
def test_an_old_python_hands_over_to_a_newer_one(tmp_path: Path) -> None:
    (tmp_path / "python3.12").symlink_to(sys.executable)
    said = subprocess.run(
        [old_pythons()[0], str(SCRIPT), "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
    )
    assert said.stdout.startswith("usage: ")


# --- what it says


def test_help_and_version_need_no_environment(tmp_path: Path) -> None:
    environment = {**os.environ, "ASKWIRE_VENV": str(tmp_path / "venv")}
    for arguments in ([], ["--help"], ["demo", "--help"], ["serve", "--help"], ["--version"]):
        said = run(*arguments, env=environment)
        assert said.returncode == 0, said.stderr
        assert said.stdout
    assert not (tmp_path / "venv").exists()


@pytest.mark.slow
def test_every_command_helps_and_installs_nothing(ask: ModuleType, tmp_path: Path) -> None:
    environment = {**os.environ, "ASKWIRE_VENV": str(tmp_path / "venv")}
    asked = [[command, flag] for command in ask.PROFILES for flag in ("--help", "-h")]
    for arguments in [*asked, ["bench", "answer", "--help"], ["test", "-h", "--", "-q"]]:
        said = run(*arguments, env=environment)
        assert (said.returncode, said.stderr) == (0, ""), arguments
        assert said.stdout.startswith("usage: "), arguments
        assert arguments[0] in said.stdout.splitlines()[0], arguments
    assert not (tmp_path / "venv").exists()


def test_help_names_every_bench(ask: ModuleType) -> None:
    told = set(re.findall(r"^  (\w[\w-]*) ", ask.HELP["bench"], re.MULTILINE))
    from askwire.bench.cli import _parser  # noqa: PLC0415 - psycopg takes a while to import

    (commands,) = (a.choices for a in _parser()._actions if a.dest == "command" or a.choices)
    assert told == set(commands or ())


@pytest.mark.parametrize("command", ["models", "solver", "postgres-store"])
def test_what_installs_takes_no_arguments(command: str, tmp_path: Path) -> None:
    said = run(command, "everything", env={**os.environ, "ASKWIRE_VENV": str(tmp_path / "venv")})
    assert said.returncode == 2
    assert "takes no arguments" in said.stderr
    assert not (tmp_path / "venv").exists()


def test_an_unknown_command_is_one_line() -> None:
    said = run("dmeo")
    assert said.returncode == 2
    assert said.stderr.startswith("askwire: there is no command 'dmeo'; ")
    assert said.stderr.count("\n") == 1


def test_it_knows_every_command_of_the_program(ask: ModuleType) -> None:
    of_a_checkout = {"models", "solver", "postgres-store", "bench", "test"}
    told = set(re.findall(r"^  (\w[\w-]*)(?: |$)", ask.USAGE, re.MULTILINE))
    assert told == set(ask.PROFILES)
    refusal = subprocess.run(
        [sys.executable, "-m", "askwire.proxy.cli", "no such command"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / ".typing")},
    ).stderr
    assert set(re.findall(r"[\w-]+", refusal.split("(choose from ")[1])) == told - of_a_checkout


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("demo --data sales.csv", True),
        ("demo --keep=shop", True),
        ("demo --port 6000", False),
        ("separate --save rows.duckdb", True),
        ("separate --save=rows.duckdb", True),
        ("separate --save rows.zip", False),
        ("separate --dsn rows.duckdb", False),
    ],
)
def test_the_library_for_files_is_installed_where_a_command_needs_it(
    line: str, files: bool, ask: ModuleType
) -> None:
    command, *arguments = line.split()
    assert ask.reads_files(command, arguments) is files


@pytest.mark.parametrize(
    ("arguments", "variable", "file", "wanted"),
    [
        (["serve", "--set", "judge_by=python"], "", "", True),
        (["serve", "--set=judge_by=python", "--set", "judge=local"], "", "", True),
        (["check"], "python", "", True),
        (["serve"], "", 'judge_by = "Python"', True),
        (["demo", "--set", "judge_by=hand"], "python", 'judge_by = "python"', False),
        (["serve"], "hand", 'judge_by = "python"', False),
        (["serve"], "", "judge_by = ", False),
        (["serve", "--set", "judge=python"], "", "", False),
        (["psql"], "python", "", False),
    ],
)
def test_a_command_whose_judge_writes_python_gets_what_that_needs(
    ask: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variable: str,
    file: str,
    wanted: bool,
) -> None:
    asked: list[str] = []

    def stop(profile: str) -> str:
        asked.append(profile)
        raise ask.Unable("far enough")

    monkeypatch.setattr(ask, "prepared", stop)
    monkeypatch.setenv("ASKWIRE_COMMAND", "")
    monkeypatch.delenv("ASKWIRE_JUDGE_BY", raising=False)
    monkeypatch.chdir(tmp_path)
    if variable:
        monkeypatch.setenv("ASKWIRE_JUDGE_BY", variable)
    if file:
        (tmp_path / "askwire.toml").write_text(file)
    with pytest.raises(ask.Unable):
        ask.main(arguments)
    assert asked == ["solver" if wanted else "demo"]
    # a file of another name
    (tmp_path / "other.toml").write_text('judge_by = "python"')
    assert ask.judge_writes_python(["--config=other.toml"]) is (not variable or variable == "python")


@pytest.mark.parametrize(
    ("arguments", "variable", "wanted"),
    [
        (["serve", "--set", "store=postgresql://db/askwire"], "", True),
        (["store", "export", "--store", "postgres://db/askwire"], "", True),
        (["store", "export", "--store=state.sqlite"], "postgresql://db/askwire", False),
        (["store", "export"], "postgresql://db/askwire", True),
        (["demo"], "memory", False),
    ],
)
def test_a_command_with_a_store_in_postgresql_gets_what_that_needs(
    ask: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variable: str,
    wanted: bool,
) -> None:
    asked: list[str] = []

    def stop(profile: str) -> str:
        asked.append(profile)
        raise ask.Unable("far enough")

    monkeypatch.setattr(ask, "prepared", stop)
    monkeypatch.setenv("ASKWIRE_COMMAND", "")
    monkeypatch.setenv("ASKWIRE_STORE", variable)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ask.Unable):
        ask.main(arguments)
    assert asked == ["postgres-store" if wanted else "demo"]


# --- the environment


@pytest.fixture
def place(ask: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the environment shall be: a path with spaces, outside the checkout."""
    path = tmp_path / "an environment"
    monkeypatch.setenv("ASKWIRE_VENV", str(path))
    return path


@pytest.fixture
def installed(ask: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requirement files that were installed; nothing really is."""
    files: list[str] = []
    monkeypatch.setattr(ask, "install", lambda _place, file: files.append(Path(file).stem))
    return files


def test_it_installs_once(ask: ModuleType, place: Path, installed: list[str]) -> None:
    assert ask.prepared("demo") == str(place)
    assert ask.prepared("demo") == str(place)
    assert installed == ["demo"]
    assert subprocess.call([str(place / "bin" / "python"), "-c", ""]) == 0


def test_what_test_needs_covers_the_rest_but_not_the_other_way(
    ask: ModuleType, place: Path, installed: list[str]
) -> None:
    for profile in ("demo", "bench", "test", "demo", "bench"):
        ask.prepared(profile)
    assert installed == ["demo", "bench", "test"]


def test_changed_requirements_are_installed_into_the_same_environment(
    ask: ModuleType, place: Path, installed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask.prepared("demo")
    (place / "kept").touch()
    changed = tmp_path / "changed"
    (changed / "requirements").mkdir(parents=True)
    for name in ("demo", "test"):
        (changed / "requirements" / f"{name}.txt").write_text("# changed\n")
    monkeypatch.setattr(ask, "ROOT", str(changed))
    ask.prepared("demo")
    ask.prepared("demo")
    assert installed == ["demo", "demo"]
    assert (place / "kept").exists()


def test_an_installation_that_failed_is_tried_again(
    ask: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_place: str, _file: str) -> None:
        raise ask.Unable("no network")

    monkeypatch.setattr(ask, "install", fail)
    for _ in range(2):
        with pytest.raises(ask.Unable, match="no network"):
            ask.prepared("demo")


def test_an_environment_whose_python_is_gone_is_made_anew(
    ask: ModuleType, place: Path, installed: list[str]
) -> None:
    ask.prepared("demo")
    (place / "bin" / "python").unlink()
    (place / "bin" / "python").symlink_to(place / "nowhere")
    (place / "stale").touch()
    ask.prepared("demo")
    assert installed == ["demo", "demo"]
    assert not (place / "stale").exists()


def test_somebody_elses_folder_is_left_alone(ask: ModuleType, place: Path, installed: list[str]) -> None:
    place.mkdir()
    (place / "letter.txt").write_text("dear")
    with pytest.raises(ask.Unable, match="holds no environment"):
        ask.prepared("demo")
    assert [path.name for path in place.iterdir()] == ["letter.txt"]


def test_an_environment_that_was_there_is_added_to(
    ask: ModuleType, place: Path, installed: list[str]
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (place / "kept").touch()
    ask.prepared("demo")
    assert installed == ["demo"]
    assert (place / "kept").exists()


def test_two_at_once_install_once(
    ask: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second waits on the lock: it can only say so while the first is still installing."""
    count: list[str] = []
    waiting = threading.Event()
    monkeypatch.setattr(ask, "say", lambda sentence: waiting.set() if "waiting" in sentence else None)

    def install(_place: str, file: str) -> None:
        count.append(file)
        assert waiting.wait(30)

    monkeypatch.setattr(ask, "install", install)
    both = [threading.Thread(target=ask.prepared, args=("demo",)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(count) == 1


def test_a_checkout_that_cannot_be_written_uses_the_users_cache(
    ask: ModuleType, installed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASKWIRE_VENV", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    checkout = str(ROOT)
    may_write: Callable[[str], bool] = ask.may_write
    monkeypatch.setattr(
        ask, "may_write", lambda place: not place.startswith(checkout + os.sep) and may_write(place)
    )
    monkeypatch.setattr(ask, "read_stamp", lambda place: {})
    assert Path(ask.prepared("demo")).parent == tmp_path / "askwire"


def test_no_place_at_all_is_said(ask: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write_text("a file")
    with pytest.raises(ask.Unable, match=r"cannot write .* name a folder in ASKWIRE_VENV"):
        ask.prepared("demo")


def test_a_checkout_without_links_is_imported_all_the_same(
    ask: ModuleType, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives turn links into text files."""
    monkeypatch.setattr(ask, "links_work", lambda: False)
    path = ask.import_path(str(place))
    said = subprocess.run(
        [sys.executable, "-P", "-m", "askwire.proxy.cli", "--version"],
        env={"PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout, said.stderr) == ("askwire 0.1.0\n", "")
    assert str(place) in path


# --- pip


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        ("Temporary failure in name resolution", "the package index cannot be reached"),
        ("error: Failed to fetch\n  dns error", "the package index cannot be reached"),
        ("SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", "certificate is not trusted"),
        ("noise\nERROR: No matching distribution found for x\nmore", "ERROR: No matching distribution"),
        ("", "the installer printed nothing"),
    ],
)
def test_a_failed_installation_is_told_in_one_sentence(
    ask: ModuleType, tmp_path: Path, said: str, sentence: str
) -> None:
    log = tmp_path / "install.log"
    log.write_text(said)
    told = ask.why_not(str(log))
    assert sentence in told
    assert "\n" not in told


@pytest.fixture
def bare(ask: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python without pip, and an index in a folder; returns the folder."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setattr("sysconfig.get_config_var", lambda _name: str(tmp_path / "none"))
    index = tmp_path / "index" / "pip"
    index.mkdir(parents=True)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "index").as_uri())
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", (tmp_path / "another index").as_uri())
    return index


def test_pip_is_fetched_from_the_configured_index_and_kept(
    ask: ModuleType, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "PIP_SHA256", hashlib.sha256(b"a wheel").hexdigest())
    (bare / "files").mkdir()
    (bare / "files" / ask.PIP_FILE).write_bytes(b"a wheel")
    (bare / "index.html").write_text(
        f'<a href="pip-1.0.whl">1</a> <a data-x="y" href="files/{ask.PIP_FILE}#sha256=0">2</a>'
    )
    assert Path(ask.pip_wheel(str(tmp_path))).read_bytes() == b"a wheel"
    shutil.rmtree(bare)
    assert Path(ask.pip_wheel(str(tmp_path))).read_bytes() == b"a wheel"


def test_a_fetched_pip_with_another_hash_is_never_run(ask: ModuleType, bare: Path, tmp_path: Path) -> None:
    (bare / ask.PIP_FILE).write_bytes(b"something else")
    (bare / "index.html").write_text(f'<a href="{ask.PIP_FILE}">pip</a>')
    with pytest.raises(ask.Unable, match="without pip"):
        ask.pip_wheel(str(tmp_path))
    assert not (tmp_path / ask.PIP_FILE).exists()


def test_an_index_that_cannot_be_reached_is_said(ask: ModuleType, bare: Path, tmp_path: Path) -> None:
    shutil.rmtree(bare)
    with pytest.raises(ask.Unable, match=r"the package index cannot be reached .* python3-venv"):
        ask.pip_wheel(str(tmp_path))


def test_pips_own_configuration_names_the_index(
    ask: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://one.example/simple\n")
    (tmp_path / "last.conf").write_text("[install]\nindex-url = https://two.example/simple\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "pip").mkdir(parents=True)
    shutil.copy(tmp_path / "pip.conf", tmp_path / "config" / "pip" / "pip.conf")
    monkeypatch.delenv("PIP_CONFIG_FILE", raising=False)
    assert ask.pip_setting("index-url") == ["https://one.example/simple"]
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "last.conf"))
    assert ask.pip_setting("index-url") == ["https://two.example/simple"]
    monkeypatch.setenv("PIP_INDEX_URL", "https://three.example/simple")
    assert ask.pip_setting("index-url") == ["https://three.example/simple"]


def test_what_pip_installed_is_compiled_but_for_the_packages_tests(ask: ModuleType, tmp_path: Path) -> None:
    venv.EnvBuilder(with_pip=False, symlinks=True).create(tmp_path)
    (packages,) = tmp_path.glob("lib/python*/site-packages")
    for name in ("one.py", "two/broken.py", "two/tests/test_two.py"):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text("1 +" if "broken" in name else "")
    ask.compile_modules(str(tmp_path))
    assert [compiled.name.partition(".")[0] for compiled in packages.rglob("*.pyc")] == ["one"]


def test_uv_is_used_where_it_is_and_pip_where_uv_fails(
    ask: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def run_logged(command: list[str], _environment: dict[str, str], _log: str) -> bool:
        tried.append(Path(command[0]).name)
        return len(tried) > 1

    monkeypatch.setattr(ask, "run_logged", run_logged)
    monkeypatch.setattr(ask, "pip_wheel", lambda _place: "pip.whl")
    monkeypatch.setattr(ask, "compile_modules", lambda _place: tried.append("compiled"))
    monkeypatch.setattr(shutil, "which", lambda name: f"/somewhere/{name}")
    ask.install(str(tmp_path), "requirements.txt")
    assert tried == ["uv", "python", "compiled"]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    ask.install(str(tmp_path), "requirements.txt")
    assert tried == ["uv", "python", "compiled", "python", "compiled"]


# --- the checks


class Commands:
    """Stands in for the processes of the checks: what ran, in order, and with which status it ends."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []
        self.failing: dict[str, int] = {}
        """The status of the commands that hold a word."""
        self.lowered: list[str] = []
        """Those that others come before."""

    def __call__(self, command: list[str], stdout: IO[bytes] | None = None, **_: object) -> Command:
        self.ran.append(command)
        status = next((status for word, status in self.failing.items() if word in command), 0)
        if stdout is not None:
            stdout.write(b"what mypy says\n")
        return Command(status, len(self.ran))

    def lower(self, _which: int, pid: int, niceness: int) -> None:
        """Stands in for os.setpriority."""
        assert niceness > 0
        self.lowered.append(self.names()[pid - 1])

    def names(self) -> list[str]:
        """What each command is known by."""
        return [c[c.index("-m") + 1] if "-m" in c else Path(c[0]).name for c in self.ran]


class Command:
    """A process that has ended."""

    def __init__(self, status: int, pid: int) -> None:
        self._status = status
        self.pid = pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait(self) -> int:
        return self._status

    def kill(self) -> None:
        pass


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    made = Commands()
    monkeypatch.setattr(subprocess, "Popen", made)
    monkeypatch.setattr(os, "setpriority", made.lower)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    return made


def test_the_checks_run_in_order_and_stop_at_a_quick_one_that_fails(
    ask: ModuleType, place: Path, commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    commands.failing = {"check": 3}
    assert ask.run_checks(str(place), []) == 3
    assert commands.names() == ["ruff", "ruff"]
    assert re.search(r"\n== failed: ruff check 0.0 s; passed: ruff format 0.0 s\n\Z", capsys.readouterr().out)


def test_mypy_runs_beside_the_tests_and_is_heard_after_them(
    ask: ModuleType, place: Path, commands: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask.run_checks(str(place), []) == 0
    assert commands.names() == ["ruff", "ruff", "lint-imports", "mypy", "python", "pytest"]
    assert commands.lowered == ["mypy"]
    assert re.findall(r"(?m)^== (\w[\w -]*)|^(what .*)", capsys.readouterr().out) == [
        *((name, "") for name in ("ruff format", "ruff check", "import-linter", "browser", "pytest")),
        *(("mypy", ""), ("", "what mypy says"), ("all passed", "")),
    ]


@pytest.mark.parametrize(
    ("failing", "status", "named"),
    [
        ({"mypy": 1}, 1, r"failed: mypy [\d.]+ s; passed: "),
        ({"pytest": 5}, 5, r"failed: pytest [\d.]+ s; passed: .*, mypy [\d.]+ s$"),
        ({"pytest": -9, "mypy": 1}, 137, r"failed: pytest [\d.]+ s, mypy [\d.]+ s; passed: "),
    ],
)
def test_the_status_is_that_of_what_failed_first(
    ask: ModuleType,
    place: Path,
    commands: Commands,
    capsys: pytest.CaptureFixture[str],
    failing: dict[str, int],
    status: int,
    named: str,
) -> None:
    commands.failing = failing
    assert ask.run_checks(str(place), []) == status
    assert re.search("(?m)^== " + named, capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "passed_on"),
    [
        ([], ["-n", "4", "--dist=worksteal"]),
        (["--", "-k", "one"], ["-n", "4", "--dist=worksteal", "-k", "one"]),
        (["--", "tests/house"], ["-n", "4", "--dist=worksteal", "tests/house"]),
        (["--", "tests/house/test_ask.py", "-q"], ["tests/house/test_ask.py", "-q"]),
        (["--", "tests/house/test_ask.py::test_x"], ["tests/house/test_ask.py::test_x"]),
        (["--", "-n3"], ["-n3"]),
        (["--", "--pdb"], ["--pdb"]),
        (["--quick"], ["-n", "2", "--dist=worksteal", "--quick"]),
        (["--quick", "--", "-x"], ["-n", "2", "--dist=worksteal", "--quick", "-x"]),
    ],
)
def test_what_follows_two_dashes_goes_to_pytest_which_has_workers_except_for_files(
    ask: ModuleType, place: Path, commands: Commands, arguments: list[str], passed_on: list[str]
) -> None:
    assert ask.run_checks(str(place), arguments) == 0
    assert commands.ran[-1][1:] == ["-m", "pytest", *passed_on]


def test_arguments_for_pytest_stand_after_two_dashes(ask: ModuleType, place: Path) -> None:
    with pytest.raises(ask.Unable, match="stand after --"):
        ask.run_checks(str(place), ["-k", "one"])


def test_the_stamp_says_what_was_installed_and_for_which_python(
    ask: ModuleType, place: Path, installed: list[str]
) -> None:
    ask.prepared("bench")
    stamp = json.loads((place / ask.STAMP).read_text())
    assert stamp == {
        "python": os.path.realpath(sys.executable),
        "bench": hashlib.sha256((ROOT / "requirements" / "bench.txt").read_bytes()).hexdigest(),
    }
