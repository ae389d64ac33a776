"""Shared fixtures: one embedded PostgreSQL for the session, and a fresh database per test.

The server's roles are made for what they prove (`databases.PASSWORD_ROLES`).
"""

from __future__ import annotations

import faulthandler
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

import psycopg
import pytest
from _pytest.runner import runtestprotocol
from doubles.near_changes import changed, near
from hypothesis import HealthCheck, settings
from psycopg import sql
from servers.databases import PASSWORD_ROLES, TRUSTED, Database, Databases
from servers.loaded_starts import LoadedProcess, possible
from servers.memory_folder import use_memory
from servers.shared_collection import Share

from askwire.proxy.demo import postgres_binaries
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController


LONGEST_TEST: Final = 600
"""Seconds after which a test has hung, on however busy a machine."""


def pytest_configure() -> None:
    """Keep files in memory; let SIGINT end what tests start, though a run in the background ignores it."""
    use_memory()
    if folder := os.environ.get("ASKWIRE_TEST_POSTGRES"):
        # of another version: a folder with postgres, initdb and psql
        postgres_binaries._wheel_folder = lambda: Path(folder)
    # a busy machine is no failure; what of it a property test looks at, its own bounds say
    settings.register_profile(
        "timeless", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("timeless")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker tell of a test once, unless its setup or teardown fails.

    Of thousands of short tests, six messages for each take as long as the tests.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that hangs fails, with what every thread is doing, and does not take the run with it."""

    def late(_number: int, _frame: object) -> None:
        faulthandler.dump_traceback(2)  # the descriptor, whatever is captured
        raise TimeoutError(f"{item.nodeid} took longer than {LONGEST_TEST} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST_TEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`, for the inner loop."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="only tests that need no server and are not marked slow, and all near changed files",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Leave out what takes long, except near changed files, where `--quick` asks for it.

    Of the others what takes longest comes first, in their random order: no process waits for it at the end.
    So do all tests in a browser, in a process that has the only one.
    """
    if share := Share.of(config):
        share.find_constants()
    if config.getoption("quick"):
        whole = near(config.rootpath, changed(config.rootpath))
        chosen = [item for item in items if item.path in whole or _is_quick(item)]
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = chosen
    result = yield
    items.sort(key=lambda item: "browser_path" not in _fixtures(item) and not item.get_closest_marker("long"))
    return result


def _is_quick(item: pytest.Item) -> bool:
    servers = {"open_folder", "browser_path"}.intersection(_fixtures(item))
    return not servers and item.get_closest_marker("slow") is None


def _fixtures(item: pytest.Item) -> Sequence[str]:
    names: Sequence[str] = getattr(item, "fixturenames", ())
    return names


_MADE_BETWEEN_COLLECTIONS: Final = 10_000
"""Objects; at Python's 700 it, and what Hypothesis has called each time, takes a twelfth of the time."""


def pytest_collection(session: pytest.Session) -> None:
    """Collect tests without the garbage collector: what is made stays."""
    gc.disable()
    if share := Share.of(session.config):
        share.rewrite(session.config, Path(__file__).parent.rglob("test_*.py"))


def pytest_collection_finish() -> None:
    """Keep the garbage collector off what stays until the end: the tests themselves, and all modules.

    What is garbage by then stays too: it is less than it costs to find.
    """
    gc.freeze()
    gc.set_threshold(_MADE_BETWEEN_COLLECTIONS)
    gc.enable()


_OF_ALL_WORKERS = pytest.StashKey[Path]()
"""The folder in which each process that runs tests has its own."""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Give a worker its folder: one that crashes leaves it to the process that started it."""
    if _OF_ALL_WORKERS not in node.config.stash:
        node.config.stash[_OF_ALL_WORKERS] = _open_folder()
    node.workerinput["open_folder"] = str(_open_folder(node.config.stash[_OF_ALL_WORKERS]))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what workers made, those that crashed too."""
    if (folder := config.stash.get(_OF_ALL_WORKERS, None)) is not None:
        shutil.rmtree(folder, ignore_errors=True)  # a server of a crashed worker may just be ending


def _open_folder(parent: Path | None = None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="askwire-tests-", dir=parent))
    if os.geteuid() == 0:
        folder.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def open_folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder for servers' data: unlike pytest's own, others than its owner can reach what is inside."""
    given = getattr(request.config, "workerinput", {}).get("open_folder")
    folder = Path(given) if given else _open_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def module_folder(open_folder: Path) -> Path:
    """A new folder for a module's servers each time that a process comes to the module."""
    return _open_folder(open_folder)


@pytest.fixture(scope="session")
def _loaded() -> Iterator[LoadedProcess]:
    with LoadedProcess() as loaded:
        yield loaded


@pytest.fixture(scope="module")
def loaded_starts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Starts of `python -m askwire.proxy.cli` need not load its modules; see `servers.loaded_starts`."""
    if not possible():
        yield
        return
    with request.getfixturevalue("_loaded").used():
        yield


_MEMORY_OF_BACKENDS: Final = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=8388608:" + (
    "glibc.malloc.trim_threshold=67108864:glibc.malloc.mmap_threshold=33554432"
)
"""Memory in large pages, and none of it given back: page faults are a third of what a new backend costs."""


@pytest.fixture(scope="session")
def postgres_server(open_folder: Path) -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL server; `postgres` is a superuser here and comes in without a password.

    Autovacuum is off: statistics that change between two statements of a test would change its outcome.
    """
    hba = [f"host all {role} 127.0.0.1/32 {method}" for role, method in PASSWORD_ROLES.items()]
    server = EmbeddedPostgres(
        open_folder / "session",
        hba=[*hba, "host all all 127.0.0.1/32 trust"],
        parameters={"fsync": "off", "full_page_writes": "off", "max_connections": "200", "autovacuum": "off"},
    )
    with mock.patch.dict(os.environ, GLIBC_TUNABLES=_MEMORY_OF_BACKENDS):
        server.start()
    with server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {TRUSTED} SUPERUSER LOGIN")
            for role, method in PASSWORD_ROLES.items():
                connection.execute(
                    sql.SQL("SET password_encryption = {}").format(
                        "md5" if method == "md5" else "scram-sha-256"
                    )
                )
                connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                        sql.Identifier(role), f"secret of {role}"
                    )
                )
        yield server


@pytest.fixture(scope="session")
def databases(postgres_server: EmbeddedPostgres) -> Iterator[Databases]:
    """Databases of the session's server; they are made from one of which no test counts the connections."""
    with psycopg.connect(postgres_server.dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE maker STRATEGY file_copy")
    with psycopg.connect(postgres_server.dsn, dbname="maker", autocommit=True) as connection:
        yield Databases(connection, postgres_server.port)


@pytest.fixture(scope="session")
def make_database(databases: Databases) -> Callable[[], Database]:
    """Makes databases that go when their server does."""
    return databases.make


@pytest.fixture
def database(databases: Databases) -> Iterator[Database]:
    """An empty database of the test's own."""
    made = databases.make()
    yield made
    databases.leave(made)
