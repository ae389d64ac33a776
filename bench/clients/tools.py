"""Where the clients come from: a folder with Python, Node and compiled programs, made on demand.

Owns: what is installed and how each program is started. Interpreters, Debian's drivers and psql are taken
from the machine; a client whose tools are missing is skipped, with the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.bench.failure import BenchFailure

PROGRAMS: Final = Path(__file__).parent / "programs"
_PYTHON: Final = (
    "adbc-driver-postgresql", "asyncpg", "pandas", "pexpect", "pg8000", "pgcli", "psycopg2-binary",
    "psycopg[binary]", "pyarrow", "pyodbc", "sqlalchemy>=2",
)  # fmt: skip
_SUPERSET: Final = ("apache-superset==6.1.0", "cachetools", "flask-caching<2.4", "psycopg2-binary", "rich")
"""What its own requirements leave open or out: later flask-caching breaks it, two are imported unasked."""
_NODE: Final = ("pg", "pg-cursor", "pg-copy-streams", "postgres")
_JDBC: Final = (Path("/usr/share/java/postgresql.jar"),)
_GO_SOURCES: Final = Path("/usr/share/gocode")


class ToolMissing(Exception):
    """A client's tools are not on this machine; the message says which."""


@dataclass(frozen=True, slots=True)
class Client:
    """One row of the matrix: its name as readers know it, the program and what starts it."""

    name: str
    program: str
    kind: str
    arguments: tuple[str, ...] = ()


CLIENTS: Final = (
    Client("psql", "with_psql.py", "psql"),
    Client("pgcli", "with_pgcli.py", "pgcli"),
    Client("psycopg 3", "with_psycopg3.py", "python"),
    Client("psycopg2", "with_psycopg2.py", "python"),
    Client("asyncpg", "with_asyncpg.py", "python"),
    Client("pg8000", "with_pg8000.py", "python"),
    Client("SQLAlchemy 2, psycopg", "with_sqlalchemy.py", "python", ("psycopg",)),
    Client("SQLAlchemy 2, psycopg2", "with_sqlalchemy.py", "python", ("psycopg2",)),
    Client("pandas", "with_pandas.py", "python"),
    Client("ADBC", "with_adbc.py", "python"),
    Client("psqlODBC (pyodbc)", "with_odbc.py", "python"),
    Client("node-postgres", "with_node_postgres.js", "node"),
    Client("postgres.js", "with_postgres_js.js", "node"),
    Client("pgjdbc", "WithPgjdbc.java", "java"),
    Client("DBD::Pg", "with_dbd_pg.pl", "perl"),
    Client("ruby-pg", "with_ruby_pg.rb", "ruby"),
    Client("Go lib/pq", "with_go.go", "go", ("postgres",)),
    Client("Go pgx", "with_go.go", "go", ("pgx",)),
    Client("Apache Superset", "with_superset.py", "superset"),
)


class Tools:
    """The folder of installed clients."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._python = self._folder / "python"
        self._superset = self._folder / "superset"

    def install(self, names: Sequence[str] = ()) -> None:
        """Fetch what package indexes have and compile what needs compiling; again does nothing new.

        Superset, with more than half a gigabyte, only when `names` holds it.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        self._pip(self._python, _PYTHON)
        if "Apache Superset" in names:
            self._pip(self._superset, _SUPERSET)
        if shutil.which("npm"):
            self._do(["npm", "install", "--silent", "--prefix", str(self._folder), *_NODE])
        if shutil.which("javac") and self._jar():
            jar = self._jar()
            self._do(["javac", "-cp", str(jar), "-d", str(self._folder), str(PROGRAMS / "WithPgjdbc.java")])
        if shutil.which("go") and _GO_SOURCES.exists():
            target = str(self._folder / "with_go")
            self._do(["go", "build", "-o", target, str(PROGRAMS / "with_go.go")], self._go())

    def command(self, client: Client) -> tuple[list[str], dict[str, str]]:
        """How to start a client's program, and what its environment needs; raises Missing."""
        program = str(PROGRAMS / client.program)
        arguments = list(client.arguments)
        match client.kind:
            case "python":
                return [self._have(self._python / "bin/python"), program, *arguments], {}
            case "psql":
                psql = self._on_path("psql")
                return [sys.executable, program, psql, self._psql_version(psql)], {}
            case "pgcli":
                return [self._have(self._python / "bin/python"), program, str(self._python / "bin/pgcli")], {}
            case "superset":
                return [self._have(self._superset / "bin/python"), program], {}
            case "node":
                self._have(self._folder / "node_modules")
                return [self._on_path("node"), program], {"NODE_PATH": str(self._folder / "node_modules")}
            case "java":
                self._have(self._folder / "WithPgjdbc.class")
                return [self._on_path("java"), "-cp", f"{self._folder}:{self._jar()}", "WithPgjdbc"], {}
            case "go":
                return [self._have(self._folder / "with_go"), *arguments], {}
            case _:
                return [self._on_path(client.kind), program, *arguments], {}

    def _pip(self, place: Path, packages: Sequence[str]) -> None:
        if not place.exists():
            venv.create(place, with_pip=True)
        self._do([str(place / "bin/python"), "-m", "pip", "install", "-q", *packages])

    def _psql_version(self, psql: str) -> str:
        said = subprocess.run([psql, "--version"], capture_output=True, text=True, check=True).stdout
        return said.split()[2].partition(".")[0]

    def _jar(self) -> Path | None:
        return next((jar for jar in _JDBC if jar.exists()), None)

    def _go(self) -> dict[str, str]:
        return {
            "GOPATH": str(_GO_SOURCES),
            "GO111MODULE": "off",
            "GOFLAGS": "",
            "GOCACHE": str(self._folder / "go"),
        }

    def _have(self, path: Path) -> str:
        if not path.exists():
            raise ToolMissing(f"{path.name} is not installed")
        return str(path)

    def _on_path(self, name: str) -> str:
        found = shutil.which(name)
        if found is None:
            raise ToolMissing(f"{name} is not on this machine")
        return found

    def _do(self, command: Sequence[str], more: dict[str, str] | None = None) -> None:
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **(more or {})}, check=False
        )
        if done.returncode:
            raise BenchFailure(
                f"{' '.join(command[:3])} … failed:\n{done.stderr[-2000:] or done.stdout[-2000:]}"
            )
