"""The demo: loaded once, open to this machine but to no superuser, and gone when it is stopped."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

import psycopg
import pytest
from servers.processes import naming

from askwire.core.errors import ConfigurationError
from askwire.proxy.demo import demo
from askwire.proxy.demo.demo import Demo
from askwire.proxy.demo.postgres_binaries import find_binaries

pytestmark = pytest.mark.usefixtures("loaded_starts")


SCRIPT = """
CREATE EXTENSION unaccent;  -- trusted: the owner of the database may
CREATE TABLE birds (name text PRIMARY KEY, legs int);
COPY birds FROM stdin;
wren\t2
owl\t2
\\.
"""


class DemoProcess:
    """A demo in a process of its own; a context manager that ends it when the test has not."""

    def __init__(self, *arguments: str, program: Sequence[str] = ("-m", "askwire.proxy.cli")) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKWIRE_")}
        self.process = subprocess.Popen(
            # a port of its own for the console: other tests run demos at the same time
            [
                *(sys.executable, *program, "demo", "--port", "0"),
                *(("--set", "console_listen=127.0.0.1:0") if program[0] == "-m" else ()),
                *arguments,
            ],
            cwd="/",
            env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.banner = ""
        self.said: str | None = None
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.banner += line
            if "superuser" in line:
                break

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def port(self) -> int:
        found = re.search(r"psql -h 127\.0\.0\.1 -p (\d+) -U postgres shop", self.banner)
        assert found, self.end()
        return int(found[1])

    def value(self, query: str) -> object:
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/shop") as connection:
            row = connection.execute(query).fetchone()
        return row[0] if row else None

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Stop it: the exit status, and what was said on stderr."""
        if self.said is None:
            if self.process.poll() is None:
                self.process.send_signal(number)
            _, self.said = self.process.communicate(timeout=30)
        return self.process.returncode, self.said


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "birds of a script.sql"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.fixture
def folder(open_folder: Path) -> Iterator[Path]:
    path = open_folder / f"demo {time.monotonic_ns()}"
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")  # a process may come back to this module
def template(open_folder: Path) -> Path:
    """A folder the demo has made and loaded with the birds, and left again."""
    path = open_folder / "template of a demo"
    script = open_folder / "birds.sql"
    script.write_text(SCRIPT, encoding="utf-8")
    status, said = DemoProcess("--folder", str(path), "--sample-sql", str(script)).end()
    assert (status, said) == (0, f"making a database in {path} (once) …\n")
    return path


@pytest.fixture
def loaded(template: Path, folder: Path) -> Path:
    """A copy of it: saves the seconds that making one takes."""
    subprocess.run(["cp", "-a", str(template), str(folder)], check=True)
    return folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_until_it_is_told_to_stop_and_leaves_nothing_running(
    loaded: Path, sample: Path, number: int
) -> None:
    with DemoProcess("--folder", str(loaded), "--sample-sql", str(sample)) as running:
        assert running.value("SELECT sum(legs) FROM birds") == 4
        assert naming(str(loaded))
        assert running.end(number) == (0, "")
    assert naming(str(loaded)) == {}


def test_what_was_loaded_once_stays(loaded: Path, sample: Path) -> None:
    arguments = ("--folder", str(loaded), "--sample-sql", str(sample))
    with DemoProcess(*arguments) as running:
        assert running.value("DELETE FROM birds WHERE name = 'owl' RETURNING name") == "owl"
    with DemoProcess(*arguments) as running:
        assert running.value("SELECT count(*) FROM birds") == 1


def test_what_it_was_taught_stays_though_its_postgresql_has_another_port(loaded: Path, sample: Path) -> None:
    arguments = ("--folder", str(loaded), "--sample-sql", str(sample))
    with DemoProcess(*arguments) as running:
        port = running.value("SELECT current_setting('port')")
        running.value("ASK LEARN 'feathered friends' AS 'birds'")
        running.value("ASK 'how many birds are there?'")
    with DemoProcess(*arguments) as running:
        assert running.value("SELECT current_setting('port')") != port
        assert running.value("SELECT term FROM ask.glossary") == "feathered friends"
        assert running.value("SELECT question FROM ask.pins") == "how many birds are there?"
        assert running.value("SELECT question FROM ask.history") == "how many birds are there?"


def test_the_role_owns_the_sample_and_is_no_superuser(loaded: Path, sample: Path) -> None:
    with DemoProcess("--folder", str(loaded), "--sample-sql", str(sample)) as running:
        assert running.value("SELECT current_setting('is_superuser')") == "off"
        assert running.value("SELECT tableowner FROM pg_tables WHERE tablename = 'birds'") == "postgres"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            running.value("SELECT pg_read_file('/etc/hostname')")


def test_all_there_is_to_see_shows_and_its_configuration_is_read_again(loaded: Path, sample: Path) -> None:
    with DemoProcess("--folder", str(loaded), "--sample-sql", str(sample)) as running:
        where = f"postgresql://postgres@127.0.0.1:{running.port}/askwire"
        with psycopg.connect(where, autocommit=True) as connection:
            settings = {row[0]: row[1] for row in connection.execute("SHOW CONFIG").fetchall()}
            assert settings["history_rows"] == "on"
            assert connection.execute("RELOAD").fetchall() == []
        # a terminal that is closed ends it, as it did before there was anything to read again
        assert running.end(signal.SIGHUP)[0] == 0


