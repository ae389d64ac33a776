"""The demo: an embedded PostgreSQL with a database to ask about, and askwire in front of it.

Owns: the demo's data folder, its role and database, loading the sample once, the words on the screen.

Everybody on this machine may connect to the demo, without a password, as role `postgres`: that is what makes
it a demo. So `postgres` is no superuser here; a superuser could read files and run programs as the user who
started the demo. While a sample is loaded it is one, and then no one else is let in.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NoReturn

from askwire.core.errors import ConfigurationError
from askwire.core.settings.console import CONSOLE_LISTEN
from askwire.core.settings.memory import HISTORY_ROWS, SERVER_NAME, STORE
from askwire.core.settings.operations import ADMIN_ROLES, LOG_FORMAT
from askwire.core.settings.selection import SELECTION_NAMES, SELECTIONS
from askwire.core.settings.table import ANSWER_CONFIDENCE, LOG_LEVEL, Settings
from askwire.files.sources import find_sources
from askwire.llm.expert_table import read_key
from askwire.llm.providers.openai_compatible import check_installed
from askwire.proxy import event_loop, log, server
from askwire.proxy.config_file import chosen_file, read_experts, read_settings
from askwire.proxy.demo import own_files
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres, FolderInUse
from askwire.proxy.demo.postgres_binaries import Binaries, cache_folder, find_binaries
from askwire.sql.literals import quote_literal

if TYPE_CHECKING:
    from askwire.files.data_set import DataSet
    from askwire.proxy.console.console import Door
    from askwire.proxy.demo.own_files import OwnFiles

ROLE: Final = "postgres"
DATABASE: Final = "shop"
QUESTIONS: Final = (
    "how many orders did each customer place in 2024?",
    "top 5 products by revenue",
    "which products are out of stock?",
)

CONSOLE_PORT: Final = 6480
_SUGGESTING_TIMEOUT_SECONDS: Final = 15.0
"""How long the demo on the user's own files may look for questions that it answers."""
_SHOP: Final = {ANSWER_CONFIDENCE.name: "0.4", SELECTIONS.name: ",".join(SELECTION_NAMES[1:])}
"""On the sample shop the engine is worked on: docs/sample.md says how often such answers are right there."""

_HBA_LINES: Final = (f"host all {ROLE} 127.0.0.1/32 trust",)
_MAX_DEMOS: Final = 20
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Demo:
    """What the user chose: the port to listen on, a folder for the database, and what it holds."""

    port: int
    folder: Path | None = None
    own: OwnFiles | None = None
    """The user's own files instead of a sample."""
    sample_sql: Path | None = None
    given: Mapping[str, str] | None = None
    """Further settings, as on the command line."""
    command: str = "askwire"
    """How the user calls this program, for the hints on the screen."""


def run(demo: Demo) -> None:
    """Serve the demo until Ctrl-C or SIGTERM; nothing runs any more when it returns.

    Raises ConfigurationError for a folder, a sample, a port or a setting that cannot be used.
    """
    began = time.monotonic()
    for number in _STOPPING:
        signal.signal(number, _interrupt)
    serves = False
    try:
        _look_for_the_port(demo)
        _look_for_the_models()
        with _on_its_data(demo, find_binaries()) as (postgres, files):
            again = partial(read_settings, chosen_file(None), os.environ, _given(demo, postgres))
            settings = again()
            log.configure(settings[LOG_LEVEL], settings[LOG_FORMAT])
            serves = True
            event_loop.run(_serve(demo, settings, again, postgres, files, began))
    except KeyboardInterrupt:
        if not serves:
            sys.stderr.write("stopped before the demo was ready\n")


@contextmanager
def _on_its_data(demo: Demo, binaries: Binaries) -> Iterator[tuple[EmbeddedPostgres, DataSet | None]]:
    """A running server on the sample, or on the user's own files, which are loaded then."""
    if demo.own is None:
        postgres = _started(demo, binaries)
        try:
            yield postgres, None
        finally:
            postgres.stop()
        return
    find_sources(demo.own.paths)  # a wrong path is reported before a database is made
    with own_files.folder_for(demo.own, demo.folder) as folder:
        if not demo.own.paths and not (folder / "database").exists():
            raise ConfigurationError(
                f"nothing is kept as {demo.own.keep!r}", hint="Name the files to load with --data."
            )
        postgres = own_files.started(demo.own, folder, ROLE, _HBA_LINES, binaries)
        try:
            files = own_files.data_set(demo.own, postgres, ROLE)
            own_files.load(files)
            yield postgres, files
        finally:
            postgres.stop()


