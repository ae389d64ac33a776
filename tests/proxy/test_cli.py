"""The command `askwire`: quick to help, and a mistake is one line and exit status 2."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from askwire.core.errors import ConfigurationError
from askwire.llm.providers import openai_compatible
from askwire.proxy.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loaded_starts")]


def run(
    *arguments: str, folder: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, in a folder without a file of settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKWIRE_")}
    return subprocess.run(
        [sys.executable, "-m", "askwire.proxy.cli", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        input=stdin,
    )


def complaint(said: subprocess.CompletedProcess[str]) -> str:
    """The one line a mistake gets."""
    assert said.returncode == 2, said
    assert said.stdout == ""
    assert said.stderr.startswith("askwire: ")
    assert said.stderr.count("\n") == 1
    return said.stderr.removeprefix("askwire: ").strip()


def test_version_and_help(tmp_path: Path) -> None:
    assert run("--version", folder=tmp_path).stdout == "askwire 0.1.0\n"
    said = run("--help", folder=tmp_path).stdout
    assert "ASK 'question'" in said
    for command in ("serve", "demo", "psql"):
        assert f"\n    {command} " in said


def test_help_calls_the_command_as_the_user_did(tmp_path: Path) -> None:
    said = run("serve", "--help", folder=tmp_path, ASKWIRE_COMMAND="./ask").stdout
    assert said.startswith("usage: ./ask serve ")
    assert "docs/configuration.md" in said


def test_what_is_remembered_can_be_carried_elsewhere(tmp_path: Path) -> None:
    line = '{"kind": "term", "key": "t", "at": 1.0, "role": "ada", "server": "db:5432", "database": "shop", '
    line += '"term": "Umsatz", "meaning": "größter Betrag"}\n'
    environment = {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    assert "--store" in complaint(run("store", "export", folder=tmp_path, **environment))
    environment["ASKWIRE_BACKEND"] = "postgresql://db:5432"
    imported = run("store", "import", folder=tmp_path, stdin=line, **environment)
    assert imported.returncode == 0
    assert imported.stderr.startswith("askwire: 1 records are in ")
    assert run("store", "export", folder=tmp_path, **environment).stdout == line
    assert "'other.sqlite'" in complaint(run("store", "export", "--store", "other.sqlite", folder=tmp_path))
    assert "no file" in complaint(run("store", "export", folder=tmp_path, ASKWIRE_STORE="memory"))


def test_an_export_that_nobody_reads_or_nothing_holds_is_no_traceback(tmp_path: Path) -> None:
    line = '{"kind": "term", "key": "%d", "at": 1.0, "role": "ada", "server": "db:5432", "database": "shop", '
    line += '"term": "t%d", "meaning": "m"}\n'
    records = "".join(line % (n, n) for n in range(2_000))
    assert run("store", "import", "--store", "s.sqlite", folder=tmp_path, stdin=records).returncode == 0
    export = [sys.executable, "-m", "askwire.proxy.cli", "store", "export", "--store", "s.sqlite"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        export, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as exporting:
        assert exporting.stdout is not None
        assert exporting.stderr is not None
        assert exporting.stdout.read(10)
        exporting.stdout.close()
        assert exporting.stderr.read() == b""
    assert exporting.returncode == 128 + signal.SIGPIPE
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            said = subprocess.run(
                export, cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert said.returncode == 2
        assert said.stderr == b"askwire: cannot write the export: No space left on device\n"


def test_help_loads_nothing_that_takes_long() -> None:
    """Parser, event loop and pglast cost a multiple of what help needs."""
    script = (
        "import sys\n"
        "from askwire.proxy.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print('loaded', [name for name in ('asyncio', 'pglast', 'uvloop', 'ssl') if name in sys.modules])\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines()[-1] == "loaded []"


@pytest.mark.parametrize("arguments", [[], ["dance"], ["serve", "--set", "x"], ["demo", "--port", "x"]])
def test_a_malformed_command_line_gets_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_serve_needs_to_know_where_postgres_is(tmp_path: Path) -> None:
    assert complaint(run("serve", folder=tmp_path)).startswith("no PostgreSQL server is named. Name it with")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "timeuot=1s"], "unknown setting 'timeuot' in the command line. Did you mean 'timeout'?"),
        (["--set", "timeout=soon"], "setting 'timeout' cannot be 'soon'"),
        (["--config", "missing.toml"], "cannot read 'missing.toml': No such file or directory"),
        (["--listen", "nowhere"], "cannot listen on 'nowhere'"),
        (["--dsn", "host=x port=many"], "the DSN cannot be read: "),
        (["--dsn", "mysql://x"], "the URI scheme is not postgresql"),
    ],
)
def test_what_serve_cannot_use_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in complaint(run("serve", "--dsn", "host=127.0.0.1", *arguments, folder=tmp_path))


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = run("serve", "--dsn", "host=127.0.0.1", "--listen", f"127.0.0.1:{port}", folder=tmp_path)
    assert complaint(said).startswith(f"cannot listen on 127.0.0.1:{port}: Address already in use. ")


def test_serve_says_that_postgresql_cannot_be_reached_and_when_it_can(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKWIRE_")}
    serve = ["serve", "--dsn", f"host=127.0.0.1 port={port} sslmode=disable", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        [sys.executable, "-m", "askwire.proxy.cli", *serve, "--set", "store=memory"],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.PIPE,
        text=True,
    ) as serving:
        assert serving.stderr is not None
        try:
            assert "listening on 127.0.0.1:" in serving.stderr.readline()
            told = serving.stderr.readline()
            assert "PostgreSQL cannot be reached: " in told
            assert f"port={port}" in told or f":{port}" in told
            with socket.create_server(("127.0.0.1", port)):
                assert "can be reached now" in serving.stderr.readline()
        finally:
            serving.terminate()
            serving.communicate(timeout=20)
    assert serving.returncode in (0, -signal.SIGTERM)


def test_a_file_that_went_away_is_no_return_to_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "askwire.toml"
    file.write_text('backend = "host=127.0.0.1"\negress = "none"\nlisten = "127.0.0.1:0"\nstore = "memory"\n')
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKWIRE_")}
    with subprocess.Popen(
        [sys.executable, "-m", "askwire.proxy.cli", "serve"],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.PIPE,
        text=True,
    ) as serving:
        assert serving.stderr is not None
        try:
            assert "listening on 127.0.0.1:" in serving.stderr.readline()
            file.unlink()
            serving.send_signal(signal.SIGHUP)
            told = next(line for line in serving.stderr if "cannot be reached" not in line)
            assert "the settings stay as they are: cannot read 'askwire.toml'" in told
        finally:
            serving.terminate()


def test_a_malformed_file_of_settings_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "askwire.toml").write_text("timeout = \n")
    assert complaint(run("serve", "--dsn", "host=x", folder=tmp_path)).startswith(
        "'askwire.toml' is not valid TOML"
    )


def test_psql_gets_the_demo_as_its_default_and_every_argument(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Became(Exception):
        pass

    became: list[tuple[str, list[str], dict[str, str]]] = []

    def execve(program: str, arguments: list[str], environment: dict[str, str]) -> None:
        became.append((program, arguments, environment))
        raise Became

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr("askwire.proxy.demo.postgres_binaries.find_psql", lambda: "/somewhere/psql")
    monkeypatch.setenv("PGHOST", "production.example")
    with pytest.raises(Became):
        main(["psql", "-h", "localhost", "--help", "-c", "ASK 'x'"])
    program, arguments, environment = became[0]
    assert program == "/somewhere/psql"
    assert arguments == ["/somewhere/psql", "-h", "localhost", "--help", "-c", "ASK 'x'"]
    assert {name: environment[name] for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE")} == {
        "PGHOST": "127.0.0.1",
        "PGPORT": "6432",
        "PGUSER": "postgres",
        "PGDATABASE": "shop",
    }


def test_a_mock_model_answers_until_it_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text("[[answers]]\ntext = 'hello'\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKWIRE_")}
    with subprocess.Popen(
        [sys.executable, "-m", "askwire.proxy.cli", "mock-model", "--scenario", "scenario.toml"],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[4].rstrip(",")
            body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
            with urllib.request.urlopen(f"{url}/chat/completions", body, timeout=20) as response:
                answer = json.load(response)
            assert answer["choices"][0]["message"]["content"] == "hello"
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        finally:
            process.kill()  # does nothing to one that has ended


def test_a_scenario_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    said = complaint(run("mock-model", "--scenario", "nowhere.toml", folder=tmp_path))
    assert said == "cannot read 'nowhere.toml': No such file or directory"


def test_an_expert_without_its_key_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "askwire.toml").write_text(
        "[experts.far]\nurl = 'https://models.example.com/v1'\nmodel = 'm'\nkey_env = 'FAR_KEY'\n"
    )
    said = complaint(run("serve", "--dsn", "host=127.0.0.1", "--set", "store=memory", folder=tmp_path))
    assert said == "expert 'far' has no key: the environment variable FAR_KEY is not set"


def test_experts_need_what_is_not_always_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "_REQUIRED_PACKAGES", ("openai", "surely_not_installed"))
    monkeypatch.setenv("ASKWIRE_COMMAND", "./ask")
    with pytest.raises(ConfigurationError) as caught:
        openai_compatible.check_installed()
    assert caught.value.hint == "Run ./ask models."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lock", "nope.txt"), "cannot read nope.txt: No such file or directory"),
        (("lock", "folder"), "cannot read folder: Is a directory"),
        (("lock", "bad.txt"), "cannot read bad.txt: it is not UTF-8 text"),
        (("lock", "--check", "--file", "folder"), "cannot read folder: Is a directory"),
        (
            ("lock", "--check", "--file", "other.toml"),
            "other.toml is not a lock file. Write one: askwire lock QUESTIONS.",
        ),
        (("store", "import", "--store", "folder"), "cannot write the store 'folder': Is a directory"),
        (
            ("store", "export", "--store", "bad.txt"),
            "cannot read the store 'bad.txt': file is not a database",
        ),
        (("check", "--config", "nope.toml"), "cannot read 'nope.toml': No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_of_in_words(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "other.toml").write_text("a = 1")
    assert complaint(run(*arguments, folder=tmp_path)) == said


def test_an_import_of_what_is_no_text_is_one_line(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "askwire.proxy.cli", "store", "import", "--store", str(tmp_path / "s")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONIOENCODING": "utf-8:strict",
        },
        input=b"\xff\xfe",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (told.returncode, told.stderr) == (2, b"askwire: the import is not UTF-8 text\n")


@pytest.mark.parametrize("command", ["lock", "check"])
def test_who_names_no_server_is_told_how_to(tmp_path: Path, command: str) -> None:
    (tmp_path / "questions.txt").write_text("how many customers are there?")
    arguments = ("lock", "questions.txt") if command == "lock" else ("check",)
    # no one listens there; PGPORT alone names no server
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    nobody = {"PGHOST": "", "PGHOSTADDR": "", "PGSERVICE": "", "PGPORT": port}
    told = run(*arguments, folder=tmp_path, **nobody)
    assert told.returncode == 2
    assert f"localhost:{port}" in told.stdout + told.stderr
    assert "No server was named: give --dsn" in told.stdout + told.stderr
    # what the file of settings or the environment names is used
    (tmp_path / "askwire.toml").write_text(f'backend = "host=127.0.0.1 port={port}"')
    told = run(*arguments, folder=tmp_path, **nobody)
    assert f"127.0.0.1:{port}" in told.stdout + told.stderr
    assert "No server was named" not in told.stdout + told.stderr