def test_another_sample_does_not_go_into_the_same_folder(loaded: Path, sample: Path) -> None:
    sample.write_text("SELECT 1;")
    status, said = DemoProcess("--folder", str(loaded), "--sample-sql", str(sample)).end()
    assert status == 2
    assert "holds another sample" in said


def test_a_script_that_fails_says_where_and_is_loaded_anew(folder: Path, sample: Path) -> None:
    sample.write_text("CREATE TABLE one ();\nSELECT nonsense;\n")
    status, said = DemoProcess("--folder", str(folder), "--sample-sql", str(sample)).end()
    assert status == 2
    complaint = said.splitlines()[-1]
    assert complaint.startswith("askwire: cannot load the sample: psql:")
    assert 'script.sql:2: ERROR:  column "nonsense" does not exist' in complaint.replace(
        ": ERROR: ", ": ERROR:  "
    )
    sample.write_text(SCRIPT)
    with DemoProcess("--folder", str(folder), "--sample-sql", str(sample)) as running:
        assert running.value("SELECT to_regclass('one') IS NULL AND count(*) = 2 FROM birds") is True


def test_a_missing_script_is_one_line(folder: Path) -> None:
    status, said = DemoProcess("--folder", str(folder), "--sample-sql", "/nowhere.sql").end()
    assert (status, said) == (2, "askwire: cannot read '/nowhere.sql': No such file or directory\n")
    assert not folder.exists()


def test_a_port_in_use_is_told_before_a_database_is_made(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, said = DemoProcess("--folder", str(folder), "--port", str(port)).end()
    assert status == 2
    assert said.startswith(f"askwire: cannot listen on 127.0.0.1:{port}: Address already in use. ")
    assert said.count("\n") == 1
    assert not folder.exists()


def test_a_key_that_is_not_there_is_told_before_a_database_is_made(folder: Path) -> None:
    program = (
        "import os, sys; from askwire.proxy import cli; "
        "os.environ |= {'ASKWIRE_EXPERT_OPENAI_MODEL': 'm', 'ASKWIRE_EXPERT_OPENAI_KEY_ENV': 'NO_SUCH_KEY'}; "
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    status, said = DemoProcess("--folder", str(folder), program=("-c", program)).end()
    expected = "askwire: expert 'openai' has no key: the environment variable NO_SUCH_KEY is not set\n"
    assert (status, said) == (2, expected)
    assert not folder.exists()


def test_without_the_libraries_of_the_console_there_is_a_demo_without_it(loaded: Path, sample: Path) -> None:
    """`pip install .` does not bring them."""
    program = (
        "import sys; sys.modules['aiohttp'] = None\nfrom askwire.proxy.cli import main; sys.exit(main())"
    )
    with DemoProcess(
        "--folder", str(loaded), "--sample-sql", str(sample), program=("-c", program)
    ) as running:
        assert running.value("SELECT sum(legs) FROM birds") == 4
        assert "console   in a browser, once askwire[console] is installed" in running.banner
        assert running.end() == (0, "")


def test_two_demos_get_folders_of_their_own_unless_one_is_named(
    open_folder: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = open_folder / f"cache {time.monotonic_ns()}"
    monkeypatch.setattr(demo, "cache_folder", lambda: cache)
    binaries = find_binaries()
    chosen = Demo(port=0, sample_sql=sample)
    first = demo._started(chosen, binaries)
    try:
        second = demo._started(chosen, binaries)
        try:
            assert first.data != second.data
            assert {first.data.parent, second.data.parent} == {cache / "demo"}
            assert first.running
            assert second.running
            with pytest.raises(ConfigurationError, match="in use"):
                demo._started(Demo(port=0, folder=first.data, sample_sql=sample), binaries)
        finally:
            second.stop()
    finally:
        first.stop()
    shutil.rmtree(cache)


ANSWERS = (
    """SELECT c.name, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id
       WHERE o.ordered_at >= '2024-01-01' AND o.ordered_at < '2025-01-01' GROUP BY c.id""",
    """SELECT p.name, sum(l.amount) FROM products p JOIN order_lines l ON l.product_id = p.id
       GROUP BY p.id ORDER BY sum(l.amount) DESC LIMIT 5""",
    "SELECT name FROM products WHERE stock = 0",
)
"""What each of the demo's questions means, in the same order."""


def test_the_demo_answers_the_questions_it_suggests(folder: Path) -> None:
    with (
        DemoProcess("--folder", str(folder)) as running,
        psycopg.connect(
            f"postgresql://postgres@127.0.0.1:{running.port}/shop", autocommit=True
        ) as connection,
    ):
        assert running.value("SELECT count(*) > 1000 FROM orders") is True
        for question, sql in zip(demo.QUESTIONS, ANSWERS, strict=True):
            assert f"ASK '{question}';" in running.banner
            told, wanted = (
                Counter(tuple(sorted(map(str, row))) for row in connection.execute(text.encode()))
                for text in (f"ASK '{question}'", sql)
            )
            assert told == wanted, question