def _look_for_the_port(demo: Demo) -> None:
    """Say before a database is made that it would be for nothing."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", demo.port))
        except OSError as error:
            in_use = (
                f"If it is a demo, {demo.command} psql -p {demo.port} reaches it; else choose another --port."
            )
            raise ConfigurationError(
                f"cannot listen on 127.0.0.1:{demo.port}: {error.strerror or error}",
                hint=in_use if error.errno == errno.EADDRINUSE else "Choose another --port.",
            ) from None


def _look_for_the_models() -> None:
    """The same of experts that could not be asked: without their key, or what they need."""
    experts = read_experts(None, os.environ)
    for expert in experts:
        read_key(expert, os.environ)
    if experts:
        check_installed()


def _interrupt(_number: int, _frame: object) -> NoReturn:
    # amid a command psycopg cannot roll back, and says so; the server ends next
    logging.getLogger("psycopg").disabled = True
    raise KeyboardInterrupt


def _given(demo: Demo, postgres: EmbeddedPostgres) -> dict[str, str]:
    """What the demo sets besides its user: all there is to see shows, and `postgres` may look at it."""
    return {
        **({} if "ASKWIRE_LOG_LEVEL" in os.environ else {LOG_LEVEL.name: "warning"}),
        **({} if "ASKWIRE_STORE" in os.environ else {STORE.name: str(postgres.data / "store.sqlite")}),
        # its port is another one at each start
        **({} if "ASKWIRE_SERVER_NAME" in os.environ else {SERVER_NAME.name: _name(demo, postgres)}),
        **({} if "ASKWIRE_CONSOLE_LISTEN" in os.environ else {CONSOLE_LISTEN.name: _console(demo)}),
        **({} if "ASKWIRE_HISTORY_ROWS" in os.environ else {HISTORY_ROWS.name: "on"}),
        **({} if "ASKWIRE_ADMIN_ROLES" in os.environ else {ADMIN_ROLES.name: ROLE}),
        **(_SHOP if _has_shop(demo) and not _SHOP.keys() & _in_environment() else {}),
        **(demo.given or {}),
        "listen": f"127.0.0.1:{demo.port}",
        "backend": f"postgresql://127.0.0.1:{postgres.port}?sslmode=disable",
    }


def _has_shop(demo: Demo) -> bool:
    """Whether the sample shop is what there is to ask about."""
    return demo.sample_sql is None and demo.own is None


def _in_environment() -> set[str]:
    """The settings that the environment gives."""
    return {name.removeprefix("ASKWIRE_").lower() for name in os.environ if name.startswith("ASKWIRE_")}


def _name(demo: Demo, postgres: EmbeddedPostgres) -> str:
    """What is remembered of this demo is kept under this name: in a store that others use, the folder's."""
    shared = "ASKWIRE_STORE" in os.environ or STORE.name in (demo.given or {})
    return f"demo in {postgres.data}" if shared else "demo"


async def _serve(
    demo: Demo,
    settings: Settings,
    again: Callable[[], Settings],
    postgres: EmbeddedPostgres,
    files: DataSet | None,
    began: float,
) -> None:
    experts = read_experts(None, os.environ)

    doors: list[Door] = []
    notes: list[Path] = []

    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def ready(_host: str, port: int) -> None:
        if files is None:
            show(port, QUESTIONS if _has_shop(demo) else ())
        else:
            notes.append(own_files.remember_database(port, own_files.DATABASE))
            listening.set_result(port)

    def show(port: int, questions: Sequence[str]) -> None:
        sys.stdout.write(_banner(demo, postgres, port, time.monotonic() - began, doors, questions))
        sys.stdout.flush()

    async def beside(own: DataSet, *, watched: bool) -> None:
        """What needs askwire to be there: questions to suggest, then looking for changes."""
        port = await listening
        try:
            async with asyncio.timeout(_SUGGESTING_TIMEOUT_SECONDS):
                suggested = await asyncio.to_thread(own_files.questions, own, port, ROLE)
        except TimeoutError:
            suggested = ()
        show(port, suggested)
        if watched:
            await own_files.watch(own)

    serving = asyncio.create_task(
        server.run(settings, experts=experts, ready=ready, door=doors.append, reread=again, attended=True)
    )
    # An exception out of a signal handler can get lost inside a loop; from here on signals are callbacks.
    # The server has its own for SIGINT and SIGTERM once it listens.
    for number in _STOPPING:
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    besides = []
    if files is not None and demo.own is not None:
        besides.append(asyncio.create_task(beside(files, watched=demo.own.watch)))
    try:
        await _until_it_ends(serving, postgres)
    finally:
        for note in notes:
            note.unlink(missing_ok=True)
        for task in besides:
            task.cancel()


