"""The suites: where their tests come from, what they need, and how they are started.

Owns: one entry per suite. Tests come from source distributions where those hold them, else from a checkout
that the user puts into the folder; nothing of them is part of this project.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["pytest", "node", "schedule", "program"]


@dataclass(frozen=True, slots=True)
class Suite:
    """One project's tests.

    `distribution` is what the package index calls a source distribution that holds them; '' for a checkout in
    the folder `name`. `requirements` are installed into an environment of the suite's own. `command` follows
    the interpreter, in `{…}` the database's host, port, name and role; `prepare` is SQL that a fresh database
    gets.
    A schedule is one of PostgreSQL's own, and so is a program whose tests are named by its arguments: both
    are of the version that is installed, `distribution` is what is built for them, and they run on a server
    of their own, which gets `parameters`, and which `trusted` roles may enter without a password.
    `left_out` says what is not run, and why.
    """

    name: str
    kind: Kind
    distribution: str = ""
    requirements: tuple[str, ...] = ()
    folder: str = "."
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    prepare: str = ""
    parameters: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    left_out: str = ""

    @property
    def brings_server(self) -> bool:
        """Whether it runs on a server of its own, that of PostgreSQL's sources."""
        return self.kind in {"schedule", "program"}


_PYTEST: Final = ("-m", "pytest", "-q", "--cache-clear")

SUITES: Final = (
    Suite(
        "psycopg",
        "pytest",
        requirements=(
            "./psycopg",
            "./psycopg_pool",
            "pytest",
            "anyio",
            "dnspython",
            "shapely",
        ),
        command=(
            *_PYTEST,
            "tests",
            "-m",
            "not timing and not slow and not mypy and not crdb",
            "-p",
            "no:randomly",
        ),
        environment={
            "PSYCOPG_IMPL": "python",
            "PSYCOPG_TEST_DSN": "host={host} port={port} dbname={database} user={user}",
        },
        prepare="CREATE EXTENSION IF NOT EXISTS hstore",
        left_out="tests that its authors mark as slow or as timing, and those of mypy and CockroachDB",
    ),
    Suite(
        "psycopg2",
        "pytest",
        distribution="psycopg2",
        requirements=("psycopg2=={version}", "pytest"),
        # without it, pytest may find settings in a folder above
        command=(*_PYTEST, "-c", "pyproject.toml", "tests"),
        environment={
            "PSYCOPG2_TESTDB": "{database}",
            "PSYCOPG2_TESTDB_HOST": "{host}",
            "PSYCOPG2_TESTDB_PORT": "{port}",
            "PSYCOPG2_TESTDB_USER": "{user}",
            "PSYCOPG2_TEST_REPL_DSN": "host={host} port={port} dbname={database} user={user}",
        },
        prepare="CREATE EXTENSION IF NOT EXISTS hstore",
    ),
    Suite(
        "asyncpg",
        "pytest",
        distribution="asyncpg",
        requirements=("asyncpg=={version}", "pytest", "distro"),
        command=(*_PYTEST, "tests"),
        left_out="tests that start a server of their own",
    ),
    Suite(
        "pg8000",
        "pytest",
        distribution="pg8000",
        requirements=("pg8000=={version}", "pytest", "pytest-benchmark", "pytz"),
        command=(*_PYTEST, "test", "--ignore=test/auth", "--benchmark-disable"),
        environment={"PGPASSWORD": "pw"},
        prepare="CREATE EXTENSION IF NOT EXISTS hstore",
        left_out="test/auth, which needs a pg_hba.conf of its own",
    ),
    Suite(
        "sqlalchemy",
        "pytest",
        distribution="sqlalchemy",
        requirements=("sqlalchemy[asyncio]=={version}", "psycopg[binary]", "pytest"),
        command=(
            *_PYTEST,
            "test/dialect/postgresql",
            "test/engine",
            "test/dialect/test_suite.py",
            "--dburi",
            "postgresql+psycopg://{user}@{host}:{port}/{database}",
        ),
        prepare="CREATE SCHEMA test_schema; CREATE SCHEMA test_schema_2;"
        "CREATE EXTENSION hstore; CREATE EXTENSION citext",
        left_out="the object-relational mapper, whose SQL is no other than that of the dialect's tests",
    ),
    Suite(
        "node-postgres",
        "node",
        folder="packages/pg",
        requirements=("async@2.6.4", "bluebird@3.7.2", "co@4.6.0", "pg-copy-streams@0.3.0"),
        command=("test/integration",),
        left_out="tests of the native bindings and of Cloudflare's workers",
    ),
    Suite(
        "postgresql",
        "schedule",
        distribution="pg_regress",
        folder="src/test/regress",
        command=("--schedule={tests}/parallel_schedule", "--max-concurrent-tests=20"),
        parameters=("max_prepared_transactions=20",),
    ),
    Suite(
        "postgresql-isolation",
        "schedule",
        distribution="pg_isolation_regress",
        folder="src/test/isolation",
        command=("--schedule={tests}/isolation_schedule",),
        parameters=("max_prepared_transactions=20",),
    ),
    Suite(
        "postgresql-pipeline",
        "program",
        distribution="libpq_pipeline",
        folder="src/test/modules/libpq_pipeline",
        command=("-r", "700"),
    ),
    Suite(
        "postgresql-ecpg",
        "schedule",
        distribution="pg_regress",
        folder="src/interfaces/ecpg/test",
        command=(
            "--dbname=ecpg1_regression,ecpg2_regression",
            "--create-role=regress_ecpg_user1,regress_ecpg_user2",
            "--schedule={tests}/ecpg_schedule",
            "sql/twophase",
            "connect/test1",
        ),
        environment={"LD_LIBRARY_PATH": "{tests}/../ecpglib:{tests}/../pgtypeslib:{tests}/../compatlib"},
        parameters=("max_prepared_transactions=20",),
        trusted=("regress_ecpg_user1", "regress_ecpg_user2"),
    ),
)