async def _until_it_ends(serving: asyncio.Task[None], postgres: EmbeddedPostgres) -> None:
    while not serving.done():
        await asyncio.wait([serving], timeout=1)
        if not serving.done() and not postgres.running:
            serving.cancel()
            await asyncio.wait([serving])
            raise ConfigurationError(
                "the demo's PostgreSQL has ended", hint=f"Its log is {str(postgres.data / 'server.log')!r}."
            )
    with suppress(asyncio.CancelledError):
        await serving


def _console(demo: Demo) -> str:
    """Where the console is, unless told otherwise: on a port that is the same every time, if it is free.

    Nowhere where its libraries are not installed: a demo without it is better than none.
    """
    if demo.given is not None and CONSOLE_LISTEN.name in demo.given:
        return demo.given[CONSOLE_LISTEN.name]
    if not _console_installed():
        return ""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", CONSOLE_PORT))
        except OSError:
            return "127.0.0.1:0"
    return f"127.0.0.1:{CONSOLE_PORT}"


def _console_installed() -> bool:
    return all(find_spec(library) is not None for library in ("aiohttp", "jinja2", "prometheus_client"))


def _banner(
    demo: Demo,
    postgres: EmbeddedPostgres,
    port: int,
    seconds: float,
    doors: Sequence[Door],
    questions: Sequence[str],
) -> str:
    ours = f"{demo.command} psql" + ("" if port == 6432 else f" -p {port}")
    database = DATABASE if demo.own is None else own_files.DATABASE
    plain = f"psql -h 127.0.0.1 -p {port} -U {ROLE} {database}"
    lines = [
        f"askwire is ready after {seconds:.1f} s, in front of PostgreSQL {postgres.binaries.version}.",
        "",
        f"  connect   {ours}",
        f"            {plain}",
    ]
    if questions:
        lines += [
            f"  {'ask' if number == 0 else '':7}   ASK {quote_literal(question)};"
            for number, question in enumerate(questions)
        ]
    else:
        lines.append("  ask       ASK 'how many <rows of one of your tables> are there?';")
    if not _console_installed():
        lines.append("  console   in a browser, once askwire[console] is installed")
    return "\n".join(
        [
            *lines,
            *(f"  console   {door.link}" for door in doors),
            *(
                f"            then ask at {door.url}ask?user={ROLE}&database={database}, without a password"
                for door in doors
                if demo.sample_sql is None
            ),
            "  stop      Ctrl-C",
            "",
            _what_stays(demo, postgres),
            f"Every user of this machine can connect as {ROLE}, which is not a superuser here.",
            *(
                f"The console link works once; after that, {door.url} asks for the token {door.token}"
                for door in doors
                if door.token
            ),
            "",
        ]
    )


def _what_stays(demo: Demo, postgres: EmbeddedPostgres) -> str:
    if demo.own is None or demo.folder is not None:
        return f"The data stays in {postgres.data}."
    if demo.own.keep:
        return f"The data stays in {postgres.data}; --keep {demo.own.keep} finds it again."
    return "This copy of your files is removed at the end; --keep NAME keeps it."


def _started(demo: Demo, binaries: Binaries) -> EmbeddedPostgres:
    """A running server whose database is loaded, on the named folder or on the first free one of our own."""
    key = _sample_key(demo.sample_sql)
    for folder in _folders(demo, key, binaries):
        try:
            _ensure_loaded(demo, folder, key, binaries)
            postgres = EmbeddedPostgres(folder, hba=_HBA_LINES, binaries=binaries)
            postgres.start()
        except FolderInUse:
            if demo.folder is not None:
                raise
        else:
            return postgres
    raise ConfigurationError("too many demos run at once", hint="Stop one, or name a folder with --folder.")


def _folders(demo: Demo, key: str, binaries: Binaries) -> list[Path]:
    if demo.folder is not None:
        return [demo.folder]
    checkout = hashlib.sha256(os.fsencode(Path(__file__).resolve().parents[1])).hexdigest()[:8]
    first = cache_folder() / "demo" / f"{checkout}-{key}-pg{binaries.version}"
    return [first, *(first.with_name(f"{first.name}-{n}") for n in range(2, _MAX_DEMOS + 1))]


def _sample_key(sample_sql: Path | None) -> str:
    """What tells one sample from another: a few digits of a hash of what makes it."""
    if sample_sql is None:
        sources = [file for file in files("askwire.proxy.demo.sample").iterdir() if file.is_file()]
        texts = [file.read_bytes() for file in sorted(sources, key=lambda file: file.name)]
    else:
        try:
            texts = [sample_sql.read_bytes()]
        except OSError as error:
            raise ConfigurationError(f"cannot read {str(sample_sql)!r}: {error.strerror or error}") from None
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:8]


def _ensure_loaded(demo: Demo, folder: Path, key: str, binaries: Binaries) -> None:
    """Make role and database and load the sample, unless the folder holds them."""
    stamp = folder / "sample"
    try:
        loaded = stamp.read_text().strip()
    except FileNotFoundError:
        loaded = ""
    except OSError as error:
        raise ConfigurationError(f"cannot read {str(stamp)!r}: {error.strerror or error}") from None
    if loaded == key or (loaded and demo.sample_sql is None):
        return
    if loaded:
        raise ConfigurationError(
            f"folder {str(folder)!r} holds another sample than {str(demo.sample_sql)!r}",
            hint="Name another folder with --folder, or none.",
        )
    sys.stderr.write(f"making a database in {folder} (once) …\n")
    sys.stderr.flush()
    with EmbeddedPostgres(folder, binaries=binaries) as postgres:
        _psql(
            postgres,
            "postgres",
            *("-c", f"DO $$BEGIN IF to_regrole('{ROLE}') IS NULL THEN CREATE ROLE {ROLE}; END IF; END$$"),
            *("-c", f"ALTER ROLE {ROLE} LOGIN CREATEDB SUPERUSER"),
            *("-c", f"DROP DATABASE IF EXISTS {DATABASE}"),
            *("-c", f"CREATE DATABASE {DATABASE} OWNER {ROLE}"),
        )
        _load(postgres, demo.sample_sql)
        _psql(postgres, DATABASE, "-c", f"ALTER ROLE {ROLE} NOSUPERUSER", "-c", "VACUUM ANALYZE")
        stamp.write_text(key + "\n")


def _load(postgres: EmbeddedPostgres, sample_sql: Path | None) -> None:
    # One session as the role that shall own everything.
    owner = ("-c", f"SET SESSION AUTHORIZATION {ROLE}")
    if sample_sql is not None:
        _psql(postgres, DATABASE, *owner, "-f", str(sample_sql))
        return
    from askwire.proxy.demo.sample import write_sql  # noqa: PLC0415 - needed once per folder

    with tempfile.TemporaryFile("w+", encoding="utf-8") as script:
        write_sql(script)
        script.seek(0)
        _psql(postgres, DATABASE, *owner, "-f", "-", script=script)


def _psql(postgres: EmbeddedPostgres, database: str, *arguments: str, script: IO[str] | None = None) -> None:
    """Run psql as the superuser; raises ConfigurationError with its complaint."""
    done = subprocess.run(
        [postgres.binaries.program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", *arguments],
        env={**postgres.environment(database=database), "PGOPTIONS": "-c client_min_messages=warning"},
        stdin=script or subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        complaint = next((line for line in done.stderr.splitlines() if "ERROR" in line), done.stderr.strip())
        raise ConfigurationError(f"cannot load the sample: {complaint}")
